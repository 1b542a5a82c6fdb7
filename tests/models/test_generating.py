"""generate: caches or none, chance, the window, and the mode that the model was in."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn
from minigrad.models import GPT, GPTConfig, generate, next_probabilities
from minigrad.models.generating import Reader, forgotten

EPS = float(np.finfo(np.float64).eps)
POSITIONS = ["learned", "rotary"]
TOKENS = mg.tensor([[3, 1, 4], [1, 5, 9]])


class Noted(GPT):
    """A GPT that notes what it is asked to read, in which mode, and whether a tape records."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        self.asked, self.modes, self.recorded = [], [], set()

    def forward(self, tokens, caches=None):
        self.asked.append(tokens.tolist())
        self.modes.append({m.training for m in self.modules()})
        self.recorded.add(mg.is_grad_enabled())
        return super().forward(tokens, caches)


def gpt(seed=1, context=8, **options):
    config = GPTConfig(11, context=context, layers=2, heads=3, width=12, **options)
    model, chance = Noted(config, dtype=mg.float64, generator=Generator(seed)), Generator(seed)
    with mg.no_grad():
        for p in model.parameters():
            p.add_(mg.randn(*p.shape, generator=chance, dtype=mg.float64) * 0.3)
    return model


SETTINGS = {
    "chance": {},
    "colder": {"temperature": 0.6},
    "a few": {"top_k": 3},
    "most": {"top_p": 0.8},
    "all three": {"temperature": 1.7, "top_k": 6, "top_p": 0.9},
}


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("name", SETTINGS)
def test_caches_give_the_same_tokens(name, positions):
    """Also where the text has outgrown the context of 8: the window moves three times."""
    model = gpt(positions=positions)
    texts = [
        generate(model, TOKENS, 17, cache=cache, generator=Generator(5), **SETTINGS[name]).tolist()
        for cache in (True, False)
    ]
    assert texts[0] == texts[1]
    assert len({token for row in texts[0] for token in row[3:]}) > 5, "a text that says nothing"
    fewer = generate(model, TOKENS, 9, generator=Generator(5), **SETTINGS[name]).tolist()
    assert [row[:12] for row in texts[0]] == fewer, "what comes later changes nothing"


@pytest.mark.parametrize("positions", POSITIONS)
def test_caches_give_the_same_logits(positions):
    """After each token, and again where the window has moved."""
    model = gpt(positions=positions).eval()
    text = mg.tensor(np.random.default_rng(0).integers(0, 11, (2, 21)))
    readers = [Reader(model, cache) for cache in (True, False)]
    with mg.no_grad():
        for n in range(1, 22):
            kept, anew = (reader.read(text[:, :n]).numpy() for reader in readers)
            assert kept.shape == (2, 11)
            np.testing.assert_allclose(kept, anew, rtol=0, atol=1024 * EPS)


def test_what_is_read():
    """With caches each token once, until the older half of the context is forgotten."""
    model = gpt(context=4)
    for cache in (True, False):
        model.asked.clear()
        out = generate(model, TOKENS[:1], 6, cache=cache, generator=Generator(1)).tolist()[0]
        whole = [out[:3], out[:4], out[2:5], out[2:6], out[4:7], out[4:8]]
        pieces = [whole[0], out[3:4], whole[2], out[5:6], whole[4], out[7:8]]
        assert [read[0] for read in model.asked] == (pieces if cache else whole)


