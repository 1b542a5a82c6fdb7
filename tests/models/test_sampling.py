"""next_probabilities beside a sorted list in plain Python, and draws beside what it says."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator
from minigrad.models import next_probabilities

EPS = {"float64": float(np.finfo(np.float64).eps), "float32": float(np.finfo(np.float32).eps)}


def by_hand(logits, temperature=1.0, top_k=None, top_p=None):
    """One row: the likeliest first, in Python's floats, added up without rounding."""
    weights = [math.exp((x - max(logits)) / temperature) for x in logits]
    order = sorted(range(len(weights)), key=lambda k: -weights[k])
    order = order[: top_k or len(order)]
    if top_p is not None:
        total = math.fsum(weights[k] for k in order)
        shares = [math.fsum(weights[k] for k in order[:n]) / total for n in range(len(order))]
        order = [k for k, before in zip(order, shares, strict=True) if before < top_p]
    total = math.fsum(weights[k] for k in order)
    return [weights[k] / total if k in order else 0.0 for k in range(len(weights))]


SETTINGS = [
    {}, {"temperature": 0.4}, {"temperature": 3.0}, {"top_k": 1}, {"top_k": 4}, {"top_k": 9},
    {"top_p": 0.3}, {"top_p": 0.9}, {"top_p": 1.0}, {"top_p": 1e-9},
    {"temperature": 1.7, "top_k": 5, "top_p": 0.8}, {"top_k": 2, "top_p": 0.999},
]  # fmt: skip


@pytest.mark.parametrize("options", SETTINGS, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_beside_a_sorted_list(dtype, options):
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(9, 4, 5)).astype(dtype).T * 2.0  # not as it lies in memory
    given = mg.tensor(logits)
    p = next_probabilities(given, **options)
    assert (p.shape, str(p.dtype)) == ((5, 4, 9), dtype)
    assert given.tolist() == logits.tolist(), "the logits are left as they were"
    wanted = [[by_hand(row, **options) for row in rows] for rows in logits.tolist()]
    np.testing.assert_allclose(p.numpy(), wanted, rtol=64 * EPS[dtype], atol=0)
    np.testing.assert_allclose(p.numpy().sum(-1), 1.0, rtol=16 * EPS[dtype], atol=0)


def test_equally_likely_ones_come_together():
    logits = mg.tensor([1.0, 3.0, 3.0, 0.0, 1.0])
    for options, allowed in (
        ({"top_k": 1}, [1, 2]), ({"top_k": 3}, [0, 1, 2, 4]), ({"top_p": 0.1}, [1, 2]),
        ({"top_p": 0.8}, [1, 2]), ({"top_p": 0.9}, [0, 1, 2, 4]), ({"top_k": 5}, range(5)),
    ):  # fmt: skip
        p = next_probabilities(logits, **options).numpy()
        assert np.flatnonzero(p).tolist() == list(allowed), options
        assert p[1] == p[2] and p[0] == p[4]


def test_the_colder_the_surer():
    """At 0.001 the likeliest comes; at 1000 all are alike; nothing overflows on the way."""
    logits = mg.tensor([[300.0, 302.0, 301.0]])
    surest = [next_probabilities(logits, t).numpy()[0, 1] for t in (1e3, 3.0, 1.0, 0.5, 1e-3)]
    assert surest == sorted(surest)
    assert surest[0] == pytest.approx(1 / 3, abs=1e-3) and surest[-1] == 1.0
    assert next_probabilities(logits, np.float32(0.5)).numpy()[0, 1] == pytest.approx(surest[3])
    assert next_probabilities(logits, 3).tolist() == next_probabilities(logits, 3.0).tolist()


@pytest.mark.parametrize("options", [{}, {"top_k": 2}, {"top_p": 0.7}], ids=str)
def test_what_cannot_come_does_not(options):
    p = next_probabilities(mg.tensor([-math.inf, 1.0, 2.0, -math.inf]), **options).numpy()
    e = math.e
    wanted = [0, 0, 1, 0] if "top_p" in options else [0, 1 / (1 + e), e / (1 + e), 0]
    np.testing.assert_allclose(p, wanted, rtol=16 * EPS["float32"], atol=0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("options", [{}, {"top_k": 2}, {"top_p": 0.7}], ids=str)
def test_nan_is_not_hidden(options, bad):
    """It goes through, in its own row alone; a draw then says what it was given."""
    p = next_probabilities(mg.tensor([[0.0, bad, 1.0], [0.0, 2.0, 1.0]]), **options)
    assert np.isnan(p.numpy()[0]).any() and np.isfinite(p.numpy()[1]).all()
    with pytest.raises(ValueError, match=r"^multinomial: probabilities are finite and not below 0"):
        mg.multinomial(p, 1)


@pytest.mark.parametrize(
    "options", [{}, {"temperature": 0.5}, {"top_k": 4}, {"top_p": 0.85}], ids=str
)
def test_many_draws(options):
    """20 000 of each: chi-square of at most 6 degrees, which exceeds 28 once in ten thousand."""
    logits = np.array([0.3, -1.0, 1.2, 0.0, 2.0, -0.4, 0.9])
    p = next_probabilities(mg.tensor(logits), **options)
    drawn = mg.multinomial(p, 20_000, generator=Generator(11)).numpy()
    counts, p = np.bincount(drawn, minlength=7), p.numpy()
    assert not counts[p == 0.0].any()
    wanted = 20_000 * p[p > 0.0]
    assert wanted.min() > 5 and ((counts[p > 0.0] - wanted) ** 2 / wanted).sum() < 28
