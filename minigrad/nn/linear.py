"""Linear: every output is a weighted sum of all inputs."""

import math
from typing import Any

from minigrad.api import empty
from minigrad.dtypes import float32
from minigrad.nn.init import kaiming_uniform_, uniform_
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.random import Generator


class Linear(Module):
    """x (..., in_features) -> x @ weight.mT + bias (..., out_features).

    weight (out_features, in_features) and bias (out_features,) start evenly spread within
    1/sqrt(in_features) of zero, as in PyTorch.
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
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), dtype, device))
        self.bias = Parameter(empty(out_features, dtype, device)) if bias else None
        # sqrt(5): the slope for which kaiming's bound is 1/sqrt(in_features)
        kaiming_uniform_(self.weight, a=math.sqrt(5.0), generator=generator)
        if bias:
            bound = 1.0 / math.sqrt(in_features)
            uniform_(self.bias, -bound, bound, generator)

    def forward(self, x: Any) -> Any:
        out = x @ self.weight.mT
        return out if self.bias is None else out + self.bias
