"""gradcheck of functions of tensors, and gradgradcheck: what is right passes, what is wrong not."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.gradcheck import GradientError, gradcheck, gradgradcheck
from minigrad.reference import engine
from minigrad.reference.creation import asarray
from minigrad.reference.op import Op, elementwise, kernel


def drawn(*shape, seed=0, **options):
    return mg.tensor(np.random.default_rng(seed).uniform(0.5, 1.5, shape), **options)


def norm(x, y):
    return ((x * y).sum() + 1.0).sqrt()


def test_any_function_of_tensors():
    report = gradcheck(norm, drawn(2, 3), drawn(3, seed=1))
    assert [(i.name, i.shape) for i in report.inputs] == [("x", (2, 3)), ("y", (3,))]
    assert (report.op, report.elements) == ("norm", 9)
    assert 0.0 < report.error < 1e-9


def test_what_requires_a_gradient_is_checked_alone():
    x, y = drawn(2, 3), drawn(3, seed=1, requires_grad=True)
    assert [i.name for i in gradcheck(norm, x, y).inputs] == ["y"]
    assert [i.name for i in gradcheck(norm, x, y, wrt=["x"]).inputs] == ["x"]
    # An input in half the digits may stand beside: nothing is asked of it.
    single = x.astype("float32")
    assert [i.name for i in gradcheck(norm, single, y).inputs] == ["y"]
    with pytest.raises(TypeError, match="gradcheck: norm: x is float32"):
        gradcheck(norm, single, y, wrt=[0, 1])


def test_nothing_is_left_at_the_inputs():
    x, y = drawn(2, 3), drawn(3, seed=1, requires_grad=True)
    before = x.tolist(), y.tolist()
    gradcheck(norm, x, y)
    gradgradcheck(norm, x, y)
    assert (x.tolist(), y.tolist()) == before
    assert not x.requires_grad and y.requires_grad and y.is_leaf
    assert x.grad is None and y.grad is None
    with pytest.raises(RuntimeError, match="leaf"):
        y += 1.0
    x += 1.0


def test_several_results_and_some_without_gradient():
    def parts(x):
        return x.exp(), x.argmax(), [(x * x).sum(axis=0)][0]

    assert gradcheck(parts, drawn(2, 3)).elements == 6
    report = gradgradcheck(parts, drawn(2, 3))
    assert [i.name for i in report.inputs] == ["x", "g[0]", "g[1]"]
    assert report.elements == 6 + 6 + 3


def test_a_function_that_differentiates_inside():
    def slope(x):
        return mg.grad((x * x * x).sum(), x, create_graph=True)[0]

    assert gradcheck(slope, drawn(2, 3)).elements == 6
    assert gradgradcheck(slope, drawn(2, 3)).elements == 12


def test_ops_of_tensors_are_checked_through_the_tape(monkeypatch):
    monkeypatch.setattr(Op, "with_vjp", None)  # the way without a tape
    assert gradcheck(engine.mul, drawn(2, 3), drawn(3, seed=1)).op == "mul"
    with pytest.raises(TypeError, match="not callable"):
        gradcheck(engine.mul, asarray(np.ones(2)), asarray(np.ones(2)))


WRONG = {
    "numbers alone": lambda x: mg.tensor(x.numpy() * 2.0),
    "a constant inside": lambda x: x * x.detach(),
    "one number": lambda x: x * float(x.numpy()[0, 0]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_graph_that_was_cut_is_noticed(name):
    with pytest.raises(GradientError, match="the gradient of x"):
        gradcheck(WRONG[name], drawn(2, 3))


def test_a_function_that_overwrites_its_input_is_noticed():
    def overwritten(x, y):
        out = x * y
        y += 1.0
        return out

    with pytest.raises(GradientError, match="y after overwritten: got changed"):
        gradcheck(overwritten, drawn(2, requires_grad=True), drawn(2))


def test_what_cannot_be_checked():
    with pytest.raises(TypeError, match=r"gradcheck: .* gives float; only a float64 result"):
        gradcheck(lambda x: x.sum().item(), drawn(2))
    with pytest.raises(TypeError, match=r"gradgradcheck: .* gives bool; only a float64 result"):
        gradgradcheck(lambda x: x > 1.0, drawn(2))
    with pytest.raises(TypeError, match=r"gradcheck: .* gives float32; only a float64 result"):
        gradcheck(lambda x: (x, x.astype("float32")), drawn(2))
    with pytest.raises(ValueError, match=r"gradcheck: .* something else at the second call"):
        gradcheck(lambda x: x * mg.rand(2, dtype="float64"), drawn(2))
    with pytest.raises(ValueError, match=r"gradgradcheck: gradient of sqrt is NaN or infinite"):
        gradgradcheck(engine.sqrt, drawn(2) * 0.0)


def test_second_derivatives_of_every_shape_and_layout():
    wide = drawn(6, 8)
    for x in (
        drawn(),
        drawn(1),
        drawn(0),
        drawn(2, 0, 3),
        wide[::2, ::-3],
        wide.T,
        wide[:1].expand(3, 8),
    ):
        report = gradgradcheck(lambda x: x * x * x, x)
        assert str(report).startswith(f"gradient of <lambda>: x {x.shape}, g {x.shape}: ")
        assert report.elements == 2 * x.size


def cube(vjp):
    """x ** 3 with a first derivative that is right, and a vjp that may not be differentiable."""

    @elementwise
    def cubed(x):
        out = kernel("mul", kernel("mul", x, x), x)
        return out, lambda g, given: (vjp(x, g, given, out),)

    return cubed


SECOND = {
    "its own result": lambda x, g, out, own: 3.0 * g * own / x,
    "the result, cut": lambda x, g, out, own: 3.0 * g * out.detach() / x,
    "the input, cut": lambda x, g, out, own: 3.0 * g * x.detach() * x,
    "the input in numbers": lambda x, g, out, own: g * mg.tensor(3.0 * x.numpy() ** 2),
    "g, cut": lambda x, g, out, own: 3.0 * g.detach() * x * x,
    "more than the derivative": lambda x, g, out, own: 3.0 * g * x * x + 1e-6 * (x - x.detach()),
}


@pytest.mark.parametrize("name", SECOND)
def test_a_wrong_second_derivative_with_a_right_first_one(name):
    op = cube(SECOND[name])
    gradcheck(op, drawn(2, 3))
    along = "g" if name == "g, cut" else "x"
    with pytest.raises(GradientError, match=f"the second derivative along {along}: got "):
        gradgradcheck(op, drawn(2, 3))


def test_a_right_second_derivative():
    for vjp in (
        lambda x, g, out, own: 3.0 * g * x * x,
        lambda x, g, out, own: 3.0 * g * out / x,
    ):
        gradcheck(cube(vjp), drawn(2, 3))
        assert gradgradcheck(cube(vjp), drawn(2, 3)).error < 1e-9


def test_mixed_derivatives_are_seen():
    @elementwise
    def mixed(x, y):
        out = kernel("mul", x, y)
        return out, lambda g, _: (g * mg.tensor(y.numpy()), g * x)

    gradcheck(mixed, drawn(2), drawn(2, seed=1))
    with pytest.raises(GradientError, match="the second derivative along y"):
        gradgradcheck(mixed, drawn(2), drawn(2, seed=1))
    gradgradcheck(mixed, drawn(2), drawn(2, seed=1), wrt=["x"])
