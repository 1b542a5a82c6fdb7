"""grad: which derivative of what, and derivatives of derivatives."""

import numpy as np
import pytest
from slopes import drawn, equal, leaf, near, slopes

import minigrad as mg


def test_grad_leaves_every_grad_as_it_was():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    z = (x * y).sum()
    gy, gx = mg.grad(z, [y, x])
    equal(gy, x.numpy())
    equal(gx, y.numpy())
    assert x.grad is None and y.grad is None


def test_one_tensor_gives_a_tuple_of_one():
    x = leaf([1.0, 2.0])
    found = mg.grad((x * x).sum(), x)
    assert isinstance(found, tuple)
    equal(found[0], 2 * x.numpy())


def test_an_input_may_be_in_the_middle():
    x = leaf([0.5, 1.0])
    h = mg.exp(x)
    z = (h * h).sum()
    (g,) = mg.grad(z, h, retain_graph=True)
    equal(g, 2 * np.exp(x.numpy()))
    gx, gh, gz = mg.grad(z, [x, h, z])
    equal(gh, g.numpy())
    equal(gx, 2 * np.exp(2 * x.numpy()))
    equal(gz, 1.0)


def test_only_what_leads_to_the_inputs_is_walked():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])

    class Untouched(mg.Function):
        @staticmethod
        def forward(ctx, v):
            return v * 1.0

        @staticmethod
        def backward(ctx, g):
            raise AssertionError("this branch leads to no input")

    beside = Untouched.apply(y)
    beside.register_hook(lambda g: pytest.fail("nothing is to arrive here"))
    z = (x * 3.0 + beside).sum()
    (g,) = mg.grad(z, x)
    equal(g, [3.0, 3.0])


def test_an_unused_input_is_none_if_allowed():
    x, y = leaf([1.0]), leaf([2.0])
    z = (x * 2.0).sum()
    assert mg.grad(z, [y, x], allow_unused=True, retain_graph=True)[0] is None
    with pytest.raises(RuntimeError, match=r"input 0, of shape \(1,\)"):
        mg.grad(z, [y, x], retain_graph=True)
    equal(mg.grad(z, x)[0], [2.0])


def test_an_input_given_twice():
    x = leaf([1.0, 2.0])
    a, b = mg.grad((x * x).sum(), [x, x])
    equal(a, 2 * x.numpy())
    equal(b, 2 * x.numpy())


def test_weights_of_outputs():
    x = leaf(drawn(3))
    y, z = mg.sin(x), (x * x).sum()
    weights = leaf(drawn(3, seed=1), False)
    (g,) = mg.grad([y, z, y], x, [weights, None, leaf(np.ones(3), False)])
    v = x.numpy()
    equal(g, np.cos(v) * (weights.numpy() + 1) + 2 * v)


def test_a_weight_that_was_written_after_the_graph():
    """It is older than the graph and changed since, but the graph never read it."""
    x, weights = leaf([0.5, 1.5]), mg.zeros(2, "float64")
    y = mg.exp(x)
    weights[...] = [3.0, 5.0]
    y.backward(weights, retain_graph=True)
    equal(x.grad, np.exp(x.numpy()) * [3.0, 5.0])
    (g,) = mg.grad(y, x, weights, create_graph=True)
    weights.zero_()
    equal(g, np.exp(x.numpy()) * [3.0, 5.0])
    (h,) = mg.grad(g.sum(), x)
    equal(h, np.exp(x.numpy()) * [3.0, 5.0])


def test_weights_can_be_differentiated_too():
    """The gradient is linear in the weights: this is a forward-mode derivative."""
    x, v = leaf(drawn(3)), leaf(np.zeros(3))
    (back,) = mg.grad(mg.exp(x), x, v, create_graph=True)
    direction = leaf(drawn(3, seed=2), False)
    (forward,) = mg.grad(back, v, direction)
    equal(forward, np.exp(x.numpy()) * direction.numpy())


