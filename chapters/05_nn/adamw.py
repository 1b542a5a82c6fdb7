# cut from minigrad/optim/adamw.py
"""AdamW: Adam, with a weight decay of its own instead of one that hides in the gradient."""

from collections.abc import Iterable
from typing import Any

from minigrad.optim.adam import direction
from minigrad.optim.optimizer import Group, Optimizer, State


class AdamW(Optimizer):
    """Every step takes lr * weight_decay of each weight off it, and goes along Adam's direction.

    Options as Adam's. In Adam a decay that is part of the gradient is divided by the gradients'
    size: weights with large gradients hardly decay. Here all decay alike.
    Raises ValueError for options that cannot be.
    Source: Loshchilov, Hutter, "Decoupled weight decay regularization" (2019).
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def update(self, p: Any, g: Any, state: State, group: Group) -> None:
        lr, decay = group["lr"], group["weight_decay"]
        betas, eps = group["betas"], group["eps"]
        # <ex 5.7> the weights shrink by their own share; Adam hears of the gradient alone (2 lines)
        raise NotImplementedError("exercise 5.7")
        # </ex 5.7>
