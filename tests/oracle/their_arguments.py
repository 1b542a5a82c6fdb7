"""Ours, called with the arguments of theirs: dim is axis, an empty list means all, and the like."""

import math

from minigrad import making
from minigrad.reference import engine as mg


def named(function, **names):
    """Call `function` with their keyword arguments under our names, without those named None."""

    def call(*args, **kwargs):
        kept = {n: v for n, v in kwargs.items() if names.get(n, n) is not None}
        return function(*args, **{names.get(n, n): v for n, v in kept.items()})

    return call


def created(function, **names):
    """Creation: everything is on the one device, and nothing wants a gradient."""
    return named(function, device=None, requires_grad=None, **names)


def axes(dim):
    """Their dim as our axis: a list becomes a tuple; an empty one means all of them."""
    if isinstance(dim, list | tuple):
        return tuple(dim) or None
    return dim


def reduction(function):
    def call(x, dim=None, keepdim=False, dtype=None):
        x = x if dtype is None else mg.astype(x, dtype)
        return function(x, axis=axes(dim), keepdims=keepdim)

    return call


def spread(function):
    """std and var: they divide by one less than the count unless told otherwise."""

    def call(x, dim=None, unbiased=True, keepdim=False, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = (1 if unbiased else 0) if correction is None else correction
        return function(x, axis=axes(dim), keepdims=keepdim, correction=correction)

    return call


def values_and_places(best, place):
    def call(x, dim, keepdim=False):
        return [best(x, axis=dim, keepdims=keepdim), place(x, axis=dim, keepdims=keepdim)]

    return call


def swapped(function):
    return lambda x, y: function(y, x)


def scaled(function):
    """add and sub: theirs multiply the second operand by alpha."""
    return lambda x, y, alpha=1: function(x, y if alpha == 1 else mg.mul(y, alpha))


def clip(x, min=None, max=None):
    if all(isinstance(bound, int | float | None) for bound in (min, max)):
        return mg.clip(x, min, max)
    x = x if min is None else mg.maximum(x, min)
    return x if max is None else mg.minimum(x, max)


def softplus(x, beta=1, threshold=20):
    """Theirs is a straight line where beta * x is above the threshold."""
    t = mg.mul(x, beta)
    return mg.where(mg.greater(t, threshold), x, mg.div(mg.softplus(t), beta))


def softmax(function):
    def call(x, dim=-1, dtype=None):
        return function(x if dtype is None else mg.astype(x, dtype), axis=dim)

    return call


def softmin(x, dim, dtype=None):
    return softmax(mg.softmax)(mg.neg(x), dim, dtype)


def cross_entropy(x, target, weight=None, **options):
    """Their classes stand along axis 1, ours along the last."""
    if x.ndim > 2:
        x = mg.permute_dims(x, (0, *range(2, x.ndim), 1))
    return mg.cross_entropy(x, target, **options)


def last_axes_norm(function):
    """Theirs go along several last axes at once, ours along one."""

    def call(x, shape, *learned, eps=None):
        rows = mg.reshape(x, (*x.shape[: x.ndim - len(shape)], math.prod(shape)))
        flat = [mg.reshape(w, (w.size,)) for w in learned]
        out = function(rows, *flat) if eps is None else function(rows, *flat, eps=eps)
        return mg.reshape(out, x.shape)

    return call


def attention(q, k, v, attn_mask=None, is_causal=False, dropout_p=0.0):
    return mg.scaled_dot_product_attention(q, k, v, attn_mask, is_causal, dropout_p)


def largest(x, k, dim=-1, largest=True, sorted=True):
    return list(mg.topk(x, k, dim))


def transposed(x, dim0, dim1):
    order = list(range(x.ndim))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return mg.permute_dims(x, tuple(order))


def transposed_matrix(x):
    return x if x.ndim < 2 else mg.permute_dims(x, (1, 0))


def moved(x, source, destination):
    sources, places = ([s] if isinstance(s, int) else s for s in (source, destination))
    sources, places = ([a % x.ndim for a in s] for s in (sources, places))
    rest = iter(a for a in range(x.ndim) if a not in sources)
    order = [sources[places.index(a)] if a in places else next(rest) for a in range(x.ndim)]
    return mg.permute_dims(x, tuple(order))


def expanded(x, *shape):
    """-1 stands for the size that is there."""
    shape = shape[0] if shape and isinstance(shape[0], tuple | list) else shape
    have = (0,) * (len(shape) - x.ndim) + x.shape
    return mg.expand(x, tuple(h if n == -1 else n for n, h in zip(shape, have, strict=True)))


def summed_to(x, *shape):
    return mg.sum_to(x, shape[0] if shape and isinstance(shape[0], tuple | list) else shape)


def flattened(x, start_dim=0, end_dim=-1):
    if not x.ndim:
        return mg.reshape(x, (1,))
    start, end = start_dim % x.ndim, end_dim % x.ndim
    size = math.prod(x.shape[start : end + 1])
    return mg.reshape(x, (*x.shape[:start], size, *x.shape[end + 1 :]))


def unflattened(x, dim, sizes):
    dim %= x.ndim
    rest = math.prod(x.shape[:dim] + x.shape[dim + 1 :])
    sizes = list(sizes)
    if -1 in sizes:
        known = math.prod(s for s in sizes if s != -1)
        sizes[sizes.index(-1)] = x.size // (rest * known)
    return mg.reshape(x, (*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


def squeezed(x, dim=None):
    """Theirs leave an axis alone whose size is not 1."""
    if dim is None:
        return mg.squeeze(x)
    dims = dim if isinstance(dim, tuple | list) else (dim,)
    return mg.squeeze(x, tuple(d for d in dims if x.shape[d] == 1))


def padded(x, pad, mode="constant", value=None):
    """Theirs list the last axis first; below 0, they cut."""
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2)
    pairs += [(pad[i], pad[i + 1]) for i in reversed(range(0, len(pad), 2))]
    cut = tuple(slice(-min(a, 0), n + min(b, 0)) for (a, b), n in zip(pairs, x.shape, strict=True))
    widths = tuple((max(a, 0), max(b, 0)) for a, b in pairs)
    return mg.pad(mg.getitem(x, cut), widths, 0.0 if value is None else value)


def stacked_along(axis, at_least):
    def call(arrays):
        lifted = [lift(at_least)(a) for a in arrays]
        return mg.cat(lifted, 0 if axis == 1 and lifted[0].ndim == 1 else axis)

    return call


def lift(ndim):
    """At least so many axes, new ones where NumPy puts them."""

    def call(*arrays):
        arrays = arrays[0] if isinstance(arrays[0], tuple | list) else arrays
        return [lifted(a) for a in arrays] if len(arrays) > 1 else lifted(arrays[0])

    def lifted(x):
        if x.ndim >= ndim:
            return x
        if ndim == 3 and x.ndim > 0:
            return mg.reshape(x, (*((1,) if x.ndim == 1 else ()), *x.shape, 1))
        return mg.reshape(x, (1,) * (ndim - x.ndim) + x.shape)

    return call


def columns(arrays):
    return mg.cat([a if a.ndim > 1 else mg.reshape(a, (a.size, 1)) for a in arrays], 1)


def in_parts(x, chunks, dim=0):
    return mg.split(x, -(-x.shape[dim] // chunks) or 1, dim)


def unbound(x, dim=0):
    return [sliced(x, dim, k) for k in range(x.shape[dim])]


def sliced(x, dim, index):
    return mg.getitem(x, (slice(None),) * (dim % x.ndim) + (index,))


def rolled(x, shifts, dims=None):
    return mg.roll(x, shifts, axes(dims))


def indexed(x, index):
    """Their list of indices of several axes is our tuple; one of ints alone is an index array."""
    several = isinstance(index, list) and not all(isinstance(i, int) for i in index)
    return mg.getitem(x, tuple(index) if several else index)


def taken_along(x, indices, dim=None):
    if dim is None:
        return mg.gather(mg.reshape(x, (x.size,)), mg.reshape(indices, (indices.size,)), 0)
    return mg.gather(x, indices, dim)


def gathered(x, dim, indices):
    return mg.gather(x, indices, dim)


def scattered(x, dim, indices, values):
    return mg.scatter_add(x, indices, values, dim)


def added_product(x, a, b, beta=1, alpha=1):
    return mg.add(mg.mul(x, beta), mg.mul(mg.matmul(a, b), alpha))


def mean_pool(x, size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, by=None):
    """Lists of one number stand for both directions, an empty one for no number."""
    stride, padding = (
        n[0] if isinstance(n, list) and len(n) == 1 else n for n in (stride, padding)
    )
    return mg.avg_pool2d(x, size, stride or None, padding, count_include_pad=count_include_pad)


def linear(x, weight, bias=None):
    out = mg.matmul(x, mg.permute_dims(weight, (1, 0)) if weight.ndim == 2 else weight)
    return out if bias is None else mg.add(out, bias)


def one_hot(x, num_classes):
    return mg.one_hot(x, num_classes, "int64")


def filled(value):
    return lambda x, dtype=None, device=None: making.full_like(x, value, dtype)


def full_new(value=None):
    def call(x, shape, *given, dtype=None, device=None):
        return making.full(tuple(shape), given[0] if value is None else value, dtype or x.dtype)

    return call


def converted(dtype):
    return lambda x, **_: mg.astype(x, dtype)