def test_the_same_output_twice_with_weights_that_want_gradients():
    x, v, w = leaf([2.0]), leaf([3.0]), leaf([5.0])
    y = x * x
    with mg.no_grad():
        (g,) = mg.grad([y, y], x, [v, w], create_graph=True)
    equal(g, [32.0])
    gv, gw = mg.grad(g.sum(), [v, w])
    equal(gv, [4.0])
    equal(gw, [4.0])


def test_four_derivatives_of_a_power():
    x = leaf([0.5, -1.5, 2.0])
    found, y = [], (x**4.0).sum()
    for _ in range(4):
        (g,) = mg.grad(y, x, create_graph=True)
        found.append(g)
        y = g.sum()
    v = x.numpy()
    for g, expected in zip(found, [4 * v**3, 12 * v**2, 24 * v, np.full(3, 24.0)], strict=True):
        equal(g, expected, roundings=32)


def network(x, w, v):
    return (mg.tanh(x @ w) @ v).square().mean() + mg.logsumexp(x @ w, axis=1).sum()


def test_hessian_vector_products():
    x, w, v = drawn(4, 3, low=-1.0), drawn(3, 5, seed=1, low=-1.0), drawn(5, 2, seed=2, low=-1.0)
    direction = drawn(3, 5, seed=3, low=-1.0)

    def gradient(numbers):
        w = leaf(numbers)
        return mg.grad(network(leaf(x, False), w, leaf(v, False)), w)[0].numpy()

    def f(numbers):
        return float((gradient(numbers) * direction).sum())

    weights = leaf(w)
    (g,) = mg.grad(network(leaf(x), weights, leaf(v)), weights, create_graph=True)
    near(g, slopes(lambda n: network(leaf(x), leaf(n), leaf(v)).item(), w))
    (found,) = mg.grad((g * leaf(direction, False)).sum(), weights)
    near(found, slopes(f, w))


def test_backward_through_a_gradient_fills_the_grads():
    """A gradient penalty: the norm of dy/dx is itself a loss for w."""
    x, w = leaf(drawn(3)), leaf(drawn(3, seed=1))
    (g,) = mg.grad((mg.sin(x) * w).sum(), x, create_graph=True)
    (g * g).sum().backward()
    c = np.cos(x.numpy())
    equal(w.grad, 2 * w.numpy() * c * c)
    equal(x.grad, -2 * w.numpy() ** 2 * c * np.sin(x.numpy()))


def test_backward_with_create_graph_gives_a_grad_that_can_be_differentiated():
    x = leaf([0.5, 2.0])
    (x**3.0).sum().backward(create_graph=True)
    (x * x).sum().backward(create_graph=True)
    (h,) = mg.grad(x.grad.sum(), x)
    equal(h, 6 * x.numpy() + 2)


def test_backward_with_create_graph_keeps_the_recording():
    x = leaf([0.5, 2.0])
    y = mg.exp(x).sum()
    y.backward(create_graph=True)
    y.backward(create_graph=True, retain_graph=False)
    equal(x.grad, 2 * np.exp(x.numpy()))
    with pytest.raises(RuntimeError, match="used up"):
        y.backward()


def test_create_graph_keeps_the_first_recording_too():
    x = leaf([0.5, 2.0])
    y = mg.exp(x).sum()
    mg.grad(y, x, create_graph=True)
    mg.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="used up"):
        mg.grad(y, x)


def test_a_gradient_that_needs_no_input_is_a_constant():
    x = leaf([0.5, 2.0])
    (g,) = mg.grad((3.0 * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=r"not recorded|not computed from"):
        mg.grad(g.sum(), x)


@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float64", "float32")])
def test_gradients_come_back_in_the_dtype_of_their_input(dtypes):
    x, y = (mg.asarray(drawn(3, seed=k), dtype=d) for k, d in enumerate(dtypes))
    x.requires_grad_()
    y.requires_grad_()
    gx, gy = mg.grad((x * y).sum(), [x, y])
    assert (str(gx.dtype), str(gy.dtype)) == dtypes
    np.testing.assert_array_equal(gx.numpy(), y.numpy().astype(dtypes[0]))
    np.testing.assert_array_equal(gy.numpy(), x.numpy().astype(dtypes[1]))
