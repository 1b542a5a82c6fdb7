"""Function: what is said when forward or backward returns the wrong thing."""

import pytest
from slopes import drawn, leaf

import minigrad as mg


def wrong(result):
    """A function whose backward returns this."""

    class Wrong(mg.Function):
        @staticmethod
        def forward(ctx, *args):
            return args[0] * 1.0

        @staticmethod
        def backward(ctx, g):
            return result(g)

    return Wrong


@pytest.mark.parametrize(
    ("function", "more", "kind", "facts"),
    [
        (wrong(lambda g: (g, g)), (), ValueError, ["returned 2 gradients", "1 arguments"]),
        (wrong(lambda g: g), (2.0,), ValueError, ["returned 1 gradients", "2 arguments"]),
        (wrong(lambda g: g.numpy()), (), TypeError, ["returned ndarray for argument 0", "tensor"]),
        (wrong(lambda g: [g]), (), TypeError, ["returned list for argument 0", "tensor"]),
        (wrong(lambda g: 1.0), (), TypeError, ["returned float for argument 0"]),
        (wrong(lambda g: g > 0.0), (), TypeError, ["returned bool for argument 0", "floats"]),
        (wrong(lambda g: (g, g)), (2.0,), TypeError, ["argument 1", "no gradient", "None"]),
        (wrong(lambda g: g.sum()), (), ValueError, ["shape ()", "argument 0", "shape (2, 3)"]),
        (wrong(lambda g: g.T), (), ValueError, ["shape (3, 2)", "argument 0", "shape (2, 3)"]),
        (wrong(lambda g: (g, g[0])), (leaf(drawn(2, 3)),), ValueError, ["(3,)", "argument 1"]),
    ],
)
def test_backward_that_returns_the_wrong_thing(function, more, kind, facts):
    x = leaf(drawn(2, 3))
    y = function.apply(x, *more)
    with pytest.raises(kind) as caught:
        y.sum().backward()
    for fact in ["Wrong.backward", *facts]:
        assert fact in str(caught.value)
    assert x.grad is None and mg.is_grad_enabled()


def test_forward_that_returns_the_wrong_thing():
    class Listed(mg.Function):
        @staticmethod
        def forward(ctx, x):
            return [x]

    with pytest.raises(TypeError, match=r"Listed\.forward returns a tensor.*got list"):
        Listed.apply(leaf([1.0]))
    assert mg.is_grad_enabled()


def test_what_is_missing_is_named():
    class Half(mg.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 0.5

    with pytest.raises(NotImplementedError, match="forward is missing"):
        mg.Function.apply(leaf([1.0]))
    with pytest.raises(NotImplementedError, match="backward is missing"):
        Half.apply(leaf([1.0])).sum().backward()


def test_a_stale_view_is_no_argument():
    class Two(mg.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0, x * 2.0

    h = leaf(drawn(2, 3)) * 1.0
    view = h[0]
    h *= 2.0
    with pytest.raises(RuntimeError, match=r"Two: .*shares its memory.*changed in place"):
        Two.apply(view)
    with mg.no_grad():
        Two.apply(view)
