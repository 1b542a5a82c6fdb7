"""The multilayer perceptron: linear layers in a row."""

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
    """Linear layers in a row: with sizes (64, 32, 10), from (..., 64) over (..., 32) to (..., 10).

    Between two of them stand an activation (nn.ReLU, or what makes a module when it is called) and,
    for a probability above 0, dropout. generator: for the weights and for dropout.
    Raises ValueError for fewer than two sizes, TypeError for an activation that makes no module.
    """
    if not isinstance(sizes, Sequence):
        raise TypeError(f"mlp: sizes is a list of sizes, like (64, 32, 10), got {sizes!r}.")
    if len(sizes) < 2:
        raise ValueError(f"mlp: sizes are those of the input and of each layer, got only {sizes}.")
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        if layers:
            layers.append(made(activation))
            if dropout:
                layers.append(nn.Dropout(dropout, generator=generator))
        layers.append(nn.Linear(inputs, outputs, generator=generator))
    return nn.Sequential(*layers)


def made(activation: Callable[[], nn.Module]) -> nn.Module:
    """A new module from the activation."""
    hint = "activation must make a module when it is called without arguments, like nn.ReLU"
    if isinstance(activation, nn.Module):
        name = type(activation).__name__
        raise TypeError(f"mlp: {hint}; this is a module: give its class, {name}.")
    try:
        found = activation()
    except TypeError as error:
        raise TypeError(f"mlp: {hint}: {error}.") from error
    if not isinstance(found, nn.Module):
        raise TypeError(f"mlp: {hint}, got {type(found).__name__}.")
    return found
