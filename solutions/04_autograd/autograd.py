# cut from minigrad/reference/autograd.py
"""The tape: what each tensor was made from, and the walk back over it.

Every op on a tensor that wants a gradient leaves a Node: the op's vjp, and an edge to the node of
each argument. `backward` puts the nodes into an order in which each comes before those it was made
from, and carries gradients along. Nothing holds a node but the tensors made from it: with the last
of them the recording is gone.
"""

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from minigrad.reference.array import Array
from minigrad.reference.hooks import Hook, hooked
from minigrad.reference.memory import tick
from minigrad.reference.op import Gradients, Place, Tape, Vjp, fitted
from minigrad.reference.tensor import Tensor

P = ParamSpec("P")
R = TypeVar("R")

RUNS_LATER = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)


class Mode(threading.local):
    """What holds in this thread: whether ops are recorded, and whose vjp is running."""

    recording = True
    node: "Node | None" = None


mode = Mode()


class recording(threading.local):  # a block that threads share remembers for each of them
    """Ops inside are recorded (True) or not (False): a block, or a decorator of a function."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.before: list[bool] = []

    def __enter__(self) -> None:
        # <ex 4.4> remember what was, for a block may stand in a block; then switch (2 lines)
        self.before.append(mode.recording)
        mode.recording = self.wanted
        # </ex 4.4>

    def __exit__(self, *error: object) -> None:
        mode.recording = self.before.pop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if any(kind(function) for kind in RUNS_LATER):
            name = getattr(function, "__name__", function)
            raise TypeError(
                f"{type(self).__name__}: the body of {name} runs after the call, "
                "where a decorator does not reach. Put a `with` block into it, around each piece."
            )

        @functools.wraps(function)
        def inside(*args: P.args, **options: P.kwargs) -> R:
            with self:
                return function(*args, **options)

        return inside


class no_grad(recording):
    """Inside, nothing is recorded: `with no_grad():` or `@no_grad()`."""

    def __init__(self, *given: object) -> None:
        check_called("no_grad", given)
        super().__init__(False)


class enable_grad(recording):
    """Inside, ops are recorded again, also within no_grad."""

    def __init__(self, *given: object) -> None:
        check_called("enable_grad", given)
        super().__init__(True)


def check_called(name: str, given: tuple[object, ...]) -> None:
    """Raise TypeError for what stands where nothing belongs, as below a bare @no_grad."""
    if given:
        raise TypeError(f"{name} takes nothing: write `with {name}():` or `@{name}()`.")


def is_grad_enabled() -> bool:
    """Whether ops are recorded here."""
    return mode.recording


class Node:
    """An op that was recorded.

    name    of the op
    edges   for each argument the node it came from; None for a constant
    places  shape and dtype of each argument with a node, which its gradient must have
    vjp     from the gradient of the result, and the result, to those of the arguments
    out     the result
    born    when; memory that its vjp reads must not have changed since
    hooks   called with the gradient of the result
    owner   the tensor, held weakly, whose grad backward adds the gradient to; None for most
    """

    __slots__ = ("__weakref__", "born", "edges", "hooks", "name", "out", "owner", "places", "vjp")

    def __init__(self, name: str, args: tuple[Any, ...], vjp: Vjp | None, out: Any) -> None:
        self.name, self.vjp, self.out = name, vjp, out
        self.edges = tuple([x.node if isinstance(x, Tensor) else None for x in args])
        came = zip(args, self.edges, strict=True)
        self.places = tuple([None if n is None else Place(x.shape, x.dtype) for x, n in came])
        self.hooks: tuple[Hook, ...] = ()
        self.owner: weakref.ref[Tensor] | None = None
        self.born = tick()

    def result(self) -> Any:
        """The result as a tensor of this node, to be handed to the vjp."""
        return Tensor(self.out, self)

    def pull(self, g: Any) -> Gradients:
        """The gradients of the arguments, from that of the result."""
        if self.vjp is None:
            raise RuntimeError(
                f"backward: the recording of {self.name} was used up by an earlier backward; "
                "give that one retain_graph=True to walk over it again."
            )
        outer, mode.node = mode.node, self
        try:
            return fitted(self.vjp(g, self.result()), self.places)
        finally:
            mode.node = outer

    def release(self) -> None:
        """Let go of all that the vjp kept."""
        self.vjp = self.out = None


class Leaf(Node):
    """Where a walk ends: a tensor that wants its gradient."""

    __slots__ = ()

    def __init__(self, tensor: Tensor) -> None:
        super().__init__("leaf", (), None, None)
        self.owner = weakref.ref(tensor)  # the tensor holds the node


def record(name: str, out: Array, args: tuple[Any, ...], vjp: Vjp) -> Tensor:
    """The result of an op as a tensor, with a node if it is to be differentiated."""
    tensor = Tensor(out)
    if out.dtype.kind != "float":
        return tensor
    # <ex 4.1> a Node, if ops are recorded and an argument requires a gradient (3 lines)
    tensors = [x for x in args if isinstance(x, Tensor)]
    if mode.recording and any(x.requires_grad for x in tensors):
        tensor.node = Node(name, args, vjp, out)
    # </ex 4.1>
    if mode.recording:
        check_current(name, args)
    return tensor


def check_current(name: str, args: Iterable[Any]) -> None:
    """Raise RuntimeError if a tensor's history does not know of a change of its memory."""
    for x in args:
        if isinstance(x, Tensor) and x.seen != x.array.version.rewritten:
            raise RuntimeError(
                f"{name}: a tensor of shape {x.shape} shares its memory with another one that a "
                "recorded op changed in place; its own history does not know. Take the view again "
                "after the change, or change a copy(); detach() gives the numbers as a constant."
            )


