"""What all optimisers share: groups, gradients that are not there, zeroing, errors."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import models, optim

ALL = [optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop]


def leaf(*numbers):
    return mg.tensor([float(n) for n in numbers], dtype=mg.float64, requires_grad=True)


def test_a_parameter_without_a_gradient_stays():
    for make in ALL:
        moved, still = leaf(1, 2), leaf(3, 4)
        moved.grad = mg.tensor([1.0, 1.0], dtype=mg.float64)
        optimiser = make([moved, still], lr=0.1)
        optimiser.step()
        assert still.tolist() == [3.0, 4.0] and still not in optimiser.state
        assert moved.tolist() != [1.0, 2.0]


def test_groups_have_options_of_their_own():
    a, b, c = leaf(1), leaf(1), leaf(1)
    optimiser = optim.SGD([{"params": [a], "lr": 0.5}, {"params": (b,)}], lr=0.25)
    optimiser.add_param_group({"params": iter([c]), "lr": 0.125})
    for p in (a, b, c):
        p.grad = mg.tensor([1.0], dtype=mg.float64)
    optimiser.step()
    assert [p.item() for p in (a, b, c)] == [0.5, 0.75, 0.875]
    assert [g["lr"] for g in optimiser.param_groups] == [0.5, 0.25, 0.125]
    optimiser.param_groups[0]["lr"] = 0.0
    optimiser.step()
    assert [p.item() for p in (a, b, c)] == [0.5, 0.5, 0.75]
    assert "group 2: 1 parameters, lr=0.125, momentum=0.0" in repr(optimiser)


def test_a_generator_of_parameters():
    params = [leaf(1), leaf(2)]
    optimiser = optim.SGD((p for p in params), lr=1.0)
    assert optimiser.param_groups[0]["params"] == params


def test_gradients_are_forgotten_or_zeroed():
    p, q = leaf(1, 2), leaf(3)
    optimiser = optim.SGD([p, q], lr=0.1)
    p.grad = mg.tensor([5.0, 6.0], dtype=mg.float64)
    optimiser.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0.0, 0.0] and q.grad is None
    optimiser.zero_grad()
    assert p.grad is None


def test_a_recorded_gradient_is_zeroed_as_a_constant():
    p = leaf(1, 2)
    (p**3.0).sum().backward(create_graph=True)
    assert p.grad.requires_grad
    optim.SGD([p], lr=0.1).zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0.0, 0.0] and not p.grad.requires_grad


def test_steps_and_zeroing_go_on_after_a_walk():
    p = leaf(4)
    optimiser = optim.SGD([p], lr=0.1)
    for _ in range(3):
        optimiser.zero_grad(set_to_none=False)
        (p * p).sum().backward()
        optimiser.step()
    np.testing.assert_allclose(p.numpy(), [4.0 * 0.8**3])


BAD = {
    "no parameters": (lambda o: o([]), ValueError, "no parameters were given"),
    "a used up generator": (lambda o: o(iter(())), ValueError, "call parameters() again"),
    "one tensor": (lambda o: o(leaf(1)), TypeError, "come as a list of tensors"),
    "no list": (lambda o: o(3), TypeError, "come as a list of tensors or of groups, got int 3."),
    "a module": (lambda o: o(models.mlp((2, 3, 1))), TypeError,
        "got a module, Sequential; its parameters are wanted: model.parameters()."),
    "a pair": (lambda o: o([("w", leaf(1))]), TypeError, "parameter 0 is no tensor but tuple"),
    "an ndarray": (lambda o: o([np.ones(2)]), TypeError, "parameter 0 is no tensor but ndarray"),
    "a result": (lambda o: o([leaf(1), leaf(1, 2) * 2.0]), ValueError,
        "parameter 1, of shape (2,), is the result of an op."),
    "a negative rate": (lambda o: o([leaf(1)], lr=-0.1), ValueError,
        "lr must be a number from 0 up, got -0.1."),
    "an infinite rate": (lambda o: o([leaf(1)], lr=float("inf")), ValueError, "got inf."),
    "a rate of NaN": (lambda o: o([leaf(1)], lr=float("nan")), ValueError, "got nan."),
    "a rate in words": (lambda o: o([leaf(1)], lr="fast"), ValueError, "got 'fast'."),
    "a negative decay": (lambda o: o([leaf(1)], weight_decay=-1), ValueError,
        "weight_decay must be a number from 0 up, got -1."),
    "a bad option of a group": (lambda o: o([{"params": [leaf(1)], "lr": -1.0}]), ValueError,
        "lr must be"),
    "an option of nobody": (lambda o: o([{"params": [leaf(1)], "rate": 1.0}]), ValueError,
        "no such option: rate. There is: lr,"),
    "a group without parameters": (lambda o: o([{"lr": 0.1}]), TypeError,
        "a group is a dict with 'params', got dict"),
    "a group of one tensor": (lambda o: o([{"params": leaf(1)}]), TypeError, "come as a list"),
    "a tensor among groups": (lambda o: o([{"params": [leaf(1)]}, leaf(2)]), TypeError,
        "a group is a dict"),
}  # fmt: skip


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("name", BAD)
def test_bad_input(name, make):
    call, kind, words = BAD[name]
    with pytest.raises(kind) as raised:
        call(make)
    assert str(raised.value).startswith(f"{make.__name__}: ") and words in str(raised.value)


@pytest.mark.parametrize("make", ALL)
def test_a_parameter_given_twice(make):
    p, q = leaf(1, 2), leaf(3)
    for params in ([p, q, p], [{"params": [p]}, {"params": [q, p]}]):
        with pytest.raises(ValueError, match=r"of shape \(2,\), is given twice"):
            make(params, lr=0.1)
    optimiser = make([p], lr=0.1)
    with pytest.raises(ValueError, match="given twice"):
        optimiser.add_param_group({"params": [q, p]})
    assert len(optimiser.param_groups) == 1


@pytest.mark.parametrize("make", [optim.Adam, optim.AdamW])
@pytest.mark.parametrize("betas", [(0.9, 1.0), (-0.1, 0.9), (0.9,), 0.9, (0.9, "high")])
def test_betas(make, betas):
    with pytest.raises(ValueError, match="betas must be two numbers from 0 to below 1, got"):
        make([leaf(1)], betas=betas)


@pytest.mark.parametrize(
    "options", [{}, {"momentum": 0.0}, {"momentum": 0.9, "dampening": 0.1}], ids=str
)
def test_nesterov_needs_a_momentum(options):
    with pytest.raises(ValueError, match=r"^SGD: nesterov looks ahead along the velocity"):
        optim.SGD([leaf(1)], nesterov=True, **options)


def test_other_options():
    for make, option in (
        (optim.SGD, "momentum"),
        (optim.Adam, "eps"),
        (optim.RMSprop, "alpha"),
        (optim.RMSprop, "momentum"),
    ):
        with pytest.raises(ValueError, match=f"{option} must be a number from 0 up"):
            make([leaf(1)], **{option: -0.5})


def test_an_optimiser_that_does_not_say_how():
    p = leaf(1)
    p.grad = p.detach()
    with pytest.raises(NotImplementedError, match="does not say how it moves"):
        optim.Optimizer([p], lr=0.1).step()
