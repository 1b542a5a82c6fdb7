"""LeNet and GPT beside the same models made of PyTorch's layers, in float64: their weights travel
in safetensors files, logits and all gradients agree, and so does a training run, step by step.
"""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

import minigrad as mg
from minigrad import models, optim
from minigrad.checkpoint import load_weights, save_weights
from minigrad.training import train_step

STEPS, CLOSE = 20, 1e-10
IMAGE, CLASSES, FILTERS, HIDDEN = (2, 9, 12), 7, (5, 6), 11
F64 = {"dtype": torch.float64}


def their_lenet():
    """The layers that models.lenet stands for, one by one."""
    lib = torch.nn
    layers = [
        lib.Conv2d(2, 5, 3, padding=1, bias=False, **F64), lib.BatchNorm2d(5, **F64), lib.ReLU(),
        lib.MaxPool2d(2),
        lib.Conv2d(5, 6, 3, padding=1, bias=False, **F64), lib.BatchNorm2d(6, **F64), lib.ReLU(),
        lib.MaxPool2d(2),
        lib.Flatten(), lib.Linear(6 * 2 * 3, HIDDEN, **F64), lib.ReLU(),
        lib.Linear(HIDDEN, CLASSES, **F64),
    ]  # fmt: skip
    return lib.Sequential(*layers)


def our_lenet(seed):
    model = models.lenet(IMAGE, CLASSES, FILTERS, HIDDEN, generator=mg.Generator(seed))
    return model.to(dtype=mg.float64)


class TheirGPT(torch.nn.Module):
    """GPT-2 of PyTorch's own encoder layers, each token of which is told not to look ahead."""

    def __init__(self, config):
        super().__init__()
        width, bias = config.width, config.bias
        self.tokens = torch.nn.Embedding(config.vocabulary, width, **F64)
        self.positions = torch.nn.Embedding(config.context, width, **F64)
        gelu = partial(torch.nn.functional.gelu, approximate="tanh")
        options = {"norm_first": True, "batch_first": True, "bias": bias, **F64}
        self.blocks = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(width, config.heads, 4 * width, 0.0, gelu, **options)
            for _ in range(config.layers)
        )
        self.norm = torch.nn.LayerNorm(width, bias=bias, **F64)

    def forward(self, tokens):
        ahead = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
        x = self.tokens(tokens) + self.positions(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x, src_mask=ahead)
        return self.norm(x) @ self.tokens.weight.T


class TheirRotaryGPT(TheirGPT):
    """Without rows for places: of each head's queries and keys, the first half of the numbers and
    the second are the parts of complex numbers, turned by their place times a frequency.
    """

    def __init__(self, config):
        super().__init__(config)
        self.heads, self.positions = config.heads, None

    def forward(self, tokens):
        x = self.tokens(tokens)
        for block in self.blocks:
            x = x + self.attention(block.self_attn, block.norm1(x))
            x = x + block.linear2(block.activation(block.linear1(block.norm2(x))))
        return self.norm(x) @ self.tokens.weight.T

    def attention(self, layer, x):
        three = torch.nn.functional.linear(x, layer.in_proj_weight, layer.in_proj_bias)
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in three.chunk(3, -1)
        )
        out = torch.nn.functional.scaled_dot_product_attention(
            turned(q), turned(k), v, is_causal=True
        )
        return layer.out_proj(out.transpose(1, 2).flatten(2))


def turned(x):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[-2])[:, None] / 10000.0 ** (torch.arange(half, **F64) / half)
    z = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([z.real, z.imag], -1)


CONFIGS = {
    "three heads": models.GPTConfig(13, context=11, layers=3, heads=3, width=12),
    "one head, no bias": models.GPTConfig(13, context=9, layers=2, heads=1, width=7, bias=False),
    "rotary": models.GPTConfig(13, context=8, layers=2, heads=2, width=12, positions="rotary"),
}


def our_gpt(config, seed):
    return models.GPT(config, dtype=mg.float64, generator=mg.Generator(seed))


def images(rng):
    return rng.normal(size=(8, *IMAGE)), rng.integers(0, CLASSES, 8)


def texts(rng):
    """Tokens, and those that come next; shorter than the context."""
    tokens = rng.integers(0, 13, (4, 9))
    return tokens[:, :-1], tokens[:, 1:]


THEIRS = {"learned": TheirGPT, "rotary": TheirRotaryGPT}
PAIRS = {
    "lenet": (lambda: our_lenet(1), their_lenet, images),
    **{
        f"gpt, {name}": (
            partial(our_gpt, config, 1),
            partial(THEIRS[config.positions], config),
            texts,
        )
        for name, config in CONFIGS.items()
    },
}


@pytest.fixture(params=PAIRS)
def pair(request, tmp_path):
    """Both models, the same numbers in both, from PyTorch's chance; batches for them, and what
    makes another one of theirs.
    """
    make, make_theirs, batch = PAIRS[request.param]
    torch.manual_seed(3)
    mine, other = make(), make_theirs()
    with torch.no_grad():
        for p in other.parameters():  # no number that either side starts with of itself
            p.add_(torch.randn(p.shape, **F64) / 8)
    theirs_to_ours(other, mine, tmp_path)
    rng = np.random.default_rng(5)
    return mine, other, [batch(rng) for _ in range(STEPS)], make_theirs


