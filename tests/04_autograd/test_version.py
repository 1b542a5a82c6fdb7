"""4.5: numbers that a gradient needs, and that are no longer what they were."""

import numpy as np
import pytest

from minigrad import asarray, exp, tensor
from minigrad.course import expect
from minigrad.reference.autograd import carry, order, record
from minigrad.reference.creation import zeros

pytestmark = pytest.mark.exercise("4.5")


def leaf(*numbers):
    return tensor(np.array(numbers), requires_grad=True)


def gradient(y, x):
    """That of x for a g of 1, 10; or the message with which it was refused."""
    start = {y.node: asarray(np.array([1.0, 10.0]))}
    try:
        return carry(order(start), start, {x.node})[0][x.node].tolist()
    except RuntimeError as error:
        return f"refused: {error}"


def refuses(y, x, op, story):
    """The gradient is refused, and the message names the op."""
    got = gradient(y, x)
    if not str(got).startswith(f"refused: backward: {op} needs"):
        raise expect.Mismatch(
            "a gradient from numbers that are gone",
            got=str(got),
            expected=f"RuntimeError: backward: {op} needs numbers of shape ...",
            inputs={"what happened": story},
        )


def gives(y, x, wanted, story):
    """The gradient is computed; there is nothing to refuse."""
    got = gradient(y, x)
    if got != wanted:
        raise expect.Mismatch(
            "the gradient of x", got=str(got), expected=str(wanted), inputs={"what happened": story}
        )


def test_a_factor_that_was_changed():
    x, w = leaf(2.0, 3.0), asarray(np.array([5.0, 7.0]))
    y = x * w
    gives(y, x, [5.0, 70.0], "y = x * w")
    w *= 2.0
    refuses(y, x, "mul", "y = x * w, then w *= 2")
    w[...] = np.array([5.0, 7.0])
    refuses(y, x, "mul", "y = x * w, then w *= 2, then the old numbers were put back")


def test_a_change_before_the_op_does_no_harm():
    x, w = leaf(2.0, 3.0), asarray(np.array([5.0, 7.0]))
    first = x * w
    w *= 2.0
    second = x * w
    gives(second, x, [10.0, 140.0], "w *= 2, then y = x * w")
    refuses(first, x, "mul", "y = x * w, then w *= 2, then z = x * w; the gradient of y")


def test_a_change_of_what_no_vjp_reads_does_no_harm():
    x, w = leaf(2.0, 3.0), asarray(np.array([5.0, 7.0]))
    total, product = x + w, x * w
    w[0] = 100.0
    gives(
        total, x, [1.0, 10.0], "y = x + w, then w[0] = 100; a sum needs no numbers on its way back"
    )
    refuses(product, x, "mul", "y = x * w, then w[0] = 100")


def test_a_result_that_was_changed():
    x = leaf(0.0, 1.0)
    y = exp(x)
    y.detach()[0] = 100.0  # the same memory; exp gives its own result as its slope
    refuses(y, x, "exp", "y = exp(x), then y.detach()[0] = 100")


def test_a_change_through_a_view():
    x, w = leaf(2.0, 3.0), asarray(np.array([[5.0, 6.0], [7.0, 8.0]]))
    y = x * w[:, 0]
    gives(y, x, [5.0, 70.0], "y = x * w[:, 0]")
    w[1, 1] = 0.0
    refuses(y, x, "mul", "y = x * w[:, 0], then w[1, 1] = 0: one memory, one clock")


def test_a_leaf_changed_where_nothing_is_recorded():
    from minigrad.reference.autograd import mode

    x, w = leaf(2.0, 3.0), leaf(5.0, 7.0)
    y = x * w
    mode.recording = False
    try:
        w += 1.0
    finally:
        mode.recording = True
    refuses(y, x, "mul", "y = x * w, then w += 1 while nothing was recorded")


def test_memory_of_the_vjp_itself_may_be_changed():
    x, w = leaf(2.0, 3.0), asarray(np.array([5.0, 7.0]))

    def vjp(g, out):
        mine = zeros((2,), g.dtype)
        mine[1] = 4.0
        return (g * mine * w,)

    y = record("second", zeros((2,), x.dtype), (x,), vjp)
    gives(y, x, [0.0, 280.0], "the vjp makes an array and changes it before it reads it")
    w[0] = 1.0
    refuses(y, x, "second", "the vjp reads w, and w[0] = 1 came after the op")


def test_other_walks_are_not_disturbed():
    x, w, v = leaf(2.0, 3.0), asarray(np.array([5.0, 7.0])), asarray(np.array([1.0, 2.0]))
    spoiled, sound = x * w, x * v
    w[0] = 1.0
    refuses(spoiled, x, "mul", "y = x * w, then w[0] = 1")
    gives(sound, x, [1.0, 20.0], "y = x * v, after the gradient of another product was refused")
    expect.close(
        w + v, np.array([2.0, 9.0]), what="w + v, w changed; outside of a walk all may be read"
    )
