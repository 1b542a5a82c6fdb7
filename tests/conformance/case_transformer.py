"""Cases of norms, attention, positions and what is chosen of many."""

import numpy as np
from case import Case, spread

import minigrad as mg


def cases():
    yield from norms()
    yield from attentions()
    yield from looked_up()
    yield from chosen()


def norms():
    weight, bias = spread(5, seed=1), spread(5, seed=2)
    for shape in [(3, 5), (5,), (2, 1, 5), (0, 5)]:
        x = spread(*shape)
        yield Case("layer_norm", (x, weight, bias), layer_norm, slack=32)
        yield Case("rms_norm", (x, weight), rms_norm, slack=32)
    for name, want in (("layer_norm", layer_norm), ("rms_norm", rms_norm)):
        yield Case(name, (x[:0],), want)
        yield Case(name, (spread(3, 4),), want, options={"eps": 0.25}, slack=32)
        yield Case(name, (np.array([[1, 2, 7]]),), want, slack=32)
    same = np.full((2, 3), 2.5)
    yield Case("layer_norm", (same,), layer_norm, smooth=False)
    yield Case("rms_norm", (0.0 * same,), rms_norm, options={"eps": 1e-6}, smooth=False)


def attentions():
    name = "scaled_dot_product_attention"
    q, k, v = spread(2, 3, 4), spread(2, 5, 4, seed=1), spread(2, 5, 3, seed=2)
    for options in ({}, {"causal": True}, {"scale": 0.7}):
        yield Case(name, (q, k, v), attention, options=options, slack=64)
    more = (spread(5, 4), spread(3, 4, seed=1), spread(3, 2, seed=2))  # queries that see nothing
    yield Case(name, more, attention, options={"causal": True}, slack=64)
    batches = (spread(2, 1, 3, 4), spread(3, 5, 4, seed=1), spread(5, 3, seed=2))
    yield Case(name, batches, attention, slack=64)
    bools = np.random.default_rng(0).random((3, 5)) < 0.6
    bools[1] = False
    yield Case(name, (q, k, v, bools), attention, slack=64)
    yield Case(name, (q, k, v, bools), attention, options={"causal": True}, slack=64)
    yield Case(name, (q, k, v, bools[:, None, :1].repeat(2, 1)[:2, :1]), attention, slack=64)
    yield Case(name, (q, k, v, spread(2, 3, 5, seed=3)), attention, slack=64)
    hidden = np.where(bools, spread(3, 5), -np.inf)
    yield Case(name, (q, k, v, hidden), attention, smooth=False, slack=64)
    yield Case(name, (40.0 * q, 40.0 * k, v), attention, smooth=False, slack=4096)
    yield Case(name, (q, k[:, :0], v[:, :0]), attention)


def looked_up():
    table = spread(5, 3)
    for indices in ([[0, 4, 4], [2, 0, 4]], [3], 1, np.zeros((0, 2), int)):
        yield Case("embedding", (table, np.asarray(indices)), lambda t, i: t[i])
    for shape in [(3, 4), (2, 5, 6), (1, 2), (0, 4)]:
        yield Case("rotary", (spread(*shape),), rotary, slack=64)
    yield Case("rotary", (spread(3, 4),), rotary, args=(7,), options={"base": 100.0}, slack=64)
    where = np.array([[4, 0, 2], [1, 1, 9]])
    yield Case("rotary", (spread(2, 3, 4), where), rotary, slack=64)
    yield Case("rotary", (spread(2, 3, 4), where[0]), rotary, slack=64)


def chosen():
    x = spread(4, 3, 5)
    for k, axis in [(2, -1), (3, 1), (4, 0), (0, -1), (1, 2)]:
        yield Case("topk", (x,), largest, args=(k, axis))
        values = {"call": lambda x, k=k, axis=axis: mg.topk(x, k, axis)[0]}
        yield Case("topk", (x,), lambda x, k=k, axis=axis: largest(x, k, axis)[0], **values)
    equal = np.array([[2.5, -1.0, 2.5, np.nan, np.inf], [0.0, -0.0, 0.0, -np.inf, 0.0]])
    yield Case("topk", (equal,), largest, args=(4,), smooth=False)
    yield Case("topk", (np.array([[3, 1, 3, 7]]),), largest, args=(3,))
    certain = np.array([[0.0, 0.0, 2.5], [0.25, 0.0, 0.0]])
    yield Case("multinomial", (certain,), only, args=(4,))
    yield Case("multinomial", (certain[0],), only, args=(1, False))
    yield Case("multinomial", (certain[:0],), only, args=(2,))


def layer_norm(x, weight=1.0, bias=0.0, eps=1e-5):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * weight + bias


def rms_norm(x, weight=1.0, eps=None):
    eps = np.finfo(np.float64).eps if eps is None else eps
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def attention(q, k, v, mask=None, causal=False, scale=None):
    """Query by query, over the keys that it may see alone."""
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * (
        q.shape[-1] ** -0.5 if scale is None else scale
    )
    rows, cols = scores.shape[-2:]
    seen = np.ones(scores.shape, bool)
    if mask is not None and mask.dtype == bool:
        seen &= mask
    elif mask is not None:
        scores = scores + mask
    if causal:
        seen &= np.arange(cols) <= np.arange(rows)[:, None] + cols - rows
    v = np.broadcast_to(v, (*scores.shape[:-2], *v.shape[-2:]))
    out = np.zeros((*scores.shape[:-1], v.shape[-1]))
    for at in np.ndindex(scores.shape[:-1]):
        keys = seen[at] & (scores[at] > -np.inf)
        if keys.any():
            parts = np.exp(scores[at][keys] - scores[at][keys].max())
            out[at] = parts @ v[at[:-1]][keys] / parts.sum()
    return out


def rotary(x, positions=0, base=10000.0):
    """Each pair as a complex number, times e to the i times the angle."""
    tokens, size = x.shape[-2:]
    places = positions + np.arange(tokens) if np.ndim(positions) == 0 else positions
    angles = np.multiply.outer(places, base ** (-2.0 * np.arange(size // 2) / size))
    points = (x[..., : size // 2] + 1j * x[..., size // 2 :]) * np.exp(1j * angles)
    return np.concatenate([points.real, points.imag], -1)


def largest(x, k, axis=-1):
    """By Python's own sort, which keeps equal ones in order; NaN before all."""
    rows = np.moveaxis(x, axis, -1)
    places = np.zeros((*rows.shape[:-1], k), int)
    for at in np.ndindex(rows.shape[:-1]):
        row = rows[at]
        order = sorted(range(len(row)), key=lambda i: (not np.isnan(row[i]), -row[i]))
        places[at] = order[:k]
    values = np.take_along_axis(rows, places, -1)
    return [np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)]


def only(p, n, replacement=True):
    return np.repeat(p.argmax(-1)[..., None], n, -1)
