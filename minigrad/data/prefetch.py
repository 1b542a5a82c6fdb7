"""Batches made ahead of time, in a thread, while the model works on the one before."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


def ahead(fetch: Callable[[Any], Any], places: Iterable[Any], depth: int) -> Iterator[Any]:
    """fetch(place) for each of the places, in order, at most `depth` of them made ahead.

    What fetch raises arrives where its batch would have. The thread ends with the iterator: when
    that is used up, closed or let go of, or when the program ends.
    """
    if depth == 0:
        yield from map(fetch, places)
        return
    worker = ThreadPoolExecutor(1, thread_name_prefix="minigrad-prefetch")
    try:
        waiting: deque[Future[Any]] = deque()
        for place in places:
            waiting.append(worker.submit(fetch, place))
            if len(waiting) > depth:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        worker.shutdown(cancel_futures=True)  # waits for the one that is being made
