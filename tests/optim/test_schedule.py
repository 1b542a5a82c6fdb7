"""Schedules: the rates by hand, over every group; saved and loaded; what cannot be."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad.optim import SGD
from minigrad.optim.schedule import (
    CosineAnnealingLR,
    LambdaLR,
    LinearLR,
    Schedule,
    SequentialLR,
    StepLR,
)


def optimiser(*rates):
    groups = [{"params": [mg.zeros(1, requires_grad=True)], "lr": r} for r in rates or (1.0,)]
    return SGD(groups)


def rates(schedule, steps):
    """The rates of the first group before each of so many steps."""
    found = []
    for _ in range(steps):
        found.append(schedule.get_last_lr()[0])
        schedule.step()
    return found


def warm_cosine(o):
    return SequentialLR(o, [LinearLR(o, 0.5, total_iters=2), CosineAnnealingLR(o, 4)], [3])


half = (1.0 + math.cos(math.pi / 4)) / 2.0
CASES = {
    "step": (lambda o: StepLR(o, 2, gamma=0.5), [1.0, 1.0, 0.5, 0.5, 0.25]),
    "linear": (lambda o: LinearLR(o, 0.25, total_iters=3), [0.25, 0.5, 0.75, 1.0, 1.0]),
    "linear down": (lambda o: LinearLR(o, 1.0, 0.0, 2), [1.0, 0.5, 0.0, 0.0]),
    "cosine": (lambda o: CosineAnnealingLR(o, 2, 0.5), [1.0, 0.75, 0.5, 0.75, 1.0, 0.75]),
    "lambda": (lambda o: LambdaLR(o, lambda t: 1.0 / (1 + t)), [1.0, 0.5, 1 / 3, 0.25]),
    "warm-up, cosine": (warm_cosine, [0.5, 0.75, 1.0, 1.0, half, 0.5, 1.0 - half, 0.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_rates_by_hand(name):
    make, want = CASES[name]
    np.testing.assert_allclose(rates(make(optimiser()), len(want)), want, atol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_each_group_from_its_own_rate(name):
    o = optimiser(1.0, 3.0)
    schedule = CASES[name][0](o)
    for _ in range(5):
        schedule.step()
        first, second = (g["lr"] for g in o.param_groups)
        assert schedule.get_last_lr() == [first, second]
        if name != "cosine":  # its lowest rate is the same for all
            np.testing.assert_allclose(second, 3.0 * first, atol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_what_was_loaded_goes_on_as_what_was_saved(name):
    make, _ = CASES[name]
    schedule = make(optimiser())
    rates(schedule, 3)
    kept = schedule.state_dict()
    want = rates(schedule, 4)
    other = make(optimiser(0.001))
    other.load_state_dict(kept)
    assert rates(other, 4) == want and kept["last_epoch"] == 3


def test_a_rate_saved_with_its_optimiser_is_where_a_schedule_starts():
    o = optimiser(1.0)
    schedule = StepLR(o, 1, 0.5)
    rates(schedule, 2)
    again = optimiser(7.0)
    again.load_state_dict(o.state_dict())
    other = StepLR(again, 1, 0.5)
    other.load_state_dict(schedule.state_dict())
    assert other.get_last_lr() == [0.25] and again.param_groups[0]["initial_lr"] == 1.0


def test_a_group_that_comes_later():
    o = optimiser(1.0)
    schedule = StepLR(o, 2, 0.5)
    rates(schedule, 3)
    o.add_param_group({"params": [mg.zeros(1, requires_grad=True)], "lr": 8.0})
    schedule.step()
    assert schedule.get_last_lr() == [0.25, 2.0] and schedule.base_lrs == [1.0, 8.0]


BAD = {
    "no optimiser": (lambda o: StepLR([1.0], 1), TypeError, "StepLR: expected an optimiser"),
    "no steps": (lambda o: StepLR(o, 0), ValueError, "StepLR: step_size is a number of steps"),
    "half a step": (lambda o: CosineAnnealingLR(o, 2.5), ValueError, "T_max is a number of steps"),
    "no warm-up": (lambda o: LinearLR(o, total_iters=-1), ValueError, "got -1."),
    "from nothing": (lambda o: LinearLR(o, 0.0), ValueError, "start_factor must be above 0"),
    "to more": (lambda o: LinearLR(o, 0.1, 1.5), ValueError, "got 0.1 and 1.5."),
    "milestones": (lambda o: SequentialLR(o, [StepLR(o, 1)], [3]), ValueError,
        "1 schedules need 0 milestones between them, got 1."),
    "no schedule": (lambda o: SequentialLR(o, [], []), ValueError, "0 schedules"),
    "falling milestones": (lambda o: SequentialLR(o, [StepLR(o, 1)] * 3, [3, 3]), ValueError,
        "milestones must rise, got [3, 3]."),
    "another's schedule": (lambda o: SequentialLR(o, [StepLR(optimiser(), 1)], []), ValueError,
        "belongs to another optimiser"),
    "a dict of something": (lambda o: StepLR(o, 1).load_state_dict({}), ValueError,
        "StepLR: a state dict has last_epoch and base_lrs."),
    "a dict of two groups": (
        lambda o: StepLR(o, 1).load_state_dict(StepLR(optimiser(1.0, 2.0), 1).state_dict()),
        ValueError, "StepLR: the state dict is for 2 groups, not 1."),
    "no formula": (Schedule, NotImplementedError, "Schedule does not say what the rate is."),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    call, kind, words = BAD[name]
    with pytest.raises(kind) as raised:
        call(optimiser())
    assert words in str(raised.value)
