"""Ops that move numbers and change none: most are views, and their gradients move them back."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from minigrad.reference.array import Array, empty, normalise_axis
from minigrad.reference.creation import full
from minigrad.reference.op import Vjp, array_of, elementwise, kernel, op
from minigrad.reference.ops.along import one_axis
from minigrad.reference.ops.broadcast import sum_to
from minigrad.reference.ops.index import getitem
from minigrad.reference.picking import inverse

Axis = int | Iterable[int] | None


@op
def reshape(x: Any, shape: int | Iterable[int]) -> tuple[Array, Vjp]:
    """The same elements, in row-major order, under another shape; one size may be -1.

    A view where strides can express it, else a copy. Raises ValueError if the sizes do not agree.
    """
    before = x.shape
    return array_of(x).reshape(shape), lambda g, out: (reshape(g, before),)


@op
def permute_dims(x: Any, axes: Iterable[int]) -> tuple[Array, Vjp]:
    """The axes in a new order: axis k of the result is axis axes[k] of x. A view."""
    order = normalise_axis("permute_dims", axes, x.ndim)
    out = array_of(x).permute_dims(order)
    return out, lambda g, out: (permute_dims(g, inverse(order)),)


@op
def matrix_transpose(x: Any) -> tuple[Array, Vjp]:
    """The last two axes exchanged: (..., rows, cols) -> (..., cols, rows). A view."""
    return array_of(x).matrix_transpose(), lambda g, out: (matrix_transpose(g),)


@op
def squeeze(x: Any, axis: Axis = None) -> tuple[Array, Vjp]:
    """Without these axes, which must have size 1; None: without every axis of size 1. A view."""
    before = x.shape
    return array_of(x).squeeze(axis), lambda g, out: (reshape(g, before),)


@op
def unsqueeze(x: Any, axis: int | Iterable[int]) -> tuple[Array, Vjp]:
    """With new axes of size 1 at these places of the result. A view."""
    before = x.shape
    return array_of(x).unsqueeze(axis), lambda g, out: (reshape(g, before),)


@op
def flip(x: Any, axis: Axis = None) -> tuple[Array, Vjp]:
    """Read backwards along these axes; None: along all. A view with negative strides."""
    return array_of(x).flip(axis), lambda g, out: (flip(g, axis),)


@op
def pad(x: Any, width: Any, value: float = 0.0) -> tuple[Array, Vjp]:
    """x with `value` around it.

    width: how many before and after, as in NumPy: a pair for each axis, one pair for all axes, or
    one int for all ends.
    """
    pairs = padding(width, x.ndim)
    shape = tuple(n + sum(pair) for n, pair in zip(x.shape, pairs, strict=True))
    inside = tuple(slice(b, b + n) for n, (b, _) in zip(x.shape, pairs, strict=True))
    out = full(shape, value, x.dtype, x.device)
    kernel("copy", x, out=out.sliced(inside))
    return out, lambda g, out: (getitem(g, inside),)


def padding(width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """The width of pad as one pair of ints for each axis."""
    if not isinstance(width, Iterable) or not any(isinstance(n, Iterable) for n in width):
        ends = ints("pad", width)
        pairs = [(ends[0], ends[-1])] * ndim if len(ends) in (1, 2) else [ends]
    else:
        pairs = [ints("pad", pair) for pair in width]
    if len(pairs) != ndim or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise ValueError(
            f"pad: width {width} for {ndim} axes: expected an int, a pair, or a pair of ints of 0 "
            "or more for each axis."
        )
    return tuple((before, after) for before, after in pairs)


def ints(name: str, given: Any) -> tuple[int, ...]:
    """One int or several, as a tuple. Raises TypeError for what is no int."""
    try:
        return tuple(map(operator.index, given if isinstance(given, Iterable) else (given,)))
    except TypeError:
        raise TypeError(f"{name}: expected an int or several, got {given!r}.") from None


def cat(arrays: Iterable[Any], axis: int = 0) -> Any:
    """Arrays one behind the other along an axis that they have; all other sizes agree."""
    return joined(*listed("cat", arrays), axis=axis)


@elementwise
def joined(*arrays: Any, axis: int) -> tuple[Array, Vjp]:
    """cat, its arrays one by one."""
    shapes = [x.shape for x in arrays]
    first = shapes[0]
    axis = one_axis("cat", axis, len(first))
    for shape in shapes:
        if shape[:axis] + shape[axis + 1 :] != first[:axis] + first[axis + 1 :]:
            raise ValueError(f"cat: shapes {first} and {shape} may differ in axis {axis} alone.")
    places, end = [], 0
    for shape in shapes:
        places.append((slice(None),) * axis + (slice(end, end + shape[axis]),))
        end += shape[axis]
    whole = (*first[:axis], end, *first[axis + 1 :])
    out = empty(whole, arrays[0].dtype, arrays[0].device)
    for x, place in zip(arrays, places, strict=True):
        kernel("copy", x, out=out.sliced(place))
    return out, lambda g, out: tuple(getitem(g, place) for place in places)


def stack(arrays: Iterable[Any], axis: int = 0) -> Any:
    """Arrays of one shape side by side along a new axis, which stands at `axis` of the result."""
    return stacked(*listed("stack", arrays), axis=axis)


@elementwise
def stacked(*arrays: Any, axis: int) -> tuple[Array, Vjp]:
    """stack, its arrays one by one."""
    first = arrays[0].shape
    axis = one_axis("stack", axis, len(first) + 1)
    for x in arrays:
        if x.shape != first:
            raise ValueError(f"stack: shapes {first} and {x.shape} differ; all must be the same.")
    out = cat([array_of(x).unsqueeze(axis) for x in arrays], axis)
    places = [(slice(None),) * axis + (k,) for k in range(len(arrays))]
    return out, lambda g, out: tuple(getitem(g, place) for place in places)


def listed(name: str, arrays: Iterable[Any]) -> list[Any]:
    """At least one array, in a list."""
    found = list(arrays)
    if not found:
        raise ValueError(f"{name}: expected at least one array, got none.")
    return found


def split(x: Any, size: int | Sequence[int], axis: int = 0) -> tuple[Any, ...]:
    """x cut along an axis into pieces of `size` (the last may be smaller), or of the sizes given.

    As in PyTorch: an int is the size of a piece, not how many there are. Views.
    """
    axis = one_axis("split", axis, x.ndim)
    length = x.shape[axis]
    sizes = ints("split", size)
    if not isinstance(size, Iterable):
        (step,) = sizes
        if step < 1:
            raise ValueError(f"split: a piece must have size 1 or more, got {step}.")
        sizes = tuple(min(step, length - start) for start in range(0, length, step)) or (0,)
    elif sum(sizes) != length or min(sizes, default=0) < 0:
        raise ValueError(f"split: sizes {sizes} do not add up to axis {axis} of {x.shape}.")
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    before = (slice(None),) * axis
    return tuple(
        getitem(x, (*before, slice(end - n, end))) for n, end in zip(sizes, ends, strict=True)
    )


@op
def tile(x: Any, reps: int | Iterable[int]) -> tuple[Array, Vjp]:
    """x laid side by side, reps[k] times along axis k. The shorter of shape and reps is filled up
    with ones in front, as in NumPy.
    """
    times = ints("tile", reps)
    if min(times, default=1) < 0:
        raise ValueError(f"tile: repetitions must be 0 or more, got {times}.")
    ndim = max(len(times), x.ndim)
    times = (1,) * (ndim - len(times)) + times
    sizes = (1,) * (ndim - x.ndim) + x.shape
    # (r0, n0, r1, n1, ...): every axis behind one that repeats it
    pairs = tuple(n for pair in zip(times, sizes, strict=True) for n in pair)
    single = tuple(n for size in sizes for n in (1, size))
    before = x.shape
    out = array_of(x).reshape(single).expand(pairs).copy()
    out = out.reshape(tuple(r * n for r, n in zip(times, sizes, strict=True)))
    return out, lambda g, out: (reshape(sum_to(reshape(g, pairs), single), before),)


@op
def roll(x: Any, shift: int | Sequence[int], axis: Axis = None) -> tuple[Array, Vjp]:
    """Moved on by `shift` along an axis, or by shift[k] along axis[k]; what falls off the end
    comes in at the front. None: x as one row.
    """
    shifts = ints("roll", shift)
    axes = (0,) if axis is None else tuple(axis) if isinstance(axis, Iterable) else (axis,)
    out = array_of(x) if axis is not None else array_of(x).reshape(-1)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes.")
    for by, along in zip(shifts, axes, strict=True):
        along = one_axis("roll", along, out.ndim)
        start = -by % max(out.shape[along], 1)
        place = (slice(None),) * along
        out = cat(
            [out.sliced((*place, slice(start, None))), out.sliced((*place, slice(0, start)))], along
        )
    out = out.reshape(x.shape)
    return out, lambda g, out: (roll(g, tuple(-by for by in shifts), axis),)
