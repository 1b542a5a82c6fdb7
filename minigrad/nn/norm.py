"""Norms: each row brought to one size, then scaled (and shifted) by learned numbers."""

from typing import Any

from minigrad.api import layer_norm, ones, rms_norm, zeros
from minigrad.dtypes import float32
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.sizes import whole


class LayerNorm(Module):
    """x (..., size) with mean 0 and variance 1 along the last axis, times weight, plus bias.

    normalized_shape: the size, or a tuple of it alone. weight starts at 1, bias at 0;
    elementwise_affine=False: neither is there. eps keeps a row of equal numbers from dividing by 0.
    Raises ValueError for other sizes, in the call as in the layer.
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: object = None,
        dtype: object = float32,
    ) -> None:
        self.size, self.eps = last_axis("LayerNorm", normalized_shape), eps
        affine = elementwise_affine
        self.weight = Parameter(ones(self.size, dtype, device)) if affine else None
        self.bias = Parameter(zeros(self.size, dtype, device)) if affine and bias else None

    def forward(self, x: Any) -> Any:
        check_last("LayerNorm", x, self.size)
        return layer_norm(x, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.size}, eps={self.eps:g}"


class RMSNorm(Module):
    """x (..., size) over the root of its mean square along the last axis, times weight.

    eps None: the rounding step of the dtype at 1. The rest is as in LayerNorm.
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: object = None,
        dtype: object = float32,
    ) -> None:
        self.size, self.eps = last_axis("RMSNorm", normalized_shape), eps
        self.weight = Parameter(ones(self.size, dtype, device)) if elementwise_affine else None

    def forward(self, x: Any) -> Any:
        check_last("RMSNorm", x, self.size)
        return rms_norm(x, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.size}, eps={'None' if self.eps is None else f'{self.eps:g}'}"


def last_axis(call: str, given: Any) -> int:
    """The size of the one axis that is named."""
    if isinstance(given, tuple | list):
        if len(given) != 1:
            raise ValueError(f"{call}: ours goes along the last axis alone, got {tuple(given)}.")
        (given,) = given
    return whole(call, "normalized_shape", given)


def check_last(call: str, x: Any, size: int) -> None:
    """Raise ValueError unless the last axis of x has this size."""
    shape = shape_of(call, x)
    if shape[-1:] != (size,):
        raise ValueError(f"{call}: expected a tensor of shape (..., {size}), got {shape}.")
