"""Tensor: an Array, and how it came to be.

Operators and methods are those of every array (operators.py): each hands over to an op, and the op
layer lets the tape record (autograd.py). Here is what a tensor has on top.
"""

import copy
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.dtypes import DType, as_dtype
from minigrad.reference.array import Array
from minigrad.reference.op import array_of
from minigrad.reference.operators import Operators
from minigrad.reference.shapes import check_device

if TYPE_CHECKING:
    from minigrad.reference.autograd import Node


class Tensor(Operators):
    """Numbers of one dtype along any number of axes, which remember what they were made from.

    array         the numbers
    node          what they came from: an op's Node, a Leaf, or None for a constant
    grad          the gradient that backward left here, for a leaf that wants one
    is_parameter  whether a module counts this leaf among its parameters
    seen          the last recorded change of its memory that its history knows of
    """

    __slots__ = ("__weakref__", "_grad", "array", "is_parameter", "node", "seen")
    __array_ufunc__ = None  # so that NumPy leaves ndarray * Tensor to the operators of Tensor

    def __init__(self, array: Array, node: "Node | None" = None) -> None:
        self.array, self.node = array, node
        self._grad: Tensor | None = None
        self.is_parameter, self.seen = False, array.version.rewritten

    @property
    def engine(self) -> ModuleType:
        return self.array.engine

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The size of each axis."""
        return self.array.shape

    @property
    def dtype(self) -> DType:
        """The type of its numbers."""
        return self.array.dtype

    @property
    def device(self) -> str:
        """Where its memory is."""
        return self.array.device

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return len(self.array.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self.array.size

    @property
    def nbytes(self) -> int:
        """The bytes of its elements; a repeated element counts each time, as in NumPy."""
        return self.array.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """Elements to step in memory for one step along each axis."""
        return self.array.strides

    @property
    def is_contiguous(self) -> bool:
        """Whether its elements are neighbours in memory, in row-major order."""
        return self.array.is_contiguous

    # the tape

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it."""
        return self.node is None or not self.node.edges

    @property
    def requires_grad(self) -> bool:
        """Whether what is computed from it is recorded."""
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    def requires_grad_(self, wanted: bool = True) -> "Tensor":
        """Make it a leaf that wants a gradient, or (False) a constant; gives the tensor itself.

        Raises TypeError for ints and bools, RuntimeError for False where an op was recorded.
        """
        from minigrad.reference.backward import mark

        mark(self, wanted)
        return self

    @property
    def grad(self) -> "Tensor | None":
        """The gradient that backward left here, None before."""
        return self._grad

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        from minigrad.reference.hooks import check_gradient

        if value is not None:
            check_gradient("grad", self, value)
        self._grad = value

    def backward(
        self,
        gradient: "Tensor | None" = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
    ) -> None:
        """Add d(this)/d(leaf) to the grad of every leaf that this was computed from.

        gradient: of the shape and dtype of this tensor, which may be left out for one element.
        The recording is used up, unless retain_graph; create_graph records the gradients
        themselves, so that they can be differentiated.
        Raises RuntimeError where nothing was recorded or it is used up; ValueError and TypeError
        for a gradient that does not fit.
        """
        from minigrad.reference.backward import backward

        backward(self, gradient, retain_graph, create_graph)

    def detach(self) -> "Tensor":
        """The same memory as a constant: what is computed from it is not recorded."""
        return Tensor(self.array)

    def __reduce__(self) -> tuple[Any, ...]:
        """What pickle keeps: numbers, requires_grad and is_parameter; of a leaf or a constant."""
        if not self.is_leaf:
            raise RuntimeError(
                f"copy: a tensor of shape {self.shape} that an op made cannot be copied or pickled "
                "with its history; detach() it first."
            )
        return rebuilt, (self.numpy(), self.requires_grad, self.is_parameter)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Tensor":
        """A copy of a leaf or a constant, of memory of its own, with its grad."""
        new = rebuilt(*self.__reduce__()[1])
        new._grad = copy.deepcopy(self._grad, memo)
        return new

    def register_hook(self, hook: Callable[["Tensor"], "Tensor | None"]) -> Callable[[], None]:
        """Call hook(gradient) when the gradient of this tensor is complete; what it returns, if
        anything, takes its place. Gives a function that removes the hook.

        Hooks run in the order they came in. They must not change the gradient in place.
        """
        from minigrad.reference.hooks import add_hook

        return add_hook(self, hook)

    def retain_grad(self) -> None:
        """Let backward add to grad also where an op made this tensor."""
        from minigrad.reference.backward import retain

        retain(self)

    # in place

    def __setitem__(self, index: object, value: object) -> None:
        """Overwrite x[index]; value is cast and broadcast. Recorded, if a gradient is wanted."""
        from minigrad.reference.inplace import put

        put(self, index, value)

    def become(self, name: str, function: Any, other: Any) -> Any:
        from minigrad.reference.inplace import become

        return become(self, name, function, other)

    # towards other devices, Python and NumPy

    def astype(self, dtype: object) -> "Tensor":
        """A copy in another dtype. Towards int the fraction is cut off; bool is "not zero"."""
        found: Tensor = self.engine.astype(self, dtype)
        return found

    def copy(self) -> "Tensor":
        """The same numbers in memory of its own; recorded like any op."""
        return self.astype(self.dtype)

    def to(self, device: str | None = None, dtype: object = None) -> "Tensor":
        """On a device, in a dtype: the tensor itself where that is what it is."""
        check_device("to", device)
        return self if dtype is None or self.dtype == as_dtype(dtype) else self.astype(dtype)

    def to_(self, device: str | None = None, dtype: object = None) -> "Tensor":
        """Like to, but the leaf itself: its numbers and its grad move into other memory, and
        whoever holds it holds it still. Raises TypeError for a leaf that would not be floats.
        """
        from minigrad.reference.inplace import move

        return move(self, device, dtype)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The same memory as an ndarray. What is written through it is not seen by the tape."""
        return array_of(self).numpy()

    def __repr__(self) -> str:
        """Its numbers (the ends of many), shape and dtype, and whether it is recorded."""
        shown = repr(self.array).replace("Array(", "Tensor(", 1).replace("\n ", "\n  ")
        if self.node is None:
            return shown
        return f"{shown[:-1]}, {'requires_grad=True' if self.is_leaf else self.node.name})"


def rebuilt(numbers: np.ndarray[Any, Any], requires_grad: bool, is_parameter: bool) -> Tensor:
    """A tensor of its own with these numbers: what a copy or a pickle comes back as."""
    from minigrad.reference.creation import asarray

    new = Tensor(asarray(numbers, copy=True)).requires_grad_(requires_grad)
    new.is_parameter = is_parameter
    return new
