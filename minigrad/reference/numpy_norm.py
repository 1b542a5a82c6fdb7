"""Step 0 of the kernels of chapter 07: rows brought to mean 0 and variance 1, softmax under a mask,
and where the largest of a row stand. Those of chapter 03 stand in numpy_linear.py.

Every kernel sees views of any strides, writes every element of `out`, and leaves its inputs alone.
"""

from typing import Any

import numpy as np

from minigrad.kernels import register
from minigrad.reference.numpy_linear import largest

View = np.ndarray[Any, Any]


@register("standardise", backend="numpy")
def standardise(x: View, out: View, eps: float) -> None:
    """(x - mean) / sqrt(variance + eps) along the last axis.

    Two passes: the difference of two large sums would cancel.
    """
    np.subtract(x, x.mean(axis=-1, keepdims=True), out=out)
    squares = np.einsum("...i,...i->...", out, out)[..., None]  # no x * x in memory
    out /= np.sqrt(squares / x.dtype.type(x.shape[-1]) + x.dtype.type(eps))


@register("masked_softmax", backend="numpy")
def masked_softmax(x: View, allowed: View, out: View) -> None:
    """softmax over the last axis of what `allowed` lets through; 0 elsewhere.

    A row of which nothing is left, or only -inf, is all 0.
    """
    out[...] = -np.inf
    np.copyto(out, x, where=allowed)
    out -= largest(out)
    np.exp(out, out=out)
    total = out.sum(axis=-1, keepdims=True)
    out /= np.where(total == 0.0, 1.0, total).astype(x.dtype)


@register("topk", backend="numpy")
def topk(x: View, out: View) -> None:
    """Where the largest elements of each row stand, as many as `out` has room for, falling; of
    equal ones the first comes first, NaN before all.
    """
    # NumPy's stable order rises: read from its end, of a reversed row, equal ones stand as in x.
    order = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    out[...] = x.shape[-1] - 1 - order[..., : out.shape[-1]]
