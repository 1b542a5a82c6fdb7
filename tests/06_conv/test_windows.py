"""6.1: all windows of an image at once, as a view of its memory."""

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from minigrad.course import expect
from minigrad.reference.numpy_conv import windows

pytestmark = pytest.mark.exercise("6.1")

MARGIN = 5000


def image(*shape, dtype=np.float64, around=np.nan):
    """Counted pixels 1, 2, 3, ... that lie in the middle of a larger memory: whoever reads outside
    the image finds `around`.
    """
    size = math.prod(shape)
    memory = np.full(size + 2 * MARGIN, around, dtype)
    memory[MARGIN : MARGIN + size] = np.arange(1, size + 1)
    return memory[MARGIN : MARGIN + size].reshape(shape)


def starts(pixels, places, step, gap):
    """Where windows begin: wherever their last pixel is still one of the image."""
    return [at for at in range(0, pixels, step) if at + gap * (places - 1) < pixels]


def one_by_one(x, size, stride, dilation):
    """Each window by itself, with the pixels that it sees."""
    tops, lefts = (starts(*each) for each in zip(x.shape[2:], size, stride, dilation, strict=True))
    out = np.zeros((*x.shape[:2], *size, len(tops), len(lefts)), x.dtype)
    for i, j, r, s in np.ndindex(out.shape[2:]):
        pixel = x[:, :, tops[r] + i * dilation[0], lefts[s] + j * dilation[1]]
        out[:, :, i, j, r, s] = pixel
    return out


def check(x, size, stride, dilation, **more):
    asked = {"size": size, "stride": stride, "dilation": dilation}
    inputs = {"x": f"{x.shape}, counted from 1", **more, **asked}
    found, wanted = windows(x, size, stride, dilation), one_by_one(x, size, stride, dilation)
    expect.that(isinstance(found, np.ndarray), "windows gives an ndarray", inputs=inputs)
    what = "the shape (N, C, h, w, rows, cols)"
    expect.equal(found.shape, wanted.shape, what=what, inputs=inputs)
    expect.equal(str(found.dtype), str(x.dtype), what="the dtype", inputs=inputs)
    expect.close(
        found,
        wanted,
        what="the view of all windows [n, c, i, j, row, col]",
        inputs=inputs,
        scale=1.0,
    )


def look(found, views, inputs):
    """Each window by its place: {(row, col): what it sees}."""
    for (row, col), wanted in views.items():
        what = f"what the window in row {row}, column {col} sees"
        expect.close(
            found[0, 0, :, :, row, col], np.array(wanted), what=what, inputs=inputs, scale=1.0
        )


def test_by_hand():
    x = image(1, 1, 3, 4)  # 1 2 3 4 / 5 6 7 8 / 9 10 11 12
    inputs = {"x": x[0, 0].tolist(), "size": (2, 2), "stride": (1, 1), "dilation": (1, 1)}
    found = windows(x, (2, 2), (1, 1), (1, 1))
    what = "the shape (N, C, h, w, rows, cols)"
    expect.equal(found.shape, (1, 1, 2, 2, 2, 3), what=what, inputs=inputs)
    views = {
        (0, 0): [[1.0, 2.0], [5.0, 6.0]],
        (0, 1): [[2.0, 3.0], [6.0, 7.0]],
        (1, 0): [[5.0, 6.0], [9.0, 10.0]],
        (1, 2): [[7.0, 8.0], [11.0, 12.0]],
    }
    look(found, views, inputs)


def test_a_stride_moves_the_windows_apart():
    x = image(1, 1, 4, 5)
    inputs = {"x": x[0, 0].tolist(), "size": (2, 2), "stride": (2, 3), "dilation": (1, 1)}
    found = windows(x, (2, 2), (2, 3), (1, 1))
    what = "the shape (N, C, h, w, rows, cols)"
    expect.equal(found.shape, (1, 1, 2, 2, 2, 2), what=what, inputs=inputs)
    views = {
        (0, 0): [[1.0, 2.0], [6.0, 7.0]],
        (0, 1): [[4.0, 5.0], [9.0, 10.0]],
        (1, 0): [[11.0, 12.0], [16.0, 17.0]],
    }
    look(found, views, inputs)


