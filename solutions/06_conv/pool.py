# cut from minigrad/reference/ops/pool.py
"""Pooling: one number for each window, its largest or its mean."""

from typing import Any

from minigrad.dtypes import int64
from minigrad.reference.array import Array
from minigrad.reference.creation import full, zeros
from minigrad.reference.op import Vjp, array_of, kernel, op
from minigrad.reference.ops.cast import check_numeric, floating
from minigrad.reference.ops.conv import correlated
from minigrad.reference.ops.geometry import batched, places, unbatched
from minigrad.reference.ops.index import scatter_add
from minigrad.reference.ops.shape import reshape
from minigrad.reference.strides import Ints
from minigrad.sizes import pair


@op
def winners(x: Any, shape: Ints, numbers: Ints) -> tuple[Array, Vjp]:
    """max_pool2d of a batch whose sizes fit: (N, C, H, W) -> `shape`, (N, C, rows, cols).

    numbers: size, stride, padding and dilation of the windows, each (down, across).
    """
    before, rows = x.shape, (*x.shape[:2], x.shape[2] * x.shape[3])
    where = kernel("max_pool2d", x, *numbers, shape=shape, dtype=int64)
    where = where.reshape(*shape[:2], shape[2] * shape[3])
    out = kernel("gather", array_of(x).reshape(rows), where, shape=where.shape, dtype=x.dtype)

    def vjp(g: Any, out: Any) -> tuple[Any]:
        # <ex 6.5> zeros, with each number of g added where its window's largest stood (2 lines)
        sent = scatter_add(zeros(rows, g.dtype), where, reshape(g, where.shape))
        return (reshape(sent, before),)
        # </ex 6.5>

    return out.reshape(shape), vjp


def max_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1
) -> Any:
    """The largest number of each window: (N, C, H, W) or (C, H, W) -> (N, C, rows, cols).

    kernel_size: of the window; stride: from one to the next (None: kernel_size); rows =
    (H + 2 padding - dilation (h - 1) - 1) // stride + 1. What lies around an image is never the
    largest. Of equal numbers the first one receives the gradient. A NaN goes through.
    Raises ValueError for sizes that do not fit together, TypeError for bools.
    """
    name = "max_pool2d"
    images = batched(name, x)
    check_numeric(name, x)
    size, steps, around = window(name, kernel_size, stride, padding)
    gaps = pair(name, "dilation", dilation, 1)
    check_around(name, around, size)
    image = images.shape[2:]
    shape = (*images.shape[:2], *places(name, image, size, steps, around, gaps))
    for n, s, p, d in zip(image, steps, around, gaps, strict=True):
        if any(start % d >= n for start in range(-p, 0, s)):
            raise ValueError(
                f"{name}: with padding {around} and dilation {gaps}, a window of {size} would see "
                f"no pixel of images {image}."
            )
    return unbatched(winners(images, shape, (*size, *steps, *around, *gaps)), x)


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    *,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window: (N, C, H, W) or (C, H, W) -> (N, C, rows, cols), floats.

    kernel_size, stride, padding: see max_pool2d. Around an image lie zeros, and they count
    unless count_include_pad is False. Raises ValueError for sizes that do not fit together.
    """
    name = "avg_pool2d"
    images = floating(batched(name, x))
    size, steps, around = window(name, kernel_size, stride, padding)
    check_around(name, around, size)
    places(name, images.shape[2:], size, steps, around, (1, 1))
    filter = full((1, 1, *size), 1.0, images.dtype, images.device)
    numbers = (*steps, *around, 1, 1, 1)
    n, channels, *image = images.shape
    total = correlated(reshape(images, (n * channels, 1, *image)), filter, numbers=numbers)
    count: Any = size[0] * size[1]
    if not count_include_pad:
        pixels = full((1, 1, *image), 1.0, images.dtype, images.device)
        count = correlated(pixels, filter, numbers=numbers)
    mean = total / count
    return unbatched(reshape(mean, (n, channels, *mean.shape[2:])), x)


def window(name: str, size: Any, stride: Any, padding: Any) -> tuple[Ints, Ints, Ints]:
    """Size, stride and padding of the windows, each (down, across)."""
    sizes = pair(name, "kernel_size", size, 1)
    steps = sizes if stride is None else pair(name, "stride", stride, 1)
    return sizes, steps, pair(name, "padding", padding, 0)


def check_around(name: str, padding: Ints, size: Ints) -> None:
    """Raise ValueError for padding of more than half a window."""
    if any(2 * p > k for p, k in zip(padding, size, strict=True)):
        raise ValueError(
            f"{name}: padding may be at most half of the window {size}, got {padding}."
        )
