"""7.7: which token may come next, and how likely each is."""

import math

import numpy as np
import pytest

from minigrad import tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.models.sampling import next_probabilities

pytestmark = pytest.mark.exercise("7.7")

INF = math.inf
ODDS = [1, 8, 2, 1, 4]  # of 16 tokens that come, one is the first, eight the second, ...


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-3.0, 3.0, shape)


def check(odds, wanted, **options):
    """`wanted` are the odds that remain; the logits are the logarithms of odds."""
    logits = [math.log(n) if n else -INF for n in odds]
    total = math.fsum(wanted)
    given = {"logits": f"the logarithms of {odds}", **options, "wanted": f"{wanted} / {total:g}"}
    got = next_probabilities(tensor(np.array(logits)), **options)
    what = "next_probabilities(logits)"
    expected = np.array([n / total for n in wanted])
    expect.close(got, expected, what=what, inputs=given, tol=64 * EPS, scale=1.0)


def test_without_limits_it_is_softmax():
    check(ODDS, ODDS)
    check([3], [1])


def test_a_low_temperature_makes_the_likely_likelier():
    check(ODDS, [1, 64, 4, 1, 16], temperature=0.5)


def test_a_high_temperature_makes_them_alike():
    check([1, 16, 9], [1, 4, 3], temperature=2.0)


def test_top_k_by_hand():
    check(ODDS, [0, 8, 0, 0, 4], top_k=2)
    check(ODDS, [0, 8, 2, 0, 4], top_k=3)
    check(ODDS, [0, 1, 0, 0, 0], top_k=1)
    check(ODDS, ODDS, top_k=5)


def test_as_likely_as_the_last_of_top_k():
    check(ODDS, ODDS, top_k=4)
    check([3, 1, 3, 0.5], [1, 0, 1, 0], top_k=1)


def test_top_p_by_hand():
    # In falling order the shares are 8, 4, 2, 1 and 1 of 16: 0.5, 0.75, 0.875 together.
    check(ODDS, [0, 1, 0, 0, 0], top_p=0.4)
    check(ODDS, [0, 8, 0, 0, 4], top_p=0.6)
    check(ODDS, [0, 8, 0, 0, 4], top_p=0.7)
    check(ODDS, [0, 8, 2, 0, 4], top_p=0.8)


def test_as_likely_as_the_last_of_top_p():
    check(ODDS, ODDS, top_p=0.9)
    check([3, 1, 3, 0.5], [1, 0, 1, 0], top_p=0.3)


def test_the_likeliest_always_may_come():
    check(ODDS, [0, 1, 0, 0, 0], top_p=1e-9)


def test_a_share_of_one_leaves_all():
    check(ODDS, ODDS, top_p=1.0)


def test_a_share_that_is_just_reached_is_enough():
    # Powers of 2, of which exp and the sums make no rounding error: 0.5, 0.75, 0.875 together.
    odds = [1, 4, 1, 2]
    check(odds, [0, 1, 0, 0], top_p=0.5)
    check(odds, [0, 4, 0, 2], top_p=0.75)


def test_top_p_looks_at_what_top_k_has_left():
    # Of 8 and 4 the first has 8 / 12 = 0.67 already; of all it would have 0.5.
    check(ODDS, [0, 1, 0, 0, 0], top_k=2, top_p=0.6)
    # 8, 4 and 2: the first two have 12 / 14 = 0.86.
    check(ODDS, [0, 8, 0, 0, 4], top_k=3, top_p=0.8)


def test_the_temperature_comes_first():
    # At temperature 0.5 the likeliest has 64 / 86 = 0.74, at temperature 1 it had 0.5.
    check(ODDS, [0, 1, 0, 0, 0], temperature=0.5, top_p=0.7)
    check([1, 16, 9], [0, 4, 3], temperature=2.0, top_k=2)


def test_what_cannot_come_never_comes():
    check([0, 3, 0, 1], [0, 3, 0, 1])
    check([0, 3, 0, 1], [0, 3, 0, 1], top_k=3)
    check([0, 3, 0, 1], [0, 3, 0, 1], top_p=0.9)


def chances(logits, temperature=1.0, top_k=None, top_p=None):
    """One row, token by token, as the text of the function says it."""
    odds = [math.exp(x / temperature) for x in logits]
    if top_k is not None:
        least = sorted(odds, reverse=True)[top_k - 1]
        odds = [n if n >= least else 0.0 for n in odds]
    total = math.fsum(odds)
    p = [n / total for n in odds]
    if top_p is not None:
        share = 0.0
        for last in sorted(p, reverse=True):
            share += last
            if share >= top_p:
                break
        p = [n if n >= last else 0.0 for n in p]
    total = math.fsum(p)
    return [n / total for n in p]


@pytest.mark.parametrize("shape", [(9,), (4, 7), (2, 3, 8), (2, 1, 1), (0, 4)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 0.7},
        {"top_k": 1},
        {"top_p": 0.55},
        {"temperature": 1.5, "top_p": 0.8},
        {"temperature": 3.0, "top_k": 1, "top_p": 0.3},
    ],
    ids=str,
)
def test_every_row_of_a_batch_by_itself(shape, options):
    logits = drawn(*shape)
    wanted = np.zeros(shape)
    for at in np.ndindex(shape[:-1]):
        wanted[at] = chances(logits[at], **options)
    got = next_probabilities(tensor(logits), **options)
    given = {"logits": logits, **options}
    what = "next_probabilities(logits)"
    expect.close(got, wanted, what=what, inputs=given, tol=1e-13, scale=1.0)


def test_both_limits_in_a_batch():
    logits = drawn(3, 2, 11) + 3.0 * drawn(3, 2, 1, seed=1)
    for k, p in [(6, 0.5), (6, 0.9), (4, 0.75), (11, 0.6)]:
        wanted = np.zeros((3, 2, 11))
        for at in np.ndindex(3, 2):
            wanted[at] = chances(logits[at], 1.0, k, p)
        got = next_probabilities(tensor(logits), top_k=k, top_p=p)
        given = {"logits": logits, "top_k": k, "top_p": p}
        what = "next_probabilities(logits, top_k, top_p)"
        expect.close(got, wanted, what=what, inputs=given, tol=1e-13, scale=1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_row_adds_up_to_one_in_its_dtype(dtype):
    logits = drawn(5, 30)
    for options in ({}, {"top_k": 7}, {"top_p": 0.6}, {"top_k": 20, "top_p": 0.9}):
        got = next_probabilities(tensor(logits, dtype=dtype), **options)
        given = {"logits": f"(5, 30) {dtype}", **options}
        expect.equal(str(got.dtype), dtype, what="the dtype of the result", inputs=given)
        total = np.asarray(got, np.float64).sum(-1)
        tol = 64 * float(np.finfo(dtype).eps)
        expect.close(total, np.ones(5), what="the sum of each row", inputs=given, tol=tol)


def test_the_logits_stay_as_they_are():
    logits = drawn(2, 6)
    given = tensor(logits.copy())
    next_probabilities(given, 0.5, top_k=2, top_p=0.5)
    expect.close(given, logits, what="the logits, after the call", inputs={"logits": logits})
