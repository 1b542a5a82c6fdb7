# cut from minigrad/reference/ops/conv.py
"""Convolution: the same few weights at every place of an image.

Each number of the result adds up products of one pixel and one weight. So the result is linear in
either, and the two gradients are sums over the same products:

    correlated  pixels and weights              give results: conv2d
    spread      results' gradients and weights  give pixels: conv_transpose2d
    weighed     pixels and results' gradients   give weights

Each one's gradients are the other two, as often as one likes.
"""

from typing import Any

from minigrad.reference.array import Array
from minigrad.reference.op import Vjp, elementwise, is_array, kernel
from minigrad.reference.ops.geometry import batched, places, spans, unbatched
from minigrad.reference.ops.shape import pad, reshape
from minigrad.reference.strides import Ints
from minigrad.sizes import pair


@elementwise
def correlated(x: Any, weight: Any, *, numbers: Ints) -> tuple[Array, Vjp]:
    """conv2d of a batch whose sizes fit: (N, C, H, W), (O, C / groups, h, w) -> (N, O, rows, cols).

    numbers: stride, padding and dilation, each (down, across), and groups.
    """
    rows, cols = places("conv2d", x.shape[2:], weight.shape[2:], *directions(numbers))
    shape = (x.shape[0], weight.shape[0], rows, cols)
    # <ex 6.3> the kernel's result, and how g reaches the pixels and the weights (5 lines)
    out = kernel("conv2d", x, weight, *numbers, shape=shape)
    return out, lambda g, out: (
        spread(g, weight, shape=x.shape, numbers=numbers),
        weighed(x, g, shape=weight.shape, numbers=numbers),
    )
    # </ex 6.3>


@elementwise
def spread(g: Any, weight: Any, *, shape: Ints, numbers: Ints) -> tuple[Array, Vjp]:
    """Each number of g paints its filters onto the pixels that `correlated` read there: -> `shape`,
    (N, C, H, W).
    """
    out = kernel("conv_transpose2d", g, weight, *numbers, shape=shape)
    return out, lambda h, out: (
        correlated(h, weight, numbers=numbers),
        weighed(h, g, shape=weight.shape, numbers=numbers),
    )


