"""Modules against PyTorch: names, state dicts both ways, results, gradients, first weights."""

import math

import numpy as np
import pytest
import torch

import minigrad as mg
from minigrad import Generator, models, nn

EPS = float(np.finfo(np.float64).eps)


class Network:
    """One text for both sides: lists, chains, a shared weight, a buffer, a scale of its own."""

    def __init__(self, lib, scale, mean, **options):
        super().__init__()
        self.scale = scale
        self.stem = lib.Sequential(lib.Linear(5, 8, **options), lib.GELU())
        self.blocks = lib.ModuleList(
            [lib.Sequential(lib.Linear(8, 8, **options), lib.SiLU()) for _ in range(2)]
        )
        self.head = lib.Linear(8, 8, bias=False, **options)
        self.head.weight = self.blocks[0][0].weight
        self.out = lib.Linear(8, 3, **options)
        self.register_buffer("mean", mean)
        self.register_buffer("scratch", mean, persistent=False)

    def forward(self, x):
        h = self.stem((x - self.mean) * self.scale)
        for block in self.blocks:
            h = h + block(h)
        return self.out(self.head(h))


class Ours(Network, nn.Module):
    pass


class Theirs(Network, torch.nn.Module):
    pass


def ours(seed=0):
    scale, mean = nn.Parameter(np.array([2.0, 0.5, 1.5, -1.0, 3.0])), mg.full(5, 0.25, mg.float64)
    mg.manual_seed(seed)
    return Ours(nn, scale, mean, dtype=mg.float64)


def theirs(seed=0):
    torch.manual_seed(seed)
    f64 = torch.float64
    scale = torch.nn.Parameter(torch.linspace(0.3, 1.7, 5, dtype=f64))
    return Theirs(torch.nn, scale, torch.linspace(-1, 1, 5, dtype=f64), dtype=f64)


def to_theirs(state):
    return {name: torch.from_numpy(x.numpy().copy()) for name, x in state.items()}


def to_ours(state):
    return {name: x.detach().numpy() for name, x in state.items()}


def close(a, b, what, scale=1.0):
    b = b.detach().numpy()
    atol = 64 * EPS * max(scale, float(np.abs(b).max(initial=0.0)))
    np.testing.assert_allclose(a.numpy(), b, rtol=0, atol=atol, err_msg=what, strict=True)


def compare(mine, other, x, run=lambda model, x: model(x)):
    """Results, and the gradients of the input and of every parameter, for a random cotangent."""
    x_mine, x_other = mg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    out, wanted = run(mine, x_mine), run(other, x_other)
    close(out, wanted, "result")
    g = np.random.default_rng(9).normal(size=tuple(wanted.shape))
    (out * mg.tensor(g)).sum().backward()
    (wanted * torch.tensor(g)).sum().backward()
    close(x_mine.grad, x_other.grad, "gradient of the input")
    gradients = {name: p.grad for name, p in other.named_parameters()}
    for name, p in mine.named_parameters():
        close(p.grad, gradients.pop(name), f"gradient of {name}")
    assert not gradients


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def test_the_same_names():
    mine, other = ours(), theirs()
    for kind in ("parameters", "buffers", "modules", "children"):
        names = {name for name, _ in getattr(mine, f"named_{kind}")()}
        wanted = {name for name, _ in getattr(other, f"named_{kind}")()}
        # A list that is a module is one of ours too; scratch is the tensor that mean is.
        assert names == wanted, kind
    assert mine.state_dict().keys() == other.state_dict().keys()


def test_ours_into_theirs():
    mine, other = ours(), theirs()
    result = other.load_state_dict(to_theirs(mine.state_dict()), strict=True)
    assert not result.missing_keys and not result.unexpected_keys
    compare(mine, other, drawn(7, 5))


def test_theirs_into_ours():
    mine, other = ours(), theirs()
    assert mine.load_state_dict(to_ours(other.state_dict())) == ([], [], {})
    compare(mine, other, drawn(2, 3, 5))


def test_a_state_that_went_there_and_back_is_the_same():
    mine, again, other = ours(1), ours(2), theirs()
    other.load_state_dict(to_theirs(mine.state_dict()))
    again.load_state_dict(to_ours(other.state_dict()))
    for name, x in again.state_dict().items():
        np.testing.assert_array_equal(x.numpy(), mine.state_dict()[name].numpy(), err_msg=name)


def test_mlp():
    mine = models.mlp((6, 5, 4, 3), nn.Tanh, generator=Generator(seed=3)).to(dtype=mg.float64)
    layers = [torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 4), torch.nn.Tanh()]
    other = torch.nn.Sequential(*layers, torch.nn.Linear(4, 3)).to(torch.float64)
    other.load_state_dict(to_theirs(mine.state_dict()))
    compare(mine, other, drawn(9, 6))
    assert repr(mine) == repr(other)


