"""What is computed, as data: the arrays, the work that they ask for, who computes it, what it is
measured against. Nothing here computes or times anything.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import prod
from typing import Any

import numpy as np

Ndarray = np.ndarray[Any, Any]
Named = Mapping[str, Ndarray]
# Computes all that a workload writes, in float64, from the numbers before the call.
Reference = Callable[[Named], Mapping[str, Ndarray]]
# A call without arguments. It writes its arrays, and gives nothing; or gives {name: array}.
Call = Callable[[], Any]


class Role(Enum):
    """What a call may do with an array."""

    READ = "read"
    WRITTEN = "written"  # every element, whatever was there
    STATE = "state"  # read and written


@dataclass(frozen=True)
class Array:
    """An array of a workload.

    numbers     "normal", "positive" (sizes of normal numbers), or how many classes: whole numbers
    transposed  it lies in memory with its last two axes exchanged
    moved       whether the work asks for it to go through memory (not: an intermediate)
    """

    name: str
    shape: tuple[int, ...]
    role: Role = Role.READ
    numbers: str | int = "normal"
    transposed: bool = False
    moved: bool = True

    @property
    def size(self) -> int:
        return prod(self.shape)

    def dtype(self, floating: str) -> str:
        return "int64" if isinstance(self.numbers, int) else floating


@dataclass(frozen=True)
class Gate:
    """What a ratio must reach, and what it aims at.

    against  the contestant that it is a ratio to: "torch", or a step of the ladder ("1_naive")
    step     whose ratio: the name of one of our contestants; "" is the best of them
    family   gates of one family hold for the geometric mean of its workloads
    floor    what each of a family must reach by itself
    """

    against: str
    gate: float
    goal: float | None = None
    step: str = ""
    family: str = ""
    floor: float = 1.0


@dataclass(frozen=True)
class Workload:
    """An op with its sizes.

    op     the kernels that do it, one after the other
    flops  operations on floats that no way of computing it can do without
    bound  how far an element may be off (refusals.wrong_result)
    """

    name: str
    ops: tuple[str, ...]
    arrays: tuple[Array, ...]
    flops: float
    reference: Reference
    bound: float
    numbers: Mapping[str, float] = field(default_factory=dict)
    dtype: str = "float32"
    baselines: tuple[str, ...] = ("numpy", "torch")
    gates: tuple[Gate, ...] = ()
    at_least: int = 1  # steps from here on are measured; what is below is too slow for this size

    @property
    def touched(self) -> int:
        """Bytes of all arrays together."""
        return sum(a.size * np.dtype(a.dtype(self.dtype)).itemsize for a in self.arrays)

    @property
    def moved(self) -> float:
        """Bytes that must be read or written at least once each."""
        return sum(
            a.size * np.dtype(a.dtype(self.dtype)).itemsize * (2 if a.role is Role.STATE else 1)
            for a in self.arrays
            if a.moved
        )

    @property
    def written(self) -> tuple[Array, ...]:
        return tuple(a for a in self.arrays if a.role is not Role.READ)


@dataclass(frozen=True)
class Contestant:
    """Somebody who computes a workload.

    bind        given the arrays, a call without arguments
    conditions  under which it runs, asked anew each time: threads, dtype, maths
    ours        whether it is ours; the others are baselines
    """

    name: str
    bind: Callable[[Workload, Named], Call]
    conditions: Callable[[], Mapping[str, object]]
    ours: bool = False


@dataclass(frozen=True)
class Missing:
    """A contestant that there is not, and what is lacking."""

    workload: str
    who: str
    why: str


def numbered(arrays: Named, name: str) -> list[Ndarray]:
    """[name.0, name.1, ...]: what a kernel for many arrays at once is given."""
    return [array for full, array in arrays.items() if full.rpartition(".")[0] == name]


def conditions_of(workload: Workload, threads: int) -> dict[str, object]:
    """What every contestant of a workload must run with."""
    return {"threads": threads, "dtype": workload.dtype, "maths": "IEEE"}


def matching(workloads: Sequence[Workload], pattern: str | None) -> list[Workload]:
    """Those whose name holds one of the parts of `pattern`, which commas divide; all without one.

    Raises LookupError if there is none.
    """
    parts = [p.strip() for p in (pattern or "").split(",") if p.strip()]
    found = [w for w in workloads if not parts or any(p in w.name for p in parts)]
    if not found:
        names = ", ".join(w.name for w in workloads)
        raise LookupError(f"--only {pattern}: no workload has that in its name; there are: {names}")
    return found
