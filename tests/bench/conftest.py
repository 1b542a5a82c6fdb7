"""Races among contestants on a workload of microseconds (racing.py)."""

import sys
from pathlib import Path

import pytest

from minigrad import native
from minigrad.bench import harness
from minigrad.bench.numbers import Pool

sys.path.insert(0, str(Path(__file__).parent))

from racing import EFFORT, contestant, doubling, limits

UNREACHED = limits()


@pytest.fixture
def race():
    """Measures contestants on `doubling` or another workload; gives the outcome."""

    def measured(*contestants, workload=None, limits=UNREACHED, effort=EFFORT):
        return harness.measure(workload or doubling(), contestants, limits, Pool(5), effort)

    return measured


@pytest.fixture
def reason(race):
    """Why a single contestant is refused, whole."""

    def refused(bind, **settings):
        conditions = settings.pop("conditions", {})
        outcome = race(contestant(bind, **conditions), **settings)
        assert not outcome.times and len(outcome.refused) == 1, outcome
        return str(outcome.refused[0])

    return refused


@pytest.fixture
def built():
    """The native module; without it these tests say what was not verified."""
    try:
        return native.load()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")
