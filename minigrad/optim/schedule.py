"""Schedules: the learning rate as a function of how many steps were taken.

Each is written as one formula, `rate(start, t)`. (PyTorch computes some from the rate before, which
gives the same numbers up to rounding; a rate that was changed by hand in between counts there and
is overwritten here.)
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from minigrad.optim.optimizer import Optimizer


class Schedule:
    """Sets "lr" in each group of an optimiser; a subclass says how, in `rate`.

    optimizer   whose rates it sets, at once and at every step()
    last_epoch  t: how often step() was called
    """

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"{type(self).__name__}: expected an optimiser, got {type(optimizer).__name__}."
            )
        self.optimizer, self.last_epoch = optimizer, 0
        self._set()

    def rate(self, start: float, t: int) -> float:
        """The rate after t steps of a group whose own is `start`."""
        raise NotImplementedError(f"{type(self).__name__} does not say what the rate is.")

    def step(self) -> None:
        """One step further; called after the optimiser's."""
        self.last_epoch += 1
        self._set()

    @property
    def base_lrs(self) -> list[float]:
        """The rate that each group started with, which its rates are computed from."""
        return [group["initial_lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list[float]:
        """The rate of each group as it is now."""
        return [g["lr"] for g in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """What load_state_dict needs: how far it is, and where the rates started."""
        return {"last_epoch": self.last_epoch, "base_lrs": self.base_lrs}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the schedule that gave this dict would; sets the optimiser's rates, too.

        Raises ValueError for a dict that is not of this kind, or of other groups.
        """
        name, groups = type(self).__name__, self.optimizer.param_groups
        if not {"last_epoch", "base_lrs"} <= set(state_dict):
            raise ValueError(f"{name}: a state dict has last_epoch and base_lrs.")
        starts = state_dict["base_lrs"]
        if len(starts) != len(groups):
            raise ValueError(
                f"{name}: the state dict is for {len(starts)} groups, not {len(groups)}."
            )
        self.last_epoch = int(state_dict["last_epoch"])
        for group, start in zip(groups, starts, strict=True):
            group["initial_lr"] = start
        self._set()

    def _set(self) -> None:
        for group in self.optimizer.param_groups:
            # Noted once: a second schedule must not start from what the first one set.
            group.setdefault("initial_lr", group["lr"])
            group["lr"] = self.rate(group["initial_lr"], self.last_epoch)


class LambdaLR(Schedule):
    """start * factor(t), with a function of yours."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.factor = lr_lambda
        super().__init__(optimizer)

    def rate(self, start: float, t: int) -> float:
        return start * self.factor(t)


class StepLR(Schedule):
    """The rate is multiplied by gamma every step_size steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size, self.gamma = counted("StepLR", "step_size", step_size), gamma
        super().__init__(optimizer)

    def rate(self, start: float, t: int) -> float:
        return float(start * self.gamma ** (t // self.step_size))


class LinearLR(Schedule):
    """Warm-up: in a straight line from start_factor to end_factor over total_iters steps, then
    level. Both factors multiply the group's own rate.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3.0,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        if not 0.0 < start_factor <= 1.0 or not 0.0 <= end_factor <= 1.0:
            raise ValueError(
                "LinearLR: start_factor must be above 0, end_factor 0 or above, both at most 1; "
                f"got {start_factor} and {end_factor}."
            )
        self.total_iters = counted("LinearLR", "total_iters", total_iters)
        self.start_factor, self.end_factor = start_factor, end_factor
        super().__init__(optimizer)

    def rate(self, start: float, t: int) -> float:
        way = min(t, self.total_iters) / self.total_iters
        return start * (self.start_factor + way * (self.end_factor - self.start_factor))


class CosineAnnealingLR(Schedule):
    """Down to eta_min in T_max steps, along half a wave of the cosine; then up again, as PyTorch's.

    Source: Loshchilov, Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017).
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.T_max, self.eta_min = counted("CosineAnnealingLR", "T_max", T_max), eta_min
        super().__init__(optimizer)

    def rate(self, start: float, t: int) -> float:
        wave = (1.0 + math.cos(math.pi * t / self.T_max)) / 2.0
        return self.eta_min + (start - self.eta_min) * wave


class SequentialLR(Schedule):
    """One schedule after the other: the next takes over, at its own 0, at each of the milestones.

    Warm-up, then cosine: SequentialLR(o, [LinearLR(o, 0.1, total_iters=100),
    CosineAnnealingLR(o, 900)], milestones=[100]).
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[Schedule], milestones: Sequence[int]
    ) -> None:
        places = [0, *milestones]
        if len(schedulers) != len(places):
            raise ValueError(
                f"SequentialLR: {len(schedulers)} schedules need {len(schedulers) - 1} milestones "
                f"between them, got {len(milestones)}."
            )
        if any(a >= b for a, b in zip(places, milestones, strict=False)):
            raise ValueError(f"SequentialLR: milestones must rise, got {list(milestones)}.")
        if any(s.optimizer is not optimizer for s in schedulers):
            raise ValueError("SequentialLR: a schedule belongs to another optimiser.")
        self.schedulers, self.milestones, self.places = list(schedulers), list(milestones), places
        super().__init__(optimizer)

    def rate(self, start: float, t: int) -> float:
        k = bisect_right(self.milestones, t)
        return self.schedulers[k].rate(start, t - self.places[k])


def counted(name: str, option: str, steps: int) -> int:
    """steps, or a ValueError if it is no number of steps."""
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise ValueError(f"{name}: {option} is a number of steps, 1 or more; got {steps!r}.")
    return steps