LAYERS = {
    "ReLU": {}, "GELU": {}, "GELU ": {"approximate": "tanh"}, "SiLU": {}, "Tanh": {},
    "Sigmoid": {}, "Softplus": {}, "Softmax": {"dim": -1}, "Softmax ": {"dim": 1},
    "LogSoftmax": {"dim": 0}, "LogSoftmax ": {"dim": -1}, "Identity": {}, "Flatten": {},
    "Flatten ": {"start_dim": 0, "end_dim": 1}, "Flatten  ": {"start_dim": -2},
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    kind = name.strip()
    mine = getattr(nn, kind)(**LAYERS[name])
    compare(mine, getattr(torch.nn, kind)(**LAYERS[name]), drawn(2, 3, 4))


def test_dropout_in_use():
    compare(nn.Dropout(0.4).eval(), torch.nn.Dropout(0.4).eval(), drawn(5, 3))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses(reduction):
    classes, y, t = np.array([2, 0, -100, 1]), drawn(4, 3, seed=1), (drawn(4, 3) > 0).astype(float)
    for options in ({}, {"label_smoothing": 0.2}, {"ignore_index": 2}):
        options = {"ignore_index": -100, "reduction": reduction} | options
        kept = np.where(classes == -100, options["ignore_index"], classes)
        pair = nn.CrossEntropyLoss(**options), torch.nn.CrossEntropyLoss(**options)
        targets = {True: mg.tensor(kept), False: torch.tensor(kept)}
        compare(*pair, drawn(4, 3), lambda m, x, t=targets: m(x, t[isinstance(m, nn.Module)]))
    weight = [0.5, 2.0, 3.0]
    wide = nn.BCEWithLogitsLoss(reduction, pos_weight=mg.tensor(weight, mg.float64))
    pairs = [
        (nn.MSELoss(reduction), torch.nn.MSELoss(reduction=reduction), y),
        (nn.BCEWithLogitsLoss(reduction), torch.nn.BCEWithLogitsLoss(reduction=reduction), t),
        (wide, torch.nn.BCEWithLogitsLoss(
            reduction=reduction, pos_weight=torch.tensor(weight, dtype=torch.float64)), t),
    ]  # fmt: skip
    for mine, other, target in pairs:
        targets = {True: mg.tensor(target), False: torch.tensor(target)}
        compare(mine, other, drawn(4, 3), lambda m, x, t=targets: m(x, t[isinstance(m, nn.Module)]))
    assert wide.state_dict().keys() == pairs[-1][1].state_dict().keys()


INITS = {
    "uniform": ("uniform_", {"a": -0.3, "b": 0.7}),
    "normal": ("normal_", {"mean": 0.4, "std": 0.2}),
    "kaiming, even": ("kaiming_uniform_", {}),
    "kaiming, as linear does": ("kaiming_uniform_", {"a": math.sqrt(5)}),
    "kaiming, backwards": ("kaiming_uniform_", {"mode": "fan_out", "nonlinearity": "relu"}),
    "kaiming": ("kaiming_normal_", {"a": 0.3}),
    "kaiming, tanh": ("kaiming_normal_", {"nonlinearity": "tanh"}),
    "kaiming, linear, back": ("kaiming_normal_", {"nonlinearity": "linear", "mode": "fan_out"}),
    "xavier, even": ("xavier_uniform_", {"gain": 1.5}),
    "xavier": ("xavier_normal_", {}),
    "orthogonal": ("orthogonal_", {"gain": 2.0}),
}


@pytest.mark.parametrize("shape", [(250, 400), (60, 20, 9, 5)])
@pytest.mark.parametrize("name", INITS)
def test_weights_start_alike(name, shape):
    """Mean, spread and reach of 50,000 numbers and more, to four times what chance does."""
    function, options = INITS[name]
    mg.manual_seed(0)
    mine = getattr(nn.init, function)(mg.zeros(shape, mg.float64), **options).numpy()
    torch.manual_seed(0)
    other = getattr(torch.nn.init, function)(torch.zeros(shape, dtype=torch.float64), **options)
    other, slack = other.numpy(), 4.0 * math.sqrt(2.0 / mine.size)
    assert abs(mine.mean() - other.mean()) < slack * other.std()
    assert abs(mine.std() / other.std() - 1.0) < slack
    if "uniform" in function:
        assert abs(mine.max() - other.max()) < 1e-3 * np.ptp(other)
        assert abs(mine.min() - other.min()) < 1e-3 * np.ptp(other)


def test_linear_starts_alike():
    mg.manual_seed(0)
    torch.manual_seed(0)
    mine, other = nn.Linear(400, 250, dtype=mg.float64), torch.nn.Linear(400, 250)
    for p, q in ((mine.weight, other.weight), (mine.bias, other.bias)):
        a, b = p.numpy(), q.detach().numpy()
        assert abs(a.std() / b.std() - 1.0) < 4.0 * math.sqrt(2.0 / a.size)
        assert abs(np.abs(a).max() - np.abs(b).max()) < 0.05 * np.abs(b).max()


@pytest.mark.parametrize("name", ["linear", "sigmoid", "tanh", "relu", "leaky_relu"])
def test_gains(name):
    for param in (None, 0.5) if name == "leaky_relu" else (None,):
        ours, theirs = (m.init.calculate_gain(name, param) for m in (nn, torch.nn))
        assert abs(ours - theirs) <= 2 * EPS * theirs
