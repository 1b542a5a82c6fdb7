# cut from minigrad/reference/ops/matmul.py
"""The product of matrices."""

from math import prod
from typing import Any

from minigrad.reference.array import Array, broadcast_shapes
from minigrad.reference.op import Gradients, Vjp, elementwise, kernel
from minigrad.reference.ops.shape import matrix_transpose, reshape, squeeze, unsqueeze
from minigrad.reference.strides import Ints


@elementwise
def matmul(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x @ y: (..., rows, inner) @ (..., inner, cols) -> (..., rows, cols).

    Axes in front of the last two are a batch, and are broadcast. A 1-D x is one row, a 1-D y one
    column; the result then lacks that axis. Raises ValueError if the inner sizes differ.
    """
    check_inner(x.shape, y.shape)
    if x.ndim == 1 or y.ndim == 1:
        return lifted(x, y)
    if x.ndim > 2 and y.ndim == 2:
        return folded(x, y)
    shape = (*broadcast_shapes("matmul", x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1])
    # <ex 3.7> the product by its kernel, and how g reaches x and y (2 lines)
    out = kernel("matmul", x, y, shape=shape)
    return out, lambda g, out: (matmul(g, matrix_transpose(y)), matmul(matrix_transpose(x), g))
    # </ex 3.7>


def check_inner(left: Ints, right: Ints) -> None:
    """Raise ValueError unless the two have axes, and the inner ones agree."""
    if not left or not right:
        raise ValueError(f"matmul: a 0-d array is no matrix: {left} @ {right}; multiply with *.")
    axis, place = (-1, "only axis") if len(right) == 1 else (-2, "second-last")
    if left[-1] != right[axis]:
        raise ValueError(
            f"matmul: inner sizes differ: {left} @ {right}. The left's last axis ({left[-1]}) must "
            f"equal the right's {place} ({right[axis]})."
        )


def lifted(x: Any, y: Any) -> tuple[Array, Vjp]:
    """matmul of a 1-D x (as a row) or y (as a column), whose axis is dropped from the result."""
    row, column = x.ndim == 1, y.ndim == 1
    out, vjp = matmul.function(unsqueeze(x, 0) if row else x, unsqueeze(y, 1) if column else y)

    def dropped(g: Any, out: Any) -> Gradients:
        g = unsqueeze(g, -1) if column else g
        g = unsqueeze(g, -2) if row else g
        dx, dy = vjp(g, out)
        return squeeze(dx, -2) if row else dx, squeeze(dy, -1) if column else dy

    return out.squeeze((-2,) * row + (-1,) * column), dropped


def folded(x: Any, y: Any) -> tuple[Array, Vjp]:
    """matmul of a batch of matrices x and one matrix y, as a single product of all rows.

    One large product is faster than many, and the gradient of y is added up inside of it.
    """
    before = x.shape
    out, vjp = matmul.function(reshape(x, (prod(before[:-1]), before[-1])), y)

    def unfolded(g: Any, out: Any) -> Gradients:
        dx, dy = vjp(reshape(g, (prod(before[:-1]), y.shape[-1])), out)
        return reshape(dx, before), dy

    return out.reshape(*before[:-1], y.shape[-1]), unfolded
