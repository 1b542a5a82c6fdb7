"""Calls of the ops that compute numbers, drawn by hypothesis, beside PyTorch's.

CASES: the op's name, and a function from a Draw to (ours, theirs, *tensors).
"""

import math

import torch
import torch.nn.functional as F
from hypothesis import assume

from minigrad.reference import engine as mg

CASES = {}


def case(name):
    def enter(function):
        assert name not in CASES
        CASES[name] = function
        return function

    return enter


UNARY = {
    "abs": torch.abs, "ceil": torch.ceil, "cos": torch.cos, "erf": torch.erf, "exp": torch.exp,
    "expm1": torch.expm1, "floor": torch.floor, "isfinite": torch.isfinite, "isinf": torch.isinf,
    "isnan": torch.isnan, "logical_not": torch.logical_not, "neg": torch.neg, "relu": F.relu,
    "round": torch.round, "sigmoid": torch.sigmoid, "sign": torch.sign, "silu": F.silu,
    "sin": torch.sin, "square": torch.square, "tanh": torch.tanh,
    # Theirs is a straight line from 20 on.
    "softplus": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
}  # fmt: skip
ABOVE_ZERO = {
    "log": torch.log, "log1p": torch.log1p, "rsqrt": torch.rsqrt, "sqrt": torch.sqrt,
}  # fmt: skip
BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum,
    "minimum": torch.minimum, "equal": torch.eq, "not_equal": torch.ne, "less": torch.lt,
    "less_equal": torch.le, "greater": torch.gt, "greater_equal": torch.ge,
    "logical_and": torch.logical_and, "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
}  # fmt: skip
REDUCTIONS = {
    "sum": torch.sum, "mean": torch.mean, "any": torch.any, "all": torch.all,
    "max": torch.amax, "min": torch.amin,
}  # fmt: skip

for name, theirs in UNARY.items():
    CASES[name] = lambda d, n=name, f=theirs: (getattr(mg, n), f, d.tensor(d.shape()))
for name, theirs in ABOVE_ZERO.items():
    CASES[name] = lambda d, n=name, f=theirs: (getattr(mg, n), f, d.tensor(d.shape(), 0.1))
for name, theirs in BINARY.items():
    CASES[name] = lambda d, n=name, f=theirs: (getattr(mg, n), f, *pair(d, ties=True))
for name, theirs in REDUCTIONS.items():
    CASES[name] = lambda d, n=name, f=theirs: reduction(d, getattr(mg, n), f)


def pair(d, **options):
    shape = d.shape()
    return [d.tensor(d.part_of(shape), **options), d.tensor(d.part_of(shape), **options)]


def every_axis(x, axis):
    return tuple(range(x.ndim)) if axis is None else axis


def reduction(d, ours, theirs):
    x = d.tensor(d.shape(), ties=True)
    axis, keep = d.axes(x.ndim), d.one_of(False, True)
    if ours in (mg.max, mg.min):
        assume(all(x.shape[a] for a in every_axis(x, axis)))
    return (
        lambda x: ours(x, axis=axis, keepdims=keep),
        lambda x: theirs(x, dim=every_axis(x, axis), keepdim=keep) if x.ndim else theirs(x),
        x,
    )


@case("reciprocal")
def _(d):
    return mg.reciprocal, torch.reciprocal, d.tensor(d.shape(), gap=0.2)


@case("gelu")
def _(d):
    how = d.one_of("none", "tanh")
    x = d.tensor(d.shape())
    return lambda x: mg.gelu(x, how), lambda x: F.gelu(x, approximate=how), x


@case("div")
def _(d):
    shape = d.shape()
    return mg.div, torch.div, d.tensor(d.part_of(shape)), d.tensor(d.part_of(shape), gap=0.2)


@case("pow")
def _(d):
    shape = d.shape()
    return mg.pow, torch.pow, d.tensor(d.part_of(shape), 0.2), d.tensor(d.part_of(shape))


@case("where")
def _(d):
    shape = d.shape()
    mask, *rest = d.mask(d.part_of(shape)), d.tensor(d.part_of(shape)), d.tensor(d.part_of(shape))
    return mg.where, torch.where, mask, *rest


@case("masked_fill")
def _(d):
    shape = d.shape()
    value = d.one_of(0, 2, -1.5, -math.inf)
    x, mask = d.tensor(shape), d.mask(d.part_of(shape))
    return (
        lambda x, m: mg.masked_fill(x, m, value),
        lambda x, m: torch.masked_fill(x, m, value),
        x,
        mask,
    )


@case("clip")
def _(d):
    low, high = d.one_of((-1, 1), (None, 0.5), (-2.0, None), (1, -1))
    x = d.tensor(d.shape(), ties=True)
    return lambda x: mg.clip(x, low, high), lambda x: torch.clamp(x, low, high), x


