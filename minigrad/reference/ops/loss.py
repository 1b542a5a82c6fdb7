"""Losses: how far predictions are from what was wanted, as one number to make small.

reduction says what becomes of the rows' losses: "mean", "sum", or "none" to have them all.
"""

from typing import Any

from minigrad.dtypes import bool_
from minigrad.reference.array import Array, broadcast_shapes
from minigrad.reference.creation import asarray
from minigrad.reference.op import Vjp, array_of, elementwise, is_array, kernel, op
from minigrad.reference.ops.cast import floating
from minigrad.reference.ops.choose import where
from minigrad.reference.ops.index import checked_indices, one_hot
from minigrad.reference.ops.reduce import mean, sum
from minigrad.reference.ops.shape import unsqueeze
from minigrad.reference.ops.softmax import log_softmax, softmax
from minigrad.reference.ops.unary import sigmoid, softplus, square

REDUCTIONS = ("mean", "sum", "none")


@op
def cross_entropy(
    logits: Any,
    target: Any,
    *,
    label_smoothing: float = 0.0,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> tuple[Array, Vjp]:
    """-log(softmax(logits)[target]): how surprised the scores are by the class that was right.

    logits: (..., classes), target: (...) int64, the index of a class for each row. -> one number,
    or (...) with reduction "none". With label_smoothing s, what was wanted is not only the target:
    each class is given s / classes, and the target 1 - s on top. Rows whose target is
    ignore_index count for nothing; the mean of no rows is NaN.
    Raises IndexError for a target that is no class, ValueError if shapes or options do not fit.
    """
    logits, smooth = floating(logits), label_smoothing
    kept, target = targets(logits, target, ignore_index)
    check_options("cross_entropy", reduction, smooth)
    classes = logits.shape[-1]

    # <ex 3.10> each row's loss, and its slope: what softmax says minus what was wanted (8 lines)
    def slope() -> Any:
        right = one_hot(target.squeeze(-1), classes, logits.dtype)
        wanted = (1.0 - smooth) * right + smooth / classes
        return softmax(logits) - wanted

    logp = log_softmax(array_of(logits))
    rows = -kernel("gather", logp, target, shape=target.shape)  # the op is exercise 3.11
    if smooth > 0.0:
        rows = (1.0 - smooth) * rows - smooth * mean(logp, axis=-1, keepdims=True)
    # </ex 3.10>
    count = int(sum(kept).item())
    rows = where(kept, rows, 0.0)[..., 0]

    def vjp(g: Any, out: Any) -> tuple[Any]:
        g = unsqueeze(g, -1) if reduction == "none" else g
        return (where(kept, slope() * share(g, reduction, count), 0.0),)

    return total(rows, reduction, count), vjp


def targets(logits: Any, target: Any, ignore_index: int) -> tuple[Array, Array]:
    """Which rows count, as bools, and the class of each (0 where the row does not): (..., 1)."""
    given = array_of(target) if is_array(target) else asarray(target)
    if logits.ndim < 1 or given.shape != logits.shape[:-1]:
        raise ValueError(
            f"cross_entropy: logits of shape {logits.shape} need one target for each row, shape "
            f"{logits.shape[:-1]}, but the targets have shape {given.shape}."
        )
    ignored = kernel("equal", given, asarray(ignore_index, given.dtype), dtype=bool_)
    given = where(ignored, 0, given)
    classes = logits.shape[-1]
    there = f"there are {classes} classes"
    places = checked_indices("cross_entropy", given, classes, there, first=0)
    return kernel("logical_not", ignored).unsqueeze(-1), places.unsqueeze(-1)


@elementwise
def mse(x: Any, y: Any, *, reduction: str = "mean") -> tuple[Array, Vjp]:
    """The squared differences (x - y) ** 2, broadcast, and their mean or sum."""
    check_options("mse", reduction)
    broadcast_shapes("mse", x.shape, y.shape)
    x, y = floating(x), floating(y)
    rows = square(array_of(x) - array_of(y))
    count = rows.size

    def vjp(g: Any, out: Any) -> tuple[Any, Any]:
        slope = 2.0 * (x - y) * share(g, reduction, count)
        return slope, -slope

    return total(rows, reduction, count), vjp


@elementwise
def binary_cross_entropy_with_logits(
    logits: Any, target: Any, *, pos_weight: Any = None, reduction: str = "mean"
) -> tuple[Array, Vjp]:
    """-log(sigmoid(logits)) where target is 1, -log(1 - sigmoid(logits)) where it is 0; between,
    both in proportion. Without overflow.

    logits, target: broadcast. pos_weight: how much more the first kind counts, a number or an
    array to broadcast; it has no gradient.
    """
    check_options("binary_cross_entropy_with_logits", reduction)
    broadcast_shapes("binary_cross_entropy_with_logits", logits.shape, target.shape)
    x, t = floating(logits), floating(target)
    weight = array_of(pos_weight) if is_array(pos_weight) else pos_weight
    extra = 0.0 if weight is None else weight - 1.0

    # t * softplus(-x) + (1 - t) * softplus(x), with softplus(x) = x + softplus(-x)
    def losses(x: Any, t: Any) -> Any:
        return (1.0 - t) * x + (1.0 + extra * t) * softplus(-x)

    rows = losses(array_of(x), array_of(t))
    count = rows.size

    def vjp(g: Any, out: Any) -> tuple[Any, Any]:
        g = share(g, reduction, count)
        along_x = (1.0 - t) - (1.0 + extra * t) * sigmoid(-x)
        return g * along_x, g * (extra * softplus(-x) - x)

    return total(rows, reduction, count), vjp


def check_options(name: str, reduction: str, smooth: float = 0.0) -> None:
    """Raise ValueError for a reduction that there is not, or a smoothing outside 0 .. 1."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{name}: reduction is one of {', '.join(REDUCTIONS)}, got {reduction!r}.")
    if not 0.0 <= smooth <= 1.0:
        raise ValueError(f"{name}: label_smoothing lies between 0 and 1, got {smooth}.")


def total(rows: Any, reduction: str, count: int) -> Any:
    """The rows' losses as the reduction wants them."""
    if reduction == "none":
        return rows
    return sum(rows) / count if reduction == "mean" else sum(rows)


def share(g: Any, reduction: str, count: int) -> Any:
    """Which part of the loss's gradient each row receives, if there is one that counts."""
    return g / (count or 1) if reduction == "mean" else g
