"""Unary ops: values against NumPy and the standard library, gradients, dtypes, corners."""

import math

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.dtypes import bool_, float32, float64, int64
from minigrad.gradcheck import gradcheck
from minigrad.reference import engine, memory
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.ops.unary import slope_of_gelu

INF, NAN = math.inf, math.nan
erf = np.vectorize(math.erf, otypes=[np.float64])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x.astype(np.longdouble)))


# What each op computes, said in another way, and where its inputs lie.
FLOATS = {
    "exp": (np.exp, -3, 3),
    "expm1": (np.expm1, -3, 3),
    "log": (np.log, 0.1, 9),
    "log1p": (np.log1p, -0.9, 9),
    "sqrt": (np.sqrt, 0.1, 9),
    "rsqrt": (lambda x: x**-0.5, 0.2, 9),
    "reciprocal": (lambda x: x**-1.0, 0.2, 9),
    "sin": (np.sin, -6, 6),
    "cos": (np.cos, -6, 6),
    "tanh": (lambda x: 1.0 - 2.0 / (np.exp(2.0 * x) + 1.0), 0.5, 3),
    "erf": (erf, -3, 3),
    "sigmoid": (sigmoid, -9, 9),
    "gelu": (lambda x: x * 0.5 * (1.0 + erf(x / math.sqrt(2.0))), -3, 3),
    "silu": (lambda x: x * sigmoid(x), -9, 9),
    "softplus": (lambda x: np.log1p(np.exp(x)), -9, 9),
}
ANY = {
    "neg": (lambda x: 0 - x, -3, 3),
    "abs": (lambda x: np.where(x < 0, 0 - x, x), -3, 3),
    "sign": (lambda x: (x > 0) * 1.0 - (x < 0) * 1.0, -3, 3),
    "square": (lambda x: x * x, -3, 3),
    "relu": (lambda x: np.where(x > 0, x, 0), -3, 3),
    "floor": (lambda x: x // 1, -3, 3),
    "ceil": (lambda x: 0 - (0 - x) // 1, -3, 3),
    "round": (lambda x: np.round(x), -3, 3),
}
ALL = FLOATS | ANY


@pytest.fixture(autouse=True)
def dirty_memory(monkeypatch):
    """New memory is full of NaN: a kernel has to write every element."""
    monkeypatch.setattr(memory.Slot, "function", lambda n: np.full(n, 0xFF, dtype=np.uint8))


def inputs(name, *shape, seed=0):
    _, low, high = ALL[name]
    return np.random.default_rng(seed).uniform(low, high, shape)


def layouts(x):
    """The same op has to see numbers in any order, with gaps, repeated, alone, or none."""
    yield from (x, x.T, x[::-1, ::-2], x[1:, 1:], x[:, :1], x[2], x[0, 0], x[:0], x[None])
    yield np.broadcast_to(x[0], (3, *x[0].shape))


@pytest.mark.parametrize("name", ALL)
def test_values_in_every_layout(name):
    op, formula = getattr(engine, name), ALL[name][0]
    for view in layouts(inputs(name, 5, 7)):
        before = view.copy()
        out = op(asarray(np.asarray(view)))
        want = np.asarray(formula(np.asarray(view)), np.float64)
        expect.close(out.numpy(), want, what=name, tol=16 * EPS, scale=0.2)
        assert isinstance(out, Array) and out.dtype == float64
        assert np.array_equal(view, before)


@pytest.mark.parametrize("name", ALL)
def test_single_precision(name):
    x = inputs(name, 6, 5).astype(np.float32)
    out = getattr(engine, name)(asarray(x))
    assert out.dtype == float32
    want = np.asarray(ALL[name][0](x.astype(np.float64)), np.float64)
    expect.close(out.numpy(), want, what=name, tol=4e-7, scale=1.0)


@pytest.mark.parametrize("name", ALL)
def test_gradients(name):
    op = getattr(engine, name)
    for x in (inputs(name, 3, 5), inputs(name, 5, 3).T[:, ::-2], inputs(name), inputs(name, 0, 2)):
        gradcheck(op, asarray(np.asarray(x)))


def test_gelu_by_tanh():
    x = inputs("gelu", 4, 3)
    out = engine.gelu(asarray(x), approximate="tanh")
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    expect.close(out.numpy(), x * sigmoid(2.0 * inner), what="gelu", tol=16 * EPS, scale=0.2)
    assert np.abs(out.numpy() - engine.gelu(asarray(x)).numpy()).max() < 5e-4
    gradcheck(engine.gelu, asarray(x), options={"approximate": "tanh"})
    with pytest.raises(ValueError, match=r"^gelu: approximate is .none. or .tanh., got 'erf'"):
        engine.gelu(asarray(x), approximate="erf")


@pytest.mark.parametrize("name", FLOATS)
def test_functions_of_floats_take_ints_and_bools_as_float32(name):
    for x in ([1, 2, 3], [True, True]):
        out = getattr(engine, name)(asarray(x))
        assert out.dtype == float32
        same = getattr(engine, name)(asarray(np.array(x, np.float32)))
        assert np.array_equal(out.numpy(), same.numpy())


@pytest.mark.parametrize("name", ANY)
def test_functions_of_any_number_keep_ints(name):
    out = getattr(engine, name)(asarray([-2, 0, 3]))
    want = {
        "neg": [2, 0, -3],
        "abs": [2, 0, 3],
        "sign": [-1, 0, 1],
        "square": [4, 0, 9],
        "relu": [0, 0, 3],
    }
    assert out.dtype == int64 and out.tolist() == want.get(name, [-2, 0, 3])


def test_bools_have_no_sign():
    both = asarray([True, False])
    for name in ("neg", "sign", "square", "relu"):
        with pytest.raises(TypeError, match=f"^{name}: not defined for bool"):
            getattr(engine, name)(both)
    assert engine.abs(both).tolist() == [True, False]


CORNERS = [
    # op, x, value, gradient; as in PyTorch where it says something
    ("abs", [0.0, -0.0, -INF, NAN], [0.0, 0.0, INF, NAN], [0.0, 0.0, -1.0, NAN]),
    ("sign", [0.0, INF, NAN], [0.0, 1.0, NAN], [0.0, 0.0, 0.0]),
    ("relu", [0.0, -0.0, INF, -INF, NAN], [0.0, 0.0, INF, 0.0, NAN], [0.0, 0.0, 1.0, 0.0, 1.0]),
    ("exp", [1000.0, -1000.0, NAN], [INF, 0.0, NAN], [INF, 0.0, NAN]),
    ("expm1", [1e-20, 1000.0, -INF], [1e-20, INF, -1.0], [1.0, INF, 0.0]),
    ("log", [0.0, INF, -1.0, NAN], [-INF, INF, NAN, NAN], [INF, 0.0, -1.0, NAN]),
    ("log1p", [1e-20, -1.0, -2.0], [1e-20, -INF, NAN], [1.0, INF, -1.0]),
    ("sqrt", [0.0, INF, -1.0, NAN], [0.0, INF, NAN, NAN], [INF, 0.0, NAN, NAN]),
    ("rsqrt", [0.0, INF, -1.0], [INF, 0.0, NAN], [-INF, -0.0, NAN]),
    ("reciprocal", [0.0, INF, NAN], [INF, 0.0, NAN], [-INF, -0.0, NAN]),
    ("square", [INF, 1e200, NAN], [INF, INF, NAN], [INF, 2e200, NAN]),
    ("sin", [INF, 0.0], [NAN, 0.0], [NAN, 1.0]),
    ("cos", [INF, 0.0], [NAN, 1.0], [NAN, 0.0]),
    ("tanh", [INF, -INF, 1000.0, NAN], [1.0, -1.0, 1.0, NAN], [0.0, 0.0, 0.0, NAN]),
    ("erf", [INF, -INF, 0.0, NAN], [1.0, -1.0, 0.0, NAN], [0, 0, 2 / math.sqrt(math.pi), NAN]),
    ("sigmoid", [1e4, -1e4, -INF, INF, 0.0], [1.0, 0.0, 0.0, 1.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.25]),
    ("softplus", [1e4, -1e4, INF, -INF, NAN], [1e4, 0.0, INF, 0.0, NAN], [1.0, 0.0, 1.0, 0.0, NAN]),
    ("silu", [1e4, -1e4, INF, NAN], [1e4, 0.0, INF, NAN], [1.0, 0.0, NAN, NAN]),
    ("gelu", [1e4, -1e4, INF, NAN], [1e4, 0.0, INF, NAN], [1.0, 0.0, NAN, NAN]),
    ("floor", [-0.5, 2.0, INF, NAN], [-1.0, 2.0, INF, NAN], [0.0] * 4),
    ("ceil", [-0.5, 2.0, -INF, NAN], [0.0, 2.0, -INF, NAN], [0.0] * 4),
    ("round", [0.5, 1.5, 2.5, -0.5, NAN], [0.0, 2.0, 2.0, 0.0, NAN], [0.0] * 5),
]


@pytest.mark.parametrize(("name", "x", "value", "slope"), CORNERS)
def test_corners(name, x, value, slope):
    out, pull = getattr(engine, name).with_vjp(asarray(np.array(x)))
    expect.close(out.numpy(), value, what=name, inputs={"x": x})
    (dx,) = pull(asarray(np.ones(len(x))))
    expect.close(dx.numpy(), slope, what=f"the gradient of {name}", inputs={"x": x})


def test_what_is_no_number():
    x = asarray([0.0, INF, -INF, NAN, -0.0])
    for name, want in [
        ("isnan", [False, False, False, True, False]),
        ("isinf", [False, True, True, False, False]),
        ("isfinite", [True, False, False, False, True]),
        ("logical_not", [True, False, False, False, True]),
    ]:
        out = getattr(engine, name)(x)
        assert out.dtype == bool_ and out.tolist() == want
        of_ints = getattr(engine, name)(asarray([0, 7]))
        assert (
            of_ints.tolist()
            == [[False] * 2, [False] * 2, [True] * 2, [True, False]][
                ["isnan", "isinf", "isfinite", "logical_not"].index(name)
            ]
        )


def test_erf_is_within_four_units_of_the_last_place():
    near = np.nextafter(0.5, 1.0)
    x = np.concatenate([np.linspace(-7, 7, 20_001), np.logspace(-300, 1, 5_001), [0.5, near]])
    want = erf(x)
    off = np.abs(engine.erf(asarray(x)).numpy() - want) / np.spacing(np.abs(want))
    assert off.max() <= 4.0
    single = x.astype(np.float32)
    want = erf(single.astype(np.float64))
    unit = np.spacing(np.abs(want).astype(np.float32))
    off = np.abs(engine.erf(asarray(single)).numpy().astype(np.float64) - want) / unit
    assert off.max() <= 0.500001


def test_small_numbers_keep_their_digits():
    x = np.array([1e-10, -1e-15, 1e-300])
    for name in ("expm1", "log1p", "tanh", "sin"):
        got = getattr(engine, name)(asarray(x)).numpy()
        expect.close(got, x, what=name, inputs={"x": x}, tol=1e-9)
    tail = engine.sigmoid(asarray(np.array([-100.0, -700.0]))).numpy()
    expect.close(tail, np.exp([-100.0, -700.0]), what="sigmoid far below 0", tol=4 * EPS)
    tail = engine.softplus(asarray(np.array([-100.0, -700.0]))).numpy()
    expect.close(tail, np.exp([-100.0, -700.0]), what="softplus far below 0", tol=4 * EPS)


def test_casts():
    x = asarray([-1.5, 0.0, 2.75])
    assert engine.astype(x, int64).tolist() == [-1, 0, 2]
    assert engine.astype(x, "bool").tolist() == [True, False, True]
    wide, pull = engine.astype.with_vjp(x, float64)
    assert wide.dtype == float64 and wide.tolist() == [-1.5, 0.0, 2.75]
    dx, _ = pull(asarray(np.array([1.0, 2.0, 3.0])))
    assert dx.dtype == float32 and dx.tolist() == [1.0, 2.0, 3.0]
    assert engine.astype(asarray(np.array([1e300])), float32).tolist() == [INF]
    assert engine.astype(x, float32) is not x


@pytest.mark.parametrize("shape", [(3, 301, 77), (1, 1, 70_001), (70_001,)], ids=str)
def test_large_arrays_are_computed_in_pieces_without_a_seam(shape):
    """Each element as it is in a small array, in the order of memory or another."""
    x = np.random.default_rng(0).normal(size=shape)
    rows = x.reshape(-1, 7) if x.size % 7 == 0 else x.reshape(-1, 1)
    small = [asarray(rows[:1000]), asarray(rows[-1000:])]
    for f in (engine.erf, engine.gelu, lambda a: engine.gelu(a, "tanh"), slope_of_gelu):
        out = f(asarray(x)).numpy().reshape(rows.shape)
        for part, got in zip(small, (out[:1000], out[-1000:]), strict=True):
            np.testing.assert_allclose(got, f(part).numpy(), rtol=0, atol=8 * EPS)
        turned = f(asarray(x.T)).numpy().T.reshape(rows.shape)
        np.testing.assert_allclose(turned, out, rtol=0, atol=8 * EPS)
