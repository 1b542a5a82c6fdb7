"""4.3: gradients on their way back, added up where ways meet."""

import numpy as np
import pytest

from minigrad import asarray, cat, tensor
from minigrad.course import expect
from minigrad.reference.autograd import carry, order, record
from minigrad.reference.creation import asarray as array

pytestmark = pytest.mark.exercise("4.3")


def leaf(numbers):
    return tensor(np.array(numbers), requires_grad=True)


def carried(starts, ends):
    """The gradients that reach the tensors in `ends`, from {tensor: its gradient}."""
    start = {y.node: asarray(np.array(g)) for y, g in starts.items()}
    found, _ = carry(order(start), start, {x.node for x in ends})
    return [found.get(x.node) for x in ends]


def reaches(y, g, ends, wanted, what):
    """Each of `wanted` is the gradient that reaches the end at the same place."""
    got = carried({y: g}, ends.values())
    given = {name: x.tolist() for name, x in ends.items()} | {"g": g}
    for name, gradient, want in zip(ends, got, wanted, strict=True):
        arrives(gradient, want, f"the gradient of {name} in {what}", **given)


def arrives(gradient, want, what, **given):
    expect.that(gradient is not None, f"{what} arrives", inputs=given)
    expect.close(gradient, np.array(want), what=what, inputs=given)


def test_a_way_without_branches():
    x = leaf([1.0, 2.0, 4.0])
    reaches(x.log(), [1.0, 1.0, 10.0], {"x": x}, [[1.0, 0.5, 2.5]], "log(x)")
    reaches(-(x * 3.0), [1.0, 5.0, 7.0], {"x": x}, [[-3.0, -15.0, -21.0]], "-(x * 3)")


def test_each_argument_receives_its_own_part():
    x, y = leaf([6.0, 8.0]), leaf([2.0, 4.0])
    g = [1.0, 10.0]
    reaches(x - y, g, {"x": x, "y": y}, [[1.0, 10.0], [-1.0, -10.0]], "x - y")
    reaches(x * y, g, {"x": x, "y": y}, [[2.0, 40.0], [6.0, 80.0]], "x * y")
    reaches(x / y, g, {"y": y, "x": x}, [[-1.5, -5.0], [0.5, 2.5]], "x / y")
    reaches(1.0 / y, g, {"y": y}, [[-0.25, -0.625]], "1 / y")
    c = asarray(np.array([3.0, 5.0]))
    reaches(cat([x, c, y]), [1.0, 2, 3, 4, 5, 6], {"x": x, "y": y}, [[1, 2], [5, 6]], "cat")


def test_the_calculation_of_chapter_1():
    a, b, c = leaf(2.0), leaf(-3.0), leaf(10.0)
    ends = {"a": a, "b": b, "c": c}
    reaches((a * b + c) * a, 1.0, ends, [-2.0, 4.0, 2.0], "(a * b + c) * a")


def test_what_is_used_several_times_adds_up():
    a = leaf([3.0, 5.0])
    g = [1.0, 10.0]
    reaches(a * a, g, {"a": a}, [[6.0, 100.0]], "a * a")
    reaches(a * a * a, g, {"a": a}, [[27.0, 750.0]], "a * a * a")
    reaches(a + (a + (a + 2.0 * a)), g, {"a": a}, [[5.0, 50.0]], "a + (a + (a + 2a))")
    shared = a * 2.0
    reaches(shared * shared + shared, g, {"a": a}, [[26.0, 420.0]], "2a * 2a + 2a")


def test_parts_are_not_added_into_memory_that_others_hold():
    # The vjp of a sum hands one and the same g to both: who adds to it in place changes both.
    a, b = leaf([3.0, 5.0]), leaf([7.0, 11.0])
    total = (a + b) + a
    g = asarray(np.array([1.0, 10.0]))
    found, _ = carry(order([total.node]), {total.node: g}, {a.node, b.node})
    arrives(found.get(a.node), [2.0, 20.0], "the gradient of a in (a + b) + a")
    arrives(found.get(b.node), [1.0, 10.0], "the gradient of b in (a + b) + a")
    expect.close(g, np.array([1.0, 10.0]), what="the gradient that the walk started with")


def test_an_argument_without_a_gradient_receives_nothing():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    third = array(np.array([0.0, 0.0]))
    z = record("only_x", third, (x, y), lambda g, out: (array(g.numpy() * 5.0), None))
    got = carried({z: [1.0, 2.0]}, [x, y])
    arrives(got[0], [5.0, 10.0], "the gradient of x, of which z is 5 x")
    expect.equal(got[1], None, what="the gradient of y, for which the vjp gave None")
    # The part that does arrive, by another way, is then the whole.
    got = carried({z + y * 2.0: [1.0, 2.0]}, [x, y])
    arrives(got[1], [2.0, 4.0], "the gradient of y in z + 2 y")


def test_several_starts():
    x = leaf([1.0, 2.0])
    y = x * 3.0
    z = y * 10.0
    got = carried({y: [1.0, 2.0], z: [0.5, 0.25]}, [x, y])
    # y starts with a gradient of its own, and z sends 10 times its own on top.
    arrives(got[1], [6.0, 4.5], "the gradient of y, from y and from z = 10 y")
    arrives(got[0], [18.0, 13.5], "the gradient of x, from y = 3 x and z")


def test_nothing_goes_where_nobody_asks():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    aside = y * 2.0
    z = (x * 5.0) * aside
    met = []
    for name, t in {"x": x, "y": y, "aside": aside}.items():
        t.register_hook(lambda g, name=name: met.append(name))
    found, used = carry(order([z.node]), {z.node: asarray(np.array([1.0, 10.0]))}, {x.node})
    arrives(found.get(x.node), [30.0, 400.0], "the gradient of x in 5x * 2y")
    expect.equal(met, ["x"], what="where gradients arrived when only that of x was asked for")
    expect.equal([n.name for n in used], ["mul", "mul"], what="the ops whose vjp ran")


def test_an_end_half_way():
    x = leaf([1.0, 2.0])
    half = x * 3.0
    end = half * half
    (got,) = carried({end: [1.0, 10.0]}, [half])
    arrives(got, [6.0, 120.0], "the gradient of h in h * h, h = 3 x")


def test_broadcast_and_matmul():
    x, w, b = leaf([[1.0, 2.0], [3.0, 5.0]]), leaf([[1.0], [-2.0]]), leaf([10.0])
    y = x @ w + b
    ends = {"x": x, "w": w, "b": b}
    wanted = [[[1.0, -2.0], [4.0, -8.0]], [[13.0], [22.0]], [5.0]]
    reaches(y, [[1.0], [4.0]], ends, wanted, "x @ w + b")


def test_sixty_doublings_take_sixty_steps():
    x = leaf(1.0)
    total = x
    for _ in range(60):
        total = total + total
    (got,) = carried({total: 1.0}, [x])
    arrives(got, 2.0**60, "d/dx after sixty doublings")
