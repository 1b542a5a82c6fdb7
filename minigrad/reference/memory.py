"""Where every byte of every Array comes from: one slot, `allocate`, which chapter 12 fills.

Until then NumPy hands the memory out, and Python's reference counts hand it back.
"""

import contextlib
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Buffer = np.ndarray[Any, Any]

# Time, for what has an order and no length: every call gives a later number.
tick = itertools.count(1).__next__


def nothing() -> None:
    """What a memory without a leaf answers."""


class Version:
    """What happened to a piece of memory, shared by every Array that reads it.

    born       when it was first described
    changed    when it was last written to in place; 0 for never
    rewritten  the same, counting only what a tape recorded (chapter 4)
    leaf       gives the leaf that lives in it, if one does: its numbers no recorded op may change
    """

    __slots__ = ("born", "changed", "leaf", "rewritten")

    def __init__(self) -> None:
        self.born, self.changed, self.rewritten = tick(), 0, 0
        self.leaf: Callable[[], object] = nothing


def fresh(nbytes: int) -> Buffer:
    """New memory from NumPy, not yet written to."""
    return np.empty(nbytes, dtype=np.uint8)


class Slot:
    """Holds the function that hands out memory: from a number of bytes to a 1-D uint8 ndarray."""

    function: Callable[[int], Buffer] = staticmethod(fresh)


def allocate(nbytes: int) -> Buffer:
    """A 1-D uint8 ndarray of `nbytes` bytes with whatever was in them.

    Raises MemoryError in plain words where the machine has no such room.
    """
    try:
        return Slot.function(nbytes)
    except MemoryError:
        gib = nbytes / 2**30
        raise MemoryError(f"allocate: no room for {nbytes} bytes ({gib:,.1f} GiB).") from None


class Count:
    """What was allocated while `counting` ran: how often, how many bytes, and what still lives."""

    def __init__(self) -> None:
        self.calls = 0
        self.nbytes = 0
        self._given: list[weakref.ref[Buffer]] = []

    def add(self, buffer: Buffer) -> None:
        self.calls += 1
        self.nbytes += buffer.nbytes
        self._given.append(weakref.ref(buffer))

    @property
    def live(self) -> int:
        """How many of the buffers are still held by some Array."""
        return sum(ref() is not None for ref in self._given)

    @property
    def live_nbytes(self) -> int:
        """The bytes of those."""
        return sum(b.nbytes for ref in self._given if (b := ref()) is not None)


@contextlib.contextmanager
def counting() -> Iterator[Count]:
    """Count what is allocated inside; the Count can be read afterwards too."""
    count, before = Count(), Slot.function

    def counted(nbytes: int) -> Buffer:
        buffer = before(nbytes)
        count.add(buffer)
        return buffer

    Slot.function = staticmethod(counted)
    try:
        yield count
    finally:
        Slot.function = staticmethod(before)
