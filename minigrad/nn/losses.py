"""Losses as modules: what training makes small."""

from typing import Any

from minigrad import api
from minigrad.nn.module import Module


class CrossEntropyLoss(Module):
    """How surprised the scores (..., classes) are by the right classes (...), int64."""

    def __init__(
        self, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        self.options = {
            "ignore_index": ignore_index,
            "reduction": reduction,
            "label_smoothing": label_smoothing,
        }

    def forward(self, logits: Any, target: Any) -> Any:
        return api.cross_entropy(logits, target, **self.options)
