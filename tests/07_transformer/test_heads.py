"""7.5: queries, keys and values, made of the tokens and dealt out to the heads."""

import math

import numpy as np
import pytest

from minigrad import float64, nn, no_grad, tensor
from minigrad.course import expect

pytestmark = pytest.mark.exercise("7.5")

PARTS = ("queries", "keys", "values")
WHAT = "heads(x, part), (batch, heads, tokens, size),"


def shown(part):
    return f"{part} (the {PARTS[part]})"


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def layer(weight, bias, heads):
    """Attention whose three weights, one below the other, and biases are these."""
    size = weight.shape[1]
    made = nn.MultiheadAttention(size, heads, bias=bias is not None, dtype=float64)
    with no_grad():
        made.in_proj_weight.copy_(tensor(weight))
        if bias is not None:
            made.in_proj_bias.copy_(tensor(bias))
    return made


def dealt(x, weight, bias, part, heads):
    """heads(x, part), number by number."""
    batch, tokens, width = x.shape
    size = width // heads
    out = np.zeros((batch, heads, tokens, size))
    for b, h, t, n in np.ndindex(out.shape):
        row = part * width + h * size + n
        products = [a * w for a, w in zip(x[b, t], weight[row], strict=True)]
        out[b, h, t, n] = math.fsum([*products, 0.0 if bias is None else bias[row]])
    return out


# The queries are the tokens themselves, the keys 10 times them, the values 100 times.
SIMPLE = np.concatenate([np.eye(4), 10.0 * np.eye(4), 100.0 * np.eye(4)])
X = np.array([[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]])
RUNS = np.array([[[[1.0, 2.0], [5.0, 6.0], [9.0, 10.0]], [[3.0, 4.0], [7.0, 8.0], [11.0, 12.0]]]])
TEXT = {
    "x": "[[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]], three tokens",
    "num_heads": 2,
    "in_proj_weight": "1, 10 and 100 times the unit matrix, one below the other",
}


@pytest.mark.parametrize("part", [0, 1, 2], ids=PARTS)
def test_each_head_has_a_run_of_every_token(part):
    got = layer(SIMPLE, np.zeros(12), 2).heads(tensor(X), part)
    given = TEXT | {"in_proj_bias": "zeros (12,)", "part": shown(part)}
    expect.close(got, 10.0**part * RUNS, what=WHAT, inputs=given, scale=1.0)


@pytest.mark.parametrize("part", [0, 1, 2], ids=PARTS)
def test_every_number_has_its_own_bias(part):
    bias = np.arange(12.0) / 8
    run = bias[4 * part : 4 * part + 4]
    wanted = np.array([[[run[:2]] * 3, [run[2:]] * 3]])
    got = layer(0.0 * SIMPLE, bias, 2).heads(tensor(X), part)
    numbers = {"in_proj_weight": "zeros (12, 4)", "in_proj_bias": "0, 1/8, 2/8 ... 11/8"}
    expect.close(got, wanted, what=WHAT, inputs=TEXT | numbers | {"part": shown(part)}, scale=1.0)


def test_a_row_of_the_weight_makes_one_number():
    # Number 0 of the queries is (x0 + 2 x1 + 3 x2 + 4 x3), all others are 0.
    weight = np.zeros((12, 4))
    weight[0] = [1.0, 2.0, 3.0, 4.0]
    wanted = np.zeros((1, 2, 3, 2))
    wanted[0, 0, :, 0] = [30.0, 70.0, 110.0]
    got = layer(weight, np.zeros(12), 2).heads(tensor(X), 0)
    numbers = {"in_proj_weight": "zeros (12, 4), but its row 0 is [1, 2, 3, 4]"}
    expect.close(got, wanted, what=WHAT, inputs=TEXT | numbers | {"part": shown(0)}, scale=1.0)


def test_there_may_be_no_bias():
    got = layer(SIMPLE, None, 2).heads(tensor(X), 1)
    given = TEXT | {"in_proj_bias": None, "part": shown(1)}
    expect.close(got, 10.0 * RUNS, what=WHAT, inputs=given, scale=1.0)


@pytest.mark.parametrize(
    ("batch", "tokens", "width", "heads"),
    [(2, 5, 6, 3), (3, 2, 8, 2), (1, 4, 4, 4), (2, 3, 4, 1), (2, 1, 6, 2)],
)
def test_of_every_size(batch, tokens, width, heads):
    x = drawn(batch, tokens, width)
    weight, bias = drawn(3 * width, width, seed=1), drawn(3 * width, seed=2)
    for given_bias in (bias, None):
        made = layer(weight, given_bias, heads)
        for part in range(3):
            given = {"x": x, "num_heads": heads, "part": shown(part)}
            given["in_proj_bias"] = given_bias
            wanted = dealt(x, weight, given_bias, part, heads)
            got = made.heads(tensor(x), part)
            expect.close(got, wanted, what=WHAT, inputs=given, tol=1e-13, scale=1.0)


def test_the_weight_learns_the_rows_it_was_used_with():
    made = layer(SIMPLE, np.zeros(12), 2)
    made.heads(tensor(X), 1).sum().backward()
    weight, bias = np.zeros((12, 4)), np.zeros(12)
    weight[4:8], bias[4:8] = [15.0, 18.0, 21.0, 24.0], 3.0  # each key saw the three tokens
    given = TEXT | {"part": shown(1), "loss": "the sum of all keys"}
    for name, wanted in [("in_proj_weight", weight), ("in_proj_bias", bias)]:
        found = getattr(made, name).grad
        expect.that(found is not None, f"a gradient reaches {name}", inputs=given)
        expect.close(found, wanted, what=f"the gradient of {name}", inputs=given, scale=1.0)


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_attention_in_heads(heads):
    x, weight, bias = drawn(2, 5, 6), drawn(18, 6, seed=1), drawn(18, seed=2)
    others = drawn(2, 4, 6, seed=3)
    made = layer(weight, bias, heads)
    with no_grad():
        made.out_proj.weight.copy_(tensor(np.eye(6)))
    for where in (x, others):
        q = dealt(x, weight, bias, 0, heads)
        k, v = (dealt(where, weight, bias, part, heads) for part in (1, 2))
        wanted = np.zeros((2, 5, 6))
        for b, h, t in np.ndindex(2, heads, 5):
            scores = [math.fsum(q[b, h, t] * key) / math.sqrt(6 // heads) for key in k[b, h]]
            fits = np.exp(np.array(scores) - max(scores))
            run = slice(h * (6 // heads), (h + 1) * (6 // heads))
            wanted[b, t, run] = (fits / fits.sum()) @ v[b, h]
        got = made(tensor(x), tensor(where))
        given = {"query": x, "key": where, "num_heads": heads, "out_proj": "the unit matrix"}
        what = "MultiheadAttention(query, key)"
        expect.close(got, wanted, what=what, inputs=given, tol=1e-12, scale=1.0)


def test_float32_stays_float32():
    made = nn.MultiheadAttention(4, 2)
    kinds = [str(made.heads(tensor(X, dtype="float32"), part).dtype) for part in range(3)]
    expect.equal(kinds, ["float32"] * 3, what="the dtypes of queries, keys and values")
