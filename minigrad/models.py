"""Models, put together of layers."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from minigrad import nn
from minigrad.random import Generator


def mlp(
    sizes: Sequence[int],
    activation: Callable[[], nn.Module] = nn.ReLU,
    dropout: float = 0.0,
    generator: Generator | None = None,
) -> nn.Sequential:
    """Linear layers with an activation between: sizes (64, 32, 10) takes 64 numbers to 10."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs, generator=generator), activation()]
    return nn.Sequential(*layers[:-1])
