"""Reductions, searches and running sums in C++ against NumPy's."""

import numpy as np
import pytest
from given import FLOATS, TYPES, WAYS, Guarded, compare, drawn, laid, numpys, ours, over, same

from minigrad import kernels

pytestmark = pytest.mark.usefixtures("kernels_built")

REDUCED = ("sum", "mean", "var", "std", "prod", "max", "min", "any", "all")
AXES = ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2), ())


def reduced(op, x, axes, dtype, numbers=()):
    """What NumPy's kernel and each of ours make of x over these axes."""
    kept = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    right = np.empty(kept, np.float64 if np.dtype(dtype).kind == "f" else dtype)
    given = x.astype(np.float64) if x.dtype.kind == "f" else x
    with np.errstate(all="ignore"):
        kernels.lookup(op, backend="numpy")(given, over(right, axes, x.shape), *numbers)
    for step, kernel in ours(op, str(x.dtype)):
        out, before = Guarded(kept, dtype), x.copy()
        kernel(x, over(out.array, axes, x.shape), *numbers)
        assert out.intact() and x.tobytes() == before.tobytes()
        yield f"{op} step {step} over {axes} of {x.shape} {x.strides}", out.array, right


@pytest.mark.parametrize("op", REDUCED)
@pytest.mark.parametrize("axes", AXES)
def test_reductions(op, axes):
    numbers = (1.0,) if op in ("var", "std") else ()
    for dtype in TYPES:
        if not ours(op, dtype):
            continue
        whole = "int64" if op in ("sum", "prod") else dtype
        out = "bool" if op in ("any", "all") else whole if dtype in ("int64", "bool") else dtype
        for shape in ((5, 7, 9), (1, 65, 3), (33, 1, 127), (2, 300, 5)):
            for way in WAYS:
                high = 1.01 if op == "prod" else 1.5  # or products of many would vanish
                x = laid(drawn(shape, dtype, low=2.0 - high, high=high), way)
                # Of numbers that are all alike the variance is the rounding of their mean.
                for named, found, right in reduced(op, x, axes, out, numbers):
                    same(named, found, right, ulps=64)


@pytest.mark.parametrize("dtype", FLOATS)
def test_not_a_number_wins(dtype):
    for place in (0, 3, 40, 130):
        x = drawn((3, 131), dtype)
        x[1, place], x[2, place] = np.nan, np.inf
        for op in ("max", "min", "sum", "prod", "any", "all"):
            out = "bool" if op in ("any", "all") else dtype
            for axes in ((1,), (0,), (0, 1)):
                for named, found, right in reduced(op, x, axes, out):
                    same(named, found, right, ulps=4000)  # the product of 131 numbers


def test_a_long_sum_is_as_exact_as_a_short_one():
    """A sum of n terms of about 1, one after the other, would be off by n ulp."""
    for count in (10**3, 10**6):
        x = drawn((count,), "float32", low=0.9, high=1.1)
        for given in (x, np.stack([x, x], 1)[:, 0], x.reshape(-1, 4), x.reshape(4, -1).T):
            for op, scale in (("sum", 1), ("mean", given.shape[0])):
                out = np.empty((1, *given.shape[1:]), "float32")
                kernels.lookup(op, backend="cpp")(given, over(out, (0,), given.shape))
                exact = given.astype(np.float64).sum(axis=0) / scale
                assert (np.abs(out[0] - exact) <= 4 * np.finfo("float32").eps * exact).all(), count


def test_a_variance_far_from_zero():
    """The difference of two large sums would have no digit left."""
    x = (drawn((1, 5000), "float32") + 10_000.0).astype("float32")
    for named, found, right in reduced("var", x, (1,), "float32", (0.0,)):
        same(named, found, right, ulps=2000)


@pytest.mark.parametrize("op", ("argmax", "argmin"))
@pytest.mark.parametrize("dtype", TYPES)
def test_places_of_extremes(op, dtype):
    for shape, axis in (((7,), 0), ((5, 7, 9), 0), ((5, 7, 9), 1), ((5, 7, 9), 2), ((3, 1, 4), 1)):
        for way in WAYS:
            x = laid(drawn(shape, dtype), way)
            for named, found, right in reduced(op, x, (axis,), "int64"):
                same(named, found, right, 0)
    if dtype in FLOATS:
        x = drawn((2, 9), dtype)
        x[0, 4] = x[0, 6] = np.nan  # the first
        x[1, 2] = x[1, 5] = 7.0 if op == "argmax" else -7.0
        for named, found, right in reduced(op, x, (1,), "int64"):
            same(named, found, right, 0)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_largest_few(dtype):
    for shape, k in (((5,), 5), ((3, 17), 4), ((2, 3, 65), 1), ((2, 7), 0)):
        for way in WAYS:
            x = laid(np.round(drawn(shape, dtype)), way) if dtype in FLOATS else drawn(shape, dtype)
            compare("topk", [x], (*shape[:-1], k), "int64")
    if dtype in FLOATS:
        x = np.array([[1.0, np.nan, 3.0, np.nan, 3.0, -np.inf, np.inf]], dtype)
        compare("topk", [x], (1, 7), "int64")


@pytest.mark.parametrize("dtype", TYPES)
def test_running_sums(dtype):
    out = "int64" if dtype == "bool" else dtype
    for shape in ((0,), (1,), (65,), (3, 127), (2, 3, 33)):
        for way in WAYS:
            x = laid(drawn(shape, dtype), way) if 0 not in shape else drawn(shape, dtype)
            for step, kernel in ours("cumsum", dtype):
                found, right = Guarded(shape, out), numpys("cumsum", [x], shape, out)
                kernel(x, found.array)
                same(f"cumsum step {step} {shape} {way}", found.array, right, ulps=128)
                assert found.intact()
