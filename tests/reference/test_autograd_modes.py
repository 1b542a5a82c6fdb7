"""no_grad and enable_grad: blocks, decorators, threads, and what happens when something raises."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from slopes import drawn, equal, leaf

import minigrad as mg


def recorded():
    """Whether an op is recorded here; the flag has to say the same."""
    found = (leaf([1.0]) * 2.0).requires_grad
    assert mg.is_grad_enabled() is found
    return found


def test_blocks_in_blocks():
    assert recorded()
    with mg.no_grad():
        assert not recorded()
        with mg.enable_grad():
            assert recorded()
            with mg.no_grad():
                assert not recorded()
            assert recorded()
        assert not recorded()
    assert recorded()


def test_one_block_may_stand_in_itself():
    off, on = mg.no_grad(), mg.enable_grad()
    with off:
        with on, off:
            assert not recorded()
            with off:
                assert not recorded()
            with on:
                assert recorded()
            assert not recorded()
        assert not recorded()
    assert recorded()


@pytest.mark.parametrize("block", [mg.no_grad, mg.enable_grad])
def test_what_was_holds_again_after_an_exception(block):
    for outside in (mg.no_grad, mg.enable_grad):
        with outside():
            before = mg.is_grad_enabled()
            with pytest.raises(KeyError), block():
                raise KeyError("inside")
            assert recorded() is before
    assert recorded()


def test_a_function_that_is_not_recorded():
    @mg.no_grad()
    def silent(x, *, times):
        """What it says."""
        assert not recorded()
        if times:
            silent(x, times=times - 1)
        assert not recorded()
        return x * 2.0

    y = silent(leaf([1.0, 3.0]), times=2)
    assert not y.requires_grad
    assert (silent.__name__, silent.__doc__) == ("silent", "What it says.")
    equal(y, [2.0, 6.0])
    assert recorded()
    with mg.no_grad():
        assert mg.enable_grad()(recorded)()
        assert not recorded()


def test_a_decorated_function_that_raises():
    @mg.no_grad()
    def failing():
        raise KeyError("inside")

    with pytest.raises(KeyError):
        failing()
    assert recorded()


def test_decorated_methods_know_their_object():
    class Model:
        @mg.no_grad()
        def me(self):
            return self

    model = Model()
    assert model.me() is model


def generator():
    yield 1


async def coroutine():
    return 1


async def asynchronous():
    yield 1


@pytest.mark.parametrize("function", [generator, coroutine, asynchronous])
@pytest.mark.parametrize("block", [mg.no_grad, mg.enable_grad])
def test_a_body_that_runs_after_the_call_is_refused(block, function):
    with pytest.raises(TypeError) as caught:
        block()(function)
    for fact in (block.__name__, function.__name__, "with"):
        assert fact in str(caught.value)
    with pytest.raises(TypeError, match="runs after the call"):
        block()(functools.partial(function))


@pytest.mark.parametrize("block", [mg.no_grad, mg.enable_grad])
def test_a_decorator_without_brackets_is_named(block):
    name = block.__name__
    with pytest.raises(TypeError) as caught:

        @block
        def function():
            return 1

    assert str(caught.value) == f"{name} takes nothing: write `with {name}():` or `@{name}()`."


def in_thread(function):
    """Run it in a thread of its own, and give what it gives, or raise what it raises."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result(30)


def test_no_grad_holds_in_its_own_thread():
    with mg.no_grad():
        assert in_thread(recorded)
    assert recorded()


def test_threads_may_share_a_block():
    shared, met, may_leave = mg.no_grad(), threading.Event(), threading.Event()

    def other():
        with mg.no_grad():  # so that the two come from different modes
            with shared:
                met.set()
                assert may_leave.wait(30)
            return recorded()

    found = []
    thread = threading.Thread(target=lambda: found.append(other()))
    thread.start()
    assert met.wait(30)
    with shared:
        may_leave.set()
        thread.join(30)
        assert not recorded()
    assert found == [False]
    assert recorded()


def test_threads_record_and_walk_at_once():
    count, rounds = 4, 30
    start = threading.Barrier(count)
    shared = leaf([0.5, 1.5])

    def work(k):
        start.wait(30)
        own = leaf(drawn(3, seed=k))
        for _ in range(rounds):
            if k % 2:
                with mg.no_grad():
                    assert not (own * 2.0).requires_grad
            (mg.exp(own) * own).sum().backward()
            (shared * float(k + 1)).sum().backward()
        return own

    with ThreadPoolExecutor(count) as pool:
        leaves = list(pool.map(work, range(count), timeout=60))
    for own in leaves:
        v = own.numpy()
        equal(own.grad, rounds * np.exp(v) * (v + 1), roundings=8 * rounds)
    equal(shared.grad, np.full(2, rounds * 10.0))  # 1 + 2 + 3 + 4


def test_one_graph_may_be_walked_by_threads_at_once():
    inside, other_done = threading.Event(), threading.Event()

    class Waiting(mg.Function):
        @staticmethod
        def forward(ctx, x):
            y = mg.exp(x)
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, g):
            if threading.current_thread() is not threading.main_thread():
                inside.set()
                assert other_done.wait(30)
            _, y = ctx.saved_tensors
            return g * y

    x = leaf([0.5, 1.0])
    y = Waiting.apply(x)
    found = []

    def run():
        found.append(mg.grad(y, x, leaf([1.0, 2.0], False), retain_graph=True)[0])

    thread = threading.Thread(target=run)
    thread.start()
    assert inside.wait(30)
    (g,) = mg.grad(y, x, leaf([3.0, 5.0], False), retain_graph=True)
    other_done.set()
    thread.join(30)
    equal(g, np.exp(x.numpy()) * [3.0, 5.0])
    equal(found[0], np.exp(x.numpy()) * [1.0, 2.0])


def test_a_graph_from_one_thread_is_walked_in_another():
    x = leaf([0.5, 1.5])
    y = mg.sin(x).sum()
    in_thread(y.backward)
    equal(x.grad, np.cos(x.numpy()))


def test_create_graph_records_also_under_no_grad():
    x = leaf([0.5, 1.5])
    y = (x**3.0).sum()
    with mg.no_grad():
        (g,) = mg.grad(y, x, create_graph=True)
        y.backward(create_graph=True)
        assert not recorded()
    assert g.requires_grad and x.grad.requires_grad
    (h,) = mg.grad(g.sum(), x)
    equal(h, 6 * x.numpy())


def test_a_walk_is_not_recorded_without_create_graph():
    x = leaf([0.5, 1.5])
    seen = []
    y = x * x
    y.register_hook(lambda g: seen.append(recorded()))
    z = y.sum()
    z.backward(retain_graph=True)
    (g,) = mg.grad(z, x, retain_graph=True)
    assert not g.requires_grad and not x.grad.requires_grad
    z.backward(create_graph=True)
    assert seen == [False, False, True]
    assert recorded()
