"""Some of many: the largest of a row, and numbers drawn by chance."""

from typing import Any

import numpy as np

from minigrad.dtypes import float64, int64
from minigrad.random import Generator, generator_or_default
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.op import Vjp, array_of, is_array, op
from minigrad.reference.ops.along import along, one_axis
from minigrad.reference.ops.index import gather


def topk(x: Any, k: int, axis: int = -1) -> tuple[Any, Any]:
    """The k largest along an axis, the largest first, and where they stood (int64).

    Of equal ones the first comes first; NaN counts as the largest. The values have a gradient.
    Raises ValueError unless 0 <= k <= the size of the axis.
    """
    axis = one_axis("topk", axis, x.ndim)
    if isinstance(k, bool) or not isinstance(k, int):
        raise TypeError(f"topk: k must be a whole number, got {k!r}.")
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"topk: k={k}, but axis {axis} of shape {x.shape} has {x.shape[axis]}.")
    found = places_of_largest(x, k, axis)
    return gather(x, found, axis), found


@op
def places_of_largest(x: Any, k: int, axis: int) -> tuple[Array, Vjp]:
    """The second result of topk."""
    shape = (*x.shape[:axis], k, *x.shape[axis + 1 :])
    return along(axis, "topk", x, shape=shape, dtype=int64), lambda g, out: (None,)


def multinomial(
    p: Any, n: int, replacement: bool = True, generator: Generator | None = None
) -> Any:
    """n indices drawn for each row, each as often as its probability says: int64 (..., n).

    p (..., C) floats, not below 0; a row need not add up to 1. replacement: whether an index may
    come more than once. generator: where chance comes from; None means that of manual_seed.
    Raises ValueError for a row that is no distribution, or has fewer than n indices to draw.
    """
    return drawn(p, n, replacement, generator_or_default("multinomial", generator))


@op
def drawn(p: Any, n: int, replacement: bool, source: Generator) -> tuple[Array, Vjp]:
    """multinomial from this generator.

    With replacement: where a number of [0, total) falls among the running sums. Without: -log(u)/p
    is how long index i lets us wait for it, and the first n to come are taken (an exponential race,
    the same as Gumbel noise on log p).
    """
    weights = checked_weights(p, n, replacement)
    rows = weights.reshape(-1, weights.shape[-1])
    shape = (len(rows), n if replacement else rows.shape[-1])
    chance = source.uniform(shape, dtype=float64).numpy()
    if replacement:
        sums = rows.cumsum(axis=-1)
        marks = np.minimum(chance * sums[:, -1:], np.nextafter(sums[:, -1:], 0.0))
        each = zip(sums, marks, strict=True)
        found = np.array([np.searchsorted(s, m, side="right") for s, m in each])
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            waits = np.where(rows > 0.0, -np.log1p(-chance) / rows, np.inf)
        found = np.argsort(waits, axis=-1, kind="stable")[:, :n]
    out = asarray(found.astype(np.int64).reshape(*p.shape[:-1], n))
    return out, lambda g, out: (None,)


def checked_weights(p: Any, n: int, replacement: bool) -> Any:
    """The probabilities as an ndarray of float64. Raises unless n can be drawn of each row."""
    if not is_array(p) or p.dtype.kind != "float":
        given = p.dtype if is_array(p) else type(p).__name__
        raise TypeError(f"multinomial: probabilities are an array of floats, got {given}.")
    if p.ndim < 1:
        raise ValueError("multinomial: a 0-d array has no axis to draw from.")
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"multinomial: n must be a whole number, got {n!r}.")
    if n < 0:
        raise ValueError(f"multinomial: n must be 0 or more, got {n}.")
    weights = array_of(p).numpy().astype(np.float64)
    bad = ~(np.isfinite(weights) & (weights >= 0.0))
    if bad.any():
        at = tuple(map(int, np.argwhere(bad)[0]))
        raise ValueError(
            f"multinomial: probabilities are finite and not below 0, got {weights[at]:g} at "
            f"position {at}."
        )
    enough = weights.any(axis=-1) if replacement else (weights > 0.0).sum(axis=-1) >= max(n, 1)
    if not enough.all():
        row = tuple(map(int, np.argwhere(~enough)[0]))
        what = f"row {row}" if row else "the row"
        few = "adds up to 0" if not weights[row].any() else f"has fewer than {n} above 0"
        raise ValueError(f"multinomial: {what} {few}; there is nothing to draw.")
    return weights
