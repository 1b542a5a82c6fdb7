"""Our side: the kernels of the table, each step of a ladder a contestant of its own.

They are called through `bind`, which checks arrays and arguments once: what is timed is the kernel.
What the door costs is reported apart (dispatch.py).
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import native
from minigrad.bench.workload import Call, Contestant, Missing, Named, Ndarray, Workload, numbered
from minigrad.kernels import REFERENCE, entries, loading, lookup
from minigrad.kernels.signatures import Signature, signatures

BACKEND = "cpp"
# Ops whose `out` is handed over expanded to the shape of x, with stride 0 where it is reduced.
REDUCED = frozenset(("sum", "mean", "prod", "max", "min", "any", "all", "argmax", "argmin"))


def contestants(
    workload: Workload, backend: str = BACKEND, owner: str = REFERENCE
) -> tuple[list[Contestant], list[Missing]]:
    """A contestant for each step of the workload's first op; what is missing, by name."""
    lacking = [op for op in workload.ops if not _steps(op, backend, owner)]
    if lacking:
        why = f"no kernel {', '.join(lacking)} on {backend} yet"
        return [], [Missing(workload.name, backend, why)]
    declared = signatures(native.checkout() / loading.HEADERS / "minigrad" / "ops.def")
    names = {a.name.partition(".")[0] for a in workload.arrays} | set(workload.numbers)
    for op in workload.ops:
        unknown = [n for n in declared[op].names if n not in names]
        if unknown:
            why = f"{declared[op]} takes {', '.join(unknown)}, which the workload does not have"
            return [], [Missing(workload.name, backend, why)]
    steps = [s for s in _steps(workload.ops[0], backend, owner) if s >= workload.at_least]
    chosen = [declared[op] for op in workload.ops]
    return [
        Contestant(step_name(workload.ops[0], s), _binder(chosen, s, backend, owner), one_thread,
                   ours=True)
        for s in steps
    ], []  # fmt: skip


def _steps(op: str, backend: str, owner: str) -> list[int]:
    return [k.step for k in entries(op) if (k.backend, k.owner) == (backend, owner)]


def step_name(op: str, step: int) -> str:
    """4_packed: the name of the file that the step stands in; "step 4" outside a checkout."""
    ladders = sorted((native.checkout() / "csrc" / "cpu").iterdir())
    pattern = re.compile(rf"op::{op}\b")
    for ladder in ladders:
        for file in sorted(ladder.glob(f"{step}_*.cpp")):
            if pattern.search(file.read_text(encoding="utf-8")):
                return file.stem
    return f"step {step}"


def _binder(
    ops: list[Signature], step: int, backend: str, owner: str
) -> Callable[[Workload, Named], Call]:
    kernels = []
    for signature in ops:
        there = [s for s in _steps(signature.op, backend, owner) if s <= step]
        there = there or _steps(signature.op, backend, owner)[:1]
        kernels.append(lookup(signature.op, backend=backend, step=there[-1], owner=owner))

    def bind(workload: Workload, arrays: Named) -> Call:
        calls = [
            _bound(kernel, arguments(signature, arrays, workload.numbers))
            for kernel, signature in zip(kernels, ops, strict=True)
        ]
        return calls[0] if len(calls) == 1 else in_turn(calls)

    return bind


def _bound(kernel: Any, given: list[Any]) -> Call:
    bound: Call = kernel.bind(*given) if hasattr(kernel, "bind") else lambda: kernel(*given)
    return bound


def arguments(signature: Signature, arrays: Named, numbers: Mapping[str, float]) -> list[Any]:
    """What a kernel of this op is handed, in order."""
    given: list[Any] = [
        arrays[name] if name in arrays else numbered(arrays, name) or numbers[name]
        for name in signature.names
    ]
    if signature.op in REDUCED:
        given[1] = expanded(given[1], given[0].shape)
    return given


def expanded(out: Ndarray, shape: tuple[int, ...]) -> Ndarray:
    """`out` as large as `shape`: the axes that it lacks at the end have stride 0."""
    strides = out.strides + (0,) * (len(shape) - out.ndim)
    return np.lib.stride_tricks.as_strided(out, shape, strides)


def in_turn(calls: list[Call]) -> Call:
    first, *rest = calls

    def run() -> None:
        first()
        for call in rest:
            call()

    return run


def threaded(name: str) -> bool:
    """Whether a step, by its name, can compute on more than one thread."""
    return name.endswith("_threads")


def one_thread() -> dict[str, object]:
    """Kernels of chapters 08 and 09 know no threads, and no maths but that of their dtype."""
    return {"threads": 1, "dtype": "float32", "maths": "IEEE"}


def load() -> Path:
    """Enter the kernels that were built, and give their library. Raises native.NativeMissing."""
    loading.load_built()
    return native.library(f"kernels_{loading.isa().name}")
