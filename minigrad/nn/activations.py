"""Non-linear functions as modules, for a chain."""

from typing import Any

from minigrad import api
from minigrad.nn.module import Module


class ReLU(Module):
    """0 for what is below 0."""

    def forward(self, x: Any) -> Any:
        return api.relu(x)
