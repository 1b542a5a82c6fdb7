"""backward and grad: walks over the tape as they are asked for, checked; and leaves."""

import contextlib
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from minigrad.reference.autograd import Leaf, Node, check_current, mode, recording, walk
from minigrad.reference.creation import ones
from minigrad.reference.hooks import check_gradient
from minigrad.reference.memory import nothing
from minigrad.reference.tensor import Tensor

# Threads may add to one grad. Re-entrant, for what the collector ends meanwhile may run anything.
adding = threading.RLock()


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """A walk that a vjp started is its own: what it reads need not be as old as that vjp's node."""
    outer, mode.node = mode.node, None
    try:
        yield
    finally:
        mode.node = outer


@apart()
def backward(
    root: Tensor, gradient: Tensor | None, retain_graph: bool | None, create_graph: bool
) -> None:
    """Tensor.backward."""
    g = seed("backward", root, gradient, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    assert root.node is not None
    found = walk({root.node: g}, None, create_graph, retain)
    with adding, recording(create_graph):
        # Of its own: two leaves may share what arrived, and a grad is changed in place.
        owned = [(x, g) for node, g in found.items() if (x := owner(node)) is not None]
        new = [own(g, create_graph) if x._grad is None else x._grad + g for x, g in owned]
        # All at once and only now: an error on the way leaves every grad as it was.
        for (x, _), total in zip(owned, new, strict=True):
            x._grad = total


def own(g: Tensor, recorded: bool) -> Tensor:
    """The gradient in memory of its own."""
    return g.copy() if recorded else Tensor(g.array.copy())


def owner(node: Node) -> Tensor | None:
    """The tensor whose grad is to be added to, if it is still there and still wants that."""
    x = None if node.owner is None else node.owner()
    return x if x is not None and (x.node is node or isinstance(x.node, Leaf)) else None


@apart()
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
) -> tuple[Tensor | None, ...]:
    """d(outputs)/d(input) for each of the inputs, added up over the outputs; no grad is changed.

    grad_outputs: a gradient for each output; None for an output of one element is 1. With
    create_graph the gradients are recorded, so that they can be differentiated again.
    Raises RuntimeError where an input was not used (allow_unused gives None instead) or an output
    was not recorded; ValueError and TypeError for gradients that do not fit.
    """
    outs, ins = listed("outputs", outputs), listed("inputs", inputs)
    given = [None] * len(outs) if grad_outputs is None else listed("grad_outputs", grad_outputs)
    if len(given) != len(outs):
        raise ValueError(f"grad: {len(outs)} outputs, but {len(given)} grad_outputs.")
    start: dict[Node, Any] = {}
    for out, g in zip(outs, given, strict=True):
        g = seed("grad", out, g, create_graph)
        assert out.node is not None
        with recording(create_graph):
            start[out.node] = start[out.node] + g if out.node in start else g
    for k, x in enumerate(ins):
        if x.node is None:
            raise RuntimeError(f"grad: input {k}, of shape {x.shape}, does not require a gradient.")
    nodes = [x.node for x in ins]
    retain = create_graph if retain_graph is None else retain_graph
    found = walk(start, {n for n in nodes if n is not None}, create_graph, retain)
    for k, node in enumerate(nodes):
        if node not in found and not allow_unused:
            raise RuntimeError(
                f"grad: the outputs were not computed from input {k}, of shape {ins[k].shape}; "
                "allow_unused=True gives None for it."
            )
    return tuple(found.get(node) for node in nodes if node is not None)


def listed(name: str, given: Any) -> list[Any]:
    """One tensor or several, as a list; None may stand for one of the grad_outputs."""
    found = list(given) if isinstance(given, list | tuple) else [given]
    for x in found:
        if not isinstance(x, Tensor) and not (x is None and name == "grad_outputs"):
            raise TypeError(f"grad: {name} are tensors, got {type(x).__name__}.")
    return found


def seed(name: str, root: Tensor, gradient: Tensor | None, create_graph: bool) -> Tensor:
    """The gradient that a walk starts with at `root`."""
    if root.node is None:
        raise RuntimeError(
            f"{name}: this tensor of shape {root.shape} was not recorded: nothing it was computed "
            "from requires a gradient, or it was computed under no_grad."
        )
    check_current(name, (root,))
    if gradient is None:
        if root.size != 1:
            raise ValueError(
                f"{name}: a tensor of shape {root.shape} is not one number; reduce it (sum, mean), "
                f"or give a gradient of shape {root.shape}."
            )
        return Tensor(ones(root.shape, root.dtype, root.device))
    check_gradient(name, root, gradient)
    with recording(create_graph):
        return own(gradient, create_graph)  # which no vjp finds changed since it was recorded


def mark(x: Tensor, wanted: bool) -> None:
    """Tensor.requires_grad_."""
    if not x.is_leaf:
        if not wanted:
            raise RuntimeError(
                f"requires_grad: the tensor is the result of {getattr(x.node, 'name', 'an op')}, "
                "which was recorded; detach() gives its numbers as a constant."
            )
        return
    if wanted and x.dtype.kind != "float":
        raise TypeError(f"requires_grad: only floating-point tensors have one, this is {x.dtype}.")
    if wanted != x.requires_grad:
        x.node = Leaf(x) if wanted else None
        x.array.version.leaf = weakref.ref(x.node) if x.node is not None else nothing


def retain(x: Tensor) -> None:
    """Tensor.retain_grad."""
    if x.node is None:
        raise RuntimeError("retain_grad: the tensor does not require a gradient.")
    x.node.owner = weakref.ref(x)  # weakly, for x holds the node
