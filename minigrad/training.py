"""Training: one step, the score of a model, and the loop that all models here share."""

from collections.abc import Callable
from typing import Any

from minigrad.api import cross_entropy
from minigrad.optim import Optimizer, clip_grad_norm_

Loss = Callable[[Any, Any], Any]


def train_step(
    model: Callable[[Any], Any],
    optimiser: Optimizer,
    x: Any,
    y: Any,
    loss: Loss = cross_entropy,
    max_norm: float | None = None,
) -> float:
    """Bring the model a step closer to y on x; gives loss(model(x), y) as it was before the step.

    max_norm: the gradients of all parameters together are kept to this length (optim.clip).
    """
    params = [p for group in optimiser.param_groups for p in group["params"]]
    # <ex 5.6> loss, this step's gradients alone, clipped if asked, one step; the loss (7 lines)
    error = loss(model(x), y)
    optimiser.zero_grad()
    error.backward()
    if max_norm is not None:
        clip_grad_norm_(params, max_norm)
    optimiser.step()
    return float(error.item())
    # </ex 5.6>
