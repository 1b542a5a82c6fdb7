"""Attention: every row asks, and mixes what it finds into one answer; and where a row stands.

embedding   rows of a table, one for each index
rotary      rows turned by angles that grow with their position
scaled_dot_product_attention
            the values, mixed by how well the keys fit each query
"""

import math
from typing import Any

import numpy as np

from minigrad.dtypes import bool_
from minigrad.random import Generator, generator_or_default
from minigrad.reference.array import Array, broadcast_shapes
from minigrad.reference.creation import asarray
from minigrad.reference.op import Vjp, array_of, is_array, kernel, op, promoted
from minigrad.reference.ops.cast import floating
from minigrad.reference.ops.choose import where
from minigrad.reference.ops.index import checked_indices, placed
from minigrad.reference.ops.matmul import matmul
from minigrad.reference.ops.reduce import sum
from minigrad.reference.ops.shape import cat, matrix_transpose
from minigrad.reference.strides import Ints

ATTENTION = "scaled_dot_product_attention"


def embedding(table: Any, indices: Any) -> Any:
    """Rows looked up: table (rows, D), indices (...) int64 -> (..., D).

    A row receives the gradients of all places that it was looked up for, added up.
    Raises IndexError naming the position of an index outside 0 .. rows-1.
    """
    if not is_array(table) or table.ndim != 2:
        given = f"shape {table.shape}" if is_array(table) else type(table).__name__
        raise ValueError(f"embedding: a table has shape (rows, size), got {given}.")
    there = f"the table has {table.shape[0]} rows"
    return looked_up(table, checked_indices("embedding", indices, table.shape[0], there, first=0))


@op
def looked_up(table: Any, indices: Array) -> tuple[Array, Vjp]:
    """The rows at indices that are known to be there."""
    shape = table.shape
    # <ex 7.1> the rows, copied; the gradient of each place is added to the row it read (2 lines)
    out = array_of(table)[indices]
    return out, lambda g, out: (placed(g, (indices,), shape), None)
    # </ex 7.1>


def scaled_dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    causal: bool = False,
    dropout: float = 0.0,
    scale: float | None = None,
    generator: Generator | None = None,
) -> Any:
    """softmax(q @ k.mT * scale) @ v: each query's mean of the values, weighed by how its key fits.

    q (..., Tq, D), k (..., Tk, D), v (..., Tk, E) -> (..., Tq, E); axes in front are broadcast.
    mask      (..., Tq, Tk): bools, True where a query may look, or floats, added to the scores
    causal    a query sees no later keys; the last query stands at the last key
    dropout   the share of weights that are dropped, the others grow to make up for it
    scale     1 / sqrt(D) if None
    generator that drops; None: that of manual_seed
    A query that may look nowhere gets zeros, and sends back none.
    Raises ValueError for shapes and options that do not fit, TypeError for a mask of ints.
    Source: Vaswani and others, "Attention is all you need" (2017).
    """
    q, k, v = (floating(x) for x in promoted(ATTENTION, q, k, v))
    shape = shape_of_scores(q, k, v)
    allowed, added = checked_masks(mask, causal, shape)
    check_share(dropout)
    scale = 1.0 / math.sqrt(max(q.shape[-1], 1)) if scale is None else scale
    # <ex 7.2> scores, what is added to them, weights, some dropped if asked, the mix (5 lines)
    scores = matmul(q * scale, matrix_transpose(k))
    scores = scores if added is None else scores + added
    weights = masked_softmax(scores, allowed)
    weights = dropped(weights, dropout, generator) if dropout else weights
    return matmul(weights, v)
    # </ex 7.2>


@op
def masked_softmax(scores: Any, allowed: Array) -> tuple[Array, Vjp]:
    """softmax of the scores that are allowed (broadcast), 0 for the others; zeros where none is."""
    out = kernel("masked_softmax", scores, allowed, shape=scores.shape, dtype=scores.dtype)
    return out, lambda g, out: (out * (g - sum(g * out, -1, keepdims=True)), None)


def causal_mask(queries: int, keys: int) -> Array:
    """Where a query may look, (queries, keys): up to its own place, the last ones being the same.

    With more keys than queries, the queries are the last tokens: of keys that were kept (a cache).
    """
    # <ex 7.3> whether key j is not later than query i, counted from the last of both (2 lines)
    first = keys - queries
    return asarray(np.arange(keys) <= np.arange(first, keys)[:, None])
    # </ex 7.3>


def dropped(weights: Any, share: float, generator: Generator | None) -> Any:
    """Some of the weights, drawn by chance, are 0; the others make up for them."""
    source = generator_or_default(ATTENTION, generator)
    keep = source.bernoulli(1.0 - share, weights.shape)
    return where(keep, weights * (1.0 / (1.0 - share) if share < 1.0 else 0.0), 0.0)


