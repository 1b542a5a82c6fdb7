"""Every kind of bad input: one error, of the class that PyTorch's users expect, in words that help.

Each case: the call, the class, and its message.
"""

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn
from minigrad.nn import init


class Model(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(3, 2)
        self.w = nn.Parameter([1.0, 2.0])
        self.register_buffer("mean", mg.zeros(2))


def assign(name, value):
    setattr(Model(), name, value)


def buffer(name, value):
    Model().register_buffer(name, value)


def replace(index, value):
    nn.Sequential(nn.ReLU())[index] = value


def x(*shape, dtype="float32"):
    return mg.zeros(shape, dtype)


WHOLE = "Parameter: training moves it by small steps, so it must be float32 or float64, got"
FLOATS = "astype(float32) makes floats of whole numbers."
GENERATOR = "generator must be a minigrad.Generator, got 3; Generator(seed=0) makes one."
NO_TENSOR = "expected a tensor, got list; minigrad.tensor makes one."
TWO_AXES = (
    "weights have two axes or more, (outputs, inputs, ...), this tensor has shape (3,); "
    "for a bias there are zeros_, constant_ and uniform_."
)
INSTEAD = (
    "cannot take its place: wrap it, nn.Parameter(...), or write into it, "
    "`with no_grad(): module.w.copy_(...)`."
)
NAMES = "linear, sigmoid, tanh, relu, leaky_relu"

CASES = {
    # parameters, buffers, modules
    "whole numbers": (lambda: nn.Parameter([1, 2]), TypeError, f"{WHOLE} int64; {FLOATS}"),
    "bools": (lambda: nn.Parameter(mg.tensor([True])), TypeError, f"{WHOLE} bool; {FLOATS}"),
    "no numbers": (lambda: nn.Parameter("abc"), TypeError,
        "asarray: expected numbers or arrays, got str."),
    "a number over a parameter": (lambda: assign("w", 3), TypeError,
        f"Model.w is a parameter, and a plain int {INSTEAD}"),
    "a tensor over a parameter": (lambda: assign("w", x(2)), TypeError,
        f"Model.w is a parameter, and a plain Tensor {INSTEAD}"),
    "a number over a module": (lambda: assign("layer", 3), TypeError,
        "Model.layer is a module, and int cannot take its place; None can."),
    "an ndarray over a buffer": (lambda: assign("mean", np.zeros(2)), TypeError,
        "Model.mean is a buffer, which is a tensor or None, got ndarray."),
    "a buffer over a parameter": (lambda: buffer("w", x(2)), ValueError,
        "register_buffer('w'): Model has another attribute of that name."),
    "a buffer over a method": (lambda: buffer("forward", x(2)), ValueError,
        "register_buffer('forward'): Model has another attribute of that name."),
    "a name with a dot": (lambda: buffer("a.b", x(2)), ValueError,
        "register_buffer('a.b'): a name is a text without dots."),
    "no name": (lambda: buffer(3, x(2)), ValueError,
        "register_buffer(3): a name is a text without dots."),
    "no tensor": (lambda: buffer("std", 1.0), TypeError,
        "register_buffer('std'): a buffer is a tensor that is no parameter, got float."),
    "a parameter as a buffer": (lambda: buffer("std", nn.Parameter([1.0])), TypeError,
        "register_buffer('std'): a buffer is a tensor that is no parameter, got a parameter."),
    "no forward": (lambda: Model()(x(2)), NotImplementedError,
        "Model has no forward: write one, `def forward(self, x):`."),
    "a mode": (lambda: Model().train("yes"), TypeError,
        "train: mode is True or False, got 'yes'."),
    "to a dtype": (lambda: Model().to(mg.float64), TypeError,
        "to: float64 is a dtype, not a device; write to(dtype=float64)."),
    "to ints": (lambda: Model().to(dtype=int), TypeError,
        "to: a module is float32 or float64, got int64."),
    "to nowhere": (lambda: Model().to("gpu"), ValueError,
        "to: there is no device 'gpu'; there is 'numpy'."),
    # chains and lists
    "a class": (lambda: nn.Sequential(nn.ReLU(), nn.Tanh), TypeError,
        "Sequential: entry 1 is the class Tanh; Tanh() makes a module of it."),
    "a list": (lambda: nn.Sequential([nn.ReLU()]), TypeError,
        "Sequential: entry 0 is a list; give its modules one by one, with *."),
    "a tuple": (lambda: nn.ModuleList([nn.ReLU(), (nn.Tanh(),)]), TypeError,
        "ModuleList: entry 1 is a tuple; give its modules one by one, with *."),
    "a function": (lambda: nn.Sequential(mg.relu), TypeError,
        "Sequential: entry 0 is no module, got relu; functions have modules, like nn.ReLU()."),
    "None": (lambda: nn.ModuleList([nn.ReLU(), None]), TypeError,
        "ModuleList: entry 1 is no module, got NoneType; functions have modules, like nn.ReLU()."),
    "one module for a list": (lambda: nn.ModuleList(nn.ReLU()), TypeError,
        "ModuleList: expected modules in a list, got ReLU."),
    "a function in the place of a module": (lambda: replace(0, mg.relu), TypeError,
        "Sequential: entry 0 is no module, got relu; functions have modules, like nn.ReLU()."),
    "a place that is not there": (lambda: replace(1, nn.ReLU()), IndexError,
        "Sequential: there is no entry 1; it has 1."),
    "an entry that is not there": (lambda: nn.Sequential()[-1], IndexError,
        "Sequential: there is no entry -1; it has 0."),
    "a list that is called": (lambda: nn.ModuleList()(x(2)), NotImplementedError,
        "ModuleList: a list computes nothing by itself; go through it in forward, "
        "`for layer in self.layers: x = layer(x)`, or make it a Sequential."),
    # layers
    "no inputs": (lambda: nn.Linear(0, 2), ValueError,
        "Linear: in_features must be 1 or more, got 0."),
    "outputs below 0": (lambda: nn.Linear(2, -1), ValueError,
        "Linear: out_features must be 1 or more, got -1."),
    "half an input": (lambda: nn.Linear(2.5, 2), TypeError,
        "Linear: in_features must be a whole number, got 2.5."),
    "True inputs": (lambda: nn.Linear(True, 2), TypeError,
        "Linear: in_features must be a whole number, got True."),
    "a layer of ints": (lambda: nn.Linear(2, 2, dtype="int64"), TypeError,
        f"{WHOLE} int64; {FLOATS}"),
    "a layer elsewhere": (lambda: nn.Linear(2, 2, device="cuda"), ValueError,
        "empty: device 'cuda' comes with chapter 15."),
    "a seed for a generator": (lambda: nn.Linear(2, 2, generator=3), TypeError,
        f"Linear: {GENERATOR}"),
    "another size": (lambda: nn.Linear(3, 2)(x(4, 2)), ValueError,
        "Linear: expected a tensor of shape (..., 3), got (4, 2)."),
    "a number": (lambda: nn.Linear(3, 2)(x()), ValueError,
        "Linear: expected a tensor of shape (..., 3), got ()."),
    "a list into a layer": (lambda: nn.Linear(3, 2)([1.0, 2.0, 3.0]), TypeError,
        f"Linear: {NO_TENSOR}"),
    "a list into an activation": (lambda: nn.ReLU()([1.0]), TypeError,
        "relu: expected an array, got list; minigrad.tensor makes one."),
    "axes that are not there": (lambda: nn.Flatten(2)(x(3, 4)), ValueError,
        "Flatten: shape (3, 4) has no axes 2 to -1."),
    "axes in reverse": (lambda: nn.Flatten(1, -2)(x(3, 4)), ValueError,
        "Flatten: shape (3, 4) has no axes 1 to -2."),
    "a list to flatten": (lambda: nn.Flatten()([1.0]), TypeError, f"Flatten: {NO_TENSOR}"),
    "an axis that is not there": (lambda: nn.Softmax(3)(x(2, 3)), ValueError,
        "softmax: axis 3 is out of range for an array with 2 axes."),
    "which gelu": (lambda: nn.GELU("fast"), ValueError,
        "GELU: approximate is 'none' or 'tanh', got 'fast'."),
    "more than everything": (lambda: nn.Dropout(1.5), ValueError,
        "Dropout: p is a probability, from 0 to 1, got 1.5."),
    "less than nothing": (lambda: nn.Dropout(-0.1), ValueError,
        "Dropout: p is a probability, from 0 to 1, got -0.1."),
    "NaN": (lambda: nn.Dropout(float("nan")), ValueError,
        "Dropout: p is a probability, from 0 to 1, got nan."),
    "text": (lambda: nn.Dropout("half"), TypeError, "Dropout: p must be a number, got 'half'."),
    "a seed for dropout": (lambda: nn.Dropout(generator=3), TypeError, f"Dropout: {GENERATOR}"),
    "a list to drop from": (lambda: nn.Dropout()([1.0]), TypeError, f"Dropout: {NO_TENSOR}"),
    # losses
    "which reduction": (lambda: nn.CrossEntropyLoss(reduction="avg"), ValueError,
        "CrossEntropyLoss: reduction is one of mean, sum, none, got 'avg'."),
    "reduction of squares": (lambda: nn.MSELoss("avg"), ValueError,
        "MSELoss: reduction is one of mean, sum, none, got 'avg'."),
    "a column and a row": (lambda: nn.MSELoss()(x(5, 1), x(5)), ValueError,
        "MSELoss: prediction and target must have the same shape, got (5, 1) and (5,)."),
    "other answers": (lambda: nn.BCEWithLogitsLoss()(x(5), x(5, 1)), ValueError,
        "BCEWithLogitsLoss: prediction and target must have the same shape, got (5,) and (5, 1)."),
    "a list of targets": (lambda: nn.MSELoss()(x(1), [1.0]), TypeError, f"MSELoss: {NO_TENSOR}"),
    # how weights start
    "a list to start": (lambda: init.zeros_([1.0]), TypeError,
        "zeros_: expected a tensor to overwrite, got list."),
    "ints to start": (lambda: init.normal_(x(2, dtype="int64")), TypeError,
        "normal_: weights are float32 or float64, this tensor is int64."),
    "bools to start": (lambda: init.ones_(x(2, dtype="bool")), TypeError,
        "ones_: weights are float32 or float64, this tensor is bool."),
    "ends in reverse": (lambda: init.uniform_(x(2), 2, 1), ValueError,
        "uniform_: a must not be above b, got a=2 and b=1."),
    "no end": (lambda: init.uniform_(x(2), 0, float("inf")), ValueError,
        "uniform_: b must be finite, got inf."),
    "a spread below 0": (lambda: init.normal_(x(2), 0, -1), ValueError,
        "normal_: std must be 0 or more, got -1."),
    "a text to start": (lambda: init.constant_(x(2), "a"), TypeError,
        "constant_: val must be a number, got 'a'."),
    "True for a number": (lambda: init.normal_(x(2), std=True), TypeError,
        "normal_: std must be a number, got True."),
    "a bias by kaiming": (lambda: init.kaiming_normal_(x(3)), ValueError,
        f"kaiming_normal_: {TWO_AXES}"),
    "a bias by xavier": (lambda: init.xavier_uniform_(x(3)), ValueError,
        f"xavier_uniform_: {TWO_AXES}"),
    "a bias that turns": (lambda: init.orthogonal_(x(3)), ValueError, f"orthogonal_: {TWO_AXES}"),
    "which fan": (lambda: init.kaiming_uniform_(x(2, 3), mode="in"), ValueError,
        "kaiming_uniform_: mode is one of fan_in, fan_out, got 'in'."),
    "which nonlinearity": (lambda: init.kaiming_normal_(x(2, 3), nonlinearity="swish"), ValueError,
        f"calculate_gain: nonlinearity is one of {NAMES}, got 'swish'."),
    "a slope that is none": (lambda: init.kaiming_normal_(x(2, 3), a=float("nan")), ValueError,
        "kaiming_normal_: a must be finite, got nan."),
    "a gain below 0": (lambda: init.xavier_normal_(x(2, 3), gain=-1.0), ValueError,
        "xavier_normal_: gain must be 0 or more, got -1.0."),
    "a gain of text": (lambda: init.calculate_gain("leaky_relu", "a"), TypeError,
        "calculate_gain: param must be a number, got 'a'."),
    "a seed to start": (lambda: init.orthogonal_(x(2, 3), generator=3), TypeError,
        f"orthogonal_: {GENERATOR}"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_clear_error(name):
    call, kind, message = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message
