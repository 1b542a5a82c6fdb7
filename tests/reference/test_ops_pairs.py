"""Ops of two and more arrays: values against NumPy, gradients, dtypes, ties, errors."""

import math
import operator

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.dtypes import bool_, float32, float64, int64
from minigrad.gradcheck import gradcheck
from minigrad.reference import engine, memory
from minigrad.reference.creation import asarray

INF, NAN = math.inf, math.nan
ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "maximum": lambda x, y: np.where(x > y, x, y),
    "minimum": lambda x, y: np.where(x < y, x, y),
}
COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
LOGIC = {
    "logical_and": lambda x, y: (x != 0) & (y != 0),
    "logical_or": lambda x, y: (x != 0) | (y != 0),
    "logical_xor": lambda x, y: (x != 0) ^ (y != 0),
}
SHAPES = [
    ((5, 7), (5, 7)),
    ((5, 1), (7,)),
    ((3, 1, 4), (2, 1)),
    ((), (3, 5)),
    ((1,), (0, 1)),
    ((), ()),
    ((1, 1), (3,)),
]


@pytest.fixture(autouse=True)
def dirty_memory(monkeypatch):
    """New memory is full of NaN: a kernel has to write every element."""
    monkeypatch.setattr(memory.Slot, "function", lambda n: np.full(n, 0xFF, dtype=np.uint8))


def positive(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.3, 3.0, shape)


def pairs():
    """Two arrays that can be broadcast, in several layouts."""
    for a, b in SHAPES:
        yield positive(*a), positive(*b, seed=1)
    wide = positive(6, 9)
    yield wide.T, positive(9, 6, seed=1)
    yield wide[::-1, ::-2], positive(6, 10, seed=1)[:, ::2]
    yield wide[1:4, 2:5], wide[:3, :3].T


@pytest.mark.parametrize("name", ARITHMETIC)
def test_values_and_gradients_of_arithmetic(name):
    op = getattr(engine, name)
    for x, y in pairs():
        out = op(asarray(x), asarray(y))
        assert out.dtype == float64
        expect.close(out.numpy(), ARITHMETIC[name](x, y), what=name, tol=4 * EPS)
        gradcheck(op, asarray(x), asarray(y))


@pytest.mark.parametrize("name", [*COMPARISONS, *LOGIC])
def test_comparisons_and_logic(name):
    op, formula = getattr(engine, name), (COMPARISONS | LOGIC)[name]
    rng = np.random.default_rng(0)
    for a, b in SHAPES:
        for kind in (np.float64, np.float32, np.int64, np.bool_):
            x, y = (rng.integers(0, 3, shape).astype(kind) for shape in (a, b))
            out = op(asarray(x), asarray(y))
            assert out.dtype == bool_ and np.array_equal(out.numpy(), formula(x, y))
    special = np.array([0.0, -0.0, 1.0, INF, -INF, NAN])
    out = op(asarray(special[:, None]), asarray(special))
    assert np.array_equal(out.numpy(), formula(special[:, None], special))
    assert op.with_vjp(asarray(special), 1.0)[1](asarray(special)) == (None, None)


def test_dtypes():
    both, whole = asarray([True, False]), asarray([2, 3])
    single, double = asarray([0.5, 2.0]), asarray(np.array([0.5, 2.0]))
    for x, y, want in [
        (both, both, bool_),
        (both, whole, int64),
        (whole, single, float32),
        (both, double, float64),
        (single, double, float64),
        (single, 2.0, float32),
        (single, 2, float32),
        (whole, 2, int64),
        (whole, 2.0, float32),
        (both, True, bool_),
        (both, 2, int64),
        (double, 2.0, float64),
        (1, single, float32),
        ([1.0, 2.0], whole, float32),
    ]:
        for name in ("add", "mul", "maximum", "minimum"):
            assert getattr(engine, name)(x, y).dtype == want
    for x, y in [(whole, whole), (both, both), (whole, 2), (1, whole), (whole, True)]:
        assert engine.div(x, y).dtype == float32
    assert engine.div(whole, asarray([4, 4])).tolist() == [0.5, 0.75]
    assert engine.div(double, whole).dtype == float64


