"""Tensors out of numbers, of lists and of nothing, and out of chance."""

import math

import numpy as np
import pytest
from case import numbers

import minigrad as mg

LISTS = [
    (2.5, "float32", ()), (3, "int64", ()), (True, "bool", ()), ([1.5, 2], "float32", (2,)),
    ([[1, 2, 3]], "int64", (1, 3)), ([[True], [False]], "bool", (2, 1)),
    ((1, 2.5), "float32", (2,)), ([True, 2], "int64", (2,)), (range(4), "int64", (4,)),
    ([], "float32", (0,)),
    ([[], []], "float32", (2, 0)), ([-(2**63), 2**63 - 1], "int64", (2,)),
    ([math.nan, -math.inf, 1e300], "float32", (3,)), (np.float64(0.1), "float64", ()),
    (np.arange(6.0).reshape(2, 3).T, "float64", (3, 2)), (np.array([True, False]), "bool", (2,)),
]  # fmt: skip
MAKERS = {
    "empty": lambda **o: mg.empty((2, 3), **o), "zeros": lambda **o: mg.zeros((2, 3), **o),
    "ones": lambda **o: mg.ones((2, 3), **o), "full": lambda **o: mg.full((2, 3), 1.5, **o),
    "arange": lambda **o: mg.arange(0.0, 3.0, **o), "eye": lambda **o: mg.eye(3, **o),
    "linspace": lambda **o: mg.linspace(0.0, 1.0, 3, **o), "rand": lambda **o: mg.rand(2, **o),
    "randn": lambda **o: mg.randn(2, **o), "tensor": lambda **o: mg.tensor([1.0], **o),
    "empty_like": lambda **o: mg.empty_like(mg.ones(2), **o),
    "zeros_like": lambda **o: mg.zeros_like(mg.ones(2), **o),
    "ones_like": lambda **o: mg.ones_like(mg.ones(2), **o),
    "full_like": lambda **o: mg.full_like(mg.ones(2), 2.0, **o),
}  # fmt: skip


def check(x, want, dtype, device):
    assert (str(x.dtype), x.device, x.requires_grad) == (dtype, device, False)
    np.testing.assert_array_equal(numbers(x), np.asarray(want).astype(dtype), strict=True)
    assert isinstance(x, mg.Tensor)


@pytest.mark.row("tensor", "asarray", "Tensor")
@pytest.mark.parametrize(("obj", "dtype", "shape"), LISTS)
def test_numbers_lists_and_ndarrays(device, obj, dtype, shape):
    with np.errstate(over="ignore"):
        want = np.array(obj).astype(dtype).reshape(shape)
    for make in (mg.tensor, mg.asarray):
        check(make(obj, device=device), want, dtype, device)
        with np.errstate(over="ignore"):
            other = want.astype("float64").astype("float32")
        check(make(obj, dtype="float32", device=device), other, "float32", device)
    if dtype.startswith("float"):
        assert mg.tensor(obj, device=device, requires_grad=True).requires_grad


@pytest.mark.row("asarray", "tensor")
def test_what_is_a_tensor_already(device):
    x = mg.tensor([1.0, 2.0], device=device, requires_grad=True)
    assert mg.asarray(x) is x
    assert mg.asarray(x, dtype="float32", device=device) is x
    for copy in (mg.asarray(x, dtype=mg.float64), mg.asarray(x, copy=True)):
        assert copy.requires_grad and not copy.is_leaf
        assert copy.tolist() == [1.0, 2.0]
    new = mg.tensor(x)
    assert (new.requires_grad, new.is_leaf, new.tolist()) == (False, True, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"^asarray: float32 to float64 needs a copy"):
        mg.asarray(x, dtype="float64", copy=False)
    array = np.arange(3.0)
    x, y = mg.tensor(array, device=device), mg.asarray([x, x], device=device)
    array[0] = 7.0
    assert (x.tolist(), y.tolist()) == ([0.0, 1.0, 2.0], [[1.0, 2.0]] * 2)


@pytest.mark.row("empty", "zeros", "ones", "full", "eye", "arange", "linspace")
def test_out_of_nothing(device):
    for shape in [(), (3,), 3, (2, 0), [2, 3], (np.int64(2), 1)]:
        check(mg.zeros(shape, device=device), np.zeros(shape), "float32", device)
        check(mg.ones(shape, dtype="int64", device=device), np.ones(shape), "int64", device)
        check(mg.full(shape, 2.5, device=device), np.full(shape, 2.5), "float32", device)
        assert mg.empty(shape, dtype=bool, device=device).shape == np.zeros(shape).shape
    for value, dtype in [
        (1, "int64"),
        (True, "bool"),
        (mg.tensor(2.0, dtype="float64"), "float64"),
    ]:
        assert str(mg.full(2, value, device=device).dtype) == dtype
    for size in [(3,), (2, 4), (4, 2), (0,)]:
        check(mg.eye(*size, device=device), np.eye(*size), "float32", device)
    for bounds in [(5,), (2, 7), (7, 2, -2), (1, 11, 3), (0,), (2**62, 2**62 + 3)]:
        check(mg.arange(*bounds, device=device), np.arange(*bounds), "int64", device)
    check(mg.arange(0.5, 2.0, 0.25, device=device), np.arange(0.5, 2.0, 0.25), "float32", device)
    for num in (0, 1, 2, 9):
        want = np.linspace(-1.0, 3.0, num)
        check(mg.linspace(-1.0, 3.0, num, "float64", device), want, "float64", device)


