"""Checks of shapes and axes, each with its error in words. A message opens with the op's name."""

import operator
from collections.abc import Iterable
from math import prod
from typing import Any

LARGEST = 2**63 - 1  # an address is a signed 64-bit number

DEVICES = {"cpu": 13, "cudasim": 15, "cuda": 15}  # and the chapters that bring them


class AxisError(ValueError, IndexError):
    """An axis that the array does not have, or that is given twice."""


def broadcast_shapes(op: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all of `shapes` can be expanded to. Raises ValueError if there is none."""
    first, *rest = shapes
    for shape in rest:
        if shape == first:
            continue
        ndim = max(len(first), len(shape))
        a, b = ((1,) * (ndim - len(s)) + tuple(s) for s in (first, shape))
        for axis, (m, n) in enumerate(zip(a, b, strict=True)):
            if m != n and 1 not in (m, n):
                raise ValueError(
                    f"{op}: shapes {first} and {shape} cannot be broadcast: "
                    f"axis {axis - ndim} is {m} and {n}."
                )
        first = tuple(n if m == 1 else m for m, n in zip(a, b, strict=True))
    return first


def check_expandable(op: str, shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Raise ValueError unless an array of `shape` can be repeated to `target`."""
    if len(target) < len(shape):
        raise ValueError(f"{op}: shape {shape} has more axes than {target}.")
    for axis in range(-len(shape), 0):
        if shape[axis] not in (1, target[axis]):
            raise ValueError(
                f"{op}: shape {shape} cannot be expanded to {target}: axis {axis} has size "
                f"{shape[axis]}, and only size 1 can become {target[axis]}."
            )


def normalise_axis(op: str, axis: int | Iterable[int] | None, ndim: int) -> tuple[int, ...]:
    """The axes meant, each within 0 .. ndim-1, in the order given; None means all.

    Raises AxisError for an axis that is not there or given twice, TypeError for what is no int.
    """
    if axis is None:
        return tuple(range(ndim))
    # A 0-d array is an index, although it is iterable in name.
    several = isinstance(axis, Iterable) and getattr(axis, "ndim", 1) > 0
    given: tuple[Any, ...] = tuple(axis) if several else (axis,)  # type: ignore[arg-type]
    found: list[int] = []
    for a in given:
        try:
            a = operator.index(a)
        except TypeError:
            raise TypeError(f"{op}: an axis is an int, got {a!r}.") from None
        if not -ndim <= a < ndim:
            raise AxisError(f"{op}: axis {a} is out of range for an array with {ndim} axes.")
        if a % ndim in found:
            raise AxisError(f"{op}: axis {a % ndim} is given twice.")
        found.append(a % ndim)
    return tuple(found)


def as_shape(op: str, given: int | Iterable[int], unknown: bool = False) -> tuple[int, ...]:
    """A shape from an int or ints. Raises for what is no int, is below 0 (-1 is let through if
    `unknown`), or has more elements than an address can count.
    """
    try:
        sizes = given if isinstance(given, tuple | Iterable) else (given,)
        shape = tuple([operator.index(n) for n in sizes])
    except TypeError:
        raise TypeError(f"{op}: a shape is an int or a tuple of ints, got {given!r}.") from None
    if min(shape, default=0) < (-1 if unknown else 0):
        raise ValueError(f"{op}: shape {shape} has a size below 0.")
    # zeros aside, so that (0, 2**40, 2**40) is an error too: its strides would overflow
    if prod([n for n in shape if n > 0]) * 8 > LARGEST:
        raise ValueError(f"{op}: shape {shape} has more elements than a 64-bit address can count.")
    return shape


def reshape_target(shape: tuple[int, ...], given: tuple[int, ...]) -> tuple[int, ...]:
    """`given` with its one -1 filled in. Raises ValueError where the sizes cannot agree."""
    if given.count(-1) > 1:
        raise ValueError(f"reshape: {given} has more than one -1: only one size can be left open.")
    known = prod(n for n in given if n != -1)
    size = prod(shape)
    if -1 in given:
        if known == 0 or size % known:
            raise ValueError(
                f"reshape: {size} elements of shape {shape} cannot fill {given}: "
                f"no size for -1 gives {size}."
            )
        given = tuple(size // known if n == -1 else n for n in given)
    if prod(given) != size:
        raise ValueError(
            f"reshape: shape {shape} has {size} elements, but {given} has {prod(given)}."
        )
    return given


def check_device(op: str, device: object) -> str:
    """The device's name. Raises ValueError for one that is not there yet, naming its chapter."""
    if device is None or device == "numpy":
        return "numpy"
    if device in DEVICES:
        raise ValueError(f"{op}: device {device!r} comes with chapter {DEVICES[str(device)]}.")
    hint = " A shape is one argument: (2, 3)." if type(device) is int else ""
    raise ValueError(f"{op}: there is no device {device!r}; there is 'numpy'.{hint}")
