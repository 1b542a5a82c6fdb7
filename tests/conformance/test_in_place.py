"""Changes in place: the numbers, the memory, the versions, and what backward makes of them."""

import operator

import numpy as np
import pytest
from case import numbers, spread
from case_shape import INDICES

import minigrad as mg

ASSIGNING = {
    "+=": (operator.iadd, np.add), "-=": (operator.isub, np.subtract),
    "*=": (operator.imul, np.multiply), "/=": (operator.itruediv, np.divide),
    "**=": (operator.ipow, np.power), "add_": (lambda x, y: x.add_(y), np.add),
    "mul_": (lambda x, y: x.mul_(y), np.multiply),
    "copy_": (lambda x, y: x.copy_(y), lambda x, y: y),
}  # fmt: skip
X, Y = spread(3, 4, low=0.4), spread(4, seed=1)


def leaf(array, device):
    return mg.tensor(np.array(array), device=device, requires_grad=True)


@pytest.mark.row(
    "x += y", "x -= y", "x *= y", "x /= y", "x **= y", "x.add_", "x.mul_", "x.copy_", "x.zero_"
)
@pytest.mark.parametrize("name", ASSIGNING)
def test_the_numbers_change_and_the_tensor_stays(device, name):
    change, numpy = ASSIGNING[name]
    for y in (mg.tensor(Y, device=device), Y, Y.tolist(), 2.5, 2):
        x = before = mg.tensor(X, device=device)
        view = x.T[::-1]
        x = change(x, y)
        want = np.broadcast_to(numpy(X, np.asarray(y, np.float64)), X.shape)
        assert x is before
        tol = 1e-15 if y is Y else 1e-6  # a list holds float32
        np.testing.assert_allclose(numbers(x), want, rtol=tol, atol=tol)
        assert np.array_equal(numbers(view), numbers(x).T[::-1])
        assert x.zero_() is before
        assert not numbers(view).any()


@pytest.mark.row("x[index] = y")
@pytest.mark.parametrize("name", INDICES)
def test_writing_at_an_index(device, name):
    index, array = INDICES[name][1], spread(2, 3, 4)
    for value in (7.5, spread(*np.shape(array[index]), seed=4)):
        want, x = array.copy(), mg.tensor(array, device=device)
        want[index] = value
        x[index] = value
        assert np.array_equal(numbers(x), want)
        other = mg.tensor(array, device=device)
        other[index] = mg.tensor(value, dtype="float64", device=device)
        assert np.array_equal(numbers(other), want)


def test_a_tensor_can_be_written_to_from_itself(device):
    x = mg.tensor([1, 2, 3, 4, 5], device=device)
    x[1:] = x[:-1]
    assert x.tolist() == [1, 1, 2, 3, 4]
    x += x[::-1]
    assert x.tolist() == [5, 4, 4, 4, 5]
    x[...] = x[::-1]
    x[0] = 2.9
    assert (x.tolist(), x.dtype) == ([2, 4, 4, 4, 5], mg.int64)


@pytest.mark.parametrize("name", [n for n in ASSIGNING if n != "copy_"])
def test_the_kind_of_numbers_never_rises_in_place(device, name):
    x = mg.tensor([[1, 2], [3, 4]], device=device)
    with pytest.raises(TypeError, match=r"int64.*float"):
        ASSIGNING[name][0](x, 0.5)
    y = mg.tensor([1.0, 2.0], device=device)
    ASSIGNING[name][0](y, mg.tensor([0.5, 3.0], dtype="float64", device=device))
    assert y.dtype == mg.float32


def test_what_does_not_fit_changes_nothing(device):
    x = mg.tensor([1.0, 2.0], device=device)
    for change in (lambda: x.add_(mg.ones((3, 2))), lambda: x.copy_(mg.ones((3, 2)))):
        with pytest.raises(ValueError, match=r"\(2,\).*\(3, 2\)|\(3, 2\).*\(2,\)"):
            change()
    assert x.tolist() == [1.0, 2.0]


