# cut from minigrad/reference/ops/norm.py
"""Rows brought to one size, so that a deep network's numbers neither grow nor fade.

layer_norm   mean 0 and variance 1, then a scale and a shift that are learned
rms_norm     mean square 1, then a scale
"""

from typing import Any

import numpy as np

from minigrad import kernels
from minigrad.reference.array import Array
from minigrad.reference.op import Vjp, is_array, kernel, op
from minigrad.reference.ops.cast import floating
from minigrad.reference.ops.reduce import mean, var
from minigrad.reference.ops.unary import rsqrt, square


def layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """(x - mean) / sqrt(variance + eps) along the last axis, times weight, plus bias.

    x (..., D), weight and bias (D,) or None -> (..., D). Ints and bools are taken as float32.
    Raises ValueError if the sizes differ, or for an eps below 0.
    Source: Ba, Kiros, Hinton, "Layer normalization" (2016).
    """
    check_sizes("layer_norm", x, eps, weight=weight, bias=bias)
    if (whole := kernels.whole("layer_norm")) is not None:
        return whole(floating(x), weight, bias, eps)
    out = standardised(x, eps)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


@op
def standardised(x: Any, eps: float) -> tuple[Array, Vjp]:
    """Each row with its mean taken off, divided by its standard deviation."""
    x = floating(x)
    out = kernel("standardise", x, eps, shape=x.shape)

    def vjp(g: Any, out: Any) -> tuple[Any]:
        # <ex 7.4> g without its mean and without its part along out, scaled like the row (3 lines)
        scale = rsqrt(var(x, -1, keepdims=True) + eps)
        along = mean(g * out, -1, keepdims=True)
        return (scale * (g - mean(g, -1, keepdims=True) - out * along),)
        # </ex 7.4>

    return out, vjp


def rms_norm(x: Any, weight: Any = None, eps: float | None = None) -> Any:
    """x / sqrt(mean(x ** 2) + eps) along the last axis, times weight.

    x (..., D), weight (D,) or None -> (..., D); eps None: the rounding step of the dtype at 1.
    Ints and bools are taken as float32. Raises ValueError if the sizes differ, or for an eps
    below 0.
    Source: Zhang, Sennrich, "Root mean square layer normalization" (2019).
    """
    check_sizes("rms_norm", x, eps, weight=weight)
    x = floating(x)
    eps = float(np.finfo(x.dtype.numpy).eps) if eps is None else eps
    if (whole := kernels.whole("rms_norm")) is not None:
        return whole(x, weight, eps)
    out = x * rsqrt(mean(square(x), -1, keepdims=True) + eps)
    return out if weight is None else out * weight


def check_sizes(name: str, x: Any, eps: float | None, **learned: Any) -> None:
    """Raise unless x is an array with an axis, and what is learned has one number for each."""
    if not is_array(x):
        raise TypeError(f"{name}: expected an array, got {type(x).__name__}.")
    if x.ndim < 1:
        raise ValueError(f"{name}: a 0-d array has no axis to go along.")
    for called, each in learned.items():
        if each is not None and getattr(each, "shape", None) != x.shape[-1:]:
            shape = getattr(each, "shape", type(each).__name__)
            raise ValueError(
                f"{name}: x of shape {x.shape} needs a {called} of shape {x.shape[-1:]}, "
                f"got {shape}."
            )
    if eps is not None and not eps >= 0.0:
        raise ValueError(f"{name}: eps must be 0 or more, got {eps}.")
