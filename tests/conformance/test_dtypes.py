"""The dtype table and what the elementwise functions give, beside array-api-strict.

array-api-strict is the array API standard as a library: what the standard leaves open, it refuses.
There ours has a rule of its own (minigrad/dtypes.py), which is written out here.
"""

import itertools
import math

import array_api_strict as xp
import numpy as np
import pytest

import minigrad as mg
from minigrad.dtypes import NAMES, as_dtype, promote, result_type

KINDS = ["bool", "int64", "float32", "float64"]
STRICT = {name: getattr(xp, name) for name in KINDS}
INF, NAN = math.inf, math.nan
VALUES = {
    "bool": [False, True],
    "int64": [0, 1, -1, 2, -3, 7, 40],
    "float32": [0.0, -0.0, 0.5, -0.5, 1.0, -1.5, 2.5, -3.0, 40.0, 1e30, INF, -INF, NAN],
    "float64": [0.0, -0.0, 0.5, -0.5, 1.0, -1.5, 2.5, -3.0, 40.0, 1e300, INF, -INF, NAN],
}
UNARY = [
    "abs", "ceil", "cos", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log1p",
    "logical_not", "neg", "reciprocal", "round", "sign", "sin", "sqrt", "square", "tanh",
]  # fmt: skip
BINARY = [
    "add", "div", "equal", "greater", "greater_equal", "less", "less_equal", "logical_and",
    "logical_or", "logical_xor", "maximum", "minimum", "mul", "not_equal", "pow", "sub",
]  # fmt: skip
THEIR_NAMES = {"div": "divide", "mul": "multiply", "neg": "negative", "sub": "subtract"}
REDUCTIONS = ["sum", "prod", "mean", "max", "min", "var", "std", "any", "all", "argmax", "argmin"]

# What two dtypes make where the standard has no rule: the later one in bool, int64, float32,
# float64.
MIXED = {
    ("bool", "int64"): "int64",
    ("bool", "float32"): "float32",
    ("bool", "float64"): "float64",
    ("int64", "float32"): "float32",
    ("int64", "float64"): "float64",
}
# Likewise for a Python number beside an array.
WEAK = {
    ("int64", bool): "int64",
    ("float32", bool): "float32",
    ("float64", bool): "float64",
    ("bool", int): "int64",
    ("bool", float): "float32",
    ("int64", float): "float32",
}
# The dtype of a result where the standard has none for such inputs; "error" where ours has neither.
BEYOND = (
    {(name, "bool"): "bool" for name in ("abs", "ceil", "floor", "round", "maximum", "minimum")}
    | {(name, "bool"): "error" for name in ("neg", "sign", "square", "pow", "sub")}
    | {("add", "bool"): "bool", ("mul", "bool"): "bool", ("div", "bool"): "float32"}
    | {("div", "int64"): "float32"}
    | {
        (name, kind): "float32"
        for name in ("cos", "exp", "expm1", "log", "log1p", "reciprocal", "sin", "sqrt", "tanh")
        for kind in ("bool", "int64")
    }
    | {(name, "bool"): "bool" for name in ("isfinite", "isinf", "isnan")}
    | {(n, "bool"): "bool" for n in ("less", "less_equal", "greater", "greater_equal")}
    | {
        (name, kind): "bool"
        for name in ("logical_and", "logical_not", "logical_or", "logical_xor")
        for kind in ("int64", "float32", "float64")
    }
    | {(name, "bool"): "int64" for name in ("sum", "prod")}
    | {(name, "bool"): "bool" for name in ("max", "min")}
    | {(name, kind): "float32" for name in ("mean", "var", "std") for kind in ("bool", "int64")}
    | {(name, "bool"): "int64" for name in ("argmax", "argmin")}
)


def ours(device, name, *arrays, **options):
    return getattr(mg, name)(*(mg.asarray(a, device=device) for a in arrays), **options)


def theirs(name, *arrays, **options):
    """What array-api-strict gives, or None where it refuses."""
    function = getattr(xp, THEIR_NAMES.get(name, name))
    try:
        with np.errstate(all="ignore"):
            return function(*map(xp.asarray, arrays), **options)
    except TypeError:
        return None


def name_of(array):
    return next(name for name, dtype in STRICT.items() if dtype == array.dtype)


def same(got, want, what):
    """Equal to a few roundings; NaN with NaN, an infinity with itself, a zero with its sign."""
    assert str(got.dtype) == name_of(want), what
    a, b = got.numpy(), np.asarray(want)
    assert a.shape == b.shape, what
    if a.dtype.kind != "f":
        assert (a == b).all(), (what, a, b)
        return
    np.testing.assert_allclose(a, b, rtol=4 * np.finfo(a.dtype).eps, atol=0.0, err_msg=str(what))
    zero = b == 0.0
    assert (np.signbit(a)[zero] == np.signbit(b)[zero]).all(), (what, a, b)


