# cut from minigrad/reference/strides.py
"""Shapes and strides: how a flat row of numbers is read as an array of any number of axes.

Element x[i, j, k] stands in the buffer at offset + i*s0 + j*s1 + k*s2. Strides count elements. All
functions here are arithmetic on small tuples; only `gathered` touches numbers.
"""

from typing import Any

import numpy as np

Ints = tuple[int, ...]
Flat = np.ndarray[Any, np.dtype[Any]]


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
    for axis, i in enumerate(index):
        place += (i + shape[axis] if i < 0 else i) * strides[axis]
    return place
    # </ex 2.2>


def expanded_strides(shape: Ints, strides: Ints, target: Ints) -> Ints:
    """The strides under which an array reads as if it were repeated to the shape `target`.

    Shapes are lined up at their last axes. shape fits target: each axis has the target's size or
    size 1, and target may have more axes in front (the caller has looked).
    """
    # <ex 2.3> an axis that is repeated has stride 0, a new one too (4 lines)
    new = [0] * (len(target) - len(shape))
    for axis, size in enumerate(shape):
        new.append(strides[axis] if size == target[len(new)] else 0)
    return tuple(new)
    # </ex 2.3>


def is_contiguous(shape: Ints, strides: Ints) -> bool:
    """Whether the elements, in row-major order, are neighbours in the buffer.

    Strides of axes of size 1 are never used; an array without elements is contiguous.
    """
    # <ex 2.4> the strides are those of 2.1, on all axes where it matters (6 lines)
    if 0 in shape:
        return True
    for axis, wanted in enumerate(contiguous_strides(shape)):
        if shape[axis] > 1 and strides[axis] != wanted:
            return False
    return True
    # </ex 2.4>


def gathered(buffer: Flat, shape: Ints, strides: Ints, offset: int) -> Flat:
    """The elements of a view in row-major order: a new 1-D ndarray of the buffer's dtype."""
    # <ex 2.5> the place of every element, axis by axis, then one look into the buffer (4 lines)
    places: Flat = np.array([offset])
    for axis, size in enumerate(shape):
        places = (places[:, None] + strides[axis] * np.arange(size)).ravel()
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
    # <ex 2.7> melt axes into runs of even steps, then cut the runs anew (18 lines)
    sizes: list[int] = []
    steps: list[int] = []
    for axis, size in enumerate(shape):
        if steps and steps[-1] == size * strides[axis]:
            sizes[-1] *= size
            steps[-1] = strides[axis]
        elif size > 1:
            sizes.append(size)
            steps.append(strides[axis])
    new: list[int] = []
    left = step = 1
    for wanted in reversed(target):
        if left == 1 and wanted > 1:
            left, step = sizes.pop(), steps.pop()
        if left % wanted:
            return None
        new.append(step)
        left //= wanted
        step *= wanted
    return tuple(reversed(new))
    # </ex 2.7>
