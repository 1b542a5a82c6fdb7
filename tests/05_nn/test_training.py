"""5.6: the training step."""

import numpy as np
import pytest

from minigrad import mse, nn, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.optim import SGD
from minigrad.training import train_step

pytestmark = pytest.mark.exercise("5.6")


def parameter(numbers):
    return nn.Parameter(tensor(np.array(numbers)))


def line(w):
    """The model x * w with one weight, two inputs 1 and 2, and the outputs 0 and 0."""
    return (lambda x: x * w), tensor(np.array([1.0, 2.0])), tensor(np.array([0.0, 0.0]))


GIVEN = {"model": "x * w", "x": [1.0, 2.0], "y": [0.0, 0.0], "loss": "mse", "lr": 0.1}


def test_one_step_by_hand():
    w = parameter(2.0)
    model, x, y = line(w)
    value = train_step(model, SGD([w], lr=0.1), x, y, loss=mse)
    given = {**GIVEN, "w": 2.0}
    # The outputs 2 and 4 make a loss of (4 + 16) / 2; its slope is (2 * 2 + 2 * 4 * 2) / 2.
    expect.close(value, 10.0, what="the loss", inputs=given)
    expect.close(w, 1.0, what="w after the step", inputs=given)


def test_the_second_step_knows_nothing_of_the_first():
    w = parameter(2.0)
    model, x, y = line(w)
    optimiser = SGD([w], lr=0.1)
    train_step(model, optimiser, x, y, loss=mse)
    value = train_step(model, optimiser, x, y, loss=mse)
    given = {**GIVEN, "w": "2 at the start"}
    expect.close(value, 2.5, what="the second loss", inputs=given)
    expect.close(w, 0.5, what="w after the second step", inputs=given)


def test_gradients_that_were_there_before_do_not_count():
    w = parameter(2.0)
    model, x, y = line(w)
    w.grad = tensor(np.array(100.0))
    train_step(model, SGD([w], lr=0.1), x, y, loss=mse)
    given = {**GIVEN, "w": 2.0, "w.grad": "100, from somewhere else"}
    expect.close(w, 1.0, what="w after the step", inputs=given)


def test_the_loss_is_a_float():
    w = parameter([2.0])
    model, x, y = line(w)
    value = train_step(model, SGD([w], lr=0.1), x, y, loss=mse)
    expect.equal(type(value).__name__, "float", what="the type of the loss", inputs=GIVEN)


def test_cross_entropy_is_the_loss_unless_another_is_given():
    numbers, rows = (
        np.array([[0.5, -1.0, 0.25], [1.0, 0.0, -0.5]]),
        np.array([[1.0, 2.0], [3.0, -1.0]]),
    )
    labels = [2, 0]
    w = parameter(numbers)
    value = train_step(lambda x: x @ w, SGD([w], lr=0.5), tensor(rows), tensor(labels))
    scores = rows @ numbers
    beliefs = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    given = {"model": "x @ w", "x": rows.tolist(), "y": labels, "w": numbers.tolist(), "lr": 0.5}
    wanted = -np.log(beliefs[[0, 1], labels]).mean()
    expect.close(value, wanted, what="the loss", inputs=given, tol=32 * EPS)
    slope = rows.T @ (beliefs - np.eye(3)[labels]) / 2
    what = "w after the step"
    expect.close(w, numbers - 0.5 * slope, what=what, inputs=given, tol=64 * EPS, scale=1.0)


def test_max_norm_shortens_what_is_too_long():
    w = parameter(2.0)
    model, x, y = line(w)
    value = train_step(model, SGD([w], lr=0.1), x, y, loss=mse, max_norm=4.0)
    given = {**GIVEN, "w": 2.0, "max_norm": 4.0}
    expect.close(value, 10.0, what="the loss", inputs=given)
    # A gradient of 10 comes down to 4.
    expect.close(w, 1.6, what="w after the step", inputs=given, tol=1e-6)


def test_max_norm_is_for_all_parameters_together():
    w, b = parameter(0.0), parameter(0.0)
    x, y = tensor(np.array([4.0])), tensor(np.array([1.5]))
    groups = [{"params": [w]}, {"params": [b]}]
    train_step(lambda x: x * w + b, SGD(groups, lr=1.0), x, y, loss=mse, max_norm=1.0)
    given = {"model": "x * w + b", "x": [4.0], "y": [1.5], "w, b": "0, 0", "max_norm": 1.0}
    # The gradients are -12 and -3, together sqrt(153) long.
    moved = np.array([w.item(), b.item()])
    expected = np.array([12.0, 3.0]) / np.sqrt(153.0)
    expect.close(moved, expected, what="w and b after the step (lr = 1)", inputs=given, tol=1e-6)


def test_max_norm_leaves_what_is_short_enough():
    w = parameter(2.0)
    model, x, y = line(w)
    train_step(model, SGD([w], lr=0.1), x, y, loss=mse, max_norm=50.0)
    given = {**GIVEN, "w": 2.0, "max_norm": 50.0}
    expect.close(w, 1.0, what="w after the step", inputs=given)


def test_max_norm_of_zero_is_a_wish_too():
    w = parameter(2.0)
    model, x, y = line(w)
    train_step(model, SGD([w], lr=0.1), x, y, loss=mse, max_norm=0.0)
    given = {**GIVEN, "w": 2.0, "max_norm": 0.0}
    expect.close(w, 2.0, what="w after the step", inputs=given)


def test_the_gradients_stay_to_be_looked_at():
    w = parameter(2.0)
    model, x, y = line(w)
    train_step(model, SGD([w], lr=0.1), x, y, loss=mse, max_norm=4.0)
    given = {**GIVEN, "w": 2.0, "max_norm": 4.0}
    there = w.grad is not None
    expect.that(there, "after the step its gradient is still there to be looked at", inputs=given)
    what = "w.grad after the step: that which it was made with"
    expect.close(w.grad, 4.0, what=what, inputs=given, tol=1e-6)


def test_the_model_runs_once():
    w, calls = parameter(2.0), []
    model, x, y = line(w)

    def counted(x):
        calls.append(x.shape)
        return model(x)

    train_step(counted, SGD([w], lr=0.1), x, y, loss=mse)
    expect.equal(calls, [(2,)], what="the shapes that the model was called with", inputs=GIVEN)


@pytest.mark.parametrize("shape", [(6, 2), (9, 4)])
def test_many_steps_find_the_best_line(shape):
    draw = np.random.default_rng(0)
    rows, wanted = draw.normal(size=shape), draw.normal(size=shape[0])
    w = parameter(np.zeros(shape[1]))
    optimiser, x, y = SGD([w], lr=0.2), tensor(rows), tensor(wanted)
    for _ in range(400):
        train_step(lambda x: x @ w, optimiser, x, y, loss=mse)
    best = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    given = {"model": "x @ w", "x": f"{shape}", "lr": 0.2}
    expect.close(w, best, what="w after 400 steps", inputs=given, tol=1e-8, scale=1.0)
