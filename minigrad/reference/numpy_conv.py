"""Step 0 of convolution and pooling: all windows of an image as one view, and one matrix product.

What a window sees becomes a column (im2col); what columns send back is added up where windows
overlap (col2im). Images are (N, C, H, W), a weight (O, C / groups, h, w), what comes out of them
(N, O, rows, cols).

In the columns, the images of a batch lie side by side: the same place of all of them is one run of
memory, so that NumPy copies and adds long runs, and one product serves the whole batch.

numbers: stride, padding and dilation, each (down, across), and groups, all in one row.
"""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minigrad.kernels import register

View = np.ndarray[Any, Any]
Pair = tuple[int, int]


def windows(x: View, size: Pair, stride: Pair, dilation: Pair) -> View:
    """Every window of the images: (N, C, H, W) -> (N, C, h, w, rows, cols), without a copy.

    Element [n, c, i, j, r, s] is what the window in row r and column s sees at its place (i, j).
    Windows hang over no edge. The view is read-only, for one pixel stands in many windows.
    """
    images, channels, height, width = x.shape
    image, channel, down, across = x.strides
    # <ex 6.1> how many rows and columns of windows; the six sizes, and the step of each (6 lines)
    rows = (height - dilation[0] * (size[0] - 1) - 1) // stride[0] + 1
    cols = (width - dilation[1] * (size[1] - 1) - 1) // stride[1] + 1
    shape = (images, channels, *size, rows, cols)
    within = (down * dilation[0], across * dilation[1])
    between = (down * stride[0], across * stride[1])
    return as_strided(x, shape, (image, channel, *within, *between), writeable=False)
    # </ex 6.1>


def add_windows(columns: View, out: View, stride: Pair, dilation: Pair) -> None:
    """What every window (N, C, h, w, rows, cols) sends back, added to its pixels of out
    (N, C, H, W).
    """
    *_, height, width, rows, cols = columns.shape
    # <ex 6.4> for each place (i, j) of a window: the pixels that the windows see there (6 lines)
    for i in range(height):
        for j in range(width):
            top, left = i * dilation[0], j * dilation[1]
            down = slice(top, top + stride[0] * (rows - 1) + 1, stride[0])
            across = slice(left, left + stride[1] * (cols - 1) + 1, stride[1])
            out[:, :, down, across] += columns[:, :, i, j]
    # </ex 6.4>


def batch_last(x: View) -> View:
    """(N, ...) -> (..., N), a view."""
    return x.transpose(*range(1, x.ndim), 0)


def batch_first(x: View) -> View:
    """(..., N) -> (N, ...), a view."""
    return x.transpose(-1, *range(x.ndim - 1))


def inside(x: View, shape: tuple[int, ...], padding: Pair) -> View:
    """Images without the padding around them: the part of `shape`, a view."""
    top, left = padding
    return x[:, :, top : top + shape[2], left : left + shape[3]]


def blank(shape: tuple[int, ...], dtype: Any, padding: Pair, value: float = 0.0) -> View:
    """Images of `shape` with padding around them, `value` everywhere, side by side in memory."""
    images, channels, height, width = shape
    top, left = padding
    wide = (channels, height + 2 * top, width + 2 * left, images)
    return batch_first(np.full(wide, value, dtype))


def padded(x: View, padding: Pair, value: float = 0.0) -> View:
    """The images, with `value` around them, side by side in memory."""
    canvas = blank(x.shape, x.dtype, padding, value)
    inside(canvas, x.shape, padding)[...] = x
    return canvas


def unfolded(x: View, size: Pair, numbers: tuple[int, ...]) -> View:
    """What each window sees, as a column: (groups, C / groups * h * w, rows * cols * N)."""
    sh, sw, ph, pw, dh, dw, groups = numbers
    found = windows(padded(x, (ph, pw)), size, (sh, sw), (dh, dw))
    images, channels, *_, rows, cols = found.shape
    depth = channels // groups * size[0] * size[1]
    return batch_last(found).reshape(groups, depth, rows * cols * images)


def maps(g: View, groups: int) -> View:
    """(N, O, rows, cols) -> (groups, O / groups, rows * cols * N), in the order of `unfolded`."""
    images, filters, rows, cols = g.shape
    return batch_last(g).reshape(groups, filters // groups, rows * cols * images)


@register("conv2d", backend="numpy")
def conv2d(x: View, weight: View, out: View, *numbers: int) -> None:
    """x (N, C, H, W), weight (O, C / groups, h, w) -> out (N, O, rows, cols)."""
    columns = unfolded(x, weight.shape[2:], numbers)
    groups, depth, _ = columns.shape
    images, *maps_of_one = out.shape
    # <ex 6.2> filters as rows, times the columns; the images back in front (2 lines)
    product = weight.reshape(groups, len(weight) // groups, depth) @ columns
    out[...] = batch_first(product.reshape(*maps_of_one, images))
    # </ex 6.2>


@register("conv_transpose2d", backend="numpy")
def conv_transpose2d(g: View, weight: View, out: View, *numbers: int) -> None:
    """g (N, O, rows, cols), weight (O, C / groups, h, w) -> out (N, C, H, W)."""
    sh, sw, ph, pw, dh, dw, groups = numbers
    filters, depth, *size = weight.shape
    matrix = weight.reshape(groups, filters // groups, depth * size[0] * size[1])
    columns = matrix.swapaxes(1, 2) @ maps(g, groups)
    images, channels, *_ = out.shape
    back = batch_first(columns.reshape(channels, *size, *g.shape[2:], images))
    canvas = blank(out.shape, out.dtype, (ph, pw))
    add_windows(back, canvas, (sh, sw), (dh, dw))
    out[...] = inside(canvas, out.shape, (ph, pw))


@register("conv2d_weight", backend="numpy")
def conv2d_weight(x: View, g: View, out: View, *numbers: int) -> None:
    """x (N, C, H, W), g (N, O, rows, cols) -> out (O, C / groups, h, w)."""
    columns = unfolded(x, out.shape[2:], numbers)
    product = maps(g, numbers[-1]) @ columns.swapaxes(1, 2)
    out[...] = product.reshape(out.shape)


@register("max_pool2d", backend="numpy")
def max_pool2d(x: View, out: View, *numbers: int) -> None:
    """Where the largest of each window stands: x (N, C, H, W) -> out (N, C, rows, cols) int64,
    counted through the H * W pixels of its image. The first of equal ones; a NaN before all others.

    numbers: size of the window, stride, padding and dilation, each (down, across). What lies around
    an image is never chosen.
    """
    kh, kw, sh, sw, ph, pw, dh, dw = numbers
    width = x.shape[3]
    lowest = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    found = windows(padded(x, (ph, pw), lowest), (kh, kw), (sh, sw), (dh, dw))
    tops = np.arange(out.shape[2])[:, None] * sh - ph
    lefts = np.arange(out.shape[3]) * sw - pw
    # The first pixel inside the image, of a window that begins in the padding: with steps of d from
    # a place below 0, it is the remainder by d.
    first = np.where(tops < 0, tops % dh, tops) * width + np.where(lefts < 0, lefts % dw, lefts)
    best, places = (blank(out.shape, t, (0, 0), v) for t, v in ((x.dtype, lowest), (np.int64, 0)))
    places[...] = first
    for i in range(kh):
        for j in range(kw):
            seen = found[:, :, i, j]
            better = ~(seen <= best) & (best == best)  # a NaN is better, but for another one
            np.copyto(best, seen, where=better)
            np.copyto(places, (tops + i * dh) * width + lefts + j * dw, where=better)
    out[...] = places
