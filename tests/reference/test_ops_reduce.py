"""Reductions: values against NumPy, gradients, dtypes, no elements, errors."""

import itertools
import math

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.dtypes import bool_, float32, float64, int64
from minigrad.gradcheck import gradcheck
from minigrad.reference import engine, memory
from minigrad.reference.array import AxisError
from minigrad.reference.creation import asarray

INF, NAN = math.inf, math.nan
FLOATS = {"mean": np.mean, "var": np.var, "std": np.std}
NUMBERS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
BOOLS = {"any": np.any, "all": np.all}
PLACES = {"argmax": np.argmax, "argmin": np.argmin}
AXES = (None, 0, 1, 2, -1, -2, -3, (0, 1), (-1, 0), (1, 2), (0, 1, 2), ())
BOTH = (False, True)


@pytest.fixture(autouse=True)
def dirty_memory(monkeypatch):
    """New memory is full of NaN: a kernel has to write every element."""
    monkeypatch.setattr(memory.Slot, "function", lambda n: np.full(n, 0xFF, dtype=np.uint8))


def random(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.5, 2.0, shape)


def layouts():
    wide = random(4, 6, 10)
    yield from (random(3, 5, 7), wide.T, wide[::-1, ::-2, ::3], wide[1:, 2:3, :5])
    yield np.broadcast_to(random(1, 3, 4), (2, 3, 4))


@pytest.mark.parametrize("name", [*FLOATS, *NUMBERS])
def test_values_over_any_axes(name):
    op, formula = getattr(engine, name), (FLOATS | NUMBERS)[name]
    for x, axis, keepdims in itertools.product(layouts(), AXES, BOTH):
        view = asarray(x) if x.flags.writeable else asarray(random(1, 3, 4)).expand(2, 3, 4)
        out = op(view, axis=axis, keepdims=keepdims)
        want = formula(x, axis=axis, keepdims=keepdims)
        given = {"strides": x.strides, "axis": axis, "keepdims": keepdims}
        expect.close(out.numpy(), want, what=name, inputs=given, tol=256 * EPS, scale=1e-9)
        assert out.dtype == float64


@pytest.mark.parametrize("name", BOOLS)
def test_any_and_all(name):
    for seed, axis, keepdims in itertools.product(range(3), AXES, BOTH):
        x = np.random.default_rng(seed).uniform(size=(2, 3, 4)) < (0.2 if name == "any" else 0.8)
        for given in (x, x.astype(np.int64) * 5, x * 0.5):
            out = getattr(engine, name)(asarray(given), axis=axis, keepdims=keepdims)
            want = (BOOLS)[name](x, axis=axis, keepdims=keepdims)
            assert out.dtype == bool_ and out.shape == want.shape
            assert np.array_equal(out.numpy(), want)
    assert getattr(engine, name)(asarray([NAN])).item() is True


@pytest.mark.parametrize("name", PLACES)
def test_where_the_extreme_stands(name):
    op, formula = getattr(engine, name), PLACES[name]
    rng = np.random.default_rng(0)
    for x in (
        rng.normal(size=(3, 4, 5)),
        rng.integers(0, 3, (5, 4, 3)).T,
        rng.integers(0, 2, (1, 3, 1)),
    ):
        for axis, keepdims in itertools.product((None, 0, 1, 2, -1, -3), BOTH):
            out = op(asarray(x), axis=axis, keepdims=keepdims)
            want = formula(x, axis=axis, keepdims=keepdims)
            assert out.dtype == int64 and out.shape == want.shape
            assert np.array_equal(out.numpy(), want)
    assert op(asarray([1.0, NAN, 3.0, NAN])).item() == 1
    assert op(asarray(3.0)).item() == 0
    assert op(asarray([True, True])).item() == 0
    with pytest.raises(TypeError, match=f"^{name}: axis is one int or None"):
        op(asarray([[1.0]]), axis=(0, 1))


@pytest.mark.parametrize("name", [*FLOATS, *NUMBERS])
def test_gradients_over_any_axes(name):
    op = getattr(engine, name)
    x = asarray(random(2, 3, 4).T)
    # Where single elements are left the variance is 0, and its root has a kink.
    axes = [a for a in AXES if a != () or name not in ("std", "var")]
    for axis, keepdims in itertools.product(axes, BOTH):
        gradcheck(op, x, options={"axis": axis, "keepdims": keepdims}, tol=1e-7)
    if name != "std":
        gradcheck(op, asarray(np.array(1.5)))
    if name not in ("max", "min"):
        gradcheck(op, asarray(np.zeros((3, 0))), options={"axis": 0})
    if name in ("sum", "prod"):
        gradcheck(op, asarray(np.zeros((3, 0))), options={"axis": 1})


def test_dtypes():
    whole, both, single = asarray([1, 2, 4]), asarray([True, False, True]), asarray([1.0, 2.0, 4.0])
    for name, of_ints, of_bools in [
        ("sum", 7, 2),
        ("prod", 8, 0),
        ("max", 4, True),
        ("min", 1, False),
        ("mean", float(np.float32(7 / 3)), float(np.float32(2 / 3))),
    ]:
        op = getattr(engine, name)
        kind = float32 if name == "mean" else int64
        assert op(whole).dtype == kind and op(whole).item() == of_ints
        assert op(both).dtype == (kind if name in ("sum", "prod", "mean") else bool_)
        assert op(both).item() == of_bools
        assert op(single).dtype == float32
    assert engine.var(whole).dtype == engine.std(both).dtype == float32
    assert engine.sum(asarray([2**62, 2**61])).item() == 2**62 + 2**61


