"""What this machine can do at most, measured: the roof over every result.

csrc/bench/limits.cpp is compiled once for each instruction set; what it goes through is divided by
the process's CPU time, and the best of several tries counts.
"""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import native
from minigrad.bench import clock
from minigrad.kernels import build, isa, loading

SOURCE = Path("csrc/bench/limits.cpp")
LIBRARIES = Path("build/kernels")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
GUESSED = {"L1": 32 << 10, "L2": 512 << 10, "L3": 8 << 20}
ACCESSES = ("read", "write", "write_nontemporal", "triad")
DTYPES = ("float32", "float64")
MOST = 192 << 20  # bytes that stand for memory, far more than a cache holds


@dataclass(frozen=True)
class Limits:
    """What was measured on one thread.

    peak       {(instruction set, dtype): operations a second}
    bandwidth  {(level, access): bytes a second}, levels L1, L2, L3, DRAM
    caches     {level: bytes}
    isa        the set that kernels run on here
    measured   whether all this is from this machine, which can then be asked again
    """

    peak: dict[tuple[str, str], float] = field(default_factory=dict)
    bandwidth: dict[tuple[str, str], float] = field(default_factory=dict)
    caches: dict[str, int] = field(default_factory=dict)
    isa: str = "baseline"
    measured: bool = False

    def level(self, touched: int) -> str:
        """The fastest level that may still hold `touched` bytes, or the larger part of them."""
        return next((name for name, size in self.caches.items() if touched <= 2 * size), "DRAM")

    def best_peak(self, dtype: str) -> float:
        """Operations a second; a library may use a better instruction set than our kernels."""
        return max((v for (_, d), v in self.peak.items() if d == dtype), default=float("inf"))

    def best_bandwidth(self, level: str) -> float:
        """Bytes a second, by whichever way of walking through them is fastest."""
        found = [v for (name, _), v in self.bandwidth.items() if name == level]
        return max(found, default=float("inf"))

    def least_seconds(self, flops: float, moved: float, touched: int, dtype: str) -> float:
        """How long `flops` operations and `moved` bytes take at least, when the calls touch
        `touched` bytes again and again.
        """
        memory = moved / self.best_bandwidth(self.level(touched))
        return max(flops / self.best_peak(dtype), memory)

    def doubt(self, seconds: float, *work: Any) -> None:
        """If a call of `work` (as least_seconds takes it) was faster than it can be: measure all
        limits once more, and keep the higher ones. A neighbour may have been at memory before.
        """
        if self.measured and seconds < self.least_seconds(*work):
            again = measure()
            for mine, theirs in ((self.peak, again.peak), (self.bandwidth, again.bandwidth)):
                for key, value in theirs.items():
                    mine[key] = max(value, mine.get(key, 0.0))

    def why(self, flops: float, moved: float, touched: int, dtype: str) -> str:
        """The limit behind `least_seconds`, in words."""
        level = self.level(touched)
        peak, bandwidth = self.best_peak(dtype), self.best_bandwidth(level)
        if flops / peak >= moved / bandwidth:
            return f"{flops:.3g} operations at {peak / 1e9:.0f} GFLOP/s"
        return f"{moved:.3g} bytes at {bandwidth / 1e9:.0f} GB/s from {level}"

    def as_json(self) -> dict[str, Any]:
        """Nested by name, in GFLOP/s and GB/s."""
        content: dict[str, Any] = {"isa": self.isa, "threads": 1, "caches_bytes": dict(self.caches)}
        for title, table in (("gflops", self.peak), ("gbytes_per_s", self.bandwidth)):
            nested: dict[str, dict[str, float]] = {}
            for (outer, inner), value in table.items():
                nested.setdefault(outer, {})[inner] = round(value / 1e9, 2)
            content[title] = nested
        return content


def caches() -> dict[str, int]:
    """{level: bytes} of this processor's data caches; a guess where the system does not say."""
    found = {}
    for folder in sorted(CACHES.glob("index*")):
        try:
            kind, level, size = (
                (folder / name).read_text(encoding="ascii").strip()
                for name in ("type", "level", "size")
            )
        except OSError:
            continue
        units = {"K": 1 << 10, "M": 1 << 20}
        if kind != "Instruction" and size[-1] in units:
            found[f"L{level}"] = int(size[:-1]) * units[size[-1]]
    return dict(sorted({**GUESSED, **found}.items()))


def measure(seconds: float = 0.02, tries: int = 5) -> Limits:
    """Measure all limits: `tries` times about `seconds` for each.

    Raises native.NativeMissing, build.CompilerMissing, build.CompileError.
    """
    features = native.load().cpu_features()
    running = [i for i in isa.isas() if all(features.get(n, False) for n in i.needs)]
    peak, sizes = {}, caches()
    for one in running:
        library = _library(one)
        for dtype in DTYPES:
            operations = getattr(library, f"fma_{dtype}")
            peak[one.name, dtype] = _rate(operations, seconds, tries)
    library = _library(running[-1])
    bandwidth = {}
    for level in (*sizes, "DRAM"):
        for access in ACCESSES:
            if access == "write_nontemporal" and level != "DRAM":
                continue
            walk = getattr(library, access)
            rate = _rate(_walking(walk, *_room(level, sizes, access)), seconds, tries)
            if rate > 0:
                bandwidth[level, access] = rate
    return Limits(peak, bandwidth, sizes, loading.isa().name, measured=True)


def _room(level: str, sizes: dict[str, int], access: str) -> tuple[int, int]:
    """How many streams an access has, and their bytes: together they fill half a cache, or memory
    far beyond it.
    """
    streams = 3 if access == "triad" else 1
    whole = sizes[level] // 2 if level in sizes else min(MOST, 6 * max(sizes.values()))
    return streams, whole // streams // 4096 * 4096


def _walking(walk: Callable[..., int], count: int, size: int) -> Callable[[int], int]:
    streams = [aligned(size // 4) for _ in range(count)]
    for k, stream in enumerate(streams):
        stream[:] = 1.0 + k
    pointers = [streams[k % count].ctypes.data_as(ctypes.c_void_p) for k in range(3)]

    def run(repeats: int, kept: object = streams) -> int:
        return walk(*pointers, size // 4, repeats)

    return run


def aligned(count: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """`count` elements at an address that 64 divides, not yet written."""
    size = count * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype)


def _rate(run: Callable[[int], int], seconds: float, tries: int) -> float:
    """Best of `tries`: what `run(repeats)` says it went through, a second."""
    repeats, best = 1, 0.0
    while True:
        start = clock.process_seconds()
        done = run(repeats)
        took = clock.process_seconds() - start
        if done == 0:
            return 0.0
        if took >= seconds / 2 or repeats >= 1 << 40:
            break
        repeats *= 2
    for _ in range(tries):
        start = clock.process_seconds()
        done = run(repeats)
        best = max(best, done / (clock.process_seconds() - start))
    return best


def _library(one: isa.Isa) -> ctypes.CDLL:
    root = native.checkout()
    found = build.library(root / SOURCE, one, root / loading.HEADERS, root / LIBRARIES / one.name)
    library = ctypes.CDLL(str(found))
    for dtype in DTYPES:
        function = getattr(library, f"fma_{dtype}")
        function.argtypes, function.restype = [ctypes.c_int64], ctypes.c_int64
    for access in ACCESSES:
        function = getattr(library, access)
        function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64] * 2
        function.restype = ctypes.c_int64
    return library
