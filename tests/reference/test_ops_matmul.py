"""matmul against NumPy for every pair of shapes and layout, and its gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.gradcheck import gradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.ops.matmul import matmul


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def close(out, wanted, tol=1e-14):
    assert out.shape == wanted.shape
    assert str(out.dtype) == str(wanted.dtype)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=tol, atol=tol)


PAIRS = [
    ((3, 5), (5, 2)),
    ((1, 1), (1, 1)),
    ((7, 1), (1, 7)),
    ((5,), (5,)),
    ((5,), (5, 2)),
    ((3, 5), (5,)),
    ((4, 3, 5), (5,)),
    ((5,), (4, 5, 2)),
    ((4, 3, 5), (5, 2)),
    ((3, 5), (4, 5, 2)),
    ((4, 3, 5), (4, 5, 2)),
    ((1, 3, 5), (4, 5, 2)),
    ((2, 1, 3, 5), (4, 5, 2)),
    ((2, 1, 1, 5), (1, 3, 5, 1)),
    ((0, 5), (5, 2)),
    ((3, 0), (0, 2)),
    ((0,), (0,)),
    ((0, 3, 5), (5, 2)),
    ((0, 3, 5), (1, 5, 2)),
    ((1, 3, 0), (4, 0, 2)),
]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_values_and_gradients(left, right):
    x, y = drawn(*left), drawn(*right, seed=1)
    close(matmul(asarray(x), asarray(y)), np.asarray(x @ y))
    gradcheck(matmul, asarray(x), asarray(y))


def layouts(x):
    """The same numbers compact, turned over in memory, backwards, and with gaps."""
    gaps = np.zeros(tuple(2 * n for n in x.shape))[tuple(slice(None, None, 2) for _ in x.shape)]
    gaps[...] = x
    back = tuple(slice(None, None, -1) for _ in x.shape)
    return [x, np.ascontiguousarray(x.T).T, np.ascontiguousarray(x[back])[back], gaps]


def test_every_layout_of_both():
    x, y = drawn(3, 5), drawn(5, 4, seed=1)
    wanted = x @ y
    for a in layouts(x):
        for b in layouts(y):
            close(matmul(asarray(a), asarray(b)), wanted)
    row = asarray(drawn(1, 5)).expand((3, 5))
    close(matmul(row, asarray(y)), np.repeat(drawn(1, 5) @ y, 3, axis=0))
    gradcheck(matmul, row, asarray(y))


@given(
    batch=st.lists(
        st.tuples(st.integers(1, 3), st.sampled_from(["same", "left", "right"])), max_size=2
    ),
    sizes=st.tuples(*[st.integers(0, 4)] * 3),
    shorter=st.sampled_from(["left", "right", None]),
)
def test_any_batch(batch, sizes, shorter):
    rows, inner, cols = sizes
    left = [1 if who == "right" else n for n, who in batch]
    right = [1 if who == "left" else n for n, who in batch]
    left, right = left[shorter == "left" :], right[shorter == "right" :]
    x, y = drawn(*left, rows, inner), drawn(*right, inner, cols, seed=1)
    close(matmul(asarray(x), asarray(y)), x @ y)
    gradcheck(matmul, asarray(x), asarray(y))


def test_dtypes():
    x, y = np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)
    close(matmul(asarray(x), asarray(y)), x @ y)
    close(matmul(asarray(np.float32(x)), asarray(np.float32(y))), np.float32(x @ y))
    close(matmul(asarray(np.float32(x)), asarray(np.float64(y))), np.float64(x @ y))
    close(matmul(asarray(x), asarray(np.float32(y))), np.float32(x @ y))
    dx, dy = matmul.with_vjp(asarray(x), asarray(np.float32(y)))[1](asarray(np.ones((2, 2))))
    assert dx is None
    assert str(dy.dtype) == "float32"
    close(matmul([[1.0, 2.0]], asarray([[3.0], [4.0]])), np.float32([[11.0]]))


def test_nan_and_infinity_go_through():
    x = np.array([[np.nan, 1.0], [1.0, np.inf], [0.0, 1.0]])
    out = matmul(asarray(x), asarray(np.array([[1.0], [1.0]]))).numpy()
    np.testing.assert_array_equal(out, [[np.nan], [np.inf], [1.0]])


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (
            (64, 784),
            (512, 10),
            r"matmul: inner sizes differ: \(64, 784\) @ \(512, 10\)\. The left's last axis \(784\) "
            r"must equal the right's second-last \(512\)\.",
        ),
        ((3,), (4,), r"last axis \(3\) must equal the right's only axis \(4\)"),
        ((3,), (4, 3), r"last axis \(3\) must equal the right's second-last \(4\)"),
        ((4, 3), (4,), r"last axis \(3\) must equal the right's only axis \(4\)"),
        ((1, 3), (2, 1), r"inner sizes differ"),
        ((), (3, 2), r"a 0-d array is no matrix: \(\) @ \(3, 2\); multiply with \*"),
        ((3, 2), (), r"a 0-d array is no matrix"),
        ((2, 3, 4), (3, 4, 5), r"matmul: shapes \(2,\) and \(3,\) cannot be broadcast"),
    ],
)
def test_shapes_that_do_not_fit(left, right, message):
    with pytest.raises(ValueError, match=message):
        matmul(asarray(drawn(*left)), asarray(drawn(*right)))
