# cut from minigrad/reference/ops/index.py
"""Reading at indices, and the way back: a gradient is added to the place its number was read from.

    getitem   x[index], for every index NumPy knows         its gradient: placed
    take      whole rows along one axis                     its gradient: placed
    gather    along one axis, an index for every element    its gradient: scatter_add

A place that was read twice receives two parts, and they add up.
"""

from typing import Any

import numpy as np

from minigrad.dtypes import DType, as_dtype, bool_, float32, int64
from minigrad.reference import indexing
from minigrad.reference.array import Array, broadcast_shapes
from minigrad.reference.creation import arange, asarray, full, zeros
from minigrad.reference.op import Vjp, array_of, is_array, kernel, op
from minigrad.reference.ops.along import along, one_axis
from minigrad.reference.ops.choose import where
from minigrad.reference.picking import picked, put
from minigrad.reference.strides import Ints


@op
def getitem(x: Any, index: Any) -> tuple[Array, Vjp]:
    """x[index]: a view for ints, slices, None and `...`, a copy for integer arrays and masks.

    Raises IndexError naming the axis and the position of what lies outside.
    """
    shape, parts = x.shape, indexing.parse(index, x.shape)
    return picked(array_of(x), parts), lambda g, out: (placed(g, parts, shape),)


@op
def placed(x: Any, index: Any, shape: Ints) -> tuple[Array, Vjp]:
    """Zeros of `shape`, with x added at [index]; what meets in one place adds up."""
    parts = indexing.parse(index, shape)
    return put(array_of(x), parts, shape), lambda g, out: (getitem(g, parts),)


@op
def written(x: Any, index: Any, value: Any) -> tuple[Array, Vjp]:
    """A copy of x with `value`, cast and broadcast, at [index].

    What was overwritten receives no gradient; of several values for one place, the last one does.
    """
    parts = indexing.parse(index, x.shape)
    out = array_of(x).copy()
    out[parts] = array_of(value) if is_array(value) else value
    ndim = value.ndim if is_array(value) else 0

    def vjp(g: Any, out: Any) -> tuple[Any, None, Any]:
        read = getitem(g, parts)
        if not indexing.is_basic(parts):  # of several values for one place, one is there
            order = arange(read.size).reshape(read.shape)
            left = getitem(written(zeros(g.shape, int64), parts, order), parts)
            read = where(left == order, read, 0.0)
        if ndim > read.ndim:  # as in NumPy, value may have axes of size 1 there
            read = getitem(read, (None,) * (ndim - read.ndim))
        return written(g, parts, 0.0), None, read

    return out, vjp


@op
def take(x: Any, indices: Any, axis: int = 0) -> tuple[Array, Vjp]:
    """Whole rows along an axis: x (rows, D), indices (B, T) int64 -> (B, T, D) for axis 0.

    An index below 0 counts from the end. Raises IndexError naming the position of one outside.
    """
    shape = x.shape
    axis = one_axis("take", axis, x.ndim)
    places = checked_indices("take", indices, shape[axis], f"axis {axis} has size {shape[axis]}")
    parts = indexing.parse((slice(None),) * axis + (places,), shape)
    return picked(array_of(x), parts), lambda g, out: (placed(g, parts, shape),)


@op
def gather(x: Any, indices: Any, axis: int = -1) -> tuple[Array, Vjp]:
    """Along an axis, the elements at `indices`: out[i, k] = x[i, indices[i, k]] for axis 1.

    indices: int64, with as many axes as x. All axes but `axis` are broadcast against those of x,
    as in NumPy's take_along_axis; the result has the size of indices along `axis`.
    Raises IndexError naming the position of an index outside.
    """
    x, indices, axis = matched("gather", x, indices, axis)
    shape = x.shape
    # <ex 3.11> read by the kernel; each gradient is added where its number was read (2 lines)
    out = along(axis, "gather", x, indices, shape=indices.shape)
    return out, lambda g, out: (scatter_add(zeros(shape, g.dtype), indices, g, axis),)
    # </ex 3.11>


