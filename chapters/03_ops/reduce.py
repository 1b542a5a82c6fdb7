# cut from minigrad/reference/ops/reduce.py
"""Reductions: one number out of all elements along some axes.

axis is None (all axes), an int or a tuple of ints, below 0 counted from the end; with keepdims the
reduced axes stay, with size 1.
"""

import math
from typing import Any

from minigrad.dtypes import DType, bool_, int64
from minigrad.reference.array import Array
from minigrad.reference.creation import ones
from minigrad.reference.op import Gradients, Vjp, array_of, op
from minigrad.reference.ops.broadcast import expand, reduced, with_ones
from minigrad.reference.ops.cast import astype, floating
from minigrad.reference.ops.choose import where
from minigrad.reference.ops.shape import cat, flip, permute_dims, reshape
from minigrad.reference.picking import inverse
from minigrad.reference.shapes import normalise_axis

Axis = int | tuple[int, ...] | None


@op
def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """The sum; of no elements 0. Ints and bools are added up in int64."""
    axes = normalise_axis("sum", axis, x.ndim)
    dtype = counted(x.dtype)
    # <ex 3.5> the kernel's sum, and g repeated along the axes that were summed (3 lines)
    raise NotImplementedError("exercise 3.5")
    # </ex 3.5>


@op
def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """The mean, of ints and bools in float32; of no elements NaN."""
    axes = normalise_axis("mean", axis, x.ndim)
    x = floating(x)
    kept = reduced("mean", x, axes)
    shape, count = kept.shape, number_of(x, axes) or 1  # of no elements each has no share
    return finished(kept, axes, keepdims), lambda g, out: (
        expand(reshape(g / count, shape), x.shape),
    )


