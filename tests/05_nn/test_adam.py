"""5.4: Adam's two running means, and what corrects them for their start at zero."""

import math

import numpy as np
import pytest

from minigrad import nn, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.optim import Adam
from minigrad.optim.adam import moments

pytestmark = pytest.mark.exercise("5.4")


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def zeros(*shape):
    """A new tensor each time: m and v may be brought up to date in place."""
    return tensor(np.zeros(shape))


def step(g, m, v, t, betas=(0.9, 0.999), eps=1e-8):
    return moments(tensor(np.array(g)), tensor(np.array(m)), tensor(np.array(v)), t, betas, eps)


def test_the_first_means_by_hand():
    given = {"g": [4.0, -0.5], "m and v": "zeros", "t": 1, "betas": (0.75, 0.5)}
    m, v, _ = step([4.0, -0.5], [0.0, 0.0], [0.0, 0.0], 1, betas=(0.75, 0.5))
    expect.close(m, np.array([1.0, -0.125]), what="m, the mean of the gradients", inputs=given)
    expect.close(v, np.array([8.0, 0.125]), what="v, the mean of their squares", inputs=given)


def test_the_first_move_has_length_one():
    given = {"g": [4.0, -0.5, 1e-3], "m and v": "zeros", "t": 1, "betas": (0.9, 0.999)}
    move = step([4.0, -0.5, 1e-3], [0.0] * 3, [0.0] * 3, 1, eps=0.0)[2]
    expect.close(move, np.array([1.0, -1.0, 1.0]), what="the move (eps = 0)", inputs=given)


def test_the_second_step_by_hand():
    given = {"g": [-4.0], "m": [1.0], "v": [1.0], "t": 2, "betas": (0.5, 0.75)}
    m, v, move = step([-4.0], [1.0], [1.0], 2, betas=(0.5, 0.75), eps=0.0)
    expect.close(m, np.array([-1.5]), what="m, the mean of the gradients", inputs=given)
    expect.close(v, np.array([4.75]), what="v, the mean of their squares", inputs=given)
    # Both are freed of 1 - beta ** 2: m is divided by 3/4, v by 7/16.
    expected = np.array([-2.0 / math.sqrt(76.0 / 7.0)])
    expect.close(move, expected, what="the move (eps = 0)", inputs=given)


def test_eps_is_added_to_the_root():
    given = {"g": [3.0, -12.0], "m and v": "zeros", "t": 1, "eps": 0.5}
    move = step([3.0, -12.0], [0.0, 0.0], [0.0, 0.0], 1, eps=0.5)[2]
    expect.close(move, np.array([3.0 / 3.5, -12.0 / 12.5]), what="the move", inputs=given)


def test_without_a_gradient_nothing_moves():
    move = step([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 1)[2]
    given = {"g": [0.0, 0.0], "m and v": "zeros"}
    expect.close(move, np.zeros(2), what="the move", inputs=given)


@pytest.mark.parametrize("betas", [(0.9, 0.999), (0.5, 0.9), (0.0, 0.99)])
def test_under_a_gradient_that_never_changes_every_move_has_length_one(betas):
    g, steps = drawn(3, 2), 40
    m, v = zeros(3, 2), zeros(3, 2)
    for t in range(1, steps + 1):
        m, v, move = moments(tensor(g), m, v, t, betas, 0.0)
        given = {"betas": betas, "every gradient": "the same (3, 2)"}
        expect.close(move, np.sign(g), what=f"move {t}", inputs=given, tol=1e4 * steps * EPS)


def test_after_many_steps_each_gradient_has_its_weight():
    betas, slopes = (0.8, 0.95), drawn(12, 5)
    m, v = zeros(5), zeros(5)
    for t, g in enumerate(slopes, start=1):
        m, v, move = moments(tensor(g), m, v, t, betas, 1e-8)
    ages = np.arange(12)[::-1, None]
    given = {"betas": betas, "gradients": "12 of shape (5,)"}
    first = 0.2 * (0.8**ages * slopes).sum(axis=0)
    second = 0.05 * (0.95**ages * slopes**2).sum(axis=0)
    expect.close(m, first, what="m after 12 steps", inputs=given, tol=64 * EPS, scale=1.0)
    expect.close(v, second, what="v after 12 steps", inputs=given, tol=64 * EPS)
    expected = first / (1 - 0.8**12) / (np.sqrt(second / (1 - 0.95**12)) + 1e-8)
    expect.close(move, expected, what="move 12", inputs=given, tol=64 * EPS, scale=1.0)


def test_the_size_of_the_gradients_does_not_matter():
    moves = []
    for factor in (1.0, 1024.0):
        m, v = zeros(4), zeros(4)
        for t in (1, 2, 3):
            g = tensor(factor * drawn(4, seed=t))
            m, v, move = moments(g, m, v, t, (0.9, 0.999), 0.0)
        moves.append(move.numpy())
    what = "the third move after gradients 1024 times as large (eps = 0)"
    expect.close(moves[1], moves[0], what=what, tol=16 * EPS, scale=1.0)


def test_several_steps_of_two_parameters():
    numbers = [drawn(2, 3), drawn(4, seed=1)]
    params = [nn.Parameter(tensor(x)) for x in numbers]
    optimiser = Adam(params, lr=0.1, betas=(0.7, 0.9))
    means = [[np.zeros_like(x), np.zeros_like(x)] for x in numbers]
    for t in range(1, 7):
        for k, p in enumerate(params):
            slope = drawn(*p.shape, seed=10 + 2 * t + k)
            p.grad = tensor(slope)
            means[k][0] += 0.3 * (slope - means[k][0])
            means[k][1] += 0.1 * (slope**2 - means[k][1])
            mean, square = means[k][0] / (1 - 0.7**t), means[k][1] / (1 - 0.9**t)
            numbers[k] = numbers[k] - 0.1 * mean / (np.sqrt(square) + 1e-8)
        optimiser.step()
        for p, expected in zip(params, numbers, strict=True):
            what = f"the parameter of shape {p.shape} after step {t}"
            given = {"lr": 0.1, "betas": (0.7, 0.9)}
            expect.close(p, expected, what=what, inputs=given, tol=256 * EPS, scale=2.0)


def test_float32_stays_float32():
    p = nn.Parameter(tensor([1.0, 2.0]))
    p.grad = tensor([0.5, -0.25])
    optimiser = Adam([p])
    optimiser.step()
    state = optimiser.state[p]
    kinds = tuple(str(x.dtype) for x in (p, state["exp_avg"], state["exp_avg_sq"]))
    expect.equal(kinds, ("float32",) * 3, what="the dtypes of parameter, m and v")
