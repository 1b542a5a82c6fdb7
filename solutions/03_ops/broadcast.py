# cut from minigrad/reference/ops/broadcast.py
"""Repeating an array to a larger shape, and the way back: adding the repeats up."""

from math import nan
from typing import Any

from minigrad.dtypes import DType
from minigrad.reference.array import Array, empty
from minigrad.reference.op import Vjp, array_of, kernel, op
from minigrad.reference.shapes import as_shape, check_expandable


@op
def expand(x: Any, shape: tuple[int, ...]) -> tuple[Array, Vjp]:
    """x repeated along new axes in front and along axes of size 1, without a copy.

    Raises ValueError if x cannot be repeated to `shape`.
    """
    return array_of(x).expand(shape), lambda g, out: (g,)  # fitted adds the repeats up


@op
def sum_to(x: Any, shape: tuple[int, ...]) -> tuple[Array, Vjp]:
    """Undo a broadcast: x added up over the axes along which `shape` was repeated.

    x: of a shape to which `shape` can be expanded -> an array of `shape`. Where one number was
    used several times, this is the gradient of that number.
    """
    shape = as_shape("sum_to", shape)
    check_expandable("sum_to", shape, x.shape)
    # <ex 3.2> which axes were repeated, their sum, and the gradient repeated again (7 lines)
    new = x.ndim - len(shape)  # broadcasting puts new axes in front
    axes = list(range(new))
    for axis, size in enumerate(shape, start=new):
        if size != x.shape[axis]:
            axes.append(axis)
    out = reduced("sum", x, tuple(axes)).reshape(shape)
    return out, lambda g, out: (expand(g, x.shape),)
    # </ex 3.2>


# What the reductions of no elements give; those that are not here have no answer.
IDENTITY = {"sum": 0, "prod": 1, "any": 0, "all": 1} | dict.fromkeys(("mean", "var", "std"), nan)


def reduced(
    name: str, x: Any, axes: tuple[int, ...], *numbers: float, dtype: DType | None = None
) -> Array:
    """Run a reducing kernel over `axes`, which stay in the result with size 1.

    The kernel sees a broadcast read backwards: `out` has the shape of x, and what it repeats
    (stride 0) is what the elements along that axis are gathered into.
    Raises ValueError where there is no element to reduce, and the kernel needs one.
    """
    out = empty(with_ones(x.shape, axes), x.dtype if dtype is None else dtype, x.device)
    if x.size:
        kernel(name, x, *numbers, out=out.expand(x.shape))
    elif out.size:
        if name not in IDENTITY:
            raise ValueError(f"{name}: shape {x.shape} has no element to choose.")
        out.buffer.fill(IDENTITY[name])
    return out


def with_ones(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with size 1 along these axes."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
