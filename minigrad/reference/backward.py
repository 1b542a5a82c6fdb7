"""backward and grad: walks over the tape as they are asked for, checked; leaves and hooks."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from minigrad.reference.autograd import Hook, Leaf, Node, check_gradient, recording, walk
from minigrad.reference.creation import ones
from minigrad.reference.tensor import Tensor


def backward(
    root: Tensor, gradient: Tensor | None, retain_graph: bool | None, create_graph: bool
) -> None:
    """Tensor.backward."""
    g = seed("backward", root, gradient, create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    assert root.node is not None
    found = walk({root.node: g}, None, create_graph, retain)
    # All at once and only now: an error on the way leaves every grad as it was.
    for leaf, g in found.items():
        tensor = leaf.tensor() if isinstance(leaf, Leaf) else None
        if tensor is not None:
            with recording(create_graph):
                # A copy: two leaves may share what arrived, and a grad is changed in place.
                tensor._grad = g.copy() if tensor._grad is None else tensor._grad + g


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
    if gradient is None:
        if root.size != 1:
            raise ValueError(
                f"{name}: a tensor of shape {root.shape} is not one number; reduce it (sum, mean), "
                f"or give a gradient of shape {root.shape}."
            )
        return Tensor(ones(root.shape, root.dtype, root.device))
    check_gradient(name, root, gradient)
    return gradient if create_graph else gradient.detach()


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
    x.array.version.leaf = wanted
    if wanted != x.requires_grad:
        x.node = Leaf(x) if wanted else None


def add_hook(x: Tensor, hook: Hook) -> Callable[[], None]:
    """Tensor.register_hook."""
    if x.node is None:
        raise RuntimeError("register_hook: the tensor does not require a gradient.")
    hooks = x.node.hooks
    hooks.append(hook)

    def remove() -> None:
        if hook in hooks:
            hooks.remove(hook)

    return remove


def retain(x: Tensor) -> None:
    """Tensor.retain_grad."""
    if x.is_leaf:
        return
    tensor = weakref.ref(x)  # its node holds the hook

    def keep(g: Tensor) -> None:
        here = tensor()
        if here is not None:
            here._grad = g if here._grad is None else here._grad + g

    add_hook(x, keep)
