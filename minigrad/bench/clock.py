"""The clocks: what the process has computed, all threads together, and what this thread has.

Other programs take time from the wall's clock but not from the process's, so one thread is
measured on the latter. It costs more to read than many a kernel takes, which is why the harness
times several calls at once.
"""

import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

process_seconds = time.process_time
thread_seconds = time.thread_time
wall_seconds = time.perf_counter

TASKS = Path("/proc/self/task")


def reading_costs(samples: int = 400) -> float:
    """Seconds between two readings of the process clock with nothing between them."""
    readings = [process_seconds() for _ in range(samples)]
    steps = sorted(later - sooner for sooner, later in pairwise(readings))
    return steps[len(steps) // 2]


def threads_alive() -> int:
    """How many threads this process has: native ones too where the system tells (Linux)."""
    if sys.platform == "linux" and TASKS.is_dir():
        return sum(1 for _ in TASKS.iterdir())
    return threading.active_count()


def threads_more_than(before: int, patience: float = 1e-3) -> int:
    """How many more threads there are than `before`; one that is just ending has a moment."""
    end = wall_seconds() + patience
    while (more := threads_alive() - before) > 0 and wall_seconds() < end:
        pass
    return more
