"""5.2: a spread of the weights at which numbers keep their size through many layers."""

import math

import numpy as np
import pytest

from minigrad import Generator, float64, no_grad, randn, relu, zeros
from minigrad.course import expect
from minigrad.nn import init
from minigrad.nn.init import kaiming_std

pytestmark = pytest.mark.exercise("5.2")


def size(x):
    """The root mean square."""
    return float(np.sqrt(np.mean(np.square(x.numpy()))))


def test_by_hand():
    given = {"shape": (3, 50), "a": 0.0, "mode": "fan_in"}
    # 50 products in each sum, of whose mean square the relu leaves a half: 1 / (50 / 2) = 0.04.
    expect.close(kaiming_std((3, 50), 0.0, "fan_in"), 0.2, what="the spread", inputs=given)
    given = {"shape": (50, 8), "a": 0.0, "mode": "fan_in"}
    expect.close(kaiming_std((50, 8), 0.0, "fan_in"), 0.5, what="the spread", inputs=given)


def test_on_the_way_back_the_outputs_count():
    given = {"shape": (8, 50), "a": 0.0, "mode": "fan_out"}
    expect.close(kaiming_std((8, 50), 0.0, "fan_out"), 0.5, what="the spread", inputs=given)


@pytest.mark.parametrize(("mode", "fan"), [("fan_in", 5 * 3 * 2), ("fan_out", 7 * 3 * 2)])
def test_each_place_of_a_kernel_is_one_more_product(mode, fan):
    shape = (7, 5, 3, 2)
    given = {"shape": shape, "a": 0.0, "mode": mode}
    expect.close(
        kaiming_std(shape, 0.0, mode), math.sqrt(2.0 / fan), what="the spread", inputs=given
    )


@pytest.mark.parametrize("a", [1.0, 0.5, math.sqrt(5.0), 0.01, -0.5])
def test_a_leaky_relu_leaves_more(a):
    given = {"shape": (6, 10), "a": a, "mode": "fan_in"}
    # Half of the numbers stay, and of the other half the square of a.
    expected = (10 * (0.5 + 0.5 * a**2)) ** -0.5
    expect.close(kaiming_std((6, 10), a, "fan_in"), expected, what="the spread", inputs=given)


def test_normal_weights_have_this_spread():
    weight = zeros((500, 200), dtype=float64)
    init.kaiming_normal_(weight, nonlinearity="relu", generator=Generator(seed=1))
    # The spread of n numbers is known to about 1/sqrt(2 n), here 0.22 %.
    given = {"weight": "(500, 200), by kaiming_normal_"}
    expect.close(size(weight), 0.1, what="the spread of the weights", inputs=given, tol=0.01)


def test_numbers_keep_their_size_through_twenty_layers():
    generator = Generator(seed=2)
    with no_grad():
        x = randn(100, 200, dtype=float64, generator=generator)
        for _ in range(20):
            weight = zeros((200, 200), dtype=float64)
            init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)
            x = relu(x @ weight.mT)
    given = {"x": "(100, 200) of size 1, through 20 layers of 200"}
    # Chance moves it by some per cent a layer; a wrong spread by a factor of 1000 and more.
    what = "the size (root mean square) behind layer 20"
    expect.close(
        math.log2(size(x)), 0.0, what=what + ", as a power of 2", inputs=given, scale=1.0, tol=1.0
    )
