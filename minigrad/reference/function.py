"""Function: an op of your own, forward and backward written by hand."""

from typing import Any

from minigrad.reference.autograd import Node, mode, no_grad
from minigrad.reference.autograd import record as recorded
from minigrad.reference.creation import zeros
from minigrad.reference.op import Gradients
from minigrad.reference.tensor import Tensor


class Context:
    """What forward leaves for backward; other attributes may be set freely.

    needs_input_grad  for each argument whether its gradient is wanted
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: tuple[Any, ...] = ()
        self._results: dict[int, Tensor] = {}  # by the place among the saved ones

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep arguments and results for backward."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved; a result comes with the history that it has by now."""
        return tuple(self._results.get(k, x) for k, x in enumerate(self._saved))


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
    recorded. backward gets a gradient for each result and returns one for each argument of
    forward, None where there is none. Written in ops, it can be differentiated again.
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
        needs = tuple(isinstance(x, Tensor) and x.requires_grad for x in args)
        ctx = Context(needs)
        with no_grad():
            out = cls.forward(ctx, *args)
        outs = out if isinstance(out, tuple) else (out,)
        for y in outs:
            if not isinstance(y, Tensor):
                raise TypeError(
                    f"{cls.__name__}.forward returns a tensor or a tuple of tensors, got "
                    f"{type(y).__name__}."
                )
        arrays = tuple(y.array for y in outs)
        places = {k: i for k, x in enumerate(ctx._saved) for i, y in enumerate(outs) if x is y}
        # A saved result must not hold its node, which holds ctx.
        ctx._saved = tuple(None if k in places else x for k, x in enumerate(ctx._saved))

        def vjp(g: Any, out: Any) -> Gradients:
            results = out if isinstance(out, tuple) else (out,)
            ctx._results = {k: results[i] for k, i in places.items()}
            try:
                return returned(cls.__name__, cls.backward(ctx, *filled(g, results)), args_count)
            finally:
                ctx._results = {}

        args_count = len(args)
        if not isinstance(out, tuple):
            return recorded(cls.__name__, arrays[0], args, vjp)
        if not (mode.recording and any(needs)):
            return tuple(map(Tensor, arrays))
        hub = Hub(cls.__name__, args, vjp, arrays)
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


def returned(name: str, gradients: Any, count: int) -> Gradients:
    """What backward gave, as a tuple of one gradient for each argument."""
    found = gradients if isinstance(gradients, tuple) else (gradients,)
    if len(found) != count:
        raise ValueError(
            f"{name}.backward returned {len(found)} gradients for {count} arguments of forward."
        )
    for k, g in enumerate(found):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(
                f"{name}.backward returned {type(g).__name__} for argument {k}; a tensor or None "
                "is expected."
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
