"""How weights start: spreads and bounds, by their formulas. Kaiming's: tests/05_nn/test_init.py."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn
from minigrad.nn import init

BIG = (300, 200)


def made(function, shape=BIG, seed=1, dtype=mg.float64, **options):
    tensor = mg.zeros(shape, dtype)
    if function not in (init.constant_, init.zeros_, init.ones_):
        options["generator"] = Generator(seed=seed)
    out = function(tensor, **options)
    assert out is tensor and out.dtype == dtype
    return out.numpy()


def check_spread(x, std):
    """The spread of n normal numbers is known to 1 / sqrt(2 n) of itself; four of these."""
    n = x.size
    assert abs(x.std() / std - 1.0) < 4.0 / math.sqrt(2 * n)
    assert abs(x.mean()) < 4.0 * std / math.sqrt(n)


def check_bound(x, bound):
    """The largest of n evenly spread numbers falls short of the bound by some 1/n of it."""
    assert bound * (1.0 - 20.0 / x.size) < x.max() <= bound
    assert -bound <= x.min() < -bound * (1.0 - 20.0 / x.size)
    check_spread(x, bound / math.sqrt(3.0))


def test_uniform_and_normal():
    check_bound(made(init.uniform_, a=-0.5, b=0.5), 0.5)
    check_bound(made(init.uniform_, a=1.0, b=5.0) - 3.0, 2.0)
    x = made(init.uniform_)
    assert 0.0 <= x.min() < 0.001 and 0.999 < x.max() <= 1.0
    check_spread(made(init.normal_), 1.0)
    check_spread(made(init.normal_, mean=7.0, std=0.25) - 7.0, 0.25)
    assert set(made(init.normal_, mean=7.0, std=0.0).flat) == {7.0}
    assert set(made(init.uniform_, a=2.0, b=2.0).flat) == {2.0}


def test_constants():
    assert set(made(init.constant_, val=-1.5).flat) == {-1.5}
    assert set(made(init.zeros_).flat) == {0.0}
    assert set(made(init.ones_).flat) == {1.0}
    full = mg.full((2, 3), 7.0)
    assert init.zeros_(full).tolist() == [[0.0] * 3] * 2


SLOPES = {
    ("relu", 0.0): 2.0,
    ("relu", 3.0): 2.0,  # the slope counts for a leaky relu alone
    ("leaky_relu", 0.0): 2.0,
    ("leaky_relu", 0.5): 1.6,
    ("linear", 0.0): 1.0,
    ("sigmoid", 0.0): 1.0,
    ("tanh", 0.0): 25.0 / 9.0,
}


@pytest.mark.parametrize(("mode", "fan"), [("fan_in", 200), ("fan_out", 300)])
@pytest.mark.parametrize(("nonlinearity", "a"), SLOPES)
def test_kaiming(nonlinearity, a, mode, fan):
    std = math.sqrt(SLOPES[nonlinearity, a] / fan)
    options = {"a": a, "mode": mode, "nonlinearity": nonlinearity}
    check_spread(made(init.kaiming_normal_, **options), std)
    check_bound(made(init.kaiming_uniform_, **options), std * math.sqrt(3.0))


def test_kaiming_of_a_kernel():
    std = math.sqrt(2.0 / (8 * 5 * 3))
    check_spread(made(init.kaiming_normal_, shape=(60, 8, 5, 3)), std)


@pytest.mark.parametrize("gain", [1.0, 5.0 / 3.0])
def test_xavier(gain):
    std = gain * math.sqrt(2.0 / 500)
    check_spread(made(init.xavier_normal_, gain=gain), std)
    check_bound(made(init.xavier_uniform_, gain=gain), std * math.sqrt(3.0))
    kernel = math.sqrt(2.0 / ((60 + 8) * 15))
    check_spread(made(init.xavier_normal_, shape=(60, 8, 5, 3)), kernel)


@pytest.mark.parametrize("shape", [(5, 5), (7, 4), (4, 7), (3, 2, 4), (9, 2, 2, 2), (1, 6)])
@pytest.mark.parametrize("dtype", [mg.float32, mg.float64])
def test_orthogonal(shape, dtype):
    x = made(init.orthogonal_, shape, dtype=dtype, gain=3.0).astype(np.float64)
    flat = x.reshape(shape[0], -1)
    product = flat @ flat.T if flat.shape[0] <= flat.shape[1] else flat.T @ flat
    atol = 100 * float(np.finfo(str(dtype)).eps)
    np.testing.assert_allclose(product, 9.0 * np.eye(len(product)), rtol=0, atol=atol)


def test_orthogonal_matrices_have_signs_of_both_kinds():
    """LAPACK leaves most corners of q negative; where all matrices are alike, half of them are."""
    corners = [made(init.orthogonal_, (3, 3), seed=k)[0, 0] for k in range(400)]
    positive = sum(c > 0.0 for c in corners)
    assert abs(positive - 200) < 4 * math.sqrt(100)


def test_the_same_seed_gives_the_same_numbers_and_another_others():
    for function in (
        init.uniform_,
        init.normal_,
        init.kaiming_uniform_,
        init.kaiming_normal_,
        init.xavier_uniform_,
        init.xavier_normal_,
        init.orthogonal_,
    ):
        first = made(function, (4, 3))
        np.testing.assert_array_equal(made(function, (4, 3)), first)
        assert (made(function, (4, 3), seed=2) != first).all()
        mg.manual_seed(1)
        np.testing.assert_array_equal(function(mg.zeros((4, 3), mg.float64)).numpy(), first)


def test_a_leaf_is_overwritten_unrecorded_and_stays_a_leaf():
    p = nn.Parameter(mg.zeros((3, 2)))
    for function in (init.ones_, init.kaiming_normal_, init.orthogonal_):
        assert function(p) is p and p.is_leaf and p.requires_grad and (p.numpy() != 0.0).all()


def test_a_view_is_overwritten_and_nothing_beside_it():
    whole = mg.full((4, 6), 9.0)
    init.zeros_(whole[1::2, ::3])
    expected = np.full((4, 6), 9.0)
    expected[1::2, ::3] = 0.0
    np.testing.assert_array_equal(whole.numpy(), expected)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (2, 3, 0)])
def test_weights_of_nothing_are_left_alone(shape):
    for function in (
        init.kaiming_uniform_,
        init.kaiming_normal_,
        init.xavier_uniform_,
        init.xavier_normal_,
        init.orthogonal_,
    ):
        assert made(function, shape).shape == shape


def test_gains():
    assert init.calculate_gain("linear") == init.calculate_gain("sigmoid") == 1.0
    assert init.calculate_gain("tanh") == 5.0 / 3.0
    assert init.calculate_gain("relu") == math.sqrt(2.0)
    assert init.calculate_gain("leaky_relu") == math.sqrt(2.0 / 1.0001)
    assert init.calculate_gain("leaky_relu", 0.5) == math.sqrt(1.6)


def test_linear_starts_within_one_over_the_root_of_its_inputs():
    layer = nn.Linear(200, 300, dtype="float64", generator=Generator(seed=3))
    check_bound(layer.weight.numpy(), 1.0 / math.sqrt(200))
    bias = nn.Linear(25, 5000, dtype="float64", generator=Generator(seed=3)).bias.numpy()
    check_bound(bias, 0.2)


def test_linear_is_seeded():
    numbers = [nn.Linear(3, 2, generator=Generator(seed=4)).weight.tolist() for _ in range(2)]
    assert numbers[0] == numbers[1]
    mg.manual_seed(4)
    assert nn.Linear(3, 2).weight.tolist() == numbers[0]
    assert nn.Linear(3, 2).weight.tolist() != numbers[0]
