"""Fresh numbers for every call, and memory in which nothing is left of the last one.

Drawing millions of random numbers takes longer than many a kernel. So a pool is drawn once in a
run, and every array is filled from another place of it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from minigrad.bench.limits import aligned
from minigrad.bench.workload import Array, Named, Ndarray, Role, Workload

ROOM = 1 << 16  # places from which an array can be filled


class Pool:
    """Random numbers of every kind that is asked for; never the same for two runs."""

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)
        self._drawn: dict[tuple[str | int, str], Ndarray] = {}

    def draw(self, array: Array, dtype: str) -> Ndarray:
        """Numbers for an array, as memory has them: in its shape, not to be written to."""
        key = (array.numbers, array.dtype(dtype))
        pool = self._drawn.get(key)
        if pool is None or pool.size < array.size + ROOM:
            pool = self._drawn[key] = self._new(*key, array.size + ROOM)
        start = int(self._rng.integers(pool.size - array.size + 1))
        return pool[start : start + array.size].reshape(array.shape)

    def shuffled(self, count: int) -> list[int]:
        """The numbers below `count` in a random order."""
        return [int(i) for i in self._rng.permutation(count)]

    def _new(self, numbers: str | int, dtype: str, count: int) -> Ndarray:
        if isinstance(numbers, int):
            drawn = self._rng.integers(numbers, size=count).astype(dtype)
        else:
            drawn = self._rng.standard_normal(count, dtype=np.float32).astype(dtype)
            drawn = np.abs(drawn) if numbers == "positive" else drawn
        drawn.flags.writeable = False
        return drawn


def memory(workload: Workload) -> dict[str, Ndarray]:
    """Memory for a workload's arrays, each at an address that 64 divides."""
    arrays = {}
    for array in workload.arrays:
        room = aligned(array.size, array.dtype(workload.dtype))
        if array.transposed:
            *front, rows, cols = array.shape
            arrays[array.name] = room.reshape(*front, cols, rows).swapaxes(-1, -2)
        else:
            arrays[array.name] = room.reshape(array.shape)
    return arrays


def fill(workload: Workload, arrays: Named, given: Mapping[str, Ndarray]) -> None:
    """Give inputs and state their numbers; all else becomes NaN, or the least whole number."""
    for array in workload.arrays:
        room = arrays[array.name]
        if array.role is not Role.WRITTEN:
            np.copyto(room, given[array.name])
        else:
            room.fill(poison(room.dtype))


def poison(dtype: np.dtype[Any]) -> Any:
    return np.nan if dtype.kind == "f" else np.iinfo(dtype).min
