"""Races among contestants on a workload of microseconds (racing.py, which tests import by name)."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Nothing of minigrad is imported here: this file is read before the run has chosen its tree.


@pytest.fixture
def race():
    """Measures contestants on `doubling` or another workload; gives the outcome."""
    from racing import run

    return run


@pytest.fixture
def reason(race):
    """Why a single contestant is refused, whole."""
    from racing import contestant

    def refused(bind, **settings):
        outcome = race(contestant(bind), **settings)
        assert not outcome.times and len(outcome.refused) == 1, outcome
        return str(outcome.refused[0])

    return refused


@pytest.fixture
def built():
    """The native module; without it these tests say what was not verified."""
    from minigrad import native

    try:
        return native.load()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")
