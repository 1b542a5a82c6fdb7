"""Random numbers: the same on every machine, in every chunking and, later, in every language.

A generator has no hidden state: number i of a kind is a function of (seed, kind, i) alone. So the
state is (seed, offset), drawing n numbers moves the offset by n, and any number can be computed
without those before it: in any order, by any number of threads.

How to compute it, in C++ and CUDA too. Philox4x32-10 turns a counter of four words (32 bits each)
and a key of two into a block of four random words:

    key      seed, low word first
    counter  block, low word first (two words); kind; attempt (0, see `integers`)

A block holds four numbers that need one word each, or two numbers that need two, low word first.
With `per` numbers to a block, number i is number i % per of block i // per. The kind keeps apart
what is drawn at one offset, so that no two kinds share a word:

    0 uniform float32   1 uniform float64   2 normal float32   3 normal float64
    4 integers          5 permutation       6 bernoulli

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
"""

import math
import numbers
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigrad.dtypes import DType, as_dtype, bool_, float32, float64, int64
from minigrad.reference.array import Array, empty

Words = np.ndarray[Any, np.dtype[np.uint32]]
Longs = np.ndarray[Any, np.dtype[np.uint64]]
Numbers = np.ndarray[Any, np.dtype[Any]]
Shape = int | tuple[int, ...]

UNIFORM, NORMAL = {float32: 0, float64: 1}, {float32: 2, float64: 3}
INTEGERS, PERMUTATION, BERNOULLI = 4, 5, 6

ROUNDS = 10
MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
WEYL = (0x9E3779B9, 0xBB67AE85)  # the golden ratio and the square root of 3, less 1
LOW, WORD = np.uint64(0xFFFFFFFF), np.uint64(32)
CHUNK = 8192  # blocks at a time: what is in between stays in the cache


class State(NamedTuple):
    """All that a generator is."""

    seed: int
    offset: int


def philox(counter: Words, key: tuple[int, int]) -> Words:
    """Philox4x32-10: counters (n, 4) and a key of two words to random words (n, 4)."""
    a, b, c, d = counter.T.astype(np.uint64)
    left, right = key
    for _ in range(ROUNDS):
        first, second = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b = (second >> WORD) ^ b ^ np.uint64(left), second & LOW
        c, d = (first >> WORD) ^ d ^ np.uint64(right), first & LOW
        left, right = (left + WEYL[0]) & 0xFFFFFFFF, (right + WEYL[1]) & 0xFFFFFFFF
    return np.stack((a, b, c, d), axis=1).astype(np.uint32)


def words(seed: int, block: Longs, kind: int, attempt: int = 0) -> Words:
    """The random words (n, 4) of the blocks with these numbers (n,)."""
    counter = np.empty((len(block), 4), dtype=np.uint32)
    counter[:, 0], counter[:, 1] = block & LOW, block >> WORD
    counter[:, 2], counter[:, 3] = kind, attempt
    return philox(counter, (seed & 0xFFFFFFFF, seed >> 32))


def longs(block: Words) -> Longs:
    """Words (n, 4) as numbers of 64 bits (n, 2), low word first."""
    return block[:, ::2].astype(np.uint64) | block[:, 1::2].astype(np.uint64) << WORD


