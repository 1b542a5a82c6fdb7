"""6.2: the forward pass of a convolution as one matrix product."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from minigrad.course import expect
from minigrad.reference.numpy_conv import conv2d

pytestmark = pytest.mark.exercise("6.2")

NAMES = ("stride", "padding", "dilation")
BEFORE = 9999.0


def whole(*shape, seed=0):
    """Whole numbers, as floats: sums are exact in any order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64)


def shown(x):
    """A few numbers as they are, many by their shape."""
    return x.tolist() if x.size <= 6 else f"{x.shape}"


def array(rows):
    """Numbers written as rows of one channel: (1, 1, H, W)."""
    return np.array(rows, np.float64)[None, None]


def starts(pixels, places, step, gap):
    """Where windows begin: wherever their last pixel is still one of the image."""
    return [at for at in range(0, pixels, step) if at + gap * (places - 1) < pixels]


def one_by_one(x, weight, stride, padding, dilation, groups):
    """The definition: each filter, laid over each window of the channels of its group."""
    (down, across), (dh, dw) = padding, dilation
    x = np.pad(x, ((0, 0), (0, 0), (down, down), (across, across)))
    filters, depth, *size = weight.shape
    tops, lefts = (starts(*each) for each in zip(x.shape[2:], size, stride, dilation, strict=True))
    out = np.zeros((len(x), filters, len(tops), len(lefts)))
    for f, r, s in np.ndindex(out.shape[1:]):
        first = f // (filters // groups) * depth
        rows = slice(tops[r], tops[r] + dh * (size[0] - 1) + 1, dh)
        cols = slice(lefts[s], lefts[s] + dw * (size[1] - 1) + 1, dw)
        seen = x[:, first : first + depth, rows, cols]
        out[:, f, r, s] = (seen * weight[f]).sum(axis=(1, 2, 3))
    return out


def run(x, weight, shape, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    """What the kernel makes of it, in memory where other numbers stood before."""
    out = np.full(shape, BEFORE, x.dtype)
    conv2d(x, weight, out, *stride, *padding, *dilation, groups)
    return out


def check(x, weight, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, **more):
    numbers = (stride, padding, dilation, groups)
    wanted = one_by_one(x, weight, *numbers)
    found = run(x, weight, wanted.shape, *numbers)
    plain = ((1, 1), (0, 0), (1, 1))
    inputs = {"x": shown(x), "weight": shown(weight)}
    special = zip(NAMES, numbers[:3], plain, strict=True)
    inputs |= {name: pair for name, pair, usual in special if pair != usual}
    inputs |= {"groups": groups} if groups > 1 else {}
    what = "the result [n, filter, row, col]"
    expect.close(found, wanted, what=what, inputs=inputs | more, scale=1.0)


def test_by_hand():
    x, weight = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 2], [0, 3]]
    # Top left: 1 * 1 + 2 * 2 + 4 * 0 + 5 * 3
    wanted = [[20.0, 26.0], [38.0, 44.0]]
    inputs = {"x": x, "weight": weight, "out before the call": "9999 everywhere"}
    found = run(array(x), array(weight), (1, 1, 2, 2))
    expect.close(found[0, 0], np.array(wanted), what="the map", inputs=inputs, scale=1.0)


def test_a_filter_is_not_turned_over():
    x = np.zeros((1, 1, 5, 5))
    x[0, 0, 2, 2] = 1.0
    weight = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    # The window whose last pixel is the bright one sees it with its last weight, and so on.
    wanted = np.array(weight, np.float64)[::-1, ::-1]
    inputs = {"x": "(1, 1, 5, 5), zeros but for a 1 in the middle", "weight": weight}
    found = run(x, array(weight), (1, 1, 3, 3))
    expect.close(found[0, 0], wanted, what="the map", inputs=inputs, scale=1.0)


def test_the_products_of_all_channels_are_added_up():
    x = np.array([[[1.0, 2.0, 3.0]], [[10.0, 20.0, 30.0]]])[None]
    weight = np.array([[[[1.0, 1.0]], [[0.0, 5.0]]]])
    inputs = {"x": x.tolist(), "weight": weight.tolist()}
    found = run(x, weight, (1, 1, 1, 2))
    expect.close(found, np.array([[[[103.0, 155.0]]]]), what="the map", inputs=inputs, scale=1.0)


