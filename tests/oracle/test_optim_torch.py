"""Optimisers and schedules against PyTorch: the same weights and batches, in float64, 50 steps.

What is compared is the loss of every step, and the rate of every schedule; the parameters at the
end stand in the last losses.
"""

from functools import partial

import numpy as np
import pytest
import torch

import minigrad as mg
from minigrad import optim
from minigrad.training import train_step

STEPS, ROWS, CLOSE = 50, 16, 1e-10

OPTIMISERS = {
    "SGD": [
        {"lr": 0.3},
        {"lr": 0.3, "weight_decay": 0.03},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.4, "weight_decay": 0.01},
        {"lr": 0.1, "momentum": 0.8, "nesterov": True},
        {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.02},
        {},
    ],
    "Adam": [
        {"lr": 0.01},
        {"lr": 0.02, "betas": (0.7, 0.95), "eps": 1e-3},
        {"lr": 0.01, "weight_decay": 0.1},
        {"lr": 0.01, "betas": (0.0, 0.9)},
        {},
    ],
    "AdamW": [
        {"lr": 0.01},
        {"lr": 0.02, "betas": (0.7, 0.95), "eps": 1e-3, "weight_decay": 0.5},
        {"lr": 0.01, "weight_decay": 0.0},
        {},
    ],
    "RMSprop": [
        {"lr": 0.005},
        {"lr": 0.005, "alpha": 0.8, "eps": 1e-4},
        {"lr": 0.002, "momentum": 0.7},
        {"lr": 0.002, "centered": True, "alpha": 0.9},
        {"lr": 0.002, "centered": True, "momentum": 0.5, "weight_decay": 0.05},
        {},
    ],
}


def drawn():
    """Weights (7, 11, 4) and batches, from one seed."""
    rng = np.random.default_rng(3)
    shapes = [(11, 7), (11,), (4, 11), (4,)]
    weights = [rng.normal(size=s) / 3.0 for s in shapes]
    batches = [(rng.normal(size=(ROWS, 7)), rng.integers(0, 4, ROWS)) for _ in range(STEPS)]
    return weights, batches


WEIGHTS, BATCHES = drawn()


class Ours:
    """The network on minigrad, with an optimiser that `make` makes of its parameters."""

    def __init__(self, make, weights=WEIGHTS):
        self.params = [mg.tensor(w, requires_grad=True) for w in weights]
        self.optimiser = make(optim, self.params)

    def __call__(self, x):
        w1, b1, w2, b2 = self.params
        return mg.tanh(x @ w1.T + b1) @ w2.T + b2

    def step(self, x, y, max_norm=None):
        return train_step(self, self.optimiser, mg.tensor(x), mg.tensor(y), max_norm=max_norm)


class Theirs:
    """The same on PyTorch."""

    def __init__(self, make, weights=WEIGHTS):
        self.params = [torch.tensor(w, requires_grad=True) for w in weights]
        self.optimiser = make(torch.optim, self.params)

    def step(self, x, y, max_norm=None):
        w1, b1, w2, b2 = self.params
        out = torch.tanh(torch.tensor(x) @ w1.T + b1) @ w2.T + b2
        loss = torch.nn.functional.cross_entropy(out, torch.tensor(y))
        self.optimiser.zero_grad()
        loss.backward()
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.params, max_norm)
        self.optimiser.step()
        return loss.item()


def difference(name, pairs):
    """The largest difference between the numbers of each pair, which must be finite and move."""
    ours, theirs = map(np.array, zip(*pairs, strict=True))
    assert np.isfinite(theirs).all() and np.ptp(theirs) > 1e-4, name
    found = float(np.max(np.abs(ours - theirs)))
    assert found <= CLOSE, f"{name}: {found:.1e} after {np.argmax(np.abs(ours - theirs))} steps"
    return found


def compared(name, make, max_norm=None):
    """The largest difference between the losses of both, their optimisers made by `make`."""
    ours, theirs = Ours(make), Theirs(make)
    steps = [(ours.step(*b, max_norm), theirs.step(*b, max_norm)) for b in BATCHES]
    return difference(name, steps)


@pytest.fixture
def figure(record_property):
    """Notes the largest of several differences."""

    def note(what, found):
        record_property(
            "figure",
            f"{STEPS} steps against PyTorch in float64, {len(found)} {what}: largest difference "
            f"{max(found):.1e} (goal {CLOSE:.0e})",
        )

    return note


def test_every_optimiser_with_every_option(figure):
    found = [
        compared(f"{name} {options}", lambda library, p: getattr(library, name)(p, **options))  # noqa: B023
        for name, several in OPTIMISERS.items()
        for options in several
    ]
    figure("optimisers", found)


