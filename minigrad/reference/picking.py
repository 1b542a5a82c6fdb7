"""Integer arrays and masks between the brackets of x[...], led back to rows of a table.

The indexed axes of x move to the front and melt into one, all others into a second: a table of
rows. The index arrays together say which rows. Ints, slices and None beside them make a view first.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from minigrad.reference import indexing
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray, zeros
from minigrad.reference.indexing import Part
from minigrad.reference.op import kernel
from minigrad.reference.strides import Ints, contiguous_strides

Indices = np.ndarray[Any, Any]


class Plan(NamedTuple):
    """How an index with arrays is followed.

    basic   the parts that make a view in which every indexed axis is whole
    axes    the indexed axes of that view, one for each of `arrays`
    order   its axes, the indexed ones first
    arrays  the index arrays, of one shape
    at      the axis of the result that they stand at
    """

    basic: tuple[Part, ...]
    axes: Ints
    order: Ints
    arrays: Sequence[Indices]
    at: int

    def rows(self, sizes: Ints) -> Array:
        """Which row of the table each element of the arrays means; sizes of the indexed axes."""
        row = np.zeros(self.arrays[0].shape, np.int64)
        for array, size in zip(self.arrays, sizes, strict=True):
            row = row * size + np.where(array < 0, array + size, array)
        return asarray(row.reshape(-1))

    def swap(self, ndim: int) -> Ints:
        """The order that brings the axes of the arrays, in front, to `at`; ndim of the result."""
        count = self.arrays[0].ndim
        rest = tuple(range(count, ndim))
        return rest[: self.at] + tuple(range(count)) + rest[self.at :]


def picked(x: Array, parts: tuple[Part, ...]) -> Array:
    """x at a parsed index: a view if the index is basic, else a copy."""
    if indexing.is_basic(parts):
        return x.sliced(parts)
    plan = planned(parts)
    view = x.sliced(plan.basic).permute_dims(plan.order)
    head, tail = view.shape[: len(plan.axes)], view.shape[len(plan.axes) :]
    rows, cols = plan.rows(head), prod(tail)
    out = kernel(
        "take", view.reshape(prod(head), cols), rows, shape=(rows.size, cols), dtype=x.dtype
    )
    out = out.reshape(plan.arrays[0].shape + tail)
    return out.permute_dims(plan.swap(out.ndim))


def put(x: Array, parts: tuple[Part, ...], shape: Ints) -> Array:
    """Zeros of `shape` with x, of the shape of the picked, added at a parsed index."""
    if indexing.is_basic(parts):
        return laid(x, parts, shape)
    plan = planned(parts)
    sizes = indexing.window(plan.basic, shape, contiguous_strides(shape), 0)[0]
    sizes = tuple(sizes[a] for a in plan.order)
    head, tail = sizes[: len(plan.axes)], sizes[len(plan.axes) :]
    rows, cols = plan.rows(head), prod(tail)
    values = x.permute_dims(inverse(plan.swap(x.ndim))).reshape(rows.size, cols)
    table = kernel("index_add", values, rows, shape=(prod(head), cols), dtype=x.dtype)
    view = table.reshape(sizes).permute_dims(inverse(plan.order))
    whole = all(part == slice(None) for part in plan.basic)
    return view if whole else laid(view, plan.basic, shape)


def laid(x: Array, parts: tuple[Part, ...], shape: Ints) -> Array:
    """Zeros of `shape` with x at a basic index."""
    out = zeros(shape, x.dtype, x.device)
    kernel("copy", x, out=out.sliced(parts))
    return out


def planned(parts: tuple[Part, ...]) -> Plan:
    """The plan of a parsed index that holds arrays. Raises IndexError if they do not match.

    Beside arrays an int is an array too. Where slices stand between arrays, nobody could say where
    the arrays' axes belong, and they come first: NumPy's rule.
    """
    basic: list[Part] = []
    axes: list[int] = []
    arrays: list[Indices] = []
    where: list[int] = []
    axis = 0
    for k, part in enumerate(parts):
        if part is None or isinstance(part, slice):
            basic.append(part)
            axis += 1
            continue
        found: Sequence[Indices] = [np.asarray(part)]
        whole: Part = slice(None)
        if found[0].dtype == bool and found[0].ndim:
            found = np.nonzero(part)
        elif found[0].dtype == bool:  # one bool picks all, or nothing, along a new axis
            found, whole = [np.zeros(int(part), np.int64)], None
        basic += [whole] * len(found)
        axes += range(axis, axis + len(found))
        axis += len(found)
        arrays += found
        where.append(k)
    try:
        arrays = list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = " and ".join(str(a.shape) for a in arrays)
        raise IndexError(f"index: index arrays of shapes {shapes} cannot be broadcast.") from None
    together = where[-1] - where[0] == len(where) - 1
    rest = [a for a in range(axis) if a not in axes]
    return Plan(tuple(basic), tuple(axes), (*axes, *rest), arrays, axes[0] if together else 0)


def inverse(order: Ints) -> Ints:
    """The order of axes that undoes another."""
    return tuple(order.index(a) for a in range(len(order)))
