"""First and second derivatives of every op, through the tape, against central differences."""

import inspect

import gradient_cases
import gradient_cases_layers  # noqa: F401  enters the ops of layers
import numpy as np
import pytest
from gradient_cases import CASES

import minigrad as mg
from minigrad.gradcheck import GradientError, gradcheck, gradgradcheck
from minigrad.reference import engine

# What gives whole numbers or bools, or is made of them.
WITHOUT = """
    all any argmax argmin equal greater greater_equal isfinite isinf isnan less less_equal
    logical_and logical_not logical_or logical_xor multinomial not_equal one_hot
"""


def test_every_op_with_a_gradient_is_here():
    ops = {name for name, each in vars(engine).items() if callable(each)}
    assert ops == CASES.keys() | set(WITHOUT.split())
    assert not CASES.keys() & set(WITHOUT.split())


@pytest.mark.parametrize("name", WITHOUT.split())
def test_what_is_left_out_has_no_gradient(name):
    op, x = getattr(engine, name), mg.tensor([[0.5, 1.5, -0.5]], requires_grad=True)
    if name == "one_hot":
        assert not op(mg.tensor([1, 0]), 3).requires_grad
        return
    if name == "multinomial":
        assert not op(x * x, 2).requires_grad
        return
    needed = [p for p in inspect.signature(op).parameters.values() if p.default is p.empty]
    out = op(*[x] * len(needed))
    assert isinstance(out, mg.Tensor) and not out.requires_grad


def test_first_and_second_derivatives(record_property):
    wrong, reports = [], []
    for name, calls in CASES.items():
        for k, (call, *tensors) in enumerate(calls):
            try:
                gradcheck(call, *tensors)
                reports.append(gradgradcheck(call, *tensors))
            except GradientError as error:
                wrong.append(f"{name}, call {k}: {error}")
    elements = sum(r.elements for r in reports)
    record_property(
        "figure",
        f"second derivatives of {len(CASES)} ops by central differences: {len(reports)} calls, "
        f"{elements} derivatives, largest error {max(r.error for r in reports):.1e}, "
        f"{len(wrong)} unexpected",
    )
    assert not wrong, "\n".join(wrong)


def test_the_points_are_smooth_and_tell_apart():
    for shape in ((2, 3), (), (0, 2), (4, 3)):
        for make in (gradient_cases.drawn, gradient_cases.positive):
            x = make(*shape).numpy()
            assert x.shape == shape and len(np.unique(x)) == x.size
            assert (np.abs(2 * x - np.rint(2 * x)) > 0.2).all()
    assert (gradient_cases.positive(9).numpy() > 0.5).all()
    assert (gradient_cases.drawn(40).numpy() < 0.0).any()
