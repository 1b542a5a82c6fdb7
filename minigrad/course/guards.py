"""Calls of kernels for the chapters' tests, with arrays that lie between guards: a write outside of
them, an input that was changed and a number that nobody wrote are told as what they are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.expect import Mismatch, describe

Array = np.ndarray[Any, Any]
BAND = 64  # elements before and behind an array
# Bytes that stand around an output: a number no kernel writes.
AROUND = 0xA5
# A NaN of its own, so that it is known again.
UNWRITTEN = {"float32": 0x7FC0_5EED, "float64": 0x7FF8_0000_0000_5EED}


def poison(dtype: np.dtype[Any]) -> Any:
    """What an array holds before somebody writes it: a number that no test expects."""
    if dtype.kind == "f":
        bits = np.array(UNWRITTEN[dtype.name], f"u{dtype.itemsize}")
        return bits.view(dtype)[()]
    return dtype.type({"i": -(2**62) + 7, "b": True}[dtype.kind])


class Guarded:
    """An array of `shape` full of poison, between two bands that nothing may touch.

    turned  it lies in memory column by column
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, turned: bool = False) -> None:
        count, kind = int(np.prod(shape)), np.dtype(dtype)
        band = BAND * kind.itemsize
        self.memory = np.full(count * kind.itemsize + 2 * band, AROUND, np.uint8)
        inside = self.memory[band : band + count * kind.itemsize].view(kind)
        inside[...] = poison(kind)
        self.array: Array = (
            inside.reshape(shape[::-1]).transpose() if turned else inside.reshape(shape)
        )

    def outside(self) -> str | None:
        """Where something was written outside of the array, in words; None if nothing was."""
        touched = (self.memory != AROUND).reshape(-1, self.array.itemsize).any(axis=1)
        before, behind = np.flatnonzero(touched[:BAND]), np.flatnonzero(touched[-BAND:])
        if behind.size:
            return f"a write {behind[0] + 1} past its end{_more(behind.size)}"
        if before.size:
            return f"a write {BAND - before[-1]} before its start{_more(before.size)}"
        return None

    def unwritten(self) -> str | None:
        """Which element holds what stood there before, in words; None if none is known to."""
        if self.array.dtype.kind == "b":
            return None
        whole = np.ascontiguousarray(self.array)
        bits = f"u{whole.itemsize}"
        old = whole.view(bits) == np.asarray(poison(whole.dtype)).view(bits)
        if not old.any():
            return None
        index = ", ".join(str(int(i)) for i in np.argwhere(old)[0])
        return f"out[{index}] holds what stood there before; {old.sum()} of {old.size} elements do"


def _more(count: int) -> str:
    return f"; {count} elements there are changed" if count > 1 else ""


def guarded(x: Array) -> Array:
    """x again in memory that is NaN before and behind it, so that reading past its end shows."""
    kind = {"f": np.nan, "i": -(2**62) + 11, "b": True}[x.dtype.kind]
    memory = np.full(x.size + 2 * BAND, kind, x.dtype)
    made = memory[BAND : BAND + x.size].reshape(x.shape)
    made[...] = x
    return made


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

    Raises Mismatch if the kernel writes outside of its output, leaves some of it as it was, or
    changes an input.
    """
    given = [guarded(x) if x.flags.c_contiguous else x for x in inputs]
    kept = [x.copy() for x in given]
    out = Guarded(shape, inputs[0].dtype if dtype is None else dtype, turned)
    kernel(*given, out.array, *numbers)
    shown = {f"input {k}": describe(x) for k, x in enumerate(inputs, start=1)}
    shown["out"] = f"{shape} {out.array.dtype}"
    changed = (
        f"input {k}: {_first(x, before)}"
        for k, (x, before) in enumerate(zip(given, kept, strict=True), start=1)
        if x.tobytes() != before.tobytes()
    )
    for sentence, note in (
        ("a kernel writes inside out, nowhere else", out.outside()),
        ("a kernel leaves its inputs as they are", next(changed, None)),
        ("a kernel writes every element of out, whatever stood there", out.unwritten()),
    ):
        if note is not None:
            raise Mismatch(sentence, got="no", expected="yes", inputs=shown, detail=note)
    return out.array


def _first(x: Array, before: Array) -> str:
    same = (x == before) | ((x != x) & (before != before))
    index = tuple(int(i) for i in np.argwhere(~same)[0]) if not same.all() else (0,) * x.ndim
    return f"[{', '.join(map(str, index))}] is {x[index]}, it was {before[index]}"