def test_dilation_moves_the_pixels_of_a_window_apart():
    x = image(1, 1, 4, 5)
    inputs = {"x": x[0, 0].tolist(), "size": (2, 2), "stride": (1, 1), "dilation": (2, 3)}
    found = windows(x, (2, 2), (1, 1), (2, 3))
    what = "the shape (N, C, h, w, rows, cols)"
    expect.equal(found.shape, (1, 1, 2, 2, 2, 2), what=what, inputs=inputs)
    views = {
        (0, 0): [[1.0, 4.0], [11.0, 14.0]],
        (0, 1): [[2.0, 5.0], [12.0, 15.0]],
        (1, 1): [[7.0, 10.0], [17.0, 20.0]],
    }
    look(found, views, inputs)


@pytest.mark.parametrize(
    ("pixels", "size", "stride", "dilation", "rows"),
    [
        (28, 3, 1, 1, 26),
        (28, 5, 1, 1, 24),
        (24, 2, 2, 1, 12),
        (7, 3, 2, 1, 3),
        (8, 3, 2, 1, 3),  # the last row of pixels is seen by no window
        (9, 3, 4, 1, 2),
        (7, 3, 1, 2, 3),
        (7, 3, 1, 3, 1),
        (5, 5, 1, 1, 1),
        (5, 1, 1, 4, 5),
        (5, 1, 2, 1, 3),
    ],
)
def test_how_many_windows_fit(pixels, size, stride, dilation, rows):
    for turned in (False, True):
        pairs = [(size, 1), (stride, 1), (dilation, 1)]
        pairs = [p[::-1] for p in pairs] if turned else pairs
        shape = (1, 1, 2, pixels) if turned else (1, 1, pixels, 2)
        found = windows(image(*shape), *pairs)
        inputs = dict(zip(("size", "stride", "dilation"), pairs, strict=True), x=shape)
        wanted = (2, rows) if turned else (rows, 2)
        what = "the number of windows (rows, cols)"
        expect.equal(found.shape[4:], wanted, what=what, inputs=inputs)


pairs = st.tuples(st.integers(1, 3), st.integers(1, 3))


@settings(max_examples=40, phases=[Phase.generate, Phase.shrink])
@given(st.integers(1, 2), st.integers(1, 3), pairs, pairs, pairs, pairs)
def test_any_sizes(images, channels, size, stride, dilation, more):
    spare = zip(size, dilation, more, strict=True)
    x = image(images, channels, *(d * (k - 1) + m for k, d, m in spare))
    check(x, size, stride, dilation)


def test_any_layout_of_the_images():
    x = image(6, 3, 6, 12)
    for name, view in [
        ("x[::2, ::-1]", x[::2, ::-1]),
        ("x[:, :, ::-1, ::2]", x[:, :, ::-1, ::2]),
        ("x[:, 1:, 1:, 2:-1]", x[:, 1:, 1:, 2:-1]),
        ("rows and columns exchanged", x.swapaxes(2, 3)),
        ("the images last in memory", x.transpose(3, 1, 2, 0)),
        ("one image, repeated", np.broadcast_to(x[:1], (3, 3, 6, 12))),
    ]:
        check(view, (2, 3), (2, 1), (1, 2), layout=name)


def test_other_dtypes_and_no_images_at_all():
    for dtype in ("float32", "int64"):
        check(image(1, 2, 5, 4, dtype=dtype, around=-1), (3, 2), (1, 2), (2, 1))
    check(image(0, 2, 5, 4), (3, 2), (1, 1), (1, 1))


def test_nothing_is_copied():
    x = image(2, 1, 5, 6)
    inputs = {"x": x.shape, "size": (3, 3), "stride": (1, 1), "dilation": (1, 1)}
    found = windows(x, (3, 3), (1, 1), (1, 1))
    shares = np.may_share_memory(found, x)
    expect.that(shares, "the windows read the memory of x itself, they are no copy", inputs=inputs)
    x[1, 0, 2, 3] = 100.0
    what = "the number of windows that see a pixel which changed afterwards"
    expect.equal(int((found == 100.0).sum()), 9, what=what, inputs=inputs)


def test_the_view_is_read_only():
    found = windows(image(1, 1, 4, 4), (2, 2), (1, 1), (1, 1))
    sentence = "the windows cannot be written to: one pixel stands in many of them (writeable)"
    expect.that(not found.flags.writeable, sentence)
