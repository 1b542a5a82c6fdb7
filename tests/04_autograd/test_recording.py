"""4.1: what the result of an op remembers."""

import gc
import weakref

import numpy as np
import pytest

from minigrad import asarray, tensor
from minigrad.course import expect
from minigrad.reference.autograd import Leaf, mode, record
from minigrad.reference.creation import asarray as array

pytestmark = pytest.mark.exercise("4.1")


def leaf(*numbers):
    return tensor(np.array(numbers), requires_grad=True)


def recorded(result, /, **leaves):
    """The op that it remembers and where its edges lead, such as "mul(x, constant)"."""
    node = result.node
    if node is None:
        return "nothing"
    called = {t.node: name for name, t in leaves.items()}
    ends = [called.get(e, "?") if e is not None else "constant" for e in node.edges]
    kind = "a leaf, " if isinstance(node, Leaf) else ""
    return f"{kind}{node.name}({', '.join(ends)})"


def remembers(result, wanted, what, /, **leaves):
    expect.equal(recorded(result, **leaves), wanted, what=f"what {what} remembers")


def test_the_op_and_an_edge_to_each_argument():
    x, y = leaf(1.0, 2.0), leaf(3.0, -4.0)
    remembers(x * y, "mul(x, y)", "x * y", x=x, y=y)
    remembers(y / x, "div(y, x)", "y / x", x=x, y=y)
    remembers(x.exp(), "exp(x)", "x.exp()", x=x, y=y)
    remembers(x + x, "add(x, x)", "x + x", x=x, y=y)


def test_results_remember_results():
    x, y = leaf(1.0, 2.0), leaf(3.0, -4.0)
    product = x * y
    total = product + x
    remembers(total, "add(product, x)", "x * y + x", x=x, y=y, product=product)
    remembers(total.tanh(), "tanh(total)", "its tanh", x=x, product=product, total=total)


def test_one_argument_that_requires_a_gradient_is_enough():
    x, c = leaf(1.0, 2.0), asarray(np.array([5.0, 7.0]))
    # Part k of the vjp is for argument k: constants need a place among the edges, too.
    remembers(x * c, "mul(x, constant)", "x * c, c a constant,", x=x)
    remembers(c * x, "mul(constant, x)", "c * x, c a constant,", x=x)
    remembers(x - 3.0, "sub(x, constant)", "x - 3.0", x=x)
    remembers(3.0 - x, "sub(constant, x)", "3.0 - x", x=x)
    remembers((c > 6.0) * x, "mul(constant, x)", "(c > 6.0) * x", x=x)


def test_constants_are_not_recorded():
    x, c = leaf(1.0, 2.0), asarray(np.array([5.0, 7.0]))
    remembers(c * c, "nothing", "c * c, c a constant,")
    remembers(c.exp() + 1.0, "nothing", "c.exp() + 1.0, c a constant,")
    remembers(x.detach() * c, "nothing", "x.detach() * c")
    expect.equal((c * c).requires_grad, False, what="whether c * c requires a gradient")


def test_nothing_is_recorded_while_the_mode_is_off():
    x = leaf(1.0, 2.0)
    mode.recording = False
    try:
        silent = x * x
    finally:
        mode.recording = True
    remembers(silent, "nothing", "x * x, computed while mode.recording was False,", x=x)
    expect.close(silent, np.array([1.0, 4.0]), what="x * x, not recorded")
    remembers(x * x, "mul(x, x)", "x * x, with mode.recording True again,", x=x)


def test_the_vjp_and_the_result_are_kept_for_the_way_back():
    x, out = leaf(1.0, 2.0), array(np.array([10.0, 20.0]))

    def vjp(g, out):
        return None, None, array(g.numpy() * out.numpy())

    y = record("tenfold", out, (7, None, x), vjp)
    remembers(y, "tenfold(constant, constant, x)", 'record("tenfold", out, (7, None, x), vjp)', x=x)
    expect.that(y.array is out, "the tensor holds the result that was given")
    expect.that(y.node.out is out, "the node holds the Array of the result, as it was given")
    parts = y.node.pull(array(np.array([3.0, 4.0])))
    expect.equal(parts[:2], (None, None), what="the gradients of the arguments 7 and None")
    expect.close(parts[2], np.array([30.0, 80.0]), what="the gradient of x, g * out")


def test_the_node_does_not_hold_the_tensor():
    x = leaf(1.0, 2.0)
    gc.disable()
    try:
        y = x * x
        found, memory = weakref.ref(y), weakref.ref(y.array.buffer)
        del y
        expect.that(
            found() is None and memory() is None,
            "a result that nobody holds any more is freed at once: its node must not hold it",
        )
        kept = (x * x).node
    finally:
        gc.enable()
    remembers(tensor(0.0), "nothing", "a number")
    expect.equal(kept.name, "mul", what="the name of the node of x * x")
