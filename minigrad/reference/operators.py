"""The operators and methods of an array: each names its op and hands over to the array's engine.

Array has them now, and overrides those that are a view of its buffer; the tensor of chapter 4 has
the same ones, and its engine records. What an op does, its own docstring says.
"""

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from minigrad.dtypes import KINDS, DType

Axis = int | Iterable[int] | None


class Operators:
    """x + y, x[...], x.sum() and the like, for a class with `engine`, `shape` and `dtype`."""

    __slots__ = ()
    __hash__ = object.__hash__  # by identity: == compares elements

    shape: tuple[int, ...]

    @property
    def engine(self) -> ModuleType:
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    def __setitem__(self, index: object, value: object) -> None:
        raise NotImplementedError

    def __getitem__(self, index: object) -> Any:
        return self.engine.getitem(self, index)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len: a 0-d array has no length.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iter: a 0-d array has no axis to go along.")
        return (self[i] for i in range(self.shape[0]))

    def __add__(self, other: Any) -> Any:
        return self.engine.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return self.engine.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return self.engine.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.engine.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return self.engine.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.engine.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.engine.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.engine.div(other, self)

    def __pow__(self, other: Any) -> Any:
        return self.engine.pow(self, other)

    def __rpow__(self, other: Any) -> Any:
        return self.engine.pow(other, self)

    def __matmul__(self, other: Any) -> Any:
        return self.engine.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.engine.matmul(other, self)

    def __and__(self, other: Any) -> Any:
        return self.engine.logical_and(self, other)

    def __rand__(self, other: Any) -> Any:
        return self.engine.logical_and(other, self)

    def __or__(self, other: Any) -> Any:
        return self.engine.logical_or(self, other)

    def __ror__(self, other: Any) -> Any:
        return self.engine.logical_or(other, self)

    def __xor__(self, other: Any) -> Any:
        return self.engine.logical_xor(self, other)

    def __rxor__(self, other: Any) -> Any:
        return self.engine.logical_xor(other, self)

    def __neg__(self) -> Any:
        return self.engine.neg(self)

    def __abs__(self) -> Any:
        return self.engine.abs(self)

    def __invert__(self) -> Any:
        return self.engine.logical_not(self)

    def __eq__(self, other: Any) -> Any:
        return self.engine.equal(self, other)

    def __ne__(self, other: Any) -> Any:
        return self.engine.not_equal(self, other)

    def __lt__(self, other: Any) -> Any:
        return self.engine.less(self, other)

    def __le__(self, other: Any) -> Any:
        return self.engine.less_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return self.engine.greater(self, other)

    def __ge__(self, other: Any) -> Any:
        return self.engine.greater_equal(self, other)

    # in place: the memory changes, and every view of it with it

    def become(self, name: str, function: Any, other: Any) -> Any:
        """Put function(self, other) into the array's own memory, for `name`, which must not need a
        higher kind of number than the array has.
        """
        value = function(self, other)
        check_kind(name, self, value)
        self[...] = value
        return self

    def copy_(self, value: Any) -> Any:
        """Overwrite every element; casts and broadcasts."""
        self[...] = value
        return self

    def zero_(self) -> Any:
        """Overwrite every element with 0."""
        return self.copy_(0)

    def add_(self, other: Any) -> Any:
        return self.become("add_", self.engine.add, other)

    def mul_(self, other: Any) -> Any:
        return self.become("mul_", self.engine.mul, other)

    def __iadd__(self, other: Any) -> Any:
        return self.become("+=", self.engine.add, other)

    def __isub__(self, other: Any) -> Any:
        return self.become("-=", self.engine.sub, other)

    def __imul__(self, other: Any) -> Any:
        return self.become("*=", self.engine.mul, other)

    def __itruediv__(self, other: Any) -> Any:
        return self.become("/=", self.engine.div, other)

    def __ipow__(self, other: Any) -> Any:
        return self.become("**=", self.engine.pow, other)

    # shapes

    @property
    def T(self) -> Any:
        """The axes in reverse order, as in NumPy."""
        return self.permute_dims(*reversed(range(len(self.shape))))

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return self.matrix_transpose()

    def reshape(self, *shape: Any) -> Any:
        return self.engine.reshape(self, unpacked(shape))

    def permute_dims(self, *axes: Any) -> Any:
        return self.engine.permute_dims(self, unpacked(axes))

    def matrix_transpose(self) -> Any:
        return self.engine.matrix_transpose(self)

    def expand(self, *shape: Any) -> Any:
        return self.engine.expand(self, unpacked(shape))

    def squeeze(self, axis: Axis = None) -> Any:
        return self.engine.squeeze(self, axis)

    def unsqueeze(self, axis: int | Iterable[int]) -> Any:
        return self.engine.unsqueeze(self, axis)

    def flip(self, axis: Axis = None) -> Any:
        return self.engine.flip(self, axis)

    # reductions

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.sum(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.mean(self, axis=axis, keepdims=keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.min(self, axis=axis, keepdims=keepdims)

    def prod(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.prod(self, axis=axis, keepdims=keepdims)

    def var(self, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
        return self.engine.var(self, axis=axis, correction=correction, keepdims=keepdims)

    def std(self, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
        return self.engine.std(self, axis=axis, correction=correction, keepdims=keepdims)

    def any(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.any(self, axis=axis, keepdims=keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.all(self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.engine.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.engine.argmin(self, axis=axis, keepdims=keepdims)

    # elementwise

    def exp(self) -> Any:
        return self.engine.exp(self)

    def log(self) -> Any:
        return self.engine.log(self)

    def sqrt(self) -> Any:
        return self.engine.sqrt(self)

    def tanh(self) -> Any:
        return self.engine.tanh(self)

    def sigmoid(self) -> Any:
        return self.engine.sigmoid(self)

    def relu(self) -> Any:
        return self.engine.relu(self)

    def square(self) -> Any:
        return self.engine.square(self)

    def clip(self, low: float | None = None, high: float | None = None) -> Any:
        return self.engine.clip(self, low, high)


def check_kind(name: str, x: Any, value: Any) -> None:
    """Raise TypeError if x cannot hold value in place: floats do not go into ints."""
    if KINDS.index(value.dtype.kind) > KINDS.index(x.dtype.kind):
        raise TypeError(f"{name}: an array of {x.dtype} cannot hold {value.dtype} in place.")


def unpacked(given: tuple[Any, ...]) -> Any:
    """f(2, 3) and f((2, 3)) mean the same: both give (2, 3), and f(2) gives (2,)."""
    return given[0] if len(given) == 1 and isinstance(given[0], Iterable) else given
