"""Norms, attention, positions and choices: corners, views, chance, and precision in float32."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator
from minigrad.reference import engine

INF, NAN = math.inf, math.nan
RNG = np.random.default_rng(0)


def leaf(*shape, seed=0):
    return mg.tensor(np.random.default_rng(seed).normal(size=shape), requires_grad=True)


def numbers(x):
    return x.detach().numpy()


# attention


def three(batch=(2,), queries=5, keys=3, size=4, out=3):
    sizes = ((queries, size), (keys, size), (keys, out))
    return [leaf(*batch, *s, seed=k) for k, s in enumerate(sizes)]


NOWHERE = {
    "bools": {"mask": mg.tensor(np.array([[True] * 3, [False] * 3, [True, False, True]]))},
    "infinities": {"mask": mg.tensor(np.array([[0.0] * 3, [-INF] * 3, [0.5, -INF, 1.0]]))},
    "no keys before the first query": {"causal": True},
}


@pytest.mark.parametrize("name", NOWHERE)
def test_who_may_look_nowhere_gets_zeros_and_sends_none_back(name):
    q, k, v = three(queries=5 if name.startswith("no keys") else 3)
    blind = [0, 1] if name.startswith("no keys") else [1]
    seeing = [i for i in range(q.shape[1]) if i not in blind]
    out = mg.scaled_dot_product_attention(q, k, v, **NOWHERE[name])
    assert not numbers(out)[:, blind].any() and numbers(out)[:, seeing].all()
    grads = mg.grad((out * out).sum(), [q, k, v], create_graph=True)
    assert not numbers(grads[0])[:, blind].any() and numbers(grads[0])[:, -1].all()
    # Gradients of gradients are finite too: no infinity is hidden in what was masked.
    again = mg.grad(sum((g * g).sum() for g in grads), [q, k, v], retain_graph=True)
    assert all(np.isfinite(numbers(g)).all() for g in (*grads, *again))
    # What blind queries ask is of no consequence.
    weights = np.ones(q.shape[1])
    weights[blind] = 7.0
    (dk,) = mg.grad((out * out * mg.tensor(weights[:, None])).sum(), k)
    np.testing.assert_array_equal(numbers(dk), numbers(grads[1]))


def test_what_is_masked_may_hold_anything():
    q, k, v = (numbers(x) for x in three(queries=3))
    k[:, 1] = NAN
    mask = np.array([True, False, True])
    out = mg.scaled_dot_product_attention(*map(mg.tensor, (q, k, v)), mg.tensor(mask))
    want = mg.scaled_dot_product_attention(*(mg.tensor(x) for x in (q, k[:, ::2], v[:, ::2])))
    np.testing.assert_allclose(out.numpy(), want.numpy(), rtol=0, atol=1e-15)


def test_nan_and_infinite_scores_go_through():
    q, k = mg.tensor([[1.0]]), mg.tensor([[1.0], [2.0]])
    for bad in (NAN, INF):
        scores = mg.tensor([[0.0, bad]])
        out = mg.scaled_dot_product_attention(q, k, k, scores)
        assert np.isnan(out.numpy()).all()


def test_scores_of_any_size():
    q, k = mg.tensor([[1e4]]), mg.tensor([[1e4], [-1e4], [1e4 - 1e-4]])
    v = mg.tensor([[1.0], [10.0], [3.0]])
    gap = np.exp(np.float32(1e4 - 1e-4) * 1e4 - np.float64(1e8))
    want = (1.0 + 3.0 * gap) / (1.0 + gap)
    assert mg.scaled_dot_product_attention(q, k, v).item() == pytest.approx(want, rel=1e-6)


def test_a_mask_of_floats_has_a_gradient():
    """That of a table of distances, say: adding a number to all scores of a row changes nothing."""
    q, k, v = three(queries=2)
    mask = leaf(2, 3, seed=5)
    out = mg.scaled_dot_product_attention(q, k, v, mask)
    (g,) = mg.grad((out * out).sum(), mask)
    assert g.shape == (2, 3) and (np.abs(numbers(g)) > 1e-3).all()
    np.testing.assert_allclose(numbers(g).sum(-1), 0.0, atol=1e-14)


def test_attention_over_views():
    q, k, v = three((2, 3), queries=3, keys=3, size=4, out=4)
    turned = [x.permute_dims(1, 0, 2, 3)[::-1, ..., ::-1] for x in (q, k, v)]
    want = mg.scaled_dot_product_attention(*(x.copy() for x in turned), causal=True)
    got = mg.scaled_dot_product_attention(*turned, causal=True)
    np.testing.assert_allclose(numbers(got), numbers(want), rtol=0, atol=1e-15)


def test_dropout_draws_from_its_generator_and_scales():
    q, k, v = three(queries=4, keys=50, out=1)
    v = mg.ones((2, 50, 1), mg.float64)
    out, again = (
        mg.scaled_dot_product_attention(q, k, v, dropout=0.25, generator=Generator(8))
        for _ in range(2)
    )
    np.testing.assert_array_equal(numbers(out), numbers(again))
    keep = Generator(8).bernoulli(0.75, (2, 4, 50)).numpy()
    scores = np.exp(numbers(q) @ numbers(k).transpose(0, 2, 1) / 2.0)
    weights = scores / scores.sum(-1, keepdims=True)
    want = (weights * keep / 0.75).sum(-1, keepdims=True)
    np.testing.assert_allclose(numbers(out), want, rtol=0, atol=1e-14)


# norms


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_far_from_0_keep_their_digits(dtype):
    """The difference of two large sums would have none left."""
    x = np.array([[3.0, -1.0, 0.5, 2.0]]) + 1e4
    exact = x.astype(dtype).astype(np.float64)
    want = (exact - exact.mean()) / np.sqrt(exact.var() + 1e-5)
    got = mg.layer_norm(mg.tensor(x, dtype=dtype)).numpy()
    # The mean of numbers around 1e4 is that many roundings off.
    np.testing.assert_allclose(got, want, rtol=0, atol=4e4 * np.finfo(dtype).eps)


def test_a_row_of_equal_numbers_is_0_and_its_gradient_finite():
    x = mg.tensor(np.full((2, 4), 2.5), requires_grad=True)
    for eps in (1e-5, 0.5):
        out = mg.layer_norm(x, eps=eps)
        assert not numbers(out).any()
        (g,) = mg.grad((out * mg.tensor(np.arange(4.0))).sum(), x)
        want = (np.arange(4.0) - 1.5) / np.sqrt(eps)
        np.testing.assert_allclose(numbers(g), [want, want], rtol=1e-13)


def test_norms_of_views_and_of_ints():
    wide = RNG.normal(size=(6, 8))
    view = mg.tensor(wide).T[::-2, 1::2]
    for f in (mg.layer_norm, mg.rms_norm):
        np.testing.assert_allclose(
            f(view).numpy(), f(mg.tensor(wide.T[::-2, 1::2].copy())).numpy(), rtol=0, atol=1e-15
        )
        assert str(f(mg.tensor([[1, 2, 4]])).dtype) == "float32"
    assert np.isnan(mg.layer_norm(mg.tensor([[1.0, NAN], [1.0, INF]])).numpy()).all()


# tables and positions


def test_a_row_receives_the_gradients_of_all_its_places():
    table = leaf(4, 2)
    g = mg.tensor(np.arange(12.0).reshape(2, 3, 2))
    out = mg.embedding(table, [[1, 3, 1], [1, 0, 3]])
    (found,) = mg.grad(out, table, g)
    assert found.tolist() == [[8.0, 9.0], [10.0, 13.0], [0.0, 0.0], [12.0, 14.0]]
    assert mg.embedding(table, np.zeros((2, 0), np.int64)).shape == (2, 0, 2)


def test_turned_rows_meet_by_their_distance_alone():
    q, k = (mg.tensor(RNG.normal(size=(1, 8))) for _ in range(2))
    products = [(mg.rotary(q, at + 5) * mg.rotary(k, at)).sum().item() for at in (0, 1, 40, 1000)]
    np.testing.assert_allclose(products, products[0], rtol=1e-11)
    np.testing.assert_array_equal(mg.rotary(q, 0).numpy(), q.numpy())
    assert abs((mg.rotary(q, 6) * k).sum().item() - products[0]) > 1e-3


def test_far_positions_keep_their_angle_in_float32():
    x = RNG.normal(size=(1, 4))
    near, exact = (
        mg.rotary(mg.tensor(x, dtype="float32"), 100_003),
        mg.rotary(mg.tensor(x), 100_003),
    )
    np.testing.assert_allclose(near.numpy(), exact.numpy(), rtol=0, atol=1e-6)


# choices


def test_the_largest_receive_the_gradient_where_they_stood():
    x = mg.tensor([[1.5, 4.0, 4.0], [2.5, -1.0, 7.0]], requires_grad=True)
    values, places = x.topk(2)
    assert places.tolist() == [[1, 2], [2, 0]] and not places.requires_grad
    (g,) = mg.grad(values, x, mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert g.tolist() == [[0.0, 1.0, 2.0], [4.0, 0.0, 3.0]]


P = np.array([[0.1, 0.0, 0.6, 0.3], [2.0, 1.0, 1.0, 0.0]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_draws_come_as_often_as_they_should(dtype):
    n = 40_000
    drawn = mg.multinomial(mg.tensor(P, dtype=dtype), n, generator=Generator(3)).numpy()
    assert drawn.shape == (2, n) and drawn.dtype == np.int64
    for row, p in zip(drawn, P / P.sum(1, keepdims=True), strict=True):
        share = np.bincount(row, minlength=4) / n
        assert (share[p == 0.0] == 0.0).all()
        assert (np.abs(share - p) < 5.0 * np.sqrt(p * (1.0 - p) / n) + 1e-12).all()
    assert np.abs(np.mean(drawn[0] * drawn[1]) - drawn[0].mean() * drawn[1].mean()) < 0.05


class Fixed(Generator):
    """Gives the same numbers at every call."""

    def __init__(self, found):
        super().__init__(0)
        self.found = np.array([found])

    def uniform(self, shape, low=0.0, high=1.0, *, dtype=None):
        assert shape == self.found.shape
        return mg.tensor(self.found).array


def test_the_ends_of_chance_draw_nothing_impossible():
    """0 and the largest number below 1, with nothing to draw at either end of the row."""
    ends = Fixed([0.0, math.nextafter(1.0, 0.0), 0.25])
    p = mg.tensor([0.0, 0.25, 0.75, 0.0], dtype="float64")
    assert mg.multinomial(p, 3, generator=ends).tolist() == [1, 2, 2]
    huge = mg.tensor([0.0, 1.0, 2**60, 0.0], dtype="float64")
    assert mg.multinomial(huge, 3, generator=ends).tolist() == [1, 2, 2]
    tiny = mg.tensor([0.0, 5e-324, 0.0, 0.0], dtype="float64")  # of which nine tenths are all
    assert mg.multinomial(tiny, 3, generator=ends).tolist() == [1, 1, 1]


def test_draws_without_replacement():
    """All are different; which comes first, and which second, is as often as it should be."""
    p, n = P[0] / P[0].sum(), 20_000
    rows = mg.tensor(np.tile(P[0], (n, 1)))
    drawn = mg.multinomial(rows, 2, replacement=False, generator=Generator(4)).numpy()
    assert (drawn[:, 0] != drawn[:, 1]).all() and not (drawn == 1).any()
    for a in (0, 2, 3):
        for b in {0, 2, 3} - {a}:
            want = p[a] * p[b] / (1.0 - p[a])
            found = np.mean((drawn[:, 0] == a) & (drawn[:, 1] == b))
            assert abs(found - want) < 5.0 * np.sqrt(want * (1.0 - want) / n)
    every = mg.multinomial(mg.tensor(P), 3, False, Generator(1)).numpy()
    assert np.sort(every, axis=1).tolist() == [[0, 2, 3], [0, 1, 2]]


def test_the_same_seed_draws_the_same():
    p = mg.tensor(P)
    first, again = (mg.multinomial(p, 9, generator=Generator(2)).tolist() for _ in range(2))
    assert first == again != mg.multinomial(p, 9, generator=Generator(1)).tolist()
    mg.manual_seed(2)
    assert mg.multinomial(p, 9).tolist() == first
    source = Generator(2)
    mg.multinomial(p, 9, generator=source)
    assert source.get_state().offset == 18


def test_tiny_and_huge_probabilities():
    p = mg.tensor([[1e-300, 0.0, 3e-300], [1e300, 0.0, 1e300]], dtype="float64")
    drawn = mg.multinomial(p, 400, generator=Generator(0)).numpy()
    assert [sorted(set(row)) for row in drawn] == [[0, 2], [0, 2]]
    assert 60 < (drawn[0] == 0).sum() < 140 and 150 < (drawn[1] == 0).sum() < 250


def test_arrays_alone_work_too():
    """Before there is a tape: as the other ops."""
    x = mg.tensor(P).array
    assert engine.layer_norm(x).shape == engine.rms_norm(x).shape == (2, 4)
    assert engine.scaled_dot_product_attention(x, x, x, causal=True).shape == (2, 4)
    assert engine.rotary(x).shape == (2, 4)
    assert [y.shape for y in engine.topk(x, 3)] == [(2, 3), (2, 3)]
    assert type(engine.multinomial(x, 2)) is type(x)
