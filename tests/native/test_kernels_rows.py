"""Kernels of the last axis in C++ against NumPy's: softmax and norms, there and back."""

import numpy as np
import pytest
from given import FLOATS, SIZES, WAYS, compare, drawn, laid, tried, wide

pytestmark = pytest.mark.usefixtures("kernels_built")

ROWS = {"softmax": (), "log_softmax": (), "logsumexp": (), "standardise": (1e-5,)}


@pytest.mark.parametrize("op", ROWS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_rows(op, dtype):
    for size in SIZES[1:]:
        if op == "standardise" and size < 7:
            continue  # of one number, the rounding of the mean is all that is left
        for way in WAYS if size < 1000 else ("plain",):
            x = laid(drawn((3, 5, size), dtype), way)
            shape = x.shape[:-1] if op == "logsumexp" else x.shape
            out_way = "turned" if way == "turned" else "plain"
            compare(op, [x], shape, numbers=ROWS[op], out_way=out_way, ulps=32)
    compare(op, [drawn((0, 7), dtype)], (0,) if op == "logsumexp" else (0, 7), numbers=ROWS[op])


@pytest.mark.parametrize("op", ("softmax", "log_softmax", "logsumexp"))
def test_rows_of_what_is_no_ordinary_number(op):
    x = drawn((6, 33), "float32")
    x[0, 3], x[1, 4], x[2, 5], x[3], x[4] = np.nan, np.inf, -np.inf, -np.inf, 3e38
    compare(op, [x], (6,) if op == "logsumexp" else x.shape, ulps=32)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax_under_a_mask(dtype):
    for size in (1, 7, 33, 65):
        x, allowed = drawn((3, 5, size), dtype), drawn((3, 5, size), "bool", 1)
        allowed[0, 1] = False
        for way in WAYS:
            compare("masked_softmax", [laid(x, way), laid(allowed, way)], x.shape, ulps=32)
        compare("masked_softmax", [x, allowed[0]], x.shape, ulps=32)
        compare("masked_softmax", [x, np.array(True)], x.shape, ulps=32)
    x = drawn((3, 9), dtype)
    x[0, 1], x[1, 2], x[2] = np.nan, np.inf, -np.inf
    compare("masked_softmax", [x, np.array([True] * 8 + [False])], x.shape, ulps=32)


@pytest.mark.parametrize("dtype", FLOATS)
def test_ways_back(dtype):
    """dx, from what the calculus says, in float64."""
    for size in (1, 7, 17, 65, 127):
        for way in WAYS:
            x, g = laid(drawn((3, 5, size), dtype), way), laid(drawn((3, 5, size), dtype, 1), way)
            w, back = wide(x), wide(g)
            e = np.exp(w - w.max(-1, keepdims=True))
            y = laid((e / e.sum(-1, keepdims=True)).astype(dtype), way)
            right = wide(y) * (back - (back * wide(y)).sum(-1, keepdims=True))
            tried("softmax_grad", [y, g], [right], [dtype], ulps=32)
            if size < 7:
                continue
            scale = 1.0 / np.sqrt(w.var(-1, keepdims=True) + 1e-5)
            z = (w - w.mean(-1, keepdims=True)) * scale
            along = (back * z).mean(-1, keepdims=True)
            right = scale * (back - back.mean(-1, keepdims=True) - z * along)
            tried("standardise_grad", [x, g], [right], [dtype], numbers=(1e-5,), ulps=64)
