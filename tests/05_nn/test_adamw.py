"""5.7: a weight decay that does not pass through Adam."""

import numpy as np
import pytest

from minigrad import nn, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.optim import AdamW

pytestmark = pytest.mark.exercise("5.7")


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def stepped(p, g, **options):
    """The parameter after one step along the gradient g, and the optimiser."""
    p.grad = tensor(np.array(g))
    optimiser = AdamW([p], **options)
    optimiser.step()
    return p, optimiser


def parameter(numbers):
    return nn.Parameter(tensor(np.array(numbers)))


def test_without_a_gradient_the_weights_lose_their_share():
    given = {"p": [2.0, -30.0], "gradient": [0.0, 0.0], "lr": 0.5, "weight_decay": 0.2}
    p, _ = stepped(parameter([2.0, -30.0]), [0.0, 0.0], lr=0.5, weight_decay=0.2)
    expect.close(p, np.array([1.8, -27.0]), what="p after the step", inputs=given)


def test_the_first_step_by_hand():
    given = {"p": [2.0, -30.0], "gradient": [5.0, -0.01], "lr": 0.5, "weight_decay": 0.2}
    p, _ = stepped(parameter([2.0, -30.0]), [5.0, -0.01], lr=0.5, weight_decay=0.2, eps=0.0)
    # The share first, 1.8 and -27; then Adam's first move, which has length lr.
    expect.close(p, np.array([1.3, -26.5]), what="p after the step (eps = 0)", inputs=given)


def test_no_decay_leaves_adam():
    given = {"p": [2.0, -30.0], "gradient": [5.0, -0.01], "lr": 0.5, "weight_decay": 0.0}
    p, _ = stepped(parameter([2.0, -30.0]), [5.0, -0.01], lr=0.5, weight_decay=0.0, eps=0.0)
    expect.close(p, np.array([1.5, -29.5]), what="p after the step (eps = 0)", inputs=given)


def test_adam_hears_of_the_gradient_alone():
    given = {"p": [2.0, -30.0], "gradient": [5.0, -0.5], "betas": (0.75, 0.5)}
    p, optimiser = stepped(parameter([2.0, -30.0]), [5.0, -0.5], betas=(0.75, 0.5))
    m, v = optimiser.state[p]["exp_avg"], optimiser.state[p]["exp_avg_sq"]
    expect.close(m, np.array([1.25, -0.125]), what="the mean of the gradients", inputs=given)
    expect.close(v, np.array([12.5, 0.125]), what="the mean of their squares", inputs=given)


def test_weights_with_large_and_small_gradients_decay_alike():
    sizes = np.array([1e-3, 1.0, 1e3])
    decaying, plain = parameter([4.0] * 3), parameter([4.0] * 3)
    optimisers = [AdamW([p], lr=0.1, weight_decay=w) for p, w in ((decaying, 0.5), (plain, 0.0))]
    for t in range(5):
        for p, optimiser in zip((decaying, plain), optimisers, strict=True):
            p.grad = tensor(sizes * (-1.0) ** t)
            optimiser.step()
    lost = plain.numpy() - decaying.numpy()
    given = {"gradients of size": sizes.tolist(), "lr": 0.1, "weight_decay": 0.5, "steps": 5}
    what = "what the decay took off each of three equal weights"
    # eps, 1e-8, is not quite nothing beside a gradient of 1e-3.
    expect.close(lost, np.full(3, lost[1]), what=what, inputs=given, tol=1e-5)
    expect.that(bool(lost[1] > 0.5), "five steps of decay take more than 0.5 off a 4", inputs=given)


def test_several_steps_of_two_groups():
    numbers, decays = [drawn(2, 3), drawn(4, seed=1)], [0.3, 0.0]
    params = [parameter(x) for x in numbers]
    groups = [{"params": [p], "weight_decay": w} for p, w in zip(params, decays, strict=True)]
    optimiser = AdamW(groups, lr=0.1, betas=(0.7, 0.9))
    means = [[np.zeros_like(x), np.zeros_like(x)] for x in numbers]
    for t in range(1, 7):
        for k, p in enumerate(params):
            slope = drawn(*p.shape, seed=10 + 2 * t + k)
            p.grad = tensor(slope)
            means[k][0] += 0.3 * (slope - means[k][0])
            means[k][1] += 0.1 * (slope**2 - means[k][1])
            mean, square = means[k][0] / (1 - 0.7**t), means[k][1] / (1 - 0.9**t)
            kept = numbers[k] * (1 - 0.1 * decays[k])
            numbers[k] = kept - 0.1 * mean / (np.sqrt(square) + 1e-8)
        optimiser.step()
        for p, expected, decay in zip(params, numbers, decays, strict=True):
            what = f"the parameter of shape {p.shape} after step {t}"
            given = {"lr": 0.1, "betas": (0.7, 0.9), "weight_decay": decay}
            expect.close(p, expected, what=what, inputs=given, tol=256 * EPS, scale=2.0)
