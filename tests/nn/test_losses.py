"""Losses as modules, by NumPy's formulas. Gradients: tests/reference and oracle."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn

EPS = float(np.finfo(np.float64).eps)
REDUCTIONS = {"mean": np.mean, "sum": np.sum, "none": lambda x: x}


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def close(out, wanted):
    np.testing.assert_allclose(out.numpy(), wanted, rtol=32 * EPS, atol=32 * EPS, strict=True)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_cross_entropy(reduction):
    logits, target = drawn(5, 3), np.array([2, 0, 1, 1, 2])
    shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    rows = -np.log(shares[np.arange(5), target])
    loss = nn.CrossEntropyLoss(reduction=reduction)
    close(loss(mg.tensor(logits), mg.tensor(target)), np.asarray(REDUCTIONS[reduction](rows)))


def test_cross_entropy_hands_its_options_on():
    logits, target = drawn(4, 3), np.array([2, 9, 1, 0])
    logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    rows = [-0.7 * logs[k, target[k]] - 0.3 * logs[k].mean() for k in (0, 2, 3)]
    loss = nn.CrossEntropyLoss(ignore_index=9, label_smoothing=0.3)
    close(loss(mg.tensor(logits), mg.tensor(target)), np.asarray(np.mean(rows)))


def test_a_target_of_minus_100_does_not_count():
    logits = mg.tensor(drawn(3, 4))
    loss = nn.CrossEntropyLoss()
    wanted = loss(logits[:2], mg.tensor([1, 3])).numpy()
    close(loss(logits, mg.tensor([1, 3, -100])), wanted)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_mse(reduction):
    x, y = drawn(3, 4), drawn(3, 4, seed=1)
    loss = nn.MSELoss(reduction)
    close(loss(mg.tensor(x), mg.tensor(y)), np.asarray(REDUCTIONS[reduction]((x - y) ** 2)))
    assert list(loss.state_dict()) == []


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weight", [None, 3.0, 2, [0.5, 1.0, 2.5], [1, 2, 3]])
def test_binary_cross_entropy(weight, reduction):
    x, t = drawn(2, 3), np.array([[1.0, 0.0, 0.25], [0.0, 1.0, 1.0]])
    share = 1.0 / (1.0 + np.exp(-x))
    pos = 1.0 if weight is None else np.asarray(weight, np.float64)
    rows = -pos * t * np.log(share) - (1.0 - t) * np.log(1.0 - share)
    loss = nn.BCEWithLogitsLoss(reduction, pos_weight=weight)
    close(loss(mg.tensor(x), mg.tensor(t)), np.asarray(REDUCTIONS[reduction](rows)))
    assert list(loss.state_dict()) == ([] if weight is None else ["pos_weight"])


def test_the_weight_is_part_of_the_state_and_can_be_loaded():
    loss = nn.BCEWithLogitsLoss(pos_weight=[1, 2, 3])
    loss.load_state_dict({"pos_weight": np.array([0.5, 1.5, 2.5])})
    assert loss.pos_weight.tolist() == [0.5, 1.5, 2.5]
    given = mg.tensor([1.0, 2.0], dtype="float64", requires_grad=True)
    kept = nn.BCEWithLogitsLoss(pos_weight=given).pos_weight
    assert not kept.requires_grad and kept.dtype == mg.float64
