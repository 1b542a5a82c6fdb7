"""One operation at a time: its number, its parents, and its slope along each of them."""

import math

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.scalar import Value

PAIRS = [
    (2.0, -3.0),
    (-0.5, 7.0),
    (0.0, 4.0),
    (5.0, 0.0),
    (1.5, 1.25),
    (1e200, 1e-150),
    (-3.0, -8.0),
]


def slopes(node, count):
    expect.that(isinstance(node, Value), "the operation gives a Value", inputs={"result": node})
    expect.equal(len(node.slopes), count, what=f"the number of slopes of '{node.op}'")
    expect.equal(len(node.parents), count, what=f"the number of parents of '{node.op}'")
    return node.slopes


@pytest.mark.exercise("1.1")
def test_the_product_and_its_slopes():
    for a, b in PAIRS:
        x, y = Value(a), Value(b)
        product = x * y
        given = {"a": a, "b": b}
        expect.close(product.data, a * b, what="a * b", inputs=given)
        along_a, along_b = slopes(product, 2)
        expect.close(along_a, b, what="the slope of a * b along a", inputs=given)
        expect.close(along_b, a, what="the slope of a * b along b", inputs=given)


@pytest.mark.exercise("1.1")
def test_a_product_remembers_its_factors_and_leaves_them_alone():
    a, b = Value(2.0), Value(-3.0)
    product = a * b
    expect.that(
        product.parents[0] is a and product.parents[1] is b,
        "the parents of a * b are a and b themselves, in this order",
    )
    expect.equal(product.op, "*", what="the op of a product")
    expect.equal((a.data, b.data, a.grad, b.grad), (2.0, -3.0, 0.0, 0.0), what="a and b afterwards")
    square = a * a
    expect.that(square.parents == (a, a), "a * a has a as its parent twice")
    expect.close(square.slopes, (2.0, 2.0), what="the slopes of a * a", inputs={"a": 2.0})


@pytest.mark.exercise("1.1")
def test_a_plain_number_may_stand_on_either_side():
    for plain in (3, 3.0, np.float64(3.0), np.float32(3.0), np.int64(3)):
        given = {"a": 2.5, "number": plain}
        right, left = Value(2.5) * plain, plain * Value(2.5)
        expect.close(right.data, 7.5, what="a * number", inputs=given)
        expect.close(slopes(right, 2), (3.0, 2.5), what="the slopes of a * number", inputs=given)
        expect.close(left.data, 7.5, what="number * a", inputs=given)
        expect.close(slopes(left, 2), (2.5, 3.0), what="the slopes of number * a", inputs=given)


@pytest.mark.exercise("1.1")
def test_infinity_and_nan_go_through_a_product():
    expect.close((Value(1e200) * 1e200).data, math.inf, what="1e200 * 1e200")
    expect.close((Value(math.inf) * 0.0).data, math.nan, what="inf * 0")
    expect.close((Value(math.nan) * 2.0).data, math.nan, what="nan * 2")


@pytest.mark.exercise("1.1")
def test_what_is_no_number_is_refused():
    a = Value(2.0)
    expect.close((a * 4).data, 8.0, what="a * 4", inputs={"a": 2.0})
    for wrong in ("4", None, [4.0], 4j, True, np.array([4.0])):
        for call in (lambda w=wrong: a * w, lambda w=wrong: w * a, lambda w=wrong: Value(w)):
            expect.raises(
                TypeError,
                call,
                what="using something that is no real number",
                match="expected a real number, got",
                inputs={"it": wrong},
            )


@pytest.mark.exercise("1.1")
def test_a_value_shows_its_number_and_its_gradient():
    shown = repr(Value(2.0) * -3.0)
    expect.equal(shown, "Value(-6, grad=0)", what="repr(Value(2.0) * -3.0)")


@pytest.mark.exercise("1.3")
def test_the_power_and_its_slope_along_the_base():
    # d(x ** p)/dx, worked out by hand: nothing here shares a formula with __pow__.
    by_hand = [
        (3.0, 2.0, 9.0, 6.0),
        (3.0, 1.0, 3.0, 1.0),
        (-3.0, 2.0, 9.0, -6.0),
        (-3.0, 3.0, -27.0, 27.0),
        (2.0, -1.0, 0.5, -0.25),
        (-0.5, -2.0, 4.0, 16.0),
        (4.0, 0.5, 2.0, 0.25),
        (0.25, 0.5, 0.5, 1.0),
        (0.25, 1.5, 0.125, 0.75),
        (7.0, 0.0, 1.0, 0.0),
        (-0.5, 0.0, 1.0, 0.0),
        (0.0, 2.0, 0.0, 0.0),
        (0.0, 1.0, 0.0, 1.0),
        (0.0, 0.5, 0.0, math.inf),
        (0.0, 0.0, 1.0, 0.0),
    ]
    for x, p, value, slope in by_hand:
        node = Value(x) ** p
        given = {"x": x, "p": p}
        expect.close(node.data, value, what="x ** p", inputs=given)
        expect.close(slopes(node, 2)[0], slope, what="the slope of x ** p along x", inputs=given)