# what backward makes of it


def test_a_recorded_change_is_differentiated(device):
    for name, (change, numpy) in ASSIGNING.items():
        x, y = leaf(X, device), leaf(Y, device)
        z = x * 2.0
        change(z, y)
        w = spread(3, 4, seed=7)
        (z * mg.tensor(w, device=device)).sum().backward()
        # The same without a change in place.
        a, b = leaf(X, device), leaf(Y, device)
        functions = {np.add: a * 2.0 + b, np.subtract: a * 2.0 - b, np.multiply: a * 2.0 * b}
        functions |= {np.divide: a * 2.0 / b, np.power: (a * 2.0) ** b}
        plain = functions.get(numpy, a * 0.0 + b)
        (plain * mg.tensor(w, device=device)).sum().backward()
        np.testing.assert_allclose(numbers(z), numbers(plain), rtol=1e-14, err_msg=name)
        np.testing.assert_allclose(numbers(y.grad), numbers(b.grad), rtol=1e-13, err_msg=name)
        np.testing.assert_allclose(numbers(x.grad), numbers(a.grad), rtol=1e-13, err_msg=name)


def test_writing_moves_the_gradient_from_what_was_there_to_what_is(device):
    x, y = leaf([1.0, 2.0, 4.0], device), leaf([10.0, 20.0], device)
    z = x * 3.0
    z[1:] = y * y
    (z * mg.tensor([1.0, 2.0, 3.0], dtype="float64", device=device)).sum().backward()
    assert z.tolist() == [3.0, 100.0, 400.0]
    assert (x.grad.tolist(), y.grad.tolist()) == ([3.0, 0.0, 0.0], [40.0, 120.0])
    constant = mg.zeros((2,), dtype="float64", device=device)
    constant[0] = y[1]
    constant.sum().backward()
    assert y.grad.tolist() == [40.0, 121.0]


def test_numbers_that_a_gradient_needs_must_stay(device):
    x, w = leaf([2.0, 3.0], device), mg.tensor([5.0, 7.0], dtype="float64", device=device)
    for op, y, change in [
        ("mul", x * w, lambda: w.mul_(2.0)),
        ("mul", x * w[::-1], lambda: w.__setitem__(0, 1.0)),
        ("matmul", x @ w, lambda: w.detach().zero_()),
    ]:
        change()
        with pytest.raises(RuntimeError, match=rf"^backward: {op} .*in place"):
            y.sum().backward()
    assert x.grad is None
    y = x + w
    w += 1.0  # a sum needs no numbers on its way back
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_result_that_the_gradient_needs_must_stay(device):
    x = leaf([0.0, 1.0], device)
    y = x.exp()
    y.detach()[0] = 9.0
    with pytest.raises(RuntimeError, match=r"^backward: exp .*\(2,\)"):
        y.sum().backward()


def test_a_leaf_is_changed_only_where_nothing_is_recorded(device):
    x = leaf([1.0, 2.0], device)
    for name, change in [
        ("-=", lambda: x.__isub__(1.0)),
        ("setitem", lambda: x.__setitem__(0, 1.0)),
        ("mul_", lambda: x[:1].mul_(2.0)),
    ]:
        with pytest.raises(RuntimeError, match=rf"^{name}: .*leaf.*\(\d,\).*no_grad"):
            change()
    assert x.tolist() == [1.0, 2.0]
    with mg.no_grad():
        x += 1.0
        x[0] = 7.0
    assert (x.tolist(), x.requires_grad, x.is_leaf) == ([7.0, 3.0], True, True)


def test_a_view_taken_before_a_recorded_change_is_told_to_be_taken_again(device):
    x = leaf([1.0, 2.0, 3.0], device)
    y = x * 2.0
    view = y[:2]
    y *= x
    with pytest.raises(RuntimeError, match=r"^\w+: .*\(2,\).*view again"):
        _ = view * 2.0
    (y[:2]).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0, 0.0]
