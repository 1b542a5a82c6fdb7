"""GPT: what each token sees, caches, the table that is used twice, and its first weights."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn, optim
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.models import GPT, GPTConfig
from minigrad.training import train_step

EPS = float(np.finfo(np.float64).eps)
POSITIONS = ["learned", "rotary"]
TOKENS = np.random.default_rng(2).integers(0, 11, (3, 7))


def config(**options):
    return GPTConfig(
        **{"vocabulary": 11, "context": 9, "layers": 2, "heads": 3, "width": 12} | options
    )


def gpt(seed=1, spread=0.5, dtype=mg.float64, **options):
    """Weights large enough that all parts of it are heard."""
    model, chance = GPT(config(**options), dtype=dtype, generator=Generator(seed)), Generator(seed)
    with mg.no_grad():
        for p in model.parameters():
            p.add_(mg.randn(*p.shape, generator=chance, dtype=dtype) * spread)
    return model


def logits(model, tokens, caches=None):
    with mg.no_grad():
        return model(mg.tensor(tokens), caches).numpy()


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("where", range(7))
def test_a_token_changes_nothing_before_it(positions, where):
    model, other = gpt(positions=positions), TOKENS.copy()
    other[1, where] = (other[1, where] + 4) % 11
    apart = logits(model, TOKENS) != logits(model, other)
    assert not apart[1, :where].any() and apart[1, where:].all()
    assert not apart[[0, 2]].any(), "the texts of a batch do not look at each other"


@pytest.mark.parametrize("positions", POSITIONS)
def test_what_follows_changes_nothing_either(positions):
    """The logits of a text's start are those of the start alone."""
    model = gpt(positions=positions)
    whole = logits(model, TOKENS)
    for n in range(1, 7):
        part = logits(model, TOKENS[:, :n])
        np.testing.assert_allclose(part, whole[:, :n], rtol=0, atol=1024 * EPS)


@pytest.mark.parametrize("positions", POSITIONS)
def test_order_counts(positions):
    """Without positions, the last token would see the same set."""
    turned = TOKENS[:, [1, 0, *range(2, 7)]]
    model = gpt(positions=positions)
    assert np.abs(logits(model, turned)[0, -1] - logits(model, TOKENS)[0, -1]).max() > 1e-3


CUTS = [[7], [1] * 7, [3, 1, 1, 2], [2, 5]]


@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize("positions", POSITIONS)
def test_caches_give_the_same_logits(positions, cuts):
    model = gpt(positions=positions)
    caches, parts, first = model.caches(), [], 0
    for n in cuts:
        parts.append(logits(model, TOKENS[:, first : first + n], caches))
        first += n
        assert [len(cache) for cache in caches] == [first, first]
    whole = logits(model, TOKENS)
    np.testing.assert_allclose(np.concatenate(parts, 1), whole, rtol=0, atol=1024 * EPS)


def test_caches_are_of_one_text():
    model = gpt()
    caches = model.caches()
    logits(model, TOKENS, caches)
    kept = [cache.keys.tolist() for cache in caches]
    for tokens, said in (
        ([[1]], "KVCache: holds keys of shape (3, 3, 7, 4), and (1, 3, 1, 4) are of other"),
        ([[1, 2, 3]] * 3, "GPT: 10 tokens are more than its context of 9; give it the last 9."),
        ([[11]] * 3, "embedding: index 11 at position (0, 0), but the table has 11 rows."),
    ):
        with pytest.raises((ValueError, IndexError)) as caught:
            model(mg.tensor(tokens), caches)
        assert str(caught.value).startswith(said)
        assert [cache.keys.tolist() for cache in caches] == kept
    assert logits(model, [[1, 2]] * 3, caches).shape == (3, 2, 11)


# the table that is used twice


def test_the_table_reads_and_writes():
    """Where one row alone writes, its gradient is that row's and that of the tokens read."""
    model = gpt()
    model(mg.tensor([[3, 8, 3]]))[..., 5].sum().backward()
    moved = np.abs(model.tokens.weight.grad.numpy()).max(-1) > 1e-9
    assert np.flatnonzero(moved).tolist() == [3, 5, 8]


def of_parameters(model, tokens):
    """The loss as a function of the model's parameters, and these."""
    places = []
    for name, _ in model.named_parameters():
        *path, last = name.split(".")
        owner = model
        for part in path:
            owner = owner[int(part)] if part.isdecimal() else getattr(owner, part)
        places.append((vars(owner), last))

    def loss(*parameters):
        for (held, name), p in zip(places, parameters, strict=True):
            held[name] = p
        return mg.cross_entropy(model(mg.tensor(tokens[:, :-1])), mg.tensor(tokens[:, 1:]))

    return loss, [mg.tensor(p.numpy(), requires_grad=True) for p in model.parameters()]


def tiny(positions):
    model = gpt(vocabulary=5, context=3, layers=1, heads=2, width=4, positions=positions)
    return of_parameters(model, TOKENS[:2, :4] % 5)


@pytest.mark.parametrize("positions", POSITIONS)
def test_the_gradient_of_every_parameter(positions):
    loss, parameters = tiny(positions)
    gradcheck(loss, *parameters, tol=1e-7)
    grads = mg.grad(loss(*parameters), parameters)
    assert len(grads) == (16 if positions == "learned" else 15)
    assert all(np.abs(g.numpy()).max() > 1e-5 for g in grads)