def test_groups_with_options_of_their_own(figure):
    def make(library, params, name):
        groups = [
            {"params": params[::2], "lr": 0.003, "weight_decay": 0.1},
            {"params": params[1::2]},
        ]
        return getattr(library, name)(groups, lr=0.02)

    figure("optimisers with two groups", [compared(n, partial(make, name=n)) for n in OPTIMISERS])


def one(library, optimiser, name, *args, **options):
    return getattr(library.schedule if library is optim else library.lr_scheduler, name)(
        optimiser, *args, **options
    )


def warm_cosine(library, o):
    parts = [
        one(library, o, "LinearLR", start_factor=0.1, total_iters=8),
        one(library, o, "CosineAnnealingLR", 42, eta_min=1e-3),
    ]
    return one(library, o, "SequentialLR", parts, milestones=[8])


def three(library, o):
    parts = [
        one(library, o, "StepLR", 3, gamma=0.5),
        one(library, o, "LinearLR", start_factor=0.2, end_factor=0.9, total_iters=10),
        one(library, o, "CosineAnnealingLR", 9),
    ]
    return one(library, o, "SequentialLR", parts, milestones=[10, 25])


SCHEDULES = {
    "step": lambda library, o: one(library, o, "StepLR", 7),
    "step, slower": lambda library, o: one(library, o, "StepLR", 10, gamma=0.5),
    "linear": lambda library, o: one(library, o, "LinearLR"),
    "linear down": lambda library, o: one(
        library, o, "LinearLR", start_factor=1.0, end_factor=0.0, total_iters=60
    ),
    "cosine": lambda library, o: one(library, o, "CosineAnnealingLR", 50),
    "cosine, down and up": lambda library, o: one(
        library, o, "CosineAnnealingLR", 12, eta_min=0.02
    ),
    "lambda": lambda library, o: one(library, o, "LambdaLR", lambda t: 0.95**t),
    "warm-up, then cosine": warm_cosine,
    "three in a row": three,
}


@pytest.mark.filterwarnings("ignore::UserWarning:torch")
def test_rates_and_losses_under_a_schedule(figure):
    def make(library, params):
        groups = [{"params": params[:2]}, {"params": params[2:], "lr": 0.1}]
        return library.SGD(groups, lr=0.3, momentum=0.5)

    found = []
    for name, schedule in SCHEDULES.items():
        ours, theirs = Ours(make), Theirs(make)
        our_schedule = schedule(optim, ours.optimiser)
        their_schedule = schedule(torch.optim, theirs.optimiser)
        losses, rates = [], []
        for batch in BATCHES:
            rates += zip(our_schedule.get_last_lr(), their_schedule.get_last_lr(), strict=True)
            losses.append((ours.step(*batch), theirs.step(*batch)))
            our_schedule.step()
            their_schedule.step()
        found += [difference(name, losses), difference(f"{name}, rates", rates)]
    figure("losses and rates of schedules", found)


def test_losses_with_clipped_gradients(figure):
    def make(library, params):
        return library.SGD(params, lr=0.5, momentum=0.5)

    found = [compared(f"clipped to {norm}", make, norm) for norm in (0.05, 0.5, 100.0)]
    figure("lengths to clip to", found)


def test_a_state_dict_of_theirs_goes_on_here(figure):
    options = {"SGD": {"momentum": 0.9}, "RMSprop": {"centered": True, "momentum": 0.5}}
    found = []
    for name in OPTIMISERS:

        def make(library, params, given):
            groups = [{"params": params[:2]}, {"params": params[2:], "lr": 0.02}]
            return getattr(library, name)(groups, **given)  # noqa: B023

        theirs = Theirs(partial(make, given={"lr": 0.01, **options.get(name, {})}))
        for batch in BATCHES[:20]:
            theirs.step(*batch)
        ours = Ours(partial(make, given={}), [p.detach().numpy() for p in theirs.params])
        ours.optimiser.load_state_dict(translated(theirs.optimiser.state_dict()))
        losses = [(ours.step(*batch), theirs.step(*batch)) for batch in BATCHES[20:]]
        found.append(difference(name, losses))
    figure("state dicts of PyTorch, loaded after 20 of them", found)


def translated(state_dict):
    """Theirs, with tensors of ours."""
    for group in state_dict["param_groups"]:
        group.pop("decoupled_weight_decay", None)  # AdamW's own name for what it is
    state = {
        k: {key: mg.tensor(value.numpy()) for key, value in memory.items() if value is not None}
        for k, memory in state_dict["state"].items()
    }
    return {**state_dict, "state": state}
