"""7.4: the way back through a row that was brought to mean 0 and variance 1."""

import math
import weakref

import numpy as np
import pytest

from minigrad import layer_norm, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.op import is_array
from minigrad.reference.ops.norm import standardised

pytestmark = pytest.mark.exercise("7.4")


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def pulled(x, g, eps):
    """The gradient of x, where `g` is that of the standardised rows."""
    out, vjp = standardised.function(asarray(x), eps)
    found = vjp(asarray(g), out)
    alone = isinstance(found, tuple) and len(found) == 1
    expect.that(alone, "the vjp gives a tuple, with the gradient of x alone: (...,)")
    expect.that(is_array(found[0]), "the gradient of x is an Array, as ops give it")
    return found[0]


def slopes(x, g, eps):
    """The same for one row, number by number: how each input moves each output.

    out[j] = (x[j] - m) / s: x[i] moves itself, the mean m and, through the variance, the size s.
    """
    n = len(x)
    m = math.fsum(x) / n
    s = math.sqrt(math.fsum((a - m) ** 2 for a in x) / n + eps)
    found = np.zeros(n)
    for i in range(n):
        for j in range(n):
            top = (1.0 if i == j else 0.0) - 1.0 / n
            size = (x[i] - m) / (n * s)  # how x[i] moves s
            found[i] += g[j] * (top / s - (x[j] - m) / s**2 * size)
    return found


def check(x, g, eps, wanted, tol=32 * EPS):
    given = {"x": x.tolist(), "g": g.tolist(), "eps": eps}
    what = "the gradient of x behind standardised(x, eps)"
    expect.close(pulled(x, g, eps), wanted, what=what, inputs=given, tol=tol, scale=1.0)


def test_by_hand():
    # Mean 2, variance 1: out is (-1, -1, 1, 1). The mean of g is 3, that of g * out is -1.
    x, g = np.array([1.0, 1.0, 3.0, 3.0]), np.array([8.0, 0.0, 4.0, 0.0])
    check(x, g, 0.0, np.array([4.0, -4.0, 2.0, -2.0]))


def test_a_row_twice_as_large_has_half_the_slope():
    x, g = np.array([[2.0, 2.0, 6.0, 6.0]]), np.array([[8.0, 0.0, 4.0, 0.0]])
    check(x, g, 0.0, np.array([[2.0, -2.0, 1.0, -1.0]]))


def test_eps_stands_beside_the_variance():
    # Variance 1 and eps 3 make a size of 2: out is (-0.5, 0.5). The mean of g * out is -1.
    x, g = np.array([[1.0, 3.0]]), np.array([[4.0, 0.0]])
    check(x, g, 3.0, np.array([[0.75, -0.75]]))


def test_every_row_by_itself():
    x = np.array([[1.0, 1.0, 3.0, 3.0], [-10.0, 10.0, 10.0, -10.0], [7.0, 5.0, 7.0, 5.0]])
    g = np.array([[8.0, 0.0, 4.0, 0.0], [0.0, 0.0, 0.0, 80.0], [1.0, 1.0, 1.0, 1.0]])
    wanted = np.array([[4.0, -4.0, 2.0, -2.0], [-4.0, 0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 0.0]])
    check(x, g, 0.0, wanted)


@pytest.mark.parametrize("shape", [(6,), (3, 3), (4, 5), (2, 3, 4), (2, 1, 1, 7), (3, 1), (0, 3)])
@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_rows_of_every_shape(shape, eps):
    x, g = drawn(*shape), drawn(*shape, seed=1)
    wanted = np.zeros(shape)
    for at in np.ndindex(shape[:-1]):
        wanted[at] = slopes(x[at], g[at], eps)
    check(x, g, eps, wanted, tol=1e-12)


def test_a_gradient_that_is_the_same_everywhere_is_lost():
    # A number added to a whole row changes nothing: no gradient goes in that direction.
    x = drawn(2, 5)
    check(x, np.full((2, 5), 3.0), 1e-5, np.zeros((2, 5)), tol=1e-13)


def test_a_row_of_equal_numbers():
    # out is 0 and the size is sqrt(eps): g without its mean, over sqrt(eps).
    x, g = np.array([[7.0, 7.0, 7.0]]), np.array([[3.0, 0.0, 0.0]])
    check(x, g, 0.25, np.array([[4.0, -2.0, -2.0]]))


def test_against_differences():
    for eps in (1e-5, 0.5):
        gradcheck(standardised, asarray(drawn(3, 4)), eps)
    gradcheck(standardised, asarray(drawn(2, 1, 5)), 0.1)


def test_the_gradient_has_a_gradient():
    gradgradcheck(standardised, asarray(drawn(2, 4)), 0.1)


def test_scale_and_shift_learn_too():
    x, weight, bias = (tensor(drawn(*s, seed=k)) for k, s in enumerate([(3, 4), (4,), (4,)]))
    gradcheck(layer_norm, x, weight, bias)


def test_float32_stays_float32():
    out, pull = standardised.with_vjp(asarray(drawn(2, 3)).astype("float32"), 1e-5)
    kinds = (str(out.dtype), str(pull(out)[0].dtype))
    expect.equal(kinds, ("float32", "float32"), what="the dtypes of the result and the gradient")


def test_the_vjp_does_not_hold_the_result():
    out, vjp = standardised.function(asarray(drawn(2, 3)), 1e-5)
    g, memory = asarray(drawn(2, 3)), weakref.ref(out.buffer)
    vjp(g, out)
    del out
    expect.that(memory() is None, "the vjp uses the `out` it is handed, and keeps none")
