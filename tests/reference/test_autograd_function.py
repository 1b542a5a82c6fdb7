"""Function: ops of one's own."""

import numpy as np
import pytest
from slopes import drawn, equal, leaf, near, slopes

import minigrad as mg


class Cube(mg.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3.0 * x * x * g


class Exp(mg.Function):
    """Its derivative is its own result, which is saved."""

    @staticmethod
    def forward(ctx, x):
        y = mg.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * g


class Polar(mg.Function):
    """Two arguments, two results: (r cos t, r sin t), saved in another order."""

    @staticmethod
    def forward(ctx, r, t):
        x, y = r * mg.cos(t), r * mg.sin(t)
        ctx.save_for_backward(y, t, x)
        return x, y

    @staticmethod
    def backward(ctx, gx, gy):
        y, t, x = ctx.saved_tensors
        return gx * mg.cos(t) + gy * mg.sin(t), gy * x - gx * y


class Power(mg.Function):
    """An argument that is no tensor."""

    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        ctx.save_for_backward(x)
        return x ** float(n)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.n * x ** (ctx.n - 1.0), None


def test_forward_is_not_recorded_and_backward_gives_the_gradient():
    x = leaf([0.5, -2.0])
    y = Cube.apply(x)
    assert y.requires_grad and "Cube" in repr(y)
    y.backward(leaf([1.0, 10.0], False))
    equal(y, x.numpy() ** 3)
    equal(x.grad, 3 * x.numpy() ** 2 * [1.0, 10.0])


@pytest.mark.parametrize(
    ("function", "orders"),
    [(Cube, [lambda v: 3 * v**2, lambda v: 6 * v]), (Exp, [np.exp, np.exp])],
)
def test_second_derivatives(function, orders):
    x = leaf([0.5, -2.0])
    y = function.apply(x).sum()
    for order in orders:
        (g,) = mg.grad(y, x, create_graph=True)
        equal(g, order(x.numpy()))
        y = g.sum()


def polar_loss(r, t):
    x, y = Polar.apply(r, t)
    return (x * y * y).sum()


def test_several_results_and_their_second_derivatives():
    r, t = leaf(drawn(3)), leaf(drawn(3, seed=1))
    gr, gt = mg.grad(polar_loss(r, t), [r, t], create_graph=True)
    rn, tn = r.numpy(), t.numpy()
    c, s = np.cos(tn), np.sin(tn)
    equal(gr, 3 * rn**2 * c * s**2)
    equal(gt, rn**3 * (2 * s * c**2 - s**3), roundings=16)

    def first(v):
        return float(mg.grad(polar_loss(leaf(rn), k := leaf(v)), k)[0].sum())

    (found,) = mg.grad(gt.sum(), t)
    near(found, slopes(first, tn))


def test_a_result_that_nothing_arrives_at_has_a_gradient_of_zeros():
    r, t = leaf(drawn(3)), leaf(drawn(3, seed=1))
    _, y = Polar.apply(r, t)
    gr, gt = mg.grad(y.sum(), [r, t])
    equal(gr, np.sin(t.numpy()))
    equal(gt, r.numpy() * np.cos(t.numpy()))


def test_one_of_several_results_may_be_an_input_of_grad():
    r, t = leaf(drawn(3)), leaf(drawn(3, seed=1))
    x, y = Polar.apply(r, t)
    gx, gy = mg.grad((x * y).sum(), [x, y])
    equal(gx, y.numpy())
    equal(gy, x.numpy())


def test_results_of_whole_numbers_require_no_gradient():
    class Sorted(mg.Function):
        @staticmethod
        def forward(ctx, x):
            order = np.argsort(x.numpy())
            ctx.back = np.argsort(order)
            return x[order], mg.asarray(order)

        @staticmethod
        def backward(ctx, g, _):
            return g[ctx.back]

    x = leaf([2.0, 0.5, 1.0])
    values, order = Sorted.apply(x)
    assert values.requires_grad and not order.requires_grad
    values.backward(leaf([1.0, 2.0, 3.0], False))
    equal(x.grad, [3.0, 1.0, 2.0])


def test_arguments_that_are_no_tensors():
    x = leaf([0.5, 2.0])
    (g,) = mg.grad(Power.apply(x, 3).sum(), x)
    equal(g, 3 * x.numpy() ** 2)


def test_what_is_wanted_is_known():
    wanted = []

    class Known(mg.Function):
        @staticmethod
        def forward(ctx, *args):
            wanted.append(ctx.needs_input_grad)
            assert not mg.is_grad_enabled()
            return args[0] * 1.0

        @staticmethod
        def backward(ctx, g):
            assert ctx.needs_input_grad == (False, True, False, False)
            return None, g, None, None

    x, c = leaf([1.0]), leaf([2.0], False)
    Known.apply(c, x, 3, "text").sum().backward()
    assert wanted == [(False, True, False, False)]
    equal(x.grad, [1.0])


def test_nothing_is_recorded_without_need():
    c = leaf([1.0, 2.0], False)
    assert not Cube.apply(c).requires_grad
    assert not any(y.requires_grad for y in Polar.apply(c, c))
    x = leaf([1.0, 2.0])
    with mg.no_grad():
        assert not Cube.apply(x).requires_grad
        assert not any(y.requires_grad for y in Polar.apply(x, x))


def test_an_argument_handed_back_is_another_tensor():
    class Reverse(mg.Function):
        """The identity, whose gradient is turned around."""

        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return -g

    x = leaf([1.0, 2.0])
    y = Reverse.apply(x)
    assert y is not x and x.is_leaf and not y.is_leaf
    (y * 3.0).sum().backward()
    equal(x.grad, [-3.0, -3.0])


def test_gradients_of_the_results_shape_are_added_up_and_cast():
    class Times(mg.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            return x * w

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g * w, g * x

    x, w = leaf(drawn(4, 3)), mg.asarray(drawn(3, seed=1), dtype="float32").requires_grad_()
    Times.apply(x, w).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), x.numpy().sum(0).astype(np.float32))


def test_a_learner_may_return_none():
    class Stop(mg.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            return None

    x = leaf([1.0, 2.0])
    (Stop.apply(x) + x * 5.0).sum().backward()
    equal(x.grad, [5.0, 5.0])


def test_saved_numbers_must_not_change():
    x = leaf([1.0, 2.0])
    h = x * 1.0
    y = Cube.apply(h)
    h += 1.0
    with pytest.raises(RuntimeError, match=r"backward: Cube needs numbers of shape \(2,\)"):
        y.sum().backward()
    r = leaf([1.0, 2.0])
    a, b = Polar.apply(r, r)
    a += 1.0
    with pytest.raises(RuntimeError, match="Polar"):
        b.sum().backward()
