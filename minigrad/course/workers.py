"""Several warm parents at once, for the checks that ask for hundreds of runs."""

import queue
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from minigrad.course.runner import Event, RunnerBroken, TestResult, Warm, results

T = TypeVar("T")
Job = Callable[[Warm], T]
Seen = Callable[[int, int], None]  # told how many jobs of how many are done


class Workers:
    """`count` warm parents, each used by one thread at a time; close them, or use a `with`."""

    def __init__(self, count: int = 2) -> None:
        self.count = count
        self._warms = [Warm() for _ in range(count)]
        self._free: queue.SimpleQueue[Warm] = queue.SimpleQueue()
        for warm in self._warms:
            self._free.put(warm)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for warm in self._warms:
            warm.close()

    def map(self, jobs: Sequence[Job[T]], seen: Seen | None = None) -> list[T]:
        """The results in the order of the jobs. The first that fails ends them all."""
        with ThreadPoolExecutor(self.count) as pool:
            futures = [pool.submit(self._one, job) for job in jobs]
            try:
                for done, future in enumerate(as_completed(futures), start=1):
                    future.result()
                    if seen:
                        seen(done, len(jobs))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return [future.result() for future in futures]

    def _one(self, job: Job[T]) -> T:
        warm = self._free.get()
        try:
            return job(warm)
        finally:
            self._free.put(warm)


def ask(warm: Warm, request: Event) -> list[TestResult]:
    """All test results of one request."""
    try:
        return list(results(warm.run(request)))
    except RunnerBroken:
        warm.close()  # what it still had to say must not answer the next request
        raise
