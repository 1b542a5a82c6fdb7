"""What is recorded and what is not: leaves, constants, no_grad, detach; hooks; custom functions."""

import threading

import numpy as np
import pytest
from case import numbers, spread

import minigrad as mg


def leaf(array, device):
    return mg.tensor(np.array(array, np.float64), device=device, requires_grad=True)


@pytest.mark.row("x.requires_grad", "x.requires_grad_", "x.is_leaf", "x.detach", "x.is_parameter")
def test_leaves_results_and_constants(device):
    x = mg.tensor([1.0, 2.0], device=device)
    assert (x.requires_grad, x.is_leaf, x.is_parameter) == (False, True, False)
    assert x.requires_grad_() is x
    y = x * 2.0
    assert (x.requires_grad, x.is_leaf, y.requires_grad, y.is_leaf) == (True, True, True, False)
    constant = y.detach()
    assert (constant.requires_grad, constant.is_leaf) == (False, True)
    assert (constant * 3.0).requires_grad is False
    constant[0] = 50.0
    assert y.tolist() == [50.0, 4.0]
    x.requires_grad = False
    assert (x * 2.0).requires_grad is False
    x.requires_grad_(True).requires_grad_(False)
    assert x.requires_grad is False
    x.is_parameter = True
    assert x.is_parameter
    for made in (mg.zeros((2,), requires_grad=True, device=device), mg.rand(2, requires_grad=True)):
        assert made.requires_grad and made.is_leaf


def test_one_input_is_enough(device):
    x, c = leaf([1.0, 2.0], device), mg.tensor([3.0, 4.0], dtype="float64", device=device)
    for out in (x + c, c + x, c * 2.0 - x, mg.where(c > 3.0, c, x), mg.cat([c, x])):
        assert out.requires_grad
    for out in (c + c, x > c, x.isnan(), x.argmax(), x.astype("int64"), x.round() == x):
        assert not out.requires_grad


@pytest.mark.row("no_grad", "enable_grad", "is_grad_enabled")
def test_blocks_that_record_and_blocks_that_do_not(device):
    x = leaf(3.0, device)
    seen = [mg.is_grad_enabled()]
    with mg.no_grad():
        seen += [mg.is_grad_enabled(), (x * x).requires_grad]
        with mg.enable_grad():
            seen += [mg.is_grad_enabled(), (x * x).requires_grad]
        seen.append(mg.is_grad_enabled())
    assert seen == [True, False, False, True, True, False]
    assert mg.is_grad_enabled()

    @mg.no_grad()
    def silent(factor):
        """What it says."""
        return x * factor

    assert (silent(2.0).requires_grad, silent.__doc__) == (False, "What it says.")
    with pytest.raises(KeyError), mg.no_grad():
        raise KeyError
    assert mg.is_grad_enabled()
    with mg.no_grad():
        made = mg.zeros((2,), requires_grad=True, device=device)
    assert made.requires_grad


def test_each_thread_has_a_mode_of_its_own():
    seen = []
    with mg.no_grad():
        thread = threading.Thread(target=lambda: seen.append(mg.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


@pytest.mark.row("x.register_hook", "x.retain_grad")
def test_hooks_see_the_whole_gradient_and_may_change_it(device):
    x = leaf([1.0, 2.0], device)
    half = x * 3.0
    met = []
    half.register_hook(lambda g: met.append(("first", g.tolist())))
    half.register_hook(lambda g: g * 10.0)
    removed = half.register_hook(lambda g: met.append("never"))
    last = half.register_hook(lambda g: met.append(("last", g.tolist())))
    removed()
    removed()
    (half * 1.0 + half).sum().backward()
    assert met == [("first", [2.0, 2.0]), ("last", [20.0, 20.0])]
    assert x.grad.tolist() == [60.0, 60.0]
    last()
    x.register_hook(lambda g: g.clip(-5.0, 5.0))
    x.grad = None
    (x * 100.0).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_a_kept_gradient_of_a_result(device):
    x = leaf([1.0, 2.0], device)
    half = x * 3.0
    half.retain_grad()
    other = half * half
    other.sum().backward(retain_graph=True)
    assert (half.grad.tolist(), other.grad) == ([6.0, 12.0], None)
    other.sum().backward()
    assert half.grad.tolist() == [12.0, 24.0]


class Scaled(mg.Function):
    """x * y, with a gradient of its own: that of x ten times."""

    @staticmethod
    def forward(ctx, x, y, factor):
        assert not mg.is_grad_enabled()
        ctx.save_for_backward(x, y)
        ctx.factor = factor
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return ctx.factor * g * y, g * x if ctx.needs_input_grad[1] else None, None


class Parts(mg.Function):
    """exp(x) and its square, from one forward; the result is saved."""

    @staticmethod
    def forward(ctx, x):
        out = x.exp()
        ctx.save_for_backward(out)
        return out, out * out

    @staticmethod
    def backward(ctx, g, h):
        (out,) = ctx.saved_tensors
        return g * out + 2.0 * h * out * out


@pytest.mark.row("Function")
def test_a_function_of_ones_own(device):
    x, y = leaf([1.0, 2.0], device), leaf([3.0, 5.0], device)
    Scaled.apply(x, y, 10.0).sum().backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([30.0, 50.0], [1.0, 2.0])
    constant = y.detach()
    out = Scaled.apply(x, constant, 2.0)
    assert (out.requires_grad, out.is_leaf) == (True, False)
    assert not Scaled.apply(constant, constant, 2.0).requires_grad


def test_a_function_with_several_results_and_its_second_derivative(device):
    x = leaf(spread(3), device)
    e = np.exp(numbers(x))
    first, squared = Parts.apply(x)
    w = spread(3, seed=5)
    (d,) = mg.grad((first * mg.tensor(w, device=device) + squared).sum(), x, create_graph=True)
    np.testing.assert_allclose(numbers(d), w * e + 2 * e * e, rtol=1e-14)
    (dd,) = mg.grad(d.sum(), x)
    np.testing.assert_allclose(numbers(dd), w * e + 4 * e * e, rtol=1e-14)
    _, squared = Parts.apply(x)  # nothing arrives at the other
    squared.sum().backward()
    np.testing.assert_allclose(numbers(x.grad), 2 * e * e, rtol=1e-14)


@pytest.mark.row("iter(x)")
def test_rows_are_differentiated(device):
    x = leaf([[1.0, 2.0], [3.0, 4.0]], device)
    first, second = x
    (first * second).sum().backward()
    assert x.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]


def test_nothing_of_a_masked_nan_comes_back(device):
    x = leaf([np.nan, np.inf, 2.0], device)
    known = x.isfinite()
    mg.where(known, x, 0.0).sum().backward()
    x.masked_fill(~known, 0.0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 2.0]


def test_ties_share_and_kinks_are_zero(device):
    x = leaf([[1.0, 3.0, 3.0], [0.0, -2.0, 0.0]], device)
    x.max(axis=1).sum().backward()
    assert x.grad.tolist() == [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5]]
    x.grad = None
    y = leaf(np.zeros((2, 3)), device)
    (x.relu() + x.abs() + mg.maximum(x, y)).sum().backward()
    # relu and abs have slope 0 at 0; maximum shares where the two are equal.
    assert x.grad.tolist() == [[3.0, 3.0, 3.0], [0.5, -1.0, 0.5]]
    assert y.grad.tolist() == [[0.0, 0.0, 0.0], [0.5, 1.0, 0.5]]
