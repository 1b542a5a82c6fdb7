"""Products of matrices, convolution and pooling in C++ against NumPy's kernels."""

import numpy as np
import pytest
from given import FLOATS, WAYS, compare, drawn, laid

from minigrad import kernels

pytestmark = pytest.mark.usefixtures("kernels_built")


@pytest.mark.parametrize("dtype", (*FLOATS, "int64"))
def test_products_of_matrices(dtype):
    sizes = ((1, 1, 1), (7, 17, 33), (0, 5, 3), (4, 0, 5), (3, 2, 0), (65, 127, 31), (97, 259, 101))
    for m, k, n in sizes:
        x, y = drawn((m, k), dtype), drawn((k, n), dtype, 1)
        for left in ("plain", "turned", "every second", "backwards"):
            for right in ("plain", "turned", "inner"):
                for out_way in ("plain", "turned"):
                    given = [laid(x, left), laid(y, right)]
                    compare("matmul", given, (m, n), out_way=out_way, ulps=8 * max(k, 1))


@pytest.mark.parametrize("shape", ((1, 300, 2), (130, 3, 1), (2, 1000, 1100), (200, 2, 1000)))
def test_products_larger_than_a_block(shape):
    m, k, n = shape
    x, y = drawn((m, k), "float32"), drawn((k, n), "float32", 1)
    for left in ("plain", "turned"):
        for right in ("plain", "turned"):
            compare("matmul", [laid(x, left), laid(y, right)], (m, n), ulps=8 * k)


def test_products_of_stacks():
    x, y = drawn((3, 1, 5, 7), "float32"), drawn((4, 7, 6), "float32", 1)
    compare("matmul", [x, y], (3, 4, 5, 6), ulps=64)
    compare("matmul", [x.transpose(1, 0, 2, 3), y[:1]], (1, 3, 5, 6), ulps=64)
    compare("matmul", [np.broadcast_to(x[:1, 0], (8, 5, 7)), y[0]], (8, 5, 6), ulps=64)


def test_a_product_lets_nan_and_inf_through():
    for place in ((0, 0), (3, 8), (6, 16)):
        x, y = drawn((7, 17), "float32"), drawn((17, 33), "float32", 1)
        x[place] = np.nan
        compare("matmul", [x, y], (7, 33), ulps=200)
        x[place], y[place[1], 3] = np.inf, 0.0
        compare("matmul", [x, y], (7, 33), ulps=200)


# images, filters (N, C, H, W), (O, C / groups, h, w), then stride, padding, dilation, groups
CONVOLUTIONS = (
    ((2, 3, 9, 8), (4, 3, 3, 2), (1, 1, 0, 0, 1, 1, 1)),
    ((1, 1, 28, 28), (6, 1, 5, 5), (1, 1, 2, 2, 1, 1, 1)),
    ((3, 4, 7, 11), (6, 2, 3, 3), (2, 3, 1, 2, 1, 1, 2)),
    ((2, 2, 12, 9), (2, 1, 3, 2), (1, 2, 2, 0, 2, 3, 2)),
    ((1, 2, 3, 3), (1, 2, 3, 3), (1, 1, 4, 5, 1, 1, 1)),  # windows that see nothing
    ((2, 5, 1, 1), (7, 5, 1, 1), (1, 1, 0, 0, 1, 1, 1)),
    ((0, 2, 5, 5), (3, 2, 2, 2), (1, 1, 0, 0, 1, 1, 1)),
)


@pytest.mark.parametrize("images, filters, numbers", CONVOLUTIONS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_convolution_and_its_gradients(images, filters, numbers, dtype):
    sh, sw, ph, pw, dh, dw, _ = numbers
    rows = (images[2] + 2 * ph - dh * (filters[2] - 1) - 1) // sh + 1
    cols = (images[3] + 2 * pw - dw * (filters[3] - 1) - 1) // sw + 1
    maps = (images[0], filters[0], rows, cols)
    x, w, g = (drawn(s, dtype, k) for k, s in enumerate((images, filters, maps)))
    for way in WAYS if images[0] else ("plain",):
        seen, weight, back = (laid(a, way) for a in (x, w, g))
        out_way = "turned" if way == "turned" else "plain"
        several = {"numbers": numbers, "out_way": out_way, "ulps": 800}
        compare("conv2d", [seen, weight], maps, **several)
        compare("conv_transpose2d", [back, weight], images, **several)
        compare("conv2d_weight", [seen, back], filters, **several)


POOLS = (
    ((2, 3, 8, 9), (2, 2, 2, 2, 0, 0, 1, 1)),
    ((2, 3, 8, 9), (3, 2, 1, 3, 1, 1, 1, 1)),
    ((1, 2, 11, 7), (3, 3, 2, 1, 1, 1, 3, 2)),
    ((0, 2, 4, 4), (2, 2, 2, 2, 0, 0, 1, 1)),
)


@pytest.mark.parametrize("images, numbers", POOLS)
@pytest.mark.parametrize("dtype", (*FLOATS, "int64"))
def test_the_largest_of_windows(images, numbers, dtype):
    kh, kw, sh, sw, ph, pw, dh, dw = numbers
    rows = (images[2] + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    cols = (images[3] + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    x = np.round(drawn(images, dtype))  # some are equal
    for way in WAYS if images[0] else ("plain",):
        out = (*images[:2], rows, cols)
        compare("max_pool2d", [laid(x, way)], out, "int64", numbers=numbers)
    if dtype in FLOATS and images[0]:
        x[0, 0, 1, 1], x[-1, -1, 3, 3], x[0, 1] = np.nan, np.inf, -np.inf
        compare("max_pool2d", [x], out, "int64", numbers=numbers)


@pytest.mark.parametrize("dtype", (*FLOATS, "int64", "bool"))
def test_reading_at_indices(dtype):
    for rows, cols, count in ((5, 7, 11), (1, 1, 3), (9, 33, 0), (65, 17, 127)):
        index = np.random.default_rng(rows).integers(0, rows, count)
        for way in WAYS:
            table = laid(drawn((rows, cols), dtype), way)
            compare("take", [table, index], (count, cols), ulps=0)
            compare("take", [table, index[::-1]], (count, cols), out_way="turned", ulps=0)
        places = np.random.default_rng(1).integers(0, cols, (rows, 4))
        for way in WAYS:
            given = [laid(drawn((rows, cols), dtype), way), laid(places, way)]
            compare("gather", given, (rows, 4), ulps=0)


@pytest.mark.parametrize("dtype", (*FLOATS, "int64"))
def test_adding_at_indices(dtype):
    for rows, cols, count in ((5, 7, 11), (1, 1, 3), (9, 33, 0), (4, 17, 127)):
        index = np.random.default_rng(rows).integers(0, rows, count)
        places = np.random.default_rng(1).integers(0, cols, (rows, 4))
        for way in WAYS if count else ("plain",):
            values = laid(drawn((count, cols), dtype), way)
            compare("index_add", [values, index], (rows, cols), ulps=128)
            x, values = laid(drawn((rows, cols), dtype), way), laid(drawn((rows, 4), dtype, 1), way)
            compare("scatter_add", [x, laid(places, way), values], (rows, cols), ulps=32)


def test_every_step_of_the_ladder_is_there():
    for op, steps in (("matmul", [1, 2, 3, 4]), ("copy", [1, 2])):
        found = [k.step for k in kernels.entries(op) if (k.backend, k.owner) == ("cpp", "ref")]
        assert found == steps
