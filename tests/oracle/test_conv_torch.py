"""Layers of images against PyTorch's: state dicts both ways, results, gradients, and what batch
normalisation remembers, step after step.
"""

import numpy as np
import pytest
import torch

import minigrad as mg
from minigrad import nn

EPS = float(np.finfo(np.float64).eps)


def network(lib, **options):
    """One text for both sides: a small LeNet with batch normalisation."""
    return lib.Sequential(
        lib.Conv2d(2, 6, 3, padding=1, **options),
        lib.BatchNorm2d(6, momentum=0.3, **options),
        lib.ReLU(),
        lib.MaxPool2d(2),
        lib.Conv2d(6, 8, (3, 2), stride=(1, 2), padding="valid", groups=2, bias=False, **options),
        lib.AvgPool2d(2, stride=1, padding=1, count_include_pad=False),
        lib.Flatten(),
        lib.Linear(8 * 3 * 2, 7, **options),
        lib.BatchNorm1d(7, affine=False, **options),
    )


def ours(seed=0):
    mg.manual_seed(seed)
    return network(nn, dtype=mg.float64)


def theirs(seed=0):
    torch.manual_seed(seed)
    return network(torch.nn, dtype=torch.float64)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def to_theirs(state):
    return {name: torch.from_numpy(x.numpy().copy()) for name, x in state.items()}


def close(a, b, what, slack=256):
    b = b.detach().numpy()
    atol = slack * EPS * max(1.0, float(np.abs(b).max(initial=0.0)))
    np.testing.assert_allclose(a.numpy(), b, rtol=0, atol=atol, err_msg=what, strict=True)


def same_state(mine, other):
    state, wanted = mine.state_dict(), other.state_dict()
    assert state.keys() == wanted.keys()
    for name, x in state.items():
        close(x, wanted[name], name, slack=4096)


@pytest.mark.parametrize("direction", ["ours into theirs", "theirs into ours"])
def test_steps_of_training_side_by_side(direction):
    mine, other = ours(), theirs()
    if direction == "ours into theirs":
        result = other.load_state_dict(to_theirs(mine.state_dict()), strict=True)
        assert not result.missing_keys and not result.unexpected_keys
    else:
        given = {name: x.detach().numpy().copy() for name, x in other.state_dict().items()}
        assert mine.load_state_dict(given) == ([], [], {})
    descent = torch.optim.SGD(other.parameters(), lr=0.05)
    for step in range(4):
        x, g = drawn(5, 2, 8, 7, seed=step), drawn(5, 7, seed=100 + step)
        mine_x, other_x = mg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
        out, wanted = mine(mine_x), other(other_x)
        close(out, wanted, f"result of step {step}", slack=4096)
        mine.zero_grad()
        descent.zero_grad()
        (out * mg.tensor(g)).sum().backward()
        (wanted * torch.tensor(g)).sum().backward()
        close(mine_x.grad, other_x.grad, f"gradient of the images in step {step}", slack=4096)
        for (name, p), q in zip(mine.named_parameters(), other.parameters(), strict=True):
            close(p.grad, q.grad, f"gradient of {name} in step {step}", slack=4096)
        with mg.no_grad():
            for p in mine.parameters():
                p -= 0.05 * p.grad
        descent.step()
    same_state(mine, other)
    assert mine.state_dict()["1.num_batches_tracked"].item() == 4
    x = drawn(3, 2, 8, 7, seed=9)
    with mg.no_grad():
        close(mine.eval()(mg.tensor(x)), other.eval()(torch.tensor(x)), "in use", slack=4096)


LAYERS = {
    "conv": lambda lib, **o: lib.Conv2d(4, 6, (3, 1), (2, 1), (0, 2), (1, 3), 2, **o),
    "same": lambda lib, **o: lib.Conv2d(4, 6, (5, 3), padding="same", dilation=(1, 2), **o),
    "batch norm": lambda lib, **o: lib.BatchNorm2d(4, eps=0.3, momentum=0.7, **o),
    "no statistics": lambda lib, **o: lib.BatchNorm2d(4, track_running_stats=False, **o),
    "nothing learned": lambda lib, **o: lib.BatchNorm2d(4, affine=False, **o),
    "largest": lambda lib, **o: lib.MaxPool2d((3, 2), (1, 2), 1, (2, 1)),
    "mean": lambda lib, **o: lib.AvgPool2d((3, 2), (1, 2), 1),
}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", LAYERS)
def test_one_layer(name, training):
    mine, other = LAYERS[name](nn, dtype=mg.float64), LAYERS[name](torch.nn, dtype=torch.float64)
    other.load_state_dict(to_theirs(mine.state_dict()))
    for seed in range(2):
        x = drawn(3, 4, 7, 6, seed=seed)
        a, b = mg.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
        out, wanted = mine.train(training)(a), other.train(training)(b)
        close(out, wanted, name)
        g = drawn(*wanted.shape, seed=7)
        (dx,) = mg.grad((out * out * mg.tensor(g)).sum(), a)
        (want,) = torch.autograd.grad((wanted * wanted * torch.tensor(g)).sum(), b)
        close(dx, want, f"gradient of {name}", slack=4096)
    same_state(mine, other)


def test_first_weights_spread_as_theirs():
    mine = nn.Conv2d(16, 64, (3, 5), groups=2, generator=mg.Generator(1))
    other = torch.nn.Conv2d(16, 64, (3, 5), groups=2)
    for p, q in zip(mine.parameters(), other.parameters(), strict=True):
        assert p.shape == tuple(q.shape)
        bound = float(q.detach().abs().max())
        assert abs(float(np.abs(p.numpy()).max()) - bound) < 0.15 * bound
        size = np.sqrt(p.size)
        assert abs(p.numpy().std() - q.detach().numpy().std()) < 3.0 * bound / size
