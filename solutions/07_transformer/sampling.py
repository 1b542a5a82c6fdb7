# cut from minigrad/models/sampling.py
"""Which token comes next: chance, and three ways to hold it back."""

import math
from numbers import Real
from typing import Any

from minigrad.api import cumsum, masked_fill, softmax, topk, where
from minigrad.nn.inputs import shape_of
from minigrad.sizes import whole


def next_probabilities(
    logits: Any,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Any:
    """What to draw the next token by: (..., vocabulary) -> the same, a row of which adds up to 1.

    temperature  the logits are divided by it: below 1 the likely gets likelier, above 1 rarer
    top_k        only the k likeliest tokens may come
    top_p        only the likeliest may come, the fewest that have this share together
    Both hold at once, top_k first; a token as likely as the last one that may come may come, too.
    Raises ValueError for a temperature that is not above 0, a top_k that is not from 1 to the
    vocabulary's size, a top_p that is not above 0 and at most 1.
    Source: Holtzman and others, "The curious case of neural text degeneration" (2020), for top_p.
    """
    check(logits, temperature, top_k, top_p)
    # <ex 7.7> divide, keep the k likeliest, then the fewest that make up top_p (11 lines)
    logits = logits / temperature
    if top_k is not None:
        least = topk(logits, top_k)[0][..., -1:]
        logits = masked_fill(logits, logits < least, -math.inf)
    p = softmax(logits)
    if top_p is not None:
        falling = topk(p, p.shape[-1])[0]
        before = cumsum(falling, -1) - falling
        least = where(before < top_p, falling, math.inf).min(-1, keepdims=True)
        p = masked_fill(p, p < least, 0.0)
    return p / p.sum(-1, keepdims=True)
    # </ex 7.7>


def check(logits: Any, temperature: float, top_k: int | None, top_p: float | None) -> None:
    """Raise for logits and settings that cannot be."""
    shape = shape_of("next_probabilities", logits)
    if not shape:
        raise ValueError("next_probabilities: logits have shape (..., vocabulary), got ().")
    numbers: dict[str, Any] = {"temperature": temperature, "top_p": 1.0 if top_p is None else top_p}
    for name, given in numbers.items():
        if isinstance(given, bool) or not isinstance(given, Real):
            raise TypeError(f"next_probabilities: {name} must be a number, got {given!r}.")
    if not 0.0 < temperature < math.inf:
        raise ValueError(
            f"next_probabilities: temperature must be above 0, got {temperature}; top_k=1 always "
            "takes the likeliest token."
        )
    if top_k is not None and whole("next_probabilities", "top_k", top_k) > shape[-1]:
        raise ValueError(
            f"next_probabilities: top_k={top_k}, but there are only {shape[-1]} tokens."
        )
    if top_p is not None and not 0.0 < top_p <= 1.0:
        raise ValueError(
            f"next_probabilities: top_p is a share, above 0 and at most 1, got {top_p}."
        )
