"""exp (3.4): its own derivative, from -inf to inf."""

import math
import weakref

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.dtypes import float32, float64
from minigrad.gradcheck import gradcheck
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.ops.unary import exp

pytestmark = pytest.mark.exercise("3.4")

POINTS = (0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-9, 10.0, -30.0, 700.0, -700.0)


def wide(x):
    """e ** x in more digits than a float64 has, rounded once."""
    return np.exp(np.asarray(x, np.longdouble)).astype(np.float64)


def test_e_to_the_power_of_every_element():
    for x in (POINTS, np.reshape(POINTS[:10], (5, 2)), np.reshape(POINTS[:10], (2, 5)).T, 2.0, []):
        given = np.array(x, np.float64)
        out = exp(asarray(given))
        expect.that(isinstance(out, Array), "exp(x) is an Array", inputs={"x": given})
        expect.close(out.numpy(), wide(given), what="exp(x)", inputs={"x": given}, tol=4 * EPS)
        expect.equal(out.dtype, float64, what="the dtype of exp of a float64 array")


def test_exp_in_single_precision_and_of_ints():
    x = [0.0, 1.0, -1.0, 5.0]
    tol = 4 * float(np.finfo(np.float32).eps)
    for given in (x, [int(n) for n in x]):
        out = exp(asarray(given))
        expect.close(out.numpy(), wide(given), what="exp(x)", inputs={"x": given}, tol=tol)
        expect.equal(out.dtype, float32, what="the dtype of exp(x)", inputs={"x": given})


def test_exp_of_any_size():
    x = asarray(np.array([1000.0, math.inf, -1000.0, -math.inf, math.nan]))
    want = [math.inf, math.inf, 0.0, 0.0, math.nan]
    out, pull = exp.with_vjp(x)
    expect.close(out.numpy(), want, what="exp(x)", inputs={"x": x.numpy()})
    (dx,) = pull(asarray(np.ones(5)))
    expect.close(dx.numpy(), want, what="the gradient of exp(x)", inputs={"x": x.numpy()})


def test_the_gradient_is_g_times_exp():
    x, g = np.array([0.0, 1.0, -1.0, 2.0]), np.array([1.0, -2.0, 0.5, 10.0])
    _out, pull = exp.with_vjp(asarray(x))
    found = pull(asarray(g))
    expect.equal(len(found), 1, what="the number of gradients of exp(x)")
    expect.that(isinstance(found[0], Array), "the gradient of exp(x) is an Array")
    given = {"x": x, "g": g}
    want = g * wide(x)
    expect.close(found[0].numpy(), want, what="the gradient of exp(x)", inputs=given, tol=8 * EPS)
    expect.equal(found[0].dtype, float64, what="the dtype of the gradient of exp(x)")
    moderate = asarray(np.array(POINTS[:7]))
    gradcheck(exp, moderate)
    gradcheck(exp, asarray(np.reshape(POINTS[:6], (2, 3)).T))
    gradcheck(exp, asarray(np.array(0.5)))


def test_exp_leaves_x_and_g_alone():
    x, g = asarray(np.array([1.0, 2.0])), asarray(np.array([3.0, 4.0]))
    exp.with_vjp(x)[1](g)
    expect.close(x.numpy(), [1.0, 2.0], what="x after exp(x) and its gradient")
    expect.close(g.numpy(), [3.0, 4.0], what="g after the gradient of exp(x)")


def test_the_vjp_does_not_hold_the_result():
    # The tape of chapter 4 keeps the vjp with the result: a vjp that held it would close a circle
    # which is never freed.
    out, vjp = exp.function(asarray([1.0, 2.0]))
    alive = weakref.ref(out)
    del out
    expect.that(
        alive() is None, "the vjp of exp uses the `out` it is handed, not the one made before it"
    )
    (dx,) = vjp(asarray([1.0, 1.0]), asarray([5.0, 7.0]))
    expect.close(dx.numpy(), [5.0, 7.0], what="vjp(g, out) for g = 1 and another out")
