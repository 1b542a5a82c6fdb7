"""The walk back: every shape of graph, what arrives at leaves, and what is used up."""

import numpy as np
import pytest
from slopes import drawn, equal, leaf, near, slopes

import minigrad as mg


def test_a_number_used_twice_receives_both_parts():
    x = leaf([1.5, -2.0, 0.25])
    (x * x + 3.0 * x).sum().backward()
    equal(x.grad, 2 * x.numpy() + 3.0)


def test_diamonds_add_up_once_for_each_path():
    x = leaf([0.5, -1.25])
    y = x
    for _ in range(30):  # 2 ** 30 paths
        y = y + y
    y.sum().backward()
    equal(x.grad, np.full(2, 2.0**30))


def test_a_late_part_is_waited_for():
    x = leaf([0.3, 0.7])
    h = mg.exp(x)
    short, long = h * 2.0, mg.sin(mg.sin(h * 0.5))
    (short * long).sum().backward()

    def f(v):
        return float(np.sum(np.exp(v) * 2.0 * np.sin(np.sin(np.exp(v) * 0.5))))

    near(x.grad, slopes(f, x.numpy()))


def test_several_outputs_of_one_graph():
    x = leaf(drawn(2, 3))
    h = mg.tanh(x)
    first, second = (h * h).sum(), mg.exp(h)
    weights = drawn(2, 3, seed=1)
    gx, gh = mg.grad([first, second], [x, h], [None, leaf(weights, False)])
    t = np.tanh(x.numpy())
    equal(gh, 2 * t + weights * np.exp(t))
    equal(gx, (2 * t + weights * np.exp(t)) * (1 - t * t))


def test_pieces_that_were_split_come_back_in_their_places():
    x = leaf(drawn(5, 3))
    a, b = mg.split(x, [2, 3])
    ((a * a).sum() + (b * 3.0).sum()).backward()
    equal(x.grad, np.concatenate([2 * x.numpy()[:2], np.full((3, 3), 3.0)]))


def test_grads_add_up_over_walks_and_none_starts_anew():
    x = leaf([2.0, 3.0])
    (x * x).sum().backward()
    (5.0 * x).sum().backward()
    equal(x.grad, 2 * x.numpy() + 5.0)
    x.grad = None
    (x * 7.0).sum().backward()
    equal(x.grad, np.full(2, 7.0))


def test_two_leaves_never_share_a_grad():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    weight = leaf([0.5, 0.25], False)
    (x + y).backward(weight)
    x.grad.zero_()
    equal(y.grad, [0.5, 0.25])
    equal(weight, [0.5, 0.25])
    z = leaf([1.0, 2.0])
    z.backward(weight)
    z.grad.add_(1.0)
    equal(weight, [0.5, 0.25])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", ["plain", "turned", "repeated", "backwards"])
def test_a_grad_has_the_shape_and_dtype_of_its_leaf_and_can_be_written_to(dtype, layout):
    base = mg.asarray(drawn(3, 1), dtype=dtype)
    x = {
        "plain": lambda: base.expand(3, 4).copy(),
        "turned": lambda: base.expand(3, 4).copy().T,
        "repeated": lambda: base.expand(3, 4),
        "backwards": lambda: base.expand(3, 4).copy().flip(0),
    }[layout]().requires_grad_()
    other = leaf(drawn(2, *x.shape), False)  # broadcasts, and is float64
    (x * other).sum().backward()
    assert x.grad.is_contiguous and not x.grad.requires_grad
    equal(x.grad, other.numpy().sum(0).astype(dtype))
    x.grad.mul_(2.0)
    x.grad[...] = 0.0
    assert not x.grad.numpy().any()


def test_an_input_of_one_column_is_added_up_over_what_it_was_repeated_to():
    x, y = leaf(drawn(3, 1)), leaf(drawn(4, seed=1))
    (x * y).sum().backward()
    equal(x.grad, np.full((3, 1), y.numpy().sum()))
    equal(y.grad, np.full(4, x.numpy().sum()))


def test_gradients_of_repeated_and_strided_views():
    x = leaf(drawn(4, 6))
    view = x[::-1, 1::2].expand(2, 4, 3).mT
    weights = drawn(2, 3, 4, seed=3)
    (view * leaf(weights, False)).sum().backward()
    expected = np.zeros((4, 6))
    expected[::-1, 1::2] = weights.sum(0).T
    equal(x.grad, expected)


def test_what_needs_no_gradient_gets_none():
    x, c = leaf([1.0, 2.0]), leaf([3.0, 4.0], False)
    y = x * c
    assert y.requires_grad and not c.requires_grad
    y.sum().backward()
    assert c.grad is None
    assert not (c * 2.0).requires_grad


@pytest.mark.parametrize(
    "made",
    [
        lambda x: x > 1.0,
        lambda x: x == x,
        lambda x: mg.argmax(x),
        lambda x: mg.isnan(x),
        lambda x: x.astype("int64"),
        lambda x: x.astype("bool"),
        lambda x: mg.logical_and(x, x),
    ],
)
def test_whole_numbers_and_bools_require_no_gradient(made):
    y = made(leaf([0.5, 1.5, 2.5]))
    assert not y.requires_grad and y.is_leaf


def test_a_used_up_branch_does_not_hinder_another():
    x = leaf([1.0, 2.0])
    a, b = x * 2.0, x * 3.0
    a.sum().backward()
    b.sum().backward()
    equal(x.grad, [5.0, 5.0])


def test_retain_graph_lets_it_be_walked_again():
    x = leaf([0.5, 1.5])
    y = mg.exp(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    equal(x.grad, 2 * np.exp(x.numpy()))


def test_a_leaf_itself_can_be_the_root():
    x = leaf(2.5)
    x.backward()
    x.backward()
    equal(x.grad, 2.0)


def test_detach_shares_the_numbers_and_stops_the_walk():
    x = leaf([1.0, 3.0])
    d = (x * x).detach()
    assert d.is_leaf and not d.requires_grad
    (d * x).sum().backward()
    equal(x.grad, x.numpy() ** 2)
    assert x.detach().numpy().base is x.numpy().base


def test_a_leaf_that_no_longer_wants_a_gradient_gets_none():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 5.0])
    z = (x * y).sum()
    x.requires_grad_(False)
    z.backward()
    assert x.grad is None
    equal(y.grad, [1.0, 2.0])


def test_a_long_graph_is_walked_without_recursion():
    x = leaf([0.5, -0.25])
    y = x
    for _ in range(1_500):
        y = mg.sin(y) + y * 0.0
    y.sum().backward()
    expected, v = np.ones(2), x.numpy().copy()
    for _ in range(1_500):
        expected *= np.cos(v)
        v = np.sin(v)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1_500 * 8 * np.finfo(float).eps)
