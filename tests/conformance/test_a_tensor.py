"""What a tensor is to Python: numbers, loops, text, copies, pickles."""

import copy
import math
import pickle
import weakref

import numpy as np
import pytest
from case import numbers

import minigrad as mg


@pytest.mark.row("bool(x)", "float(x)", "int(x)", "x.item", "x.tolist")
def test_one_element_is_a_number(device):
    for obj, number in [(2.5, 2.5), ([[2.5]], 2.5), (7, 7), ([True], True), ([-0.25], -0.25)]:
        x = mg.tensor(obj, device=device)
        assert (x.item(), x.tolist(), float(x), int(x)) == (number, obj, float(number), int(number))
        assert type(x.item()) is type(number)
        assert bool(x) is True
    assert not mg.tensor(0.0, device=device)
    assert math.isnan(mg.tensor(math.nan, device=device).item())
    assert mg.tensor([[1, 2], [3, 4]], device=device).T.tolist() == [[1, 3], [2, 4]]
    assert mg.zeros((2, 0), device=device).tolist() == [[], []]


@pytest.mark.row("len(x)", "iter(x)", "range(x)")
def test_loops_and_indices(device):
    x = mg.tensor(np.arange(12.0).reshape(3, 4), device=device)
    assert (len(x), len(x.T), len(x[:0])) == (3, 4, 0)
    assert [row.tolist() for row in x] == x.tolist() == [row.tolist() for row in iter(x)]
    assert list(x[:0]) == []
    one = mg.tensor(2, device=device)
    assert (list(range(one)), "abcd"[one], x[one, one].item()) == ([0, 1], "c", 10.0)


@pytest.mark.row("hash(x)")
def test_a_tensor_is_itself_in_sets_and_compares_by_element(device):
    x, y = mg.tensor([1, 2], device=device), mg.tensor([1, 3], device=device)
    assert (x == y).tolist() == [True, False]
    assert len({x, y, x}) == 2
    assert hash(x) != hash(mg.tensor(x))
    seen = weakref.ref(x)
    del x
    assert seen() is None
    with pytest.raises(AttributeError):
        y.name = "y"


@pytest.mark.row("repr(x)")
def test_text(device):
    x = mg.tensor([[1.0, 2.5], [-3.0, 4.0]], device=device)
    for part in ("Tensor", "2.5", "-3", "(2, 2)", "float32"):
        assert part in repr(x)
    assert "requires_grad=True" in repr(x.requires_grad_())
    assert "exp" in repr(x.exp())
    large = mg.zeros((1000, 1000), dtype="int64", device=device)
    assert len(repr(large)) < 1000 and "(1000, 1000)" in repr(large)
    for empty in (mg.zeros((0, 3), device=device), mg.zeros((), device=device)):
        assert str(empty.shape) in repr(empty)


@pytest.mark.row("pickle.dumps(x)", "copy.deepcopy(x)")
def test_copies_and_pickles_of_leaves(device):
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], device=device, requires_grad=True)
    x.is_parameter = True
    (x * x).sum().backward()
    for new in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.copy(x)):
        assert (new.tolist(), new.dtype, new.device) == (x.tolist(), x.dtype, device)
        assert (new.requires_grad, new.is_leaf, new.is_parameter) == (True, True, True)
        with mg.no_grad():
            new += 1.0
        assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert copy.deepcopy(x).grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    both = copy.deepcopy({"a": x, "b": x})
    assert both["a"] is both["b"] is not x
    ints = pickle.loads(pickle.dumps(mg.tensor([1, 2], device=device)[::-1]))
    assert (ints.tolist(), ints.dtype, ints.requires_grad) == ([2, 1], mg.int64, False)
    for call in (copy.deepcopy, pickle.dumps):
        with pytest.raises(RuntimeError, match=r"^copy: .*\(2, 2\).*detach"):
            call(x * 2.0)


@pytest.mark.row("x.to", "x.to_", "x.copy", "astype")
def test_to_another_device_or_dtype(device):
    x = mg.tensor([1.5, 2.5], device=device, requires_grad=True)
    assert x.to(device) is x.to() is x.to(device, "float32") is x
    y = x.to(dtype="float64")
    (y * 3.0).sum().backward()
    assert (y.dtype, x.grad.dtype, x.grad.tolist()) == (mg.float64, mg.float32, [3.0, 3.0])
    assert x.copy().requires_grad and x.astype("int64").tolist() == [1, 2]
    assert x.to_(device, "float64") is x
    assert (x.dtype, x.grad.dtype, x.requires_grad, x.is_leaf) == (
        mg.float64,
        mg.float64,
        True,
        True,
    )
    (x * 2.0).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]
    with pytest.raises(TypeError, match="int64"):
        x.to_(dtype="int64")
    with pytest.raises(RuntimeError, match=r"^to_: .*to\(\)"):
        (x * 2.0).to_(device)
    for call in (x.to, x.to_):
        with pytest.raises(ValueError, match="there is no device 'abacus'"):
            call("abacus")
    assert np.array_equal(numbers(x), [1.5, 2.5])
