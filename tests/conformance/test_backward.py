"""backward and grad: where gradients arrive, how they add up, once and twice."""

import gc
import threading
import weakref

import numpy as np
import pytest
from case import numbers, spread

import minigrad as mg


def leaf(array, device):
    return mg.tensor(np.array(array, np.float64), device=device, requires_grad=True)


@pytest.mark.row("x.backward", "x.grad")
def test_gradients_arrive_at_the_leaves_and_add_up(device):
    a, b, c = leaf(2.0, device), leaf(-3.0, device), leaf([10.0, 20.0], device)
    constant = mg.tensor([5.0, 6.0], dtype="float64", device=device)
    assert a.grad is None
    ((a * b + c) * a * constant).sum().backward()
    # a: 2ab + c times the constants, summed; b: a * a; c: a
    assert (a.grad.item(), b.grad.item()) == (-12.0 * 11.0 + 50.0 + 120.0, 4.0 * 11.0)
    assert (c.grad.tolist(), constant.grad) == ([10.0, 12.0], None)
    for x in (a, c):
        assert (x.grad.shape, x.grad.dtype, x.grad.device) == (x.shape, x.dtype, device)
        assert (x.grad.requires_grad, x.grad.is_leaf) == (False, True)
    (b * b).backward()
    assert (b.grad.item(), a.grad.item()) == (44.0 - 6.0, 38.0)
    b.grad = None
    (b * 2.0).backward()
    assert b.grad.item() == 2.0
    b.grad += 1.0
    assert b.grad.item() == 3.0


def test_a_gradient_of_its_own_for_several_elements(device):
    x = leaf([[1.0, 2.0], [3.0, 4.0]], device)
    g = mg.tensor([[1.0, 10.0], [100.0, -1.0]], dtype="float64", device=device)
    (x * x).backward(g)
    assert x.grad.tolist() == [[2.0, 40.0], [600.0, -8.0]]
    x.backward(g)
    g.zero_()
    assert x.grad.tolist() == [[3.0, 50.0], [700.0, -9.0]]


def test_a_single_precision_gradient_for_single_precision(device):
    x = mg.tensor([1.0, 2.0], device=device, requires_grad=True)
    w = leaf([3.0, 4.0], device)
    y = x * w
    assert y.dtype == mg.float64
    y.sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (mg.float32, [3.0, 4.0])
    assert (w.grad.dtype, w.grad.tolist()) == (mg.float64, [1.0, 2.0])


def test_diamonds_and_reuse(device):
    x = leaf(1.5, device)
    y = x
    for _ in range(40):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**40
    x.grad = None
    shared = x * x
    (shared * shared + shared.exp() * x).backward()
    np.testing.assert_allclose(
        x.grad.item(), 4 * 1.5**3 + np.exp(2.25) * (1 + 2 * 2.25), rtol=1e-14
    )


def test_a_long_graph_needs_no_recursion(device):
    x = leaf(1.0, device)
    y = x
    for _ in range(5_000):
        y = y + 1.0
    y.backward()
    assert (x.grad.item(), y.item()) == (1.0, 5_001.0)


def test_a_graph_is_used_once_unless_it_is_kept(device):
    x = leaf([1.0, 2.0], device)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0, 8.0]
    with pytest.raises(RuntimeError, match=r"^backward: .*retain_graph=True"):
        y.backward()
    assert x.grad.tolist() == [4.0, 8.0]


def test_a_graph_goes_with_its_root(device):
    gc.disable()
    try:
        x = leaf(spread(5), device)
        kept = [weakref.ref(x.exp())]
        y = x.exp()
        kept += [weakref.ref(y), weakref.ref(y.grad) if y.grad is not None else kept[0]]
        z = (y * y).tanh()
        del y
        z.sum().backward()
        del z
        assert [ref() for ref in kept] == [None] * 3
    finally:
        gc.enable()


@pytest.mark.row("grad")
def test_grad_gives_gradients_and_changes_none(device):
    x, y = leaf([1.0, 2.0], device), leaf([3.0, 5.0], device)
    half = x * y
    out = (half * half).sum()
    dx, dhalf, dy = mg.grad(out, [x, half, y], retain_graph=True)
    assert dx.tolist() == [2 * 9.0, 2 * 2 * 25.0]
    assert (dhalf.tolist(), dy.tolist()) == ([6.0, 20.0], [6.0, 40.0])
    assert (x.grad, dx.requires_grad) == (None, False)
    (only,) = mg.grad(out, x, retain_graph=True)
    assert only.tolist() == dx.tolist()
    g = mg.tensor([1.0, 10.0], dtype="float64", device=device)
    (both,) = mg.grad([half, out], [x], [g, None])
    assert both.tolist() == [3.0 + 18.0, 50.0 + 100.0]
    used, unused = mg.grad((x * 2.0).sum(), (x, y), allow_unused=True)
    assert (used.tolist(), unused) == ([2.0, 2.0], None)


def test_derivatives_of_derivatives(device):
    x = leaf([2.0, -1.0], device)
    y = (x**4).sum()
    found = []
    for create_graph in (True, True, False):
        (y,) = mg.grad(y.sum(), x, create_graph=create_graph)
        found.append(y.tolist())
    np.testing.assert_allclose(found, [[32.0, -4.0], [48.0, 12.0], [48.0, -24.0]], rtol=1e-13)
    assert not y.requires_grad
    z = x * x * x
    z.sum().backward(create_graph=True)
    assert x.grad.requires_grad
    first, x.grad = x.grad, None
    first.sum().backward()
    assert x.grad.tolist() == [12.0, -6.0]


def test_the_product_of_a_hessian_and_a_vector(device):
    a = spread(4, 4)
    x, v = leaf(spread(4, seed=1), device), mg.tensor(spread(4, seed=2), device=device)
    y = (x @ mg.tensor(a, device=device) @ x) ** 2 * 0.5
    (dx,) = mg.grad(y, x, create_graph=True)
    (hv,) = mg.grad((dx * v).sum(), x)
    n, s = numbers(x), a + a.T
    hessian = np.outer(s @ n, s @ n) + (n @ a @ n) * s
    np.testing.assert_allclose(numbers(hv), hessian @ numbers(v), rtol=1e-12)


def test_an_error_on_the_way_leaves_every_grad_as_it_was(device):
    class Fails(mg.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            raise KeyError("on the way")

    x, y = leaf(1.0, device), leaf(2.0, device)
    out = Fails.apply(x * y) + y
    for _ in range(2):  # the recording is as it was, too
        with pytest.raises(KeyError, match="on the way"):
            out.backward()
        assert (x.grad, y.grad) == (None, None)
    (x * y).backward()
    assert (x.grad.item(), y.grad.item(), mg.is_grad_enabled()) == (2.0, 1.0, True)


def test_threads_add_to_one_leaf(device):
    x = leaf(np.ones(50), device)

    def work():
        for _ in range(40):
            (x * 2.0).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.grad.tolist() == [320.0] * 50