@pytest.mark.exercise("1.3")
def test_the_slope_of_a_power_along_the_exponent():
    ln2 = 0.6931471805599453
    by_hand = [
        (2.0, 3.0, 8.0 * ln2),
        (2.0, 0.0, ln2),
        (4.0, 0.5, 4.0 * ln2),
        (0.5, 2.0, -0.25 * ln2),
        (0.25, -1.0, -8.0 * ln2),
        (1.0, 5.0, 0.0),
        (0.0, 2.0, 0.0),
        (0.0, 0.0, 0.0),
        (-0.5, 2.0, math.nan),
        (-2.0, 3.0, math.nan),
    ]
    for x, p, slope in by_hand:
        node = Value(x) ** Value(p)
        given = {"x": x, "p": p}
        expect.close(slopes(node, 2)[1], slope, what="the slope of x ** p along p", inputs=given)
        turned = x ** Value(p)
        expect.close(turned.slopes[1], slope, what="the same with a plain number x", inputs=given)


@pytest.mark.exercise("1.3")
def test_a_power_remembers_base_and_exponent():
    x, p = Value(2.0), Value(3.0)
    node = x**p
    expect.that(node.parents[0] is x and node.parents[1] is p, "the parents of x ** p are x and p")
    expect.equal(node.op, "**", what="the op of a power")


@pytest.mark.exercise("1.3")
def test_a_power_too_large_for_a_float_is_infinite():
    for x, p, value, slope in [
        (1e200, 2.0, math.inf, 2e200),
        (-1e200, 3.0, -math.inf, math.inf),
        (10.0, 400.0, math.inf, math.inf),
        (-10.0, 400.0, math.inf, -math.inf),
    ]:
        node = Value(x) ** p
        given = {"x": x, "p": p}
        expect.close(node.data, value, what="x ** p", inputs=given)
        expect.close(node.slopes[0], slope, what="the slope of x ** p along x", inputs=given)


@pytest.mark.exercise("1.3")
def test_a_power_without_a_real_answer_is_refused():
    expect.close((Value(-8.0) ** 3).data, -512.0, what="(-8) ** 3")
    expect.raises(
        ValueError, lambda: Value(-8.0) ** 0.5, what="(-8) ** 0.5", match="needs a whole exponent"
    )
    expect.raises(
        ZeroDivisionError, lambda: Value(0.0) ** -1, what="0 ** -1", match="divides by zero"
    )


@pytest.mark.exercise("1.4")
def test_exp_and_its_slope():
    for x in (2.0, -1.0, 1.0, 0.0, 0.5, 1e-9, -30.0, 30.0, -745.0, 700.0):
        parent = Value(x)
        node = parent.exp()
        want = float(np.exp(np.longdouble(x)))
        expect.close(node.data, want, what="exp(x)", inputs={"x": x}, tol=4 * EPS)
        expect.close(slopes(node, 1)[0], want, what="the slope of exp at x", inputs={"x": x})
        expect.that(node.parents[0] is parent, "the parent of exp(x) is x")
        expect.equal(node.op, "exp", what="the op of exp(x)")


@pytest.mark.exercise("1.4")
def test_exp_of_any_size():
    for x, want in [(1000.0, math.inf), (math.inf, math.inf), (-1000.0, 0.0), (-math.inf, 0.0)]:
        node = Value(x).exp()
        expect.close(node.data, want, what="exp(x)", inputs={"x": x})
        expect.close(node.slopes, (want,), what="the slope of exp at x", inputs={"x": x})
    expect.close(Value(math.nan).exp().data, math.nan, what="exp(nan)")


@pytest.mark.exercise("1.6")
def test_sigmoid_and_its_slope():
    for x in (2.0, -2.0, 0.0, 1.0, -1.0, 0.25, -0.25, 0.75, 20.0, -20.0, 37.5, -37.5):
        parent = Value(x)
        node = parent.sigmoid()
        wide = np.exp(-np.longdouble(x))
        expect.close(node.data, float(1 / (1 + wide)), what="sigmoid(x)", inputs={"x": x})
        # s * (1 - s) is within a rounding of 1, so its error counts against 1 where s is near 1.
        slope = float(wide / (1 + wide) ** 2)
        what = "the slope of sigmoid at x"
        loose = 1.0 if x > 0.0 else None
        expect.close(
            slopes(node, 1)[0], slope, what=what, inputs={"x": x}, tol=4 * EPS, scale=loose
        )
        expect.that(node.parents[0] is parent, "the parent of sigmoid(x) is x")
        expect.equal(node.op, "sigmoid", what="the op of sigmoid(x)")


@pytest.mark.exercise("1.6")
def test_sigmoid_of_any_size():
    for x, want in [(1000.0, 1.0), (-1000.0, 0.0), (math.inf, 1.0), (-math.inf, 0.0)]:
        node = Value(x).sigmoid()
        expect.close(node.data, want, what="sigmoid(x)", inputs={"x": x})
        expect.close(node.slopes, (0.0,), what="the slope of sigmoid at x", inputs={"x": x})
    tiny = 3.7200759760208361e-44  # e ** -100, from a table: far too small to survive 1 - s
    expect.close(Value(-100.0).sigmoid().data, tiny, what="sigmoid(-100)", tol=8 * EPS)
    expect.close(Value(math.nan).sigmoid().data, math.nan, what="sigmoid(nan)")
