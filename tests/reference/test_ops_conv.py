"""Convolution and pooling: windows as views, loops over every pixel, and two derivatives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as mg
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference import engine, numpy_conv
from minigrad.reference.creation import asarray

EPS = float(np.finfo(np.float64).eps)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def apart(*shape, seed=0):
    """Numbers in random order, no two of them nearer than a hundredth: no step makes a tie."""
    size = int(np.prod(shape))
    order = np.random.default_rng(seed).permutation(size)
    return ((order - size / 3) / max(100.0, 0.3 * size)).reshape(shape) * 3.0


def layouts(x):
    """The same numbers compact, turned over in memory, backwards, and with gaps."""
    gaps = np.zeros(tuple(2 * n for n in x.shape))[tuple(slice(None, None, 2) for _ in x.shape)]
    gaps[...] = x
    back = tuple(slice(None, None, -1) for _ in x.shape)
    return [x, np.ascontiguousarray(x.T).T, np.ascontiguousarray(x[back])[back], gaps]


def by_loops(x, weight, stride, padding, dilation, groups):
    """The definition, one product at a time."""
    n, image, (filters, each, h, w) = len(x), x.shape[2:], weight.shape
    (sh, sw), (ph, pw), (dh, dw) = stride, padding, dilation
    rows = (image[0] + 2 * ph - dh * (h - 1) - 1) // sh + 1
    cols = (image[1] + 2 * pw - dw * (w - 1) - 1) // sw + 1
    out = np.zeros((n, filters, rows, cols))
    for place in np.ndindex(n, filters, rows, cols, each, h, w):
        b, f, r, s, c, i, j = place
        down, across = r * sh - ph + i * dh, s * sw - pw + j * dw
        if 0 <= down < image[0] and 0 <= across < image[1]:
            channel = f // (filters // groups) * each + c
            out[b, f, r, s] += x[b, channel, down, across] * weight[f, c, i, j]
    return out


def test_windows_are_a_view():
    x = drawn(2, 3, 6, 7)
    found = numpy_conv.windows(x, (2, 3), (3, 1), (2, 2))
    assert found.shape == (2, 3, 2, 3, 2, 3)
    assert np.shares_memory(found, x)
    for n, c, i, j, r, s in np.ndindex(found.shape):
        assert found[n, c, i, j, r, s] == x[n, c, 3 * r + 2 * i, s + 2 * j]
    turned = numpy_conv.windows(x.transpose(0, 1, 3, 2)[:, ::-1], (2, 2), (1, 2), (1, 1))
    assert turned.shape == (2, 3, 2, 2, 6, 3)
    assert turned[1, 0, 1, 0, 2, 1] == x[1, 2, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0.0


def test_what_windows_send_back_adds_up():
    columns, out = drawn(2, 3, 2, 3, 4, 2), np.ones((2, 3, 8, 9))
    wanted = out.copy()
    numpy_conv.add_windows(columns, out, (2, 3), (1, 2))
    for n, c, i, j, r, s in np.ndindex(columns.shape):
        wanted[n, c, 2 * r + i, 3 * s + 2 * j] += columns[n, c, i, j, r, s]
    np.testing.assert_allclose(out, wanted, rtol=0, atol=16 * EPS)


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))


@given(st.integers(1, 2), st.sampled_from([1, 2]), pairs, pairs, pairs, pairs, st.data())
def test_the_definition(n, groups, size, stride, dilation, more, data):
    padding = data.draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    span = [d * (k - 1) + 1 for d, k in zip(dilation, size, strict=True)]
    image = [max(s - 2 * p, 0) + m for s, p, m in zip(span, padding, more, strict=True)]
    x, weight = drawn(n, 2 * groups, *image), drawn(3 * groups, 2, *size, seed=1)
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    wanted = by_loops(x, weight, **options)
    out = engine.conv2d(asarray(x), asarray(weight), **options)
    tolerance = 8 * EPS * 2 * int(np.prod(size)) * 4.0
    assert (out.numpy().shape, out.numpy().dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=0, atol=tolerance)
    # sum(g * conv(x)) is sum(transposed(g) * x): each is the other's way back
    g = drawn(*wanted.shape, seed=2)
    axes = zip(image, padding, span, stride, strict=True)
    rest = tuple((n + 2 * p - s) % step for n, p, s, step in axes)
    back = engine.conv_transpose2d(asarray(g), asarray(weight), output_padding=rest, **options)
    assert back.shape == x.shape
    terms = g.size * weight.size
    np.testing.assert_allclose(
        (back.numpy() * x).sum(), (g * wanted).sum(), rtol=0, atol=8 * EPS * 8.0 * terms
    )


OPTIONS = [
    {},
    {"stride": (2, 1), "padding": (0, 2)},
    {"dilation": (2, 3), "padding": (2, 1)},
    {"groups": 2, "stride": 2, "padding": 1},
    {"padding": "same"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_two_derivatives_of_conv2d(options):
    groups = options.get("groups", 1)
    x, weight, bias = drawn(2, 2, 5, 4), drawn(4, 2 // groups, 3, 2, seed=1), drawn(4, seed=2)
    arrays = [mg.tensor(a, requires_grad=True) for a in (x, weight, bias)]
    gradcheck(engine.conv2d, *arrays, options=options)
    gradgradcheck(engine.conv2d, *arrays, options=options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2)},
        {"dilation": (3, 1), "output_padding": (2, 0), "padding": 1},
        {"groups": 2, "stride": 2},
    ],
    ids=str,
)
def test_two_derivatives_of_conv_transpose2d(options):
    groups = options.get("groups", 1)
    x, weight, bias = drawn(2, 4, 2, 3), drawn(4, 2 // groups, 3, 2, seed=1), drawn(2, seed=2)
    arrays = [mg.tensor(a, requires_grad=True) for a in (x, weight, bias)]
    gradcheck(engine.conv_transpose2d, *arrays, options=options)
    gradgradcheck(engine.conv_transpose2d, *arrays, options=options)


@pytest.mark.parametrize(
    "args", [(2,), (2, 1), ((3, 2), (1, 2), 1), (2, 1, 1, (2, 3)), (1, 2)], ids=str
)
def test_two_derivatives_of_pooling(args):
    x = mg.tensor(apart(2, 2, 5, 4), requires_grad=True)
    gradcheck(engine.max_pool2d, x, *args)
    gradgradcheck(engine.max_pool2d, x, *args)
    if len(args) < 4:
        for counts in (True, False):
            options = {"count_include_pad": counts}
            gradcheck(engine.avg_pool2d, x, *args, options=options)
            gradgradcheck(engine.avg_pool2d, x, *args, options=options)


def test_every_layout_gives_the_same_numbers_and_gradients():
    x, weight, g = drawn(2, 4, 5, 3), drawn(6, 2, 2, 3, seed=1), drawn(2, 6, 6, 3, seed=2)
    found = []
    for a, w, h in zip(*map(layouts, (x, weight, g)), strict=True):
        images = mg.asarray(a).requires_grad_()
        filters = mg.asarray(w).requires_grad_()
        out = mg.conv2d(images, filters, padding=1, groups=2)
        dx, dw = mg.grad(out, [images, filters], mg.asarray(h))
        pooled = mg.max_pool2d(images, 2, 1, 1)
        (back,) = mg.grad(pooled.sum(), images)
        found.append([t.numpy() for t in (out, dx, dw, pooled, back)])
    for others in found[1:]:
        for first, other in zip(found[0], others, strict=True):
            assert (other.shape, other.dtype) == (first.shape, first.dtype)
            np.testing.assert_allclose(other, first, rtol=0, atol=64 * EPS)


def test_ties_and_special_numbers_in_a_pool():
    inf, nan = np.inf, np.nan
    x = mg.tensor(
        np.array([[[3.0, 3.0, -inf, -inf], [3.0, 1.0, -inf, -inf], [nan, 9.0, inf, 1.0],
                   [2.0, nan, -1.0, inf]]]), requires_grad=True,
    )  # fmt: skip
    out = mg.max_pool2d(x, 2)
    np.testing.assert_array_equal(out.numpy(), [[[3.0, -inf], [nan, inf]]])
    (g,) = mg.grad(out, x, mg.tensor([[[1.0, 2.0], [4.0, 8.0]]], dtype="float64"))
    wanted = [[1.0, 0.0, 2.0, 0.0], [0.0] * 4, [4.0, 0.0, 8.0, 0.0], [0.0] * 4]
    np.testing.assert_array_equal(g.numpy(), [wanted])


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_what_lies_around_is_never_the_largest(dtype):
    lowest = {"float32": -np.inf, "int64": np.iinfo(np.int64).min}[dtype]
    x = mg.full((1, 3, 3), lowest, dtype)
    out = mg.max_pool2d(x, 3, 2, 1)
    assert (out.dtype, out.shape) == (x.dtype, (1, 2, 2))
    assert (out.numpy() == lowest).all()
    if dtype == "float32":
        x = x.requires_grad_()
        (g,) = mg.grad(mg.max_pool2d(x, 3, 2, 1).sum(), x)
        np.testing.assert_array_equal(g.numpy(), [[[1, 1, 0], [1, 1, 0], [0, 0, 0]]])


def test_a_window_that_begins_in_the_padding_starts_with_a_pixel_of_its_own():
    x = np.full((1, 5, 6), -np.inf)
    x[0, 0], x[0, :, 0] = 5.0, 7.0
    images = mg.tensor(x, requires_grad=True)
    out = mg.max_pool2d(
        images, 2, 3, 1, (2, 3)
    )  # rows -1 and 1, 2 and 4; columns -1 and 2, 2 and 5
    np.testing.assert_array_equal(out.numpy(), [[[-np.inf] * 2] * 2])
    (g,) = mg.grad(out.sum(), images)
    wanted = np.zeros((5, 6))
    wanted[1, 2] = wanted[2, 2] = 2.0
    np.testing.assert_array_equal(g.numpy(), wanted[None])


def test_overlapping_windows_send_to_one_winner():
    x = mg.tensor([[[0.0, 1.0, 0.5], [2.0, 9.0, 3.0], [0.1, 4.0, 0.2]]], requires_grad=True)
    (g,) = mg.grad(mg.max_pool2d(x, 2, 1).sum(), x)
    assert g.numpy()[0, 1, 1] == 4.0 and g.sum().item() == 4.0


def test_whole_numbers():
    x, w = asarray(np.arange(12).reshape(1, 3, 4)), asarray(np.array([[[[1, 0], [0, -2]]]]))
    out = engine.conv2d(x, w)
    assert (str(out.dtype), out.tolist()) == ("int64", [[[-10, -11, -12], [-14, -15, -16]]])
    assert str(engine.conv2d(x, asarray(np.ones((1, 1, 2, 2)))).dtype) == "float64"
    assert str(engine.avg_pool2d(x, 2).dtype) == "float32"
