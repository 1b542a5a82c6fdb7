"""6.6: batch norm, in training by the batch's own statistics, in use by the running ones."""

import math

import numpy as np
import pytest

from minigrad import batch_norm, grad, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference.creation import asarray

pytestmark = pytest.mark.exercise("6.6")

SHAPES = [(7, 3), (4, 3, 5), (2, 3, 4, 3)]


def drawn(*shape, seed=0, low=-2.0):
    return np.random.default_rng(seed).uniform(low, 2.0, shape)


def new(numbers):
    """Arrays of their own each time: running statistics are changed in place."""
    return asarray(np.array(numbers, np.float64))


def by_channel(x):
    """(N, C, ...) -> (C, all numbers of the channel)."""
    return np.moveaxis(x, 1, 0).reshape(x.shape[1], -1)


def like(numbers, x):
    """A number for each channel, where it can meet x (N, C, ...)."""
    return np.reshape(numbers, (-1,) + (1,) * (x.ndim - 2))


def scaled(x, mean, var, weight=1.0, bias=0.0, eps=1e-5):
    mean, var, weight, bias = (
        like(np.broadcast_to(each, x.shape[1]), x) for each in (mean, var, weight, bias)
    )
    return (x - mean) / np.sqrt(var + eps) * weight + bias


# One channel: 1, 3, 8 with mean 4 and variance 26 / 3, as a sample's 13; another: 0, 0, 6 with 2, 8
# and 12.
X = [[1.0, 0.0], [3.0, 0.0], [8.0, 6.0]]
TRAIN = {"x": X, "training": True}


def test_in_training_by_hand():
    out = batch_norm(new(X), training=True, eps=1.0)
    wanted = np.array([[-3.0, -2.0], [-1.0, -2.0], [4.0, 4.0]])
    wanted /= np.array([math.sqrt(29.0 / 3.0), 3.0])
    inputs = {**TRAIN, "eps": 1.0}
    expect.close(out, wanted, what="batch_norm(x)", inputs=inputs, scale=1.0)


def test_a_channel_is_all_pixels_of_all_images_by_hand():
    x = [[[[1.0, 3.0]]], [[[4.0, 8.0]]]]
    out = batch_norm(new(x), training=True, eps=0.5)
    # Mean 4; the squares of the distances, 9 + 1 + 0 + 16, over 4: 6.5
    wanted = np.array([-3.0, -1.0, 0.0, 4.0]).reshape(2, 1, 1, 2) / math.sqrt(7.0)
    inputs = {"x": x, "training": True, "eps": 0.5}
    expect.close(out, wanted, what="batch_norm(x)", inputs=inputs, scale=1.0)


def test_in_use_by_hand():
    inputs = {"x": X, "running_mean": [1.0, -2.0], "running_var": [8.0, 3.0], "eps": 1.0}
    out = batch_norm(new(X), new([1.0, -2.0]), new([8.0, 3.0]), training=False, eps=1.0)
    wanted = np.array([[0.0, 1.0], [2.0 / 3.0, 1.0], [7.0 / 3.0, 4.0]])
    expect.close(out, wanted, what="batch_norm(x) with training=False", inputs=inputs, scale=1.0)


def test_the_running_mean_moves_by_hand():
    mean, var = new([100.0, 200.0]), new([5.0, 6.0])
    batch_norm(new(X), mean, var, training=True, momentum=0.25)
    inputs = {**TRAIN, "running_mean": [100.0, 200.0], "momentum": 0.25}
    # A quarter of the way from 100 to 4, and from 200 to 2.
    wanted = np.array([76.0, 150.5])
    expect.close(mean, wanted, what="running_mean after the call", inputs=inputs, scale=1.0)


def test_the_running_variance_is_that_of_a_sample_by_hand():
    mean, var = new([0.0, 0.0]), new([1.0, 4.0])
    batch_norm(new(X), mean, var, training=True, momentum=0.25)
    inputs = {**TRAIN, "running_var": [1.0, 4.0], "momentum": 0.25}
    # The squares, divided by 3 - 1: 13 and 12.
    wanted = np.array([4.0, 6.0])
    expect.close(var, wanted, what="running_var after the call", inputs=inputs, scale=1.0)


def test_the_running_statistics_play_no_part_in_training():
    given = [[100.0, 200.0], [5.0, 6.0]]
    out = batch_norm(new(X), *map(new, given), training=True)
    wanted = batch_norm(new(X), training=True)
    inputs = {**TRAIN, "running_mean": given[0], "running_var": given[1]}
    what = "batch_norm(x), which in training does not depend on what ran before"
    expect.close(out, wanted.numpy(), what=what, inputs=inputs, scale=1.0)


