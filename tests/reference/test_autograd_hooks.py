"""Hooks, kept gradients, and what is left after something raised in the middle of a walk."""

import numpy as np
import pytest
from slopes import equal, leaf

import minigrad as mg


def test_a_hook_sees_the_whole_gradient_once():
    x = leaf([0.5, 1.5])
    h = mg.exp(x)
    seen, of_leaf = [], []
    h.register_hook(lambda g: seen.append(g.numpy().copy()))
    x.register_hook(lambda g: of_leaf.append(g.numpy().copy()))
    (h * 2.0 + h * h).sum().backward()
    assert (len(seen), len(of_leaf)) == (1, 1)
    e = np.exp(x.numpy())
    equal(seen[0], 2 + 2 * e)
    equal(of_leaf[0], (2 + 2 * e) * e)
    equal(x.grad, of_leaf[0])


def test_what_a_hook_returns_takes_its_place():
    x = leaf([0.5, 1.5])
    h = x * 3.0
    h.register_hook(lambda g: g * 10.0)
    x.register_hook(lambda g: -g)
    gh, gx = mg.grad((h * h).sum(), [h, x])
    equal(gh, 60 * x.numpy())
    equal(gx, -180 * x.numpy())


def test_hooks_run_in_the_order_they_came_and_hand_on():
    x = leaf([1.0])
    h = x * 1.0
    h.register_hook(lambda g: g + 1.0)
    h.register_hook(lambda g: None)
    h.register_hook(lambda g: g * 10.0)
    h.sum().backward()
    equal(x.grad, [20.0])


def test_each_registration_is_removed_by_itself():
    x = leaf([1.0])
    calls = []

    def hook(g):
        calls.append("same")

    first = x.register_hook(hook)
    x.register_hook(lambda g: calls.append("other"))
    x.register_hook(hook)
    first()
    first()  # again: nothing more
    (x * 1.0).sum().backward()
    assert calls == ["other", "same"]


def test_a_hook_that_removes_itself_hides_no_other():
    x = leaf([1.0])
    calls, removers = [], []

    def once(g):
        calls.append("once")
        removers[0]()

    removers.append(x.register_hook(once))
    x.register_hook(lambda g: calls.append("always"))
    for _ in range(2):
        (x * 1.0).sum().backward()
    assert calls == ["once", "always", "always"]


def test_the_gradient_of_a_leaf_is_hooked_before_it_is_added():
    x = leaf([1.0, 2.0])
    x.register_hook(lambda g: g * 2.0)
    for _ in range(2):
        (x * 3.0).sum().backward()
    equal(x.grad, [12.0, 12.0])


def test_a_hook_may_return_a_tensor_that_it_keeps_writing_to():
    """It is older than the graph, and written to later: no vjp ever read it before."""
    x, room = leaf([0.5, 1.5]), mg.zeros(2, "float64")
    h = mg.exp(x)
    k = mg.exp(h)

    def hook(g):
        room[...] = g * 2.0
        return room

    k.register_hook(hook)
    k.sum().backward(retain_graph=True)
    room.zero_()
    e = np.exp(x.numpy())
    equal(x.grad, 2 * np.exp(e) * e)
    (g,) = mg.grad(k.sum(), k)
    room.zero_()
    equal(g, [2.0, 2.0])


def test_hooks_are_part_of_what_create_graph_records():
    x = leaf([0.5, 1.5])
    h = x * x
    h.register_hook(lambda g: g * x)
    (g,) = mg.grad(h.sum(), x, create_graph=True)  # 2 x ** 2
    (second,) = mg.grad(g.sum(), x)
    equal(second, 4 * x.numpy())


@pytest.mark.parametrize(
    ("hook", "kind", "facts"),
    [
        (lambda g: g.numpy(), TypeError, ["hook", "a tensor", "ndarray"]),
        (lambda g: g.sum(), ValueError, ["hook", "(2,)", "()"]),
        (lambda g: g.astype("float32"), TypeError, ["hook", "float64", "float32"]),
        (lambda g: g.mul_(2.0), RuntimeError, ["hook", "mul", "in place", "new tensor"]),
    ],
)
def test_what_a_hook_may_not_do(hook, kind, facts):
    x, other = leaf([0.5, 1.5]), leaf([1.0, 1.0])
    h = x * 3.0
    h.register_hook(hook)
    with pytest.raises(kind) as caught:
        (h + other).backward(leaf([1.0, 2.0], False))
    for fact in facts:
        assert fact in str(caught.value)
    assert x.grad is None and other.grad is None


def test_a_hook_needs_a_gradient_and_a_function():
    with pytest.raises(RuntimeError, match="register_hook: the tensor does not require"):
        leaf([1.0], False).register_hook(print)
    with pytest.raises(TypeError, match="register_hook: a hook is a function, got int"):
        leaf([1.0]).register_hook(3)