@elementwise
def weighed(x: Any, g: Any, *, shape: Ints, numbers: Ints) -> tuple[Array, Vjp]:
    """How much each weight matters: all pixels that it met, times the g there: -> `shape`,
    (O, C / groups, h, w).
    """
    out = kernel("conv2d_weight", x, g, *numbers, shape=shape)
    return out, lambda h, out: (
        spread(g, h, shape=x.shape, numbers=numbers),
        correlated(x, h, numbers=numbers),
    )


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Each filter laid over every window of the images: the products, added up, plus its bias.

    x: (N, C, H, W) or (C, H, W), weight: (O, C / groups, h, w), bias: (O,) -> (N, O, rows, cols),
    with rows = (H + 2 padding - dilation (h - 1) - 1) // stride + 1. Around an image lie zeros:
    `padding` of them, "valid" (none), or "same" (as many as keep the size; for stride 1). With
    groups, each group of filters sees a group of channels of its own. As in most libraries no
    filter is turned over: mathematicians call this a cross-correlation.
    Raises ValueError for sizes that do not fit together.
    """
    images = batched("conv2d", x)
    channels, filters = counted("conv2d", images, weight, groups)
    if channels != weight.shape[1] * groups or filters % groups:
        raise ValueError(
            f"conv2d: images {images.shape} with {channels} channels, filters {weight.shape} for "
            f"{weight.shape[1]} each, groups={groups}: a filter needs {channels} / {groups} "
            f"channels, and both {channels} channels and {filters} filters must divide by groups."
        )
    steps, gaps = pair("conv2d", "stride", stride, 1), pair("conv2d", "dilation", dilation, 1)
    if isinstance(padding, str):
        images, padding = framed(images, spans(weight.shape[2:], gaps), steps, padding)
    around = pair("conv2d", "padding", padding, 0)
    out = correlated(images, weight, numbers=(*steps, *around, *gaps, groups))
    return unbatched(biased("conv2d", out, bias), x)


def framed(images: Any, span: Ints, stride: Ints, padding: str) -> tuple[Any, Ints]:
    """The images and the padding in numbers, for padding in words."""
    if padding not in ("same", "valid") or (padding == "same" and max(stride) > 1):
        raise ValueError(
            f"conv2d: padding is a number, a pair, 'valid', or 'same' for stride 1; got "
            f"{padding!r} with stride {stride}."
        )
    if padding == "valid":
        return images, (0, 0)
    before, extra = zip(*(divmod(s - 1, 2) for s in span), strict=True)
    if any(extra):  # one more below, and on the right
        images = pad(images, ((0, 0), (0, 0), (0, extra[0]), (0, extra[1])))
    return images, before


def conv_transpose2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Any:
    """The way back of conv2d, as a layer: each number of x paints its filter onto a larger image,
    and where they overlap, they add up.

    x: (N, C, H, W) or (C, H, W), weight: (C, O / groups, h, w), bias: (O,) -> (N, O, rows, cols),
    with rows = (H - 1) stride - 2 padding + dilation (h - 1) + output_padding + 1.
    Raises ValueError for sizes that do not fit together.
    """
    name = "conv_transpose2d"
    images = batched(name, x)
    channels, filters = counted(name, images, weight, groups)
    if channels != filters or channels % groups:
        raise ValueError(
            f"{name}: images {images.shape} with {channels} channels, a weight {weight.shape} for "
            f"{filters}: both must agree, and divide by groups={groups}."
        )
    steps, gaps = pair(name, "stride", stride, 1), pair(name, "dilation", dilation, 1)
    around = pair(name, "padding", padding, 0)
    extra = pair(name, "output_padding", output_padding, 0)
    span = spans(weight.shape[2:], gaps)
    axes = zip(images.shape[2:], steps, around, span, extra, strict=True)
    size = tuple((n - 1) * s - 2 * p + k + e for n, s, p, k, e in axes)
    unfit = any(e >= max(s, d) for e, s, d in zip(extra, steps, gaps, strict=True))
    if unfit or min(*images.shape[2:], *size) < 1:
        raise ValueError(
            f"{name}: images {images.shape} would become {size} pixels, with stride {steps}, "
            f"padding {around}, windows that cover {span}, and output_padding {extra}; that must "
            "be below the stride or the dilation, and one pixel must be left."
        )
    if any(behind := tuple(e // s for e, s in zip(extra, steps, strict=True))):
        images = pad(images, ((0, 0), (0, 0), (0, behind[0]), (0, behind[1])))  # they paint nothing
    shape = (images.shape[0], weight.shape[1] * groups, *size)
    out = spread(images, weight, shape=shape, numbers=(*steps, *around, *gaps, groups))
    return unbatched(biased(name, out, bias), x)


def directions(numbers: Ints) -> tuple[Ints, Ints, Ints]:
    """Stride, padding and dilation, each (down, across)."""
    return numbers[0:2], numbers[2:4], numbers[4:6]


def counted(name: str, images: Any, weight: Any, groups: Any) -> tuple[int, int]:
    """How many channels the images have, and the weight along its first axis. Raises ValueError for
    a weight of another rank or without size, and for groups that are no whole number above 0.
    """
    if not is_array(weight) or weight.ndim != 4 or min(weight.shape[2:]) < 1:
        given = weight.shape if is_array(weight) else type(weight).__name__
        raise ValueError(
            f"{name}: a weight is (filters, channels, height, width), the last two 1 or more, got "
            f"{given}."
        )
    if isinstance(groups, bool) or not isinstance(groups, int) or groups < 1:
        raise ValueError(f"{name}: groups is a whole number of 1 or more, got {groups!r}.")
    return images.shape[1], weight.shape[0]


def biased(name: str, out: Any, bias: Any) -> Any:
    """The maps, each with its own number added."""
    if bias is None:
        return out
    filters = out.shape[1]
    if not is_array(bias) or bias.shape != (filters,):
        given = bias.shape if is_array(bias) else repr(bias)
        raise ValueError(f"{name}: a bias is one number for each map, ({filters},), got {given}.")
    return out + reshape(bias, (filters, 1, 1))
