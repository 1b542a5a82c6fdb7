"""Function: an op of your own, forward and backward written by hand."""

import copy
from typing import Any

from minigrad.reference.autograd import Node, check_current, mode, no_grad
from minigrad.reference.autograd import record as recorded
from minigrad.reference.creation import zeros
from minigrad.reference.op import Gradients, Place, place_of
from minigrad.reference.tensor import Tensor


class Context:
    """What forward leaves for backward; other attributes may be set freely.

    needs_input_grad  for each argument whether its gradient is wanted
    saved_tensors     what was saved; arguments and results come with their history
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep arguments and results for backward. A result that is kept as an attribute instead
        would be a constant there.
        """
        self.saved_tensors = tensors


class Function:
    """A differentiable function with a gradient of its own.

        class Cube(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x * x

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 3 * x * x * g

        y = Cube.apply(x)

    forward gets the arguments of apply and returns a tensor or a tuple of them; nothing in it is
    recorded. backward gets a gradient for each result (zeros where none arrived), which it must not
    change in place, and returns one for each argument of forward, None where there is none.
    Written in ops, it can be differentiated again.
    """

    @staticmethod
    def forward(ctx: Context, *args: Any) -> Any:
        raise NotImplementedError("Function: forward is missing.")

    @staticmethod
    def backward(ctx: Context, *gradients: Any) -> Any:
        raise NotImplementedError("Function: backward is missing.")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """forward(*args), recorded as one op."""
        name, places = cls.__name__, tuple(map(place_of, args))
        needs = tuple(isinstance(x, Tensor) and x.requires_grad for x in args)
        ctx = Context(needs)
        # Not the tensors themselves, for the reason that autograd.held gives.
        given = [Tensor(x.array, x.node) if isinstance(x, Tensor) else x for x in args]
        with no_grad():
            out = cls.forward(ctx, *given)
        outs = out if isinstance(out, tuple) else (out,)
        for y in outs:
            if not isinstance(y, Tensor):
                raise TypeError(
                    f"{name}.forward returns a tensor or a tuple of tensors, got "
                    f"{type(y).__name__}."
                )
        arrays = tuple(y.array for y in outs)
        saved = ctx.saved_tensors
        which = {k: i for k, x in enumerate(saved) for i, y in enumerate(outs) if x is y}

        def vjp(g: Any, out: Any) -> Gradients:
            results = out if isinstance(out, tuple) else (out,)
            told = copy.copy(ctx)  # a walk has its own: several may go on at once
            told.saved_tensors = tuple(
                results[which[k]] if k in which else x for k, x in enumerate(saved)
            )
            return returned(name, cls.backward(told, *filled(g, results)), places)

        if not isinstance(out, tuple):
            return recorded(name, arrays[0], args, vjp)
        if not (mode.recording and any(needs)):
            return tuple(map(Tensor, arrays))
        check_current(name, args)
        hub = Hub(name, args, vjp, arrays)
        return tuple(
            Tensor(a, Branch(hub, k) if a.dtype.kind == "float" else None)
            for k, a in enumerate(arrays)
        )


def filled(g: Any, results: tuple[Tensor, ...]) -> list[Tensor]:
    """A gradient for each result; zeros for those that nothing arrived at."""
    if not isinstance(g, Bundle):
        return [g]
    return [
        g.parts[k] if k in g.parts else Tensor(zeros(y.shape, y.dtype, y.device))
        for k, y in enumerate(results)
    ]


def returned(name: str, gradients: Any, places: tuple[Place | None, ...]) -> Gradients:
    """What backward gave, as a tuple of one gradient for each argument."""
    found = gradients if isinstance(gradients, tuple) else (gradients,)
    if len(found) != len(places):
        raise ValueError(
            f"{name}.backward returned {len(found)} gradients for {len(places)} arguments of "
            "forward."
        )
    for k, (g, place) in enumerate(zip(found, places, strict=True)):
        if g is None:
            continue
        kind = g.dtype if isinstance(g, Tensor) else type(g).__name__
        given = f"{name}.backward returned {kind} for argument {k}"
        if not isinstance(g, Tensor) or g.dtype.kind != "float":
            raise TypeError(f"{given}; a tensor of floats, or None, is expected.")
        if place is None:
            raise TypeError(f"{given}, which holds no floats and has no gradient: return None.")
        new = len(g.shape) - len(place.shape)
        sizes = zip(place.shape, g.shape[max(new, 0) :], strict=False)
        if new < 0 or any(n not in (1, m) for n, m in sizes):
            raise ValueError(
                f"{name}.backward returned shape {g.shape} for argument {k}, which has shape "
                f"{place.shape}."
            )
    return found


class Bundle:
    """The gradients of several results on their way to the one node that made them."""

    def __init__(self, parts: dict[int, Any]) -> None:
        self.parts = parts

    def __add__(self, other: "Bundle") -> "Bundle":
        both = dict(self.parts)
        for k, g in other.parts.items():
            both[k] = both[k] + g if k in both else g
        return Bundle(both)


class Hub(Node):
    """The node of a function with several results; each result has a Branch of it."""

    __slots__ = ()

    def result(self) -> tuple[Tensor, ...]:
        return tuple(Tensor(a, Branch(self, k)) for k, a in enumerate(self.out))


class Branch(Node):
    """The node of one of several results."""

    __slots__ = ("place",)

    def __init__(self, hub: Hub, place: int) -> None:
        super().__init__(f"{hub.name}[{place}]", (), None, hub.out[place])
        self.edges, self.place = (hub,), place

    def pull(self, g: Any) -> Gradients:
        return (Bundle({self.place: g}),)

    def release(self) -> None:
        self.out = None