def test_a_gradient_in_the_middle_is_kept_on_request():
    x = leaf([0.5, 1.5])
    h = mg.exp(x)
    unkept = h * 1.0
    h.retain_grad()
    h.register_hook(lambda g: g * 10.0)
    for k in (1, 2):
        (h * h + unkept).sum().backward(retain_graph=True)
        equal(h.grad, k * 10 * (2 * h.numpy() + 1))
        assert h.grad.is_contiguous
    assert unkept.grad is None
    kept = h.grad.numpy().copy()
    mg.grad(h.sum(), x)
    equal(h.grad, kept)
    x.retain_grad()  # a leaf has it anyway
    with pytest.raises(RuntimeError, match="retain_grad: the tensor does not require"):
        leaf([1.0], False).retain_grad()


def test_a_kept_gradient_is_of_what_the_tensor_is_by_now():
    x = leaf([0.5, 1.5])
    h = x * 2.0
    h.retain_grad()
    h *= 5.0
    (h * 3.0).sum().backward()
    equal(h.grad, [3.0, 3.0])
    equal(x.grad, [30.0, 30.0])


class Fails(mg.Function):
    """Raises in backward until told otherwise."""

    broken = True

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        with mg.enable_grad():
            if Fails.broken:
                raise KeyError("in a vjp")
        (x,) = ctx.saved_tensors
        return 2.0 * x * g


@pytest.mark.parametrize("where", ["vjp", "hook", "hook of a leaf"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_after_an_exception_everything_is_as_it_was(where, create_graph, monkeypatch):
    x, y = leaf([0.5, 1.5]), leaf([2.0, 3.0])
    (x + y).sum().backward()
    before = x.grad, y.grad
    monkeypatch.setattr(Fails, "broken", where == "vjp")
    h = Fails.apply(mg.sin(x))
    late = mg.exp(y) + h
    late.retain_grad()

    def failing(g):
        raise KeyError("in a hook")

    target = {"vjp": None, "hook": h, "hook of a leaf": x}[where]
    remove = target.register_hook(failing) if target is not None else None
    z = late.sum()
    for _ in range(2):
        with pytest.raises(KeyError, match="in a"):
            z.backward(create_graph=create_graph)
        assert x.grad is before[0] and y.grad is before[1] and late.grad is None
        assert mg.is_grad_enabled()
        assert (x * 2.0).requires_grad
        x.numpy()  # no vjp is taken to be running still
    equal(x.grad, [1.0, 1.0])
    monkeypatch.setattr(Fails, "broken", False)
    if remove is not None:
        remove()
    z.backward(create_graph=create_graph)
    equal(x.grad, 1 + 2 * np.sin(x.numpy()) * np.cos(x.numpy()))
    equal(y.grad, 1 + np.exp(y.numpy()))
    equal(late.grad, [1.0, 1.0])


def test_after_an_exception_memory_may_be_changed_again():
    """The check for changed memory belongs to the vjp that runs; this one ended in an exception."""
    x = leaf([0.5, 1.5])
    c = leaf([1.0, 2.0], False)
    z = Fails.apply(x * c)
    with pytest.raises(KeyError):
        z.sum().backward()
    c += 1.0
    equal(c * 2.0, [4.0, 6.0])


def test_backward_inside_a_hook():
    x, w = leaf([0.5, 1.5]), leaf([2.0, 3.0])
    w.grad = mg.zeros(2, "float64")
    h = mg.exp(x)

    def hook(g):
        assert not mg.is_grad_enabled()
        with mg.enable_grad():
            loss = (w * w).sum()
        loss.backward()
        assert not mg.is_grad_enabled()

    h.register_hook(hook)
    h.sum().backward()
    equal(x.grad, np.exp(x.numpy()))
    equal(w.grad, 2 * w.numpy())


def test_backward_inside_a_backward():
    """As a checkpoint does: the part is computed again, with a tape of its own. Its buffers and
    grads are older than the outer node, and were changed since; no vjp of its own minds.
    """
    w, count = leaf([2.0, 3.0]), leaf(np.zeros(2), False)
    w.grad = mg.zeros(2, "float64")

    class Again(mg.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return mg.sin(x * w)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            inner = x.detach().requires_grad_()
            with mg.enable_grad():
                y = mg.sin(inner * w)
            y.register_hook(lambda g: g + count * 0.0)
            y.backward(g)
            return inner.grad

    x = leaf([0.5, 1.5])
    y = Again.apply(mg.exp(x))
    w.grad += 1.0
    count += 1.0
    y.sum().backward()
    e = np.exp(x.numpy())
    equal(x.grad, np.cos(e * w.numpy()) * w.numpy() * e)
    equal(w.grad, 1 + np.cos(e * w.numpy()) * e)
