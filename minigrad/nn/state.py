"""The state of a module, parameters and buffers by name: how it is listed, checked and loaded."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from minigrad.api import Tensor, asarray, no_grad
from minigrad.dtypes import NAMES
from minigrad.nn.parameter import is_parameter

Named = Iterable[tuple[str, Any]]


class Loaded(NamedTuple):
    """What load_state_dict could not load: names, and for those that did not fit why."""

    missing_keys: list[str]
    unexpected_keys: list[str]
    unfit: dict[str, str]


def buffers(found: Named) -> Iterator[tuple[str, Any, bool]]:
    """(name, tensor, persistent) of each buffer of the modules among `found`."""
    for name, module in found:
        attributes = {} if is_parameter(module) else vars(module)
        for key, persistent in attributes.get("_buffers", {}).items():
            x = attributes.get(key)
            if isinstance(x, Tensor) and not is_parameter(x):
                yield f"{name}.{key}" if name else key, x, persistent


def entries(found: list[tuple[str, Any]]) -> dict[str, Any]:
    """Parameters and persistent buffers by name. Raises ValueError if two have the same name."""
    named = [(name, x) for name, x in found if is_parameter(x)]
    named += [(name, x) for name, x, persistent in buffers(found) if persistent]
    state: dict[str, Any] = {}
    for name, x in named:
        if state.setdefault(name, x) is not x:
            raise ValueError(
                f"state_dict: two tensors are called {name!r}: a key with a dot in it, or keys "
                "that read the same, like 1 and '1'. Rename one."
            )
    return state


def load(module: Any, state: dict[str, Any], given: Any, strict: bool) -> Loaded:
    """Module.load_state_dict, into the tensors of `state`."""
    if not isinstance(given, Mapping):
        raise TypeError(
            f"load_state_dict: expected a dict of names and tensors, got {type(given).__name__}."
        )
    there = {name: misfit(x, given[name]) for name, x in state.items() if name in given}
    result = Loaded(
        [name for name in state if name not in given],
        [name for name in given if name not in state],
        {name: why for name, why in there.items() if why},
    )
    if strict and any(result):
        raise ValueError(complaint(type(module).__name__, result))
    with no_grad():
        for name, why in there.items():
            if not why:
                state[name].copy_(asarray(given[name]))
    return result


def misfit(x: Any, value: object) -> str:
    """Why value cannot be loaded into x; "" if it can."""
    if not isinstance(value, Tensor | np.ndarray):
        name = f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")
        advice = ", whose numpy() is one" if hasattr(value, "numpy") else ""
        return f"expected a minigrad tensor or an ndarray, got {name}{advice}"
    given: Any = value
    if given.shape != x.shape:
        return f"has shape {x.shape}, got {given.shape}"
    dtype = NAMES.get(str(given.dtype))
    if dtype is None or dtype.kind != x.dtype.kind:
        return f"is {x.dtype}, got {given.dtype}"
    return ""


def complaint(name: str, result: Loaded) -> str:
    """All that does not fit, a line each."""
    lines = [f"load_state_dict: the entries do not fit this {name}; nothing was loaded."]
    lines += [f"  missing     {key}" for key in result.missing_keys]
    lines += [f"  unexpected  {key}" for key in result.unexpected_keys]
    lines += [f"  unfit       {key} {why}" for key, why in result.unfit.items()]
    return "\n".join([*lines, "strict=False loads what fits and gives back the rest."])
