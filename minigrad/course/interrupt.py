"""Ctrl-C as a question that a loop asks between two steps, not as an exception in the middle of
one.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stop_asked() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C was pressed within the block.

    Pressed again, it raises KeyboardInterrupt: the way out of a step that never ends. Outside the
    main thread, where Python lets nobody handle signals, the answer stays no.
    """
    asked = False

    def note(number: int, frame: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
