"""GPT-2 from a folder of the transformers library: a folder of the same kind, its model written out
in NumPy, and folders that cannot be loaded.
"""

import json
import math

import numpy as np
import pytest
import safetensors.numpy

import minigrad as mg
from minigrad.models import GPT, generate, gpt2

V, CONTEXT, WIDTH, LAYERS, HEADS = 7, 6, 8, 2, 4
CONFIG = {
    "model_type": "gpt2", "activation_function": "gelu_new", "layer_norm_epsilon": 0.01,
    "vocab_size": V, "n_positions": CONTEXT, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS,
    "n_inner": None, "tie_word_embeddings": True, "resid_pdrop": 0.1, "architectures": ["x"],
}  # fmt: skip
SHAPES = {
    "ln_1.weight": (8,), "ln_1.bias": (8,), "attn.c_attn.weight": (8, 24),
    "attn.c_attn.bias": (24,), "attn.c_proj.weight": (8, 8), "attn.c_proj.bias": (8,),
    "ln_2.weight": (8,), "ln_2.bias": (8,), "mlp.c_fc.weight": (8, 32), "mlp.c_fc.bias": (32,),
    "mlp.c_proj.weight": (32, 8), "mlp.c_proj.bias": (8,),
}  # fmt: skip
TOKENS = np.array([[3, 0, 6, 3, 1], [5, 5, 2, 4, 0]])


def weights(dtype=np.float64):
    """All different, of either sign."""
    shapes = {f"h.{k}.{name}": shape for k in range(LAYERS) for name, shape in SHAPES.items()}
    shapes |= {"wte.weight": (V, WIDTH), "wpe.weight": (CONTEXT, WIDTH)}
    shapes |= {"ln_f.weight": (WIDTH,), "ln_f.bias": (WIDTH,)}
    rng = np.random.default_rng(5)
    return {f"transformer.{name}": rng.normal(size=s).astype(dtype) for name, s in shapes.items()}


def write(folder, tensors=None, config=None):
    tensors = weights() if tensors is None else tensors
    safetensors.numpy.save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    (folder / "config.json").write_text(json.dumps(CONFIG | (config or {})))
    return folder


ACTIVATIONS = {
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "gelu": lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))),
    "relu": lambda x: np.maximum(x, 0.0),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


