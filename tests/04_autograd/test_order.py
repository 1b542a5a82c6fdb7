"""4.2: the nodes in an order in which each comes before those it was made from."""

import numpy as np
import pytest

from minigrad import tensor
from minigrad.course import expect
from minigrad.reference.autograd import Node, order

pytestmark = pytest.mark.exercise("4.2")


def made(name, *edges):
    """A node as an op leaves it, that came from these; None stands for a constant."""
    node = Node(name, (), None, None)
    node.edges = edges
    return node


def what_is_wrong(found, count):
    """The first thing about an order that is not as it should be; "" if all is well."""
    place = {node: k for k, node in enumerate(found)}
    if None in place:
        return "a constant, None, is no node"
    if len(place) != len(found):
        return "each node is listed once"
    if len(found) != count:
        return f"all {count} nodes are listed"
    late = [n for n in found if any(place.get(e, count) < place[n] for e in n.edges if e)]
    return "each node comes before those it was made from" if late else ""


def check(roots, count, graph):
    found = order(roots)
    expect.that(isinstance(found, list), "order(roots) gives a list", inputs={"it": found})
    wrong = what_is_wrong(found, count)
    if wrong:
        names = ", ".join("None" if n is None else n.name for n in found)
        raise expect.Mismatch(
            "the order of the nodes", got=f"[{names}]", expected=wrong, inputs={"graph": graph}
        )


def test_a_chain():
    a = made("a")
    check([a], 1, "a alone")
    b = made("b", a)
    c = made("c", b)
    check([c], 3, "c from b, b from a")


def test_a_node_that_several_use():
    a, b = made("a"), made("b")
    check([made("c", a, a)], 2, "c from a and a")
    left, right = made("left", a), made("right", a)
    check([made("top", left, right)], 4, "top from left and right, both from a")
    product = made("ab", a, b)
    total = made("sum", product, made("c"))
    check([made("L", total, a)], 6, "L from sum and a, sum from ab and c, ab from a and b")
    check([made("L", a, total)], 6, "L from a and sum, sum from ab and c, ab from a and b")


def test_a_short_way_and_a_long_way():
    a = made("a")
    b = made("b", a)
    c = made("c", b)
    check([made("d", a, c)], 4, "d from a and c, c from b, b from a")
    check([made("d", c, a)], 4, "d from c and a, c from b, b from a")
    check([made("d", c, b, a)], 4, "d from c, b and a, c from b, b from a")
    check([made("d", a, b, c)], 4, "d from a, b and c, c from b, b from a")


def test_constants_have_no_node():
    a = made("a")
    check([made("b", None, a)], 2, "b from a constant and a")
    check([made("c", made("b", None, None), a, None)], 3, "c from b, a and a constant")


def test_several_roots():
    a = made("a")
    b, c = made("b", a), made("c", a)
    check([b, c], 3, "b from a and c from a; roots b and c")
    check([a, b], 2, "b from a; roots a and b")
    check([b, a], 2, "b from a; roots b and a")
    d = made("d", b, c)
    check({b: 1.0, d: 2.0, c: 3.0}, 4, "d from b and c, both from a; roots b, d and c")
    check([], 0, "no roots")


def test_a_recorded_calculation():
    a, b, c = (tensor(x, requires_grad=True) for x in (2.0, -3.0, 10.0))
    found = order([((a * b + c) * a).node])
    names = sorted(node.name for node in found)
    wanted = ["add", "leaf", "leaf", "leaf", "mul", "mul"]
    expect.equal(names, wanted, what="the nodes of (a * b + c) * a, sorted by name")
    wrong = what_is_wrong(found, 6)
    expect.that(not wrong, wrong or "the order of (a * b + c) * a")


def test_a_node_that_many_ways_lead_to_is_looked_at_once():
    top = made("0")
    for k in range(60):
        top = made(str(k + 1), top, top)
    expect.equal(len(order([top])), 61, what="the number of nodes after sixty doublings")


@pytest.mark.limit(cpu=6)
def test_a_chain_of_100000():
    top = made("0")
    for k in range(1, 100_000):
        top = made(str(k), top, None)
    found = order([top])
    expect.equal(len(found), 100_000, what="the number of nodes in a chain of 100,000")
    falling = bool((np.diff([int(node.name) for node in found]) == -1).all())
    expect.that(falling, "the chain is listed from its end to its beginning")
