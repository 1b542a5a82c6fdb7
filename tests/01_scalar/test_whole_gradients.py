"""Whole gradients (1.5): against the complex step, at the edge of the range, and through a loss."""

import cmath
import gc
import math

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.scalar import Value, cross_entropy


class ByComplexStep:
    """The functions of Value on complex numbers: Im f(x + ih) / h is f'(x), without subtraction."""

    @staticmethod
    def exp(z):
        return cmath.exp(z)

    @staticmethod
    def log(z):
        return cmath.log(z)

    @staticmethod
    def tanh(z):
        return cmath.tanh(z)

    @staticmethod
    def relu(z):
        return z if z.real > 0.0 else 0.0 * z


class OnValues:
    exp, log, tanh, relu = Value.exp, Value.log, Value.tanh, Value.relu


EXPRESSIONS = {
    "2 - x / (1 - y) + (-x)": lambda m, x, y: 2 - x / (1 - y) + (-x),
    "3 / x - 4 / y / x": lambda m, x, y: 3 / x - 4 / y / x,
    "(x - y) * (x + y) - 7": lambda m, x, y: (x - y) * (x + y) - 7,
    "1.5 ** x - x ** 3 + x ** y": lambda m, x, y: 1.5**x - x**3 + x**y,
    "exp(x * y) / (1 + exp(x))": lambda m, x, y: m.exp(x * y) / (1 + m.exp(x)),
    "log(x + y) - log(x)": lambda m, x, y: m.log(x + y) - m.log(x),
    "tanh(x - 2 * y) * tanh(x)": lambda m, x, y: m.tanh(x - 2 * y) * m.tanh(x),
    "relu(x - y) + 5 * relu(y - x) * x": lambda m, x, y: m.relu(x - y) + 5 * m.relu(y - x) * x,
}


@pytest.mark.exercise("1.5")
def test_whole_expressions_against_the_complex_step():
    tiny, tol = 1e-30, 64 * EPS
    for text, f in EXPRESSIONS.items():
        for at in [(0.75, 0.5), (1.25, 2.5), (3.0, 0.125), (0.5, 4.0)]:
            x, y = Value(at[0]), Value(at[1])
            root = f(OnValues, x, y)
            root.backward()
            given = {"x": at[0], "y": at[1]}
            want = f(ByComplexStep, complex(at[0], tiny), complex(at[1])).imag / tiny
            other = f(ByComplexStep, complex(at[0]), complex(at[1], tiny)).imag / tiny
            value = f(ByComplexStep, complex(at[0]), complex(at[1])).real
            expect.close(root.data, value, what=text, inputs=given, tol=tol, scale=1.0)
            expect.close(x.grad, want, what=f"d/dx of {text}", inputs=given, tol=tol, scale=1.0)
            expect.close(y.grad, other, what=f"d/dy of {text}", inputs=given, tol=tol, scale=1.0)


@pytest.mark.exercise("1.5")
def test_functions_at_the_edge_of_their_range():
    cases = [
        ("tanh", 1000.0, 1.0, 0.0),
        ("tanh", -1000.0, -1.0, 0.0),
        ("relu", 1000.0, 1000.0, 1.0),
        ("relu", -1000.0, 0.0, 0.0),
        ("relu", 0.0, 0.0, 0.0),
        ("relu", math.nan, math.nan, 1.0),
        ("log", 1000.0, 6.907755278982137, 1e-3),
        ("log", math.inf, math.inf, 0.0),
        ("exp", -1000.0, 0.0, 0.0),
        ("exp", 1000.0, math.inf, math.inf),
    ]
    for name, at, value, slope in cases:
        x = Value(at)
        root = getattr(x, name)()
        root.backward()
        expect.close(root.data, value, what=f"{name}(x)", inputs={"x": at})
        expect.close(x.grad, slope, what=f"the gradient through {name}", inputs={"x": at})


@pytest.mark.exercise("1.5")
def test_an_operation_without_an_answer_names_itself():
    x = Value(4.0)
    (x / 2).backward()
    expect.close(x.grad, 0.5, what="d(x / 2)/dx")
    for bad in (0.0, -1.0):
        expect.raises(
            ValueError, Value(bad).log, what="the log", match="log: got", inputs={"x": bad}
        )
    expect.raises(ZeroDivisionError, lambda: x / 0, what="x / 0", match="division: 4 / 0")
    expect.raises(ZeroDivisionError, lambda: 1 / Value(0.0), what="1 / 0", match="division: 1 / 0")


@pytest.mark.exercise("1.5")
def test_a_graph_is_freed_the_moment_its_root_is_dropped():
    def live():
        return sum(type(each) is Value for each in gc.get_objects())

    x = Value(0.5)
    gc.collect()
    before = live()
    gc.disable()
    try:
        root = (((x + 1) * x - x / 3) ** 2).exp().log().tanh().relu() - (-x)
        root.backward()
        expect.that(live() > before, "a graph keeps its nodes while its root is there")
        del root
        after = live()
    finally:
        gc.enable()
    expect.equal(after, before, what="the number of live Values once the root is dropped")


@pytest.mark.exercise("1.5")
def test_cross_entropy_and_its_gradient():
    for numbers in ([0.2, -1.0, 3.0], [1000.0, -1000.0, 998.0], [-2.5, -2.5], [7.0]):
        for label in range(len(numbers)):
            scores = [Value(s) for s in numbers]
            loss = cross_entropy(scores, label)
            loss.backward()
            wide = np.exp(np.array(numbers, np.longdouble) - max(numbers))
            belief = wide / wide.sum()
            given = {"scores": numbers, "label": label}
            want = float(np.log(wide.sum()) - (numbers[label] - max(numbers)))
            expect.close(loss.data, want, what="cross_entropy", inputs=given, scale=1.0)
            want_grads = [float(b) - (k == label) for k, b in enumerate(belief)]
            got = [s.grad for s in scores]
            expect.close(
                got, want_grads, what="d(cross_entropy)/d(scores)", inputs=given, scale=1.0
            )
    for label in (-1, 2):
        expect.raises(
            IndexError,
            lambda at=label: cross_entropy([Value(1.0), Value(2.0)], at),
            what="a label that has no score",
            match="there are 2 scores",
        )
