"""The way back: one node's share (1.2), and the order of the walk (1.5)."""

import pytest

from minigrad.course import expect
from minigrad.scalar import Value


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
