"""Changes in place that are refused: leaves, what a vjp needs, stale views, what does not fit."""

import numpy as np
import pytest
from slopes import drawn, equal, leaf

import minigrad as mg


def add(h, v):
    h += v


def mul(h, v):
    h *= v


def div(h, v):
    h /= v


def row(h, v):
    h[1] = v[1]


LEAF = r"the memory of a leaf that requires a gradient \(shape"
REFUSED = {
    "+=": ("+=", add),
    "*=": (r"\*=", mul),
    "/=": ("/=", div),
    "add_": ("add_", lambda x, v: x.add_(v)),
    "mul_": ("mul_", lambda x, v: x.mul_(v)),
    "a row": ("setitem", row),
    "copy_": ("setitem", lambda x, v: x.copy_(v)),
    "zero_": ("setitem", lambda x, v: x.zero_()),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("where", ["leaf", "view", "view of a view", "constant view"])
def test_a_leaf_is_not_changed_while_ops_are_recorded(name, where):
    x, v = leaf(drawn(3, 2)), leaf(drawn(3, 2, seed=1))
    with mg.no_grad():
        constant = x[:]
    target = {"leaf": x, "view": x[:], "view of a view": x.T.T, "constant view": constant}[where]
    if name == "zero_" and target is constant:
        target = target.requires_grad_()  # else nothing is recorded, as with x.detach().zero_()
    before = x.numpy().copy()
    called, change = REFUSED[name]
    with pytest.raises(RuntimeError, match=f"{called.replace('+', '[+]')}: {LEAF}") as caught:
        change(target, v)
    assert "no_grad" in str(caught.value) and "copy()" in str(caught.value)
    equal(x, before)
    (x * 2.0).sum().backward()
    equal(x.grad, np.full((3, 2), 2.0))


def test_a_constant_over_the_memory_of_a_leaf_does_not_unmark_it():
    x = leaf([1.0, 2.0])
    x.detach().requires_grad_(False)
    x.detach().requires_grad_(True).requires_grad_(False)
    with pytest.raises(RuntimeError, match=LEAF):
        x += 1.0


def test_memory_is_free_again_when_its_leaf_is_gone():
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    numbers = x.detach()
    del x
    numbers *= w
    numbers.sum().backward()
    equal(w.grad, [1.0, 2.0])
    y = leaf([1.0, 2.0])
    y.requires_grad_(False)
    y += w
    assert y.requires_grad and not y.is_leaf


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda h, w: h * w, "mul"),
        (lambda h, w: mg.exp(h), "exp"),
        (lambda h, w: h @ w, "matmul"),
        (lambda h, w: mg.where(h > 1.0, h, w) * h, "mul"),
    ],
)
@pytest.mark.parametrize("recorded", [True, False])
def test_numbers_that_a_vjp_needs_must_not_change(make, name, recorded):
    h, w = leaf(drawn(2, 2)) * 1.0, leaf(drawn(2, 2, seed=1))
    y = make(h, w)
    target = y if name == "exp" else h
    if recorded:
        target += 1.0
    else:
        with mg.no_grad():
            target += 1.0
    with pytest.raises(RuntimeError) as caught:
        y.sum().backward()
    for fact in [f"backward: {name} needs", "(2, 2)", "changed in place", "copy()"]:
        assert fact in str(caught.value)
    assert w.grad is None


def test_numbers_that_no_vjp_needs_may_change():
    x = leaf([1.0, 2.0])
    h = x * 2.0
    y = h + 1.0
    z = h.sum()
    h *= 5.0
    (y.sum() + z + h.sum()).backward()
    equal(x.grad, [14.0, 14.0])


def test_masks_and_indices_may_change_after_they_were_used():
    x = leaf([1.0, 2.0, 3.0])
    mask, index = mg.tensor([True, False, True]), mg.tensor([2, 2])
    y = x[mask].sum() + 10.0 * x[index].sum() + 100.0 * mg.take(x, index).sum()
    mask[...] = False
    index[...] = 0
    y.backward()
    equal(x.grad, [1.0, 0.0, 221.0])


STALE = r"shares its memory with another one that a recorded op changed in place"


def test_views_of_a_tensor_that_changed_are_named():
    h = leaf(drawn(3, 2)) * 1.0
    view, fresh = h[0], None
    h *= 2.0
    for use in (lambda: view * 2.0, lambda: mg.exp(view), view.sum, lambda: view[0]):
        with pytest.raises(RuntimeError, match=rf"shape \(2,\) {STALE}"):
            use()
    with pytest.raises(RuntimeError, match=f"backward: .*{STALE}"):
        view.backward(leaf([1.0, 1.0], False))
    with pytest.raises(RuntimeError, match=rf"[+]=: .*{STALE}"):
        view += 1.0
    with pytest.raises(RuntimeError, match=f"setitem: .*{STALE}|written: .*{STALE}"):
        view[0] = 1.0
    fresh = h[0]
    equal(fresh * 1.0, h.numpy()[0])
    equal(view.numpy(), h.numpy()[0])
    equal(view.detach() * 2.0, 2 * h.numpy()[0])
    with mg.no_grad():
        equal(view * 2.0, 2 * h.numpy()[0])


def test_a_base_whose_view_changed_is_named_also_if_it_was_a_constant():
    w = leaf([1.0, 2.0])
    for base in (mg.zeros((2, 2), "float64"), leaf(drawn(2, 2)) * 1.0):
        part = base[0]
        part += w
        with pytest.raises(RuntimeError, match=rf"mul: .*shape \(2, 2\) {STALE}"):
            base * 2.0
        (g,) = mg.grad((part * part).sum(), w, retain_graph=True)
        equal(g, 2 * part.numpy())


def refusing(change, x, *values):
    before = x.numpy().copy()
    node = x.requires_grad
    with pytest.raises((ValueError, TypeError, IndexError)) as caught:
        change(x, *values)
    np.testing.assert_array_equal(x.numpy(), before)
    assert x.requires_grad is node
    return str(caught.value)


@pytest.mark.parametrize("recorded", [True, False])
def test_what_does_not_fit_leaves_everything_as_it_was(recorded):
    w = leaf(drawn(2, 3))
    h = leaf(drawn(3)) * 1.0 if recorded else mg.asarray(drawn(3))
    for value in (w, w[:1], w.detach()):
        message = refusing(add, h, value)
        assert f"+=: the result has shape {value.shape}" in message and "(3,)" in message
    assert "cannot be broadcast" in refusing(mul, h, leaf(drawn(4)))
    assert "setitem" in refusing(lambda x, v: x.copy_(v), h, w)
    assert "out of range" in refusing(lambda x, v: x.__setitem__(7, v), h, 1.0)
    repeated = h.expand(2, 3)
    assert "repeated element" in refusing(add, repeated, 1.0)
    assert "repeated element" in refusing(lambda x, v: x.copy_(v), repeated, w)
    equal(h * 1.0, h.numpy())  # no view has become stale


def test_floats_do_not_go_into_ints():
    counts = mg.tensor([1, 2])
    message = refusing(add, counts, leaf([0.5, 0.5]))
    assert "+=" in message and "int64" in message
    counts += 2
    np.testing.assert_array_equal(counts.numpy(), [3, 4])
