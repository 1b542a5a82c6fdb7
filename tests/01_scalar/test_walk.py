"""The way back: one node's share (1.2), the order of the walk (1.5), then whole gradients."""

import cmath
import gc
import math

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.scalar import Value, cross_entropy


@pytest.mark.exercise("1.2")
def test_each_parent_receives_slope_times_gradient():
    a, b = Value(2.0), Value(-3.0)
    product = a * b
    product.grad = 5.0
    product.send_back()
    expect.close(a.grad, -15.0, what="the gradient of a", inputs={"a": 2.0, "b": -3.0, "g": 5.0})
    expect.close(b.grad, 10.0, what="the gradient of b", inputs={"a": 2.0, "b": -3.0, "g": 5.0})
    expect.equal(product.grad, 5.0, what="the gradient of a * b itself, afterwards")


@pytest.mark.exercise("1.2")
def test_what_has_arrived_before_stays():
    a, b, c = Value(2.0), Value(5.0), Value(7.0)
    first, second = a * b, a - c
    first.grad, second.grad = 1.0, 10.0
    first.send_back()
    second.send_back()
    expect.close(a.grad, 15.0, what="the gradient of a, used in a * b and in a - c")
    expect.close((b.grad, c.grad), (2.0, -10.0), what="the gradients of b and of c")


@pytest.mark.exercise("1.2")
def test_a_node_used_twice_receives_twice():
    a = Value(3.0)
    square = a * a
    square.grad = 1.0
    square.send_back()
    expect.close(a.grad, 6.0, what="the gradient of a, after a * a sent back", inputs={"a": 3.0})


@pytest.mark.exercise("1.2")
def test_any_number_of_parents():
    many = [Value(float(k)) for k in range(5)]
    node = Value(0.0, tuple(many), (0.5, -1.0, 3.0, 0.0, 2.0))
    node.grad = -4.0
    node.send_back()
    got = [p.grad for p in many]
    expect.close(got, [-2.0, 4.0, -12.0, 0.0, -8.0], what="the gradients of five parents")
    leaf = Value(1.0)
    leaf.grad = 9.0
    leaf.send_back()
    expect.equal(leaf.grad, 9.0, what="the gradient of a leaf, which has nowhere to send it")


def show(node, names):
    """A node as a formula, e.g. (a + b)."""
    if not node.parents:
        return names.get(id(node), f"{node.data:g}")
    left, *right = (show(parent, names) for parent in node.parents)
    return f"({left} {node.op} {right[0]})" if right else f"({node.op} {left})"


def what_is_wrong(order, root, count):
    """The first thing about an order that is not as it should be; "" if all is well."""
    if order == [] or order[-1] is not root:
        return "the node itself comes last"
    place = {id(node): index for index, node in enumerate(order)}
    if len(place) != len(order):
        return "each node is listed once"
    if len(order) != count:
        return f"all {count} nodes are listed"
    wrong = [n for n in order if any(place.get(id(p), count) > place[id(n)] for p in n.parents)]
    return "each node comes after its parents" if wrong else ""


SMALL_GRAPHS = [
    lambda a, b: a,
    lambda a, b: a + b,
    lambda a, b: a + a,
    lambda a, b: (a + b) - (a / b),
    lambda a, b: (c := a + b) - (c + a),
    lambda a, b: ((c := a + b) + a) - (c + (a - b)),
    # The short and the long way to a: breadth first, a is listed after a node that needs it.
    lambda a, b: a + (-(a + b) - b),
    lambda a, b: (-(a + b) - b) + a,
    lambda a, b: (c := a - b) + (((c + a) - b) / (-c)),
]
NUMBER_OF_NODES = [1, 3, 2, 5, 5, 7, 6, 6, 8]


@pytest.mark.exercise("1.5")
def test_parents_stand_before_children():
    for graph, count in zip(SMALL_GRAPHS, NUMBER_OF_NODES, strict=True):
        a, b = Value(2.0), Value(3.0)
        root = graph(a, b)
        names = {id(a): "a", id(b): "b"}
        order = root.order()
        expect.that(isinstance(order, list), "order() gives a list", inputs={"it": order})
        wrong = what_is_wrong(order, root, count)
        if wrong:
            raise expect.Mismatch(
                "the order of the nodes",
                got="[" + ", ".join(show(node, names) for node in order) + "]",
                expected=wrong,
                inputs={"node": show(root, names)},
            )


@pytest.mark.exercise("1.5")
def test_a_node_many_paths_lead_to_is_visited_once():
    a = Value(1.0)
    total = a
    for _ in range(60):
        total = total + total
    expect.equal(len(total.order()), 61, what="the number of nodes in order()")
    total.backward()
    expect.close(a.grad, 2.0**60, what="d/da after sixty doublings")


@pytest.mark.exercise("1.5")
@pytest.mark.limit(cpu=6)
def test_a_chain_of_100000_nodes_there_and_back():
    x = Value(0.5)
    total = x
    for _ in range(25_000):
        total = 1.0 - (total + 0.0)
    expect.equal(len(total.order()), 100_001, what="the number of nodes in order()")
    total.backward()
    expect.close(x.grad, 1.0, what="the gradient at the far end of the chain")
    # Letting go of such a chain frees 100,000 objects, each the last owner of the next.
    del total
    expect.close(x.grad, 1.0, what="the gradient once the chain is gone")


@pytest.mark.exercise("1.5")
def test_gradients_of_a_shared_node_add_up():
    a, b = Value(2.0), Value(-3.0)
    shared = a * b
    root = (shared + 10.0) * shared + a
    root.backward()
    # root = ab(ab + 10) + a, so d/da = b(2ab + 10) + 1 and d/db = a(2ab + 10)
    given = {"a": 2.0, "b": -3.0}
    expect.close(root.data, -22.0, what="(a*b + 10) * a*b + a", inputs=given)
    expect.close(a.grad, 7.0, what="the gradient of a", inputs=given)
    expect.close(b.grad, -4.0, what="the gradient of b", inputs=given)
    expect.close(shared.grad, -2.0, what="the gradient of the shared a * b", inputs=given)
    expect.equal(root.grad, 1.0, what="the gradient of the root by itself")


@pytest.mark.exercise("1.5")
def test_a_second_backward_adds_to_leaves_and_to_nothing_else():
    a = Value(3.0)
    middle = a * a
    root = middle * a
    root.backward()
    root.backward()
    expect.close(a.grad, 54.0, what="d(a ** 3)/da after two backward(): 2 * 27", inputs={"a": 3.0})
    expect.close(middle.grad, 3.0, what="the gradient of a * a in between, not doubled")
    expect.close(root.grad, 1.0, what="the gradient of the root, not doubled")
    other = middle * 10.0
    other.backward()
    expect.close(a.grad, 54.0 + 60.0, what="d/da with a second root on top", inputs={"a": 3.0})
    expect.close(middle.grad, 10.0, what="the gradient of a * a, for the last root")
    leaf = Value(1.0)
    leaf.backward()
    leaf.backward()
    expect.equal(leaf.grad, 2.0, what="the gradient of a lone leaf after two backward()")


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
        return sum(isinstance(each, Value) for each in gc.get_objects())

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
