"""batch_norm: statistics of the batch or running ones, what moves them, and two derivatives."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference import engine
from minigrad.reference.creation import asarray

EPS = float(np.finfo(np.float64).eps)
SHAPES = [(7, 3), (4, 3, 5), (2, 3, 4, 3)]


def drawn(*shape, seed=0, low=-2.0):
    return np.random.default_rng(seed).uniform(low, 2.0, shape)


def rows(x):
    """(N, C, ...) -> (C, all numbers of the channel)."""
    return np.moveaxis(x, 1, 0).reshape(x.shape[1], -1)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_channel_gets_mean_0_and_variance_1(shape):
    x = drawn(*shape)
    out = rows(engine.batch_norm(asarray(x), training=True, eps=0.0).numpy())
    np.testing.assert_allclose(out.mean(1), 0.0, rtol=0, atol=16 * EPS)
    np.testing.assert_allclose((out * out).mean(1), 1.0, rtol=0, atol=16 * EPS)
    np.testing.assert_allclose(
        out * rows(x).std(1, keepdims=True) + rows(x).mean(1, keepdims=True), rows(x), atol=32 * EPS
    )


@pytest.mark.parametrize("make", [asarray, mg.tensor], ids=["arrays", "tensors"])
@pytest.mark.parametrize("shape", SHAPES)
def test_running_statistics_move_in_training_alone(shape, make):
    x, before, after = drawn(*shape), drawn(3, seed=1), drawn(3, seed=2, low=0.5)
    mean, var = make(before.copy()), make(after.copy())
    engine.batch_norm(make(x), mean, var, training=True, momentum=0.3)
    wanted = 0.7 * before + 0.3 * rows(x).mean(1), 0.7 * after + 0.3 * rows(x).var(1, ddof=1)
    for found, want in zip((mean, var), wanted, strict=True):
        np.testing.assert_allclose(found.numpy(), want, rtol=0, atol=16 * EPS)
    held = mean.tolist(), var.tolist()
    out = engine.batch_norm(make(x), mean, var, momentum=0.3, eps=0.25)
    assert (mean.tolist(), var.tolist()) == held
    scaled = (rows(x) - wanted[0][:, None]) / np.sqrt(wanted[1][:, None] + 0.25)
    np.testing.assert_allclose(rows(out.numpy()), scaled, rtol=0, atol=64 * EPS)


def test_one_of_the_two_statistics_may_be_there_alone():
    mean, x = asarray(np.zeros(2)), drawn(5, 2)
    engine.batch_norm(asarray(x), mean, training=True, momentum=1.0)
    np.testing.assert_allclose(mean.numpy(), x.mean(0), rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("training", [True, False])
def test_two_derivatives(shape, training):
    stats = mg.tensor(drawn(3, seed=3)), mg.tensor(drawn(3, seed=4, low=0.5))
    parts = (drawn(*shape), drawn(3, seed=1), drawn(3, seed=2))
    arrays = [mg.tensor(a, requires_grad=True) for a in parts]

    def function(x, weight, bias):
        running = (None, None) if training else stats
        return engine.batch_norm(x, *running, weight, bias, training, eps=0.1)

    gradcheck(function, *arrays)
    gradgradcheck(function, *arrays)
    gradcheck(lambda x: function(x, None, None), arrays[0])


def test_running_statistics_are_no_part_of_the_gradient():
    mean, var = mg.zeros(3, "float64"), mg.ones(3, "float64")
    x = mg.tensor(drawn(4, 3), requires_grad=True)
    out = mg.batch_norm(x, mean, var, training=True)
    mg.batch_norm(x, mean, var, training=True)  # moves them once more
    (g,) = mg.grad((out * out * out).sum(), x)
    alone = mg.batch_norm(x, training=True)
    (wanted,) = mg.grad((alone * alone * alone).sum(), x)
    np.testing.assert_array_equal(g.numpy(), wanted.numpy())
    assert not mean.requires_grad and not var.requires_grad


def test_statistics_that_have_moved_are_not_mistaken_for_those_that_were_used():
    mean, var = mg.zeros(3, "float64"), mg.ones(3, "float64")
    x = mg.tensor(drawn(4, 3), requires_grad=True)
    weight = mg.tensor(drawn(3, seed=1), requires_grad=True)
    out = mg.batch_norm(x, mean, var, weight)
    mean[...] = 5.0
    var[...] = 7.0
    dx, dw = mg.grad((out * out).sum(), [x, weight])
    slope = 1.0 / np.sqrt(1.0 + 1e-5)
    g = 2.0 * x.numpy() * slope * weight.numpy()
    np.testing.assert_allclose(dx.numpy(), g * weight.numpy() * slope, rtol=0, atol=64 * EPS)
    np.testing.assert_allclose(dw.numpy(), (g * x.numpy() * slope).sum(0), rtol=0, atol=64 * EPS)


def test_views_and_other_dtypes():
    x = drawn(3, 4, 2)
    wanted = engine.batch_norm(asarray(x), training=True).numpy()
    turned = asarray(np.ascontiguousarray(x.T)).T
    np.testing.assert_allclose(
        engine.batch_norm(turned, training=True).numpy(), wanted, rtol=0, atol=16 * EPS
    )
    whole = engine.batch_norm(asarray(np.array([[1], [2], [6]])), training=True)
    assert str(whole.dtype) == "float32"
    single = engine.batch_norm(asarray(x.astype(np.float32)), training=True)
    assert str(single.dtype) == "float32"
    np.testing.assert_allclose(single.numpy(), wanted, rtol=0, atol=32 * np.finfo(np.float32).eps)


def test_a_large_mean_does_not_drown_the_differences():
    x = 1e4 + drawn(64, 2)
    out = engine.batch_norm(asarray(x.astype(np.float32)), training=True, eps=0.0)
    held = x.astype(np.float32).astype(np.float64)
    wanted = (held - held.mean(0)) / held.std(0)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=0, atol=4e4 * 2**-23)


def test_special_numbers_stay_in_their_channel():
    x = drawn(4, 3)
    x[1, 0], x[2, 2] = np.nan, np.inf
    out = engine.batch_norm(asarray(x), training=True).numpy()
    assert np.isnan(out[:, [0, 2]]).all() and np.isfinite(out[:, 1]).all()


def test_running_statistics_are_constants_in_use():
    mean = mg.zeros(3, "float64", requires_grad=True)
    var = mg.ones(3, "float64", requires_grad=True)
    assert not mg.batch_norm(mg.tensor(drawn(4, 3)), mean, var).requires_grad
