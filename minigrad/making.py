"""Tensors out of numbers, of lists, of nothing, and of chance.

Each takes a device (None: the default, "numpy"); what else it raises, its namesake in
minigrad/reference/creation.py says, or the Generator in random.py. Those of floats take
requires_grad: a leaf whose gradient is wanted.
"""

from collections.abc import Iterable
from typing import Any

from minigrad.dtypes import float32
from minigrad.random import Generator, generator_or_default
from minigrad.reference import creation
from minigrad.reference.array import Array
from minigrad.reference.array import empty as empty_array
from minigrad.reference.operators import unpacked
from minigrad.reference.shapes import as_shape, check_device
from minigrad.reference.tensor import Tensor

Shape = int | Iterable[int]


def wrapped(array: Array, requires_grad: bool = False) -> Any:
    """The array as a new tensor."""
    out = Tensor(array)
    return out.requires_grad_() if requires_grad else out


def like(name: str, x: Any, dtype: object, device: object) -> tuple[Any, Any, Any]:
    """Shape, dtype and device for something like x."""
    if not isinstance(x, Tensor):
        raise TypeError(
            f"{name}: expected a tensor, got {type(x).__name__}; minigrad.tensor makes one."
        )
    return x.shape, x.dtype if dtype is None else dtype, x.device if device is None else device


def source(name: str, generator: Generator | None, device: object) -> Generator:
    """The generator to draw from: the one given, or the default one."""
    check_device(name, device)
    return generator_or_default(name, generator)


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
    """What is given as a tensor, over the same memory where it can be: a tensor is itself.

    A dtype of its own or copy=True makes a copy, of a tensor a recorded one. copy=False raises
    ValueError where one would be needed.
    """
    if not isinstance(obj, Tensor):
        return wrapped(creation.asarray(obj, dtype, device, copy))
    found = obj.to(check_device("asarray", device), dtype)
    if copy is False and found is not obj:
        raise ValueError(f"asarray: {obj.dtype} to {found.dtype} needs a copy.")
    return found.copy() if copy and found is obj else found


def from_dlpack(obj: object) -> Any:
    """A tensor over the memory of another library's array (anything with __dlpack__).

    With NumPy 1.26, which takes such memory for read-only, it cannot be written to.
    """
    return wrapped(creation.from_dlpack(obj))


def empty(
    shape: Shape, dtype: object = float32, device: object = None, requires_grad: bool = False
) -> Any:
    """A new tensor whose elements are whatever was in the memory."""
    return wrapped(empty_array(shape, dtype, device), requires_grad)


def zeros(
    shape: Shape, dtype: object = float32, device: object = None, requires_grad: bool = False
) -> Any:
    """0 everywhere."""
    return wrapped(creation.zeros(shape, dtype, device), requires_grad)


def ones(
    shape: Shape, dtype: object = float32, device: object = None, requires_grad: bool = False
) -> Any:
    """1 everywhere."""
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


def empty_like(
    x: Any, dtype: object = None, device: object = None, requires_grad: bool = False
) -> Any:
    """A new tensor of the shape and dtype of x, whose elements are whatever was in the memory."""
    return empty(*like("empty_like", x, dtype, device), requires_grad)


def zeros_like(
    x: Any, dtype: object = None, device: object = None, requires_grad: bool = False
) -> Any:
    """0 everywhere, in the shape and dtype of x."""
    return zeros(*like("zeros_like", x, dtype, device), requires_grad)


def ones_like(
    x: Any, dtype: object = None, device: object = None, requires_grad: bool = False
) -> Any:
    """1 everywhere, in the shape and dtype of x."""
    return ones(*like("ones_like", x, dtype, device), requires_grad)


def full_like(
    x: Any, value: object, dtype: object = None, device: object = None, requires_grad: bool = False
) -> Any:
    """`value` everywhere, in the shape and dtype of x."""
    shape, dtype, device = like("full_like", x, dtype, device)
    return full(shape, value, dtype, device, requires_grad)


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
    device: object = None,
    requires_grad: bool = False,
    generator: Generator | None = None,
) -> Any:
    """Random numbers of [0, 1), evenly spread: rand(2, 3) or rand((2, 3))."""
    drawn = source("rand", generator, device).uniform(_shape("rand", shape), dtype=dtype)
    return wrapped(drawn, requires_grad)


def randn(
    *shape: Any,
    dtype: Any = float32,
    device: object = None,
    requires_grad: bool = False,
    generator: Generator | None = None,
) -> Any:
    """Random numbers of the normal distribution, mean 0 and variance 1: randn(2, 3)."""
    drawn = source("randn", generator, device).normal(_shape("randn", shape), dtype=dtype)
    return wrapped(drawn, requires_grad)


def randint(
    low: int,
    high: int,
    shape: Shape,
    *,
    device: object = None,
    generator: Generator | None = None,
) -> Any:
    """Random whole numbers of [low, high), int64."""
    drawn = source("randint", generator, device).integers(low, high, as_shape("randint", shape))
    return wrapped(drawn)


def randperm(n: int, *, device: object = None, generator: Generator | None = None) -> Any:
    """The numbers 0 to n - 1 in random order, int64 (n,)."""
    return wrapped(source("randperm", generator, device).permutation(n))


def bernoulli(
    p: float, shape: Shape, *, device: object = None, generator: Generator | None = None
) -> Any:
    """True with probability p, bool."""
    drawn = source("bernoulli", generator, device).bernoulli(p, as_shape("bernoulli", shape))
    return wrapped(drawn)


def _shape(name: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    return as_shape(name, unpacked(given))
