"""A workload that takes microseconds, limits that nothing reaches, and an honest contestant."""

import numpy as np

from minigrad.bench import harness
from minigrad.bench.limits import Limits
from minigrad.bench.numbers import Pool
from minigrad.bench.workload import Array, Contestant, Role, Workload

CACHES = {"L1": 32 << 10, "L2": 1 << 20, "L3": 8 << 20}
EFFORT = harness.Effort(fewest=2, most=2, seconds=0.0, warm_up=1)
LARGE = {"rows": 700, "columns": 300}  # of doubling: more than fits beside others
IEEE = {"threads": 1, "dtype": "float32", "maths": "IEEE"}


def limits(flops=1e15, gbytes=1e15):
    levels = (*CACHES, "DRAM")
    return Limits(
        {("avx2", d): flops for d in ("float32", "float64")},
        {(level, "read"): gbytes for level in levels},
        CACHES,
        "avx2",
    )


def doubled(given):
    return {"out": 2 * given["x"].astype(np.float64)}


def doubling(rows=37, columns=53, **changes):
    """out = 2 x, exact in float32."""
    arrays = (Array("x", (rows, columns)), Array("out", (rows, columns), Role.WRITTEN))
    settings = {"flops": rows * columns, "reference": doubled, "bound": 1e-6, **changes}
    return Workload("double", ("double",), arrays, **settings)


def contestant(bind, name="ours", ours=True, **conditions):
    return Contestant(name, bind, lambda: {**IEEE, **conditions}, ours)


def honest(workload, arrays):
    def run():
        np.multiply(arrays["x"], np.float32(2), out=arrays["out"])

    return run


UNREACHED = limits()


def run(*contestants, workload=None, limits=UNREACHED, effort=EFFORT):
    """Measure contestants on `doubling` or another workload."""
    return harness.measure(workload or doubling(), contestants, limits, Pool(5), effort)
