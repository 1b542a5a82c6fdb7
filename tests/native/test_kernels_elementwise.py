"""Elementwise kernels in C++ against NumPy's: every op, size, dtype and way to lie in memory."""

import numpy as np
import pytest
from given import FLOATS, SIZES, TYPES, WAYS, compare, drawn, laid, numpys, ours

from minigrad import kernels

pytestmark = pytest.mark.usefixtures("kernels_built")

SAME = [
    "neg",
    "abs",
    "sign",
    "square",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "silu",
    "softplus",
    "gelu",
    "gelu_tanh",
    "gelu_tanh_slope",
    "erf",
    "floor",
    "ceil",
    "round",
]
ASKED = ("isnan", "isinf", "isfinite", "logical_not")
ABOVE_0 = ("sqrt", "rsqrt", "reciprocal", "log", "log1p")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum")
COMPARED = [
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
]


@pytest.mark.parametrize("op", (*SAME, *ASKED))
def test_functions_of_one(op):
    for dtype in TYPES:
        if not ours(op, dtype):
            assert dtype not in FLOATS
            continue
        out, low = "bool" if op in ASKED else dtype, 0.1 if op in ABOVE_0 else -3.0
        for size in SIZES:
            compare(op, [drawn((size,), dtype, low=low)], (size,), out)
        for way in WAYS:
            x = laid(drawn((5, 7, 9), dtype, low=low), way)
            for out_way in ("plain", "turned", "backwards"):
                compare(op, [x], x.shape, out, out_way=out_way)
        compare(op, [drawn((), dtype, low=low)], (), out)


@pytest.mark.parametrize("op", (*BINARY, *COMPARED))
def test_functions_of_two(op):
    for dtype in TYPES:
        if not ours(op, dtype):
            assert dtype not in FLOATS
            continue
        out = "bool" if op in COMPARED else dtype
        for size in SIZES:
            compare(op, [drawn((size,), dtype), drawn((size,), dtype, 1)], (size,), out)
        for left in WAYS:
            for right in WAYS:
                x, y = laid(drawn((5, 3, 9), dtype), left), laid(drawn((5, 3, 9), dtype, 1), right)
                compare(op, [x, y], x.shape, out, out_way="turned" if left == "turned" else "plain")


@pytest.mark.parametrize("op", ("add", "less", "maximum"))
def test_one_number_for_many(op):
    """Rows, columns and single numbers, on either side; long enough for several pieces."""
    out = "bool" if op == "less" else "float32"
    shapes = [((1, 17), (33, 1)), ((), (700,)), ((700,), ()), ((1,), (3, 257)), ((), ())]
    for left, right in shapes:
        shape = np.broadcast_shapes(left, right)
        x, y = drawn(left, "float32"), drawn(right, "float32", 1)
        compare(op, [np.broadcast_to(x, shape), np.broadcast_to(y, shape)], shape, out)


