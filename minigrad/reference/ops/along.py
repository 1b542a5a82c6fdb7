"""Kernels that work on the last axis, run along any other: the axes change places in the view."""

from collections.abc import Iterable
from typing import Any

from minigrad.dtypes import DType
from minigrad.reference.array import Array, empty, normalise_axis
from minigrad.reference.op import array_of, kernel
from minigrad.reference.strides import Ints


def along(
    axis: int, name: str, x: Any, *others: Any, shape: Ints, dtype: DType | None = None
) -> Array:
    """Run a kernel of the last axis along `axis` (0 or more). Without a copy: it sees views.

    All arrays and the result, a new Array of `shape`, have that axis; dtype is that of x if not
    given.
    """
    out = empty(shape, dtype=x.dtype if dtype is None else dtype, device=x.device)
    kernel(name, *(last(a, axis) for a in (x, *others)), out=last(out, axis))
    return out


def last(x: Any, axis: int) -> Array:
    """A view of x whose last axis is `axis`; the others keep their order."""
    order = [a for a in range(x.ndim) if a != axis]
    return array_of(x).permute_dims(*order, axis)


def one_axis(name: str, axis: Any, ndim: int) -> int:
    """The one axis meant, 0 or more. Raises TypeError for None or several, AxisError for one that
    is not there.
    """
    if axis is None or isinstance(axis, Iterable):
        raise TypeError(f"{name}: axis is one int, got {axis!r}.")
    return normalise_axis(name, axis, ndim)[0]
