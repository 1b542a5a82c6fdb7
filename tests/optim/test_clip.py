"""clip_grad_norm_: all gradients together, no longer than they may be."""

import math

import numpy as np
import pytest

import minigrad as mg
from minigrad.optim import clip_grad_norm_


def with_grads(*grads):
    params = [mg.zeros(np.shape(g), mg.float64, requires_grad=True) for g in grads]
    for p, g in zip(params, grads, strict=True):
        p.grad = mg.tensor(g, mg.float64)
    return params


def test_one_length_over_all_parameters():
    # 1 + 4 + 4 + 16 = 5 ** 2
    params = with_grads([1.0, -2.0], [[2.0], [-4.0]])
    still = mg.zeros(3, requires_grad=True)
    kept = params[0].grad
    assert clip_grad_norm_([*params, still], 2.5) == 5.0
    scale = 2.5 / (5.0 + 1e-6)
    assert params[0].grad is kept and still.grad is None
    np.testing.assert_allclose(kept.numpy(), [scale, -2.0 * scale], rtol=1e-15)
    np.testing.assert_allclose(params[1].grad.numpy(), [[2 * scale], [-4 * scale]], rtol=1e-15)


@pytest.mark.parametrize("most", [5.01, 1000, math.inf])
def test_what_is_short_enough_stays(most):
    params = with_grads([1.0, -2.0], [[2.0], [-4.0]])
    assert clip_grad_norm_((p for p in params), most) == 5.0
    assert [p.grad.tolist() for p in params] == [[1.0, -2.0], [[2.0], [-4.0]]]


def test_to_nothing_and_of_nothing():
    params = with_grads([3.0, 4.0])
    assert clip_grad_norm_(params[0], 0.0) == 5.0
    assert params[0].grad.tolist() == [0.0, 0.0]
    assert clip_grad_norm_([mg.zeros(2, requires_grad=True)], 1.0) == 0.0
    assert clip_grad_norm_(with_grads([0.0]), 1.0) == 0.0


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_length_that_is_no_number(bad):
    params = with_grads([1.0, bad], [2.0])
    with pytest.raises(RuntimeError, match=f"^clip_grad_norm_: the gradients have length {bad}"):
        clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
    assert params[1].grad.tolist() == [2.0]
    norm = clip_grad_norm_(params, 1.0)
    assert norm == bad or math.isnan(norm)
    assert params[1].grad.item() != 2.0 and math.isnan(params[0].grad.numpy()[1])


@pytest.mark.parametrize("most", [-1.0, math.nan])
def test_a_length_that_cannot_be(most):
    with pytest.raises(ValueError, match=r"^clip_grad_norm_: max_norm must be 0 or above, got"):
        clip_grad_norm_(with_grads([1.0]), most)
