"""3.8 and 3.9: log of a sum of exponentials, and softmax, for scores of any size."""

import math
import weakref

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.numpy_linear import logsumexp as kernel
from minigrad.reference.ops.softmax import logsumexp, softmax

INF = math.inf


def drawn(*shape, seed=0):
    return asarray(np.random.default_rng(seed).uniform(-3.0, 3.0, shape))


def run(x):
    """The kernel's result for x (..., C), in memory that held NaN before."""
    out = np.full(x.shape[:-1], np.nan, x.dtype)
    with np.errstate(all="ignore"):
        kernel(x, out)
    return out


def exact(x):
    """log(sum(exp(x))) over the last axis of small numbers, by its definition, in more digits."""
    return np.log(np.exp(x.astype(np.longdouble)).sum(-1)).astype(np.float64)


@pytest.mark.exercise("3.8")
def test_logsumexp_by_hand():
    for row, wanted in [
        ([0.0, 0.0], math.log(2.0)),
        ([1.0, 1.0, 1.0, 1.0], 1.0 + math.log(4.0)),
        ([3.0], 3.0),
        ([math.log(1.0), math.log(2.0), math.log(3.0)], math.log(6.0)),
        ([-2.0, -2.0], -2.0 + math.log(2.0)),
    ]:
        got = run(np.array([row]))
        what = "log(sum(exp(x))) of one row"
        expect.close(got, np.array([wanted]), what=what, inputs={"x": row}, scale=1.0)


@pytest.mark.exercise("3.8")
def test_every_row_by_itself():
    x = drawn(3, 3).numpy()
    expect.close(run(x), exact(x), what="logsumexp of three rows", inputs={"x": x}, scale=1.0)
    # One row must not drown in the scores of another.
    x = np.array([[0.0, 1.0], [1000.0, 1001.0], [-1000.0, -1001.0]])
    wanted = np.array([0.0, 1000.0, -1001.0]) + math.log(1.0 + math.e)
    wanted[2] = -1000.0 + math.log(1.0 + math.exp(-1.0))
    expect.close(
        run(x), wanted, what="logsumexp of each row", inputs={"x": x.tolist()}, tol=4 * EPS
    )


@pytest.mark.exercise("3.8")
def test_scores_of_any_size():
    for top in (800.0, -800.0, 1e300, -1e300):
        x = np.array([[top, top], [top, -INF]])
        wanted = np.array([top + math.log(2.0), top])
        expect.close(run(x), wanted, what="logsumexp", inputs={"x": x.tolist()}, tol=4 * EPS)
    x = np.array([[100.0, 100.0]], np.float32)  # exp(100) is no float32
    got = run(x)
    expect.close(got, np.array([100.0 + math.log(2.0)]), what="logsumexp, float32", tol=1e-7)


@pytest.mark.exercise("3.8")
def test_infinity_and_nan():
    x = np.array([[-INF, -INF], [1.0, INF], [INF, INF], [-INF, 5.0], [math.nan, 1.0], [-INF, INF]])
    wanted = np.array([-INF, INF, INF, 5.0, math.nan, INF])
    expect.close(run(x), wanted, what="logsumexp of each row", inputs={"x": x.tolist()})


@pytest.mark.exercise("3.8")
def test_the_last_axis_whatever_stands_before_it():
    for shape in [(5,), (2, 3), (2, 3, 4), (1, 2, 1, 3), (3, 2, 1), (0, 4)]:
        x = drawn(*shape).numpy()
        got = run(x)
        expect.close(got, exact(x), what=f"logsumexp of shape {shape}", inputs={"x": x}, scale=1.0)
    x = drawn(6, 4, 3).numpy()[::2, ::-1].transpose(2, 0, 1)
    before = x.copy()
    expect.close(run(x), exact(x), what="logsumexp of a view with odd strides", scale=1.0)
    expect.that(bool((x == before).all()), "the kernel leaves x as it was")
    expect.close(run(np.zeros((2, 0))), np.full(2, -INF), what="logsumexp of rows without elements")


