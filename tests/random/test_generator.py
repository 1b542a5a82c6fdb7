"""State, chunking, shapes, and bad input."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad import random
from minigrad.dtypes import float64
from minigrad.random import CHUNK, Generator

KINDS = {
    "uniform": lambda g, n: g.uniform(n, -1.0, 4.0),
    "uniform float64": lambda g, n: g.uniform(n, dtype=float64),
    "normal": lambda g, n: g.normal(n),
    "normal float64": lambda g, n: g.normal(n, 2.0, 3.0, dtype=float64),
    "integers": lambda g, n: g.integers(0, 10, n),
    "integers, many rejected": lambda g, n: g.integers(-(2**63), 2, n),
    "bernoulli": lambda g, n: g.bernoulli(0.4, n),
}


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.lists(st.integers(0, 17), max_size=6))
def test_the_same_numbers_whatever_the_chunking(draw, seed, offset, sizes) -> None:
    whole = draw(Generator().set_state((seed, offset)), sum(sizes)).numpy()
    g = Generator().set_state((seed, offset))
    pieces = [draw(g, n).numpy() for n in sizes]
    assert np.array_equal(np.concatenate([whole[:0], *pieces]), whole)
    assert g.get_state() == (seed, offset + sum(sizes))


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
def test_large_draws_are_made_in_chunks_that_do_not_show(draw) -> None:
    n, offset = 4 * CHUNK + 5, 2**33 + 3
    whole = draw(Generator().set_state((1, offset)), n).numpy()
    for at in (0, 4 * CHUNK - offset % 4 - 2, 4 * CHUNK - 2):
        part = draw(Generator().set_state((1, offset + at)), 5).numpy()
        assert np.array_equal(part, whole[at : at + 5])


def test_state_comes_back() -> None:
    g = Generator(3)
    g.normal(7)
    state = g.get_state()
    assert state == (3, 7)
    assert state.seed == 3
    assert state.offset == 7
    first = g.uniform(5).numpy()
    assert np.array_equal(g.set_state(state).uniform(5).numpy(), first)
    assert np.array_equal(Generator().set_state(tuple(state)).uniform(5).numpy(), first)
    assert repr(g) == "Generator(seed=3, offset=12)"


def test_manual_seed_starts_again() -> None:
    g = Generator(5)
    first = g.uniform(4).numpy()
    assert not np.array_equal(g.uniform(4).numpy(), first)
    assert np.array_equal(g.manual_seed(5).uniform(4).numpy(), first)


def test_the_default_generator() -> None:
    before = random.default_generator.get_state()
    try:
        assert random.manual_seed(9) is random.default_generator
        assert random.default_generator.get_state() == (9, 0)
    finally:
        random.default_generator.set_state(before)


def test_a_copy_goes_its_own_way() -> None:
    g = Generator(6)
    g.uniform(3)
    for twin in (copy.deepcopy(g), pickle.loads(pickle.dumps(g))):
        assert np.array_equal(twin.uniform(3).numpy(), copy.deepcopy(g).uniform(3).numpy())
        assert twin.get_state() == (6, 6)
    assert g.get_state() == (6, 3)


@pytest.mark.parametrize("draw", KINDS.values(), ids=KINDS)
def test_shapes(draw) -> None:
    flat = draw(Generator(7), 24).numpy()
    shaped = draw(Generator(7), (2, 3, 4))
    assert shaped.shape == (2, 3, 4)
    assert np.array_equal(shaped.numpy(), flat.reshape(2, 3, 4))
    assert np.array_equal(draw(Generator(7), [2, 3, 4]).numpy(), shaped.numpy())
    assert draw(Generator(7), ()).shape == ()
    assert draw(Generator(7), ()).numpy() == flat[0]
    assert draw(Generator(7), (3, 0)).shape == (3, 0)
    assert draw(Generator(7), np.int64(3)).shape == (3,)


def test_a_scale_does_not_reach_its_upper_end() -> None:
    # 2**20 + u has 3 binary places left in float32: many u would round up to the end.
    x = Generator(8).uniform(10_000, 2.0**20, 2.0**20 + 1).numpy()
    assert x.min() == 2.0**20
    assert x.max() == np.nextafter(np.float32(2.0**20 + 1), np.float32(0))


def test_std_zero_is_the_mean() -> None:
    assert Generator(9).normal(5, 2.0, 0.0).numpy().tolist() == [2.0] * 5


def test_what_float32_cannot_hold_is_inf() -> None:
    assert Generator(9).normal(5, 1e39, 0.0).numpy().tolist() == [float("inf")] * 5


def test_the_smallest_permutations() -> None:
    assert Generator(9).permutation(0).shape == (0,)
    assert Generator(9).permutation(1).numpy().tolist() == [0]


BAD = [
    (lambda: Generator(-1), ValueError, r"Generator: seed must be from 0 to 2\*\*64 - 1, got -1."),
    (lambda: Generator(2**64), ValueError, "seed must be from 0"),
    (lambda: Generator(1.5), TypeError, r"seed must be a whole number, got 1\.5"),
    (lambda: Generator(True), TypeError, "seed must be a whole number, got True"),
    (lambda: Generator().set_state(3), TypeError, r"set_state: want \(seed, offset\), got 3"),
    (lambda: Generator().set_state((1, 2, 3)), TypeError, "want"),
    (lambda: Generator().set_state((0, -1)), ValueError, "offset must be from 0"),
    (lambda: Generator().set_state((0, 2**64 - 5)).uniform(6), ValueError, "offset must be from"),
    (lambda: Generator().uniform(-1), ValueError, r"a size cannot be negative: shape \(-1,\)"),
    (lambda: Generator().normal((2, -3)), ValueError, r"negative: shape \(2, -3\)"),
    (lambda: Generator().normal((2, 1.0)), TypeError, r"a whole number, got 1\.0"),
    (lambda: Generator().bernoulli(0.5, "ab"), TypeError, "a whole number, got 'ab'"),
    (lambda: Generator().uniform(3, 2.0, 2.0), ValueError, "uniform: low must be below high"),
    (lambda: Generator().uniform(3, 0.0, float("inf")), ValueError, "both finite in float32"),
    (lambda: Generator().uniform(3, 0.0, float("nan")), ValueError, "low must be below high"),
    (lambda: Generator().uniform(3, "a", 1.0), ValueError, "both finite"),
    (lambda: Generator().uniform(3, -2e38, 2e38), ValueError, "both finite"),
    (lambda: Generator().uniform(3, 0.0, 1e39), ValueError, "both finite"),
    (lambda: Generator().uniform(3, dtype="int64"), TypeError, "float32 or float64, got int64"),
    (lambda: Generator().normal(3, dtype="float16"), TypeError, "float16 is not supported"),
    (lambda: Generator().normal(3, 0.0, -1.0), ValueError, "std not below 0: got 0.0, -1.0"),
    (lambda: Generator().normal(3, float("nan")), ValueError, "finite"),
    (lambda: Generator().integers(5, 5), ValueError, "integers: low must be below high"),
    (lambda: Generator().integers(0, 2**63 + 1), ValueError, "within int64"),
    (lambda: Generator().integers(0, 2.5), TypeError, r"integers: high must be a whole number"),
    (lambda: Generator().permutation(-1), ValueError, "permutation: n must be from 0"),
    (lambda: Generator().permutation(2.0), TypeError, "permutation: n must be a whole number"),
    (lambda: Generator().bernoulli(1.1), ValueError, "p must be a number from 0 to 1, got 1.1"),
    (lambda: Generator().bernoulli(-0.1), ValueError, "p must be"),
    (lambda: Generator().bernoulli(float("nan")), ValueError, "p must be"),
    (lambda: Generator().bernoulli("half"), ValueError, "p must be"),
]


@pytest.mark.parametrize(("call", "error", "match"), BAD)
def test_bad_input_is_one_sentence_and_draws_nothing(call, error, match) -> None:
    with pytest.raises(error, match=match):
        call()


def test_a_refused_draw_leaves_the_state() -> None:
    g = Generator().set_state((0, 2**64 - 5))
    with pytest.raises(ValueError, match="offset"):
        g.uniform(6)
    assert g.get_state() == (0, 2**64 - 5)
    assert g.uniform(4).shape == (4,)