def test_bools_have_no_difference_and_no_power():
    both = asarray([True, False])
    for name in ("sub", "pow"):
        with pytest.raises(TypeError, match=f"^{name}: not defined for bool"):
            getattr(engine, name)(both, both)
    assert engine.add(both, asarray([True, True])).tolist() == [True, True]
    assert engine.mul(both, asarray([True, True])).tolist() == [True, False]
    assert engine.maximum(both, asarray([False, False])).tolist() == [True, False]


def test_shapes_that_do_not_fit():
    x, y = asarray(np.zeros((2, 3))), asarray(np.zeros((2, 4)))
    for name in (*ARITHMETIC, *COMPARISONS, *LOGIC):
        with pytest.raises(ValueError, match=rf"^{name}: shapes \(2, 3\) and \(2, 4\) cannot be"):
            getattr(engine, name)(x, y)


def test_division_by_zero_and_by_infinity():
    x, y = asarray([1.0, -1.0, 0.0, 1.0, INF]), asarray([0.0, 0.0, 0.0, INF, INF])
    out, pull = engine.div.with_vjp(x, y)
    expect.close(out.numpy(), [INF, -INF, NAN, 0.0, NAN], what="x / y")
    dx, dy = pull(asarray([1.0] * 5))
    expect.close(dx.numpy(), [INF, INF, INF, 0.0, 0.0], what="the gradient of x in x / y")
    expect.close(dy.numpy(), [-INF, INF, NAN, 0.0, NAN], what="the gradient of y in x / y")
    whole = engine.div(asarray([1, 0]), asarray([0, 0]))
    expect.close(whole.numpy(), [INF, NAN], what="x / y of ints")


def test_powers_at_their_corners():
    # x, y, x ** y, gradient of x, gradient of y: as in PyTorch
    rows = [
        (0.0, 0.0, 1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0, 1.0, 0.0),
        (0.0, 2.0, 0.0, 0.0, 0.0),
        (0.0, 0.5, 0.0, INF, 0.0),
        (0.0, -1.0, INF, -INF, -INF),
        (7.0, 0.0, 1.0, 0.0, math.log(7.0)),
        (-2.0, 3.0, -8.0, 12.0, NAN),
        (-2.0, 0.0, 1.0, 0.0, NAN),
        (-2.0, 0.5, NAN, NAN, NAN),
        (NAN, 0.0, 1.0, 0.0, NAN),
        (INF, 2.0, INF, INF, INF),
        (1.0, INF, 1.0, INF, 0.0),
    ]
    x, y, value, along_x, along_y = (np.array(column) for column in zip(*rows, strict=True))
    out, pull = engine.pow.with_vjp(asarray(x), asarray(y))
    dx, dy = pull(asarray(np.ones(len(rows))))
    expect.close(out.numpy(), value, what="x ** y", inputs={"x": x, "y": y})
    expect.close(dx.numpy(), along_x, what="the gradient of x", inputs={"x": x, "y": y})
    expect.close(dy.numpy(), along_y, what="the gradient of y", inputs={"x": x, "y": y})


def test_powers_of_ints():
    assert engine.pow(asarray([2, -3, 0]), 3).tolist() == [8, -27, 0]
    assert engine.pow(asarray([2, 4]), 0.5).dtype == float32
    with pytest.raises(ValueError, match=r"^pow: a whole number to a power below 0"):
        engine.pow(asarray([2, 3]), -1)
    assert engine.pow(asarray([2.0, 4.0]), -1).tolist() == [0.5, 0.25]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_equal_ones_share_the_gradient(name):
    x, y = asarray([1.0, 2.0, 3.0, 0.0, NAN]), asarray([3.0, 2.0, 1.0, -0.0, 1.0])
    out, pull = getattr(engine, name).with_vjp(x, y)
    dx, dy = pull(asarray([8.0] * 5))
    large = ([0.0, 4.0, 8.0, 4.0, 8.0], [8.0, 4.0, 0.0, 4.0, 8.0])
    small = ([8.0, 4.0, 0.0, 4.0, 8.0], [0.0, 4.0, 8.0, 4.0, 8.0])
    want = large if name == "maximum" else small
    expect.close(dx.numpy(), want[0], what=f"the gradient of x in {name}")
    expect.close(dy.numpy(), want[1], what=f"the gradient of y in {name}")
    assert math.isnan(out.tolist()[4])


