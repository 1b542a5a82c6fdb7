"""A text goes on: the model says what may come, chance takes one, and it is read like the rest."""

from typing import Any

from minigrad.api import cat, multinomial, no_grad
from minigrad.models.gpt import GPT, check_tokens
from minigrad.models.sampling import next_probabilities
from minigrad.random import Generator
from minigrad.sizes import whole


def generate(
    model: GPT,
    tokens: Any,
    count: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    *,
    cache: bool = True,
    generator: Generator | None = None,
) -> Any:
    """Tokens (batch, T) int64 -> (batch, T + count): the same, and what the model adds.

    temperature, top_k, top_p: see next_probabilities. cache: whether keys and values of tokens read
    before are kept, or computed anew for each new one; the tokens are the same. generator: where
    chance comes from.
    When the context is full, the model forgets the older half of it and reads the rest again.
    The model is in evaluation mode meanwhile, and afterwards in the mode it was in.
    Raises ValueError for no token to go on from, and as next_probabilities.
    """
    if not isinstance(model, GPT):
        raise TypeError(f"generate: model is a GPT, got {type(model).__name__}.")
    check_tokens(tokens)
    if tokens.shape[1] < 1:
        raise ValueError("generate: give one token or more to go on from.")
    mode = model.training
    model.train(False)
    try:
        with no_grad():
            reader = Reader(model, cache)
            for _ in range(whole("generate", "count", count, least=0)):
                p = next_probabilities(reader.read(tokens), temperature, top_k, top_p)
                tokens = cat([tokens, multinomial(p, 1, generator=generator)], -1)
    finally:
        model.train(mode)
    return tokens


class Reader:
    """Reads a text that grows, with or without caches, through a window as long as the context."""

    def __init__(self, model: GPT, cache: bool) -> None:
        self.model, self.cache = model, cache
        self.start, self.caches = 0, model.caches()

    def read(self, tokens: Any) -> Any:
        """What may follow these tokens (batch, T): logits (batch, vocabulary)."""
        start = forgotten(tokens.shape[1], self.model.config.context)
        if not self.cache:
            return self.model(tokens[:, start:])[:, -1]
        if start != self.start:  # what was kept has looked at tokens that are forgotten now
            self.start, self.caches = start, self.model.caches()
        known = start + len(self.caches[0])
        return self.model(tokens[:, known:], self.caches)[:, -1]


def forgotten(count: int, context: int) -> int:
    """How many of `count` tokens, the first ones, do not fit: whole halves of a context."""
    half = max(1, context // 2)
    return max(0, -(-(count - context) // half) * half)
