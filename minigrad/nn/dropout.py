"""Dropout: chance decides what counts, so that a network does not rely on any one number."""

from typing import Any

from minigrad.api import bernoulli, where
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module
from minigrad.random import Generator, generator_or_default


class Dropout(Module):
    """In training, each number is 0 with probability p, and otherwise 1/(1-p) times itself, so that
    their mean stays; in use (eval), nothing happens.

    generator: where chance comes from; None means that of manual_seed.
    Raises ValueError for p outside 0 to 1.
    Source: Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov, "Dropout: a simple way to
    prevent neural networks from overfitting" (2014).
    """

    def __init__(self, p: float = 0.5, *, generator: Generator | None = None) -> None:
        if isinstance(p, bool) or not isinstance(p, int | float):
            raise TypeError(f"Dropout: p must be a number, got {p!r}.")
        if not 0.0 <= p <= 1.0:
            raise ValueError(f"Dropout: p is a probability, from 0 to 1, got {p}.")
        generator_or_default("Dropout", generator)
        self.p, self.generator = float(p), generator

    def forward(self, x: Any) -> Any:
        if not self.training or self.p == 0.0:
            return x
        source = generator_or_default("Dropout", self.generator)
        keep = bernoulli(1.0 - self.p, shape_of("Dropout", x), generator=source)
        # where, and not a product: what is dropped may be an infinity
        return where(keep, x * (1.0 / (1.0 - self.p) if self.p < 1.0 else 0.0), 0.0)

    def extra_repr(self) -> str:
        return f"p={self.p:g}"
