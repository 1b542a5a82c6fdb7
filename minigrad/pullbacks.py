"""A function with its way back, in the one form that gradient checks use: ndarrays in, ndarrays of
gradients out. What comes in as an ndarray reaches the function as its own kind of array.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from minigrad.reference.array import Array
from minigrad.reference.creation import asarray

Numbers = np.ndarray[Any, np.dtype[Any]]
Pull = Callable[[Sequence[Numbers]], list[Any]]


class Pullback(Protocol):
    """What can be checked.

    call   the results of inputs, in a list
    pull   the results, and the function from their gradients to those of the chosen inputs (None
           for one of zeros)
    """

    def call(self, inputs: Sequence[Any]) -> list[Any]: ...

    def pull(self, inputs: Sequence[Any]) -> tuple[list[Any], Pull]: ...


class Rule:
    """An op by its own vjp, on Arrays. It needs no tape."""

    def __init__(self, op: Any, options: Mapping[str, Any], chosen: Sequence[int]) -> None:
        self.op, self.options, self.chosen = op, options, chosen

    def call(self, inputs: Sequence[Any]) -> list[Any]:
        return [self.op(*map(as_array, inputs), **self.options)]

    def pull(self, inputs: Sequence[Any]) -> tuple[list[Any], Pull]:
        out, vjp = self.op.with_vjp(*map(as_array, inputs), **self.options)

        def back(gs: Sequence[Numbers]) -> list[Any]:
            found = vjp(asarray(gs[0]))
            return [found[i] for i in self.chosen]

        return [out], back


class Taped:
    """Any function of tensors, by the tape. The chosen inputs are leaves at every call: the
    function may ask for gradients itself.
    """

    def __init__(
        self, function: Callable[..., Any], options: Mapping[str, Any], chosen: Sequence[int]
    ) -> None:
        self.function, self.options, self.chosen = function, options, chosen

    def call(self, inputs: Sequence[Any]) -> list[Any]:
        return listed(self.function(*self.tensors(inputs), **self.options))

    def pull(self, inputs: Sequence[Any]) -> tuple[list[Any], Pull]:
        tensors = self.tensors(inputs)
        outs = listed(self.function(*tensors, **self.options))
        leaves = [tensors[i] for i in self.chosen]
        return outs, lambda gs: pulled(outs, leaves, [as_tensor(g) for g in gs], False)

    def tensors(self, inputs: Sequence[Any]) -> list[Any]:
        found = [as_tensor(x) for x in inputs]
        for i in self.chosen:
            found[i].requires_grad_()
        return found

    def gradients(self, count: int) -> Callable[..., list[Any]]:
        """The function from the inputs, and from the gradients of the `count` results of floats, to
        the gradients of the chosen inputs, which can be differentiated again.
        """

        def function(*given: Any) -> list[Any]:
            inputs, gs = given[:-count], given[-count:]
            leaves = [inputs[i] for i in self.chosen]
            found = pulled(listed(self.function(*inputs, **self.options)), leaves, gs, True)
            return [0.0 * x if g is None else g for g, x in zip(found, leaves, strict=True)]

        return function


def pulled(outs: list[Any], leaves: list[Any], gs: Sequence[Any], create_graph: bool) -> list[Any]:
    """The gradients of the leaves from those of the results of floats; None for one of zeros."""
    from minigrad.api import grad  # a chapter before the tape does not need it

    pairs = [(out, g) for out, g in zip(floats(outs), gs, strict=True) if out.requires_grad]
    if not pairs:
        return [None] * len(leaves)
    recorded, weights = zip(*pairs, strict=True)
    return list(grad(recorded, leaves, weights, create_graph=create_graph, allow_unused=True))


def floats(outs: Sequence[Any]) -> list[Any]:
    """Those results that can have a gradient, or else all of them."""
    found = [out for out in outs if getattr(getattr(out, "dtype", None), "kind", "") == "float"]
    return found or list(outs)


def listed(outs: Any) -> list[Any]:
    """One result or several, as a list."""
    return list(outs) if isinstance(outs, list | tuple) else [outs]


def as_array(x: Any) -> Any:
    return asarray(x) if isinstance(x, np.ndarray) else x


def as_tensor(x: Any) -> Any:
    from minigrad import api

    return api.asarray(x) if isinstance(x, np.ndarray) else x


def is_tensor(x: object) -> bool:
    """Whether the tape can record what is made of it."""
    return hasattr(x, "requires_grad")


def numbers_of(x: Any) -> Any:
    """The memory of an Array or a tensor as an ndarray; anything else as it is."""
    return x.numpy() if isinstance(x, Array) or is_tensor(x) else x
