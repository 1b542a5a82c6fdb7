"""gradcheck finds wrong gradients: a check that passes everything would be worse than none."""

import numpy as np
import pytest

from minigrad.course.expect import EPS
from minigrad.differences import STEP
from minigrad.gradcheck import GradientError, gradcheck
from minigrad.reference.creation import asarray


class Fake:
    """An op in NumPy whose pullback is given, so that nothing between it and the check mends it."""

    def __init__(self, forward, pullback):
        self.forward, self.pullback = forward, pullback
        self.__name__ = "fake"

    def __call__(self, x, y):
        return asarray(np.asarray(self.forward(x.numpy(), y.numpy())))

    def with_vjp(self, x, y):
        a, b = x.numpy(), y.numpy()

        def pull(g):
            gradients = self.pullback(g.numpy(), a, b)
            return tuple(None if d is None else asarray(np.array(d)) for d in gradients)

        return self(x, y), pull


def drawn(*shape, seed=0):
    """Numbers around 1, all different."""
    return asarray(np.random.default_rng(seed).uniform(0.5, 1.5, shape))


def product(pullback):
    return Fake(lambda a, b: a * b, pullback)


def test_a_right_gradient_passes_and_is_reported():
    report = gradcheck(product(lambda g, a, b: (g * b, g * a)), drawn(2, 3), drawn(2, 3, seed=1))
    assert [(i.name, i.shape) for i in report.inputs] == [("x", (2, 3)), ("y", (2, 3))]
    assert (report.op, report.elements) == ("fake", 12)
    assert 0.0 < report.error < 1e-9
    assert str(report).startswith("fake: x (2, 3), y (2, 3): 12 derivatives, largest error ")


def wrong(pullback, *, y=None):
    with pytest.raises(GradientError) as caught:
        gradcheck(product(pullback), drawn(2, 3), drawn(2, 3, seed=1) if y is None else y)
    return caught.value


def test_wrong_at_one_element():
    def pullback(g, a, b):
        right = g * a
        right[1, 2] *= 1.0 + 1e-6
        return g * b, right

    error = wrong(pullback)
    assert error.what == "the gradient of y"
    assert error.detail.startswith("first at [1, 2] (relative error ")
    assert error.detail.endswith("1 of 6 elements differ")
    assert list(error.inputs) == ["x", "y"]
    assert float(error.got) == pytest.approx(float(error.expected), rel=1e-5)


@pytest.mark.parametrize(
    ("pullback", "what"),
    [
        (lambda g, a, b: (g * a, g * b), "the gradient of x"),
        (lambda g, a, b: (g * b, -g * a), "the gradient of y"),
        (lambda g, a, b: (b, a), "the gradient of x"),
        (lambda g, a, b: (g * b, None), "the gradient of y"),
        (lambda g, a, b: (g * b, np.where(a > 1.0, np.nan, g * a)), "the gradient of y"),
        (lambda g, a, b: (g * b, np.where(a > 1.0, np.inf, g * a)), "the gradient of y"),
        (lambda g, a, b: (np.float32(g) * np.float32(b) + 0.0 * g, g * a), "the gradient of x"),
        # Right where g is the same everywhere, or where one element of the result is weighed alone.
        (lambda g, a, b: (g.mean() * b, g * a), "the gradient of x"),
        # Right for a compact x alone.
        (lambda g, a, b: (g * b, g * a[:: int(np.sign(a.strides[0]))]), "the gradient of y,"),
    ],
    ids=[
        "swapped", "sign", "no g", "missing", "nan", "inf", "float32 inside", "mean of g", "layout"
    ],
)  # fmt: skip
def test_wrong_rules(pullback, what):
    assert wrong(pullback).what.startswith(what)


def test_nan_is_told_as_nan():
    error = wrong(lambda g, a, b: (g * b, np.full_like(a, np.nan)))
    assert error.got == "nan"
    assert "6 of 6 elements differ" in error.detail


def test_wrong_shape():
    error = wrong(lambda g, a, b: ((g * b)[:1], g * a))
    assert (error.got, error.expected) == ("shape (1, 3)", "shape (2, 3)")


