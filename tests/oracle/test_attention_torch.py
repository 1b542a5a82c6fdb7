"""Attention in heads, the block and the layers of a transformer beside PyTorch's: the same state
dict on both sides, results, and the gradients of the input and of every parameter, in float64.
"""

import numpy as np
import pytest
import torch

import minigrad as mg
from minigrad import nn

EPS = float(np.finfo(np.float64).eps)
F64 = {"dtype": torch.float64}
X = np.random.default_rng(0).normal(size=(3, 5, 12))
OTHER = np.random.default_rng(1).normal(size=(3, 7, 12))
SEEN = np.random.default_rng(2).random((5, 5)) < 0.6
SEEN[np.arange(5), np.arange(5)] = True


def shared(mine, other):
    """Parameters that are all different, on both sides, by the names of both."""
    rng = np.random.default_rng(7)
    state = {n: torch.tensor(rng.normal(size=p.shape) / 2) for n, p in mine.state_dict().items()}
    shapes = {name: tuple(p.shape) for name, p in other.state_dict().items()}
    assert shapes == {name: p.shape for name, p in mine.state_dict().items()}
    other.load_state_dict(state)
    mine.load_state_dict({name: p.numpy() for name, p in state.items()})
    return mine, other


def compare(mine, other, ours, theirs, *inputs, slack=256):
    mine, other = shared(mine, other)
    left = [mg.tensor(x, requires_grad=True) for x in inputs]
    right = [torch.tensor(x, requires_grad=True) for x in inputs]
    out, want = ours(mine, *left), theirs(other, *right)
    g = np.random.default_rng(9).normal(size=tuple(want.shape))
    (out * mg.tensor(g)).sum().backward()
    (want * torch.tensor(g)).sum().backward()
    pairs = [("result", out, want)]
    pairs += [("input", a.grad, b.grad) for a, b in zip(left, right, strict=True)]
    theirs_by_name = dict(other.named_parameters())
    pairs += [(name, p.grad, theirs_by_name[name].grad) for name, p in mine.named_parameters()]
    assert len(pairs) == 1 + len(inputs) + len(theirs_by_name)
    for what, a, b in pairs:
        b = b.detach().numpy()
        atol = slack * EPS * max(1.0, float(np.abs(b).max()))
        np.testing.assert_allclose(a.numpy(), b, rtol=0, atol=atol, err_msg=what, strict=True)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("heads", [1, 3, 12])
@pytest.mark.parametrize("kind", ["all", "causal", "bools", "floats"])
def test_heads(kind, heads, bias):
    mask = {"bools": SEEN, "floats": np.random.default_rng(3).normal(size=(5, 5))}.get(kind)
    theirs_mask = None if mask is None else torch.tensor(~mask if kind == "bools" else mask)
    if kind == "causal":  # theirs is True where a query may NOT look
        theirs_mask = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)

    def ours(m, x):
        return m(x, mask=None if mask is None else mg.tensor(mask), causal=kind == "causal")

    def theirs(m, x):
        return m(x, x, x, attn_mask=theirs_mask, need_weights=False)[0]

    mine = nn.MultiheadAttention(12, heads, bias=bias, dtype=mg.float64)
    other = torch.nn.MultiheadAttention(12, heads, bias=bias, batch_first=True, **F64)
    compare(mine, other, ours, theirs, X)


def test_heads_that_look_at_another_sequence():
    mine = nn.MultiheadAttention(12, 4, dtype=mg.float64)
    other = torch.nn.MultiheadAttention(12, 4, batch_first=True, **F64)
    values = np.random.default_rng(4).normal(size=OTHER.shape)
    compare(mine, other, lambda m, *x: m(*x), lambda m, *x: m(*x)[0], X, OTHER, values)
    compare(mine, other, lambda m, *x: m(*x), lambda m, q, k: m(q, k, k)[0], X, OTHER)


