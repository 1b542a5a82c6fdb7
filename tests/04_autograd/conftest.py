"""Each test starts with recording on, whatever a wrong switch has left behind in the one before."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def recording_is_on() -> Iterator[None]:
    from minigrad.reference.autograd import Mode, mode

    def reset() -> None:
        vars(mode).clear()
        Mode.recording = True

    reset()
    yield
    reset()
