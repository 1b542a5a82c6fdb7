"""7.6: a norm, attention, and all of it added; a norm, the MLP, and all of it added."""

import math

import numpy as np
import pytest

from minigrad import Generator, float64, nn, no_grad, tensor
from minigrad.course import expect

pytestmark = pytest.mark.exercise("7.6")


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def block(**options):
    """A block of width 6 with 2 heads, all of whose parameters are drawn."""
    made = nn.TransformerBlock(6, 2, 5, dtype=float64, layer_norm_eps=0.25, **options)
    with no_grad():
        for seed, (_, p) in enumerate(made.named_parameters()):
            p.copy_(tensor(drawn(*p.shape, seed=100 + seed) / 2))
    return made


class Part(nn.Module):
    """Stands in for a part of a block: does something easy, and keeps what it was given."""

    def __init__(self, does):
        self.does = does

    def forward(self, query, key=None, value=None, mask=None, causal=False, cache=None):
        self.given = {"mask": mask, "causal": causal, "cache": cache}
        return self.does(query)


def easy(dropout=1.0):
    """A block of which each part does one thing that can be done in the head."""
    made = nn.TransformerBlock(2, 1, 2, dtype=float64)
    made.norm1, made.norm2 = Part(lambda x: x * 2.0), Part(lambda x: x * 3.0)
    made.self_attn = Part(lambda x: x + 1.0)
    made.linear1, made.linear2 = Part(lambda x: x * 5.0), Part(lambda x: x + 7.0)
    made.activation, made.dropout = Part(lambda x: x), Part(lambda x: x * dropout)
    return made


EASY = {
    "x": [[[1.0, -2.0]]],
    "norm1": "2 x",
    "self_attn": "x + 1",
    "norm2": "3 x",
    "mlp": "5 x + 7",
}


def test_by_hand():
    # 1 -> norm1 2 -> attention 3 -> 1 + 3 = 4 -> norm2 12 -> mlp 67 -> 4 + 67 = 71
    got = easy()(tensor(np.array([[[1.0, -2.0]]])))
    expect.close(got, np.array([[[71.0, -73.0]]]), what="the block of x", inputs=EASY)


def test_dropout_stands_behind_both_parts():
    # Ten times instead of dropped: 1 -> 2 -> 3 -> 30 -> 31 -> 93 -> 5 * 93 = 465 -> in the middle
    # of the MLP 4650 -> 4657 -> 46570 -> 31 + 46570
    got = easy(dropout=10.0)(tensor(np.array([[[1.0, -2.0]]])))
    given = EASY | {"dropout": "10 x, also inside the mlp"}
    expect.close(got, np.array([[[46601.0, -47962.0]]]), what="the block of x", inputs=given)


def test_attention_is_told_of_mask_causal_and_cache():
    mask, cache, x = tensor(np.array([[True]])), nn.KVCache(), tensor(np.array([[[1.0, -2.0]]]))
    made = easy()
    made(x, mask, True, cache)
    for name, wanted in [("mask", mask), ("causal", True), ("cache", cache)]:
        same = made.self_attn.given[name] is wanted
        expect.that(same, f"attention is handed the {name} that the block was given")
    made(x)
    for name, default in [("mask", None), ("causal", False), ("cache", None)]:
        found = made.self_attn.given[name]
        expect.equal(found, default, what=f"the {name} of attention where the block has none")


def test_all_dropped_x_goes_through_as_it_is():
    x = drawn(2, 3, 6)
    got = block(dropout=1.0)(tensor(x))
    given = {"x": x, "dropout": "1: in training, all that is added to x is dropped"}
    expect.close(got, x, what="the block of x", inputs=given)


def normed(row, weight, bias):
    mean = math.fsum(row) / len(row)
    size = math.sqrt(math.fsum((a - mean) ** 2 for a in row) / len(row) + 0.25)
    return (row - mean) / size * weight + bias


def gelu(a):
    return a / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3)))


def sees(seen, i, j, tokens):
    return True if seen is None else bool(np.broadcast_to(seen, (tokens, tokens))[i, j])


