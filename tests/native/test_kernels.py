"""Every kernel in C++ against NumPy's, in float64 where it can be: on every size, dtype and way that
an array can lie in memory.
"""

import numpy as np
import pytest

from given import SIZES, WAYS, Guarded, drawn, laid
import minigrad.reference.ops  # noqa: F401  which enters the kernels of NumPy
from minigrad import kernels, native
from minigrad.kernels.loading import load_built
from minigrad.kernels.using import BITS

FLOATS = ("float32", "float64")
ULPS = 8  # of the larger of result and 1; sums take more, in proportion to their terms


@pytest.fixture(scope="module", autouse=True)
def built():
    try:
        load_built()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")


def ours(op, dtype):
    """(step, kernel) of each step that takes this dtype."""
    load_built()
    keys = [k for k in kernels.entries(op) if (k.backend, k.owner) == ("cpp", "ref")]
    found = [(k.step, kernels.lookup(op, backend="cpp", step=k.step)) for k in keys]
    return [(step, kernel) for step, kernel in found if kernel.types & BITS[dtype]]


def compare(op, dtype, inputs, shape, out_dtype=None, numbers=(), out_way="plain", ulps=ULPS):
    """Run every step on `inputs`; NumPy's kernel in float64 says what is right."""
    out_dtype = out_dtype or dtype
    wide = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs]
    right = np.empty(shape, np.float64 if np.dtype(out_dtype).kind == "f" else out_dtype)
    with np.errstate(all="ignore"):
        kernels.lookup(op, backend="numpy")(*wide, right, *numbers)
    steps = ours(op, dtype)
    assert steps, f"no kernel {op} takes {dtype}"
    for step, kernel in steps:
        before = [x.copy() for x in inputs]
        out = Guarded(shape, out_dtype, out_way)
        kernel(*inputs, out.array, *numbers)
        named = f"{op} step {step} {dtype} {[x.shape for x in inputs]} -> {shape}"
        if out.array.dtype.kind == "f":
            room = ulps * np.finfo(out_dtype).eps * np.maximum(np.abs(right), 1.0)
            near = np.abs(out.array - right) <= room
            same = (out.array == right) | (np.isnan(out.array) & np.isnan(right))
            assert (near | same).all(), f"{named}: {out.array[~(near | same)][:3]} for {right[~(near | same)][:3]}"
        else:
            assert np.array_equal(out.array, right), named
        assert out.intact(), f"{named}: wrote outside"
        for x, kept in zip(inputs, before, strict=True):
            assert x.tobytes() == kept.tobytes(), f"{named}: changed its input"


UNARY = ("neg", "abs", "square", "sqrt", "rsqrt", "reciprocal", "exp", "tanh", "relu", "gelu_tanh", "gelu_tanh_slope")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum")
COMPARED = ("equal", "less")


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_one(op, dtype):
    low = 0.1 if op in ("sqrt", "rsqrt", "reciprocal") else -3.0
    for size in SIZES:
        x = drawn((size,), dtype, low=low)
        compare(op, dtype, [x], x.shape)
    for way in WAYS:
        x = laid(drawn((5, 7, 9), dtype, low=low), way)
        for out_way in ("plain", "turned", "backwards"):
            compare(op, dtype, [x], x.shape, out_way=out_way)
    compare(op, dtype, [drawn((), dtype, low=low)], ())


@pytest.mark.parametrize("op", (*BINARY, *COMPARED))
@pytest.mark.parametrize("dtype", (*FLOATS, "int64"))
def test_functions_of_two(op, dtype):
    if not ours(op, dtype):
        return
    out = "bool" if op in COMPARED else dtype
    for size in SIZES:
        compare(op, dtype, [drawn((size,), dtype), drawn((size,), dtype, 1)], (size,), out)
    for left in WAYS:
        for right in WAYS:
            x, y = laid(drawn((5, 7, 9), dtype), left), laid(drawn((5, 7, 9), dtype, 1), right)
            compare(op, dtype, [x, y], x.shape, out, out_way="turned" if left == "turned" else "plain")
    row, column = (np.broadcast_to(drawn(s, dtype, 2), (33, 17)) for s in ((1, 17), (33, 1)))
    compare(op, dtype, [row, column], (33, 17), out)


# Numbers that are all alike have a spread of 0, but for the rounding of their mean.
TOLERANCE = {"float32": {"rtol": 1e-5, "atol": 3e-7}, "float64": {"rtol": 1e-13, "atol": 1e-14}}
TOLERANCE |= {"int64": {"rtol": 0}, "bool": {"rtol": 0}}
REDUCED = ("sum", "mean", "var", "std", "prod", "max", "min", "any", "all")


