"""What each optimiser does to its parameters, against numbers computed by hand or by NumPy."""

import math
from functools import partial

import numpy as np
import pytest

import minigrad as mg
from minigrad import optim

EPS = np.finfo(np.float64).eps
START = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]])
GRADS = [
    np.array([[0.5, -1.0, 2.0], [0.0, 0.125, -3.0]]),
    np.array([[-0.25, 4.0, 1.0], [1.5, -0.5, 0.75]]),
    np.array([[2.0, 0.5, -1.5], [-1.0, 0.25, 1.0]]),
]


def walked(make, grads=GRADS, start=START):
    """Where a parameter is after a step along each of the gradients."""
    p = mg.tensor(start, mg.float64, requires_grad=True)
    optimiser = make([p])
    for g in grads:
        p.grad = mg.tensor(g, mg.float64)
        optimiser.step()
    return p.numpy()


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=64 * EPS, atol=64 * EPS)


def test_sgd_goes_down_the_gradient():
    close(walked(partial(optim.SGD, lr=0.5)), START - 0.5 * sum(GRADS))


def test_sgd_by_hand_with_momentum():
    # velocity 1, then 0.5 * 1 + 2 = 2.5, then 0.5 * 2.5 - 1 = 0.25; in all 3.75 times the rate
    got = walked(partial(optim.SGD, lr=0.1, momentum=0.5), [[1.0], [2.0], [-1.0]], [4.0])
    close(got, [4.0 - 0.375])


def test_sgd_by_hand_with_dampening():
    # the first gradient is taken up whole: 1, then 0.5 * 1 + 0.75 * 2 = 2
    make = partial(optim.SGD, lr=0.1, momentum=0.5, dampening=0.25)
    close(walked(make, [[1.0], [2.0]], [4.0]), [4.0 - 0.3])


def test_sgd_by_hand_with_nesterov():
    # velocities 1 and 2.5; directions 1 + 0.5 * 1 and 2 + 0.5 * 2.5
    make = partial(optim.SGD, lr=0.1, momentum=0.5, nesterov=True)
    close(walked(make, [[1.0], [2.0]], [4.0]), [4.0 - 0.1 * (1.5 + 3.25)])


def test_weight_decay_adds_to_the_gradient():
    got = walked(partial(optim.SGD, lr=0.1, weight_decay=0.5), [[1.0], [1.0]], [2.0])
    close(got, [1.8 - 0.1 * (1.0 + 0.5 * 1.8)])


def test_adam_starts_with_steps_of_its_rate():
    # free of their start at zero, the means of one gradient are the gradient and its square
    got = walked(partial(optim.Adam, lr=0.1, eps=0.0), [[3.0, -0.001, 1e5]], [0.0, 1.0, 2.0])
    close(got, [-0.1, 1.1, 1.9])


def adam(grads, start, lr, beta1, beta2, eps, decay=0.0, decoupled=0.0):
    """Adam from the definition of its means, as sums over all gradients so far."""
    p, seen = np.array(start), []
    for g in grads:
        seen.append(np.array(g) + decay * p)
        p = p * (1.0 - lr * decoupled)
        t = len(seen)
        shares1 = np.array([beta1 ** (t - 1 - k) for k in range(t)])
        shares2 = np.array([beta2 ** (t - 1 - k) for k in range(t)])
        mean = np.tensordot(shares1, seen, 1) / shares1.sum()
        square = np.tensordot(shares2, np.square(seen), 1) / shares2.sum()
        p = p - lr * mean / (np.sqrt(square) + eps)
    return p


@pytest.mark.parametrize(
    ("betas", "eps", "decay"), [((0.9, 0.999), 1e-8, 0.0), ((0.5, 0.8), 0.1, 0.25)]
)
def test_adam_is_a_mean_over_the_root_of_a_mean(betas, eps, decay):
    make = partial(optim.Adam, lr=0.05, betas=betas, eps=eps, weight_decay=decay)
    close(walked(make), adam(GRADS, START, 0.05, *betas, eps, decay=decay))


def test_adamw_keeps_the_decay_out_of_the_means():
    make = partial(optim.AdamW, lr=0.05, betas=(0.5, 0.8), eps=0.1, weight_decay=0.25)
    want = adam(GRADS, START, 0.05, 0.5, 0.8, 0.1, decoupled=0.25)
    close(walked(make), want)
    assert not np.allclose(want, adam(GRADS, START, 0.05, 0.5, 0.8, 0.1, decay=0.25))


