"""GPT-2 as the transformers library saves it: a folder with config.json and model.safetensors.

The architecture is that of minigrad's GPT. What differs are names, and that its linear layers keep
their weights as (in, out), where nn.Linear has (out, in).
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minigrad import nn
from minigrad.dtypes import as_dtype
from minigrad.models.gpt import GPT, GPTConfig
from minigrad.sizes import whole
from minigrad.weights import Numbers, read

WEIGHTS, CONFIG = "model.safetensors", "config.json"
SIZES = ("vocab_size", "n_positions", "n_layer", "n_head", "n_embd")
# What config.json may leave out, and how it is then.
DEFAULTS: dict[str, Any] = {
    "vocab_size": 50257,
    "n_positions": 1024,
    "n_layer": 12,
    "n_head": 12,
    "n_embd": 768,
    "n_inner": None,
    "layer_norm_epsilon": 1e-5,
    "activation_function": "gelu_new",
}
# What GPT has only one way of.
ONLY: dict[str, Any] = {
    "model_type": "gpt2",
    "tie_word_embeddings": True,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}
ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "gelu_new": lambda: nn.GELU("tanh"),
    "gelu_pytorch_tanh": lambda: nn.GELU("tanh"),
    "gelu": nn.GELU,
    "relu": nn.ReLU,
    "silu": nn.SiLU,
    "tanh": nn.Tanh,
}
# Of a layer: their name, ours, and whether the weight lies the other way round.
PARTS = (
    ("ln_1", "norm1", False),
    ("attn.c_attn", "self_attn.in_proj", True),
    ("attn.c_proj", "self_attn.out_proj", True),
    ("ln_2", "norm2", False),
    ("mlp.c_fc", "linear1", True),
    ("mlp.c_proj", "linear2", True),
)
HEAD, TABLE, PREFIX = "lm_head.weight", "wte.weight", "transformer."


def load(folder: str | Path, dropout: float = 0.0, device: object = None) -> GPT:
    """The model of a folder that `GPT2LMHeadModel.save_pretrained` wrote, in evaluation mode.

    Its numbers are float64 if those in the file are, float32 otherwise; dropout is for further
    training, whatever config.json says.
    Raises OSError for files that cannot be read; TypeError and ValueError for sizes that cannot be;
    ValueError for what is damaged, for a variant that minigrad's GPT is not, and for tensors that
    are missing, too many, or of another shape: all of them are named.
    """
    folder = Path(folder)
    config = settings(folder / CONFIG)
    given = as_names_go(read(folder / WEIGHTS)[1], folder / WEIGHTS)
    kind = np.float64 if all(x.dtype == np.float64 for x in given.values()) else np.float32
    model = built(config, dropout, device, as_dtype(kind))
    expected = {theirs: (ours, turned) for theirs, ours, turned in names(config["n_layer"])}
    shapes = {name: x.shape for name, x in model.state_dict().items()}
    refuse(folder / WEIGHTS, misfits(expected, shapes, given))
    model.load_state_dict(
        {
            ours: (given[theirs].T if turned else given[theirs]).astype(kind)
            for theirs, (ours, turned) in expected.items()
        }
    )
    return model.eval()


def settings(path: Path) -> dict[str, Any]:
    """config.json, with what it leaves out. Raises for what GPT cannot be."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(given, dict):
            raise ValueError(f"it holds {type(given).__name__}, not settings by name")
    except ValueError as error:
        raise ValueError(f"gpt2.load: {path} is damaged: {error}.") from None
    config = {name: given.get(name, value) for name, value in (DEFAULTS | ONLY).items()}
    for name in SIZES:
        whole("gpt2.load", name, config[name])
    eps = config["layer_norm_epsilon"]
    if isinstance(eps, bool) or not isinstance(eps, int | float):
        raise TypeError(f"gpt2.load: layer_norm_epsilon must be a number, got {eps!r}.")
    wrong = [
        f"{name} is {config[name]!r}; minigrad's GPT has {value!r} only"
        for name, value in ONLY.items()
        if config[name] != value
    ]
    if config["activation_function"] not in ACTIVATIONS:
        known = ", ".join(ACTIVATIONS)
        wrong.append(f"activation_function is {config['activation_function']!r}; known are {known}")
    if config["n_inner"] not in (None, 4 * config["n_embd"]):
        wrong.append(
            f"n_inner is {config['n_inner']}; minigrad's GPT has 4 * n_embd = "
            f"{4 * config['n_embd']} only"
        )
    refuse(path, wrong)
    return config


def built(config: dict[str, Any], dropout: float, device: object, dtype: object) -> GPT:
    """A GPT of these settings, its weights still those of chance."""
    vocabulary, context, layers, heads, width = (config[name] for name in SIZES)
    model = GPT(GPTConfig(vocabulary, context, layers, heads, width, dropout), device, dtype)
    for norm in (m for m in model.modules() if isinstance(m, nn.LayerNorm)):
        norm.eps = config["layer_norm_epsilon"]
    for block in model.blocks:
        block.activation = ACTIVATIONS[config["activation_function"]]()
    return model


def names(layers: int) -> Iterator[tuple[str, str, bool]]:
    """(their name, ours, whether it lies the other way round) of each tensor."""
    yield TABLE, "tokens.weight", False
    yield "wpe.weight", "positions.weight", False
    for k in range(layers):
        for theirs, ours, turned in PARTS:
            dot = "_" if ours.endswith("in_proj") else "."
            yield f"h.{k}.{theirs}.weight", f"blocks.{k}.{ours}{dot}weight", turned
            yield f"h.{k}.{theirs}.bias", f"blocks.{k}.{ours}{dot}bias", False
    yield "ln_f.weight", "norm.weight", False
    yield "ln_f.bias", "norm.bias", False


def as_names_go(given: Numbers, path: Path) -> Numbers:
    """The file's tensors without the prefix that some versions write, the causal masks that older
    ones keep, and a head that is the table once more.
    """
    plain = {name.removeprefix(PREFIX): x for name, x in given.items()}
    plain = {n: x for n, x in plain.items() if not n.endswith((".attn.bias", ".attn.masked_bias"))}
    head = plain.pop(HEAD, None)
    if head is not None and not np.array_equal(head, plain.get(TABLE, ())):
        refuse(path, [f"{HEAD} is not {TABLE}; minigrad's GPT has one table for both"])
    return plain


def misfits(
    expected: dict[str, tuple[str, bool]], shapes: dict[str, tuple[int, ...]], given: Numbers
) -> list[str]:
    """What is missing, too much, or of another shape, in the names of the file."""
    found = [f"{name} is missing" for name in expected if name not in given]
    found += [f"{name} is not part of a GPT-2" for name in given if name not in expected]
    for name, (ours, turned) in expected.items():
        shape = shapes[ours][::-1] if turned else shapes[ours]
        if name in given and given[name].shape != shape:
            found.append(f"{name} has shape {given[name].shape}; {CONFIG} makes it {shape}")
        elif name in given and given[name].dtype.kind != "f":
            found.append(f"{name} holds {given[name].dtype}, no floats")
    return found


def refuse(path: Path, wrong: list[str]) -> None:
    if wrong:
        lines = "".join(f"\n  {line}" for line in wrong)
        raise ValueError(f"gpt2.load: {path} cannot be loaded:{lines}")