@pytest.mark.parametrize("dtype", TYPES)
def test_where(dtype):
    for size in SIZES:
        chosen, x, y = (drawn((size,), t, k) for k, t in enumerate(("bool", dtype, dtype)))
        compare("where", [chosen, x, y], (size,), dtype)
    for way in WAYS:
        inputs = [drawn((5, 7, 9), t, k) for k, t in enumerate(("bool", dtype, dtype))]
        for k in range(3):
            some = [laid(x, way) if i == k else x for i, x in enumerate(inputs)]
            compare("where", some, (5, 7, 9), dtype, out_way="turned")
    one = np.broadcast_to(drawn((), dtype, 5), (600,))
    compare("where", [drawn((600,), "bool"), one, drawn((600,), dtype)], (600,), dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_clip(dtype):
    x = np.append(drawn((101,), dtype), [np.nan, np.inf, -np.inf]).astype(dtype)
    for bounds in ((-1.0, 1.0), (None, 0.5), (-0.5, None), (None, None), (1.0, -1.0)):
        compare("clip", [x], x.shape, numbers=bounds, ulps=0.5)


def test_powers():
    for dtype in FLOATS:
        x = np.append(drawn((67,), dtype, low=0.1), [0.0, 0.0, -2.0, np.nan]).astype(dtype)
        y = np.append(drawn((67,), dtype, 1), [0.0, 2.0, 3.0, 0.0]).astype(dtype)
        compare("pow", [x, y], x.shape, ulps=64)
    x, y = drawn((50,), "int64"), np.arange(50) % 9
    compare("pow", [x, y], x.shape)
    with pytest.raises(ValueError, match="pow: a whole number to a power below 0"):
        kernels.lookup("pow", backend="cpp")(x, y - 5, np.empty_like(x))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("to", TYPES)
def test_copies_and_casts(dtype, to):
    for size in SIZES:
        compare("copy", [drawn((size,), dtype)], (size,), to)
    for shape in ((33, 65), (3, 40, 70), (1, 127)):
        for way in WAYS:
            x = laid(drawn(shape, dtype), way)
            for out_way in ("plain", "turned", "backwards"):
                compare("copy", [x], shape, to, out_way=out_way)
    x = drawn((4, 33, 5), dtype)
    compare("copy", [x.transpose(2, 0, 1)], (5, 4, 33), to)
    compare("copy", [x.transpose(1, 2, 0)], (33, 5, 4), to)


SPECIAL = [
    "nan",
    "inf",
    "-inf",
    "0.0",
    "-0.0",
    "1e-42",
    "-1e-42",
    "3e38",
    "-3e38",
    "88.8",
    "-103.9",
    "0.5",
    "1.5",
    "2.5",
    "-0.5",
    "-1.0",
    "-1e9",
]


@pytest.mark.parametrize("dtype", FLOATS)
def test_what_is_no_ordinary_number(dtype):
    x = np.array(SPECIAL, dtype=dtype)
    for op in (*SAME, *ASKED):
        out = "bool" if op in ASKED else dtype
        right, found = np.empty(x.shape, out), np.empty(x.shape, out)
        with np.errstate(all="ignore"):
            kernels.lookup(op, backend="numpy")(x, right)
        for step, kernel in ours(op, dtype):
            kernel(x, found)
            np.testing.assert_allclose(found, right, rtol=2e-5, atol=1e-43, err_msg=f"{op} {step}")
            if out == dtype:
                signs = np.signbit(found) == np.signbit(right)
                assert signs[~np.isnan(right)].all(), f"{op} step {step}: a sign"


@pytest.mark.parametrize("op", (*BINARY, *COMPARED))
def test_pairs_of_what_is_no_ordinary_number(op):
    numbers = np.array(SPECIAL, dtype="float32")
    x, y = np.repeat(numbers, len(numbers)), np.tile(numbers, len(numbers))
    out = "bool" if op in COMPARED else "float32"
    right, found = np.empty(x.shape, out), np.empty(x.shape, out)
    with np.errstate(all="ignore"):
        kernels.lookup(op, backend="numpy")(x, y, right)
    kernels.lookup(op, backend="cpp")(x, y, found)
    np.testing.assert_array_equal(found, right)


def test_functions_are_exact_over_their_whole_range():
    """To few ulps of the result itself, however small it is."""
    rng = np.random.default_rng(0)
    sizes = np.exp(rng.uniform(-80.0, 80.0, 5000))
    for op, x, ulps in (
        ("exp", rng.uniform(-100.0, 88.0, 5000), 2),
        ("log", sizes, 2),
        ("log1p", sizes, 4),
        ("expm1", np.concatenate([-sizes[sizes < 80], sizes[sizes < 80]]), 4),
        ("tanh", np.concatenate([-sizes, sizes]), 4),
        ("sigmoid", rng.uniform(-80.0, 80.0, 5000), 4),
        ("softplus", rng.uniform(-80.0, 80.0, 5000), 4),
    ):
        x = x.astype("float32")
        right, found = numpys(op, [x], x.shape, "float32"), np.empty_like(x)
        kernels.lookup(op, backend="cpp")(x, found)
        with np.errstate(over="ignore"):
            step = np.spacing(np.abs(right).astype("float32"))
        assert (np.abs(found - right) <= ulps * step).all(), op
