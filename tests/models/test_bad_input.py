"""What models cannot work with: one clear sentence each."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, models, nn
from minigrad.models import GPT, GPTConfig, generate, next_probabilities

TOKENS = np.arange(6).reshape(2, 3)
NAN, INF = float("nan"), float("inf")


def config(**options):
    return GPTConfig(
        **{"vocabulary": 11, "context": 9, "layers": 2, "heads": 3, "width": 12} | options
    )


def gpt(**options):
    return GPT(config(**options), generator=Generator(0))


def wrong(**options):
    return lambda: config(**options)


def call(tokens, **options):
    return lambda: gpt(**options)(tokens() if callable(tokens) else mg.tensor(tokens))


def going_on(count=2, **options):
    return lambda: generate(gpt(), mg.tensor(TOKENS), count, **options)


def held_back(**options):
    return lambda: next_probabilities(mg.tensor(np.arange(10.0).reshape(2, 5)), **options)


CASES = {
    # GPT
    "heads that do not divide": (wrong(heads=5), ValueError,
        "GPTConfig: 5 heads do not divide width 12; each head has width / heads numbers."),
    "no layers": (wrong(layers=0), ValueError, "GPTConfig: layers must be 1 or more, got 0."),
    "no tokens": (wrong(vocabulary=0), ValueError,
        "GPTConfig: vocabulary must be 1 or more, got 0."),
    "no context": (wrong(context=-1), ValueError, "GPTConfig: context must be 1 or more, got -1."),
    "half a width": (wrong(width=1.5), TypeError,
        "GPTConfig: width must be a whole number, got 1.5."),
    "heads of bool": (wrong(heads=True), TypeError,
        "GPTConfig: heads must be a whole number, got True."),
    "positions": (wrong(positions="sinus"), ValueError,
        "GPTConfig: positions are 'learned' or 'rotary', got 'sinus'."),
    "odd heads turned": (lambda: GPT(config(heads=4, positions="rotary")), ValueError,
        "MultiheadAttention: with rotary, the 3 numbers of a head are turned in pairs; their count "
        "must be even."),
    "dropout": (lambda: GPT(config(dropout=1.5)), ValueError,
        "Dropout: p is a probability, from 0 to 1, got 1.5."),
    "no config": (lambda: GPT({"vocabulary": 11}), TypeError,
        "GPT: config is a GPTConfig, got dict."),
    "a seed": (lambda: GPT(config(), generator=3), TypeError,
        "Embedding: generator must be a minigrad.Generator, got 3; Generator(seed=0) makes one."),
    "too long": (call([[0] * 10]), ValueError,
        "GPT: 10 tokens are more than its context of 9; give it the last 9."),
    "too long for what is turned": (call([[0] * 10], positions="rotary"), ValueError,
        "GPT: 10 tokens are more than its context of 9; give it the last 9."),
    "no batch": (call([1, 2]), ValueError, "GPT: tokens have shape (batch, T), got (2,)."),
    "three axes": (call([[[1, 2]]]), ValueError,
        "GPT: tokens have shape (batch, T), got (1, 1, 2)."),
    "floats": (call([[1.0, 2.0]]), TypeError, "GPT: tokens are int64, got float32."),
    "bools": (call([[True]]), TypeError, "GPT: tokens are int64, got bool."),
    "a list": (call(lambda: [[1, 2]]), TypeError,
        "GPT: expected a tensor, got list; minigrad.tensor makes one."),
    "an ndarray": (call(lambda: TOKENS), TypeError,
        "GPT: expected a tensor, got ndarray; minigrad.tensor makes one."),
    "no such token": (call([[1, 2], [3, 11]]), IndexError,
        "embedding: index 11 at position (1, 1), but the table has 11 rows."),
    "a token below 0": (call([[1, -2]]), IndexError,
        "embedding: index -2 at position (0, 1), but the table has 11 rows."),
    "one cache for two": (lambda: gpt()(mg.tensor(TOKENS), [nn.KVCache()]), ValueError,
        "GPT: each of its 2 blocks has a cache, got 1; caches() makes them."),
    "no caches": (lambda: gpt()(mg.tensor(TOKENS), []), ValueError,
        "GPT: each of its 2 blocks has a cache, got 0; caches() makes them."),
    # text that goes on
    "no model": (lambda: generate(models.lenet(), mg.tensor(TOKENS), 2), TypeError,
        "generate: model is a GPT, got Sequential."),
    "one text alone": (lambda: generate(gpt(), mg.tensor([1, 2]), 2), ValueError,
        "GPT: tokens have shape (batch, T), got (2,)."),
    "a text that is a list": (lambda: generate(gpt(), [[1, 2]], 2), TypeError,
        "GPT: expected a tensor, got list; minigrad.tensor makes one."),
    "nothing to go on from": (lambda: generate(gpt(), mg.zeros((2, 0), mg.int64), 2), ValueError,
        "generate: give one token or more to go on from."),
    "a count below 0": (going_on(count=-1), ValueError,
        "generate: count must be 0 or more, got -1."),
    "half a count": (going_on(count=1.5), TypeError,
        "generate: count must be a whole number, got 1.5."),
    "a count of bool": (going_on(count=True), TypeError,
        "generate: count must be a whole number, got True."),
    "a seed to go on with": (going_on(generator=3), TypeError,
        "multinomial: generator must be a minigrad.Generator, got 3; Generator(seed=0) makes one."),
    "too cold": (going_on(temperature=0), ValueError,
        "next_probabilities: temperature must be above 0, got 0; top_k=1 always takes the "
        "likeliest token."),
    # chance held back
    **{f"temperature {bad}": (held_back(temperature=bad), ValueError,
        f"next_probabilities: temperature must be above 0, got {bad}; top_k=1 always takes the "
        "likeliest token.") for bad in (0.0, -1, NAN)},
    **{f"temperature {bad!r}": (held_back(temperature=bad), TypeError,
        f"next_probabilities: temperature must be a number, got {bad!r}.")
        for bad in ("1", None, True)},
    **{f"top_k {bad}": (held_back(top_k=bad), ValueError,
        f"next_probabilities: top_k must be 1 or more, got {bad}.") for bad in (0, -3)},
    **{f"top_k {bad!r}": (held_back(top_k=bad), TypeError,
        f"next_probabilities: top_k must be a whole number, got {bad!r}.")
        for bad in (2.0, True, "2")},
    "top_k beyond the vocabulary": (held_back(top_k=6), ValueError,
        "next_probabilities: top_k=6, but there are only 5 tokens."),
    **{f"top_p {bad}": (held_back(top_p=bad), ValueError,
        f"next_probabilities: top_p is a share, above 0 and at most 1, got {bad}.")
        for bad in (0, -0.5, 1.001, NAN, INF)},
    **{f"top_p {bad!r}": (held_back(top_p=bad), TypeError,
        f"next_probabilities: top_p must be a number, got {bad!r}.") for bad in ("0.5", True)},
    "logits without an axis": (lambda: next_probabilities(mg.tensor(1.0)), ValueError,
        "next_probabilities: logits have shape (..., vocabulary), got ()."),
    "logits in a list": (lambda: next_probabilities([1.0, 2.0]), TypeError,
        "next_probabilities: expected a tensor, got list; minigrad.tensor makes one."),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_clear_error(name):
    make, kind, message = CASES[name]
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message
