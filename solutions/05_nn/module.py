# cut from minigrad/nn/module.py
"""Module: a part of a model, which knows its parameters and the parts that it is made of itself.

Nothing is registered. What a module has as attributes is what it consists of, and `walk` finds it:
parameters, modules, and both in lists, tuples and dicts, in the order in which they were assigned.
"""

from collections.abc import Callable, Iterator, Mapping
from reprlib import recursive_repr
from typing import Any, Self

from minigrad.api import Tensor, zeros
from minigrad.dtypes import DType
from minigrad.nn import state
from minigrad.nn.parameter import is_parameter
from minigrad.nn.summary import Summary, described, summary


class Module:
    """A part of a model: assign parameters and modules to attributes, and write `forward`.

    training  whether it is being trained, for what behaves otherwise then (dropout)
    """

    training = True

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """What the module computes; called through module(...)."""
        raise NotImplementedError(
            f"{type(self).__name__} has no forward: write one, `def forward(self, x):`."
        )

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.forward(*inputs, **options)

    def __setattr__(self, name: str, value: object) -> None:
        check_assigned(self, name, value)
        object.__setattr__(self, name, value)

    # what it is made of

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Each parameter once, with the first name that leads to it: "layers.0.weight"."""
        return ((name, x) for name, x in found(self) if is_parameter(x))

    def parameters(self) -> Iterator[Any]:
        """Each parameter once, in the order in which they were assigned."""
        return (p for _, p in self.named_parameters())

    def named_modules(self) -> Iterator[tuple[str, "Module"]]:
        """Each module inside once, with its name: itself first, as ""."""
        return ((name, m) for name, m in found(self) if isinstance(m, Module))

    def modules(self) -> Iterator["Module"]:
        """Itself, and each module inside once."""
        return (m for _, m in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """The modules that are directly inside, also in a list, a tuple or a dict."""
        above: list[str] = []
        children: dict[int, tuple[str, Module]] = {}
        for name, m in found(self, once=False):
            inside_another = any(name.startswith(f"{other}.") for other in above)
            if name and isinstance(m, Module) and not inside_another:
                above.append(name)
                children.setdefault(id(m), (name, m))
        return iter(children.values())

    def children(self) -> Iterator["Module"]:
        return (m for _, m in self.named_children())

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Make the tensor an attribute that belongs to the state but is not trained.

        persistent: whether state_dict has it. The tensor may be None, and come later.
        Raises TypeError for what is no tensor, ValueError for a name that cannot be used.
        """
        check_buffer(self, name, tensor)
        buffers = {**vars(self).get("_buffers", {}), name: bool(persistent)}
        vars(self).update({"_buffers": buffers, name: tensor})

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Each registered buffer once, with its name."""
        seen: set[int] = set()
        for name, x, _ in state.buffers(found(self)):
            if id(x) not in seen:
                seen.add(id(x))
                yield name, x

    def buffers(self) -> Iterator[Any]:
        return (x for _, x in self.named_buffers())

    # its state

    def state_dict(self) -> dict[str, Any]:
        """The parameters and the persistent buffers by name, over the memory of the module: what
        is changed there is changed here. What is shared comes under each of its names.
        """
        return {name: x.detach() for name, x in state.entries(found(self, once=False)).items()}

    def load_state_dict(self, given: Mapping[str, Any], strict: bool = True) -> state.Loaded:
        """Overwrite parameters and buffers by the tensors or ndarrays of the same names.

        A float32 is loaded into a float64 and the other way round; other kinds of numbers must
        agree. Gives the names that were missing, unexpected, or did not fit, and why.
        Raises ValueError if there are any, naming all, and loads nothing then; strict=False loads
        what fits. Raises TypeError if `given` is no dict.
        """
        return state.load(self, state.entries(found(self, once=False)), given, strict)

    # what is done to all of it

    def train(self, mode: bool = True) -> Self:
        """For training (True) or for use (False): itself and all modules inside."""
        if not isinstance(mode, bool):
            raise TypeError(f"train: mode is True or False, got {mode!r}.")
        for m in self.modules():
            m.training = mode
        return self

    def eval(self) -> Self:
        """For use: train(False)."""
        return self.train(False)

    def apply(self, function: Callable[["Module"], object]) -> Self:
        """Call function(module) for each module inside, and for itself last."""
        for m in list(self.modules())[1:]:
            function(m)
        function(self)
        return self

    def to(self, device: str | None = None, dtype: object = None) -> Self:
        """Move parameters, their gradients and buffers to a device; those that are floats into a
        dtype of floats. They stay the same tensors: an optimiser that has them keeps them.
        """
        if isinstance(device, DType):
            raise TypeError(f"to: {device} is a dtype, not a device; write to(dtype={device}).")
        probe = zeros(0).to(device, dtype)  # what cannot be is refused before anything has moved
        if probe.dtype.kind != "float":
            raise TypeError(f"to: a module is float32 or float64, got {probe.dtype}.")
        for x in [*self.parameters(), *self.buffers()]:
            x.to_(device, dtype if x.dtype.kind == "float" else None)
        return self

    def requires_grad_(self, wanted: bool = True) -> Self:
        """Let all parameters have gradients, or freeze them."""
        for p in self.parameters():
            p.requires_grad_(wanted)
        return self

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for p in self.parameters():
            p.grad = None

    # for the eye

    @recursive_repr("...")
    def __repr__(self) -> str:
        return described(type(self).__name__, self.extra_repr(), self.named_children())

    def extra_repr(self) -> str:
        """What stands between the brackets of repr."""
        return ""

    def summary(self, example: Any = None) -> Summary:
        """A table of the layers: their parameters, and the shapes that come out for an example.

        The example (a tensor, or a tuple of all inputs) runs through forward once, in eval mode
        and without being recorded.
        """
        return summary(self, example)


def found(module: Module, once: bool = True) -> list[tuple[str, Any]]:
    """All modules and parameters with their names; a list, so that callers may change them."""
    return list(walk(module, "", set(), once))


def walk(value: Any, name: str, seen: set[int], once: bool) -> Iterator[tuple[str, Any]]:
    """(name, module) and (name, parameter) for value, if it is one, and for all inside of it.

    name: which attributes, keys and positions lead to value, with dots between; "" at the start.
    seen: the id of everything that the walk has been to.
    once: what is met again, by another way, does not count (False: only a circle ends).
    """
    seen = seen if once else set(seen)
    # <ex 5.1> nothing twice; itself, if a module or parameter; then all that it holds (11 lines)
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, Module) or is_parameter(value):
        yield name, value
    held = vars(value) if isinstance(value, Module) else value
    if isinstance(held, list | tuple):
        held = dict(enumerate(held))
    if isinstance(held, dict):
        for key, part in held.items():
            yield from walk(part, f"{name}.{key}" if name else str(key), seen, once)
    # </ex 5.1>


def check_assigned(module: Module, name: str, value: object) -> None:
    """Raise TypeError where a parameter, a module or a buffer would be lost by accident."""
    held = vars(module).get(name)
    if value is None or is_parameter(value) or isinstance(value, Module):
        return
    call, given = f"{type(module).__name__}.{name}", type(value).__name__
    if is_parameter(held):
        raise TypeError(
            f"{call} is a parameter, and a plain {given} cannot take its place: wrap it, "
            f"nn.Parameter(...), or write into it, `with no_grad(): module.{name}.copy_(...)`."
        )
    if isinstance(held, Module):
        raise TypeError(f"{call} is a module, and {given} cannot take its place; None can.")
    if name in vars(module).get("_buffers", {}) and not isinstance(value, Tensor):
        raise TypeError(f"{call} is a buffer, which is a tensor or None, got {given}.")


def check_buffer(module: Module, name: str, tensor: object) -> None:
    """Raise unless the tensor can become a buffer of this name."""
    call = f"register_buffer({name!r})"
    if not isinstance(name, str) or not name or "." in name:
        raise ValueError(f"{call}: a name is a text without dots.")
    if hasattr(module, name) and name not in vars(module).get("_buffers", {}):
        raise ValueError(f"{call}: {type(module).__name__} has another attribute of that name.")
    if tensor is not None and (not isinstance(tensor, Tensor) or is_parameter(tensor)):
        kind = "a parameter" if is_parameter(tensor) else type(tensor).__name__
        raise TypeError(f"{call}: a buffer is a tensor that is no parameter, got {kind}.")
