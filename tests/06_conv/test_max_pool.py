"""6.5: the gradient of a max-pool goes to the pixel that was the largest of its window."""

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from minigrad import max_pool2d, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.ops.pool import winners

pytestmark = pytest.mark.exercise("6.5")

ONES = ((1, 1), (0, 0), (1, 1))


def apart(*shape):
    """Numbers in random order, no two of them equal and none below 1."""
    size = math.prod(shape)
    return 1.0 + np.random.default_rng(0).permutation(size).reshape(shape) / 4.0


def pulled(x, g, size, stride=None, padding=(0, 0), dilation=(1, 1)):
    numbers = (*size, *(stride or size), *padding, *dilation)
    return winners.with_vjp(asarray(x), g.shape, numbers)[1](asarray(g))[0]


def by_hand(x, g, wanted, size, stride=None, **more):
    """One image of one channel, written as rows."""
    inputs = {"x": x, "g": g, "size": size, "stride": stride or size}
    x, g = (np.array(rows, np.float64)[None, None] for rows in (x, g))
    dx = pulled(x, g, size, stride, **more)
    what = "the gradient of the pixels"
    expect.close(dx[0, 0], np.array(wanted, np.float64), what=what, inputs=inputs | more, scale=1.0)


def test_one_gradient_of_the_shape_of_the_images():
    x = asarray(apart(2, 3, 2, 4))
    out, vjp = winners.function(x, (2, 3, 1, 2), (2, 2, 2, 2, 0, 0, 1, 1))
    found = vjp(out, out)
    one = isinstance(found, tuple) and len(found) == 1
    expect.that(one, "the vjp gives a tuple of one gradient: (gradient,), with its comma")
    inputs = {"x": "(2, 3, 2, 4) float64", "size": (2, 2), "g": "(2, 3, 1, 2) float64"}
    expect.equal(found[0].shape, x.shape, what="the shape of the gradient", inputs=inputs)
    expect.equal(str(found[0].dtype), "float64", what="the dtype of the gradient", inputs=inputs)


def test_the_largest_of_each_window_by_hand():
    x = [[1, 5, 2, 0], [3, 4, 8, 6]]
    by_hand(x, [[7, 10]], [[0, 7, 0, 0], [0, 0, 10, 0]], (2, 2))
    x = [[-9, -8], [-3, -4], [-5, -2], [-6, -7]]
    by_hand(x, [[7], [10]], [[0, 0], [7, 0], [0, 10], [0, 0]], (2, 2))


def test_the_winner_of_several_windows_receives_the_sum():
    x = [[0, 1, 2], [3, 9, 4], [5, 6, 7]]
    g = [[1, 10], [100, 1000]]
    wanted = [[0, 0, 0], [0, 1111, 0], [0, 0, 0]]
    by_hand(x, g, wanted, (2, 2), (1, 1))
    x = [[5, 1, 4, 6, 2]]
    by_hand(x, [[1, 10, 100]], [[1, 0, 0, 110, 0]], (1, 3), (1, 1))


def test_of_equal_pixels_the_first_receives_all():
    x = [[0, 2, 3, 3], [2, 2, 3, 3]]
    by_hand(x, [[7, 10]], [[0, 7, 10, 0], [0, 0, 0, 0]], (2, 2))


def test_pixels_between_the_windows_receive_nothing():
    x = [[1, 2, 99, 4, 3, 99], [98, 98, 98, 98, 98, 98]]
    by_hand(x, [[7, 10]], [[0, 7, 0, 10, 0, 0], [0] * 6], (1, 2), (2, 3))


def test_padding_is_never_the_largest():
    x = [[-5, -6], [-7, -8]]
    g = [[1, 10], [100, 1000]]
    by_hand(x, g, [[1, 10], [100, 1000]], (2, 2), (2, 2), padding=(1, 1))