@op
def max(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """The largest element, NaN if one is NaN; equal largest ones share the gradient evenly.

    Raises ValueError where there is no element.
    """
    axes = normalise_axis("max", axis, x.ndim)
    kept = reduced("max", x, axes)
    return finished(kept, axes, keepdims), lambda g, out: (to_extremes(g, x, out, axes),)


@op
def min(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """The smallest element, NaN if one is NaN; equal smallest ones share the gradient evenly.

    Raises ValueError where there is no element.
    """
    axes = normalise_axis("min", axis, x.ndim)
    kept = reduced("min", x, axes)
    return finished(kept, axes, keepdims), lambda g, out: (to_extremes(g, x, out, axes),)


def to_extremes(g: Any, x: Any, out: Any, axes: tuple[int, ...]) -> Any:
    """The gradient of max or min: what of g reaches each element of x.

    g, out: the gradient and the result, with or without the reduced axes. All elements that equal
    the result had the same part in it.
    """
    shape = with_ones(x.shape, axes)
    g, out = reshape(g, shape), reshape(out, shape)
    # <ex 3.6> 1 where x is the extreme, divided by how many there are, times g (2 lines)
    raise NotImplementedError("exercise 3.6")
    # </ex 3.6>


@op
def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """The product; of no elements 1. Ints and bools are multiplied in int64.

    The gradient of an element is the product of all others, also where some of them are 0.
    """
    axes = normalise_axis("prod", axis, x.ndim)
    kept = reduced("prod", x, axes, dtype=counted(x.dtype))
    shape = kept.shape
    return finished(kept, axes, keepdims), lambda g, out: (reshape(g, shape) * others(x, axes),)


def others(x: Any, axes: tuple[int, ...]) -> Any:
    """For each element the product of all others along `axes`: those before times those behind."""
    order = (*(a for a in range(x.ndim) if a not in axes), *axes)
    moved = permute_dims(x, order)
    rows = reshape(moved, (*moved.shape[: x.ndim - len(axes)], number_of(x, axes)))
    product = before(rows) * flip(before(flip(rows, -1)), -1)
    return permute_dims(reshape(product, moved.shape), inverse(order))


def before(x: Any) -> Any:
    """For each element the product of those before it on the last axis, in log2 of its size steps.

    After each step an element holds the product of the `step` ones before it.
    """
    *rows, size = x.shape
    if size == 0:
        return x
    out, step = cat([ones((*rows, 1), x.dtype), x[..., :-1]], -1), 1
    while step < size:
        out = out * cat([ones((*rows, step), x.dtype), out[..., :-step]], -1)
        step *= 2
    return out


@op
def var(
    x: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False
) -> tuple[Array, Vjp]:
    """The mean squared distance from the mean, over n - correction instead of n.

    Ints and bools are taken as float32. Where n - correction is not above 0 it divides by 0.
    """
    axes = normalise_axis("var", axis, x.ndim)
    check_correction("var", correction)
    x = floating(x)
    kept = reduced("var", x, axes, correction)
    return finished(kept, axes, keepdims), lambda g, out: (along_var(g, x, axes, correction),)


@op
def std(
    x: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False
) -> tuple[Array, Vjp]:
    """The square root of var. Where it is 0, so is the gradient.

    Of one element with correction=1 both are NaN.
    """
    axes = normalise_axis("std", axis, x.ndim)
    check_correction("std", correction)
    x = floating(x)
    kept = reduced("std", x, axes, correction)
    return finished(kept, axes, keepdims), lambda g, out: (
        along_var(where(out == 0.0, 0.0, g / (2.0 * out)), x, axes, correction),
    )


def check_correction(name: str, correction: object) -> None:
    if isinstance(correction, bool) or not isinstance(correction, int | float):
        raise TypeError(f"{name}: correction is a number, got {correction!r}.")


def along_var(g: Any, x: Any, axes: tuple[int, ...], correction: float) -> Any:
    """The gradient of var: twice the distance from the mean, over n - correction."""
    shape = with_ones(x.shape, axes)
    left = number_of(x, axes) - correction
    scale = 2.0 / left if left > 0 else math.inf
    return reshape(g, shape) * (scale * (x - mean(x, axes, keepdims=True)))


@op
def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """Where the largest element stands, the first of equal ones or the first NaN: int64.

    axis=None counts through all elements in row-major order.
    Raises ValueError where there is no element.
    """
    return place("argmax", x, axis, keepdims)


@op
def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """Where the smallest element stands, the first of equal ones or the first NaN: int64.

    axis=None counts through all elements in row-major order.
    Raises ValueError where there is no element.
    """
    return place("argmin", x, axis, keepdims)


@op
def any(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """Whether at least one element is not zero."""
    axes = normalise_axis("any", axis, x.ndim)
    return finished(reduced("any", x, axes, dtype=bool_), axes, keepdims), no_gradient


@op
def all(x: Any, axis: Axis = None, keepdims: bool = False) -> tuple[Array, Vjp]:
    """Whether no element is zero."""
    axes = normalise_axis("all", axis, x.ndim)
    return finished(reduced("all", x, axes, dtype=bool_), axes, keepdims), no_gradient


def place(name: str, x: Any, axis: int | None, keepdims: bool) -> tuple[Array, Vjp]:
    """The index along one axis, or through all of them."""
    if isinstance(axis, tuple | list):
        raise TypeError(f"{name}: axis is one int or None, got {axis}.")
    array, axes = array_of(x), normalise_axis(name, axis, x.ndim)
    if axis is None:
        array = array.reshape(-1)
        found = reduced(name, array, (0,), dtype=int64)
        return found.reshape((1,) * x.ndim if keepdims else ()), no_gradient
    return finished(reduced(name, array, axes, dtype=int64), axes, keepdims), no_gradient


def no_gradient(g: Any, out: Any) -> Gradients:
    """Whole numbers and bools have no gradient."""
    return (None,)


def counted(dtype: DType) -> DType:
    """The dtype of a sum: many ints or bools need the widest int."""
    return dtype if dtype.kind == "float" else int64


def number_of(x: Any, axes: tuple[int, ...]) -> int:
    """How many elements go into one of the result."""
    return math.prod(x.shape[axis] for axis in axes)


def finished(kept: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """The result of a reduction with its axes of size 1, or without."""
    return kept if keepdims else kept.squeeze(axes)
