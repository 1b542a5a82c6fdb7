"""Layers: what comes out, by NumPy's formula, and how gradients come back."""

import copy
import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn

EPS = float(np.finfo(np.float64).eps)


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [(5,), (), (2, 3), (0,)])
def test_linear(rows, bias):
    layer = nn.Linear(7, 4, bias=bias, dtype="float64", generator=Generator(seed=1))
    numbers, g = drawn(*rows, 7), drawn(*rows, 4, seed=1)
    x = mg.tensor(numbers, requires_grad=True)
    out = layer(x)
    assert layer.weight.shape == (4, 7) and (layer.bias is not None) == bias
    weight = layer.weight.numpy()
    shift = layer.bias.numpy() if bias else 0.0
    wanted = np.einsum("...i,oi->...o", numbers, weight) + shift
    np.testing.assert_allclose(out.numpy(), wanted, rtol=0, atol=32 * EPS)
    (out * mg.tensor(g)).sum().backward()
    flat_x, flat_g = numbers.reshape(-1, 7), g.reshape(-1, 4)
    atol = 64 * EPS
    np.testing.assert_allclose(layer.weight.grad.numpy(), flat_g.T @ flat_x, rtol=0, atol=atol)
    np.testing.assert_allclose(x.grad.numpy(), g @ weight, rtol=0, atol=atol)
    if bias:
        np.testing.assert_allclose(layer.bias.grad.numpy(), flat_g.sum(0), rtol=0, atol=atol)


def test_linear_takes_views_and_ndarrays():
    layer = nn.Linear(4, 3, generator=Generator(seed=2))
    wide = drawn(9, 4).astype(np.float32)
    x = mg.tensor(wide)
    np.testing.assert_array_equal(layer(x[::-2]).numpy(), layer(x[::-2].copy()).numpy())
    np.testing.assert_array_equal(layer(wide).numpy(), layer(x).numpy())


def test_every_gradient_of_a_chain_by_differences():
    generator = Generator(seed=3)
    model = nn.Sequential(
        nn.Linear(3, 5, dtype="float64", generator=generator),
        nn.Tanh(),
        nn.Linear(5, 2, dtype="float64", generator=generator),
    )
    x, target = mg.tensor(drawn(4, 3)), mg.tensor([0, 1, 1, 0])

    def loss():
        return nn.CrossEntropyLoss()(model(x), target)

    loss().backward()
    step = 1e-6
    for name, p in model.named_parameters():
        numbers = p.numpy()
        for at in np.ndindex(p.shape):
            middle, ends = numbers[at], []
            for numbers[at] in (middle - step, middle + step):
                ends.append(loss().item())
            numbers[at] = middle
            slope = (ends[1] - ends[0]) / (2 * step)
            assert abs(p.grad.numpy()[at] - slope) < 1e-9, (name, at)


def gelu(x):
    return 0.5 * x * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))


def gelu_tanh(x):
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def softmax(x, axis=-1):
    return np.exp(x) / np.exp(x).sum(axis, keepdims=True)


FORMULAS = {
    "ReLU()": (nn.ReLU(), lambda x: np.where(x > 0.0, x, 0.0)),
    "GELU(approximate='none')": (nn.GELU(), gelu),
    "GELU(approximate='tanh')": (nn.GELU("tanh"), gelu_tanh),
    "SiLU()": (nn.SiLU(), lambda x: x / (1.0 + np.exp(-x))),
    "Tanh()": (nn.Tanh(), np.tanh),
    "Sigmoid()": (nn.Sigmoid(), lambda x: 1.0 / (1.0 + np.exp(-x))),
    "Softplus()": (nn.Softplus(), lambda x: np.log1p(np.exp(x))),
    "Softmax(dim=-1)": (nn.Softmax(), softmax),
    "Softmax(dim=0)": (nn.Softmax(dim=0), lambda x: softmax(x, 0)),
    "LogSoftmax(dim=1)": (nn.LogSoftmax(dim=1), lambda x: np.log(softmax(x, 1))),
    "LogSoftmax(dim=-1)": (nn.LogSoftmax(), lambda x: np.log(softmax(x))),
    "Identity()": (nn.Identity(3, any="thing"), lambda x: x),
    "Flatten(start_dim=1, end_dim=-1)": (nn.Flatten(), lambda x: x.reshape(2, 12)),
    "Flatten(start_dim=0, end_dim=1)": (nn.Flatten(0, 1), lambda x: x.reshape(6, 4)),
    "Flatten(start_dim=-2, end_dim=2)": (nn.Flatten(-2, 2), lambda x: x.reshape(2, 12)),
    "Flatten(start_dim=1, end_dim=1)": (nn.Flatten(1, 1), lambda x: x),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name):
    layer, formula = FORMULAS[name]
    x = drawn(2, 3, 4)
    out = layer(mg.tensor(x))
    np.testing.assert_allclose(out.numpy(), formula(x), rtol=64 * EPS, atol=8 * EPS, strict=True)
    assert repr(layer) == name
    assert list(layer.parameters()) == [] and layer.state_dict() == {}