def test_each_filter_makes_a_map_and_each_image_has_its_own():
    x = np.array([[1.0, 2.0, 3.0], [40.0, 50.0, 60.0]]).reshape(2, 1, 1, 3)
    weight = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).reshape(3, 1, 1, 2)
    inputs = {"x": x.tolist(), "weight": weight.tolist()}
    found = run(x, weight, (2, 3, 1, 2))
    wanted = [[[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]], [[40.0, 50.0], [50.0, 60.0], [90.0, 110.0]]]
    wanted = np.array(wanted).reshape(2, 3, 1, 2)
    expect.close(found, wanted, what="the result [n, filter, row, col]", inputs=inputs, scale=1.0)


def test_filters_of_a_group_see_the_channels_of_their_group():
    x = np.array([1.0, 10.0, 100.0, 1000.0]).reshape(1, 4, 1, 1)
    weight = np.arange(1.0, 9.0).reshape(4, 2, 1, 1)
    inputs = {"x, a pixel of 4 channels": x.ravel().tolist(), "groups": 2}
    inputs["weights of the 4 filters"] = weight.reshape(4, 2).tolist()
    found = run(x, weight, (1, 4, 1, 1), groups=2)
    wanted = np.array([21.0, 43.0, 6500.0, 8700.0]).reshape(1, 4, 1, 1)
    what = "the pixel in the 4 maps (two of channels 0 and 1, two of channels 2 and 3)"
    expect.close(found, wanted, what=what, inputs=inputs, scale=1.0)


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))
paddings = st.tuples(st.integers(0, 2), st.integers(0, 2))
counts = st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(1, 3))


@settings(max_examples=40, phases=[Phase.generate, Phase.shrink])
@given(counts, pairs, pairs, pairs, paddings, pairs, st.integers(1, 3))
def test_any_sizes(counts, size, more, stride, padding, dilation, groups):
    images, depth, filters = counts
    axes = zip(size, dilation, padding, more, strict=True)
    pixels = [max(d * (k - 1) + 1 - 2 * p, 1) + m for k, d, p, m in axes]
    x = whole(images, depth * groups, *pixels)
    weight = whole(filters * groups, depth, *size, seed=1)
    check(x, weight, stride, padding, dilation, groups)


def test_any_layout_of_images_and_filters():
    x, weight = whole(4, 4, 7, 10), whole(6, 4, 4, 3, seed=1)
    for name, images, filters in [
        ("x[:, ::-1]", x[:, ::-1], weight),
        ("x[::2, :, ::-1, ::2]", x[::2, :, ::-1, ::2], weight),
        ("rows and columns exchanged", x.swapaxes(2, 3), weight.swapaxes(2, 3)),
        ("weight[::2, :, ::-1]", x, weight[::2, :, ::-1]),
        ("the images last in memory", np.ascontiguousarray(x.T).T, weight),
    ]:
        check(images, filters, (2, 1), (1, 0), layout=name)


def test_out_may_have_any_layout():
    x, weight = whole(2, 3, 4, 5), whole(2, 3, 2, 2, seed=1)
    wanted = one_by_one(x, weight, (1, 1), (0, 0), (1, 1), 1)
    out = np.full((4, 3, 2, 2), BEFORE).T  # (2, 2, 3, 4)
    conv2d(x, weight, out, 1, 1, 0, 0, 1, 1, 1)
    what = "the result, in an `out` with strides of its own"
    inputs = {"x": f"{x.shape}", "weight": f"{weight.shape}"}
    expect.close(out, wanted, what=what, inputs=inputs, scale=1.0)


def test_images_and_filters_stay_as_they_are():
    x, weight = whole(2, 2, 4, 4), whole(3, 2, 2, 2, seed=1)
    run(x, weight, (2, 3, 5, 5), padding=(1, 1))
    expect.close(
        x, whole(2, 2, 4, 4), what="x after the call, which is not ours to change", scale=1.0
    )
    expect.close(weight, whole(3, 2, 2, 2, seed=1), what="the weight after the call", scale=1.0)


def test_nan_stays_among_the_windows_that_see_it():
    x = np.ones((2, 1, 4, 4))
    x[0, 0, 0, 0] = np.nan
    found = run(x, np.ones((1, 1, 2, 2)), (2, 1, 3, 3))
    wanted = np.full((2, 1, 3, 3), 4.0)
    wanted[0, 0, 0, 0] = np.nan
    inputs = {"x": "(2, 1, 4, 4), ones but for a NaN at [0, 0, 0, 0]", "weight": "four ones"}
    expect.close(found, wanted, what="the result [n, filter, row, col]", inputs=inputs, scale=1.0)