def test_adamw_shrinks_what_has_no_slope():
    make = partial(optim.AdamW, lr=0.1, weight_decay=0.5)
    close(walked(make, [np.zeros((2, 3))] * 3), START * 0.95**3)


def test_rmsprop_by_hand():
    # mean of squares 0.25 * 4 = 1, then 0.75 * 1 + 0.25 * 9 = 3
    make = partial(optim.RMSprop, lr=0.1, alpha=0.75, eps=0.5)
    got = walked(make, [[2.0], [3.0]], [4.0])
    close(got, [4.0 - 0.1 * (2.0 / 1.5 + 3.0 / (math.sqrt(3.0) + 0.5))])


def test_rmsprop_by_hand_with_weight_decay():
    # the gradient becomes 2 + 0.5 * 4 = 4, its mean square 0.25 * 16
    make = partial(optim.RMSprop, lr=0.1, alpha=0.75, eps=0.5, weight_decay=0.5)
    close(walked(make, [[2.0]], [4.0]), [4.0 - 0.1 * 4.0 / 2.5])


def test_rmsprop_by_hand_centered_and_with_momentum():
    # means of the gradients 0.5, then 0.75 * 0.5 + 0.25 * 3 = 1.125
    make = partial(optim.RMSprop, lr=0.1, alpha=0.75, eps=0.0, momentum=0.5, centered=True)
    first = 2.0 / math.sqrt(1.0 - 0.25)
    second = 0.5 * first + 3.0 / math.sqrt(3.0 - 1.125**2)
    close(walked(make, [[2.0], [3.0]], [4.0]), [4.0 - 0.1 * (first + second)])


MAKERS = {
    "SGD": partial(optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.1),
    "nesterov": partial(optim.SGD, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": partial(optim.Adam, lr=0.1, weight_decay=0.1),
    "AdamW": partial(optim.AdamW, lr=0.1),
    "RMSprop": partial(optim.RMSprop, lr=0.1, momentum=0.5, centered=True),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_step_leaves_gradients_alone_and_moves_in_place(name):
    p = mg.tensor(START.T, requires_grad=True)
    view, g = p.numpy(), mg.tensor(GRADS[0].T)
    optimiser = MAKERS[name]([p])
    for _ in range(2):
        p.grad = g
        optimiser.step()
    assert np.array_equal(g.numpy(), GRADS[0].T)
    assert p.numpy().base is view.base and not np.array_equal(view, START.T)
    assert p.is_leaf and p.requires_grad
    assert all(not m.requires_grad for m in optimiser.state[p].values() if hasattr(m, "numpy"))


@pytest.mark.parametrize("name", MAKERS)
def test_a_gradient_used_again_is_not_the_memory_of_the_optimiser(name):
    """grad is overwritten in place where gradients are zeroed; what is remembered is not."""
    p = mg.tensor(START, requires_grad=True)
    optimiser = MAKERS[name]([p])
    p.grad = mg.tensor(GRADS[0])
    optimiser.step()
    kept = {k: v.tolist() for k, v in optimiser.state[p].items() if hasattr(v, "tolist")}
    optimiser.zero_grad(set_to_none=False)
    assert {k: v.tolist() for k, v in optimiser.state[p].items() if hasattr(v, "tolist")} == kept
    assert kept


@pytest.mark.parametrize("name", MAKERS)
def test_single_precision_stays_single(name):
    p = mg.tensor([1.0, 2.0], requires_grad=True)
    p.grad = mg.tensor([0.5, -0.5])
    optimiser = MAKERS[name]([p])
    optimiser.step()
    tensors = [m for m in optimiser.state[p].values() if hasattr(m, "dtype")]
    assert tensors and all(m.dtype is mg.float32 for m in [p, *tensors])


@pytest.mark.parametrize("name", MAKERS)
def test_a_parameter_of_no_axes(name):
    p = mg.tensor(2.0, dtype=mg.float64, requires_grad=True)
    p.grad = mg.tensor(1.0, dtype=mg.float64)
    MAKERS[name]([p]).step()
    assert p.shape == () and p.item() < 2.0
