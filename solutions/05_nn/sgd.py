# cut from minigrad/optim/sgd.py
"""Stochastic gradient descent: a step downhill, or, with momentum, a ball that rolls."""

from collections.abc import Iterable
from typing import Any

from minigrad.optim.optimizer import Group, Optimizer, State


class SGD(Optimizer):
    """p -= lr * g, where g is the gradient, or what momentum makes of the gradients so far.

    momentum: the share of its velocity that a parameter keeps from step to step. dampening: the
    share of a gradient that the velocity does not take up. nesterov: look ahead along the velocity.
    weight_decay: adds weight_decay * p to each gradient.
    Raises ValueError for options that cannot be, among them nesterov without momentum.
    Source: Sutskever et al., "On the importance of initialization and momentum" (2013), in
    PyTorch's form: there the rate multiplies the velocity, not the gradients in it.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr=lr,
            momentum=momentum,
            dampening=dampening,
            weight_decay=weight_decay,
            nesterov=nesterov,
        )

    def check(self, group: Group) -> None:
        super().check(group)
        if group["nesterov"] and not (group["momentum"] > 0.0 and group["dampening"] == 0.0):
            raise ValueError(
                "SGD: nesterov looks ahead along the velocity: it needs a momentum above 0 and no "
                f"dampening, got {group['momentum']} and {group['dampening']}."
            )

    def update(self, p: Any, g: Any, state: State, group: Group) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        if group["momentum"]:
            v = state.get("momentum_buffer")
            g, v = rolled(g, v, group["momentum"], group["dampening"], group["nesterov"])
            state["momentum_buffer"] = v
        p -= group["lr"] * g


def rolled(g: Any, v: Any, momentum: float, dampening: float, nesterov: bool) -> tuple[Any, Any]:
    """The direction to go, and the new velocity, from the gradient and the velocity so far.

    v: None in the first step, whose gradient is the velocity then, undampened; it must not be the
    very tensor g. nesterov: the direction is the gradient, and the new velocity's share on top.
    """
    # <ex 5.3> the velocity keeps a share of itself and takes up g; where to go from it (4 lines)
    v = g.copy() if v is None else momentum * v + (1.0 - dampening) * g
    return (g + momentum * v if nesterov else v), v
    # </ex 5.3>
