"""6.4: what every window sends back, added to the pixels that it saw."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from minigrad.course import expect
from minigrad.reference.creation import asarray
from minigrad.reference.numpy_conv import add_windows
from minigrad.reference.ops.conv import conv_transpose2d

pytestmark = pytest.mark.exercise("6.4")


def whole(*shape, seed=0):
    """Whole numbers, as floats: sums are exact in any order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64)


def shown(x):
    """A few numbers as they are, many by their shape."""
    return x.tolist() if x.size <= 6 else f"{x.shape}"


def one_by_one(columns, out, stride, dilation):
    wanted = out.copy()
    for n, c, i, j, r, s in np.ndindex(columns.shape):
        down, across = r * stride[0] + i * dilation[0], s * stride[1] + j * dilation[1]
        wanted[n, c, down, across] += columns[n, c, i, j, r, s]
    return wanted


def line(*windows):
    """Windows in one row, each of them a row of pixels: (1, 1, 1, w, 1, cols)."""
    return np.array(windows, np.float64).T[None, None, None, :, None, :]


def check(columns, out, stride, dilation, what, inputs):
    wanted = one_by_one(columns, out, stride, dilation)
    nothing = add_windows(columns, out, stride, dilation)
    expect.equal(nothing, None, what="what add_windows returns: it writes into out")
    inputs = {**inputs, "stride": stride, "dilation": dilation}
    expect.close(out, wanted, what=what, inputs=inputs, scale=1.0)


def test_overlaps_add_up_by_hand():
    out = np.zeros((1, 1, 1, 4))
    add_windows(line([1, 2, 3], [10, 20, 30]), out, (1, 1), (1, 1))
    inputs = {"windows": [[1, 2, 3], [10, 20, 30]], "stride": (1, 1), "out": "four zeros"}
    wanted = np.array([1.0, 12.0, 23.0, 30.0])
    expect.close(out[0, 0, 0], wanted, what="out after the call", inputs=inputs, scale=1.0)


def test_what_is_there_already_stays():
    out = np.array([100.0, 200.0, 300.0, 400.0]).reshape(1, 1, 1, 4)
    add_windows(line([1, 2, 3], [10, 20, 30]), out, (1, 1), (1, 1))
    inputs = {"windows": [[1, 2, 3], [10, 20, 30]], "stride": (1, 1)}
    inputs["out"] = [100, 200, 300, 400]
    wanted = np.array([101.0, 212.0, 323.0, 430.0])
    expect.close(out[0, 0, 0], wanted, what="out after the call", inputs=inputs, scale=1.0)


def test_a_stride_leaves_gaps():
    out = np.zeros((1, 1, 1, 7))
    add_windows(line([1, 2], [10, 20]), out, (1, 4), (1, 1))
    inputs = {"windows": [[1, 2], [10, 20]], "stride": (1, 4), "out": "seven zeros"}
    wanted = np.array([1.0, 2.0, 0.0, 0.0, 10.0, 20.0, 0.0])
    expect.close(out[0, 0, 0], wanted, what="out after the call", inputs=inputs, scale=1.0)


def test_dilation_leaves_gaps_inside_a_window():
    out = np.zeros((1, 1, 1, 8))
    add_windows(line([1, 2], [10, 20]), out, (1, 2), (1, 3))
    inputs = {"windows": [[1, 2], [10, 20]], "stride": (1, 2), "dilation": (1, 3)}
    inputs["out"] = "eight zeros"
    wanted = np.array([1.0, 0.0, 10.0, 2.0, 0.0, 20.0, 0.0, 0.0])
    expect.close(out[0, 0, 0], wanted, what="out after the call", inputs=inputs, scale=1.0)


def test_rows_and_columns_by_hand():
    columns = np.array([[1.0, 2.0], [3.0, 4.0]])[:, :, None, None] * np.array([[1.0, 10.0]])
    out = np.zeros((1, 1, 3, 4))
    add_windows(columns[None, None], out, (2, 1), (1, 1))
    inputs = {"windows": [[[1, 2], [3, 4]], [[10, 20], [30, 40]]], "stride": (2, 1)}
    inputs["out"] = "(1, 1, 3, 4) zeros"
    wanted = np.array([[1.0, 12.0, 20.0, 0.0], [3.0, 34.0, 40.0, 0.0], [0.0] * 4])
    what = "out after two windows side by side"
    expect.close(out[0, 0], wanted, what=what, inputs=inputs, scale=1.0)


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))


@settings(max_examples=40, phases=[Phase.generate, Phase.shrink])
@given(st.integers(1, 2), st.integers(1, 2), pairs, pairs, pairs, pairs)
def test_any_sizes(images, channels, size, count, stride, dilation):
    columns = whole(images, channels, *size, *count)
    axes = zip(size, count, stride, dilation, strict=True)
    # One pixel more than the windows reach.
    pixels = [s * (n - 1) + d * (k - 1) + 2 for k, n, s, d in axes]
    out = whole(images, channels, *pixels, seed=1)
    inputs = {"columns": shown(columns), "out": shown(out)}
    check(columns, out, stride, dilation, "out [n, c, row, col]", inputs)


def test_any_layout():
    columns = whole(3, 2, 4, 3, 2, 2)[:, ::-1, ::2, ::-1]
    out = whole(7, 6, 2, 3, seed=1).transpose(3, 2, 0, 1)[:, :, ::-1]
    inputs = {"columns": shown(columns), "out": shown(out)}
    what = "out [n, c, row, col], which has strides of its own,"
    check(columns, out, (3, 1), (1, 2), what, inputs)


def test_the_columns_stay_as_they_are():
    columns = whole(1, 2, 2, 2, 3, 3)
    add_windows(columns, np.zeros((1, 2, 4, 4)), (1, 1), (1, 1))
    what = "the array of columns after the call, which is not ours to change,"
    expect.close(columns, whole(1, 2, 2, 2, 3, 3), what=what, scale=1.0)


def test_float32_stays_float32():
    out = np.zeros((1, 1, 1, 4), np.float32)
    add_windows(line([1, 2, 3], [10, 20, 30]).astype(np.float32), out, (1, 1), (1, 1))
    wanted = np.array([1.0, 12.0, 23.0, 30.0])
    expect.close(out[0, 0, 0], wanted, what="a float32 out", scale=1.0)


def test_with_it_a_picture_grows():
    x, weight = [[1.0, 2.0], [0.0, 10.0]], [[1.0, 2.0, 1.0]] * 3
    out = conv_transpose2d(asarray([[x]]), asarray([[weight]]), stride=2)
    inputs = {"x": x, "weight": weight, "stride": 2}
    # Four filters, painted two pixels apart; the rows and columns between belong to two or four.
    wanted = np.array(
        [
            [1.0, 2.0, 3.0, 4.0, 2.0],
            [1.0, 2.0, 3.0, 4.0, 2.0],
            [1.0, 2.0, 13.0, 24.0, 12.0],
            [0.0, 0.0, 10.0, 20.0, 10.0],
            [0.0, 0.0, 10.0, 20.0, 10.0],
        ]
    )
    expect.close(out[0, 0], wanted, what="conv_transpose2d(x, weight)", inputs=inputs, scale=1.0)
