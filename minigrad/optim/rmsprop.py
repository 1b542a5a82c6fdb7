"""RMSprop: each number's gradient over the size that its gradients have had lately."""

from collections.abc import Iterable
from typing import Any

from minigrad.api import sqrt, square, zeros_like
from minigrad.optim.optimizer import Group, Optimizer, State


class RMSprop(Optimizer):
    """p -= lr * g / (root of the mean of squared gradients + eps).

    alpha: the share of itself that this mean keeps from step to step. centered: take the square of
    the mean gradient off it, which makes it a variance. momentum: a velocity over the result.
    weight_decay: adds weight_decay * p to each gradient.
    Raises ValueError for options that cannot be.
    Source: Tieleman, Hinton, lecture 6.5 of "Neural networks for machine learning" (2012);
    centered: Graves, "Generating sequences with recurrent neural networks" (2013).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
    ) -> None:
        super().__init__(
            params,
            lr=lr,
            alpha=alpha,
            eps=eps,
            weight_decay=weight_decay,
            momentum=momentum,
            centered=centered,
        )

    def update(self, p: Any, g: Any, state: State, group: Group) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        alpha, momentum = group["alpha"], group["momentum"]

        def mean(name: str, new: Any) -> Any:
            old = state.get(name)
            old = zeros_like(p) if old is None else old
            state[name] = alpha * old + (1.0 - alpha) * new
            return state[name]

        size = mean("square_avg", square(g))
        if group["centered"]:
            size = size - square(mean("grad_avg", g))
        move = g / (sqrt(size) + group["eps"])
        if momentum:
            v = state.get("momentum_buffer")
            move = state["momentum_buffer"] = move if v is None else momentum * v + move
        p -= group["lr"] * move