def held(x: Any) -> Any:
    """A tensor's numbers, with its history where that is to be recorded.

    Not the tensor itself: in place it may get a newer history, which holds the vjp. That would be
    a cycle.
    """
    if not isinstance(x, Tensor):
        return x
    return Tensor(x.array, x.node) if x.node is not None and mode.recording else x.array


def read(x: Any) -> Array:
    """The Array of a tensor or of an Array, for an op that is about to read it."""
    array: Array = x.array if isinstance(x, Tensor) else x
    node, version = mode.node, array.version
    if node is None:
        return array
    # <ex 4.5> was it there when the node was recorded, and has it changed since? (1 line)
    spoiled = version.born < node.born < version.changed
    # </ex 4.5>
    if spoiled:
        raise RuntimeError(
            f"backward: {node.name} needs numbers of shape {array.shape} for its gradient, but "
            "they were changed in place after it was computed. Change a copy(), or change them "
            "after backward."
        )
    return array


Tape.knows = staticmethod(lambda x: isinstance(x, Tensor))
Tape.array = staticmethod(read)
Tape.held = staticmethod(held)
Tape.record = staticmethod(record)


def order(roots: Iterable[Node]) -> list[Node]:
    """All nodes that the roots came from, and they themselves: each before those of its inputs."""
    # <ex 4.2> note a node when all it came from is noted, without recursion; reversed (12 lines)
    done: list[Node] = []
    seen: set[Node] = set()
    stack = [(root, False) for root in roots]
    while stack:
        node, inputs_done = stack.pop()
        if inputs_done:
            done.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(edge, False) for edge in node.edges if edge is not None]
    return done[::-1]
    # </ex 4.2>


def walk(
    start: dict[Node, Any], wanted: set[Node] | None, create_graph: bool, retain_graph: bool
) -> dict[Node, Tensor]:
    """The gradients of `wanted` (None: of all with an owner) from those of the nodes in `start`.

    Whatever a vjp or a hook raises goes through, and the recording stays as it was.
    """
    nodes = order(start)
    ends = {n for n in nodes if n.owner is not None} if wanted is None else wanted
    # <ex 4.6> carry, recorded only if asked for; then release what was used, unless kept (5 lines)
    with recording(create_graph):
        found, used = carry(nodes, start, ends)
    if not retain_graph:
        for node in used:
            node.release()
    # </ex 4.6>
    return found


def carry(
    nodes: list[Node], start: dict[Node, Any], ends: set[Node]
) -> tuple[dict[Node, Tensor], list[Node]]:
    """Carry gradients along `nodes`, in order: what reached the ends, and which vjps were used."""
    needed = leading_to(ends, nodes)
    arrived: dict[Any, Any] = dict(start)
    found: dict[Node, Tensor] = {}
    used: list[Node] = []
    for node in nodes:
        if node not in arrived:
            continue
        g = arrived.pop(node)
        for hook in node.hooks:
            g = hooked(node, hook, g)
        if node in ends:
            found[node] = g
        if needed.isdisjoint(node.edges):
            continue
        used.append(node)
        parts = node.pull(g)
        # <ex 4.3> each part goes to its argument's node, if needed; what meets adds up (3 lines)
        for edge, part in zip(node.edges, parts, strict=True):
            if edge in needed and part is not None:
                arrived[edge] = arrived[edge] + part if edge in arrived else part
        # </ex 4.3>
    return found, used


def leading_to(ends: set[Node], nodes: list[Node]) -> set[Node | None]:
    """Those of the nodes, in order, whose gradient is a step on the way to one of the ends."""
    needed: set[Node | None] = set(ends)
    for node in reversed(nodes):
        if not needed.isdisjoint(node.edges):
            needed.add(node)
    return needed
