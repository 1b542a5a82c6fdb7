"""Changing a tensor in place while the tape records: new numbers, and a new history for them."""

from typing import Any

from minigrad.reference.autograd import Leaf, check_current, mode
from minigrad.reference.memory import tick
from minigrad.reference.op import array_of, is_array
from minigrad.reference.operators import check_fits
from minigrad.reference.ops.index import written
from minigrad.reference.tensor import Tensor


def become(x: Tensor, name: str, function: Any, other: Any) -> Tensor:
    """x += other and the like: function(x, other) in the memory of x."""
    track = tracked(name, x, other)
    # A vjp may need the numbers that x had, which are about to be overwritten.
    if track and isinstance(other, Tensor) and other.array.version is x.array.version:
        other = other.copy()
    value = function(Tensor(x.array.copy(), x.node) if track else x, other)
    check_fits(name, x, value)
    x.array[...] = value.array
    if track:
        rebase(x, value)
    return x


def put(x: Tensor, index: Any, value: Any) -> None:
    """x[index] = value"""
    track = tracked("setitem", x, value)
    new = written(x, index, value) if track else None
    x.array[index] = array_of(value) if is_array(value) else value
    if new is not None:
        rebase(x, new)


def move(x: Tensor, device: str | None, dtype: object) -> Tensor:
    """Tensor.to_"""
    if not x.is_leaf:
        raise RuntimeError("to_: an op made this tensor and was recorded; to() gives a new one.")
    array = x.detach().to(device, dtype).array
    if x.requires_grad and array.dtype.kind != "float":
        raise TypeError(f"to_: a leaf that requires a gradient is floats, not {array.dtype}.")
    here, there = x.array.version, array.version
    here.leaf, there.leaf = there.leaf, here.leaf
    x.array, x.seen = array, there.rewritten
    x._grad = None if x._grad is None else x._grad.detach().to(device, dtype)
    return x


def tracked(name: str, x: Tensor, other: Any) -> bool:
    """Whether the change is to be recorded. Raises RuntimeError where that may not be."""
    wanted = x.requires_grad or (isinstance(other, Tensor) and other.requires_grad)
    if not (mode.recording and wanted and x.dtype.kind == "float"):
        return False
    if isinstance(x.node, Leaf) or x.array.version.leaf() is not None:
        raise RuntimeError(
            f"{name}: the memory of a leaf that requires a gradient (shape {x.shape}) cannot be "
            "changed in place while ops are recorded. Change it inside `with no_grad():`, or "
            "change a copy()."
        )
    check_current(name, (x,))
    return True


def rebase(x: Tensor, value: Tensor) -> None:
    """From here on x has the history of value, whose numbers it holds."""
    if x.node is not None and value.node is not None:
        value.node.owner, x.node.owner = x.node.owner, None  # it wants the gradient of what it is
    x.node = value.node
    x.seen = x.array.version.rewritten = tick()
