"""5.3: momentum, and nesterov's look ahead."""

import numpy as np
import pytest

from minigrad import float64, nn, no_grad, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.optim import SGD
from minigrad.optim.sgd import rolled

pytestmark = pytest.mark.exercise("5.3")


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def given(g, v, momentum, dampening=0.0, nesterov=False):
    return {"g": g, "v": v, "momentum": momentum, "dampening": dampening, "nesterov": nesterov}


def test_the_first_gradient_is_the_first_velocity():
    inputs = given([4.0, -2.0], None, 0.9, dampening=0.25)
    way, v = rolled(tensor(np.array([4.0, -2.0])), None, 0.9, 0.25, False)
    expect.close(v, np.array([4.0, -2.0]), what="the velocity", inputs=inputs)
    expect.close(way, np.array([4.0, -2.0]), what="the direction", inputs=inputs)


def test_the_second_step_by_hand():
    inputs = given([4.0, 10.0], [1.0, -2.0], 0.5)
    g, v = tensor(np.array([4.0, 10.0])), tensor(np.array([1.0, -2.0]))
    way, new = rolled(g, v, 0.5, 0.0, False)
    expect.close(new, np.array([4.5, 9.0]), what="the velocity", inputs=inputs)
    expect.close(way, np.array([4.5, 9.0]), what="the direction", inputs=inputs)


def test_dampening_keeps_a_share_of_the_gradient_out():
    inputs = given([4.0, 10.0], [1.0, -2.0], 0.5, dampening=0.25)
    g, v = tensor(np.array([4.0, 10.0])), tensor(np.array([1.0, -2.0]))
    way, new = rolled(g, v, 0.5, 0.25, False)
    expect.close(new, np.array([3.5, 6.5]), what="the velocity", inputs=inputs)
    expect.close(way, np.array([3.5, 6.5]), what="the direction", inputs=inputs)


def test_nesterov_looks_ahead_along_the_new_velocity():
    inputs = given([4.0, 10.0], [1.0, -2.0], 0.5, nesterov=True)
    g, v = tensor(np.array([4.0, 10.0])), tensor(np.array([1.0, -2.0]))
    way, new = rolled(g, v, 0.5, 0.0, True)
    expect.close(new, np.array([4.5, 9.0]), what="the velocity", inputs=inputs)
    expect.close(way, np.array([6.25, 14.5]), what="the direction", inputs=inputs)
    inputs = given([4.0, -2.0], None, 0.5, nesterov=True)
    way, new = rolled(tensor(np.array([4.0, -2.0])), None, 0.5, 0.0, True)
    expect.close(way, np.array([6.0, -3.0]), what="the first direction", inputs=inputs)


@pytest.mark.parametrize("momentum", [0.5, 0.9])
def test_on_a_slope_that_never_changes_it_rolls_faster_and_faster(momentum):
    slope, v, steps = drawn(3, 2), None, 60
    for t in range(1, steps + 1):
        way, v = rolled(tensor(slope), v, momentum, 0.0, False)
        expected = (1 - momentum**t) / (1 - momentum) * slope
        inputs = {"momentum": momentum, "every gradient": "the same (3, 2)"}
        expect.close(way, expected, what=f"direction {t}", inputs=inputs, tol=steps * EPS)


def test_the_gradient_stays_as_it_is():
    g, v = tensor(drawn(4)), tensor(drawn(4, seed=1))
    rolled(g, v, 0.9, 0.0, True)
    expect.close(g, drawn(4), what="the gradient after the call, which is not ours to change")


def test_the_first_velocity_has_memory_of_its_own():
    g = tensor(drawn(4))
    _, v = rolled(g, None, 0.9, 0.0, False)
    g[...] = 0.0
    what = "the velocity, after the gradient's memory was cleared for the next step"
    expect.close(v, drawn(4), what=what)


@pytest.mark.parametrize("nesterov", [False, True])
def test_several_steps_of_two_parameters(nesterov):
    numbers = [drawn(2, 3), drawn(4, seed=1)]
    params = [nn.Parameter(tensor(x)) for x in numbers]
    optimiser = SGD(params, lr=0.1, momentum=0.8, nesterov=nesterov)
    velocity = [np.zeros_like(x) for x in numbers]
    for t in range(6):
        for k, p in enumerate(params):
            slope = drawn(*p.shape, seed=10 + 2 * t + k)
            p.grad = tensor(slope)
            velocity[k] = 0.8 * velocity[k] + slope
            step = slope + 0.8 * velocity[k] if nesterov else velocity[k]
            numbers[k] = numbers[k] - 0.1 * step
        optimiser.step()
        for p, expected in zip(params, numbers, strict=True):
            what = f"the parameter of shape {p.shape} after step {t + 1}"
            inputs = {"lr": 0.1, "momentum": 0.8, "nesterov": nesterov}
            expect.close(p, expected, what=what, inputs=inputs, tol=64 * EPS, scale=2.0)


def test_float32_stays_float32():
    p = nn.Parameter(tensor([1.0, 2.0]))
    optimiser = SGD([p], lr=0.1, momentum=0.9)
    for _ in range(2):
        p.grad = tensor([0.5, -0.25])
        optimiser.step()
    kinds = (str(p.dtype), str(optimiser.state[p]["momentum_buffer"].dtype))
    expect.equal(kinds, ("float32", "float32"), what="the dtypes of parameter and velocity")


def test_a_ball_reaches_the_bottom_of_a_ravine():
    p = nn.Parameter(tensor([-10.0, 1.0], dtype=float64))
    optimiser = SGD([p], lr=0.04, momentum=0.7)
    steepness = tensor([1.0, 40.0], dtype=float64)
    for _ in range(100):
        with no_grad():
            p.grad = steepness * p
        optimiser.step()
    inputs = {"start": [-10.0, 1.0], "lr": 0.04, "momentum": 0.7}
    what = "the distance from the bottom after 100 steps (without momentum it is 0.17)"
    expect.close(float(np.abs(p.numpy()).max()), 0.0, what=what, inputs=inputs, tol=1e-5, scale=1.0)