def test_flatten_of_nothing_and_of_a_view():
    assert nn.Flatten()(mg.zeros((0, 3, 2))).shape == (0, 6)
    assert nn.Flatten()(mg.zeros((3, 0, 2))).shape == (3, 0)
    x = mg.tensor(drawn(3, 4, 5)).permute_dims(2, 0, 1)
    np.testing.assert_array_equal(nn.Flatten()(x).numpy(), x.numpy().reshape(5, 12))


def test_dropout_drops_a_share_and_scales_the_rest():
    layer = nn.Dropout(0.3, generator=Generator(seed=4))
    x = mg.tensor(drawn(200, 100), requires_grad=True)
    out = layer(x)
    kept = out.numpy() != 0.0
    # The share of n draws is known to sqrt(p (1 - p) / n), here 0.0032: four of these.
    assert abs(kept.mean() - 0.7) < 4 * math.sqrt(0.21 / kept.size)
    np.testing.assert_allclose(out.numpy(), np.where(kept, x.numpy() / 0.7, 0.0), rtol=4 * EPS)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.where(kept, 1 / 0.7, 0.0), rtol=4 * EPS)


def test_dropout_is_seeded():
    x = mg.ones((5, 7))
    layer = nn.Dropout(generator=Generator(seed=5))
    first, second = layer(x).tolist(), layer(x).tolist()
    again = nn.Dropout(generator=Generator(seed=5))
    assert first != second and [again(x).tolist(), again(x).tolist()] == [first, second]
    mg.manual_seed(6)
    first = nn.Dropout()(x).tolist()
    mg.manual_seed(6)
    assert nn.Dropout()(x).tolist() == first


def test_a_copy_of_dropout_has_a_generator_of_its_own():
    x, layer = mg.ones((5, 7)), nn.Dropout(generator=Generator(seed=5))
    other = copy.deepcopy(layer)
    assert layer(x).tolist() == other(x).tolist()
    assert copy.deepcopy(nn.Dropout()).generator is None


def test_dropout_in_use_is_nothing():
    x = mg.tensor([1.0, math.nan, math.inf])
    generator = Generator(seed=5)
    layer = nn.Dropout(0.9, generator=generator).eval()
    assert layer(x) is x
    assert nn.Dropout(0.0, generator=generator)(x) is x
    assert generator.get_state().offset == 0


def test_dropout_of_everything():
    x = mg.tensor([1.0, math.nan, math.inf], requires_grad=True)
    out = nn.Dropout(1.0)(x)
    assert out.tolist() == [0.0, 0.0, 0.0]
    out.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_dropout_keeps_the_dtype():
    for dtype in ("float32", "float64"):
        assert str(nn.Dropout()(mg.ones(3, dtype)).dtype) == dtype


def test_a_chain_is_also_a_list():
    a, b, c = nn.Tanh(), nn.Linear(2, 2), nn.ReLU()
    chain = nn.Sequential(a, b).append(c)
    assert len(chain) == 3 and list(chain) == [a, b, c] and chain[-1] is c
    assert type(chain[1:]) is nn.Sequential and list(chain[1:]) == [b, c]
    assert list(chain[1:].state_dict()) == ["0.weight", "0.bias"]
    chain[-2] = a
    assert list(chain) == [a, a, c]
    x = mg.tensor([[0.5, -1.0]])
    assert nn.Sequential()(x) is x
    np.testing.assert_array_equal(chain(x).numpy(), c(a(a(x))).numpy())


def test_a_list_of_modules():
    a, b = nn.Linear(2, 3), nn.Linear(3, 1)
    layers = nn.ModuleList([a])
    assert layers.extend([b, a]) is layers
    assert [n for n, _ in layers.named_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert list(layers.state_dict())[4:] == ["2.weight", "2.bias"]
    assert type(layers[:2]) is nn.ModuleList and list(layers[:2]) == [a, b]


def test_more_than_ten_keep_their_order():
    layers = [nn.Dropout(k / 20) for k in range(12)]
    assert [m.p for m in nn.Sequential(*layers)] == [k / 20 for k in range(12)]
    assert nn.ModuleList(layers)[10] is layers[10]
