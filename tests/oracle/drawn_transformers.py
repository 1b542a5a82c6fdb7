"""Calls of norms, attention, positions and choices, drawn by hypothesis, beside PyTorch's."""

import functools

import torch
import torch.nn.functional as F
from hypothesis import assume
from torch.nn.attention import SDPBackend, sdpa_kernel

from minigrad.reference import engine as mg


def layer_norm(d):
    x = d.tensor((*d.shape(most=2), d.one_of(2, 3, 5)))
    size, eps = x.shape[-1:], d.one_of(1e-5, 0.1)
    learned = [d.tensor(size) for _ in range(d.one_of(0, 1, 2))]
    # A row of nearly equal numbers loses the digits that they share.
    assume(not x.numel() or float(x.detach().var(-1, unbiased=False).min()) > 0.3)
    return (
        lambda x, *learned: mg.layer_norm(x, *learned, eps=eps),
        lambda x, *learned: F.layer_norm(x, size, *learned, eps=eps),
        x,
        *learned,
    )


def rms_norm(d):
    x = d.tensor((*d.shape(most=2), d.one_of(1, 2, 5)), gap=0.5)
    size, eps = x.shape[-1:], d.one_of(None, 0.1)
    learned = [d.tensor(size) for _ in range(d.one_of(0, 1))]
    return (
        lambda x, *learned: mg.rms_norm(x, *learned, eps=eps),
        lambda x, *learned: F.rms_norm(x, size, *learned, eps=eps),
        x,
        *learned,
    )


def embedding(d):
    table = d.tensor((d.one_of(1, 2, 5), d.one_of(0, 1, 3)))
    indices = d.indices(d.shape(most=3), len(table))
    d.twice = table.numel() > 0 and indices.numel() > 0  # theirs fails where nothing is
    return mg.embedding, lambda t, i: F.embedding(i, t), table, indices


def attention(d):
    """Bools of which a row is all False are PyTorch's zeros too. Causal: of equal lengths, for its
    first query stands at the first key, ours has its last at the last.
    """
    batch, size = d.shape(most=2), d.one_of(1, 2, 4)
    queries, keys = d.one_of(1, 2, 5), d.one_of(1, 2, 5)
    kind = d.one_of("none", "causal", "bools", "floats")
    keys = queries if kind == "causal" else keys
    q = d.tensor((*batch, queries, size), -1.5, 1.5)
    k = d.tensor((*batch, keys, size), -1.5, 1.5)
    v = d.tensor((*batch, keys, d.one_of(1, 3)))
    scale, shape = d.one_of(None, 0.5), d.one_of((queries, keys), (*batch, queries, keys))
    mask = []
    if kind in ("bools", "floats"):
        mask = [d.mask(shape) if kind == "bools" else d.tensor(shape)]

    def theirs(q, k, v, *mask):
        with sdpa_kernel(SDPBackend.MATH):  # the fused ones have no second derivative
            causal = kind == "causal"
            return F.scaled_dot_product_attention(q, k, v, *mask, is_causal=causal, scale=scale)

    ours = functools.partial(mg.scaled_dot_product_attention, causal=kind == "causal", scale=scale)
    return ours, theirs, q, k, v, *mask


def rotary(d):
    """PyTorch has none: its complex numbers, multiplied by e to the i times the angle."""
    tokens, half, first = d.one_of(0, 1, 4), d.one_of(1, 3), d.one_of(0, 7)
    x = d.tensor((*d.shape(most=2), tokens, 2 * half))
    powers = torch.arange(half, dtype=torch.float64) / half
    angles = torch.arange(first, first + tokens)[:, None] / 100.0**powers
    turns = torch.polar(torch.ones_like(angles), angles)

    def theirs(x):
        out = torch.complex(x[..., :half], x[..., half:]) * turns.to(
            {torch.float64: torch.complex128, torch.float32: torch.complex64}[x.dtype]
        )
        return torch.cat([out.real, out.imag], -1)

    return lambda x: mg.rotary(x, first, 100.0), theirs, x


def topk(d):
    x = d.tensor(d.shape(least=1))
    axis = d.axis(x.ndim)
    k = d.one_of(*range(x.shape[axis] + 1))
    return lambda x: mg.topk(x, k, axis), lambda x: list(torch.topk(x, k, axis)), x


def multinomial(d):
    """Chance is another one on either side; where it has no choice, both draw the same."""
    shape = (d.one_of(1, 3), d.one_of(1, 2, 4))
    p = F.one_hot(d.indices(shape[:1], shape[1]), shape[1]).to(d.dtype) * 0.3
    n = d.one_of(1, 3)
    return (
        lambda p: mg.multinomial(p, n),
        lambda p: torch.multinomial(p, n, replacement=True),
        d.placed(p, False),
    )


CASES = {
    "embedding": embedding,
    "layer_norm": layer_norm,
    "multinomial": multinomial,
    "rms_norm": rms_norm,
    "rotary": rotary,
    "scaled_dot_product_attention": attention,
    "topk": topk,
}