def beyond(device, name, kind, *arrays, **options):
    """Where the standard is silent: ours gives the dtype that is written down, or TypeError."""
    wanted = BEYOND[name, kind]
    if wanted == "error":
        with pytest.raises(TypeError, match=rf"^{name}: "):
            ours(device, name, *arrays, **options)
    else:
        assert str(ours(device, name, *arrays, **options).dtype) == wanted, (name, kind)


@pytest.mark.parametrize("b", KINDS)
@pytest.mark.parametrize("a", KINDS)
def test_two_dtypes(a, b):
    got = str(promote(NAMES[a], NAMES[b]))
    try:
        want = xp.result_type(STRICT[a], STRICT[b])
    except TypeError:
        assert got == MIXED[tuple(sorted((a, b), key=KINDS.index))]
    else:
        assert STRICT[got] == want
        assert (a, b) not in MIXED


@pytest.mark.parametrize("number", [True, 2, 2.0])
@pytest.mark.parametrize("kind", KINDS)
def test_a_python_number_beside_an_array(device, kind, number):
    x = mg.asarray([1, 0], dtype=kind, device=device)
    try:
        dtype = xp.result_type(xp.asarray([1, 0], dtype=STRICT[kind]), number)
        want = next(name for name in KINDS if STRICT[name] == dtype)
    except TypeError:
        want = WEAK[kind, type(number)]
    assert str(result_type(x, number)) == want
    condition = mg.asarray([True, False], device=device)
    for got in (mg.maximum(x, number), mg.maximum(number, x), mg.where(condition, x, number)):
        assert str(got.dtype) == want


def test_python_numbers_alone():
    for number, wanted in [(True, "bool"), (2, "int64"), (2.0, "float32")]:
        assert str(result_type(number)) == wanted
        assert str(mg.asarray(number).dtype) == wanted
    assert str(result_type(True, 2, 2.0)) == "float32"


@pytest.mark.parametrize("name", UNARY)
def test_one_array(device, name):
    for kind in KINDS:
        x = np.array(VALUES[kind], dtype=kind)
        want = theirs(name, x)
        if want is None:
            beyond(device, name, kind, x)
        else:
            assert (name, kind) not in BEYOND
            same(ours(device, name, x), want, (name, kind))


@pytest.mark.parametrize("name", BINARY)
def test_two_arrays(device, name):
    for a, b in itertools.product(KINDS, KINDS):
        x = np.array(VALUES[a], dtype=a)[:, None]
        y = np.array(VALUES[b], dtype=b)
        if name == "pow" and a != "float32" and b == "int64":
            y = np.abs(y)  # below 0 there is no whole number
        want = theirs(name, x, y)
        if want is not None:
            same(ours(device, name, x, y), want, (name, a, b))
        elif a == b:
            beyond(device, name, a, x, y)
        else:
            common = promote(NAMES[a], NAMES[b]).numpy
            got = ours(device, name, x, y)
            want = ours(device, name, x.astype(common), y.astype(common))
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.numpy(), want.numpy())


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(device, name):
    for kind in KINDS:
        x = np.array([VALUES[kind], VALUES[kind][::-1]], dtype=kind)
        x = x[:, np.isfinite(x).all(0) & (np.abs(x) < 100).all(0)]
        for axis in [-1, 0] if name in ("argmax", "argmin") else [None, -1, (0, 1)]:
            want = theirs(name, x, axis=axis)
            if want is None:
                beyond(device, name, kind, x, axis=axis)
                continue
            assert (name, kind) not in BEYOND
            got = ours(device, name, x, axis=axis)
            assert str(got.dtype) == name_of(want)
            rtol = 100 * np.finfo(kind).eps if x.dtype.kind == "f" else 0.0
            np.testing.assert_allclose(got.numpy(), np.asarray(want), rtol=rtol, atol=rtol)


def test_nothing_written_down_is_stale():
    for name, kind in BEYOND:
        x = np.array(VALUES[kind], dtype=kind)
        assert theirs(name, *([x, x] if name in BINARY else [x])) is None, (name, kind)
    for kind, number in WEAK:
        with pytest.raises(TypeError):
            xp.result_type(xp.asarray([1, 0], dtype=STRICT[kind]), number(2))


@pytest.mark.parametrize("given", ["float16", "uint8", "complex64", "object", np.int32, str, None])
def test_other_dtypes_are_refused(given):
    with pytest.raises(TypeError, match="not supported; use one of bool, int64, float32, float64"):
        as_dtype(given)


def test_the_names_of_a_dtype():
    for name in KINDS:
        dtype = NAMES[name]
        for given in (dtype, name, np.dtype(name), np.dtype(name).type):
            assert as_dtype(given) is dtype
        assert (str(dtype), repr(dtype)) == (name, f"minigrad.{name}")
        assert dtype.itemsize == np.dtype(name).itemsize
    assert [as_dtype(t).name for t in (bool, int, float)] == ["bool", "int64", "float32"]
