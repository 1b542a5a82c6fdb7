"""Calls of convolution, pooling and batch normalisation, drawn by hypothesis, beside PyTorch's."""

import torch.nn.functional as F
from hypothesis import assume
from hypothesis import strategies as st

from minigrad.reference import engine as mg


class Window:
    """Images of one rank or the other, and windows on them. least: an image's smallest size."""

    def __init__(self, d, least=1):
        self.d = d
        self.batch = d.one_of((1,), (2,), (3,), (), (0,))
        self.size, self.stride, self.dilation = self.two(1, 4), self.two(1, 3), self.two(1, 3)
        self.image = self.two(least, 9)

    def two(self, low, high):
        return self.d.draw(st.tuples(st.integers(low, high), st.integers(low, high)))

    def short(self, pair):
        """One int in place of two that are equal, now and then."""
        return pair[0] if pair[0] == pair[1] and self.d.one_of(False, True) else pair

    def fits(self, padding, dilation):
        axes = zip(self.image, self.size, padding, dilation, strict=True)
        return all(n + 2 * p >= e * (k - 1) + 1 for n, k, p, e in axes)


def convolution(d, ours, theirs, transposed):
    w = Window(d)
    padding, groups = w.two(0, 3), d.one_of(1, 1, 2, 3)
    channels, filters = (groups * d.one_of(1, 2) for _ in range(2))
    options = {"stride": w.short(w.stride), "padding": w.short(padding), "groups": groups}
    options["dilation"] = w.short(w.dilation)
    if transposed:
        each = zip(w.stride, w.dilation, strict=True)
        extra = tuple(d.draw(st.integers(0, max(pair) - 1)) for pair in each)
        options["output_padding"] = extra
        axes = zip(w.image, w.stride, padding, w.dilation, w.size, extra, strict=True)
        assume(all((n - 1) * s - 2 * p + e * (k - 1) + o + 1 > 0 for n, s, p, e, k, o in axes))
        shape = (channels, filters // groups, *w.size)
    else:
        named = d.one_of("", "", "", "valid", "same")
        if named:
            options["padding"], padding = named, (0, 0)
        if named == "same":
            options["stride"] = 1
        else:
            assume(w.fits(padding, w.dilation))
        shape = (filters, channels // groups, *w.size)
    tensors = [d.tensor((*w.batch, channels, *w.image)), d.tensor(shape)]
    if d.one_of(True, False):
        tensors.append(d.tensor((filters,)))
    return lambda *x: ours(*x, **options), lambda *x: theirs(*x, **options), *tensors


def max_pool2d(d):
    w = Window(d, least=4)
    padding = tuple(d.draw(st.integers(0, k // 2)) for k in w.size)
    assume(w.fits(padding, w.dilation))
    axes = zip(w.image, w.stride, padding, w.dilation, strict=True)
    assume(all(start % e < n for n, s, p, e in axes for start in range(-p, 0, s)))
    options = {"stride": d.one_of(w.stride, None), "padding": padding, "dilation": w.dilation}
    if options["stride"] is None:  # other windows than the drawn ones
        options |= {"padding": 0, "dilation": 1}
        assume(w.fits((0, 0), (1, 1)))
    x = d.tensor((*w.batch, d.one_of(1, 3), *w.image), ties=d.one_of(False, True))
    size = w.short(w.size)
    return (
        lambda x: mg.max_pool2d(x, size, **options),
        lambda x: F.max_pool2d(x, size, **options),
        x,
    )


def avg_pool2d(d):
    w = Window(d, least=4)
    padding = tuple(d.draw(st.integers(0, k // 2)) for k in w.size)
    assume(w.fits(padding, (1, 1)))
    options = {"stride": d.one_of(None, w.short(w.stride)), "padding": w.short(padding)}
    options["count_include_pad"] = d.one_of(True, False)
    x, size = d.tensor((*w.batch, d.one_of(1, 3), *w.image)), w.short(w.size)
    return (
        lambda x: mg.avg_pool2d(x, size, **options),
        lambda x: F.avg_pool2d(x, size, **options),
        x,
    )


def batch_norm(d):
    channels = d.one_of(1, 2, 5)
    x = d.tensor((d.one_of(1, 2, 3), channels, *d.shape(most=2)))
    training = d.one_of(True, False)
    assume(not training or x.numel() // channels > 1)
    mean, var = d.tensor((channels,), gradient=False), d.tensor((channels,), 0.1, gradient=False)
    affine = [d.tensor((channels,)), d.tensor((channels,))][: d.one_of(0, 1, 2)]
    options = {"training": training, "momentum": d.one_of(0.1, 0.75), "eps": d.one_of(1e-5, 0.1)}

    def call(function):
        # The running statistics are results as well, and must not be changed for the other side.
        def with_statistics(x, mean, var, *affine):
            mean, var = mean * 1.0, var * 1.0
            return function(x, mean, var, *affine, **options), mean, var

        return with_statistics

    return call(mg.batch_norm), call(F.batch_norm), x, mean, var, *affine


CASES = {
    "conv2d": lambda d: convolution(d, mg.conv2d, F.conv2d, transposed=False),
    "conv_transpose2d": lambda d: convolution(
        d, mg.conv_transpose2d, F.conv_transpose2d, transposed=True
    ),
    "max_pool2d": max_pool2d,
    "avg_pool2d": avg_pool2d,
    "batch_norm": batch_norm,
}
