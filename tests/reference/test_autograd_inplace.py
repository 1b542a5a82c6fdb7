"""Changes in place: what they do to numbers, histories and views."""

import numpy as np
import pytest
from slopes import drawn, equal, leaf, near, slopes

import minigrad as mg


def add(h, v):
    h += v


def sub(h, v):
    h -= v


def mul(h, v):
    h *= v


def div(h, v):
    h /= v


def power(h, v):
    h **= v


def row(h, v):
    h[1] = v[1]


def picked(h, v):
    h[[2, 0]] = v[:2]


def masked(h, v):
    h[np.array([True, False, True])] = v[1:]


def same(h, v):
    h *= h
    h += v


CHANGES = {
    "+=": add,
    "-=": sub,
    "*=": mul,
    "/=": div,
    "**=": power,
    "add_": lambda h, v: h.add_(v),
    "mul_": lambda h, v: h.mul_(v),
    "copy_": lambda h, v: h.copy_(v),
    "zero_": lambda h, v: h.zero_(),
    "a row": row,
    "picked rows": picked,
    "masked rows": masked,
    "all, broadcast": lambda h, v: h.__setitem__(..., v[0]),
    "reversed": lambda h, v: h.__setitem__(slice(None, None, -1), v),
    "itself": same,
    "its own rows": lambda h, v: h.__setitem__(slice(1, None), h[:-1].copy() * v[:1]),
    "a part of it": lambda h, v: h.__imul__(h[0]),
    "a number": lambda h, v: h.__iadd__(2.0),
    "twice": lambda h, v: h.mul_(v).add_(v).mul_(v),
}


def run(change, x, v):
    """One number from two arrays, by way of a change in place; both engines' arrays will do."""
    h = x * 2.0
    before = h.sum()
    change(h, v)
    return (h * h * h).sum() + before


class Plain(np.ndarray):
    """NumPy with the in-place methods of a tensor."""

    def add_(self, v):
        self += v
        return self

    def mul_(self, v):
        self *= v
        return self

    def copy_(self, v):
        self[...] = v

    def zero_(self):
        self[...] = 0.0


@pytest.mark.parametrize("name", CHANGES)
def test_numbers_and_gradients(name):
    change, x, v = CHANGES[name], drawn(3, 2), drawn(3, 2, seed=1)

    def f(a, b):
        return float(run(change, a.view(Plain), b.view(Plain)))

    xt, vt = leaf(x), leaf(v)
    y = run(change, xt, vt)
    equal(y, np.array(f(x, v)), roundings=64)
    gx, gv = mg.grad(y, [xt, vt], allow_unused=True)
    near(gx, slopes(lambda a: f(a, v), x))
    expected = slopes(lambda b: f(x, b), v)
    near(np.zeros(v.shape) if gv is None else gv, expected)


def test_second_derivatives_go_through_a_change():
    x = leaf([0.5, 1.5])
    h = x * x
    h *= x
    h[0] = h[1].copy() * x[0]
    (g,) = mg.grad(h.sum(), x, create_graph=True)
    (second,) = mg.grad(g.sum(), x)
    a, b = x.numpy()
    equal(g, [b**3, 3 * b**2 + 3 * a * b**2])  # of a b ** 3 + b ** 3
    equal(second, [3 * b**2, 3 * b**2 + 6 * b + 6 * a * b])


def test_the_tensor_and_its_memory_stay_the_same():
    x = leaf([0.5, 1.5])
    h = x * 1.0
    memory, before = h.numpy(), h
    h += x
    h *= 2.0
    assert h is before and h.numpy() is not memory
    assert np.shares_memory(h.numpy(), memory)
    equal(memory, 4 * x.numpy())


def test_a_constant_that_receives_something_recorded_has_its_history():
    x, buffer = leaf([0.5, 1.5]), mg.zeros((2, 2), "float64")
    buffer[0] = x
    buffer[1] = mg.exp(x)
    assert buffer.requires_grad and not buffer.is_leaf
    (buffer * leaf([[1.0], [3.0]], False)).sum().backward()
    equal(x.grad, 1 + 3 * np.exp(x.numpy()))


def test_whole_numbers_receive_the_value_alone():
    x, counts = leaf([0.5, 1.5]), mg.zeros(2, "int64")
    view = counts[:1]
    counts[...] = x
    assert not counts.requires_grad
    np.testing.assert_array_equal(counts.numpy(), [0, 1])
    equal(view * x[:1], [0.0])  # its view is as good as before


def test_under_no_grad_only_the_numbers_change():
    x = leaf([1.0, 2.0])
    view = x[:1]
    with mg.no_grad():
        x += 10.0
        x *= 2.0
        x[0] = 5.0
        x.add_(1.0).mul_(2.0)
    equal(x, [12.0, 50.0])
    assert x.is_leaf and x.requires_grad
    (x * 3.0).sum().backward()
    equal(x.grad, [3.0, 3.0])
    equal(view * 1.0, [12.0])
    with mg.no_grad():
        x.zero_()
        x.copy_([7.0, 8.0])
    equal(x, [7.0, 8.0])


def test_float64_into_float32_is_cast_and_its_gradient_back():
    x, w = mg.tensor([1.0, 2.0], requires_grad=True), leaf([0.1, 0.2])
    h = x * 1.0
    h *= w
    assert h.dtype == mg.float32
    h.sum().backward()
    equal(w.grad, [1.0, 2.0])
    np.testing.assert_array_equal(x.grad.numpy(), w.numpy().astype(np.float32))
