"""4.6: whole walks: once, twice, and through the walk itself."""

import gc

import numpy as np
import pytest

from minigrad import exp, grad, is_grad_enabled, no_grad, tensor
from minigrad.course import expect
from minigrad.reference.memory import counting

pytestmark = pytest.mark.exercise("4.6")


def leaf(numbers):
    return tensor(np.array(numbers), requires_grad=True)


def test_backward_leaves_gradients_at_the_leaves():
    a, b, c = leaf(2.0), leaf(-3.0), leaf(10.0)
    ((a * b + c) * a).backward()
    got = [x.grad.item() for x in (a, b, c)]
    expect.close(got, [-2.0, 4.0, 2.0], what="a.grad, b.grad, c.grad of (a * b + c) * a")
    (a * b).backward()
    expect.close(a.grad, -5.0, what="a.grad after (a * b).backward() on top: -2 - 3")


def test_a_gradient_is_a_constant_unless_asked():
    x = leaf([2.0, 3.0])
    (g,) = grad((x * x).sum(), x)
    expect.close(g, np.array([4.0, 6.0]), what="the gradient of sum(x * x)")
    expect.equal(g.requires_grad, False, what="whether grad(y, x) was recorded")
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    expect.equal(x.grad.requires_grad, False, what="whether x.grad was recorded")
    expect.equal(is_grad_enabled(), True, what="whether ops are recorded after backward")


def test_derivatives_of_derivatives():
    x = leaf(2.0)
    d0 = x * x * x * x
    (d1,) = grad(d0, x, create_graph=True)
    expect.equal(d1.requires_grad, True, what="whether grad(y, x, create_graph=True) was recorded")
    (d2,) = grad(d1, x, create_graph=True)
    (d3,) = grad(d2, x)
    got = [d.item() for d in (d0, d1, d2, d3)]
    expect.close(got, [16.0, 32.0, 48.0, 48.0], what="x ** 4 and its three derivatives at 2")
    expect.equal(d3.requires_grad, False, what="whether the last one was recorded")


def test_what_counts_is_what_the_caller_asks_for():
    x = leaf(3.0)
    y = x * x * x
    with no_grad():
        (d1,) = grad(y, x, create_graph=True)
        (plain,) = grad(y, x, retain_graph=True)
    expect.equal(d1.requires_grad, True, what="whether create_graph=True holds within no_grad")
    expect.equal(plain.requires_grad, False, what="whether grad(y, x) within no_grad was recorded")
    (d2,) = grad(d1, x)
    expect.close(d2, 18.0, what="the second derivative of x ** 3", inputs={"x": 3.0})


def test_a_recording_is_used_once():
    x = leaf([1.0, 2.0])
    y = exp(x).sum()
    y.backward()
    expect.raises(RuntimeError, y.backward, what="backward a second time", match="used up")
    expect.close(x.grad, np.exp([1.0, 2.0]), what="x.grad after one backward", tol=1e-14)


def test_a_recording_that_is_kept():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    expect.equal(x.grad.requires_grad, False, what="whether x.grad was recorded")
    y.backward(retain_graph=True)
    y.backward()
    expect.close(x.grad, np.array([6.0, 12.0]), what="x.grad after three backward of sum(x * x)")
    expect.raises(RuntimeError, y.backward, what="backward a fourth time", match="used up")


def test_a_recorded_gradient_does_not_keep_what_was_not_asked_for():
    x = leaf(2.0)
    y = x * x * x
    (d1,) = grad(y, x, create_graph=True, retain_graph=False)
    expect.raises(
        RuntimeError,
        lambda: grad(y, x),
        what="grad of y again, after create_graph=True, retain_graph=False",
        match="used up",
    )
    expect.close(d1, 12.0, what="the derivative of x ** 3", inputs={"x": 2.0})


def test_only_what_was_used_is_released():
    x = leaf([0.0, 1.0])
    h = exp(x)
    y = (h * h).sum()
    (gh,) = grad(y, h)  # this walk ends at h and does not use exp's vjp
    expect.close(gh, 2.0 * np.exp([0.0, 1.0]), what="the gradient of h in sum(h * h)", tol=1e-14)
    h.backward(gh)
    want = 2.0 * np.exp([0.0, 2.0])
    expect.close(x.grad, want, what="x.grad, the rest of the way in a walk of its own", tol=1e-14)


def test_backward_gives_the_memory_back():
    x = leaf(np.linspace(-1.0, 1.0, 1000))
    with counting() as count:
        gc.disable()
        try:
            y = exp(exp(x * 0.5) * x).sum()
            before = count.live_nbytes
            y.backward()
            x.grad = None
            after = count.live_nbytes
        finally:
            gc.enable()
    expect.that(before > 3 * 8000, "y, recorded, keeps the numbers its vjps need")
    kept = f"{after} bytes" if after > 8 else "the result alone"
    expect.equal(kept, "the result alone", what="what y, still held, keeps after backward")


def test_an_error_on_the_way_leaves_the_recording():
    x = leaf([1.0, 2.0])
    h = x * x
    y = (h * 3.0).sum()

    def failing(g):
        raise KeyError("a hook of yours")

    remove = h.register_hook(failing)
    expect.raises(KeyError, y.backward, what="an error of a hook goes through", match="hook")
    expect.equal(is_grad_enabled(), True, what="whether ops are recorded after the error")
    remove()
    y.backward()
    expect.close(x.grad, np.array([6.0, 12.0]), what="x.grad, the second time without the error")


def test_a_hessian_times_a_vector():
    a = np.array([[1.0, -0.5], [0.25, 2.0], [-1.0, 0.5]])
    x, v = leaf([0.5, -1.0]), np.array([2.0, 3.0])
    (g,) = grad(exp(tensor(a) @ x).sum(), x, create_graph=True)
    (got,) = grad((g * tensor(v)).sum(), x)
    want = a.T @ (np.exp(a @ x.numpy()) * (a @ v))
    expect.close(got, want, what="the Hessian of sum(exp(a @ x)) times v", tol=1e-13)


def rosenbrock(p):
    x, y = p[0], p[1]
    return (1.0 - x).square() + 100.0 * (y - x.square()).square()


@pytest.mark.limit(cpu=4)
def test_newton_in_the_valley_of_rosenbrock():
    at = np.array([-1.2, 1.0])
    for step in range(6):
        p = leaf(at)
        (g,) = grad(rosenbrock(p), p, create_graph=True)
        rows = [grad(g[k], p, retain_graph=True)[0].numpy() for k in range(2)]
        x, y = at
        slope = [-2.0 * (1.0 - x) - 400.0 * x * (y - x * x), 200.0 * (y - x * x)]
        bend = [[2.0 - 400.0 * (y - 3.0 * x * x), -400.0 * x], [-400.0 * x, 200.0]]
        given = {"p": at.tolist(), "step": step}
        expect.close(g, np.array(slope), what="the gradient", inputs=given, tol=1e-12, scale=1e3)
        expect.close(np.array(rows), np.array(bend), what="the Hessian", inputs=given, tol=1e-12)
        at = at - np.linalg.solve(np.array(bend), np.array(slope))
    expect.close(at, np.array([1.0, 1.0]), what="where six steps of Newton's method end", tol=1e-8)