@pytest.mark.parametrize("op", REDUCED)
@pytest.mark.parametrize("axes", ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2), ()))
def test_reductions(op, axes):
    numbers = (1.0,) if op in ("var", "std") else ()
    for dtype in (*FLOATS, "int64", "bool"):
        if not ours(op, dtype):
            continue
        out = "bool" if op in ("any", "all") else "int64" if dtype in ("int64", "bool") else dtype
        for shape in ((5, 7, 9), (1, 65, 3), (33, 1, 127), (2, 300, 5)):
            for way in WAYS:
                high = 1.01 if op == "prod" else 1.5  # or products of many would vanish
                x = laid(drawn(shape, dtype, low=2.0 - high, high=high), way)
                kept = tuple(1 if a in axes else n for a, n in enumerate(shape))
                right = np.empty(kept, np.float64 if np.dtype(out).kind == "f" else out)
                given = x.astype(np.float64) if x.dtype.kind == "f" else x
                with np.errstate(all="ignore"):
                    kernels.lookup(op, backend="numpy")(given, over(right, axes, shape), *numbers)
                for _, kernel in ours(op, dtype):
                    result = Guarded(kept, out)
                    kernel(x, over(result.array, axes, shape), *numbers)
                    np.testing.assert_allclose(
                        result.array.astype(np.float64), right.astype(np.float64), **TOLERANCE[dtype]
                    )
                    assert result.intact()


def over(out, axes, shape):
    """`out` expanded to `shape`, with stride 0 along the axes that are reduced."""
    strides = [0 if a in axes else s for a, s in enumerate(out.strides)]
    return np.lib.stride_tricks.as_strided(out, shape, strides)


def test_a_long_sum_is_as_exact_as_a_short_one():
    """A sum of n terms of about 1, one after the other, would be off by n ulp."""
    for count in (10**3, 10**6):
        x = drawn((count,), "float32", low=0.9, high=1.1)
        out = np.empty(1, "float32")
        kernels.lookup("sum", backend="cpp")(x, over(out, (0,), x.shape))
        exact = x.astype(np.float64).sum()
        assert abs(out[0] - exact) <= 4 * np.finfo("float32").eps * exact, count
        columns = x.reshape(-1, 4)
        out = np.empty((1, 4), "float32")
        kernels.lookup("sum", backend="cpp")(columns, over(out, (0,), columns.shape))
        exact = columns.astype(np.float64).sum(axis=0)
        assert (np.abs(out[0] - exact) <= 4 * np.finfo("float32").eps * exact).all(), count


@pytest.mark.parametrize("dtype", (*FLOATS, "int64"))
def test_products_of_matrices(dtype):
    for m, k, n in ((1, 1, 1), (7, 17, 33), (0, 5, 3), (4, 0, 5), (3, 2, 0), (65, 127, 31), (97, 259, 101)):
        x, y = drawn((m, k), dtype), drawn((k, n), dtype, 1)
        for left in ("plain", "turned", "every second", "backwards"):
            for right in ("plain", "turned", "inner"):
                for out_way in ("plain", "turned"):
                    compare("matmul", dtype, [laid(x, left), laid(y, right)], (m, n), out_way=out_way, ulps=8 * max(k, 1))


def test_products_of_stacks():
    x, y = drawn((3, 1, 5, 7), "float32"), drawn((4, 7, 6), "float32", 1)
    compare("matmul", "float32", [x, y], (3, 4, 5, 6), ulps=64)
    compare("matmul", "float32", [x.transpose(1, 0, 2, 3), y[:1]], (1, 3, 5, 6), ulps=64)


ROWS = {"softmax": (), "log_softmax": (), "logsumexp": (), "standardise": (1e-5,)}


@pytest.mark.parametrize("op", ROWS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_rows(op, dtype):
    for size in SIZES[1:]:
        for way in WAYS:
            x = laid(drawn((3, 5, size), dtype), way)
            shape = x.shape[:-1] if op == "logsumexp" else x.shape
            if op == "standardise" and size < 7:
                continue  # of one number, the rounding of the mean is all that is left
            compare(op, dtype, [x], shape, numbers=ROWS[op], out_way="turned" if way == "turned" else "plain", ulps=32)


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42, -1e-42, 3e38, -3e38, 88.8, -103.9])


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize("dtype", FLOATS)
def test_what_is_no_ordinary_number(op, dtype):
    x = SPECIAL.astype(dtype)
    right, out = np.empty_like(x), np.empty_like(x)
    with np.errstate(all="ignore"):
        kernels.lookup(op, backend="numpy")(x, right)
    for step, kernel in ours(op, dtype):
        kernel(x, out)
        np.testing.assert_allclose(out, right, rtol=1e-5, atol=1e-44, err_msg=f"{op} step {step}")
        assert (np.signbit(out) == np.signbit(right))[~np.isnan(right)].all(), f"{op}: a sign"