def test_a_broadcast_that_was_not_undone():
    error = wrong(lambda g, a, b: (g * b, g * a), y=drawn(3))
    assert error.what == "the gradient of y"
    assert (error.got, error.expected) == ("shape (2, 3)", "shape (3,)")


def test_a_broadcast_undone_by_the_mean():
    error = wrong(lambda g, a, b: (g * b, (g * a).mean(0)), y=drawn(3))
    assert error.what == "the gradient of y"


def test_wrong_dtype():
    error = wrong(lambda g, a, b: ((g * b).astype(np.float32), g * a))
    assert (error.got, error.expected) == ("float32", "float64")


def test_a_result_that_depends_on_the_layout():
    with pytest.raises(GradientError, match="negative strides"):
        gradcheck(Fake(lambda a, b: a * b, lambda g, a, b: (
            (g if a.flags.c_contiguous else g[:, ::-1]) * b, g * a
        )), drawn(2, 3), drawn(2, 3, seed=1))  # fmt: skip


def test_a_pullback_that_writes_to_its_inputs():
    def pullback(g, a, b):
        found = g * b, g * a
        a *= 2.0
        return found

    error = wrong(pullback)
    assert (error.what, error.got) == ("x after fake", "changed")


def test_inputs_without_gradient_are_handed_on():
    fake = Fake(lambda a, b: a[b], lambda g, a, b: (np.bincount(b, g, len(a)), None))
    where = asarray(np.array([2, 0, 2]))
    report = gradcheck(fake, drawn(4), where)
    assert [i.name for i in report.inputs] == ["x"]
    with pytest.raises(TypeError, match=r"fake: the gradient of y is asked for, but y is int64"):
        gradcheck(fake, drawn(4), where, wrt=["x", "y"])
    with pytest.raises(TypeError, match=r"the gradient of y is asked for, but y is int64"):
        gradcheck(fake, drawn(4), where, wrt=[1])
    with pytest.raises(TypeError, match=r"no input is an array of floating-point numbers"):
        gradcheck(fake, where, where)


def test_half_the_digits_are_not_enough():
    x = asarray(np.ones(2, np.float32))
    with pytest.raises(TypeError, match=r"x is float32, .* needs float64: x\.astype\(float64\)"):
        gradcheck(product(lambda g, a, b: (g * b, g * a)), x, drawn(2))
    with pytest.raises(TypeError, match=r"fake gives bool; only a float64 result"):
        gradcheck(Fake(lambda a, b: a < b, lambda g, a, b: (g, g)), drawn(2), drawn(2))


def test_where_the_op_is_not_finite_nothing_is_checked():
    fake = Fake(lambda a, b: a * np.inf, lambda g, a, b: (g, g))
    with pytest.raises(ValueError, match="NaN or infinite here"):
        gradcheck(fake, drawn(2), drawn(2))


def test_every_shape_and_layout():
    multiply = product(lambda g, a, b: (g * b, g * a))
    wide = drawn(6, 8)
    for x in (
        drawn(),
        drawn(1),
        drawn(0),
        drawn(2, 0, 3),
        asarray(wide.numpy()[::2, ::-3]),
        asarray(wide.numpy().T),
        asarray(np.broadcast_to(wide.numpy()[:1], (3, 8))),
    ):
        report = gradcheck(multiply, x, asarray(np.array(x.numpy()) + 1.0))
        assert report.elements == 2 * x.numpy().size


def test_the_step_is_where_both_errors_meet():
    # The documented estimate, measured on exp: far from STEP, on either side, the error is larger.
    exp = Fake(lambda a, b: np.exp(a) + b, lambda g, a, b: (g * np.exp(a), g))
    x, y = drawn(20), drawn(20)
    best = gradcheck(exp, x, y, wrt=["x"]).error
    assert best < 3e-10
    for far in (STEP * 300.0, STEP / 3000.0):
        assert gradcheck(exp, x, y, wrt=["x"], eps=far, tol=1.0).error > 10.0 * best
    assert pytest.approx(EPS ** (1 / 3)) == STEP
