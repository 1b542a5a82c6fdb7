"""The operators and methods of an array: each names its op and hands over to the array's engine.

Array has them all, and overrides those that are a view of its buffer; the tensor of chapter 4 has
the same ones, and its engine records. What an op does, its own docstring says.
"""

from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

from minigrad.dtypes import KINDS
from minigrad.reference.conversions import Conversions

Axis = int | Iterable[int] | None


class Operators(Conversions):
    """x + y, x[...], x.sum() and the like, for a class with `engine`, `shape` and `dtype`."""

    __slots__ = ()
    __hash__ = object.__hash__  # by identity: == compares elements

    @property
    def engine(self) -> ModuleType:
        raise NotImplementedError

    def __setitem__(self, index: object, value: object) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        """The size of its first axis."""
        if not self.shape:
            raise TypeError("len: a 0-d array has no length.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """Its rows, along the first axis."""
        if not self.shape:
            raise TypeError("iter: a 0-d array has no axis to go along.")
        return (self[i] for i in range(self.shape[0]))

    # fmt: off
    def __getitem__(self, index: object) -> Any: return self.engine.getitem(self, index)
    def __add__(self, other: Any) -> Any: return self.engine.add(self, other)
    def __radd__(self, other: Any) -> Any: return self.engine.add(other, self)
    def __sub__(self, other: Any) -> Any: return self.engine.sub(self, other)
    def __rsub__(self, other: Any) -> Any: return self.engine.sub(other, self)
    def __mul__(self, other: Any) -> Any: return self.engine.mul(self, other)
    def __rmul__(self, other: Any) -> Any: return self.engine.mul(other, self)
    def __truediv__(self, other: Any) -> Any: return self.engine.div(self, other)
    def __rtruediv__(self, other: Any) -> Any: return self.engine.div(other, self)
    def __pow__(self, other: Any) -> Any: return self.engine.pow(self, other)
    def __rpow__(self, other: Any) -> Any: return self.engine.pow(other, self)
    def __matmul__(self, other: Any) -> Any: return self.engine.matmul(self, other)
    def __rmatmul__(self, other: Any) -> Any: return self.engine.matmul(other, self)
    def __and__(self, other: Any) -> Any: return self.engine.logical_and(self, other)
    def __rand__(self, other: Any) -> Any: return self.engine.logical_and(other, self)
    def __or__(self, other: Any) -> Any: return self.engine.logical_or(self, other)
    def __ror__(self, other: Any) -> Any: return self.engine.logical_or(other, self)
    def __xor__(self, other: Any) -> Any: return self.engine.logical_xor(self, other)
    def __rxor__(self, other: Any) -> Any: return self.engine.logical_xor(other, self)
    def __eq__(self, other: Any) -> Any: return self.engine.equal(self, other)
    def __ne__(self, other: Any) -> Any: return self.engine.not_equal(self, other)
    def __lt__(self, other: Any) -> Any: return self.engine.less(self, other)
    def __le__(self, other: Any) -> Any: return self.engine.less_equal(self, other)
    def __gt__(self, other: Any) -> Any: return self.engine.greater(self, other)
    def __ge__(self, other: Any) -> Any: return self.engine.greater_equal(self, other)
    def __neg__(self) -> Any: return self.engine.neg(self)
    def __abs__(self) -> Any: return self.engine.abs(self)
    def __invert__(self) -> Any: return self.engine.logical_not(self)

    # element by element

    def neg(self) -> Any: return self.engine.neg(self)
    def abs(self) -> Any: return self.engine.abs(self)
    def sign(self) -> Any: return self.engine.sign(self)
    def exp(self) -> Any: return self.engine.exp(self)
    def expm1(self) -> Any: return self.engine.expm1(self)
    def log(self) -> Any: return self.engine.log(self)
    def log1p(self) -> Any: return self.engine.log1p(self)
    def sqrt(self) -> Any: return self.engine.sqrt(self)
    def rsqrt(self) -> Any: return self.engine.rsqrt(self)
    def reciprocal(self) -> Any: return self.engine.reciprocal(self)
    def square(self) -> Any: return self.engine.square(self)
    def sin(self) -> Any: return self.engine.sin(self)
    def cos(self) -> Any: return self.engine.cos(self)
    def tanh(self) -> Any: return self.engine.tanh(self)
    def erf(self) -> Any: return self.engine.erf(self)
    def sigmoid(self) -> Any: return self.engine.sigmoid(self)
    def relu(self) -> Any: return self.engine.relu(self)
    def silu(self) -> Any: return self.engine.silu(self)
    def softplus(self) -> Any: return self.engine.softplus(self)
    def gelu(self, approximate: str = "none") -> Any: return self.engine.gelu(self, approximate)
    def floor(self) -> Any: return self.engine.floor(self)
    def ceil(self) -> Any: return self.engine.ceil(self)
    def round(self) -> Any: return self.engine.round(self)
    def isnan(self) -> Any: return self.engine.isnan(self)
    def isinf(self) -> Any: return self.engine.isinf(self)
    def isfinite(self) -> Any: return self.engine.isfinite(self)
    def logical_not(self) -> Any: return self.engine.logical_not(self)
    def masked_fill(self, mask: Any, value: float) -> Any:
        return self.engine.masked_fill(self, mask, value)
    def clip(self, low: float | None = None, high: float | None = None) -> Any:
        return self.engine.clip(self, low, high)

    # reductions, and what goes along an axis

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.sum(self, axis, keepdims)
    def mean(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.mean(self, axis, keepdims)
    def max(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.max(self, axis, keepdims)
    def min(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.min(self, axis, keepdims)
    def prod(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.prod(self, axis, keepdims)
    def var(self, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
        return self.engine.var(self, axis, correction, keepdims)
    def std(self, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
        return self.engine.std(self, axis, correction, keepdims)
    def any(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.any(self, axis, keepdims)
    def all(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.all(self, axis, keepdims)
    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.engine.argmax(self, axis, keepdims)
    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self.engine.argmin(self, axis, keepdims)
    def logsumexp(self, axis: Axis = None, keepdims: bool = False) -> Any:
        return self.engine.logsumexp(self, axis, keepdims)
    def softmax(self, axis: int = -1) -> Any: return self.engine.softmax(self, axis)
    def log_softmax(self, axis: int = -1) -> Any: return self.engine.log_softmax(self, axis)
    def cumsum(self, axis: int | None = None) -> Any: return self.engine.cumsum(self, axis)
    def topk(self, k: int, axis: int = -1) -> Any: return self.engine.topk(self, k, axis)

    # shapes: x.reshape(2, 3) and x.reshape((2, 3)) mean the same

    def reshape(self, *shape: Any) -> Any: return self.engine.reshape(self, unpacked(shape))
    def permute_dims(self, *axes: Any) -> Any: return self.engine.permute_dims(self, unpacked(axes))
    def matrix_transpose(self) -> Any: return self.engine.matrix_transpose(self)
    def expand(self, *shape: Any) -> Any: return self.engine.expand(self, unpacked(shape))
    def sum_to(self, *shape: Any) -> Any: return self.engine.sum_to(self, unpacked(shape))
    def tile(self, *reps: Any) -> Any: return self.engine.tile(self, unpacked(reps))
    def squeeze(self, axis: Axis = None) -> Any: return self.engine.squeeze(self, axis)
    def unsqueeze(self, axis: int | Iterable[int]) -> Any: return self.engine.unsqueeze(self, axis)
    def flip(self, axis: Axis = None) -> Any: return self.engine.flip(self, axis)
    def roll(self, shift: int | Sequence[int], axis: Axis = None) -> Any:
        return self.engine.roll(self, shift, axis)
    def pad(self, width: Any, value: float = 0.0) -> Any: return self.engine.pad(self, width, value)
    def split(self, size: int | Sequence[int], axis: int = 0) -> Any:
        return self.engine.split(self, size, axis)

    # indices

    def take(self, indices: Any, axis: int = 0) -> Any:
        return self.engine.take(self, indices, axis)
    def gather(self, indices: Any, axis: int = -1) -> Any:
        return self.engine.gather(self, indices, axis)
    def scatter_add(self, indices: Any, values: Any, axis: int = -1) -> Any:
        return self.engine.scatter_add(self, indices, values, axis)
    def tril(self, k: int = 0) -> Any: return self.engine.tril(self, k)
    def triu(self, k: int = 0) -> Any: return self.engine.triu(self, k)

    # in place: the memory changes, and every view of it with it

    def add_(self, other: Any) -> Any: return self.become("add_", self.engine.add, other)
    def mul_(self, other: Any) -> Any: return self.become("mul_", self.engine.mul, other)
    def __iadd__(self, other: Any) -> Any: return self.become("+=", self.engine.add, other)
    def __isub__(self, other: Any) -> Any: return self.become("-=", self.engine.sub, other)
    def __imul__(self, other: Any) -> Any: return self.become("*=", self.engine.mul, other)
    def __itruediv__(self, other: Any) -> Any: return self.become("/=", self.engine.div, other)
    def __ipow__(self, other: Any) -> Any: return self.become("**=", self.engine.pow, other)
    # fmt: on

    def become(self, name: str, function: Any, other: Any) -> Any:
        """Put function(self, other) into the array's own memory, for `name`, which must need no
        other shape and no higher kind of number than the array has.
        """
        value = function(self, other)
        check_fits(name, self, value)
        self[...] = value
        return self

    def copy_(self, value: Any) -> Any:
        """Overwrite every element; casts and broadcasts."""
        self[...] = value
        return self

    def zero_(self) -> Any:
        """Overwrite every element with 0."""
        return self.copy_(0)

    @property
    def T(self) -> Any:
        """The axes in reverse order, as in NumPy."""
        return self.permute_dims(*reversed(range(len(self.shape))))

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return self.matrix_transpose()


def check_fits(name: str, x: Any, value: Any) -> None:
    """Raise ValueError or TypeError if x cannot hold value in place, for its shape or its kind:
    floats do not go into ints.
    """
    if value.shape != x.shape:
        raise ValueError(
            f"{name}: the result has shape {value.shape}; an array of shape {x.shape} cannot hold "
            "it in place."
        )
    if KINDS.index(value.dtype.kind) > KINDS.index(x.dtype.kind):
        raise TypeError(f"{name}: an array of {x.dtype} cannot hold {value.dtype} in place.")


def unpacked(given: tuple[Any, ...]) -> Any:
    """f(2, 3) and f((2, 3)) mean the same: both give (2, 3), and f(2) gives (2,)."""
    return given[0] if len(given) == 1 and isinstance(given[0], Iterable) else given
