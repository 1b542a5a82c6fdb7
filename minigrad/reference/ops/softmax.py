"""Exponentials that are added up, along one axis or several, and running sums."""

from collections.abc import Iterable
from math import prod
from typing import Any

from minigrad.dtypes import bool_, int64
from minigrad.reference.array import Array, normalise_axis
from minigrad.reference.op import Vjp, array_of, kernel, op
from minigrad.reference.ops.along import along, one_axis
from minigrad.reference.ops.cast import floating
from minigrad.reference.ops.reduce import sum
from minigrad.reference.ops.shape import flip, reshape
from minigrad.reference.ops.unary import exp


@op
def logsumexp(
    x: Any, axis: int | Iterable[int] | None = None, keepdims: bool = False
) -> tuple[Array, Vjp]:
    """log(sum(exp(x))) over one axis, several, or all (None), without overflow.

    Ints and bools are taken as float32. Of no elements it is -inf. NaN and inf go through.
    Its gradient is softmax(x).
    """
    axes = normalise_axis("logsumexp", axis, x.ndim)
    x = floating(x)
    rest = [a for a in range(x.ndim) if a not in axes]
    sizes = tuple(x.shape[a] for a in rest)
    rows = array_of(x).permute_dims(*rest, *axes).reshape(*sizes, prod(x.shape[a] for a in axes))
    kept = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    out = kernel("logsumexp", rows, shape=sizes)
    return out.reshape(kept) if keepdims else out, lambda g, out: (
        reshape(g, kept) * exp(x - reshape(out, kept)),
    )


@op
def softmax(x: Any, axis: int = -1) -> tuple[Array, Vjp]:
    """exp(x) / sum(exp(x)) along an axis: numbers above 0 that add up to 1, without overflow.

    Ints and bools are taken as float32. A row with +inf, or of -inf alone, becomes NaN.
    """
    x = floating(x)
    axis = one_axis("softmax", axis, x.ndim)
    # <ex 3.9> the result by its kernel, and its gradient in terms of g and out alone (2 lines)
    out = along(axis, "softmax", x, shape=x.shape)
    return out, lambda g, out: (out * (g - sum(g * out, axis, keepdims=True)),)
    # </ex 3.9>


@op
def log_softmax(x: Any, axis: int = -1) -> tuple[Array, Vjp]:
    """log(softmax(x)) along an axis, without ever taking the log of a number near 0.

    Ints and bools are taken as float32. A row with +inf, or of -inf alone, becomes NaN.
    """
    x = floating(x)
    axis = one_axis("log_softmax", axis, x.ndim)
    out = along(axis, "log_softmax", x, shape=x.shape)
    return out, lambda g, out: (g - exp(out) * sum(g, axis, keepdims=True),)


@op
def cumsum(x: Any, axis: int | None = None) -> tuple[Array, Vjp]:
    """The sum of each element and all before it along an axis; None: of x as one row.

    Bools are added up in int64. Its gradient is the running sum from the other end.
    """
    before = x.shape
    rows = array_of(x) if axis is not None else array_of(x).reshape(x.size)
    at = one_axis("cumsum", 0 if axis is None else axis, rows.ndim)
    dtype = int64 if x.dtype == bool_ else x.dtype
    out = along(at, "cumsum", rows, shape=rows.shape, dtype=dtype)
    return out, lambda g, out: (reshape(flip(cumsum(flip(g, at), at), at), before),)