def theirs_to_ours(other, mine, folder: Path):
    safetensors.torch.save_file(other.state_dict(), folder / "theirs.safetensors")
    assert load_weights(folder / "theirs.safetensors", mine) == ([], [], {})


def ours_to_theirs(mine, other, folder: Path):
    save_weights(folder / "ours.safetensors", mine)
    given = safetensors.torch.load_file(folder / "ours.safetensors")
    assert other.load_state_dict(given, strict=True) == ([], [])


def close(got, want, what):
    """To 1e-10 of the largest number, or of 1 if that is larger."""
    want = want.detach().numpy()
    assert got.shape == want.shape and str(got.dtype) == str(want.dtype), what
    atol = CLOSE * max(1.0, float(np.abs(want).max(initial=0.0)))
    np.testing.assert_allclose(got.numpy(), want, rtol=0, atol=atol, err_msg=what)


def same_state(mine, other):
    state, wanted = mine.state_dict(), other.state_dict()
    assert state.keys() == wanted.keys()
    for name, x in state.items():
        if name.endswith("in_proj_bias"):
            # What is added to all keys moves all scores of a query alike, so its gradient is
            # nothing but rounding, which AdamW makes steps of.
            keys = slice(len(x) // 3, 2 * len(x) // 3)
            np.testing.assert_allclose(x[keys].numpy(), wanted[name][keys], rtol=0, atol=1e-6)
            x, theirs = (np.delete(a.numpy(), keys) for a in (x, wanted[name]))
            x, wanted[name] = mg.tensor(x), torch.tensor(theirs)
        close(x, wanted[name], name)


def loss_of(out, y):
    """PyTorch wants the classes on the second axis."""
    return torch.nn.functional.cross_entropy(out.movedim(-1, 1), torch.tensor(y))


def test_logits_and_the_gradient_of_every_parameter(pair):
    mine, other, [(x, y), *_], _ = pair
    out, want = mine(mg.tensor(x)), other(torch.tensor(x))
    assert np.ptp(want.detach().numpy()) > 1.0
    close(out, want, "logits")
    loss, wanted = mg.cross_entropy(out, mg.tensor(y)), loss_of(want, y)
    close(loss, wanted, "loss")
    loss.backward()
    wanted.backward()
    theirs = dict(other.named_parameters())
    ours = dict(mine.named_parameters())
    assert list(ours) == list(theirs)
    for name, p in ours.items():
        g = theirs[name].grad
        assert float(g.abs().max()) > 1e-5, name
        close(p.grad, g, f"gradient of {name}")
    same_state(mine, other)  # batch normalisation has seen a batch


def warm_cosine(schedules, optimiser):
    warm = schedules.LinearLR(optimiser, start_factor=0.1, total_iters=5)
    cosine = schedules.CosineAnnealingLR(optimiser, STEPS - 5, eta_min=1e-4)
    return schedules.SequentialLR(optimiser, [warm, cosine], milestones=[5])


def constant(schedules, optimiser):
    return schedules.LambdaLR(optimiser, lambda step: 1.0)


RUNS = {
    "plain": (constant, None),
    "warm-up, cosine and clipping": (warm_cosine, 0.5),
}


@pytest.mark.filterwarnings("ignore::UserWarning:torch")
@pytest.mark.parametrize("run", RUNS)
def test_twenty_steps_of_adamw(pair, run, tmp_path, request, record_property):
    (mine, other, batches, make_theirs), (schedule, max_norm) = pair, RUNS[run]
    options = {"lr": 0.01, "betas": (0.9, 0.95), "weight_decay": 0.1}
    ours = optim.AdamW(mine.parameters(), **options)
    theirs = torch.optim.AdamW(other.parameters(), **options)
    rate, their_rate = schedule(optim.schedule, ours), schedule(torch.optim.lr_scheduler, theirs)
    losses = []
    for x, y in batches:
        loss = train_step(mine, ours, mg.tensor(x), mg.tensor(y), max_norm=max_norm)
        wanted = loss_of(other(torch.tensor(x)), y)
        theirs.zero_grad()
        wanted.backward()
        if max_norm is not None:
            length = torch.nn.utils.clip_grad_norm_(other.parameters(), max_norm)
            assert length > max_norm, "nothing was clipped"
        theirs.step()
        losses.append((loss, wanted.item()))
        rate.step()
        their_rate.step()
    got, want = np.array(losses).T
    apart = np.abs(got - want)
    assert np.ptp(want) > 0.1 and apart.max() <= CLOSE, f"step {apart.argmax()}: {losses}"
    what = f"{STEPS} steps of AdamW, {request.node.callspec.id}"
    record_property("figure", f"{what}: losses within {apart.max():.1e} of PyTorch's")
    same_state(mine, other)
    in_use(mine, other, batches[0][0])
    again = make_theirs()
    ours_to_theirs(mine, again, tmp_path)
    in_use(mine, again, batches[1][0])


def in_use(mine, other, x):
    """Evaluation mode, in which batch normalisation takes what it remembers."""
    with mg.no_grad(), torch.no_grad():
        out, trained = mine.eval()(mg.tensor(x)), mine.train()(mg.tensor(x))
        close(out, other.eval()(torch.tensor(x)), "logits in evaluation mode")
    remembers = any(True for _ in mine.buffers())
    assert remembers == (float(abs(out - trained).max()) > 1e-3)
