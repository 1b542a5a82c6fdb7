"""The ladder of the tour: the stages do the same work, and what is not there says so."""

import math

import numpy as np
import pytest

from minigrad.course import ladder, tour
from minigrad.course.catalog import STAGES


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(3)
    shapes = [(32, 64), (10, 32)]
    return [(0.2 * rng.standard_normal(s), 0.1 * rng.standard_normal(s[0])) for s in shapes]


def test_two_stages_come_to_the_same_losses(weights, monkeypatch):
    work = ladder.batches(3)
    below = ladder.scalars(weights, work[:2])
    above = ladder.engine(weights, work, "numpy")
    assert below.losses == pytest.approx(above.losses[:2], rel=1e-5)
    assert len(above.losses) == 3 and above.seconds > 0.0
    ladder.compare("numpy", above.losses, below.losses)
    monkeypatch.setattr(ladder, "RATE", 0.1)
    with pytest.raises(ladder.StagesDiffer, match="the loss of step 2 is"):
        ladder.compare("numpy", ladder.engine(weights, work, "numpy").losses, below.losses)


@pytest.mark.parametrize("wrong", [2.31, math.nan])
def test_a_stage_that_does_other_work_is_not_measured(wrong):
    with pytest.raises(
        ladder.StagesDiffer, match=r"stage numpy: the loss of step 2 is (2\.31|nan)"
    ):
        ladder.compare("numpy", [2.4, wrong, 2.0], [2.4, 2.3])


def test_batches_are_digits_scaled_to_one():
    first, second = ladder.batches(2)
    assert first[0].shape == (32, 64) and first[1].shape == (32,)
    assert first[0].min() == 0.0 and first[0].max() == 1.0
    assert not np.array_equal(first[0], second[0])


def test_rows_measured_ready_and_not_there_yet():
    table = tour.rows({"scalar": 25.0, "numpy": 5000.0}, {1, 2, 3, 4, 5, 8})
    said = {name: words for name, _, words in table}
    assert [row[0] for row in table] == [name for name, _, _ in STAGES]
    assert said["scalar"] == "25 digits/s"
    assert said["numpy"] == "5,000 digits/s, 200 times the row above"
    assert said["cpp"] == "ready"
    assert said["simd"] == "not there yet (chapter 10)"


def test_every_stage_of_this_checkout_is_measured(monkeypatch):
    """Those that are there: a stage that only says "ready" has been forgotten."""
    monkeypatch.setattr(ladder, "scalars", lambda *_: ladder.Run([2.0], 1.0))
    monkeypatch.setattr(ladder, "engine", lambda *_: ladder.Run([2.0], 0.5))
    assert ladder.measure() == {"scalar": 32.0, "numpy": 64.0}
    words = [row[2] for row in tour.rows(ladder.measure(), {1, 2, 3, 4, 5, 6, 7})]
    assert "ready" not in words