@op
def scatter_add(x: Any, indices: Any, values: Any, axis: int = -1) -> tuple[Array, Vjp]:
    """x, and each of `values` added at its index: out[i, indices[i, k]] += values[i, k].

    indices: int64, of the shape of values, which has the axes of x and its sizes in all but
    `axis`. Indices that repeat add up. Raises IndexError naming the position of one outside.
    """
    shape = x.shape
    x, indices, axis = matched("scatter_add", x, indices, axis)
    if x.shape != shape or values.shape != indices.shape:
        raise ValueError(
            f"scatter_add: {values.shape} values for {indices.shape} indices into shape {shape}: "
            f"values and indices have one shape, and the sizes of x in all axes but {axis}."
        )
    values = array_of(values) if values.dtype == x.dtype else array_of(values).astype(x.dtype)
    out = along(axis, "scatter_add", x, indices, values, shape=shape)
    return out, lambda g, out: (g, None, gather(g, indices, axis))


@op
def one_hot(indices: Any, classes: int, dtype: DType = float32) -> tuple[Array, Vjp]:
    """1 at each index, 0 elsewhere: indices (...) int64 -> (..., classes). It has no gradient."""
    places = checked_indices("one_hot", indices, classes, f"there are {classes} classes", first=0)
    same = kernel("equal", places.unsqueeze(-1), arange(classes), dtype=bool_)
    return kernel("copy", same, dtype=as_dtype(dtype)), lambda g, out: (None,)


@op
def tril(x: Any, k: int = 0) -> tuple[Array, Vjp]:
    """The lower triangle of (..., rows, cols): 0 above diagonal k (0 the main one, 1 above it)."""
    return banded("tril", x, k, lower=True), lambda g, out: (tril(g, k),)


@op
def triu(x: Any, k: int = 0) -> tuple[Array, Vjp]:
    """The upper triangle of (..., rows, cols): 0 below diagonal k (0 the main one, 1 above it)."""
    return banded("triu", x, k, lower=False), lambda g, out: (triu(g, k),)


def banded(name: str, x: Any, k: int, lower: bool) -> Array:
    """x up to diagonal k, or from there on; 0 elsewhere, whatever stood there."""
    if x.ndim < 2:
        raise ValueError(f"{name}: needs two axes or more, got shape {x.shape}.")
    rows, cols = x.shape[-2:]
    below = np.tri(rows, cols, k if lower else k - 1, dtype=bool)
    kept = asarray(below if lower else ~below, device=x.device)
    return kernel("where", kept, x, full((), 0, x.dtype, x.device), dtype=x.dtype)


def checked_indices(
    name: str, indices: Any, size: int, there: str, first: int | None = None
) -> Array:
    """Indices as an int64 Array, those below 0 counted from the end unless `first` is 0.

    Raises IndexError for the first that lies outside 0 .. size-1, TypeError for other dtypes;
    `there` says in words what there is.
    """
    given = array_of(indices) if is_array(indices) else asarray(indices)
    if given.dtype != int64:
        raise TypeError(f"{name}: indices must be int64, got {given.dtype}.")
    numbers = given.numpy()
    wrong = (numbers < (-size if first is None else first)) | (numbers >= size)
    if wrong.any():
        at = tuple(map(int, np.argwhere(wrong)[0]))
        position = f" at position {at}" if at else ""
        raise IndexError(f"{name}: index {numbers[at]}{position}, but {there}.")
    return asarray(np.where(numbers < 0, numbers + size, numbers), device=given.device)


def matched(name: str, x: Any, indices: Any, axis: int) -> tuple[Array, Array, int]:
    """x and indices expanded to each other in all axes but one, and that axis, 0 or more."""
    axis = one_axis(name, axis, x.ndim)
    size = x.shape[axis]
    places = checked_indices(name, indices, size, f"axis {axis} has size {size}")
    if places.ndim != x.ndim:
        raise ValueError(
            f"{name}: indices of shape {places.shape} need as many axes as x, which has shape "
            f"{x.shape}."
        )
    ends = [(*s[:axis], 1, *s[axis + 1 :]) for s in (x.shape, places.shape)]
    common = broadcast_shapes(name, *ends)
    wide, count = list(common), list(common)
    wide[axis], count[axis] = size, places.shape[axis]
    return array_of(x).expand(wide), places.expand(count), axis
