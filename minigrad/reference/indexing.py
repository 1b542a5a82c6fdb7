"""What stands between the brackets of x[...]: checked, and put into one form, before any use.

Ints, slices, None and `...` make a view (basic indexing); integer arrays, lists and boolean masks
pick elements one by one and copy them. The rules are NumPy's.
"""

import operator
from typing import Any

import numpy as np

from minigrad.reference.strides import Ints, position

Part = Any  # int, slice, None, or an ndarray of int64 or bool


def parse(index: object, shape: Ints) -> tuple[Part, ...]:
    """The parts of an index into an array of `shape`: `...` and missing axes spelled out as full
    slices, ints counted from the front, everything else an ndarray of int64 or bool.

    NumPy takes the result as an index as it is. Raises IndexError naming axis and position.
    """
    given = index if isinstance(index, tuple) else (index,)
    parts = [_part(p) for p in given]
    dots = [k for k, p in enumerate(parts) if p is Ellipsis]
    if len(dots) > 1:
        raise IndexError("index: '...' can stand only once.")
    used = sum(_axes(p) for p in parts)
    if used > len(shape):
        raise IndexError(f"index: {used} axes are indexed, but shape {shape} has {len(shape)}.")
    at = dots[0] if dots else len(parts)
    parts[at : at + 1] = [slice(None)] * (len(shape) - used)
    axis, checked = 0, []
    for part in parts:
        checked.append(_checked(part, axis, shape))
        axis += _axes(part)
    return tuple(checked)


def is_basic(parts: tuple[Part, ...]) -> bool:
    """Whether the parts of a parsed index make a view."""
    return not any(isinstance(p, np.ndarray) for p in parts)


def window(
    parts: tuple[Part, ...], shape: Ints, strides: Ints, offset: int
) -> tuple[Ints, Ints, int]:
    """Shape, strides and offset of the view that a parsed basic index makes.

    A slice starts at one element and takes `step` strides at a time; so does its view.
    """
    sizes, steps, start, axis = [], [], [], 0
    for part in parts:
        if part is None:
            sizes.append(1)
            steps.append(0)
        elif isinstance(part, slice):
            first, last, step = part.indices(shape[axis])
            size = len(range(first, last, step))
            sizes.append(size)
            steps.append(step * strides[axis])
            start.append(first if size else 0)
            axis += 1
        else:
            start.append(part)
            axis += 1
    if 0 in sizes:
        return tuple(sizes), tuple(steps), offset
    return tuple(sizes), tuple(steps), position(tuple(start), shape, strides, offset)


def _part(part: object) -> Part:
    """One part as an int, slice, None, Ellipsis or ndarray."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        return slice(*(_bound(b) for b in (part.start, part.stop, part.step)))
    if not isinstance(part, bool | np.bool_):
        try:
            return operator.index(part)  # type: ignore[arg-type]
        except TypeError:
            pass
    numpy = getattr(part, "numpy", None)
    try:
        array = np.asarray(numpy() if callable(numpy) else part)
    except ValueError:
        raise IndexError(f"index: a list of indices must not be ragged: {part!r}.") from None
    if array.size == 0 and isinstance(part, list):
        array = array.astype(np.int64)
    if array.dtype.kind == "b":
        return array.copy()  # a gradient goes back to where it was, also if the mask changes
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    raise IndexError(
        "index: expected ints, slices, '...', None, integer arrays or boolean masks, "
        f"got {type(part).__name__}" + (f" of {array.dtype}." if array.ndim else f" {part!r}.")
    )


def _bound(bound: object) -> int | None:
    """A slice's start, stop or step."""
    if bound is None:
        return None
    try:
        return operator.index(bound)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"index: a slice's bounds are ints or None, got {bound!r}.") from None


def _axes(part: Part) -> int:
    """How many axes of the array a part speaks about."""
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype.kind == "b" else 1


def _checked(part: Part, axis: int, shape: Ints) -> Part:
    """The part, known to lie within its axis; an int counted from the front."""
    if isinstance(part, slice):
        if part.step == 0:
            raise ValueError(f"index: the slice of axis {axis} has step 0.")
        return part
    if isinstance(part, int):
        if not -shape[axis] <= part < shape[axis]:
            raise IndexError(
                f"index: {part} is out of range for axis {axis} with size {shape[axis]}."
            )
        return part % shape[axis]
    if isinstance(part, np.ndarray) and part.dtype.kind == "b":
        covered = shape[axis : axis + part.ndim]
        if part.shape != covered:
            raise IndexError(
                f"index: a mask of shape {part.shape} stands where the array has shape {covered} "
                f"(from axis {axis})."
            )
    elif isinstance(part, np.ndarray):
        size = shape[axis]
        wrong = (part < -size) | (part >= size)
        if wrong.any():
            where = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise IndexError(
                f"index: {part[where]} at position {where} is out of range for axis {axis} "
                f"with size {size}."
            )
    return part
