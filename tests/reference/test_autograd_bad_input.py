"""Bad input at the tape: one clear error each, and everything as it was."""

import numpy as np
import pytest
from slopes import leaf

import minigrad as mg
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.tensor import Tensor


class Elsewhere(Array):
    """An array that says it is on another device."""

    __slots__ = ()

    @property
    def device(self):
        return "elsewhere"


def elsewhere(*numbers):
    here = asarray(np.array(numbers))
    return Tensor(Elsewhere(here.buffer, here.shape, here.strides))


def doubled():
    return leaf([1.0, 2.0]) * 2.0


def constant(*shape, dtype="float64"):
    return mg.ones(shape, dtype)


def used_up():
    y = mg.exp(leaf([1.0, 2.0])).sum()
    y.backward()
    return y


def under_no_grad():
    with mg.no_grad():
        return doubled()


def set_grad(x, value):
    x.grad = value


def unset(x, value):
    x.requires_grad = value


def apart():
    """Two leaves, and a result of the first."""
    x = leaf([1.0, 2.0])
    return (x * 2.0).sum(), leaf([3.0])


CASES = {
    # where a walk starts
    "no number": (lambda: doubled().backward(), ValueError,
        ["backward", "shape (2,)", "not one number", "sum, mean", "gradient of shape (2,)"]),
    "no number in grad": (lambda: mg.grad(y := doubled(), y), ValueError,
        ["grad", "shape (2,)", "not one number"]),
    "nothing there": (lambda: (leaf(np.zeros((0, 3))) * 2.0).backward(), ValueError,
        ["backward", "shape (0, 3)"]),
    "not recorded": (lambda: constant().backward(), RuntimeError,
        ["backward", "shape ()", "not recorded", "requires a gradient", "no_grad"]),
    "under no_grad": (lambda: under_no_grad().sum().backward(), RuntimeError, ["not recorded"]),
    "detached": (lambda: doubled().sum().detach().backward(), RuntimeError, ["not recorded"]),
    "not recorded in grad": (lambda: mg.grad(constant(), leaf([1.0])), RuntimeError,
        ["grad", "not recorded"]),
    "twice": (lambda: used_up().backward(), RuntimeError,
        ["backward", "recording of sum was used up", "retain_graph=True"]),
    # the gradient it starts with
    "too short": (lambda: doubled().backward(constant(3)), ValueError,
        ["backward", "shape (2,)", "got (3,)"]),
    "would broadcast": (lambda: doubled().backward(constant(1)), ValueError, ["(2,)", "(1,)"]),
    "float32": (lambda: doubled().backward(constant(2, dtype="float32")), TypeError,
        ["backward", "float64", "got float32"]),
    "whole numbers": (lambda: doubled().backward(constant(2, dtype="int64")), TypeError,
        ["float64", "got int64"]),
    "another device": (lambda: doubled().backward(elsewhere(1.0, 2.0)), ValueError,
        ["backward", "'numpy'", "'elsewhere'"]),
    "an ndarray": (lambda: doubled().backward(np.ones(2)), TypeError,
        ["backward", "a gradient is a tensor", "ndarray"]),
    "an Array": (lambda: doubled().backward(asarray(np.ones(2))), TypeError, ["got Array"]),
    "a number": (lambda: doubled().sum().backward(1.0), TypeError, ["got float"]),
    "a flag": (lambda: doubled().sum().backward(True), TypeError, ["got bool"]),
    "grad_outputs of another shape": (
        lambda: mg.grad(y := doubled(), y, constant(3)), ValueError, ["grad", "(2,)", "(3,)"]),
    "too few grad_outputs": (
        lambda: mg.grad([y := doubled().sum(), y], y, [None]), ValueError,
        ["grad", "2 outputs", "1 grad_outputs"]),
    "grad_outputs of numbers": (lambda: mg.grad(y := doubled().sum(), y, [1.0]), TypeError,
        ["grad", "grad_outputs are tensors", "float"]),
    # what grad is asked about
    "an output that is no tensor": (lambda: mg.grad(3.0, leaf([1.0])), TypeError,
        ["grad", "outputs are tensors", "float"]),
    "an input that is no tensor": (lambda: mg.grad(doubled().sum(), [np.ones(2)]), TypeError,
        ["grad", "inputs are tensors", "ndarray"]),
    "an input that is None": (lambda: mg.grad(doubled().sum(), None), TypeError,
        ["inputs are tensors", "NoneType"]),
    "a constant input": (lambda: mg.grad(doubled().sum(), [leaf([1.0]), constant(2)]), RuntimeError,
        ["grad", "input 1", "shape (2,)", "does not require a gradient"]),
    "an unused input": (lambda: mg.grad(*apart()), RuntimeError,
        ["grad", "not computed from input 0", "(1,)", "allow_unused=True"]),
    "an input behind the outputs": (
        lambda: mg.grad(h := doubled().sum(), mg.exp(h)), RuntimeError, ["not computed from"]),
    # leaves
    "ints": (lambda: mg.tensor([1, 2]).requires_grad_(), TypeError,
        ["requires_grad", "floating-point", "int64"]),
    "bools": (lambda: mg.tensor([True], requires_grad=True), TypeError, ["requires_grad", "bool"]),
    "ints by name": (lambda: unset(mg.tensor([1]), True), TypeError, ["requires_grad", "int64"]),
    "off for a result": (lambda: doubled().requires_grad_(False), RuntimeError,
        ["requires_grad", "the result of mul", "recorded", "detach()"]),
    "off by name": (lambda: unset(doubled(), False), RuntimeError, ["the result of mul"]),
    # grads by hand
    "a grad of another shape": (lambda: set_grad(leaf([1.0]), constant(2)), ValueError,
        ["grad", "(1,)", "(2,)"]),
    "a grad of another dtype": (lambda: set_grad(leaf([1.0]), constant(1, dtype="float32")),
        TypeError, ["grad", "float64", "float32"]),
    "a grad on another device": (lambda: set_grad(leaf([1.0]), elsewhere(1.0)), ValueError,
        ["grad", "'elsewhere'"]),
    "a grad of numbers": (lambda: set_grad(leaf([1.0]), [1.0]), TypeError, ["grad", "list"]),
    "a grad of NumPy": (lambda: set_grad(leaf([1.0]), np.ones(1)), TypeError, ["grad", "ndarray"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_clear_error(name):
    call, kind, facts = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind
    for fact in facts:
        assert fact in str(caught.value)
    assert mg.is_grad_enabled()


def test_an_error_before_the_walk_uses_nothing_up():
    x = leaf([1.0, 2.0])
    y = mg.exp(x)
    for bad in (None, constant(3), np.ones(2)):
        with pytest.raises((TypeError, ValueError)):
            y.backward(bad)
    for bad in ([y, y], constant(2)):
        with pytest.raises(RuntimeError):
            mg.grad(y.sum(), bad if isinstance(bad, mg.Tensor) else leaf([1.0]), retain_graph=True)
    assert x.grad is None
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(x.numpy()), rtol=1e-15)


def test_turning_on_what_is_on_and_off_what_is_off():
    y = doubled()
    assert y.requires_grad_() is y and not y.is_leaf
    c = constant(2)
    assert c.requires_grad_(False) is c and not c.requires_grad
    counts = mg.tensor([1, 2])
    assert not counts.requires_grad_(False).requires_grad
    x = leaf([1.0])
    h = x * 2.0
    x.requires_grad_()  # the same leaf as before
    assert mg.grad(h.sum(), x)[0].item() == 2.0
    x.requires_grad = False
    assert not x.requires_grad and x.is_leaf


def test_a_grad_by_hand_is_added_to():
    x = leaf([1.0, 2.0])
    mine = leaf([10.0, 20.0], False)
    x.grad = mine
    assert x.grad is mine
    (x * 2.0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [12.0, 22.0])
    np.testing.assert_array_equal(mine.numpy(), [10.0, 20.0])
    x.grad = None
    assert x.grad is None
