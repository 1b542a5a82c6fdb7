"""The block function against the published vectors, and the stream against a plain loop."""

import numpy as np
import pytest

from minigrad.dtypes import float32, float64
from minigrad.random import Generator, philox

# counter, key, result: lines "philox4x32 10" of kat_vectors, Random123 1.14.
KNOWN = [
    "00000000 00000000 00000000 00000000  00000000 00000000  6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    "ffffffff ffffffff ffffffff ffffffff  ffffffff ffffffff  408f276d 41c83b0e a20bc7c6 6d5451fd",
    "243f6a88 85a308d3 13198a2e 03707344  a4093822 299f31d0  d16cfe09 94fdcceb 5001e420 24126ea1",
]


def one_block(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 as the paper has it: integers of Python, a block at a time."""
    (a, b, c, d), (left, right) = counter, key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * a, 2**32)
        high1, low1 = divmod(0xCD9E8D57 * c, 2**32)
        a, b, c, d = high1 ^ b ^ left, low1, high0 ^ d ^ right, low0
        left, right = (left + 0x9E3779B9) % 2**32, (right + 0xBB67AE85) % 2**32
    return [a, b, c, d]


def stream(seed: int, offset: int, n: int, kind: int, per: int) -> list[list[int]]:
    """The words of n numbers, worked out one by one from the text on top of random.py."""
    found, each = [], 4 // per
    for i in range(offset, offset + n):
        block, place = divmod(i, per)
        counter = [block % 2**32, block // 2**32, kind, 0]
        words = one_block(counter, [seed % 2**32, seed // 2**32])
        found.append(words[place * each : (place + 1) * each])
    return found


@pytest.mark.parametrize("line", KNOWN, ids=["zeros", "ones", "pi"])
def test_published_vectors(line: str) -> None:
    words = [int(word, 16) for word in line.split()]
    result = philox(np.array([words[:4]], dtype=np.uint32), (words[4], words[5]))
    assert result.dtype == np.uint32
    assert result.tolist() == [words[6:]]
    assert one_block(words[:4], words[4:6]) == words[6:]


def test_many_counters_at_once() -> None:
    counters = np.array([[int(w, 16) for w in line.split()[:4]] for line in KNOWN], np.uint32)
    result = philox(counters, (7, 2**32 - 1))
    assert result.tolist() == [one_block(c, [7, 2**32 - 1]) for c in counters.tolist()]


SEED, OFFSET = 0x0123456789ABCDEF, 2**34 + 3  # beyond one word each, and within a block


def generator() -> Generator:
    return Generator().set_state((SEED, OFFSET))


def test_uniform_float32_is_24_high_bits() -> None:
    words = stream(SEED, OFFSET, 9, kind=0, per=4)
    expected = [(w // 2**8) / 2**24 for (w,) in words]
    assert generator().uniform(9).numpy().tolist() == expected


def test_uniform_float64_is_53_high_bits() -> None:
    words = stream(SEED, OFFSET, 9, kind=1, per=2)
    expected = [((low + high * 2**32) // 2**11) / 2**53 for low, high in words]
    assert generator().uniform(9, dtype=float64).numpy().tolist() == expected


@pytest.mark.parametrize(("dtype", "kind", "per"), [(float32, 2, 4), (float64, 3, 2)])
def test_normal_is_box_muller(dtype, kind: int, per: int) -> None:
    expected = []
    for i in range(OFFSET, OFFSET + 9):
        left = i - i % 2
        words = stream(SEED, left, 2, kind, per)
        if per == 4:
            u, v = (words[0][0] + 1) / 2**32, words[1][0] / 2**32
        else:
            u, v = ((low + high * 2**32) // 2**11 / 2**53 for low, high in words)
            u += 2.0**-53
        turn = np.cos if i == left else np.sin
        expected.append(np.sqrt(-2 * np.log(u)) * turn(2 * np.pi * v))
    got = generator().normal(9, dtype=dtype).numpy()
    tolerance = 2e-7 if per == 4 else 1e-14
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def test_integers_are_two_words_modulo_span() -> None:
    words = stream(SEED, OFFSET, 9, kind=4, per=2)
    expected = [-5 + (low + high * 2**32) % 1000 for low, high in words]
    assert generator().integers(-5, 995, 9).numpy().tolist() == expected


def test_a_rejected_integer_is_drawn_again_at_its_own_place() -> None:
    span, n = 3 * 2**62, 40  # a quarter is rejected
    expected = []
    for i in range(OFFSET, OFFSET + n):
        block, place = divmod(i, 2)
        for attempt in range(99):
            counter = [block % 2**32, block // 2**32, 4, attempt]
            words = one_block(counter, [SEED % 2**32, SEED // 2**32])
            x = words[2 * place] + words[2 * place + 1] * 2**32
            if x < span:
                break
        expected.append(x - 2**63)
    assert generator().integers(-(2**63), 2**62, n).numpy().tolist() == expected


def test_bernoulli_compares_a_word() -> None:
    words = stream(SEED, OFFSET, 50, kind=6, per=4)
    assert generator().bernoulli(0.3, 50).numpy().tolist() == [
        w < round(0.3 * 2**32) for (w,) in words
    ]


def test_permutation_sorts_random_keys() -> None:
    keys = [low + high * 2**32 for low, high in stream(SEED, OFFSET, 30, kind=5, per=2)]
    expected = sorted(range(30), key=keys.__getitem__)
    assert generator().permutation(30).numpy().tolist() == expected


def test_the_first_numbers_never_change() -> None:
    """Anyone's seed 0, for as long as the course lives."""
    g = Generator(0)
    first = g.uniform(3).numpy().tolist()
    assert first == [0.3990464210510254, 0.8805201649665833, 0.7357127666473389]
    assert g.integers(0, 100, 5).numpy().tolist() == [78, 95, 74, 21, 40]
    two = [0.2157009243965149, -0.49336883425712585]
    np.testing.assert_allclose(g.normal(2).numpy(), two, rtol=2e-7)
