"""Cases of images: convolution, pooling, batch normalisation."""

import numpy as np
from case import Case, spread

import minigrad as mg

INF, NAN = np.inf, np.nan
SPECIAL = np.array([[
    [1.0, 2.0, -INF, -INF, 0.5], [3.0, 3.0, -INF, -INF, INF], [NAN, 1.0, -0.0, 0.0, -1.0],
    [2.0, -5.0, 0.0, 0.0, -2.0],
]])  # fmt: skip
WHOLE = np.array([[[3, -1, 0, 7, 2], [2, 2, 5, -4, 9], [1, 8, -6, 0, 4]]])
CONVOLUTIONS = [
    ((1, 1, 3, 3), (1, 1, 2, 2), {}),
    ((2, 3, 5, 4), (4, 3, 3, 2), {}),
    ((3, 5, 4), (2, 3, 2, 3), {"padding": 1}),
    ((2, 4, 5, 6), (6, 2, 2, 3), {"stride": (2, 1), "padding": (1, 2), "groups": 2}),
    ((1, 2, 7, 6), (2, 1, 3, 2), {"dilation": (2, 3), "groups": 2, "padding": (0, 1)}),
    ((1, 2, 3, 4), (3, 2, 1, 1), {"stride": 3}),
    ((2, 1, 4, 5), (2, 1, 3, 4), {"padding": "same"}),
    ((1, 1, 4, 5), (1, 1, 2, 3), {"padding": "same", "dilation": (3, 2)}),
    ((1, 1, 4, 5), (1, 1, 2, 3), {"padding": "valid"}),
    ((0, 2, 3, 3), (3, 2, 2, 2), {}),
]  # fmt: skip
TRANSPOSED = [
    ((1, 1, 2, 2), (1, 1, 2, 2), {}),
    ((2, 3, 3, 2), (3, 4, 3, 2), {"stride": 2}),
    ((4, 2, 3), (4, 1, 3, 3), {"stride": (2, 1), "padding": 1, "groups": 2}),
    ((1, 2, 3, 2), (2, 1, 2, 3), {"stride": (2, 3), "output_padding": (1, 2), "groups": 2}),
    ((1, 2, 3, 2), (2, 1, 3, 2), {"dilation": (2, 3), "output_padding": (1, 2), "padding": 1}),
    ((0, 2, 3, 3), (2, 3, 2, 2), {}),
]
POOLS = [
    ((1, 1, 4, 4), (2,), {}),
    ((2, 3, 5, 7), (2,), {}),
    ((2, 5, 4), ((3, 2),), {"stride": (1, 2)}),
    ((1, 2, 5, 5), (3, 2, 1), {}),
    ((2, 1, 3, 4), ((2, 3), 1, (1, 1)), {}),
    ((0, 2, 3, 3), (2,), {}),
]


def framed(x, padding, value=0.0):
    (top, left) = two(padding)
    return np.pad(x, ((0, 0), (0, 0), (top, top), (left, left)), constant_values=value)


def two(number):
    return number if isinstance(number, tuple) else (number, number)


def batch(function):
    """A function of a batch, for one image alone as well."""
    return lambda x, *rest, **options: (
        function(x[None], *rest, **options)[0] if x.ndim == 3 else function(x, *rest, **options)
    )


def seen(x, size, stride, dilation=1):
    """(i, j) and what all windows see there, (N, C, rows, cols)."""
    (h, w), (sh, sw), (dh, dw) = size, two(stride), two(dilation)
    rows = (x.shape[2] - dh * (h - 1) - 1) // sh + 1
    cols = (x.shape[3] - dw * (w - 1) - 1) // sw + 1
    for i, j in np.ndindex(h, w):
        yield (i, j), x[:, :, i * dh :: sh, j * dw :: sw][:, :, :rows, :cols]


