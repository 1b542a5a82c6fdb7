"""An optimiser saved, and loaded into another: the same steps, or a list of what does not fit."""

import copy

import numpy as np
import pytest

import minigrad as mg
from minigrad import optim

MAKERS = {
    "SGD": lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: optim.Adam(p, 0.1, weight_decay=0.1),
    "AdamW": lambda p: optim.AdamW(p, 0.1),
    "RMSprop": lambda p: optim.RMSprop(p, 0.1, momentum=0.5, centered=True),
}


def leaves():
    rng = np.random.default_rng(1)
    return [mg.tensor(rng.normal(size=s), requires_grad=True) for s in [(2, 3), (3,), ()]]


def groups(params):
    return [{"params": params[:2], "lr": 0.05}, {"params": params[2:]}]


def steps(optimiser, params, count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        for p in params:
            p.grad = mg.tensor(rng.normal(size=p.shape))
        optimiser.step()


@pytest.mark.parametrize("name", MAKERS)
def test_what_was_loaded_goes_on_as_what_was_saved(name):
    params = leaves()
    optimiser = MAKERS[name](groups(params))
    steps(optimiser, params, 3, seed=1)
    kept, numbers = optimiser.state_dict(), [p.tolist() for p in params]
    before = repr(kept)
    steps(optimiser, params, 4, seed=2)
    assert repr(kept) == before, "later steps changed what was saved"

    others = [mg.tensor(n, mg.float64, requires_grad=True) for n in numbers]
    again = MAKERS[name](groups(others))
    again.load_state_dict(kept)
    assert repr(again.state_dict()) == before
    steps(again, others, 4, seed=2)
    assert [p.tolist() for p in others] == [p.tolist() for p in params]
    assert repr(kept) == before, "steps changed what was loaded"


def test_the_layout_is_that_of_pytorch():
    params = leaves()
    optimiser = optim.Adam(groups(params), lr=0.5)
    params[1].grad = mg.tensor([1.0, 2.0, 4.0], mg.float64)
    optimiser.step()
    found = optimiser.state_dict()
    assert list(found) == ["state", "param_groups"] and list(found["state"]) == [1]
    memory = found["state"][1]
    assert list(memory) == ["step", "exp_avg", "exp_avg_sq"] and memory["step"] == 1
    np.testing.assert_allclose(memory["exp_avg"].numpy(), [0.1, 0.2, 0.4])
    np.testing.assert_allclose(memory["exp_avg_sq"].numpy(), [0.001, 0.004, 0.016])
    options = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0}
    assert found["param_groups"] == [
        {"lr": 0.05, **options, "params": [0, 1]},
        {"lr": 0.5, **options, "params": [2]},
    ]


def test_neither_dict_nor_optimiser_shares_the_other_s_memory():
    params = leaves()
    optimiser = MAKERS["Adam"](params)
    steps(optimiser, params, 1, seed=1)
    kept = optimiser.state_dict()
    before = repr(kept)
    optimiser.load_state_dict(kept)
    loaded = optimiser.state[params[0]]["exp_avg"]
    loaded += 1.0
    assert repr(kept) == before
    again, numbers = optimiser.state_dict(), loaded.tolist()
    loaded += 1.0
    assert again["state"][0]["exp_avg"].tolist() == numbers != loaded.tolist()


def test_options_come_along():
    optimiser, other = (optim.SGD([mg.tensor([1.0], requires_grad=True)], lr) for lr in (0.5, 0.1))
    optimiser.param_groups[0]["momentum"] = 0.75
    other.load_state_dict(optimiser.state_dict())
    assert other.param_groups[0]["lr"] == 0.5 and other.param_groups[0]["momentum"] == 0.75


def test_memory_takes_the_dtype_of_the_parameter():
    params = leaves()
    optimiser = MAKERS["Adam"](params)
    steps(optimiser, params, 1, seed=1)
    singles = [mg.tensor(p.tolist(), mg.float32, requires_grad=True) for p in params]
    other = MAKERS["Adam"](singles)
    other.load_state_dict(optimiser.state_dict())
    assert all(other.state[p]["exp_avg"].dtype is mg.float32 for p in singles)


def test_switches_that_are_off_are_no_difference():
    params = leaves()
    optimiser = MAKERS["Adam"](params)
    given = optimiser.state_dict()
    given["param_groups"][0].update(amsgrad=False, foreach=None)
    optimiser.load_state_dict(given)
    assert "amsgrad" not in optimiser.param_groups[0]


def change(path, value):
    def edit(given):
        *way, last = path
        for key in way:
            given = given[key]
        if value is None:
            del given[last]
        else:
            given[last] = value

    return edit


SPOILED = {
    "no state": (change(["state"], None), "a state dict has param_groups and state."),
    "a group less": (change(["param_groups", 1], None),
        "it has 1 groups of parameters, the optimiser 2"),
    "a parameter less": (change(["param_groups", 0, "params", 1], None),
        "group 0 has 1 parameters, the optimiser 2"),
    "an option less": (change(["param_groups", 1, "betas"], None),
        "group 1 lacks the option betas"),
    "an option more": (change(["param_groups", 1, "momentum"], 0.5),
        "group 1 has an option of another optimiser: momentum"),
    "a switch that is on": (change(["param_groups", 0, "amsgrad"], True),
        "group 0 has an option of another optimiser: amsgrad"),
    "another shape": (change(["state", 0, "exp_avg"], mg.zeros((3, 2))),
        "state 0, exp_avg: shape (3, 2), but the parameter has (2, 3)"),
    "a number": (change(["state", 1, "exp_avg"], 2.0),
        "state 1, exp_avg: shape (), but the parameter has (3,)"),
    "a parameter more": (change(["state", 7], {}), "state 7 belongs to none of the 3 parameters"),
    "a parameter by name": (change(["state", "w"], {}), "state 'w' belongs to none"),
    "an option that cannot be": (change(["param_groups", 1, "lr"], -1.0),
        "lr must be a number from 0 up, got -1.0."),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILED)
def test_what_does_not_fit_is_named_and_nothing_is_loaded(name):
    edit, words = SPOILED[name]
    params = leaves()
    optimiser = optim.Adam(groups(params))
    steps(optimiser, params, 2, seed=1)
    given = optimiser.state_dict()
    given["param_groups"][0]["lr"] = 0.75
    edit(given)
    steps(optimiser, params, 1, seed=2)
    before = repr(optimiser.state_dict())
    with pytest.raises(ValueError) as raised:
        optimiser.load_state_dict(given)
    assert str(raised.value).startswith("Adam: ") and words in str(raised.value)
    assert repr(optimiser.state_dict()) == before


def test_everything_that_does_not_fit_is_listed():
    params = leaves()
    optimiser = optim.Adam(params)
    steps(optimiser, params, 1, seed=1)
    given = copy.deepcopy(optimiser.state_dict())
    given["state"][0]["exp_avg"] = mg.zeros(5)
    given["state"][2]["exp_avg_sq"] = mg.zeros(4)
    del given["param_groups"][0]["eps"]
    with pytest.raises(ValueError) as raised:
        optimiser.load_state_dict(given)
    assert str(raised.value).splitlines() == [
        "Adam: the state dict does not fit:",
        "  group 0 lacks the option eps",
        "  state 0, exp_avg: shape (5,), but the parameter has (2, 3)",
        "  state 2, exp_avg_sq: shape (4,), but the parameter has ()",
    ]
