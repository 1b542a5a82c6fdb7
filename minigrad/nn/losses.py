"""Losses as modules: one number to make small.

reduction says what becomes of the single losses: "mean", "sum", or "none" to have them all.
"""

from typing import Any

from minigrad import api
from minigrad.dtypes import float32
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module

REDUCTIONS = ("mean", "sum", "none")


class CrossEntropyLoss(Module):
    """-log(softmax(logits)[target]): how surprised the scores are by the class that was right.

    logits (..., classes), target (...) int64. In PyTorch the classes are axis 1, here the last; for
    (rows, classes) that is the same. ignore_index, label_smoothing: see minigrad.cross_entropy.
    """

    def __init__(
        self, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.reduction = checked("CrossEntropyLoss", reduction)

    def forward(self, logits: Any, target: Any) -> Any:
        return api.cross_entropy(
            logits,
            target,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class MSELoss(Module):
    """The squared differences of two tensors of one shape.

    Raises ValueError for two shapes: of (5, 1) and (5,), broadcasting would make 25 differences.
    """

    def __init__(self, reduction: str = "mean") -> None:
        self.reduction = checked("MSELoss", reduction)

    def forward(self, x: Any, target: Any) -> Any:
        check_shapes("MSELoss", x, target)
        return api.mse(x, target, reduction=self.reduction)


class BCEWithLogitsLoss(Module):
    """-log(sigmoid(logits)) where target is 1, -log(1 - sigmoid(logits)) where it is 0.

    logits and target have one shape. pos_weight: how much more the first kind counts, a number or
    what can be broadcast to that shape; it is a buffer, and so part of the state.
    """

    def __init__(self, reduction: str = "mean", pos_weight: Any = None) -> None:
        self.reduction = checked("BCEWithLogitsLoss", reduction)
        weight = None if pos_weight is None else api.asarray(pos_weight).detach()
        if weight is not None and weight.dtype.kind != "float":
            weight = weight.astype(float32)
        self.register_buffer("pos_weight", weight)

    def forward(self, logits: Any, target: Any) -> Any:
        check_shapes("BCEWithLogitsLoss", logits, target)
        return api.binary_cross_entropy_with_logits(
            logits, target, pos_weight=vars(self)["pos_weight"], reduction=self.reduction
        )


def checked(call: str, reduction: str) -> str:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{call}: reduction is one of {', '.join(REDUCTIONS)}, got {reduction!r}.")
    return reduction


def check_shapes(call: str, x: Any, target: Any) -> None:
    shapes = shape_of(call, x), shape_of(call, target)
    if shapes[0] != shapes[1]:
        raise ValueError(
            f"{call}: prediction and target must have the same shape, got {shapes[0]} and "
            f"{shapes[1]}."
        )
