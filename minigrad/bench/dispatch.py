"""What it costs to reach a kernel, apart from the kernel: `add` of one element, called in each way.

Nothing here is compared or gated: a call of one element is all door and no work.
"""

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import native
from minigrad.bench import baselines, clock
from minigrad.bench.limits import LIBRARIES, aligned
from minigrad.bench.workload import Ndarray
from minigrad.kernels import REFERENCE, build, entries, loading, lookup

SOURCE = Path("csrc/bench/bare.cpp")


def measure(library: Path, calls: int = 2000, tries: int = 9) -> dict[str, float]:
    """{way of calling: seconds a call}, the best of `tries`. Which ways there are depends on what
    is built and installed.

    library: the file with our kernels

    Raises native.NativeMissing if they were built from other headers, build.CompileError.
    """
    x, y, out = (aligned(1) for _ in range(3))
    x[:], y[:] = 2.5, 4.25
    ways: dict[str, Callable[[], object]] = {}
    steps = [k.step for k in entries("add") if (k.backend, k.owner) == ("cpp", REFERENCE)]
    found: dict[str, float] = {}
    if steps:
        kernel: Any = lookup("add", backend="cpp", step=steps[-1])
        run = _bare(library, steps[-1], (x, y, out))
        found["a kernel in C++"] = min(_seconds(run, calls) for _ in range(tries)) / calls
        ways["a kernel bound, from Python"] = kernel.bind(x, y, out)
        ways["a kernel called from Python"] = lambda: kernel(x, y, out)
    ways["an op of the engine you read"] = _engine()
    ways["numpy, out="] = lambda: np.add(x, y, out=out)
    if not baselines.torch_missing():
        ways["torch, out="] = _torch(x, y, out)
    for name, call in ways.items():
        out[0] = np.nan
        call()
        again = [call] * calls
        found[name] = min(_loop(again) for _ in range(tries)) / calls
    return found


def _engine() -> Callable[[], object]:
    import minigrad

    x, y = minigrad.tensor([2.5]), minigrad.tensor([4.25])
    return lambda: x + y


def _torch(x: Ndarray, y: Ndarray, out: Ndarray) -> Callable[[], object]:
    import torch

    left, right, sum_ = (torch.from_numpy(a) for a in (x, y, out))
    return lambda: torch.add(left, right, out=sum_)


def _loop(calls: list[Callable[[], object]]) -> float:
    start = clock.process_seconds()
    for call in calls:
        call()
    return clock.process_seconds() - start


def _seconds(run: Callable[[int], None], calls: int) -> float:
    start = clock.process_seconds()
    run(calls)
    return clock.process_seconds() - start


def _bare(library: Path, step: int, arrays: tuple[Ndarray, ...]) -> Callable[[int], None]:
    root = native.checkout()
    built = build.library(
        root / SOURCE, loading.isa(), root / loading.HEADERS, root / LIBRARIES, ("-ldl",)
    )
    function = ctypes.CDLL(str(built)).bare_add
    function.argtypes = [ctypes.c_char_p, ctypes.c_int, *[ctypes.c_void_p] * 3,
                         ctypes.c_int64, ctypes.c_int64]  # fmt: skip
    pointers = [a.ctypes.data for a in arrays]

    def run(repeats: int) -> None:
        ending = function(str(library).encode(), step, *pointers, 1, repeats)
        if ending:
            raise native.NativeMissing(
                f"{library.name} was built from other headers than these: run {native.COMMAND}."
            )

    return run