def test_every_channel_of_every_image_by_itself():
    x = np.arange(24.0).reshape(2, 3, 2, 2)
    x[1] *= -1.0
    g = 1.0 + np.arange(6.0).reshape(2, 3, 1, 1)
    wanted = np.zeros_like(x)
    wanted[0, :, 1, 1], wanted[1, :, 0, 0] = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    inputs = {"x": "(2, 3, 2, 2), rising in the first image, falling in the second"}
    inputs |= {"g": g.ravel().tolist(), "size": (2, 2)}
    what = "the gradient of the pixels [n, c, row, col]"
    expect.close(pulled(x, g, (2, 2)), wanted, what=what, inputs=inputs, scale=1.0)


def one_by_one(x, g, size, stride, padding, dilation):
    """Each window by itself: the largest of the pixels that it sees takes its g."""
    dx = np.zeros_like(x)
    for n, c, r, s in np.ndindex(g.shape):
        rows = [r * stride[0] - padding[0] + i * dilation[0] for i in range(size[0])]
        cols = [s * stride[1] - padding[1] + j * dilation[1] for j in range(size[1])]
        inside = [
            (n, c, row, col)
            for row in rows
            for col in cols
            if 0 <= row < x.shape[2] and 0 <= col < x.shape[3]
        ]
        dx[max(inside, key=lambda at: x[at])] += g[n, c, r, s]
    return dx


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))


@settings(max_examples=40, phases=[Phase.generate, Phase.shrink])
@given(st.integers(1, 2), st.integers(1, 2), pairs, pairs, pairs, pairs, st.booleans())
def test_any_sizes(images, channels, size, stride, count, dilation, padded):
    padding = tuple(k // 2 if padded and d == 1 else 0 for k, d in zip(size, dilation, strict=True))
    axes = zip(size, stride, count, dilation, padding, strict=True)
    pixels = [max(s * (n - 1) + d * (k - 1) + 1 - 2 * p, 1) for k, s, n, d, p in axes]
    axes = zip(pixels, size, stride, dilation, padding, strict=True)
    shape = [(m + 2 * p - d * (k - 1) - 1) // s + 1 for m, k, s, d, p in axes]
    x = apart(images, channels, *pixels)
    g = 1.0 + np.arange(images * channels * math.prod(shape), dtype=np.float64)
    g = g.reshape(images, channels, *shape)
    windows = {"stride": stride, "padding": padding, "dilation": dilation}
    inputs = {"x": f"{x.shape}, no two equal", "size": size, **windows}
    found, wanted = pulled(x, g, size, **windows), one_by_one(x, g, size, **windows)
    expect.close(
        found, wanted, what="the gradient of the pixels [n, c, row, col]", inputs=inputs, scale=1.0
    )


def test_gradients_against_differences():
    x = asarray(apart(2, 2, 5, 4))
    gradcheck(winners, x, (2, 2, 3, 2), (3, 2, 2, 1, 1, 0, 1, 2))
    x = tensor(x.numpy(), requires_grad=True)
    gradcheck(max_pool2d, x, (3, 2), 1)
    gradgradcheck(max_pool2d, x, 3, 2, 1)


def test_nothing_but_g_counts_where_pixels_are_infinite():
    x = [[-math.inf, -math.inf, math.inf, 1.0], [-math.inf, -math.inf, 2.0, math.inf]]
    by_hand(x, [[7, 10]], [[7, 0, 10, 0], [0, 0, 0, 0]], (2, 2))


def test_one_image_without_a_batch():
    x = tensor(np.array([[[1.0, 2.0], [4.0, 3.0]]]), requires_grad=True)
    max_pool2d(x, 2).sum().backward()
    wanted = np.array([[[0.0, 0.0], [1.0, 0.0]]])
    inputs = {"x": x.tolist(), "kernel_size": 2}
    what = "x.grad after max_pool2d(x, 2).sum().backward()"
    expect.close(x.grad, wanted, what=what, inputs=inputs, tol=EPS, scale=1.0)


def test_float32_stays_float32():
    x = asarray(apart(1, 1, 4, 4).astype(np.float32))
    out, vjp = winners.function(x, (1, 1, 2, 2), (2, 2, 2, 2, 0, 0, 1, 1))
    inputs = {"x": "(1, 1, 4, 4) float32", "size": (2, 2), "g": "(1, 1, 2, 2) float32"}
    kind = str(vjp(out, out)[0].dtype)
    expect.equal(kind, "float32", what="the dtype of the gradient", inputs=inputs)
