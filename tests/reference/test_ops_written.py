"""written, the op behind x[index] = value: values, and who receives the gradient."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference import engine
from minigrad.reference.creation import asarray

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, (3, 2, 4))
FULL = slice(None)
INDICES = [
    2,
    (..., -1),
    (slice(None, None, -2), None, 1),
    (),
    (FULL, [1, 0]),
    ([0, 2], FULL, [1, 3]),
    ([0, 1, 0], [1, 1, 1]),
    (FULL, [1, 1, 0]),
    (slice(1, 3), [[0, 1], [1, 0]], slice(3, None, -2)),
    X > 0.5,
    (FULL, np.array([True, False])),
    np.zeros((2, 0), np.int64),
]


@pytest.mark.parametrize("index", INDICES, ids=range(len(INDICES)))
def test_values_and_derivatives(index):
    shape = X[index].shape
    for value in (RNG.uniform(5.0, 6.0, shape), RNG.uniform(5.0, 6.0, shape[-1:]), 7.5):
        want = X.copy()
        want[index] = value
        given = asarray(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(engine.written(asarray(X), index, given).numpy(), want)
        gradcheck(engine.written, asarray(X), index, given)
    value = mg.tensor(RNG.uniform(5.0, 6.0, shape))
    gradgradcheck(engine.written, mg.tensor(X[:, :, ::-1])[..., ::-1], index, value)


def test_the_last_of_several_values_for_one_place_receives_the_gradient():
    x = mg.tensor(np.arange(5.0), requires_grad=True)
    value = mg.tensor(np.array([7.0, 8.0, 9.0]), requires_grad=True)
    out = engine.written(x, [0, 0, 4], value)
    assert out.tolist() == [8.0, 1.0, 2.0, 3.0, 9.0]
    along_x, along_value = mg.grad(out, [x, value], mg.tensor(np.arange(1.0, 6.0)))
    assert along_x.tolist() == [0.0, 2.0, 3.0, 4.0, 0.0]
    assert along_value.tolist() == [0.0, 1.0, 5.0]


@pytest.mark.parametrize("index", [1, (slice(1, 2), [1, 0])], ids=["basic", "arrays"])
def test_a_value_with_axes_of_size_1_in_front(index):
    value = mg.tensor(RNG.uniform(size=(1, 1, 1, 2, 4)))
    report = gradcheck(lambda x, v: engine.written(x, index, v), mg.tensor(X), value)
    assert report.elements == X.size + 8


def test_a_value_of_another_dtype_has_a_gradient_in_its_own():
    x = mg.tensor(np.ones(3, np.float32), requires_grad=True)
    value = mg.tensor(np.array([2.0]), requires_grad=True)
    along_x, along_value = mg.grad(engine.written(x, [1], value).sum(), [x, value])
    assert (str(along_x.dtype), str(along_value.dtype)) == ("float32", "float64")
    assert (along_x.tolist(), along_value.tolist()) == ([1.0, 0.0, 1.0], [1.0])
