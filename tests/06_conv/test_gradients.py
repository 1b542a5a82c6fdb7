"""6.3: how the gradient of a convolution reaches its pixels and its weights."""

import weakref

import numpy as np
import pytest

from minigrad import tensor
from minigrad.course import expect
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference import numpy_conv
from minigrad.reference.creation import asarray
from minigrad.reference.ops.conv import conv2d, correlated

pytestmark = pytest.mark.exercise("6.3")

PLAIN = (1, 1, 0, 0, 1, 1, 1)
NAMES = ("stride", "padding", "dilation")
# stride, padding and dilation, each (down, across), and groups
NUMBERS = [
    PLAIN,
    (2, 1, 0, 0, 1, 1, 1),
    (1, 3, 0, 0, 1, 1, 1),
    (1, 1, 2, 1, 1, 1, 1),
    (1, 1, 0, 0, 2, 3, 1),
    (1, 1, 0, 0, 1, 1, 2),
    (3, 2, 1, 2, 2, 1, 2),
]


def adds_up(columns, out, stride, dilation):
    for n, c, i, j, r, s in np.ndindex(columns.shape):
        down, across = r * stride[0] + i * dilation[0], s * stride[1] + j * dilation[1]
        out[n, c, down, across] += columns[n, c, i, j, r, s]