def shape_of_scores(q: Any, k: Any, v: Any) -> Ints:
    """The shape of q @ k.mT. Raises ValueError unless all three fit together."""
    given = f"q {q.shape}, k {k.shape}, v {v.shape}"
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ValueError(f"{ATTENTION}: each needs two axes or more, (..., tokens, size): {given}.")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"{ATTENTION}: queries and keys must have one size: {given}.")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"{ATTENTION}: each key needs one value: {given}.")
    batch = broadcast_shapes(ATTENTION, q.shape[:-2], k.shape[:-2], v.shape[:-2])
    return (*batch, q.shape[-2], k.shape[-2])


def checked_masks(mask: Any, causal: bool, shape: Ints) -> tuple[Array, Any]:
    """Where a query may look, and what is added to its score, if anything."""
    allowed = causal_mask(*shape[-2:]) if causal else asarray(True)
    if mask is None:
        return allowed, None
    mask = mask if is_array(mask) else asarray(mask)
    if mask.dtype != bool_ and mask.dtype.kind != "float":
        raise TypeError(
            f"{ATTENTION}: a mask is bool (True where a query may look) or float (added to the "
            f"scores), got {mask.dtype}."
        )
    wide = (1,) * (len(shape) - mask.ndim) + mask.shape
    if len(wide) != len(shape) or any(n not in (1, m) for n, m in zip(wide, shape, strict=True)):
        raise ValueError(
            f"{ATTENTION}: a mask of shape {mask.shape} does not fit scores of shape {shape}, "
            "(..., queries, keys)."
        )
    if mask.dtype != bool_:
        return allowed, mask
    return kernel("logical_and", allowed, mask, dtype=bool_), None


def check_share(dropout: object) -> None:
    """Raise ValueError unless it is a probability."""
    if not isinstance(dropout, int | float) or not 0.0 <= dropout <= 1.0:
        raise ValueError(f"{ATTENTION}: dropout is a probability, from 0 to 1, got {dropout!r}.")


def rotary(x: Any, positions: Any = 0, base: float = 10000.0) -> Any:
    """Rows turned by their position, so that a product of two depends on their distance alone.

    x (..., T, D), D even. positions: the first row's, a number from which the others count on, or
    int64 of a shape that broadcasts to (..., T). Numbers i and i + D/2 of a row at position p are
    one point of a plane, turned by the angle p / base ** (2 i / D).
    Raises ValueError for an odd D or a base not above 0, TypeError for positions that are no int64.
    Source: Su and others, "RoFormer: enhanced transformer with rotary position embedding" (2021).
    """
    if not is_array(x) or x.ndim < 2:
        given = f"shape {x.shape}" if is_array(x) else type(x).__name__
        raise ValueError(f"rotary: x has shape (..., tokens, size), got {given}.")
    if x.shape[-1] % 2:
        raise ValueError(
            f"rotary: the numbers of a row are turned in pairs, but shape {x.shape} has "
            f"{x.shape[-1]} of them."
        )
    if not base > 0.0:
        raise ValueError(f"rotary: base must be above 0, got {base}.")
    x, size = floating(x), x.shape[-1]
    angles = places(x, positions)[..., None] / base ** (np.arange(0, size, 2) / max(size, 1))
    return turned(x, asarray(np.cos(angles), x.dtype), asarray(np.sin(angles), x.dtype))


def places(x: Any, positions: Any) -> Any:
    """The position of each row of x (..., T, D): an ndarray that broadcasts to (..., T)."""
    if isinstance(positions, int) and not isinstance(positions, bool):
        return np.arange(positions, positions + x.shape[-2])
    given = array_of(positions) if is_array(positions) else asarray(positions)
    if given.dtype.kind != "int":
        raise TypeError(f"rotary: positions must be int64, got {given.dtype}.")
    if broadcast_shapes("rotary", given.shape, x.shape[:-1]) != x.shape[:-1]:
        raise ValueError(
            f"rotary: positions of shape {given.shape} do not fit x of shape {x.shape}."
        )
    return given.numpy()


@op
def turned(x: Any, cos: Array, sin: Array) -> tuple[Array, Vjp]:
    """Points (x[..., i], x[..., i + D/2]) turned; the gradient is turned back."""
    half, each = x.shape[-1] // 2, array_of(x)
    left, right = each[..., :half], each[..., half:]
    out = cat([left * cos - right * sin, right * cos + left * sin], -1)
    return out, lambda g, out: (turned(g, cos, -sin), None, None)