@pytest.mark.parametrize("approximate", ["tanh", "none"])
@pytest.mark.parametrize("bias", [True, False])
def test_the_block_is_their_encoder_layer(approximate, bias):
    def gelu(x):
        return torch.nn.functional.gelu(x, approximate=approximate)

    mine = nn.TransformerBlock(12, 3, bias=bias, dtype=mg.float64, approximate=approximate)
    other = torch.nn.TransformerEncoderLayer(
        12, 3, 48, 0.0, gelu, norm_first=True, batch_first=True, bias=bias, **F64
    )
    hidden = torch.triu(torch.ones(5, 5, dtype=torch.bool), 1)
    compare(
        mine,
        other,
        lambda m, x: m(x, causal=True),
        lambda m, x: m(x, src_mask=hidden),
        X,
        slack=2048,
    )


@pytest.mark.parametrize("options", [{}, {"eps": 0.3}, {"elementwise_affine": False}], ids=str)
def test_norms(options):
    mine, other = (lib.LayerNorm(12, **options, dtype=t) for lib, t in LIBS)
    compare(mine, other, lambda m, x: m(x), lambda m, x: m(x), X)
    mine, other = (lib.RMSNorm(12, **options, dtype=t) for lib, t in LIBS)
    compare(mine, other, lambda m, x: m(x), lambda m, x: m(x), X)


LIBS = ((nn, mg.float64), (torch.nn, torch.float64))


def test_a_norm_without_bias():
    mine, other = (lib.LayerNorm(12, bias=False, dtype=t) for lib, t in LIBS)
    compare(mine, other, lambda m, x: m(x), lambda m, x: m(x), X)


def test_a_table():
    mine, other = (lib.Embedding(9, 4, dtype=t) for lib, t in LIBS)
    rows = np.array([[3, 8, 3], [0, 3, 1]])
    compare(mine, other, lambda m: m(mg.tensor(rows)), lambda m: m(torch.tensor(rows)))


class Tied:
    """A table whose rows are also what the scores are made with."""

    def __init__(self, lib, dtype):
        super().__init__()
        self.table = lib.Embedding(9, 4, dtype=dtype)
        self.head = lib.Linear(4, 9, bias=False, dtype=dtype)
        self.head.weight = self.table.weight

    def forward(self, rows):
        return self.head(self.table(rows))


class OursTied(Tied, nn.Module):
    pass


class TheirsTied(Tied, torch.nn.Module):
    pass


def test_one_weight_under_two_names():
    mine, other = OursTied(nn, mg.float64), TheirsTied(torch.nn, torch.float64)
    assert [n for n, _ in mine.named_parameters()] == [n for n, _ in other.named_parameters()]
    assert [*mine.state_dict()] == [*other.state_dict()] == ["table.weight", "head.weight"]
    state = {name: p.clone() for name, p in other.state_dict().items()}
    mine.load_state_dict({name: p.numpy() for name, p in state.items()})
    assert mine.head.weight is mine.table.weight
    rows = np.array([[3, 8, 3], [0, 3, 1]])
    out, want = mine(mg.tensor(rows)), other(torch.tensor(rows))
    (out * out).sum().backward()
    (want * want).sum().backward()
    np.testing.assert_allclose(out.numpy(), want.detach().numpy(), rtol=0, atol=64 * EPS)
    grad = other.table.weight.grad.numpy()
    np.testing.assert_allclose(mine.table.weight.grad.numpy(), grad, rtol=0, atol=1024 * EPS)


def test_first_weights_are_of_their_size():
    """The same distribution: the spread of many, and the bound of what is evenly spread."""
    torch.manual_seed(0)
    mg.manual_seed(0)
    mine, other = nn.MultiheadAttention(96, 4), torch.nn.MultiheadAttention(96, 4)
    for name, p in mine.state_dict().items():
        a, b = p.numpy(), other.state_dict()[name].numpy()
        if "bias" in name:
            assert not a.any() and not b.any(), name
            continue
        assert a.std() == pytest.approx(b.std(), rel=0.03), name
        assert np.abs(a).max() == pytest.approx(np.abs(b).max(), rel=0.01), name
    mine, other = nn.Embedding(200, 50), torch.nn.Embedding(200, 50)
    assert mine.weight.numpy().std() == pytest.approx(float(other.weight.detach().std()), rel=0.03)
    assert mine.weight.numpy().mean() == pytest.approx(0.0, abs=0.04)
