# cut from minigrad/reference/numpy_linear.py
"""Step 0 of the kernels that look along the last axis: products, exponentials that add up, running
sums, and reading and adding at indices. The elementwise ones and the reductions stand in
numpy_kernels.py.

Every kernel sees views of any strides, writes every element of `out`, and leaves its inputs alone.
"""

from math import prod
from typing import Any

import numpy as np

from minigrad.kernels import register

View = np.ndarray[Any, Any]


@register("matmul", backend="numpy")
def matmul(x: View, y: View, out: View) -> None:
    """(..., rows, inner) @ (..., inner, cols) -> (..., rows, cols); other axes are broadcast."""
    np.matmul(x, y, out=out)


def largest(x: View) -> View:
    """The largest of each row, its axis kept: (..., C) -> (..., 1); 0 where that is not finite.

    Numbers that are taken off a row must be finite: inf - inf is NaN.
    """
    top = x.max(axis=-1, keepdims=True, initial=-np.inf)
    return np.where(np.isfinite(top), top, 0.0).astype(x.dtype)


@register("logsumexp", backend="numpy")
def logsumexp(x: View, out: View) -> None:
    """log(sum(exp(x))) over the last axis: (..., C) -> (...), of any size without overflow.

    Source: shift by the row maximum (Blanchard, Higham, Higham, 2021).
    """
    # <ex 3.8> take the largest off each row, and put it back behind the log (2 lines)
    raise NotImplementedError("exercise 3.8")
    # </ex 3.8>


@register("softmax", backend="numpy")
def softmax(x: View, out: View) -> None:
    """exp(x) / sum(exp(x)) over the last axis. A row with +inf, or of -inf alone, becomes NaN."""
    np.exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf), out=out)
    out /= out.sum(axis=-1, keepdims=True)


@register("log_softmax", backend="numpy")
def log_softmax(x: View, out: View) -> None:
    """x - log(sum(exp(x))) over the last axis. A row with +inf, or of -inf alone, becomes NaN."""
    np.subtract(x, x.max(axis=-1, keepdims=True, initial=-np.inf), out=out)
    out -= np.log(np.exp(out).sum(axis=-1, keepdims=True))


@register("cumsum", backend="numpy")
def cumsum(x: View, out: View) -> None:
    """The running sum along the last axis."""
    np.cumsum(x, axis=-1, out=out)


@register("take", backend="numpy")
def take(x: View, index: View, out: View) -> None:
    """Rows of a table: out[k] = x[index[k]], with x (N, M), index (K,), out (K, M)."""
    out[...] = x[index]


@register("index_add", backend="numpy")
def index_add(values: View, index: View, out: View) -> None:
    """Rows added up in a table of zeros: out[index[k]] += values[k], in the order of k."""
    rows, cols = out.shape
    # NumPy adds at indices along one axis much faster than row by row.
    table = np.zeros(rows * cols, dtype=out.dtype)
    places = index[:, None] * cols + np.arange(cols)
    np.add.at(table, places.reshape(-1), values.reshape(-1))
    out[...] = table.reshape(rows, cols)


@register("gather", backend="numpy")
def gather(x: View, index: View, out: View) -> None:
    """out[..., k] = x[..., index[..., k]]."""
    out[...] = np.take_along_axis(x, index, axis=-1)


@register("scatter_add", backend="numpy")
def scatter_add(x: View, index: View, values: View, out: View) -> None:
    """x, with values[..., k] added at [..., index[..., k]], in the order of k."""
    *rows, size = x.shape
    table = x.flatten()
    starts = np.arange(prod(rows)).reshape(*rows, 1) * size
    np.add.at(table, (starts + index).reshape(-1), values.reshape(-1))
    out[...] = table.reshape(x.shape)