class Generator:
    """Random numbers from a seed of 64 bits; the same seed, the same numbers.

    Drawing 10 and then 7 gives what drawing 17 gives. Give each thread a generator of its own.
    """

    def __init__(self, seed: int = 0) -> None:
        self.manual_seed(seed)

    def __repr__(self) -> str:
        return f"Generator(seed={self._state.seed}, offset={self._state.offset})"

    def manual_seed(self, seed: int) -> "Generator":
        """Start again from a seed, at offset 0."""
        self._state = State(_count("seed", seed), 0)
        return self

    def get_state(self) -> State:
        """(seed, offset), for set_state."""
        return self._state

    def set_state(self, state: tuple[int, int]) -> "Generator":
        """Go on where a generator with this state would."""
        try:
            seed, offset = state
        except (TypeError, ValueError):
            raise TypeError(f"set_state: want (seed, offset), got {state!r}.") from None
        self._state = State(_count("seed", seed), _count("offset", offset))
        return self

    def uniform(
        self, shape: Shape = (), low: float = 0.0, high: float = 1.0, *, dtype: DType = float32
    ) -> Array:
        """Numbers of [low, high), an Array of `shape`.

        A float32 has 24 random bits (the high ones of a word), a float64 has 53 (of two words):
        u = bits / 2**24 or bits / 2**53. Then low + (high - low) * u, each step rounded to dtype,
        and where that rounding gives `high`, the number below it.
        """
        dtype = _float("uniform", dtype)
        ends = (low, high) if _finite(low, high) else (math.nan, math.nan)
        with np.errstate(all="ignore"):  # what is too large is refused below
            start, end = (np.asarray(x, dtype=dtype.numpy)[()] for x in ends)
            width = end - start
        if not (start < end and math.isfinite(width)):
            raise ValueError(
                f"uniform: low must be below high, both finite in {dtype}: got {low}, {high}."
            )
        last = np.nextafter(end, start)

        def convert(block: Words) -> Numbers:
            scaled: Numbers = np.minimum(_fractions(block, dtype) * width + start, last)
            return scaled

        return self._drawn(shape, dtype, UNIFORM[dtype], convert)

    def normal(
        self, shape: Shape = (), mean: float = 0.0, std: float = 1.0, *, dtype: DType = float32
    ) -> Array:
        """Normally distributed numbers, an Array of `shape`; std may be 0.

        Box-Muller (1958), both halves used: of two numbers u, v of a block (32 bits each for
        float32, 53 for float64), radius = sqrt(-2 log(u + one step)), and the numbers are
        radius * cos(2 pi v) and radius * sin(2 pi v), in this order. Computed in float64, then
        rounded, so that libraries whose cosines differ in the last bit give the same float32. The
        largest is 6.7 in float32, 8.6 in float64.
        """
        dtype = _float("normal", dtype)
        if not (_finite(mean, std) and std >= 0):
            raise ValueError(
                f"normal: mean and std must be finite, std not below 0: got {mean}, {std}."
            )

        def convert(block: Words) -> Numbers:
            bits = block if dtype is float32 else longs(block) >> np.uint64(11)
            step = 2.0 ** (-32 if dtype is float32 else -53)
            radius = np.sqrt(-2.0 * np.log((bits[:, ::2] + 1.0) * step))
            angle = bits[:, 1::2] * (step * 2.0 * math.pi)
            pairs = np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=-1)
            return pairs.reshape(len(block), -1) * std + mean

        return self._drawn(shape, dtype, NORMAL[dtype], convert)

    def integers(self, low: int, high: int, shape: Shape = ()) -> Array:
        """Whole numbers of [low, high), each equally likely, an int64 Array of `shape`.

        low + x % span for a number x of 64 bits. An x in the last, incomplete run of `span` numbers
        would make some results likelier: it is drawn again, from the same block number with the
        counter's attempt one higher. So every number still depends on its own index alone.
        """
        low, high = _integer("integers", "low", low), _integer("integers", "high", high)
        if not -(2**63) <= low < high <= 2**63:
            raise ValueError(f"integers: low must be below high, within int64: got {low}, {high}.")
        seed, span = self._state.seed, high - low
        last = np.uint64(2**64 - 1 - 2**64 % span)  # of the complete runs

        def convert(block: Words, first: int = 0) -> Numbers:
            drawn = longs(block)
            attempt, (rows, columns) = 0, np.nonzero(drawn > last)
            while rows.size:
                attempt += 1
                blocks = rows.astype(np.uint64) + np.uint64(first)
                again = longs(words(seed, blocks, INTEGERS, attempt))
                drawn[rows, columns] = again[np.arange(len(rows)), columns]
                rejected = drawn[rows, columns] > last
                rows, columns = rows[rejected], columns[rejected]
            if span < 2**64:
                drawn %= np.uint64(span)
            return (drawn + np.uint64(low % 2**64)).view(np.int64)  # wraps around, as it should

        return self._drawn(shape, int64, INTEGERS, convert, numbered=True)

    def permutation(self, n: int) -> Array:
        """The numbers 0 to n - 1 in random order, an int64 Array (n,).

        Number i gets a random key of 64 bits; the order is that of the keys, equal keys by i.
        """
        n = _count("n", n, call="permutation")
        keys = self._drawn(n, int64, PERMUTATION, lambda block: longs(block).view(np.int64)).numpy()
        out = empty((n,), dtype=int64)
        out.numpy()[...] = np.argsort(keys.view(np.uint64), kind="stable")
        return out

    def bernoulli(self, p: float, shape: Shape = ()) -> Array:
        """True with probability p, a bool Array of `shape`; p counts in steps of 2**-32."""
        if not (_finite(p) and 0 <= p <= 1):
            raise ValueError(f"bernoulli: p must be a number from 0 to 1, got {p!r}.")
        threshold = np.uint64(round(p * 2**32))
        return self._drawn(shape, bool_, BERNOULLI, lambda block: block < threshold)

    def _drawn(
        self,
        shape: Shape,
        dtype: DType,
        kind: int,
        convert: Callable[..., Numbers],
        numbered: bool = False,
    ) -> Array:
        """An Array of the next numbers: `convert` makes (n, per) of words (n, 4).

        numbered: convert also gets the number of its first block.
        """
        out = empty(_shape(shape), dtype=dtype)
        flat = out.numpy().reshape(-1)
        seed, offset = self._state
        per = 4 if kind in (UNIFORM[float32], NORMAL[float32], BERNOULLI) else 2
        end = offset + flat.size
        _count("offset", end)
        at = offset
        while at < end:
            block, skip = divmod(at, per)
            stop = min(end, (block + CHUNK) * per)
            blocks = np.arange((stop - 1) // per - block + 1, dtype=np.uint64) + np.uint64(block)
            drawn = words(seed, blocks, kind)
            found = convert(drawn, block) if numbered else convert(drawn)
            with np.errstate(over="ignore"):  # a float32 that is too large is inf
                flat[at - offset : stop - offset] = found.reshape(-1)[skip : skip + stop - at]
            at = stop
        self._state = State(seed, end)
        return out


def _fractions(block: Words, dtype: DType) -> Numbers:
    """Words (n, 4) as fractions of [0, 1): float32 (n, 4) or float64 (n, 2)."""
    if dtype is float32:
        return (block >> np.uint32(8)).astype(np.float32) * np.float32(2**-24)
    return (longs(block) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _finite(*found: object) -> bool:
    return all(isinstance(x, numbers.Real) and math.isfinite(x) for x in found)


def _integer(call: str, name: str, x: object) -> int:
    if isinstance(x, bool) or not hasattr(x, "__index__"):
        raise TypeError(f"{call}: {name} must be a whole number, got {x!r}.")
    return operator.index(x)


def _count(name: str, x: object, call: str = "Generator") -> int:
    number = _integer(call, name, x)
    if not 0 <= number < 2**64:
        raise ValueError(f"{call}: {name} must be from 0 to 2**64 - 1, got {number}.")
    return number


def _float(call: str, dtype: object) -> DType:
    found = as_dtype(dtype)
    if found.kind != "float":
        raise TypeError(f"{call}: dtype must be float32 or float64, got {found}.")
    return found


def _shape(shape: object) -> tuple[int, ...]:
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    whole = tuple(_integer("random numbers", "a size of the shape", size) for size in sizes)
    if any(size < 0 for size in whole):
        raise ValueError(f"random numbers: a size cannot be negative: shape {whole}.")
    return whole


default_generator = Generator(0)


def manual_seed(seed: int) -> Generator:
    """Seed the generator of all who have none of their own."""
    return default_generator.manual_seed(seed)


def generator_or_default(call: str, given: Generator | None) -> Generator:
    """The generator given, or that of manual_seed for None. Raises TypeError for anything else."""
    if given is None:
        return default_generator
    if not isinstance(given, Generator):
        raise TypeError(
            f"{call}: generator must be a minigrad.Generator, got {given!r}; Generator(seed=0) "
            "makes one."
        )
    return given
