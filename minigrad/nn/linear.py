"""Linear: every output is a weighted sum of all inputs."""

import math
from typing import Any

from minigrad.api import empty
from minigrad.dtypes import float32
from minigrad.nn.init import kaiming_uniform_, uniform_
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.random import Generator, generator_or_default
from minigrad.sizes import whole


class Linear(Module):
    """x (..., in_features) -> x @ weight.mT + bias (..., out_features).

    weight (out_features, in_features) and bias (out_features,) start evenly spread within
    1/sqrt(in_features) of 0, as in PyTorch. generator: where these numbers come from; None means
    that of manual_seed.
    Raises TypeError and ValueError for sizes that are no whole numbers above 0.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: object = None,
        dtype: object = float32,
        *,
        generator: Generator | None = None,
    ) -> None:
        generator_or_default("Linear", generator)
        self.in_features = whole("Linear", "in_features", in_features)
        self.out_features = whole("Linear", "out_features", out_features)
        self.weight = Parameter(empty((out_features, in_features), dtype, device))
        self.bias = Parameter(empty(out_features, dtype, device)) if bias else None
        # With this slope, kaiming's bound is 1/sqrt(in_features).
        kaiming_uniform_(self.weight, a=math.sqrt(5.0), generator=generator)
        if bias:
            bound = 1.0 / math.sqrt(in_features)
            uniform_(self.bias, -bound, bound, generator)

    def forward(self, x: Any) -> Any:
        shape = shape_of("Linear", x)
        if shape[-1:] != (self.in_features,):
            raise ValueError(
                f"Linear: expected a tensor of shape (..., {self.in_features}), got {shape}."
            )
        out = x @ self.weight.mT
        return out if self.bias is None else out + self.bias

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
