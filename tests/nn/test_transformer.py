"""Embeddings, norms, attention in heads and the block: what PyTorch does not have, or not so."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn, optim

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 7, 12))
CUTS = [[7], [1] * 7, [3, 1, 1, 2], [1, 6], [6, 1]]


def block(**options):
    mg.manual_seed(3)
    return nn.TransformerBlock(12, 3, dtype=mg.float64, **options).eval()


@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_a_cache_gives_the_same_tokens(cuts):
    """However a sequence is cut, each piece after those that the cache holds."""
    model, cache, parts, first = block(), nn.KVCache(), [], 0
    whole = model(mg.tensor(X), causal=True).detach().numpy()
    assert len(cache) == 0
    with mg.no_grad():
        for n in cuts:
            piece = mg.tensor(X[:, first : first + n])
            parts.append(model(piece, causal=True, cache=cache).numpy())
            first += n
            assert len(cache) == first
    np.testing.assert_allclose(np.concatenate(parts, 1), whole, rtol=0, atol=1e-14)
    assert cache.keys.shape == cache.values.shape == (2, 3, 7, 4)


def test_a_cache_hands_gradients_back():
    """Through what was kept for earlier tokens, as if all had come at once."""
    model, grads = block(), []
    for cut in (7, 4):
        x, cache = mg.tensor(X, requires_grad=True), nn.KVCache()
        parts = [model(x[:, :cut], causal=True, cache=cache)]
        parts += [model(x[:, cut:], causal=True, cache=cache)] if cut < 7 else []
        (mg.cat(parts, 1) ** 2).sum().backward()
        grads.append(x.grad.numpy())
    np.testing.assert_allclose(grads[1], grads[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("where", range(7))
def test_causal_tokens_do_not_see_what_comes(where):
    model, moved = block(), X.copy()
    moved[:, where] += RNG.normal(size=12)
    before, after = (model(mg.tensor(x), causal=True).detach().numpy() for x in (X, moved))
    same = np.abs(before - after).max(axis=(0, 2)) == 0.0
    assert same.tolist() == [k < where for k in range(7)]


def test_without_a_mask_all_see_all_and_order_does_not_count():
    model, order = block(), RNG.permutation(7)
    out = model(mg.tensor(X)).detach().numpy()
    turned = model(mg.tensor(X[:, order])).detach().numpy()
    np.testing.assert_allclose(turned, out[:, order], rtol=0, atol=1e-13)


def test_a_mask_of_a_batch_is_one_of_each_sequence():
    """(batch, 1, queries, keys): the second sequence has two tokens fewer than the first."""
    model = nn.MultiheadAttention(12, 3, dtype=mg.float64)
    seen = np.ones((2, 1, 1, 7), bool)
    seen[1, ..., 5:] = False
    out = model(mg.tensor(X), mask=mg.tensor(seen)).detach().numpy()
    short = model(mg.tensor(X[1:, :5])).detach().numpy()
    np.testing.assert_allclose(out[1:, :5], short, rtol=0, atol=1e-14)
    np.testing.assert_allclose(
        out[0], model(mg.tensor(X[:1])).detach().numpy()[0], rtol=0, atol=1e-14
    )


def test_each_head_looks_for_itself():
    """Two heads are two attentions of half the size, side by side, then joined."""
    model = nn.MultiheadAttention(12, 2, bias=False, dtype=mg.float64)
    w, out = model.in_proj_weight.detach().numpy(), model.out_proj.weight.detach().numpy()
    found = []
    for head in range(2):
        rows = slice(6 * head, 6 * head + 6)
        q, k, v = (X @ w[12 * part : 12 * part + 12][rows].T for part in range(3))
        scores = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(6.0))
        found.append(scores / scores.sum(-1, keepdims=True) @ v)
    want = np.concatenate(found, -1) @ out.T
    np.testing.assert_allclose(model(mg.tensor(X)).detach().numpy(), want, rtol=0, atol=1e-13)


def test_dropout_is_of_training_and_of_its_generator():
    model = block(dropout=0.3, generator=Generator(5))
    x = mg.tensor(X)
    calm = model(x).detach().numpy()
    np.testing.assert_array_equal(model(x).detach().numpy(), calm)
    model.train()
    first, second = (model(x).detach().numpy() for _ in range(2))
    assert np.abs(first - second).max() > 0.01
    again = block(dropout=0.3, generator=Generator(5)).train()
    np.testing.assert_array_equal(again(x).detach().numpy(), first)


def test_attention_drops_weights_in_training_alone():
    model = nn.MultiheadAttention(12, 3, 0.5, dtype=mg.float64, generator=Generator(5))
    calm = nn.MultiheadAttention(12, 3, dtype=mg.float64, generator=Generator(5))
    x = mg.tensor(X)
    assert np.abs((model(x) - calm(x)).detach().numpy()).max() > 0.01
    np.testing.assert_array_equal(model.eval()(x).detach().numpy(), calm(x).detach().numpy())


def test_the_block_is_made_of_its_parts():
    model = block()
    for p in (model.norm1.weight, model.norm2.weight):
        nn.init.normal_(p)
    x = mg.tensor(X)
    y = x + model.self_attn(model.norm1(x), causal=True)
    wide = mg.gelu(model.linear1(model.norm2(y)), "tanh")
    want = (y + model.linear2(wide)).detach().numpy()
    np.testing.assert_array_equal(model(x, causal=True).detach().numpy(), want)


def test_dropped_attention_keeps_its_mean():
    q, k, v = (mg.tensor(RNG.normal(size=(4, 6))) for _ in range(3))
    want = mg.scaled_dot_product_attention(q, k, v).numpy()
    source, sums = Generator(1), 0.0
    for _ in range(4000):
        sums += mg.scaled_dot_product_attention(q, k, v, dropout=0.5, generator=source).numpy()
    np.testing.assert_allclose(sums / 4000, want, rtol=0, atol=0.1)
    none = mg.scaled_dot_product_attention(q, k, v, dropout=1.0, generator=source)
    assert not none.numpy().any()


class Tied(nn.Module):
    """A table whose rows are also what the scores are made with."""

    def __init__(self):
        self.table = nn.Embedding(9, 4, dtype=mg.float64)
        self.head = nn.Linear(4, 9, bias=False, dtype=mg.float64)
        self.head.weight = self.table.weight

    def forward(self, tokens):
        return self.head(self.table(tokens))


def test_a_tied_weight_counts_once_and_moves_once():
    model, tokens = Tied(), mg.tensor([[3, 8, 3], [0, 3, 1]])
    assert [n for n, _ in model.named_parameters()] == ["table.weight"]
    assert sum(p.size for p in model.parameters()) == 36
    assert list(model.state_dict()) == ["table.weight", "head.weight"]
    model(tokens).sum().backward()
    start, g = model.table.weight.numpy().copy(), model.table.weight.grad.numpy()
    optim.SGD(model.parameters(), lr=0.5).step()
    np.testing.assert_allclose(model.head.weight.numpy(), start - 0.5 * g, rtol=0, atol=1e-15)


def test_a_tied_weight_is_saved_under_both_names_and_stays_tied():
    model, other = Tied(), Tied()
    assert other.load_state_dict(model.state_dict()).missing_keys == []
    assert other.head.weight is other.table.weight
    np.testing.assert_array_equal(other.head.weight.numpy(), model.table.weight.numpy())


def test_places():
    places = nn.PositionEmbedding(5, 3)
    np.testing.assert_array_equal(places(4).numpy(), places.weight.numpy()[:4])
    np.testing.assert_array_equal(places(2, offset=3).numpy(), places.weight.numpy()[3:])
    assert places(0).shape == (0, 3)
    places(2, offset=1).sum().backward()
    assert places.weight.grad.numpy()[:, 0].tolist() == [0.0, 1.0, 1.0, 0.0, 0.0]


def test_how_they_are_shown():
    assert repr(nn.Embedding(9, 4)) == "Embedding(9, 4)"
    assert repr(nn.PositionEmbedding(9, 4)) == "PositionEmbedding(9, 4)"
    assert repr(nn.LayerNorm((12,))) == "LayerNorm(12, eps=1e-05)"
    assert repr(nn.RMSNorm(12)) == "RMSNorm(12, eps=None)"
    assert "12, num_heads=3, dropout=0.1" in repr(nn.MultiheadAttention(12, 3, 0.1))


def x(*shape):
    return mg.zeros(shape)


def filled(*shape):
    cache = nn.KVCache()
    cache.extend(x(*shape), x(*shape))
    return cache


CASES = {
    "heads that do not divide": (lambda: nn.MultiheadAttention(12, 5), ValueError,
        "MultiheadAttention: 5 heads do not divide embed_dim 12; each head has embed_dim / "
        "num_heads numbers."),
    "no heads": (lambda: nn.MultiheadAttention(12, 0), ValueError,
        "MultiheadAttention: num_heads must be 1 or more, got 0."),
    "half a size": (lambda: nn.TransformerBlock(1.5, 1), TypeError,
        "TransformerBlock: d_model must be a whole number, got 1.5."),
    "tokens without a batch": (lambda: nn.MultiheadAttention(12, 3)(x(5, 12)), ValueError,
        "MultiheadAttention: expected tensors of shape (batch, tokens, 12), got (5, 12)."),
    "keys of another size": (lambda: nn.MultiheadAttention(12, 3)(x(2, 5, 12), x(2, 5, 6)),
        ValueError,
        "MultiheadAttention: expected tensors of shape (batch, tokens, 12), got (2, 5, 6)."),
    "a list of tokens": (lambda: nn.MultiheadAttention(12, 3)([1.0]), TypeError,
        "MultiheadAttention: expected a tensor, got list; minigrad.tensor makes one."),
    "a seed for heads": (lambda: nn.MultiheadAttention(12, 3, generator=3), TypeError,
        "MultiheadAttention: generator must be a minigrad.Generator, got 3; Generator(seed=0) "
        "makes one."),
    "all dropped and more": (lambda: nn.MultiheadAttention(12, 3, dropout=1.5), ValueError,
        "Dropout: p is a probability, from 0 to 1, got 1.5."),
    "a cache of another batch": (lambda: filled(2, 3, 5, 4).extend(x(1, 3, 1, 4), x(1, 3, 1, 4)),
        ValueError,
        "KVCache: holds keys of shape (2, 3, 5, 4), and (1, 3, 1, 4) are of other sequences; a "
        "cache is for one layer and one batch."),
    "a longer sequence than the context": (lambda: nn.PositionEmbedding(8, 3)(9), ValueError,
        "PositionEmbedding: a sequence of 9 tokens does not fit into a context of 8; give it the "
        "last 8."),
    "one token past the context": (lambda: nn.PositionEmbedding(8, 3)(1, 8), ValueError,
        "PositionEmbedding: a sequence of 9 tokens does not fit into a context of 8; give it the "
        "last 8."),
    "a place below 0": (lambda: nn.PositionEmbedding(8, 3)(1, -1), ValueError,
        "PositionEmbedding: offset must be 0 or more, got -1."),
    "no rows": (lambda: nn.Embedding(0, 3), ValueError,
        "Embedding: num_embeddings must be 1 or more, got 0."),
    "a token that is not there": (lambda: nn.Embedding(65, 3)(mg.tensor([[1, 2], [3, 70]])),
        IndexError, "embedding: index 70 at position (1, 1), but the table has 65 rows."),
    "tokens of floats": (lambda: nn.Embedding(65, 3)(x(2)), TypeError,
        "embedding: indices must be int64, got float32."),
    "a norm of two axes": (lambda: nn.LayerNorm((2, 3)), ValueError,
        "LayerNorm: ours goes along the last axis alone, got (2, 3)."),
    "another size to norm": (lambda: nn.RMSNorm(3)(x(3, 2)), ValueError,
        "RMSNorm: expected a tensor of shape (..., 3), got (3, 2)."),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_clear_error(name):
    call, kind, message = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message
