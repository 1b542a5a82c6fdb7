# cut from minigrad/optim/adam.py
"""Adam: each number has a rate of its own, by how large its gradients have been."""

from collections.abc import Iterable
from typing import Any

from minigrad.api import sqrt, square, zeros_like
from minigrad.optim.optimizer import Group, Optimizer, State


class Adam(Optimizer):
    """Goes along the mean of the gradients, over the root of the mean of their squares.

    betas: the share of itself that each of the two means keeps from step to step. eps: added to
    the root, so that nothing is divided by zero. weight_decay: adds weight_decay * p to each
    gradient, where the root scales it like the rest (AdamW does not).
    Raises ValueError for options that cannot be.
    Source: Kingma, Ba, "Adam: a method for stochastic optimization" (2015).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, p: Any, g: Any, state: State, group: Group) -> None:
        if group["weight_decay"]:
            g = g + group["weight_decay"] * p
        p -= group["lr"] * direction(p, g, state, group["betas"], group["eps"])


def direction(p: Any, g: Any, state: State, betas: tuple[float, float], eps: float) -> Any:
    """Where Adam goes from p, per unit of its rate; state is brought up to date."""
    if not state:
        state.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
    t = state["step"] + 1
    m, v, move = moments(g, state["exp_avg"], state["exp_avg_sq"], t, betas, eps)
    state.update(step=t, exp_avg=m, exp_avg_sq=v)
    return move


def moments(
    g: Any, m: Any, v: Any, t: int, betas: tuple[float, float], eps: float
) -> tuple[Any, Any, Any]:
    """The two running means after gradient number t (1 is the first), and the move they make.

    m is the mean of the gradients, v that of their squares. Both start from zeros and are too small
    by a factor that is known: 1 - beta ** t. The move is m / (sqrt(v) + eps), both freed of it.
    """
    beta1, beta2 = betas
    # <ex 5.4> both means take up g; freed of their start at zero, they make the move (5 lines)
    m = beta1 * m + (1.0 - beta1) * g
    v = beta2 * v + (1.0 - beta2) * square(g)
    mean = m / (1.0 - beta1**t)
    size = sqrt(v / (1.0 - beta2**t)) + eps
    return m, v, mean / size
    # </ex 5.4>
