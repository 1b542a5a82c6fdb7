"""Gradients of all parameters together, kept below a length."""

import math
from collections.abc import Iterable
from typing import Any

from minigrad.api import Tensor, no_grad, square


def clip_grad_norm_(
    params: Iterable[Any], max_norm: float, error_if_nonfinite: bool = False
) -> float:
    """Scale the gradients, in place, so that their common length is at most max_norm.

    Gives the length before: the root of the sum of the squares of all gradients of all parameters.
    A length of inf or NaN spoils the gradients: they become zeros and NaN. error_if_nonfinite
    raises RuntimeError there instead, and leaves them alone. Raises ValueError for a max_norm
    below 0.
    Source: Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural networks"
    (2013); the 1e-6 is PyTorch's.
    """
    if not max_norm >= 0.0:
        raise ValueError(f"clip_grad_norm_: max_norm must be 0 or above, got {max_norm}.")
    listed: list[Any] = [params] if isinstance(params, Tensor) else list(params)
    grads = [p.grad for p in listed if p.grad is not None]
    with no_grad():
        norm = math.sqrt(sum(square(g).sum().item() for g in grads))
        if error_if_nonfinite and not math.isfinite(norm):
            raise RuntimeError(f"clip_grad_norm_: the gradients have length {norm}.")
        scale = max_norm / (norm + 1e-6)
        if not scale >= 1.0:
            for g in grads:
                g *= scale
    return norm
