"""The clocks: what the process has computed, all threads together, and what this thread has.

Other programs take time from the wall's clock but not from the process's, so one thread is
measured on the latter. It costs more to read than many a kernel takes, which is why the harness
times several calls at once.
"""

import sys
import threading
import time
from pathlib import Path

process_seconds = time.process_time
thread_seconds = time.thread_time
wall_seconds = time.perf_counter

TASKS = Path("/proc/self/task")


def empty_seconds(count: int, samples: int = 101) -> float:
    """What the process clock shows around `count` calls of nothing."""
    calls = [_nothing] * count
    seen = []
    for _ in range(samples):
        start = process_seconds()
        [call() for call in calls]
        seen.append(process_seconds() - start)
    return sorted(seen)[samples // 2]


def _nothing() -> None:
    return None


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
