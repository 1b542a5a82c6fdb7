"""Every operator and named method of an Array says the op it means, with its operands in order."""

import operator
from typing import Any

import numpy as np
import pytest

from minigrad.reference.creation import asarray

X = np.array([[2.0, -0.5, 1.5], [4.0, 0.25, -3.0]])
Y = np.array([[3.0, 2.0, -1.0], [0.5, 4.0, 2.0]])
BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


def same(got: Any, want: Any) -> None:
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-14)


@pytest.mark.parametrize("call", BINARY, ids=lambda f: f.__name__)
def test_operators_keep_the_order_of_their_operands(call: Any) -> None:
    x, y = asarray(X), asarray(Y)
    same(call(x, y), call(X, Y))
    same(call(x, 1.5), call(X, 1.5))
    same(call(1.5, x), call(1.5, X))
    same(call(X, y), call(X, Y))
    same(call(x, Y), call(X, Y))
    same(call(np.float64(1.5), x), call(1.5, X))
    same(call(x, Y[0].tolist()), call(X, Y[0]))


def test_powers_and_matrix_products() -> None:
    x, y = asarray(abs(X)), asarray(Y)
    same(x**y, abs(X) ** Y)
    same(x**2, abs(X) ** 2)
    same(2**y, 2**Y)
    same(x @ y.T, abs(X) @ Y.T)
    same(x @ Y.T, abs(X) @ Y.T)
    same(abs(X) @ y.T, abs(X) @ Y.T)
    assert x.__rmatmul__(Y.T).shape == (3, 3)


def test_one_operand() -> None:
    x = asarray(X)
    same(-x, -X)
    same(abs(x), abs(X))
    same(~(x > 0), X <= 0)


@pytest.mark.parametrize("call", [operator.and_, operator.or_, operator.xor])
def test_logic(call: Any) -> None:
    a, b = X > 0, Y > 1
    x, y = asarray(a), asarray(b)
    same(call(x, y), call(a, b))
    same(call(True, y), call(True, b))
    same(call(x, False), call(a, False))
    assert str(call(x, y).dtype) == "bool"


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "var", "std"])
def test_reductions(name: str) -> None:
    x = asarray(X)
    for axis in (None, 0, 1, -1, (0, 1)):
        for keepdims in (False, True):
            want = getattr(np, name)(X, axis=axis, keepdims=keepdims)
            same(getattr(x, name)(axis=axis, keepdims=keepdims), want)
            same(getattr(x, name)(axis, keepdims=keepdims), want)


def test_the_correction_of_a_variance() -> None:
    x = asarray(X)
    same(x.var(1, correction=1), X.var(1, ddof=1))
    same(x.std(0, correction=1), X.std(0, ddof=1))


def test_any_and_all() -> None:
    a = X > 0
    for axis in (None, 0, 1):
        for keepdims in (False, True):
            same(asarray(a).any(axis, keepdims), a.any(axis=axis, keepdims=keepdims))
            same(asarray(a).all(axis, keepdims), a.all(axis=axis, keepdims=keepdims))


def test_the_place_of_the_extreme() -> None:
    x = asarray(X)
    for axis in (None, 0, 1):
        for keepdims in (False, True):
            same(x.argmax(axis, keepdims), np.argmax(X, axis, keepdims=keepdims))
            same(x.argmin(axis, keepdims), np.argmin(X, axis, keepdims=keepdims))


def test_elementwise_methods() -> None:
    x = asarray(X)
    for name in ("exp", "tanh", "square"):
        same(getattr(x, name)(), getattr(np, name)(X))
    same((x * x).log(), np.log(X * X))
    same((x * x).sqrt(), np.sqrt(X * X))
    same(x.sigmoid(), 1 / (1 + np.exp(-X)))
    same(x.relu(), np.maximum(X, 0))
    same(x.clip(-1.0, 2.0), np.clip(X, -1, 2))
    same(x.clip(high=1.0), np.minimum(X, 1))
    same(x.clip(0.5), np.maximum(X, 0.5))


def test_what_is_no_operand() -> None:
    x = asarray(X)
    for wrong in ("1", None, {1.0}, 1j):
        for call in BINARY[:4]:
            with pytest.raises(TypeError):
                call(x, wrong)
            with pytest.raises(TypeError):
                call(wrong, x)
