"""Tensors out of numbers, of lists, of nothing, and of chance.

Each takes a device (None: the default, "numpy") and requires_grad; what else it takes and raises,
its namesake in minigrad/reference/creation.py says, or the Generator in random.py.
"""

from collections.abc import Iterable
from typing import Any

from minigrad.dtypes import float32
from minigrad.random import Generator, default_generator
from minigrad.reference import creation
from minigrad.reference.array import Array
from minigrad.reference.array import empty as empty_array
from minigrad.reference.operators import unpacked
from minigrad.reference.shapes import as_shape
from minigrad.reference.tensor import Tensor

Shape = int | Iterable[int]


def wrapped(array: Array, requires_grad: bool = False) -> Any:
    """The array as a new tensor."""
    out = Tensor(array)
    return out.requires_grad_() if requires_grad else out


def tensor(
    data: object, dtype: object = None, device: object = None, requires_grad: bool = False
) -> Any:
    """A new tensor with the numbers of `data`: a number, nested lists, an ndarray or a tensor.

    Without dtype, floats in lists become float32, ints int64, bools bool; an array keeps its own.
    Raises TypeError for what holds no numbers, ValueError for ragged lists.
    """
    return wrapped(creation.asarray(data, dtype, device, copy=True), requires_grad)


def asarray(
    obj: object, dtype: object = None, device: object = None, copy: bool | None = None
) -> Any:
    """What is given as a tensor, over the same memory where it can be: a tensor is itself."""
    if isinstance(obj, Tensor) and not copy and dtype in (None, obj.dtype):
        return obj.to(device) if isinstance(device, str) else obj
    return wrapped(creation.asarray(obj, dtype, device, copy))


def from_dlpack(obj: object) -> Any:
    """A tensor over the memory of another library's array (anything with __dlpack__)."""
    return wrapped(creation.from_dlpack(obj))


def empty(
    shape: Shape, dtype: object = float32, device: object = None, requires_grad: bool = False
) -> Any:
    return wrapped(empty_array(shape, dtype, device), requires_grad)


def zeros(
    shape: Shape, dtype: object = float32, device: object = None, requires_grad: bool = False
) -> Any:
    return wrapped(creation.zeros(shape, dtype, device), requires_grad)


def ones(
    shape: Shape, dtype: object = float32, device: object = None, requires_grad: bool = False
) -> Any:
    return wrapped(creation.ones(shape, dtype, device), requires_grad)


def full(
    shape: Shape,
    value: object,
    dtype: object = None,
    device: object = None,
    requires_grad: bool = False,
) -> Any:
    """`value` everywhere; without dtype, that of the value."""
    return wrapped(creation.full(shape, value, dtype, device), requires_grad)


def empty_like(x: Any, dtype: object = None, requires_grad: bool = False) -> Any:
    return wrapped(creation.empty_like(x, dtype), requires_grad)


def zeros_like(x: Any, dtype: object = None, requires_grad: bool = False) -> Any:
    return wrapped(creation.zeros_like(x, dtype), requires_grad)


def ones_like(x: Any, dtype: object = None, requires_grad: bool = False) -> Any:
    return wrapped(creation.ones_like(x, dtype), requires_grad)


def full_like(x: Any, value: object, dtype: object = None, requires_grad: bool = False) -> Any:
    return wrapped(creation.full_like(x, value, dtype), requires_grad)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: object = None,
    device: object = None,
    requires_grad: bool = False,
) -> Any:
    """start, start + step, ... below stop; arange(n) counts 0 .. n-1."""
    return wrapped(creation.arange(start, stop, step, dtype, device), requires_grad)


def linspace(
    start: float,
    stop: float,
    num: int = 50,
    dtype: object = float32,
    device: object = None,
    requires_grad: bool = False,
) -> Any:
    """`num` numbers at even steps from start to stop, both included."""
    return wrapped(creation.linspace(start, stop, num, dtype, device), requires_grad)


def eye(
    rows: int,
    cols: int | None = None,
    dtype: object = float32,
    device: object = None,
    requires_grad: bool = False,
) -> Any:
    """Ones on the diagonal, zeros elsewhere."""
    return wrapped(creation.eye(rows, cols, dtype, device), requires_grad)


def rand(
    *shape: Any,
    dtype: Any = float32,
    requires_grad: bool = False,
    generator: Generator = default_generator,
) -> Any:
    """Random numbers of [0, 1), evenly spread: rand(2, 3) or rand((2, 3))."""
    return wrapped(generator.uniform(unpacked(shape), dtype=dtype), requires_grad)


def randn(
    *shape: Any,
    dtype: Any = float32,
    requires_grad: bool = False,
    generator: Generator = default_generator,
) -> Any:
    """Random numbers of the normal distribution, mean 0 and variance 1: randn(2, 3)."""
    return wrapped(generator.normal(unpacked(shape), dtype=dtype), requires_grad)


def randint(low: int, high: int, shape: Shape, *, generator: Generator = default_generator) -> Any:
    """Random whole numbers of [low, high), int64."""
    return wrapped(generator.integers(low, high, as_shape("randint", shape)))


def randperm(n: int, *, generator: Generator = default_generator) -> Any:
    """The numbers 0 to n - 1 in random order, int64 (n,)."""
    return wrapped(generator.permutation(n))


def bernoulli(p: float, shape: Shape, *, generator: Generator = default_generator) -> Any:
    """True with probability p, bool."""
    return wrapped(generator.bernoulli(p, as_shape("bernoulli", shape)))
