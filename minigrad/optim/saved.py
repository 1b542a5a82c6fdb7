"""An optimiser's groups and memory as a dict, and back: PyTorch's layout, parameters by place."""

from collections.abc import Collection, Mapping
from typing import Any

from minigrad.api import Tensor, tensor

Group = dict[str, Any]
State = dict[str, Any]

KEYS = {"state", "param_groups"}


def saved(groups: list[Group], state: Mapping[Any, State]) -> dict[str, Any]:
    """Optimizer.state_dict."""
    places = {p: k for k, p in enumerate(parameters(groups))}
    return {
        "state": {
            places[p]: {name: copied(value) for name, value in memory.items()}
            for p, memory in state.items()
        },
        "param_groups": [{**g, "params": [places[p] for p in g["params"]]} for g in groups],
    }


def loaded(
    name: str, given: Any, groups: list[Group], options: Collection[str]
) -> tuple[list[Group], dict[Any, State]]:
    """The groups and the memory of a dict, over the parameters of `groups`, or a ValueError."""
    if not isinstance(given, Mapping) or not set(given) >= KEYS:
        raise ValueError(f"{name}: a state dict has {' and '.join(sorted(KEYS))}.")
    theirs, memories = given["param_groups"], given["state"]
    wrong = [*misfits(groups, theirs, options), *misshapen(parameters(groups), memories)]
    if wrong:
        raise ValueError(
            f"{name}: the state dict does not fit:" + "".join(f"\n  {w}" for w in wrong)
        )
    merged = [
        {**{key: g[key] for key in g if known(key, options)}, "params": own["params"]}
        for own, g in zip(groups, theirs, strict=True)
    ]
    at = dict(enumerate(parameters(groups)))
    state = {
        at[k]: {key: restored(key, value, at[k]) for key, value in memory.items()}
        for k, memory in memories.items()
    }
    return merged, state


def misfits(groups: list[Group], theirs: list[Group], options: Collection[str]) -> list[str]:
    """What the groups of a dict lack, and have too much."""
    if len(theirs) != len(groups):
        return [f"it has {len(theirs)} groups of parameters, the optimiser {len(groups)}"]
    wrong = []
    for k, (own, g) in enumerate(zip(groups, theirs, strict=True)):
        count = len(g.get("params", ()))
        if count != len(own["params"]):
            wrong.append(f"group {k} has {count} parameters, the optimiser {len(own['params'])}")
        lacking = [key for key in options if key not in g]
        # PyTorch's dicts name switches that are not here; off, they change nothing.
        strange = [key for key in g if not known(key, options) and g[key] not in (None, False)]
        wrong += [f"group {k} lacks the option {key}" for key in lacking]
        wrong += [f"group {k} has an option of another optimiser: {key}" for key in strange]
    return wrong


def misshapen(params: list[Any], memories: Mapping[Any, State]) -> list[str]:
    """What is remembered of no parameter, or in another shape than its own."""
    wrong = []
    for k, memory in memories.items():
        if k not in range(len(params)):
            wrong.append(f"state {k!r} belongs to none of the {len(params)} parameters")
            continue
        for key, value in memory.items():
            shape = tuple(getattr(value, "shape", ()))
            if key != "step" and shape != params[k].shape:
                wrong.append(
                    f"state {k}, {key}: shape {shape}, but the parameter has {params[k].shape}"
                )
    return wrong


def known(key: str, options: Collection[str]) -> bool:
    """Whether a key of a group means something here."""
    return key in ("params", "initial_lr") or key in options


def parameters(groups: list[Group]) -> list[Any]:
    """All of them in order."""
    return [p for group in groups for p in group["params"]]


def copied(value: Any) -> Any:
    """A tensor's numbers in memory of their own; a number is itself."""
    return value.detach().copy() if is_tensor(value) else value


def restored(key: str, value: Any, p: Any) -> Any:
    """copied, in the dtype of the parameter; "step" is an int, where PyTorch has a tensor."""
    return int(value) if key == "step" else tensor(value, dtype=p.dtype)


def is_tensor(x: object) -> bool:
    return isinstance(x, Tensor)
