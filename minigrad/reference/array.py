"""Array: a flat buffer, and how to read it (shape, strides, offset).

Any number of Arrays may read one buffer: reshaping, transposing, slicing and repeating make new
ways to read it and copy nothing. Strides and offset count elements; bytes appear at NumPy's border.
"""

from collections.abc import Iterable
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from minigrad.dtypes import NAMES, DType, as_dtype, float32
from minigrad.reference import indexing, strides
from minigrad.reference.memory import Version, allocate, tick
from minigrad.reference.operators import Operators, unpacked
from minigrad.reference.shapes import (
    AxisError,
    as_shape,
    broadcast_shapes,
    check_device,
    check_expandable,
    normalise_axis,
    reshape_target,
)
from minigrad.reference.strides import Ints

__all__ = ["Array", "AxisError", "broadcast_shapes", "empty", "normalise_axis"]

_FROM_NUMPY = {d.numpy: d for d in NAMES.values()}


class Array(Operators):
    """Numbers of one dtype, seen along any number of axes.

    buffer   1-D ndarray that owns the memory, or stands for who does
    shape    size of each axis
    strides  elements to step in the buffer for one step along each axis
    offset   where in the buffer element [0, 0, ...] stands
    version  when the buffer was last changed; its views share it
    """

    __slots__ = ("__weakref__", "buffer", "offset", "shape", "strides", "version")
    __array_ufunc__ = None  # so that NumPy leaves ndarray * Array to the operators of Array

    def __init__(
        self,
        buffer: np.ndarray[Any, Any],
        shape: Ints,
        strides: Ints,
        offset: int = 0,
        version: Version | None = None,
    ) -> None:
        self.buffer, self.shape, self.strides, self.offset = buffer, shape, strides, offset
        self.version = Version() if version is None else version

    @property
    def dtype(self) -> DType:
        return _FROM_NUMPY[self.buffer.dtype]

    @property
    def device(self) -> str:
        return "numpy"

    @property
    def engine(self) -> ModuleType:
        """The module that holds every op for this kind of array."""
        from minigrad.reference import engine  # which needs Array

        return engine

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        return int(self.buffer.itemsize)

    @property
    def nbytes(self) -> int:
        """The bytes of its elements; a repeated element counts each time, as in NumPy."""
        return self.size * self.itemsize

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are neighbours in the buffer, in row-major order."""
        return strides.is_contiguous(self.shape, self.strides)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The same memory as an ndarray. What is written through it no version counts."""
        itemsize = self.buffer.itemsize
        return np.ndarray(
            self.shape,
            self.buffer.dtype,
            self.buffer,
            self.offset * itemsize,
            tuple([s * itemsize for s in self.strides]),
        )

    # views: new shape, strides and offset over the same buffer

    def view_of(self, shape: Ints, strides: Ints, offset: int) -> "Array":
        """Another way to read the same buffer; nothing is checked."""
        return Array(self.buffer, shape, strides, offset, self.version)

    def reshape(self, *shape: Any) -> "Array":
        """The same elements in row-major order under another shape (one size may be -1): a view
        where strides can express it, else a compact copy.
        """
        target = reshape_target(self.shape, as_shape("reshape", unpacked(shape), unknown=True))
        if 0 in target:
            return self.view_of(target, strides.contiguous_strides(target), self.offset)
        new = strides.reshaped_strides(self.shape, self.strides, target)
        if new is not None:
            return self.view_of(target, new, self.offset)
        return self.compact().reshape(target)

    def permute_dims(self, *axes: Any) -> "Array":
        """The axes in a new order; every axis is named once. x.permute_dims(0, 2, 1)"""
        order = normalise_axis("permute_dims", unpacked(axes), self.ndim)
        if len(order) != self.ndim:
            raise ValueError(
                f"permute_dims: {self.ndim} axes, but {len(order)} are named: {order}."
            )
        return self.view_of(*strides.permuted(self.shape, self.strides, order), self.offset)

    def matrix_transpose(self) -> "Array":
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError(f"matrix_transpose: needs two axes or more, got shape {self.shape}.")
        return self.permute_dims(*range(self.ndim - 2), -1, -2)

    def expand(self, *shape: Any) -> "Array":
        """Repeated to a larger shape, without a copy: axes of size 1 and new axes in front."""
        target = as_shape("expand", unpacked(shape))
        check_expandable("expand", self.shape, target)
        new = strides.expanded_strides(self.shape, self.strides, target)
        return self.view_of(target, new, self.offset)

    def squeeze(self, axis: int | Iterable[int] | None = None) -> "Array":
        """Without these axes, which must have size 1; None: without all axes of size 1."""
        if axis is None:
            axis = tuple(a for a, n in enumerate(self.shape) if n == 1)
        gone = normalise_axis("squeeze", axis, self.ndim)
        for a in gone:
            if self.shape[a] != 1:
                raise ValueError(f"squeeze: axis {a} has size {self.shape[a]}, not 1.")
        kept = [a for a in range(self.ndim) if a not in gone]
        shape = tuple(self.shape[a] for a in kept)
        return self.view_of(shape, tuple(self.strides[a] for a in kept), self.offset)

    def unsqueeze(self, axis: int | Iterable[int]) -> "Array":
        """With new axes of size 1, at these places of the result."""
        count = len(tuple(axis)) if isinstance(axis, Iterable) else 1
        new = normalise_axis("unsqueeze", axis, self.ndim + count)
        rest = iter(range(self.ndim))
        sources = [None if a in new else next(rest) for a in range(self.ndim + count)]
        shape = tuple(1 if s is None else self.shape[s] for s in sources)
        steps = tuple(0 if s is None else self.strides[s] for s in sources)
        return self.view_of(shape, steps, self.offset)

    def flip(self, axis: int | Iterable[int] | None = None) -> "Array":
        """Read backwards along these axes; None: along all."""
        turned = normalise_axis("flip", axis, self.ndim)
        back = slice(None, None, -1)
        return self.sliced(tuple(back if a in turned else slice(None) for a in range(self.ndim)))

    def sliced(self, index: object) -> "Array":
        """The view that ints, slices, None and `...` make. Raises IndexError for other indices."""
        parts = indexing.parse(index, self.shape)
        if not indexing.is_basic(parts):
            raise IndexError("sliced: integer arrays and masks make no view.")
        return self.view_of(*indexing.window(parts, self.shape, self.strides, self.offset))

    # copies

    def compact(self) -> "Array":
        """The array itself if it is contiguous, else a copy that is."""
        return self if self.is_contiguous else self.copy()

    def copy(self) -> "Array":
        """The same elements in new memory, contiguous."""
        out = room(self.shape, self.dtype)
        out.buffer[:] = strides.gathered(self.buffer, self.shape, self.strides, self.offset)
        return out

    def astype(self, dtype: object) -> "Array":
        """A copy in another dtype: towards int cuts off the fraction, bool is "not zero"."""
        out = room(self.shape, as_dtype(dtype))
        with np.errstate(all="ignore"):
            np.copyto(out.numpy(), self.numpy(), casting="unsafe")
        return out

    def to(self, device: str) -> "Array":
        """The array on a device: itself, until there is another device."""
        check_device("to", device)
        return self

    def __setitem__(self, index: object, value: object) -> None:
        """Overwrite x[index]; value is cast and broadcast to it. All views of the memory see it."""
        from minigrad.reference.creation import asarray  # which needs Array

        parts = indexing.parse(index, self.shape)
        given = asarray(value).numpy()
        here = self.numpy()
        if not here.flags.writeable:
            raise ValueError("setitem: the memory of this array is read-only.")
        place = here[(*parts, Ellipsis)]  # with arrays in the index a copy, good for its shape
        written = place if indexing.is_basic(parts) else here
        repeated = [n > 1 and s == 0 for n, s in zip(written.shape, written.strides, strict=True)]
        if any(repeated) and place.size:
            raise ValueError(
                "setitem: this would write several values to one repeated element; copy() first."
            )
        while given.ndim > place.ndim and given.shape[0] == 1:
            given = given[0]
        check_expandable("setitem", given.shape, place.shape)
        with np.errstate(all="ignore"):
            here[parts] = given
        self.version.changed = tick()

    def __repr__(self) -> str:
        body = np.array2string(self.numpy(), separator=", ", prefix="Array(")
        tail = f"shape={self.shape}, dtype={self.dtype})"
        width = np.get_printoptions()["linewidth"]
        room = width - len(body.rsplit("\n", 1)[-1]) - len("Array(, ") * ("\n" not in body)
        return f"Array({body}," + (" " if len(tail) <= room else "\n      ") + tail


def empty(shape: int | Iterable[int], dtype: object = float32, device: object = None) -> Array:
    """An Array whose elements are whatever was in the memory. Raises ValueError for a shape that
    no address can count, MemoryError where there is no room.
    """
    return blank("empty", shape, dtype, device)


def blank(name: str, shape: int | Iterable[int], dtype: object, device: object) -> Array:
    """empty, for a function that errors are to name."""
    check_device(name, device)
    return room(as_shape(name, shape), as_dtype(dtype))


def room(shape: Ints, dtype: DType) -> Array:
    """empty, of a shape that is known to be one: nothing is checked."""
    flat = allocate(prod(shape) * dtype.itemsize).view(dtype.numpy)
    return Array(flat, shape, strides.contiguous_strides(shape))
