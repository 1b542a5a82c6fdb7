"""A module for the eye: repr and summary, letter by letter."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn


class Model(nn.Module):
    """A parameter of its own, one in a list, layers, and one that is not always called."""

    def __init__(self):
        self.scale = nn.Parameter([1.0, 2.0])
        self.inner = nn.Sequential(nn.Linear(1200, 20), nn.Dropout(0.25, generator=Generator(1)))
        self.heads = [nn.Linear(20, 3, bias=False), nn.Identity()]
        self.shifts = [nn.Parameter(np.zeros((3,), np.float32))]
        self.inner[0].bias.requires_grad_(False)

    def forward(self, x, both=False):
        h = self.inner(x)
        return (self.heads[0](h) + self.shifts[0], [h]) if both else self.heads[0](h)


REPR = """\
Model(
  (inner): Sequential(
    (0): Linear(in_features=1200, out_features=20, bias=True)
    (1): Dropout(p=0.25)
  )
  (heads.0): Linear(in_features=20, out_features=3, bias=False)
  (heads.1): Identity()
)"""

TABLE = """\
         layer                                                 parameters
         Model()                                                        5
inner.0  Linear(in_features=1200, out_features=20, bias=True)      24,020
inner.1  Dropout(p=0.25)                                                -
heads.0  Linear(in_features=20, out_features=3, bias=False)            60
heads.1  Identity()                                                     -
         total                                                     24,085
         of these frozen                                               20"""

SHAPES = """\
         layer                                                 output           parameters
         Model()                                               (4, 3), (4, 20)           5
inner.0  Linear(in_features=1200, out_features=20, bias=True)  (4, 20)              24,020
inner.1  Dropout(p=0.25)                                       (4, 20)                   -
heads.0  Linear(in_features=20, out_features=3, bias=False)    (4, 3)                   60
heads.1  Identity()                                            not called                -
         total                                                                      24,085
         of these frozen                                                                20"""


def test_repr():
    assert repr(Model()) == REPR
    assert repr(nn.Sequential()) == "Sequential()"


def test_repr_of_a_circle_ends():
    child, parent = nn.Module(), nn.Module()
    parent.child, child.parent = child, parent
    assert repr(parent) == "Module(\n  (child): Module(\n    (parent): ...\n  )\n)"


def test_repr_with_both_options_and_children():
    class Block(nn.Module):
        def __init__(self):
            self.inner = nn.Tanh()

        def extra_repr(self):
            return "width=3"

    assert repr(Block()) == "Block(\n  width=3\n  (inner): Tanh()\n)"


def test_summary():
    table = Model().summary()
    assert str(table) == repr(table) == TABLE


def test_summary_with_shapes():
    assert str(Model().summary((mg.zeros((4, 1200)), True))) == SHAPES


def test_summary_of_one_layer():
    expected = "layer   output  parameters\nTanh()  (2, 3)           -\ntotal                    0"
    assert str(nn.Tanh().summary(mg.zeros((2, 3)))) == expected


def test_what_is_shared_counts_once():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    assert str(model.summary()).splitlines()[-1].split() == ["total", "4"]


def test_a_summary_leaves_no_trace():
    model = Model()
    generator = model.inner[1].generator
    model.heads[0].eval()
    attributes = [dict(vars(m)) for m in model.modules()]
    model.summary((mg.zeros((4, 1200)), True))
    assert [dict(vars(m)) for m in model.modules()] == attributes
    assert generator.get_state().offset == 0
    assert all(p.grad is None for p in model.parameters())


def test_nor_does_one_that_failed():
    model = Model().train()
    attributes = [dict(vars(m)) for m in model.modules()]
    with pytest.raises(ValueError, match=r"Linear: expected a tensor of shape \(\.\.\., 1200\)"):
        model.summary(mg.zeros((4, 7)))
    assert [dict(vars(m)) for m in model.modules()] == attributes