def test_in_use_nothing_moves():
    mean, var = new([1.0, -2.0]), new([8.0, 3.0])
    batch_norm(new(X), mean, var, training=False, momentum=0.5)
    inputs = {"x": X, "running_mean": [1.0, -2.0], "running_var": [8.0, 3.0], "training": False}
    expect.close(
        mean, np.array([1.0, -2.0]), what="running_mean after the call", inputs=inputs, scale=1.0
    )
    expect.close(
        var, np.array([8.0, 3.0]), what="running_var after the call", inputs=inputs, scale=1.0
    )


def test_one_example_alone_is_enough_in_use():
    inputs = {"x": [[3.0, 0.0]], "running_mean": [1.0, -2.0], "running_var": [8.0, 3.0]}
    out = batch_norm(new([[3.0, 0.0]]), new([1.0, -2.0]), new([8.0, 3.0]), eps=1.0)
    wanted = np.array([[2.0 / 3.0, 1.0]])
    what = "batch_norm(x) of a batch of one"
    expect.close(
        out, wanted, what=what, inputs={**inputs, "training": False, "eps": 1.0}, scale=1.0
    )


def test_scale_and_shift_by_hand():
    inputs = {**TRAIN, "weight": [3.0, -6.0], "bias": [10.0, 20.0], "eps": 1.0}
    root = math.sqrt(29.0 / 3.0)
    plain = np.array(
        [[-3.0 / root, -2.0 / 3.0], [-1.0 / root, -2.0 / 3.0], [4.0 / root, 4.0 / 3.0]]
    )
    weight, bias = new([3.0, -6.0]), new([10.0, 20.0])
    for scale, shift in [(weight, None), (None, bias), (weight, bias)]:
        out = batch_norm(new(X), None, None, scale, shift, training=True, eps=1.0)
        wanted = plain * (1.0 if scale is None else scale.numpy())
        wanted = wanted + (0.0 if shift is None else shift.numpy())
        names = [name for name, given in (("weight", scale), ("bias", shift)) if given is not None]
        shown = {name: value for name, value in inputs.items() if name not in {"weight", "bias"}}
        shown |= {name: inputs[name] for name in names}
        what = f"batch_norm(x) with a {' and a '.join(names)}"
        expect.close(out, wanted, what=what, inputs=shown, tol=16 * EPS, scale=1.0)


