"""Hooks: functions that see a gradient on its way, and what a gradient has to be."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minigrad.reference.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.reference.autograd import Node

Hook = Callable[[Tensor], Tensor | None]


def add_hook(x: Tensor, hook: Hook) -> Callable[[], None]:
    """Tensor.register_hook."""
    if x.node is None:
        raise RuntimeError("register_hook: the tensor does not require a gradient.")
    if not callable(hook):
        raise TypeError(f"register_hook: a hook is a function, got {type(hook).__name__}.")
    node, entry = x.node, functools.partial(hook)  # its own, also of a hook that is there already
    node.hooks = (*node.hooks, entry)

    def remove() -> None:
        node.hooks = tuple([other for other in node.hooks if other is not entry])

    return remove


def hooked(node: "Node", hook: Hook, g: Any) -> Any:
    """The gradient, or what the hook makes of it."""
    before = g.array.version.changed
    new = hook(g)
    if g.array.version.changed != before:
        raise RuntimeError(
            f"hook: the gradient of {node.name} was changed in place, but others may share its "
            "memory. Return a new tensor."
        )
    if new is None or new is g:
        return g
    check_gradient("hook", g, new)
    return new.copy()  # it may be an old tensor, or the hook's own, which changes later


def check_gradient(name: str, x: Any, g: Any) -> None:
    """Raise TypeError or ValueError unless g can be the gradient of x."""
    if not isinstance(g, Tensor):
        raise TypeError(f"{name}: a gradient is a tensor, got {type(g).__name__}.")
    if g.shape != x.shape:
        raise ValueError(
            f"{name}: a tensor of shape {x.shape} has a gradient of that shape, got {g.shape}."
        )
    if g.dtype != x.dtype:
        raise TypeError(
            f"{name}: a tensor of {x.dtype} has a gradient of {x.dtype}, got {g.dtype}."
        )
    if g.device != x.device:
        raise ValueError(f"{name}: the tensor is on {x.device!r}, its gradient on {g.device!r}.")