def written_out(made, x, seen=None):
    """The block of one sequence x (tokens, 6), token by token and head by head."""
    p = {name: value.numpy() for name, value in made.named_parameters()}
    n = np.array([normed(row, p["norm1.weight"], p["norm1.bias"]) for row in x])
    qkv = n @ p["self_attn.in_proj_weight"].T + p["self_attn.in_proj_bias"]
    found = np.zeros((len(x), 6))
    for head in (0, 1):
        q, k, v = (qkv[:, 6 * part + 3 * head :][:, :3] for part in range(3))
        for i in range(len(x)):
            fits = np.array(
                [
                    math.exp(q[i] @ k[j] / math.sqrt(3)) if sees(seen, i, j, len(x)) else 0.0
                    for j in range(len(x))
                ]
            )
            found[i, 3 * head : 3 * head + 3] = fits / fits.sum() @ v
    out = p["self_attn.out_proj.weight"], p["self_attn.out_proj.bias"]
    y = x + found @ out[0].T + out[1]
    n = np.array([normed(row, p["norm2.weight"], p["norm2.bias"]) for row in y])
    inside = np.vectorize(gelu)(n @ p["linear1.weight"].T + p["linear1.bias"])
    return y + inside @ p["linear2.weight"].T + p["linear2.bias"]


TRIANGLE = np.tri(5, dtype=bool)
SOME = TRIANGLE | (np.arange(5) == 4)


@pytest.mark.parametrize(
    ("options", "seen"),
    [({}, None), ({"mask": SOME}, SOME), ({"causal": True}, TRIANGLE)],
    ids=["all see all", "mask", "causal"],
)
def test_drawn_numbers_written_out(options, seen):
    made, x = block(), drawn(2, 5, 6)
    wanted = np.array([written_out(made, each, seen) for each in x])
    given = {"x": x, **options}
    options = {name: tensor(v) if name == "mask" else v for name, v in options.items()}
    got = made(tensor(x), **options)
    expect.close(got, wanted, what="the block of x", inputs=given, tol=1e-12, scale=1.0)


def test_a_text_piece_by_piece_with_a_cache():
    made, x, cache = block(), drawn(1, 5, 6), nn.KVCache()
    wanted = written_out(made, x[0], TRIANGLE)[None]
    for first, last in [(0, 2), (2, 3), (3, 5)]:
        got = made(tensor(x[:, first:last]), causal=True, cache=cache)
        given = {"x": f"tokens {first} to {last - 1} of 5", "causal": True, "cache": "of the block"}
        what = "the block of a piece, behind what the cache holds"
        expect.close(got, wanted[:, first:last], what=what, inputs=given, tol=1e-12, scale=1.0)
        held = len(cache)
        expect.equal(held, last, what="how many tokens the cache holds then", inputs=given)


def test_in_use_nothing_is_dropped():
    x = drawn(2, 3, 6)
    made = block(dropout=0.5).eval()
    wanted = np.array([written_out(made, each) for each in x])
    given = {"x": x, "dropout": "0.5, in evaluation mode"}
    got = made(tensor(x))
    expect.close(got, wanted, what="the block of x", inputs=given, tol=1e-12, scale=1.0)


def test_in_training_half_is_dropped():
    x = drawn(4, 8, 6)
    made = block(dropout=0.5, generator=Generator(1))
    added = made(tensor(x)).numpy() - x
    # Both of what is added to a number are dropped in a quarter of the 192 cases, give or take 6.
    untouched = int((added == 0.0).sum())
    given = {"x": x, "dropout": "0.5, in training"}
    what = f"about 48 of 192 numbers go through as they are, not {untouched}"
    expect.that(24 <= untouched <= 72, what, inputs=given)


def test_every_parameter_learns():
    made, x = block(), tensor(drawn(2, 3, 6), requires_grad=True)
    (made(x, causal=True) * tensor(drawn(2, 3, 6, seed=1))).sum().backward()
    for name, p in [("x", x), *made.named_parameters()]:
        learns = p.grad is not None and bool(p.grad.numpy().any())
        expect.that(learns, f"a gradient reaches {name}")
