"""Non-linear functions as modules, to stand in a chain. What each does, its op says."""

from typing import Any

from minigrad import api
from minigrad.nn.module import Module


class ReLU(Module):
    """0 instead of what is below 0."""

    def forward(self, x: Any) -> Any:
        return api.relu(x)


class GELU(Module):
    """x times the probability that a normal number is below x. approximate: "none" or "tanh"."""

    def __init__(self, approximate: str = "none") -> None:
        if approximate not in ("none", "tanh"):
            raise ValueError(f"GELU: approximate is 'none' or 'tanh', got {approximate!r}.")
        self.approximate = approximate

    def forward(self, x: Any) -> Any:
        return api.gelu(x, self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x * sigmoid(x)"""

    def forward(self, x: Any) -> Any:
        return api.silu(x)


class Tanh(Module):
    """The hyperbolic tangent, from -1 to 1."""

    def forward(self, x: Any) -> Any:
        return api.tanh(x)


class Sigmoid(Module):
    """1 / (1 + exp(-x)), from 0 to 1."""

    def forward(self, x: Any) -> Any:
        return api.sigmoid(x)


class Softplus(Module):
    """log(1 + exp(x)): relu with a round corner."""

    def forward(self, x: Any) -> Any:
        return api.softplus(x)


class Softmax(Module):
    """Scores along the axis `dim` as probabilities."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        return api.softmax(x, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithms of these probabilities."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Any) -> Any:
        return api.log_softmax(x, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
