"""Copies and pickles of tensors."""

import copy
import io
import pickle

import numpy as np
import pytest
from slopes import drawn, equal, leaf

import minigrad as mg


def pickled(x, protocol=pickle.HIGHEST_PROTOCOL):
    file = io.BytesIO()
    pickle.dump(x, file, protocol)
    file.seek(0)
    return pickle.load(file)


WAYS = {"deepcopy": copy.deepcopy, "pickle": pickled, "copy": copy.copy} | {
    f"pickle protocol {p}": lambda x, p=p: pickled(x, p) for p in range(2, 5)
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_numbers_and_dtype(way, dtype):
    numbers = (drawn(3, 4) * 10 - 8).astype(dtype)
    for x in (mg.tensor(numbers), mg.tensor(numbers)[::-1, 1::2], mg.tensor(numbers)[0, 0]):
        found = WAYS[way](x)
        assert found is not x and found.dtype == x.dtype and not found.requires_grad
        np.testing.assert_array_equal(found.numpy(), x.numpy())
        assert found.is_contiguous
        assert not np.shares_memory(found.numpy(), x.numpy())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_parameter", [True, False])
def test_a_leaf_stays_a_leaf_of_its_own(way, is_parameter):
    x = leaf([0.5, 1.5])
    x.is_parameter = is_parameter
    y = x * 2.0
    found = WAYS[way](x)
    assert found.requires_grad and found.is_leaf and found.is_parameter is is_parameter
    (found * found).sum().backward()
    equal(found.grad, [1.0, 3.0])
    assert x.grad is None
    with mg.no_grad():
        found += 1.0
    equal(x, [0.5, 1.5])
    y.sum().backward()
    equal(x.grad, [2.0, 2.0])


def test_a_deep_copy_has_the_grad_and_a_pickle_has_none():
    x = leaf([0.5, 1.5])
    (x * x).sum().backward()
    found = copy.deepcopy(x)
    equal(found.grad, [1.0, 3.0])
    found.grad.zero_()
    equal(x.grad, [1.0, 3.0])
    assert pickled(x).grad is None


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_what_was_one_tensor_stays_one(way):
    x = leaf([0.5, 1.5])
    found = WAYS[way]({"a": x, "b": [x, x.detach()]})
    assert found["a"] is found["b"][0] and found["a"] is not x
    assert found["b"][1] is not found["a"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("inside", [False, True])
def test_what_an_op_made_has_no_copy(way, inside):
    y = leaf(drawn(2, 3)) * 2.0
    with pytest.raises(RuntimeError) as caught:
        WAYS[way]([y] if inside and way != "copy" else y)
    for fact in ["(2, 3)", "history", "detach()"]:
        assert fact in str(caught.value)
    equal(WAYS[way](y.detach()), y.numpy())
