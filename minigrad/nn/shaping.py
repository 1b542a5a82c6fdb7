"""Modules that learn nothing and only hand on: as it is, or in another shape."""

import math
from typing import Any

from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module


class Identity(Module):
    """What comes in goes out: a place that may be filled later. Takes and ignores any arguments."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        pass

    def forward(self, x: Any) -> Any:
        return x


class Flatten(Module):
    """One axis instead of those from start_dim to end_dim: (5, 3, 8, 8) -> (5, 192)."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, x: Any) -> Any:
        shape = shape_of("Flatten", x)
        ndim = len(shape)
        first, last = (d + ndim if d < 0 else d for d in (self.start_dim, self.end_dim))
        if not 0 <= first <= last < ndim:
            raise ValueError(
                f"Flatten: shape {shape} has no axes {self.start_dim} to {self.end_dim}."
            )
        whole = math.prod(shape[first : last + 1])
        return x.reshape(*shape[:first], whole, *shape[last + 1 :])

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