@case("astype")
def _(d):
    dtype = d.one_of(torch.float32, torch.float64, torch.int64, torch.bool)
    x = d.tensor(d.shape())
    name = str(dtype).removeprefix("torch.")
    return lambda x: mg.astype(x, name), lambda x: x.to(dtype), x


@case("prod")
def _(d):
    x = d.tensor(d.shape(most=3), ties=d.one_of(False, True))
    # Theirs divides by the elements, twice, and loses the digits that a small one has not.
    d.twice = not ((x != 0) & (x.abs() < 0.5)).any()
    axis, keep = d.one_of(None, 0) if x.ndim else None, d.one_of(False, True)
    theirs = torch.prod if axis is None else lambda x: torch.prod(x, axis, keep)
    return lambda x: mg.prod(x, axis=axis, keepdims=keep and axis is not None), theirs, x


def spread(d, ours, theirs):
    x = d.tensor(d.shape(least=1))
    axis, keep, correction = d.axes(x.ndim), d.one_of(False, True), d.one_of(0, 1)
    # Of too few the result is NaN, and what theirs then has along x, or along the cotangent, is
    # now 0 and now NaN.
    d.twice = math.prod(x.shape[a] for a in every_axis(x, axis)) > correction
    return (
        lambda x: ours(x, axis=axis, keepdims=keep, correction=correction),
        lambda x: theirs(x, dim=axis, keepdim=keep, correction=correction),
        x,
    )


@case("var")
def _(d):
    return spread(d, mg.var, torch.var)


@case("std")
def _(d):
    return spread(d, mg.std, torch.std)


def placing(d, ours, theirs):
    x = d.tensor(d.shape(least=1), ties=True)
    axis, keep = d.one_of(None, d.axis(x.ndim)), d.one_of(False, True)
    assume(x.numel() if axis is None else x.shape[axis])
    return (
        lambda x: ours(x, axis=axis, keepdims=keep),
        lambda x: theirs(x, dim=axis, keepdim=keep),
        x,
    )


@case("argmax")
def _(d):
    return placing(d, mg.argmax, torch.argmax)


@case("argmin")
def _(d):
    return placing(d, mg.argmin, torch.argmin)


@case("logsumexp")
def _(d):
    x = d.tensor(d.shape(least=1), ties=True)
    axis, keep = d.axes(x.ndim), d.one_of(False, True)
    return (
        lambda x: mg.logsumexp(x, axis=axis, keepdims=keep),
        lambda x: torch.logsumexp(x, every_axis(x, axis), keep),
        x,
    )


def along_one(d, ours, theirs):
    x = d.tensor(d.shape(least=1))
    axis = d.axis(x.ndim)
    return lambda x: ours(x, axis=axis), lambda x: theirs(x, dim=axis), x


@case("softmax")
def _(d):
    return along_one(d, mg.softmax, torch.softmax)


@case("log_softmax")
def _(d):
    return along_one(d, mg.log_softmax, torch.log_softmax)


@case("cumsum")
def _(d):
    return along_one(d, mg.cumsum, torch.cumsum)


@case("matmul")
def _(d):
    rows, inner, cols = d.shape(3, 3)
    batch = d.shape(most=2)
    x = d.tensor(d.one_of((inner,), (rows, inner), (*d.part_of(batch), rows, inner)))
    y = d.tensor(d.one_of((inner,), (inner, cols), (*d.part_of(batch), inner, cols)))
    return mg.matmul, torch.matmul, x, y


@case("cross_entropy")
def _(d):
    x = d.tensor((*d.shape(most=2), d.one_of(1, 2, 5)))
    options = {
        "reduction": d.one_of("mean", "sum", "none"),
        "label_smoothing": d.one_of(0.0, 0.1, 1.0),
        "ignore_index": d.one_of(-100, 0),
    }

    def theirs(x, target):
        rows = F.cross_entropy(x.reshape(-1, x.shape[-1]), target.reshape(-1), **options)
        return rows.reshape(target.shape) if options["reduction"] == "none" else rows

    target = d.indices(x.shape[:-1], x.shape[-1])
    # Where no row counts, theirs has NaN along the cotangent of a mean, or 0; ours 0.
    d.twice = bool((target != options["ignore_index"]).any())
    return lambda x, t: mg.cross_entropy(x, t, **options), theirs, x, target


@case("mse")
def _(d):
    how, shape = d.one_of("mean", "sum", "none"), d.shape()
    return (
        lambda x, y: mg.mse(x, y, reduction=how),
        lambda x, y: F.mse_loss(x, y, reduction=how),
        d.tensor(shape),
        d.tensor(shape),
    )


@case("binary_cross_entropy_with_logits")
def _(d):
    how, shape = d.one_of("mean", "sum", "none"), d.shape()
    return (
        lambda x, y: mg.binary_cross_entropy_with_logits(x, y, reduction=how),
        lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction=how),
        d.tensor(shape),
        d.tensor(shape, 0.0, 1.0),
    )