@pytest.mark.exercise("3.8")
def test_the_op_on_top_of_the_kernel():
    x = drawn(2, 3, 4)
    sums = np.exp(x.numpy())
    for axis, keepdims in [(None, False), (0, False), (1, True), ((0, 2), False), ((-1, 0), True)]:
        wanted = np.log(sums.sum(axis, keepdims=keepdims))
        got = logsumexp(x, axis=axis, keepdims=keepdims)
        given = {"x": x.numpy(), "axis": axis}
        expect.close(got, wanted, what="logsumexp(x, axis)", inputs=given, scale=1.0)
        gradcheck(logsumexp, x, options={"axis": axis, "keepdims": keepdims})


@pytest.mark.exercise("3.9")
def test_softmax_by_hand():
    x = np.log(np.array([[1.0, 2.0, 5.0], [1.0, 1.0, 2.0]]))
    wanted = np.array([[0.125, 0.25, 0.625], [0.25, 0.25, 0.5]])
    expect.close(softmax(asarray(x)), wanted, what="softmax(x)", inputs={"x": x.tolist()})


@pytest.mark.exercise("3.9")
def test_the_gradient_of_softmax_by_hand():
    x, g = asarray(np.log(np.array([[1.0, 2.0, 5.0]]))), np.array([[8.0, 0.0, 16.0]])
    # p = (1, 2, 5) / 8, and the sum of g * p is 11: p * (g - 11)
    wanted = np.array([[-0.375, -2.75, 3.125]])
    (found,) = softmax.with_vjp(x)[1](asarray(g))
    given = {"x": "log([[1, 2, 5]])", "g": g.tolist()}
    expect.close(found, wanted, what="the gradient of x", inputs=given, tol=32 * EPS)


@pytest.mark.exercise("3.9")
def test_softmax_along_every_axis():
    for shape in [(5,), (3, 3), (2, 3, 4), (1, 2, 1, 3), (4, 1), (0, 3), (2, 0)]:
        x = drawn(*shape)
        parts = np.exp(x.numpy())
        for axis in range(-len(shape), len(shape)):
            wanted = parts / parts.sum(axis, keepdims=True)
            given = {"x": x.numpy(), "axis": axis}
            expect.close(softmax(x, axis=axis), wanted, what="softmax(x, axis)", inputs=given)
            gradcheck(softmax, x, options={"axis": axis})
    expect.close(softmax(drawn(2, 3)), softmax(drawn(2, 3), axis=1), what="softmax(x) without axis")


@pytest.mark.exercise("3.9")
def test_softmax_of_scores_of_any_size():
    x = np.array([[1000.0, 1000.0], [-1000.0, -INF], [0.0, -2000.0]])
    wanted = np.array([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]])
    out, pull = softmax.with_vjp(asarray(x))
    expect.close(out, wanted, what="softmax(x)", inputs={"x": x.tolist()})
    (found,) = pull(asarray(np.array([[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]])))
    slopes = np.array([[-0.5, 0.5], [0.0, 0.0], [0.0, 0.0]])
    expect.close(found, slopes, what="the gradient of x", inputs={"x": x.tolist()})


@pytest.mark.exercise("3.9")
def test_softmax_keeps_float32():
    x = drawn(2, 3).astype("float32")
    out, pull = softmax.with_vjp(x)
    kinds = (str(out.dtype), str(pull(out)[0].dtype))
    expect.equal(kinds, ("float32", "float32"), what="the dtypes of the result and the gradient")


@pytest.mark.exercise("3.9")
def test_the_vjp_does_not_hold_the_result():
    out, vjp = softmax.function(drawn(2, 3), axis=1)
    memory = weakref.ref(out.buffer)
    del out
    expect.that(
        memory() is None, "the vjp of softmax uses the `out` it is handed, not the one made before"
    )
    g, other = asarray(np.array([[1.0, 0.0]])), asarray(np.array([[0.25, 0.75]]))
    wanted = np.array([[0.1875, -0.1875]])
    expect.close(vjp(g, other)[0], wanted, what="vjp(g, out) for out = [[0.25, 0.75]]")