def test_second_derivatives():
    """Of the table, and of the weights that make queries, keys and values."""
    loss, parameters = tiny("learned")
    shapes = [p.shape for p in parameters]
    gradgradcheck(loss, *parameters, wrt=[0, shapes.index((12, 4))], tol=1e-7)


# its first weights


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("positions", POSITIONS)
def test_how_many_parameters(positions, bias):
    model = GPT(config(vocabulary=31, layers=3, heads=2, width=8, positions=positions, bias=bias))
    width, with_bias = 8, int(bias)
    norm = width + with_bias * width
    attention = 4 * width * width + with_bias * 4 * width
    mlp = 8 * width * width + with_bias * 5 * width
    rows = 31 + (9 if positions == "learned" else 0)
    wanted = rows * width + 3 * (2 * norm + attention + mlp) + norm
    assert sum(p.size for p in model.parameters()) == wanted
    assert sum(x.size for x in model.state_dict().values()) == wanted


def test_their_names():
    """Those of PyTorch's layers, where it has such."""
    block = [
        "self_attn.in_proj_weight", "self_attn.in_proj_bias",
        "self_attn.out_proj.weight", "self_attn.out_proj.bias",
        "linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias",
        "norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias",
    ]  # fmt: skip
    assert list(GPT(config(layers=1)).state_dict()) == [
        "tokens.weight", "positions.weight", *(f"blocks.0.{name}" for name in block),
        "norm.weight", "norm.bias",
    ]  # fmt: skip


def test_how_they_spread():
    """0.02, and calmer by the root of twice the layers where a block adds to what passes by."""
    model = GPT(config(vocabulary=300, layers=8, heads=2, width=40, context=60),
                generator=Generator(3))  # fmt: skip
    for name, p in model.named_parameters():
        x = p.numpy()
        if x.ndim == 1:
            norms = "norm" in name and name.endswith("weight")
            assert (x == (1.0 if norms else 0.0)).all(), name
            continue
        calm = name.endswith(("out_proj.weight", "linear2.weight"))
        wanted = 0.02 / 4 if calm else 0.02
        assert abs(x.std() / wanted - 1.0) < 4.5 / math.sqrt(2 * x.size), name
        assert abs(x.mean()) < 4.5 * wanted / math.sqrt(x.size), name


def test_it_knows_nothing_at_first():
    """All 80 tokens are about as likely: the loss is near log(80)."""
    model = GPT(config(vocabulary=80, width=48, context=32), generator=Generator(0))
    tokens = np.random.default_rng(0).integers(0, 80, (8, 33))
    loss = mg.cross_entropy(model(mg.tensor(tokens[:, :-1])), mg.tensor(tokens[:, 1:]))
    assert loss.item() == pytest.approx(math.log(80), abs=0.05)


def test_chance_comes_from_the_generator():
    def drawn(seed):
        return [p.tolist() for p in GPT(config(), generator=Generator(seed)).parameters()]

    assert drawn(4) == drawn(4) != drawn(5)
    found = []
    for seed in (4, 4, 5):
        mg.manual_seed(seed)
        found.append([p.tolist() for p in GPT(config()).parameters()])
    assert found[0] == found[1] != found[2]


def test_dropout_is_for_training():
    model = gpt(dropout=0.3)
    assert (logits(model, TOKENS) != logits(model, TOKENS)).any()
    model.eval()
    assert (logits(model, TOKENS) == logits(model, TOKENS)).all()
    np.testing.assert_array_equal(logits(model, TOKENS), logits(gpt(), TOKENS))
    kinds = [m for m in model.modules() if isinstance(m, nn.Dropout | nn.MultiheadAttention)]
    shares = [m.p if isinstance(m, nn.Dropout) else m.dropout for m in kinds]
    assert shares == [0.3] * 5, "of the rows, and in each block of attention and of the rest"
    model = gpt().train()
    model.dropout.p = 1.0  # of what the tokens are, nothing comes through
    assert (logits(model, TOKENS) == logits(model, TOKENS * 0)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("positions", POSITIONS)
def test_types_and_sizes(positions, dtype):
    model = gpt(dtype=dtype, positions=positions)
    for shape in ((3, 9), (1, 1), (2, 0), (0, 4)):
        out = model(mg.zeros(shape, mg.int64))
        assert (out.shape, str(out.dtype)) == ((*shape, 11), dtype)
    assert {str(p.dtype) for p in model.parameters()} == {dtype}


@pytest.mark.parametrize("positions", POSITIONS)
def test_it_learns_what_comes_next(positions):
    """A text that repeats itself, from any place: one token more, modulo 11."""
    model = GPT(config(positions=positions), generator=Generator(1))
    optimiser = optim.AdamW(model.parameters(), lr=0.01)
    starts = np.random.default_rng(0).integers(0, 11, (50, 4, 1))
    losses = []
    for start in starts:
        tokens = (start + np.arange(9)) % 11
        x, y = mg.tensor(tokens[:, :-1]), mg.tensor(tokens[:, 1:])
        losses.append(train_step(model, optimiser, x, y, max_norm=1.0))
    assert losses[0] > 2.2 and losses[-1] < 0.3, losses
