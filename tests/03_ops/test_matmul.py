"""3.7: the product of matrices, and how its gradient reaches each of the two."""

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.ops.matmul import matmul

pytestmark = pytest.mark.exercise("3.7")


def drawn(*shape, seed=0):
    return asarray(np.random.default_rng(seed).uniform(-2.0, 2.0, shape))


def by_sums(x, y):
    """The product of two 2-D arrays, entry by entry from its definition."""
    (rows, inner), cols = x.shape, y.shape[1]
    return np.array(
        [[sum(x[i, k] * y[k, j] for k in range(inner)) for j in range(cols)] for i in range(rows)]
    ).reshape(rows, cols)


def test_a_product_by_hand():
    x, y = [[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]
    out = matmul(asarray(np.array(x)), asarray(np.array(y)))
    wanted = np.array([[19.0, 22.0], [43.0, 50.0]])
    expect.close(out, wanted, what="x @ y", inputs={"x": x, "y": y})


def test_the_gradients_by_hand():
    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])
    g = np.array([[1.0, 0.0], [0.0, 10.0]])
    dx, dy = matmul.with_vjp(asarray(x), asarray(y))[1](asarray(g))
    given = {"x": x.tolist(), "y": y.tolist(), "g": g.tolist()}
    # Only out[0, 0] = x[0] @ y[:, 0] and, ten times, out[1, 1] = x[1] @ y[:, 1] count here.
    expect.close(dx, np.array([[5.0, 7.0], [60.0, 80.0]]), what="the gradient of x", inputs=given)
    expect.close(dy, np.array([[1.0, 30.0], [2.0, 40.0]]), what="the gradient of y", inputs=given)


@pytest.mark.parametrize(
    "shape", [(3, 3, 3), (2, 3, 4), (5, 1, 2), (1, 7, 1), (3, 0, 2), (0, 2, 3)]
)
def test_any_two_matrices_that_fit(shape):
    rows, inner, cols = shape
    x, y = drawn(rows, inner), drawn(inner, cols, seed=1)
    out = matmul(x, y)
    given = {"x": x.numpy(), "y": y.numpy()}
    wanted = by_sums(x.numpy(), y.numpy())
    expect.close(out, wanted, what="x @ y", inputs=given, tol=16 * EPS, scale=4.0 * max(inner, 1))
    gradcheck(matmul, x, y)


def test_a_batch_is_many_products():
    x, y = drawn(2, 3, 4, 5), drawn(2, 3, 5, 2, seed=1)
    out = matmul(x, y)
    expect.equal(out.shape, (2, 3, 4, 2), what="the shape of (2, 3, 4, 5) @ (2, 3, 5, 2)")
    for at in np.ndindex(2, 3):
        wanted = by_sums(x.numpy()[at], y.numpy()[at])
        expect.close(out[at], wanted, what=f"product {at} of the batch", tol=16 * EPS, scale=20.0)
    gradcheck(matmul, x, y)


def test_one_matrix_for_a_whole_batch():
    gradcheck(matmul, drawn(3, 2, 4), drawn(4, 2, seed=1))
    gradcheck(matmul, drawn(2, 4), drawn(3, 4, 2, seed=1))
    gradcheck(matmul, drawn(2, 1, 3, 2), drawn(4, 2, 3, seed=1))


def test_a_vector_is_a_row_or_a_column():
    x, y = drawn(3), drawn(3, 2, seed=1)
    wanted = by_sums(x.numpy()[None], y.numpy())[0]
    expect.close(matmul(x, y), wanted, what="(3,) @ (3, 2)", tol=16 * EPS, scale=12.0)
    gradcheck(matmul, x, y)
    gradcheck(matmul, drawn(2, 3), drawn(3, seed=1))
    gradcheck(matmul, drawn(3), drawn(3, seed=1))


def test_the_result_has_the_dtype_of_the_factors():
    x, y = drawn(2, 3).astype("float32"), drawn(3, 2).astype("float32")
    expect.equal(str(matmul(x, y).dtype), "float32", what="the dtype of float32 @ float32")
    dx, dy = matmul.with_vjp(x, y)[1](matmul(x, y))
    kinds = (str(dx.dtype), str(dy.dtype))
    expect.equal(kinds, ("float32", "float32"), what="the dtypes of the gradients")