@pytest.fixture(autouse=True)
def before_exercise_4(monkeypatch):
    """On its way to the pixels a gradient goes through add_windows, which is exercise 6.4. Here
    slow loops stand in for it.
    """
    monkeypatch.setattr(numpy_conv, "add_windows", adds_up)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def whole(*shape, seed=0):
    """Whole numbers, as floats: sums are exact in any order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64)


def array(rows):
    """Numbers written as rows of one channel: (1, 1, H, W)."""
    return np.array(rows, np.float64)[None, None]


def shown(numbers):
    pairs = zip(NAMES, (numbers[0:2], numbers[2:4], numbers[4:6]), strict=True)
    usual = dict(zip(NAMES, (PLAIN[0:2], PLAIN[2:4], PLAIN[4:6]), strict=True))
    special = {name: pair for name, pair in pairs if pair != usual[name]}
    return special | ({"groups": numbers[6]} if numbers[6] > 1 else {})


def products(x, weight, out, numbers):
    """Which pixel meets which weight for which result: their places in x, weight and out."""
    sh, sw, ph, pw, dh, dw, groups = numbers
    height, width = x.shape[2:]
    filters, depth, h, w = weight.shape
    for n, f, r, s in np.ndindex(out.shape):
        for c, i, j in np.ndindex(depth, h, w):
            channel = f // (filters // groups) * depth + c
            down, across = r * sh + i * dh - ph, s * sw + j * dw - pw
            if 0 <= down < height and 0 <= across < width:
                yield (n, channel, down, across), (f, c, i, j), (n, f, r, s)


def one_by_one(x, weight, g, numbers):
    """Each product passes g on to its two factors."""
    dx, dw = np.zeros_like(x), np.zeros_like(weight)
    for pixel, place, result in products(x, weight, g, numbers):
        dx[pixel] += g[result] * weight[place]
        dw[place] += g[result] * x[pixel]
    return dx, dw


def case(made, numbers):
    groups = numbers[6]
    return made(2, 2 * groups, 6, 5), made(3 * groups, 2, 3, 2, seed=1)


def pulled(x, weight, g, numbers=PLAIN):
    return correlated.with_vjp(asarray(x), asarray(weight), numbers=numbers)[1](asarray(g))


X, WEIGHT, G = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 2], [3, 4]], [[1, 0], [0, 10]]


def test_the_result_by_hand():
    out = conv2d(asarray(array(X)), asarray(array(WEIGHT)))
    inputs = {"x": X, "weight": WEIGHT}
    wanted = np.array([[37.0, 47.0], [67.0, 77.0]])
    expect.close(out[0, 0], wanted, what="conv2d(x, weight)", inputs=inputs, scale=1.0)


def test_first_the_gradient_of_the_pixels_then_that_of_the_weights():
    x, weight = asarray(array(X)), asarray(array(WEIGHT))
    out, vjp = correlated.function(x, weight, numbers=PLAIN)
    found = vjp(asarray(array(G)), out)
    expect.that(isinstance(found, tuple), "the vjp gives a tuple of two gradients")
    shapes = [each.shape for each in found]
    inputs = {"x": "(1, 1, 3, 3)", "weight": "(1, 1, 2, 2)"}
    what = "the pair of shapes [gradient of x, gradient of the weight]"
    expect.equal(shapes, [x.shape, weight.shape], what=what, inputs=inputs)


def test_the_gradient_of_the_weights_by_hand():
    inputs = {"x": X, "weight": WEIGHT, "g": G}
    _, dw = pulled(array(X), array(WEIGHT), array(G))
    # The top left weight met the pixels 1 (with g = 1) and 5 (with g = 10), and so on.
    wanted = np.array([[51.0, 62.0], [84.0, 95.0]])
    expect.close(dw[0, 0], wanted, what="the gradient of the weights", inputs=inputs, scale=1.0)


def test_the_gradient_of_the_pixels_by_hand():
    inputs = {"x": X, "weight": WEIGHT, "g": G}
    dx, _ = pulled(array(X), array(WEIGHT), array(G))
    # The filter, painted once at the top left, and ten times as strong at the bottom right.
    wanted = np.array([[1.0, 2.0, 0.0], [3.0, 14.0, 20.0], [0.0, 30.0, 40.0]])
    expect.close(dx[0, 0], wanted, what="the gradient of the pixels", inputs=inputs, scale=1.0)


def test_stride_and_dilation_on_the_way_back_by_hand():
    x, weight, g = [[5, 6, 7, 8, 9]], [[1, 2]], [[1, 10]]
    for name, numbers, pixels, weights in [
        ("stride", (1, 3, 0, 0, 1, 1, 1), [1, 2, 0, 10, 20], [85, 96]),
        ("dilation", (1, 1, 0, 0, 1, 3, 1), [1, 10, 0, 2, 20], [65, 98]),
    ]:
        inputs = {"x": x, "weight": weight, "g": g, name: (1, 3)}
        dx, dw = pulled(array(x), array(weight), array(g), numbers)
        wanted = np.array(pixels, np.float64)
        what = "the gradient of the pixels"
        expect.close(dx[0, 0, 0], wanted, what=what, inputs=inputs, scale=1.0)
        wanted = np.array(weights, np.float64)
        what = "the gradient of the weights"
        expect.close(dw[0, 0, 0], wanted, what=what, inputs=inputs, scale=1.0)


def test_every_image_adds_to_the_gradient_of_the_weights():
    x, weight, g = whole(3, 1, 4, 4), whole(2, 1, 3, 3, seed=1), whole(3, 2, 2, 2, seed=2)
    _, dw = pulled(x, weight, g)
    parts = [one_by_one(x[n : n + 1], weight, g[n : n + 1], PLAIN)[1] for n in range(3)]
    inputs = {"x": f"{x.shape}", "weight": f"{weight.shape}"}
    what = "the gradient of the weights for a batch of 3 images"
    expect.close(dw, sum(parts), what=what, inputs=inputs, scale=1.0)


def test_a_pixel_that_no_window_sees_has_gradient_0():
    x, weight, g = whole(1, 1, 4, 4), whole(1, 1, 2, 2, seed=1), whole(1, 1, 1, 1, seed=2)
    dx, _ = pulled(x, weight, g, (3, 3, 0, 0, 1, 1, 1))
    wanted = np.zeros((4, 4))
    wanted[:2, :2] = g[0, 0] * weight[0, 0]
    inputs = {"x": f"{x.shape}", "weight": f"{weight.shape}", "stride": (3, 3)}
    expect.close(dx[0, 0], wanted, what="the gradient of the pixels", inputs=inputs, scale=1.0)


@pytest.mark.parametrize("numbers", NUMBERS)
def test_every_product_passes_g_to_both_its_factors(numbers):
    x, weight = case(whole, numbers)
    out, pull = correlated.with_vjp(asarray(x), asarray(weight), numbers=numbers)
    wanted = np.zeros(out.shape)
    for pixel, place, result in products(x, weight, wanted, numbers):
        wanted[result] += x[pixel] * weight[place]
    inputs = {"x": f"{x.shape}", "weight": f"{weight.shape}", **shown(numbers)}
    expect.close(out, wanted, what="the result", inputs=inputs, scale=1.0)
    g = whole(*out.shape, seed=2)
    dx, dw = pull(asarray(g))
    slopes = one_by_one(x, weight, g, numbers)
    what = "the gradient of the weights"
    expect.close(dw, slopes[1], what=what, inputs=inputs, scale=1.0)
    what = "the gradient of the pixels"
    expect.close(dx, slopes[0], what=what, inputs=inputs, scale=1.0)


@pytest.mark.parametrize("numbers", [NUMBERS[0], NUMBERS[-1]])
def test_gradients_against_differences(numbers):
    x, weight = case(drawn, numbers)
    gradcheck(correlated, asarray(x[:, :, 2:]), asarray(weight), options={"numbers": numbers})


@pytest.mark.parametrize("numbers", [PLAIN, (2, 1, 1, 0, 1, 2, 2)])
def test_the_gradients_have_gradients_of_their_own(numbers):
    x = tensor(drawn(1, numbers[6], 4, 4), requires_grad=True)
    weight = tensor(drawn(2, 1, 2, 2, seed=1), requires_grad=True)
    gradgradcheck(correlated, x, weight, options={"numbers": numbers})


def test_float32_stays_float32():
    x, weight = drawn(1, 1, 3, 3).astype(np.float32), drawn(1, 1, 2, 2).astype(np.float32)
    out, pull = correlated.with_vjp(asarray(x), asarray(weight), numbers=PLAIN)
    kinds = tuple(str(each.dtype) for each in (out, *pull(out)))
    what = "the dtype of each: result, gradient of the pixels, gradient of the weights"
    expect.equal(kinds, ("float32",) * 3, what=what)


def test_the_vjp_does_not_hold_the_result():
    x, weight = asarray(drawn(1, 1, 3, 3)), asarray(drawn(1, 1, 2, 2))
    out, vjp = correlated.function(x, weight, numbers=PLAIN)
    memory = weakref.ref(out.buffer)
    del out
    gone = memory() is None and callable(vjp)
    expect.that(gone, "the vjp keeps nothing of the result: its memory is free once nobody uses it")