@batch
def conv2d(x, weight, bias=0, stride=1, padding=0, dilation=1, groups=1):
    """Place by place in the window, group by group: pixels times a matrix of channels."""
    size = weight.shape[2:]
    if padding == "same":
        total = [d * (k - 1) for k, d in zip(size, two(dilation), strict=True)]
        x = np.pad(x, ((0, 0), (0, 0), *((t // 2, t - t // 2) for t in total)))
        padding = 0
    out = 0
    for (i, j), pixels in seen(
        framed(x, 0 if padding == "valid" else padding), size, stride, dilation
    ):
        parts = zip(np.split(pixels, groups, 1), np.split(weight[:, :, i, j], groups), strict=True)
        out = out + np.concatenate([np.einsum("ncrs,oc->nors", p, w) for p, w in parts], 1)
    return out + np.reshape(bias, (-1, 1, 1))


@batch
def conv_transpose2d(
    x, weight, bias=0, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    """Every pixel paints the filters of its channel, one after the other."""
    (n, channels, rows, cols), (_, each, h, w) = x.shape, weight.shape
    (sh, sw), (ph, pw), (dh, dw), (eh, ew) = map(two, (stride, padding, dilation, output_padding))
    wide = (rows - 1) * sh + dh * (h - 1) + 1 + eh, (cols - 1) * sw + dw * (w - 1) + 1 + ew
    out = np.zeros((n, each * groups, *wide), x.dtype)
    for c, r, s in np.ndindex(channels, rows, cols):
        first = c // (channels // groups) * each
        down = slice(r * sh, r * sh + dh * (h - 1) + 1, dh)
        across = slice(s * sw, s * sw + dw * (w - 1) + 1, dw)
        out[:, first : first + each, down, across] += x[:, c, r, s, None, None, None] * weight[c]
    return out[:, :, ph : wide[0] - ph, pw : wide[1] - pw] + np.reshape(bias, (-1, 1, 1))


@batch
def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1):
    lowest = -INF if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    stride = kernel_size if stride is None else stride
    views = seen(framed(x, padding, lowest), two(kernel_size), stride, dilation)
    return np.max([pixels for _, pixels in views], axis=0)


@batch
def avg_pool2d(x, kernel_size, stride=None, padding=0, count_include_pad=True):
    def total(x):
        steps = kernel_size if stride is None else stride
        return sum(pixels for _, pixels in seen(framed(x, padding), two(kernel_size), steps))

    return total(x) / (np.prod(two(kernel_size)) if count_include_pad else total(np.ones(x.shape)))


def batch_norm(x, weight=1.0, bias=0.0, stats=None, eps=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    axes = (0, *range(2, x.ndim))
    mean, var = (x.mean(axes), x.var(axes)) if stats is None else stats
    x = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + eps)
    return x * np.reshape(weight, shape if np.ndim(weight) else ()) + np.reshape(
        bias, shape if np.ndim(bias) else ()
    )


def cases():
    for name, want, drawn in (
        ("conv2d", conv2d, CONVOLUTIONS), ("conv_transpose2d", conv_transpose2d, TRANSPOSED),
    ):  # fmt: skip
        for images, weight, options in drawn:
            x, w = spread(*images), spread(*weight, seed=1)
            yield Case(name, (x, w), want, options=options, slack=64)
        x, bias = spread(2, 4, 3, 3), spread(6, seed=2)
        w = spread(*((6, 2) if name == "conv2d" else (4, 3)), 2, 2, seed=1)
        yield Case(name, (x, w, bias), want, options={"groups": 2}, slack=64)
        yield Case(name, (WHOLE[None], np.array([[[[1, -2], [0, 3]]]])), want)
    for shape, args, options in POOLS:
        yield Case("max_pool2d", (spread(*shape),), max_pool2d, args=args, options=options)
        yield Case("avg_pool2d", (spread(*shape),), avg_pool2d, args=args, options=options)
    corners = {"stride": 1, "padding": 1}
    yield Case("avg_pool2d", (spread(2, 3, 4),), avg_pool2d, args=(3,),
        options={**corners, "count_include_pad": False})  # fmt: skip
    yield Case("max_pool2d", (spread(1, 7, 6),), max_pool2d, args=(2, 1, 1, (3, 2)))
    for args in ((2, 1), (2, 1, 1), (3, 2, 1), (1,)):
        yield Case("max_pool2d", (SPECIAL,), max_pool2d, args=args, smooth=False)
        yield Case("max_pool2d", (WHOLE,), max_pool2d, args=args)
    yield Case("avg_pool2d", (SPECIAL,), avg_pool2d, args=(2,), smooth=False)
    yield Case("avg_pool2d", (WHOLE,), avg_pool2d, args=(2, 1))
    yield from norms()


def norms():
    for shape in ((5, 3), (3, 2, 4), (2, 3, 2, 2)):
        x, channels = spread(*shape), shape[1]
        w, b = spread(channels, seed=1), spread(channels, seed=2)
        stats = spread(channels, seed=3), spread(channels, low=0.5, seed=4)
        yield Case("batch_norm", (x,), batch_norm, call=in_training)
        yield Case("batch_norm", (x, w, b), batch_norm, call=in_training)
        yield Case(
            "batch_norm", (x, w, b), lambda x, w, b, s=stats: batch_norm(x, w, b, s, 0.25),
            call=lambda x, w, b, s=stats: mg.batch_norm(x, *constants(s, x), w, b, eps=0.25),
        )  # fmt: skip
        yield Case(
            "batch_norm", (x,), lambda x, s=stats: batch_norm(x, stats=s),
            call=lambda x, s=stats: mg.batch_norm(x, *constants(s, x)),
        )  # fmt: skip


def in_training(x, w=None, b=None):
    return mg.batch_norm(x, None, None, w, b, True)


def constants(numbers, x):
    return [mg.tensor(n, dtype=x.dtype, device=x.device) for n in numbers]