@pytest.mark.row("empty_like", "zeros_like", "ones_like", "full_like")
def test_like_another(device):
    x = mg.tensor(np.arange(6).reshape(2, 3), device=device).T
    check(mg.zeros_like(x), np.zeros((3, 2)), "int64", device)
    check(mg.ones_like(x, dtype="float64"), np.ones((3, 2)), "float64", device)
    check(mg.full_like(x, 2.5, dtype="float32"), np.full((3, 2), 2.5), "float32", device)
    y = mg.empty_like(x)
    assert (y.shape, y.dtype, y.device, y.is_contiguous) == ((3, 2), mg.int64, device, True)


@pytest.mark.parametrize("name", MAKERS)
def test_options_that_all_have(device, name):
    x = MAKERS[name](dtype="float64", device=device, requires_grad=True)
    assert (x.dtype, x.device, x.requires_grad, x.is_leaf) == (mg.float64, device, True, True)
    with pytest.raises(TypeError, match=r"^requires_grad: .*int64"):
        made = {"rand": mg.zeros_like, "randn": mg.ones_like}.get(name)
        options = {"dtype": "int64", "device": device, "requires_grad": True}
        _ = made(x, **options) if made else MAKERS[name](**options)
    with pytest.raises(ValueError, match="there is no device 'abacus'"):
        MAKERS[name](device="abacus")


RAND = [0.81665498, 0.11682552, 0.65605044]
RANDN = [0.31353435, 1.59629679, -0.55940419]
RANDINT, RANDPERM = [34, 35, 85, 18], [4, 2, 3, 1, 0, 5]


@pytest.mark.row("rand", "randn", "randint", "randperm", "bernoulli", "manual_seed", "Generator")
def test_chance(device):
    draws = [
        lambda g: mg.rand(40, 30, device=device, generator=g),
        lambda g: mg.randn((40, 30), dtype="float64", device=device, generator=g),
        lambda g: mg.randint(-3, 4, (40, 30), device=device, generator=g),
        lambda g: mg.randperm(1200, device=device, generator=g),
        lambda g: mg.bernoulli(0.25, (40, 30), device=device, generator=g),
    ]
    mg.manual_seed(5)
    first = [numbers(draw(None)) for draw in draws]
    own = mg.Generator(5)
    again = [numbers(draw(own)) for draw in draws]
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    assert own.get_state() == (5, 5 * 1200)
    uniform, normal, whole, order, coins = first
    assert [str(a.dtype) for a in first] == ["float32", "float64", "int64", "int64", "bool"]
    assert (uniform.min() >= 0.0, uniform.max() < 1.0) == (True, True)
    # Five standard errors of a mean of 1200 numbers.
    assert abs(uniform.mean() - 0.5) < 5 * math.sqrt(1 / 12 / 1200)
    assert abs(normal.mean()) < 5 / math.sqrt(1200)
    assert abs(normal.var() - 1.0) < 5 * math.sqrt(2 / 1200)
    assert sorted(set(whole.reshape(-1).tolist())) == list(range(-3, 4))
    assert sorted(order.tolist()) == list(range(1200)) != order.tolist()
    assert abs(coins.mean() - 0.25) < 5 * math.sqrt(0.25 * 0.75 / 1200)


def test_the_same_numbers_on_every_device(device):
    mg.manual_seed(3)
    # By the definition in minigrad/random.py: these may never change.
    np.testing.assert_allclose(mg.rand(3, device=device).tolist(), RAND, rtol=1e-6)
    np.testing.assert_allclose(mg.randn(3, device=device).tolist(), RANDN, rtol=1e-5)
    assert mg.randint(0, 100, (4,), device=device).tolist() == RANDINT
    assert mg.randperm(6, device=device).tolist() == RANDPERM
    assert mg.rand(device=device).shape == ()


@pytest.mark.row("DType", "float32", "float64", "int64", "bool_", "x.dtype", "x.device")
def test_the_four_types(device):
    for dtype, name, kind, size in [
        (mg.float32, "float32", "float", 4),
        (mg.float64, "float64", "float", 8),
        (mg.int64, "int64", "int", 8),
        (mg.bool_, "bool", "bool", 1),
    ]:
        assert isinstance(dtype, mg.DType)
        assert (str(dtype), dtype.kind, dtype.itemsize) == (name, kind, size)
        assert dtype.numpy == np.dtype(name)
        for given in (dtype, name, np.dtype(name), np.dtype(name).type):
            x = mg.ones((2,), dtype=given, device=device)
            assert (x.dtype, x.device, x.numpy().dtype) == (dtype, device, np.dtype(name))
    for given, dtype in [(bool, mg.bool_), (int, mg.int64), (float, mg.float32)]:
        assert mg.ones((2,), dtype=given, device=device).dtype is dtype


def test_sizes_that_are_not_one_shape():
    """As other libraries take them."""
    with pytest.raises(TypeError, match=r"dtype: 3 is .* A shape is one argument: \(2, 3\)\."):
        mg.zeros(2, 3)
    with pytest.raises(ValueError, match=r"no device 4; .* A shape is one argument"):
        mg.ones(2, 3, 4)
