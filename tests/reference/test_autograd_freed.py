"""What is recorded goes with the last tensor that was made from it: the collector is off here."""

import gc
import weakref

import numpy as np
import pytest
from slopes import drawn, equal, leaf

import minigrad as mg
from minigrad.reference.autograd import Node, record
from minigrad.reference.creation import asarray
from minigrad.reference.tensor import Tensor


@pytest.fixture(autouse=True)
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive():
    """How many nodes and tensors there are."""
    # By type: asking for __class__ may run code of another library.
    return sum(issubclass(type(each), Node | Tensor) for each in gc.get_objects())


class Both(mg.Function):
    """Two results, both saved, with the argument."""

    @staticmethod
    def forward(ctx, x):
        e, s = mg.exp(x), x * x
        ctx.save_for_backward(x, e, s)
        return e, s

    @staticmethod
    def backward(ctx, a, b):
        x, e, _ = ctx.saved_tensors
        return a * e + 2.0 * b * x


class Halved(mg.Function):
    """It saves what it does not need."""

    @staticmethod
    def forward(ctx, x):
        y = x * 0.5
        ctx.save_for_backward(y, x)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * 0.5


def changed(name, step):
    """A copy of x, changed in place by something made from itself."""

    def run(x):
        y = x * 1.0
        step(y)
        return y

    return pytest.param(run, id=name)


WAYS = [
    pytest.param(lambda x: mg.exp(mg.tanh(x) * x), id="ops"),
    pytest.param(lambda x: mg.softmax(x, -1) - mg.log_softmax(x, 0), id="softmax"),
    pytest.param(lambda x: x[1:, [0, 2]] @ x[:2, :], id="index and matmul"),
    pytest.param(lambda x: sum(Both.apply(x)), id="function of two results"),
    pytest.param(lambda x: Both.apply(x)[0], id="one of two results dropped"),
    pytest.param(Halved.apply, id="function"),
    changed("+= its mean", lambda y: y.__iadd__(y.mean())),
    changed("+= its square", lambda y: y.__iadd__(y * y)),
    changed("*= itself", lambda y: y.__imul__(y)),
    changed("+= a function of it", lambda y: y.__iadd__(Halved.apply(y))),
    changed("written from itself", lambda y: y.__setitem__(0, y[1])),
    changed("hook", lambda y: y.register_hook(lambda g: g * 2.0)),
    changed("kept grad", lambda y: y.retain_grad()),
]


@pytest.mark.parametrize("make", WAYS)
def test_a_graph_that_was_never_walked_goes_with_its_root(make):
    before = alive()
    x = leaf(drawn(3, 3))
    y = make(x)
    assert y.requires_grad
    assert alive() > before + 2
    del y
    assert x.node is not None
    del x
    assert alive() == before


WALKED = [way for way in WAYS if way.id != "+= its square"]  # which cannot be walked


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("make", WALKED)
def test_a_graph_that_was_walked_goes_with_its_root(make, create_graph):
    before = alive()
    x = leaf(drawn(3, 3))
    y = make(x).sum()
    (g,) = mg.grad(y, x, create_graph=create_graph)
    if create_graph and g.requires_grad:
        mg.grad(g.sum(), x, allow_unused=True, retain_graph=True)
    if create_graph:
        y.backward()
    del x, y, g
    assert alive() == before


@pytest.mark.parametrize("make", WALKED)
def test_a_graph_that_was_walked_and_kept_goes_with_its_root(make):
    before = alive()
    x = leaf(drawn(3, 3))
    y = make(x).sum()
    mg.grad(y, x, retain_graph=True)
    y.backward(retain_graph=True)
    del x, y
    assert alive() == before


def test_what_a_walk_used_up_goes_although_the_root_stays():
    x = leaf(drawn(2, 3))
    y = mg.exp(x)
    kept = weakref.ref(y)
    z = (y * y).sum()
    del y
    assert kept() is None  # the vjp has its numbers, not the tensor
    before = alive()
    z.backward()
    x.grad = None
    assert alive() < before
    assert z.requires_grad


def test_a_walk_that_failed_keeps_nothing_beyond_the_graph():
    x = leaf([1.0, 2.0])
    y = x * 2.0
    remove = y.register_hook(lambda g: g[5])
    z = y.sum()
    before = alive()
    with pytest.raises(IndexError):
        z.backward()
    remove()
    assert alive() == before


@pytest.mark.parametrize("walked", [False, True])
@pytest.mark.parametrize(
    "step",
    [
        pytest.param(mg.sin, id="op"),
        pytest.param(Halved.apply, id="function"),
        pytest.param(lambda y: Both.apply(y * 0.1)[1], id="function of two results"),
        pytest.param(lambda y: y.__imul__(0.5), id="in place"),
    ],
)
def test_a_deep_graph_is_freed_without_recursion(step, walked):
    before = alive()
    x = leaf([0.5, -0.25])
    y = x * 1.0
    for _ in range(2_500):
        y = step(y)
    if walked:
        y.sum().backward()
        assert x.grad is not None
    del x, y
    assert alive() == before


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("walked", [False, True])
def test_a_million_nodes(walked):
    """Each has two edges to the one before, so that a walk that forgot what it has seen would never
    end. They are recorded without a kernel: the walk is what is meant.
    """
    x = leaf([0.5, -0.25])
    y, numbers = x, asarray(np.zeros(2))
    for _ in range(1_000_000 if walked else 100_000):
        y = record("step", numbers, (y, y), lambda g, out: (g, None))
    if walked:
        y.backward(leaf([3.0, 7.0], False))
        equal(x.grad, [3.0, 7.0])
        x.grad = None
    last = weakref.ref(y.node)
    first = weakref.ref(x.node)
    del x, y
    assert last() is None and first() is None
