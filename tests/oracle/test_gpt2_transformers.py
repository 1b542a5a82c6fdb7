"""A GPT-2 of the transformers library, its weights those of chance, beside minigrad's GPT that is
loaded from what it saved: logits, gradients, and how both go on with a text.
"""

import importlib.util
import json
import logging

import numpy as np
import pytest
import torch

import minigrad as mg
from minigrad.models import generate, gpt2

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None,
    reason="not verified: transformers missing; make oracle installs it",
)
SIZES = {"vocab_size": 23, "n_positions": 29, "n_embd": 15, "n_layer": 3, "n_head": 5}
PLAIN = {"bos_token_id": 0, "eos_token_id": None, "attn_implementation": "eager"}
SPREAD = {1: 0.1, 2: 0.8}
TOKENS = np.random.default_rng(4).integers(0, SIZES["vocab_size"], (3, 8))
NAMES = {torch.float64: "float64", torch.float32: "float32"}


def theirs(folder, dtype=torch.float64, **options):
    """Their model, with weights that are all different and large enough to matter; saved there."""
    import transformers

    transformers.utils.logging.set_verbosity(logging.ERROR)
    transformers.utils.logging.disable_progress_bar()
    config = transformers.GPT2Config(
        **SIZES
        | {"bos_token_id": 0, "eos_token_id": None, "attn_implementation": "eager"}
        | options
    )
    model = transformers.GPT2LMHeadModel(config).to(dtype).eval()
    rng = np.random.default_rng(7)
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(p.ndim == 1).add_(torch.tensor(rng.normal(size=p.shape) * SPREAD[p.ndim]))
    model.save_pretrained(folder)
    return model


VARIANTS = {
    "as it is": {},
    "another epsilon": {"layer_norm_epsilon": 0.3},
    "gelu with erf": {"activation_function": "gelu"},
    "gelu by its other name": {"activation_function": "gelu_pytorch_tanh"},
    "relu": {"activation_function": "relu", "n_inner": 60},
    "one head, one layer": {"n_head": 1, "n_layer": 1},
}


def close(got, want, dtype=torch.float64, what=""):
    """float64: to 1e-10. float32: to 1024 roundings of the largest number; each logit has gone
    through some 20 sums of up to 60 products.
    """
    want = want.detach().numpy()
    assert str(got.dtype) == str(want.dtype) and got.shape == want.shape, what
    size = max(1.0, float(np.abs(want).max()))
    most = 1e-10 if dtype == torch.float64 else 1024 * float(np.finfo(np.float32).eps)
    np.testing.assert_allclose(got.numpy(), want, rtol=0, atol=most * size, err_msg=what)


@pytest.mark.parametrize("name", VARIANTS)
def test_the_same_logits(tmp_path, name):
    other = theirs(tmp_path, **VARIANTS[name])
    mine = gpt2.load(tmp_path)
    assert mine.tokens.weight.dtype == mg.float64 and not mine.training
    want = other(torch.tensor(TOKENS)).logits
    assert np.ptp(want.detach().numpy()) > 1.0
    close(mine(mg.tensor(TOKENS)), want)


def test_logits_in_float32(tmp_path):
    other = theirs(tmp_path, torch.float32)
    mine = gpt2.load(tmp_path)
    close(mine(mg.tensor(TOKENS)), other(torch.tensor(TOKENS)).logits, torch.float32)


def test_half_precision_is_widened(tmp_path):
    other = theirs(tmp_path, torch.float16).float()
    mine = gpt2.load(tmp_path)
    close(mine(mg.tensor(TOKENS)), other(torch.tensor(TOKENS)).logits, torch.float32)


def test_the_same_gradients(tmp_path):
    other = theirs(tmp_path)
    mine = gpt2.load(tmp_path)
    x, y = TOKENS[:, :-1], TOKENS[:, 1:]
    loss = mg.cross_entropy(mine(mg.tensor(x)), mg.tensor(y))
    loss.backward()
    logits = other(torch.tensor(x)).logits.mT  # the loss that it gives itself is in float32
    want = torch.nn.functional.cross_entropy(logits, torch.tensor(y))
    want.backward()
    close(loss, want)
    own, given = dict(mine.named_parameters()), dict(other.transformer.named_parameters())
    pairs = list(gpt2.names(SIZES["n_layer"]))
    assert {theirs for theirs, _, _ in pairs} == given.keys()
    assert {ours for _, ours, _ in pairs} == own.keys()
    for name, ours, turned in pairs:
        g = given[name].grad
        assert float(g.abs().max()) > 1e-4, name
        close(own[ours].grad, g.T if turned else g, what=name)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_the_same_text_token_by_token(tmp_path, dtype, cache):
    """The likeliest token, 20 times; each text of the batch has one of its own."""
    other = theirs(tmp_path, dtype)
    given = torch.tensor(TOKENS)
    want = other.generate(
        given, attention_mask=torch.ones_like(given), max_new_tokens=20, do_sample=False
    )
    mine = generate(gpt2.load(tmp_path), mg.tensor(TOKENS), 20, top_k=1, cache=cache)
    assert mine.tolist() == want.tolist()
    assert len({tuple(row) for row in mine[:, 8:].tolist()}) == 3
    assert len(np.unique(mine[:, 8:].numpy())) > 3, "a text that says nothing"


def test_a_head_of_its_own_is_refused(tmp_path):
    theirs(tmp_path, tie_word_embeddings=False)
    with pytest.raises(ValueError, match=r"\n  tie_word_embeddings is False; minigrad's GPT"):
        gpt2.load(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"tie_word_embeddings": True}))
    with pytest.raises(ValueError, match=r"\n  lm_head\.weight is not wte\.weight; minigrad's GPT"):
        gpt2.load(tmp_path)