def logits(tokens, activation="gelu_new", eps=0.01):
    """One text (T,) -> (T, V): GPT-2, token by token and head by head."""
    w = {name.removeprefix("transformer."): x for name, x in weights().items()}

    def norm(x, name):
        centred = x - x.mean()
        return (
            centred / np.sqrt((centred**2).mean() + eps) * w[f"{name}.weight"] + w[f"{name}.bias"]
        )

    def linear(x, name):
        return x @ w[f"{name}.weight"] + w[f"{name}.bias"]

    x = [w["wte.weight"][token] + w["wpe.weight"][place] for place, token in enumerate(tokens)]
    for k in range(LAYERS):
        three = [np.split(linear(norm(row, f"h.{k}.ln_1"), f"h.{k}.attn.c_attn"), 3) for row in x]
        for place in range(len(x)):
            found = []
            for head in range(HEADS):
                part = slice(head * WIDTH // HEADS, (head + 1) * WIDTH // HEADS)
                q = three[place][0][part]
                scores = [q @ three[j][1][part] / math.sqrt(len(q)) for j in range(place + 1)]
                p = np.exp(np.array(scores) - max(scores))
                p /= p.sum()
                found.append(sum(p[j] * three[j][2][part] for j in range(place + 1)))
            x[place] = x[place] + linear(np.concatenate(found), f"h.{k}.attn.c_proj")
        for place, row in enumerate(x):
            inside = ACTIVATIONS[activation](linear(norm(row, f"h.{k}.ln_2"), f"h.{k}.mlp.c_fc"))
            x[place] = row + linear(inside, f"h.{k}.mlp.c_proj")
    return np.array([norm(row, "ln_f") @ w["wte.weight"].T for row in x])


def close(model, wanted, tol=1e-12):
    with mg.no_grad():
        out = model(mg.tensor(TOKENS)).numpy()
    np.testing.assert_allclose(out, wanted, rtol=0, atol=tol * np.abs(wanted).max())


@pytest.mark.parametrize("activation", [*ACTIVATIONS, "gelu_pytorch_tanh"])
def test_what_it_computes(tmp_path, activation):
    model = gpt2.load(write(tmp_path, config={"activation_function": activation}))
    name = activation.replace("gelu_pytorch_tanh", "gelu_new")
    tol = 1e-6 if activation == "gelu" else 1e-12  # ours has a rational function for erf
    close(model, [logits(row, name) for row in TOKENS], tol)


def test_what_it_is(tmp_path):
    model = gpt2.load(str(write(tmp_path)))
    assert isinstance(model, GPT) and not model.training
    assert {str(p.dtype) for p in model.parameters()} == {"float64"}
    assert all(p.requires_grad and p.is_parameter for p in model.parameters())
    c = model.config
    assert (c.vocabulary, c.context, c.layers, c.heads, c.width) == (7, 6, 2, 4, 8)
    assert (c.dropout, c.positions, c.bias) == (0.0, "learned", True)
    assert gpt2.load(tmp_path, dropout=0.25).blocks[1].dropout.p == 0.25
    assert generate(model, mg.tensor(TOKENS), 9, top_k=1).shape == (2, 14)
    model.train()(mg.tensor(TOKENS)).sum().backward()
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_narrower_numbers(tmp_path, dtype):
    given = weights(dtype)
    model = gpt2.load(write(tmp_path, given))
    assert {str(p.dtype) for p in model.parameters()} == {"float32"}
    table = model.tokens.weight.numpy()
    np.testing.assert_array_equal(table, given["transformer.wte.weight"].astype(np.float32))
    wanted = given["transformer.h.1.mlp.c_fc.weight"].T.astype(np.float32)
    np.testing.assert_array_equal(model.blocks[1].linear1.weight.numpy(), wanted)


def test_older_files(tmp_path):
    """No prefix, the head once more, and the masks that were kept among the weights."""
    given = {name.removeprefix("transformer."): x for name, x in weights().items()}
    given["lm_head.weight"] = given["wte.weight"].copy()
    for k in range(LAYERS):
        given[f"h.{k}.attn.bias"] = np.tril(np.ones((1, 1, 6, 6), np.uint8))
        given[f"h.{k}.attn.masked_bias"] = np.array(-1e4)
    close(gpt2.load(write(tmp_path, given)), [logits(row) for row in TOKENS])
    given["lm_head.weight"][2, 3] += 1e-6
    assert refused(write(tmp_path, given)) == [
        f"{tmp_path / 'model.safetensors'} cannot be loaded:",
        "  lm_head.weight is not wte.weight; minigrad's GPT has one table for both",
    ]


def test_a_config_that_says_little(tmp_path):
    """What is left out is as the library has it."""
    config = {k: CONFIG[k] for k in ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")}
    write(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(config))
    close(gpt2.load(tmp_path), [logits(row, eps=1e-5) for row in TOKENS])


def refused(folder):
    """The lines of what load says; each error begins alike."""
    with pytest.raises(ValueError) as caught:
        gpt2.load(folder)
    first, *rest = str(caught.value).splitlines()
    return [first.removeprefix("gpt2.load: "), *rest]


def test_all_settings_that_cannot_be(tmp_path):
    config = {
        "model_type": "bert", "tie_word_embeddings": False, "scale_attn_weights": False,
        "scale_attn_by_inverse_layer_idx": True, "add_cross_attention": True,
        "activation_function": "mish", "n_inner": 20,
    }  # fmt: skip
    assert refused(write(tmp_path, config=config)) == [
        f"{tmp_path / 'config.json'} cannot be loaded:",
        "  model_type is 'bert'; minigrad's GPT has 'gpt2' only",
        "  tie_word_embeddings is False; minigrad's GPT has True only",
        "  scale_attn_weights is False; minigrad's GPT has True only",
        "  scale_attn_by_inverse_layer_idx is True; minigrad's GPT has False only",
        "  add_cross_attention is True; minigrad's GPT has False only",
        "  activation_function is 'mish'; known are gelu_new, gelu_pytorch_tanh, gelu, relu, silu, "
        "tanh",
        "  n_inner is 20; minigrad's GPT has 4 * n_embd = 32 only",
    ]
    assert gpt2.load(write(tmp_path, config={"n_inner": 32})).config.width == 8


def test_all_tensors_that_do_not_fit(tmp_path):
    given = weights()
    del given["transformer.h.1.ln_2.bias"], given["transformer.wte.weight"]
    given["transformer.h.2.ln_1.bias"] = np.zeros(8)
    given["extra"] = np.zeros(3)
    given["transformer.h.0.attn.c_attn.weight"] = np.zeros((24, 8))
    given["transformer.ln_f.bias"] = np.zeros(8, np.int64)
    given["transformer.wpe.weight"] = np.zeros((5, 8))
    assert refused(write(tmp_path, given)) == [
        f"{tmp_path / 'model.safetensors'} cannot be loaded:",
        "  wte.weight is missing",
        "  h.1.ln_2.bias is missing",
        "  extra is not part of a GPT-2",
        "  h.2.ln_1.bias is not part of a GPT-2",
        "  wpe.weight has shape (5, 8); config.json makes it (6, 8)",
        "  h.0.attn.c_attn.weight has shape (24, 8); config.json makes it (8, 24)",
        "  ln_f.bias holds int64, no floats",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is damaged: Expecting property name enclosed in double quotes"),
        ("[1]", "is damaged: it holds list, not settings by name."),
        ("\xff", "is damaged: 'utf-8' codec can't decode"),
    ],
)
def test_a_damaged_config(tmp_path, text, said):
    write(tmp_path)
    (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
    (line,) = refused(tmp_path)
    assert line.startswith(f"{tmp_path / 'config.json'} {said}")


BAD_SIZES = {
    "heads": ({"n_head": 3}, ValueError, "GPTConfig: 3 heads do not divide width 8; each head has "
        "width / heads numbers."),
    "layers": ({"n_layer": 0}, ValueError, "gpt2.load: n_layer must be 1 or more, got 0."),
    "text": ({"n_embd": "8"}, TypeError, "gpt2.load: n_embd must be a whole number, got '8'."),
    "nothing": ({"vocab_size": None}, TypeError,
        "gpt2.load: vocab_size must be a whole number, got None."),
    "epsilon": ({"layer_norm_epsilon": "small"}, TypeError,
        "gpt2.load: layer_norm_epsilon must be a number, got 'small'."),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_SIZES)
def test_sizes_that_cannot_be(tmp_path, name):
    config, kind, message = BAD_SIZES[name]
    with pytest.raises(kind) as caught:
        gpt2.load(write(tmp_path, config=config))
    assert str(caught.value) == message


def test_files_that_are_not_there(tmp_path):
    for name in ("model.safetensors", "config.json"):
        write(tmp_path)
        (tmp_path / name).unlink()
        with pytest.raises(FileNotFoundError, match=name):
            gpt2.load(tmp_path)
    write(tmp_path)
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:-1])
    with pytest.raises(ValueError, match=r"model\.safetensors is damaged, or no safetensors file:"):
        gpt2.load(tmp_path)