def test_single_precision_is_added_up_in_pairs():
    x = np.full(10**6, 0.1, np.float32)
    assert abs(engine.sum(asarray(x)).item() - x.sum(dtype=np.float64)) < 0.1
    assert abs(engine.mean(asarray(x)).item() - 0.1) < 1e-6
    far = asarray((1e4 + random(1000)).astype(np.float32))
    want = np.var(far.numpy(), dtype=np.float64)
    expect.close(engine.var(far).item(), want, what="var far from 0", tol=1e-3)


def test_reductions_of_no_elements():
    none = asarray(np.zeros((0, 3)))
    for name, want in [("sum", 0.0), ("prod", 1.0), ("mean", NAN), ("var", NAN), ("std", NAN)]:
        for axis in (None, 0, (0, 1)):
            out = getattr(engine, name)(none, axis=axis)
            expect.close(out.numpy(), np.full((3,) if axis == 0 else (), want), what=name)
        assert getattr(engine, name)(none, axis=1).shape == (0,)
    assert engine.any(none, axis=0).tolist() == [False] * 3
    assert engine.all(none, axis=0).tolist() == [True] * 3
    assert engine.sum(asarray(np.zeros(0, np.int64))).dtype == int64
    for name in ("max", "min", "argmax", "argmin"):
        op = getattr(engine, name)
        for axis in (None, 0):
            with pytest.raises(ValueError, match=rf"^{name}: .* no element to choose"):
                op(none, axis=axis)
        assert op(none, axis=1).shape == (0,)
        assert op(none, axis=1, keepdims=True).shape == (0, 1)


@pytest.mark.parametrize("name", [*FLOATS, *NUMBERS, *BOOLS, *PLACES])
def test_axes_that_are_not_there(name):
    x, op = asarray(np.zeros((2, 3))), getattr(engine, name)
    for axis in (2, -3):
        with pytest.raises(AxisError, match=f"^{name}: axis {axis} is out of range"):
            op(x, axis=axis)
    with pytest.raises(TypeError, match=f"^{name}: an axis is an int, got 0.5"):
        op(x, axis=0.5)
    if name not in PLACES:
        with pytest.raises(AxisError, match=f"^{name}: axis 1 is given twice"):
            op(x, axis=(1, -1))
    with pytest.raises(AxisError):
        op(asarray(1.0), axis=0)


def test_nan_and_infinity_go_through():
    x = asarray([[1.0, NAN, 3.0], [INF, 1.0, 2.0], [INF, -INF, 0.0]])
    for name, want in [
        ("sum", [NAN, INF, NAN]),
        ("mean", [NAN, INF, NAN]),
        ("max", [NAN, INF, INF]),
        ("min", [NAN, 1.0, -INF]),
        ("prod", [NAN, INF, NAN]),
        ("var", [NAN, NAN, NAN]),
        ("std", [NAN, NAN, NAN]),
    ]:
        expect.close(getattr(engine, name)(x, axis=1).numpy(), want, what=name)


def gradient(op, x, **options):
    """Of the sum of the results."""
    out, pull = op.with_vjp(asarray(np.array(x)), **options)
    return pull(asarray(np.ones(out.shape)))[0].numpy()


def test_the_gradient_of_a_product_with_zeros():
    for x, want in [
        ([2.0, 3.0, 5.0], [15.0, 10.0, 6.0]),
        ([2.0, 0.0, 5.0], [0.0, 10.0, 0.0]),
        ([0.0, 0.0, 5.0], [0.0, 0.0, 0.0]),
        ([0.0], [1.0]),
        ([-2.0, 0.0], [0.0, -2.0]),
        ([INF, 2.0], [2.0, INF]),
        ([1e-200, 1e-200, 1e200], [1.0, 1.0, 0.0]),
    ]:
        expect.close(gradient(engine.prod, x), want, what="the gradient of prod", inputs={"x": x})
    x = random(3, 4, 5)
    x[0, 1], x[2, 3, 1:3] = 0.0, 0.0
    for axis in AXES:
        gradcheck(engine.prod, asarray(x), options={"axis": axis})


def test_variance_and_its_correction():
    x = random(4, 6)
    for correction in (0, 1, 2, 0.5):
        want = x.var(axis=1) * 6 / (6 - correction)
        options = {"axis": 1, "correction": correction}
        out = engine.var(asarray(x), **options)
        expect.close(out.numpy(), want, what="var", inputs=options, tol=64 * EPS)
        out = engine.std(asarray(x), **options)
        expect.close(out.numpy(), np.sqrt(want), what="std", inputs=options, tol=64 * EPS)
        for op in (engine.var, engine.std):
            gradcheck(op, asarray(x), options=options)


def test_the_spread_of_one_element_and_of_equal_ones():
    # As in PyTorch, whose default is correction=1.
    for op in (engine.var, engine.std):
        for x in ([3.0], [3.0, 3.0, 3.0]):
            assert op(asarray(x)).item() == 0.0
            expect.close(gradient(op, x), np.zeros(len(x)), what=f"the gradient of {op.__name__}")
        assert math.isnan(op(asarray([3.0]), correction=1).item())
        expect.close(gradient(op, [3.0], correction=1), [NAN], what="the gradient of one element")


def test_means_of_one_axis_have_the_gradient_of_their_share():
    dx = gradient(engine.mean, np.zeros((2, 5)), axis=1)
    expect.close(dx, np.full((2, 5), 0.2), what="the gradient of mean(x, axis=1)")
    assert gradient(engine.mean, np.zeros((0, 2)), axis=0).shape == (0, 2)