@pytest.mark.parametrize("shape", SHAPES)
def test_each_channel_over_all_its_numbers(shape):
    x, weight, bias = drawn(*shape), drawn(3, seed=1), drawn(3, seed=2)
    mean, var = new(drawn(3, seed=3)), new(drawn(3, seed=4, low=0.5))
    out = batch_norm(asarray(x), mean, var, asarray(weight), asarray(bias), True, 0.3, 0.5)
    rows = by_channel(x)
    wanted = scaled(x, rows.mean(axis=1), rows.var(axis=1), weight, bias, 0.5)
    inputs = {"x": f"{shape}", "training": True, "momentum": 0.3, "eps": 0.5}
    expect.close(out, wanted, what="batch_norm(x)", inputs=inputs, tol=64 * EPS, scale=2.0)
    wanted = 0.7 * drawn(3, seed=3) + 0.3 * rows.mean(axis=1)
    what = "running_mean after the call"
    expect.close(mean, wanted, what=what, inputs=inputs, tol=32 * EPS, scale=1.0)
    wanted = 0.7 * drawn(3, seed=4, low=0.5) + 0.3 * rows.var(axis=1, ddof=1)
    expect.close(
        var, wanted, what="running_var after the call", inputs=inputs, tol=32 * EPS, scale=1.0
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_in_use_each_channel_has_its_own_numbers(shape):
    x, own = drawn(*shape), {"running_mean": [1.0, -2.0, 0.5], "running_var": [8.0, 3.0, 0.25]}
    own |= {"weight": [3.0, -6.0, 0.5], "bias": [10.0, 20.0, 30.0]}
    out = batch_norm(asarray(x), *map(new, own.values()), training=False, eps=1.0)
    wanted = scaled(x, *own.values(), eps=1.0)
    inputs = {"x": f"{shape}", "training": False, "eps": 1.0, **own}
    what = "batch_norm(x) with training=False"
    expect.close(out, wanted, what=what, inputs=inputs, tol=64 * EPS, scale=10.0)


def test_one_of_the_two_statistics_may_be_there_alone():
    for name, at, wanted in [("running_mean", 0, [4.0, 2.0]), ("running_var", 1, [13.0, 12.0])]:
        stats = [None, None]
        stats[at] = new([0.0, 0.0])
        batch_norm(new(X), *stats, training=True, momentum=1.0)
        inputs = {**TRAIN, name: [0.0, 0.0], "momentum": 1.0}
        expect.close(
            stats[at], np.array(wanted), what=f"{name} after the call", inputs=inputs, scale=1.0
        )


def test_a_channel_without_spread_gives_zeros():
    x = np.array([[5.0], [5.0], [5.0]])
    out = batch_norm(new(x), training=True)
    inputs = {"x": x.tolist(), "training": True}
    what = "batch_norm(x) of a channel of equal numbers"
    expect.close(out, np.zeros((3, 1)), what=what, inputs=inputs, scale=1.0)


def test_the_gradient_goes_through_mean_and_variance_by_hand():
    x = tensor(np.array(X)[:, :1], requires_grad=True)
    out = batch_norm(x, training=True, eps=1.0)
    g = np.array([[1.0], [0.0], [0.0]])
    (dx,) = grad(out, x, tensor(g))
    # The mean moves by 1/3, which takes as much off everywhere; the variance brings the last part.
    root = math.sqrt(29.0 / 3.0)
    y = np.array([[-3.0], [-1.0], [4.0]]) / root
    wanted = (g - 1.0 / 3.0 - y * (y[0] / 3.0)) / root
    inputs = {"x": [[1.0], [3.0], [8.0]], "g": g.tolist(), "training": True, "eps": 1.0}
    expect.close(dx, wanted, what="the gradient of x", inputs=inputs, tol=32 * EPS, scale=0.1)


def test_in_use_the_gradient_is_that_of_a_straight_line():
    x, weight = tensor(drawn(4, 2), requires_grad=True), new([3.0, -6.0])
    out = batch_norm(x, new([1.0, -2.0]), new([8.0, 3.0]), weight, eps=1.0)
    g = drawn(4, 2, seed=1)
    (dx,) = grad(out, x, tensor(g))
    inputs = {"x": "(4, 2)", "running_var": [8.0, 3.0], "weight": [3.0, -6.0], "eps": 1.0}
    wanted = g * np.array([1.0, -3.0])
    what = "the gradient of x with training=False: g * weight / sqrt(running_var + eps)"
    expect.close(dx, wanted, what=what, inputs=inputs, tol=16 * EPS, scale=1.0)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_against_differences(shape, training):
    stats = drawn(3, seed=3), drawn(3, seed=4, low=0.5)
    parts = (drawn(*shape), drawn(3, seed=1), drawn(3, seed=2))
    x, weight, bias = (tensor(a, requires_grad=True) for a in parts)

    def normed(x, weight, bias):
        return batch_norm(x, *map(new, stats), weight, bias, training, eps=0.1)

    gradcheck(normed, x, weight, bias)
    if shape == SHAPES[0]:
        gradgradcheck(normed, x, weight, bias)


def test_no_gradient_reaches_the_running_statistics():
    x = tensor(drawn(4, 2), requires_grad=True)
    mean, var = tensor(np.zeros(2)), tensor(np.ones(2))
    for training in (True, False):
        out = batch_norm(x, mean, var, training=training)
        recorded = mean.requires_grad or var.requires_grad
        sentence = "running statistics are numbers, not part of what is differentiated"
        expect.that(not recorded, sentence, inputs={"training": training})
        expect.that(out.requires_grad, "the result knows that it came from x")


def test_statistics_that_move_afterwards_change_no_gradient():
    x = tensor(np.array(X), requires_grad=True)
    mean, var = tensor(np.array([1.0, -2.0])), tensor(np.array([8.0, 3.0]))
    out = batch_norm(x, mean, var, eps=1.0)
    batch_norm(x, mean, var, training=True)
    (dx,) = grad(out, x, tensor(np.ones((3, 2))))
    inputs = {"x": X, "running_var": [8.0, 3.0], "eps": 1.0, "training": "False, then True"}
    wanted = np.array([[1.0 / 3.0, 0.5]] * 3)
    what = "the gradient of x in the first call: 1 / sqrt(running_var + eps)"
    expect.close(dx, wanted, what=what, inputs=inputs, scale=1.0)


def test_float32_and_whole_numbers():
    out = batch_norm(asarray(np.array(X, np.float32)), training=True)
    expect.equal(str(out.dtype), "float32", what="the dtype for float32")
    out = batch_norm(asarray(np.array(X, np.int64)), training=True)
    expect.equal(str(out.dtype), "float32", what="the dtype for int64")


def test_numbers_far_from_zero_keep_their_differences():
    x = (1e4 + drawn(64, 2)).astype(np.float32)
    out = batch_norm(asarray(x), training=True, eps=0.0)
    held = x.astype(np.float64)
    wanted = (held - held.mean(axis=0)) / held.std(axis=0)
    inputs = {"x": "(64, 2) float32, from 9998 to 10002", "training": True, "eps": 0.0}
    tol = 4e4 * 2.0**-23
    what = "batch_norm(x), where squares swallow the differences unless the mean is off first,"
    expect.close(out, wanted, what=what, inputs=inputs, tol=tol, scale=1.0)