@pytest.mark.parametrize("context", [1, 2, 3, 8, 9])
def test_how_much_is_forgotten(context):
    half = max(1, context // 2)
    for count in range(1, 40):
        gone = forgotten(count, context)
        assert gone % half == 0 and count - gone <= context
        assert gone == 0 or count - gone > context - half, "no more than had to be"
    assert [forgotten(n, 8) for n in (1, 8, 9, 12, 13)] == [0, 0, 4, 4, 8]


@pytest.mark.parametrize("context", [1, 2, 5])
def test_a_text_longer_than_the_context_to_begin_with(context):
    model = gpt(context=context)
    text = mg.tensor(np.arange(14).reshape(1, 14) % 11)
    kept = generate(model, text, 7, generator=Generator(2))
    anew = generate(model, text, 7, cache=False, generator=Generator(2))
    assert kept.tolist() == anew.tolist() and kept.shape == (1, 21)
    assert max(len(read[0]) for read in model.asked) <= context


def test_the_likeliest_by_hand():
    model = gpt().eval()
    text = TOKENS.numpy()
    with mg.no_grad():
        for _ in range(5):
            last = model(mg.tensor(text)).numpy()[:, -1]
            text = np.concatenate([text, last.argmax(-1)[:, None]], 1)
    assert generate(model, TOKENS, 5, top_k=1).tolist() == text.tolist()
    alone = [generate(model, TOKENS[k : k + 1], 5, top_k=1).tolist()[0] for k in (0, 1)]
    assert alone == text.tolist(), "each text of a batch for itself"


def test_what_comes_is_as_likely_as_the_model_says():
    """4000 times the same text, one token more: chi-square of 10 degrees, which exceeds 35 once in
    ten thousand.
    """
    model, many = gpt().eval(), 4000
    options = {"temperature": 1.3, "top_p": 0.95}
    text = mg.tensor(np.tile([[3, 1, 4]], (many, 1)))
    last = generate(model, text, 1, generator=Generator(7), **options).numpy()[:, -1]
    with mg.no_grad():
        p = next_probabilities(model(text[:1])[0, -1], **options).numpy()
    counts = np.bincount(last, minlength=11)
    assert not counts[p == 0.0].any() and (p == 0.0).any()
    wanted = many * p[p > 0.0]
    assert wanted.min() > 5 and ((counts[p > 0.0] - wanted) ** 2 / wanted).sum() < 35


def test_chance():
    model = gpt()

    def text(seed):
        return generate(model, TOKENS, 12, generator=Generator(seed)).tolist()

    assert text(1) == text(1) != text(2)
    assert text(1)[0][3:] != text(1)[1][3:]
    mg.manual_seed(1)
    first = generate(model, TOKENS, 12).tolist()
    assert first == text(1) != generate(model, TOKENS, 12).tolist()
    mg.manual_seed(1)
    assert generate(model, TOKENS, 12).tolist() == first


def test_what_it_gives():
    model, given = gpt(), mg.tensor([[3, 1, 4], [1, 5, 9]])
    out = generate(model, given, 4, generator=Generator(0))
    assert (out.shape, out.dtype, out.requires_grad) == ((2, 7), mg.int64, False)
    assert out[:, :3].tolist() == given.tolist() == [[3, 1, 4], [1, 5, 9]]
    assert generate(model, given, 0).tolist() == given.tolist()
    assert generate(model, given[:0], 4).shape == (0, 7)
    turned = mg.tensor([[3, 0, 1], [1, 0, 5], [4, 0, 9]]).T[::2]
    assert generate(model, turned, 4, generator=Generator(0)).tolist() == out.tolist()
    assert all(p.grad is None for p in model.parameters())


@pytest.mark.parametrize("mode", [True, False])
def test_the_mode_it_was_in(mode):
    model = gpt(dropout=0.4).train(mode)
    kept = generate(model, TOKENS, 6, generator=Generator(3)).tolist()
    assert model.modes == [{False}] * 6 and model.recorded == {False}
    assert {m.training for m in model.modules()} == {mode}
    assert kept == generate(gpt(), TOKENS, 6, generator=Generator(3)).tolist(), "nothing dropped"
    for call, kind in (
        (lambda: generate(model, TOKENS, 6, top_k=12), ValueError),
        (lambda: generate(model, mg.tensor([[11]]), 6), IndexError),
        (lambda: generate(model, TOKENS, "six"), TypeError),
    ):
        with pytest.raises(kind):
            call()
        assert {m.training for m in model.modules()} == {mode} and mg.is_grad_enabled()


def test_another_gpt_will_do():
    """A model made of one: whatever scores are written instead of its own."""

    class Counting(GPT):
        def forward(self, tokens, caches=None):
            super().forward(tokens, caches)
            return mg.roll(mg.one_hot(tokens, 11), 1, -1).astype(mg.float32) * 200.0

    model = Counting(GPTConfig(11, context=4, layers=1, heads=1, width=2))
    assert isinstance(model, nn.Module)
    text = generate(model, mg.tensor([[2]]), 12, generator=Generator(0)).tolist()
    assert text == [[k % 11 for k in range(2, 15)]]
