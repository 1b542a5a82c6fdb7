"""Shapes and strides: how a flat row of numbers is read as an array of any number of axes.

Element x[i, j, k] stands in the buffer at offset + i*s0 + j*s1 + k*s2. Strides count elements. All
functions here are arithmetic on small tuples; only `gathered` touches numbers.
"""

from typing import Any

import numpy as np

Ints = tuple[int, ...]
Flat = np.ndarray[Any, Any]


def contiguous_strides(shape: Ints) -> Ints:
    """The strides of an array that lies row after row, with nothing between: the last axis in
    steps of 1.

    An axis of size 0 counts as if it had 1, so that no stride is 0 (that means "repeated").
    """
    # <ex 2.1> each axis steps over everything behind it (5 lines)
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
    # </ex 2.1>


def position(index: Ints, shape: Ints, strides: Ints, offset: int) -> int:
    """Where in the buffer x[index] stands; an index below 0 counts from the end of its axis.

    index: one int per axis, each within -size <= i < size (the caller has looked).
    """
    # <ex 2.2> from the offset, so many strides along each axis (4 lines)
    place = offset
    for i, size, stride in zip(index, shape, strides, strict=True):
        place += (i + size if i < 0 else i) * stride
    return place
    # </ex 2.2>


def expanded_strides(shape: Ints, strides: Ints, target: Ints) -> Ints:
    """The strides under which an array reads as if it were repeated to the shape `target`.

    Shapes are lined up at their last axes. shape fits target: each axis has the target's size or
    size 1, and target may have more axes in front (the caller has looked).
    """
    # <ex 2.3> an axis that is repeated has stride 0, a new one too (4 lines)
    new = [0] * (len(target) - len(shape))
    for size, stride, wanted in zip(shape, strides, target[len(new) :], strict=True):
        new.append(stride if size == wanted else 0)
    return tuple(new)
    # </ex 2.3>


def is_contiguous(shape: Ints, strides: Ints) -> bool:
    """Whether the elements, in row-major order, are neighbours in the buffer.

    Strides of axes of size 1 are never used; an array without elements is contiguous.
    """
    # <ex 2.4> the strides are those of 2.1, on all axes where it matters (6 lines)
    if 0 in shape:
        return True
    expected = contiguous_strides(shape)
    for size, stride, wanted in zip(shape, strides, expected, strict=True):
        if size > 1 and stride != wanted:
            return False
    return True
    # </ex 2.4>


def gathered(buffer: Flat, shape: Ints, strides: Ints, offset: int) -> Flat:
    """The elements of a view in row-major order: a new 1-D ndarray of the buffer's dtype."""
    # <ex 2.5> the place of every element, axis by axis, then one look into the buffer (4 lines)
    places = np.array([offset])
    for size, stride in zip(shape, strides, strict=True):
        places = (places[:, None] + stride * np.arange(size)).reshape(-1)
    return buffer[places]
    # </ex 2.5>


def permuted(shape: Ints, strides: Ints, axes: Ints) -> tuple[Ints, Ints]:
    """Shape and strides with the axes in a new order: axis k of the result is axis axes[k] of the
    array.
    """
    # <ex 2.6> take along both tuples in the new order (1 line)
    return tuple(shape[a] for a in axes), tuple(strides[a] for a in axes)
    # </ex 2.6>


def reshaped_strides(shape: Ints, strides: Ints, target: Ints) -> Ints | None:
    """The strides under which the same elements, in the same order, read in shape `target`; None
    where no strides can do that and the elements must be copied.

    Both shapes have the same number of elements, at least 1 (the caller has looked).
    """
    # <ex 2.7> melt axes into runs of even steps, then cut the runs anew (16 lines)
    runs: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if runs and runs[-1][1] == size * stride:
            runs[-1] = (runs[-1][0] * size, stride)
        elif size > 1:
            runs.append((size, stride))
    new, left, step = [], 1, 1
    for wanted in reversed(target):
        if left == 1 and wanted > 1:
            left, step = runs.pop()
        if left % wanted:
            return None
        new.append(step)
        left //= wanted
        step *= wanted
    return tuple(reversed(new))
    # </ex 2.7>