def test_where():
    mask = np.random.default_rng(0).uniform(size=(3, 1, 5)) > 0.4
    x, y = positive(4, 1), positive(5, seed=1)
    out = engine.where(asarray(mask), asarray(x), asarray(y))
    assert np.array_equal(out.numpy(), np.where(mask, x, y))
    gradcheck(engine.where, asarray(mask), asarray(x), asarray(y))
    gradcheck(engine.where, asarray(mask.T), asarray(x), 2.0)
    assert engine.where(asarray([True, False]), 1, 2.5).tolist() == [1.0, 2.5]
    assert engine.where([True, False], asarray([1, 2]), 7).dtype == int64
    assert (
        engine.where(asarray([True, False]), asarray([1, 2]), asarray([0.5, 0.5])).dtype == float32
    )
    with pytest.raises(TypeError, match=r"^where: the mask must be bool, got int64"):
        engine.where(asarray([1, 0]), 1.0, 2.0)
    with pytest.raises(ValueError, match=r"^where: shapes"):
        engine.where(asarray([True, False]), asarray([1.0, 2.0, 3.0]), 0.0)


def test_what_was_not_chosen_receives_zero_even_beside_nan_and_infinity():
    mask, x, y = asarray([True, False]), asarray([1.0, NAN]), asarray([INF, 2.0])
    _, dx, dy = engine.where.with_vjp(mask, x, y)[1](asarray([5.0, INF]))
    assert dx.tolist() == [5.0, 0.0] and dy.tolist() == [0.0, INF]


def test_masked_fill():
    mask = np.array([[True, False, True], [False, False, True]])
    x = positive(2, 3)
    out = engine.masked_fill(asarray(x), asarray(mask), -INF)
    assert np.array_equal(out.numpy(), np.where(mask, -INF, x))
    gradcheck(engine.masked_fill, asarray(x), asarray(mask), 0.5)
    gradcheck(engine.masked_fill, asarray(x[0]), asarray(mask), 0.5)
    assert engine.masked_fill(asarray([1, 2]), asarray([True, False]), 9).tolist() == [9, 2]
    assert engine.masked_fill(asarray([1.0, 2.0]), asarray([True, False]), 9).dtype == float32
    with pytest.raises(TypeError, match=r"^masked_fill: 0\.5 does not go into an array of int64"):
        engine.masked_fill(asarray([1, 2]), asarray([True, False]), 0.5)
    with pytest.raises(TypeError, match=r"^masked_fill: the mask must be bool"):
        engine.masked_fill(asarray([1.0]), asarray([1.0]), 0.5)


def test_clip():
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, INF, -INF, NAN])
    for low, high, value, slope in [
        (-1.0, 1.0, [-1, -1, 0, 1, 1, 1, -1, NAN], [0, 1, 1, 1, 0, 0, 0, 0]),
        (-1, None, [-1, -1, 0, 1, 2, INF, -1, NAN], [0, 1, 1, 1, 1, 1, 0, 0]),
        (None, 1, [-2, -1, 0, 1, 1, 1, -INF, NAN], [1, 1, 1, 1, 0, 0, 1, 0]),
        (1.0, -1.0, [-1, -1, -1, -1, -1, -1, -1, NAN], [0] * 8),
    ]:
        out, pull = engine.clip.with_vjp(asarray(x), low, high)
        dx, *_ = pull(asarray(np.ones(8)))
        given = {"low": low, "high": high}
        expect.close(out.numpy(), value, what="clip(x, low, high)", inputs=given)
        expect.close(dx.numpy(), slope, what="the gradient of clip", inputs=given)
    gradcheck(engine.clip, asarray(positive(4, 5).T), 0.8, 2.0)
    assert engine.clip(asarray([1, 5, 9]), 2, 6).tolist() == [2, 5, 6]
    assert engine.clip(asarray([1, 5, 9]), 2.5).tolist() == [2.5, 5.0, 9.0]
    assert engine.clip(asarray([1.0, 5.0])).tolist() == [1.0, 5.0]
    with pytest.raises(TypeError, match=r"^clip: the bounds are numbers or None, got 'a' and None"):
        engine.clip(asarray([1.0]), "a")
