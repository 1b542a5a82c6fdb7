"""Calls of kernels for the chapters' tests, with arrays that lie between guards: a write outside of
them, an input that was changed and a number that nobody wrote are told as what they are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.expect import Mismatch, describe

Array = np.ndarray[Any, Any]
BAND = 64  # elements before and behind an array
SHOWN = 4


def poison(dtype: np.dtype[Any]) -> Any:
    """What an array holds before somebody writes it: a number that no test expects."""
    return {"f": np.nan, "i": -(2**62) + 7, "b": True}[dtype.kind]


class Guarded:
    """An array of `shape` full of poison, between two bands of it that nothing may touch.

    turned  it lies in memory column by column
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, turned: bool = False) -> None:
        count = int(np.prod(shape))
        kind = np.dtype(dtype)
        self.memory = np.full(count + 2 * BAND, poison(kind), kind)
        self._before = self.memory.copy()
        inside = self.memory[BAND : BAND + count]
        self.array: Array = inside.reshape(shape[::-1]).transpose() if turned else inside.reshape(shape)

    def outside(self) -> str | None:
        """Where something was written outside of the array, in words; None if nothing was."""
        one, other = self.memory.view(np.uint8), self._before.view(np.uint8)
        size = self.memory.itemsize
        touched = (one != other).reshape(-1, size).any(axis=1)
        before = np.flatnonzero(touched[:BAND])
        behind = np.flatnonzero(touched[-BAND:])
        if behind.size:
            return f"{_places(behind.size)} from {behind[0] + 1} past the end"
        if before.size:
            return f"{_places(before.size)} up to {BAND - before[-1]} before the start"
        return None


def _places(count: int) -> str:
    return f"{count} place{'s' * (count > 1)}"


def guarded(x: Array) -> Array:
    """x again between guards that hold poison, so that what is read past its end shows."""
    made = Guarded(x.shape, x.dtype)
    made.array[...] = x
    return made.array


def call(
    kernel: Callable[..., None],
    *inputs: Array,
    shape: tuple[int, ...],
    dtype: Any = None,
    numbers: tuple[float, ...] = (),
    turned: bool = False,
) -> Array:
    """What `kernel` writes when it is given `inputs`, an output of `shape`, and `numbers`.

    inputs  as they are, views included; a contiguous one is copied between guards
    dtype   of the output; by default that of the first input
    turned  the output lies in memory column by column

    Raises Mismatch if the kernel writes outside of its output or changes an input.
    """
    given = [guarded(x) if x.flags.c_contiguous else x for x in inputs]
    kept = [x.copy() for x in given]
    out = Guarded(shape, inputs[0].dtype if dtype is None else dtype, turned)
    kernel(*given, out.array, *numbers)
    shown = {f"input {k}": describe(x) for k, x in enumerate(inputs, start=1)}
    shown["out"] = f"{shape} {out.array.dtype}"
    where = out.outside()
    if where is not None:
        raise Mismatch(
            "what is written stays inside out",
            got=f"a write to {where} of out",
            expected=f"writes to its {out.array.size} elements alone",
            inputs=shown,
        )
    for number, (x, before) in enumerate(zip(given, kept, strict=True), start=1):
        if x.tobytes() != before.tobytes():
            raise Mismatch(
                "a kernel leaves its inputs as they are",
                got=f"input {number} changed, {_first(x, before)}",
                expected="the same bytes as before",
                inputs=shown,
            )
    return out.array


def _first(x: Array, before: Array) -> str:
    index = tuple(int(i) for i in np.argwhere(~((x == before) | ((x != x) & (before != before))))[0])
    return f"first at [{', '.join(map(str, index))}]: {x[index]} where {before[index]} stood"
