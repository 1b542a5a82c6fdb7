"""Distributions, with fixed seeds: moments, Kolmogorov's distance, counts, independence."""

import math

import numpy as np
import pytest

from minigrad.dtypes import float32, float64
from minigrad.random import Generator

N = 200_000
# Kolmogorov: the distance of N draws from the true distribution exceeds 1.95 / sqrt(N) one time in
# a thousand. The seeds are fixed, so a pass today is a pass tomorrow.
DISTANCE = 1.95 / math.sqrt(N)
DTYPES = [float32, float64]


def distance(draws: np.ndarray, cdf) -> float:
    """The largest gap between the share of draws below x and cdf(x), over all x."""
    expected = cdf(np.sort(draws.astype(np.float64)))
    steps = np.arange(len(draws) + 1) / len(draws)
    return max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max())


def normal_cdf(x: np.ndarray) -> np.ndarray:
    return np.array([0.5 * math.erfc(-t / math.sqrt(2)) for t in x.tolist()])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_uniform(dtype) -> None:
    x = Generator(1).uniform(N, -2.0, 3.0, dtype=dtype).numpy()
    assert x.dtype == dtype.numpy
    assert x.min() >= -2.0
    assert x.max() < 3.0
    assert abs(x.mean(dtype=np.float64) - 0.5) < 4 * 5 / math.sqrt(12 * N)
    assert abs(x.var(dtype=np.float64) / (25 / 12) - 1) < 0.01
    assert distance(x, lambda t: (t + 2) / 5) < DISTANCE


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_normal(dtype) -> None:
    x = Generator(2).normal(N, 1.0, 2.0, dtype=dtype).numpy()
    assert x.dtype == dtype.numpy
    z = (x.astype(np.float64) - 1) / 2
    assert abs(z.mean()) < 4 / math.sqrt(N)
    assert abs(z.var() - 1) < 4 * math.sqrt(2 / N)
    assert abs((z**3).mean()) < 4 * math.sqrt(15 / N)
    assert abs((z**4).mean() - 3) < 4 * math.sqrt(96 / N)
    assert distance(z, normal_cdf) < DISTANCE


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_two_halves_of_a_pair_are_independent(dtype) -> None:
    x = Generator(3).normal((N // 2, 2), dtype=dtype).numpy().astype(np.float64)
    assert abs(np.corrcoef(x.T)[0, 1]) < 4 / math.sqrt(N // 2)
    assert abs(np.corrcoef(x.T**2)[0, 1]) < 4 / math.sqrt(N // 2)


def test_kinds_at_one_offset_are_independent() -> None:
    """Drawn from equal states they still share no word."""
    draws = [
        Generator(4).uniform(N).numpy(),
        Generator(4).uniform(N, dtype=float64).numpy(),
        Generator(4).normal(N).numpy(),
        Generator(4).normal(N, dtype=float64).numpy(),
        Generator(4).integers(0, 1000, N).numpy(),
        Generator(4).bernoulli(0.5, N).numpy(),
    ]
    table = np.corrcoef(np.stack([d.astype(np.float64) for d in draws]))
    assert np.abs(table - np.eye(len(draws))).max() < 4 / math.sqrt(N)


def test_seeds_give_unrelated_numbers() -> None:
    table = np.corrcoef(np.stack([Generator(s).uniform(N).numpy() for s in (0, 1, 2, 2**32)]))
    assert np.abs(table - np.eye(4)).max() < 4.5 / math.sqrt(N)


def test_integers_are_equally_likely() -> None:
    x = Generator(5).integers(-3, 4, N).numpy()
    counts = np.bincount(x + 3, minlength=7)
    assert len(counts) == 7
    chi_square = ((counts - N / 7) ** 2 / (N / 7)).sum()
    assert chi_square < 22.5  # one time in a thousand, for 6 degrees of freedom


def test_integers_without_bias_where_modulo_alone_would_have_it() -> None:
    # Of a span of three quarters, plain modulo would give its first third twice as often.
    x = Generator(6).integers(0, 3 * 2**61, N).numpy()
    assert distance(x, lambda t: t / (3 * 2**61)) < DISTANCE
    x = Generator(6).integers(-(2**63), 2**62, N).numpy()
    assert distance(x, lambda t: (t + 2.0**63) / (3 * 2**62)) < DISTANCE


def test_integers_over_all_of_int64() -> None:
    x = Generator(7).integers(-(2**63), 2**63, N).numpy()
    assert distance(x, lambda t: (t + 2.0**63) / 2.0**64) < DISTANCE


@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 0.9])
def test_bernoulli(p: float) -> None:
    share = Generator(8).bernoulli(p, N).numpy().mean()
    assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / N)


def test_bernoulli_at_its_ends() -> None:
    assert not Generator(9).bernoulli(0, 1000).numpy().any()
    assert Generator(9).bernoulli(1.0, 1000).numpy().all()


def test_every_order_is_equally_likely() -> None:
    g = Generator(10)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(6000):
        order = tuple(g.permutation(3).numpy().tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert sum((c - 1000) ** 2 / 1000 for c in counts.values()) < 20.5  # 5 degrees of freedom


def test_a_permutation_holds_every_number_once() -> None:
    p = Generator(11).permutation(10_001).numpy()
    assert p.dtype == np.int64
    assert np.array_equal(np.sort(p), np.arange(10_001))
    assert abs(np.corrcoef(p, np.arange(10_001))[0, 1]) < 0.04
