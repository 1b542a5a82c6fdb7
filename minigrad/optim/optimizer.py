"""What all optimisers share: groups of parameters with their options, what is remembered of each
parameter, and both as a dict that can be saved.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from numbers import Real
from typing import Any

from minigrad import kernels
from minigrad.api import Tensor, no_grad
from minigrad.optim.saved import is_tensor, loaded, saved

Group = dict[str, Any]
State = dict[str, Any]

AT_LEAST_0 = ("lr", "momentum", "alpha", "eps", "weight_decay")  # options that are such numbers


class Optimizer:
    """Moves parameters along their gradients; a subclass says how, in `update`.

    param_groups  dicts of "params", a list of leaves, and the options for them ("lr" and so on)
    state         what is remembered of each parameter, {parameter: {name: tensor or number}}

    params: tensors, or dicts of "params" and the options in which these differ from the rest.
    Raises ValueError for no parameters, for one that is given twice or that an op made, and for
    options that cannot be; TypeError for what is no tensor.
    """

    def __init__(self, params: Iterable[Any], **options: Any) -> None:
        self.defaults: Group = options
        self.param_groups: list[Group] = []
        self.state: defaultdict[Any, State] = defaultdict(dict)
        given = self._listed(params)
        if not given:
            raise ValueError(
                f"{type(self).__name__}: no parameters were given. (A generator gives its own once "
                "only: call parameters() again, or make a list.)"
            )
        groups = given if isinstance(given[0], dict) else [{"params": given}]
        for group in groups:
            self.add_param_group(group)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}("]
        for k, group in enumerate(self.param_groups):
            options = ", ".join(f"{key}={group[key]}" for key in group if key != "params")
            lines.append(f"  group {k}: {len(group['params'])} parameters, {options}")
        return "\n".join([*lines, ")"])

    def add_param_group(self, group: Group) -> None:
        """More parameters, under "params", with options of their own; the others by default."""
        name = type(self).__name__
        if not isinstance(group, dict) or "params" not in group:
            raise TypeError(f"{name}: a group is a dict with 'params', got {_shown(group)}.")
        unknown = sorted(set(group) - {"params", "initial_lr", *self.defaults})
        if unknown:
            raise ValueError(
                f"{name}: no such option: {', '.join(unknown)}. There is: "
                f"{', '.join(self.defaults)}."
            )
        group = {**self.defaults, **group, "params": self._listed(group["params"])}
        self.check(group)
        self._check_params(group["params"])
        self.param_groups.append(group)

    def _listed(self, params: Any) -> list[Any]:
        if hasattr(params, "parameters"):  # some modules can be gone through, and give layers
            raise TypeError(
                f"{type(self).__name__}: got a module, {type(params).__name__}; its parameters "
                "are wanted: model.parameters()."
            )
        if isinstance(params, Tensor | dict) or not isinstance(params, Iterable):
            raise TypeError(
                f"{type(self).__name__}: parameters come as a list of tensors or of groups, got "
                f"{_shown(params)}."
            )
        return list(params)

    def _check_params(self, params: list[Any]) -> None:
        name = type(self).__name__
        known = {p for group in self.param_groups for p in group["params"]}
        for k, p in enumerate(params):
            if not is_tensor(p):
                raise TypeError(f"{name}: parameter {k} is no tensor but {_shown(p)}.")
            place = f"parameter {k}, of shape {p.shape},"
            if not p.is_leaf:
                raise ValueError(
                    f"{name}: {place} is the result of an op. Only a leaf can be moved: a result "
                    "is computed anew in each step."
                )
            if p in known:
                raise ValueError(f"{name}: {place} is given twice, and would move twice in a step.")
            known.add(p)

    def check(self, group: Group) -> None:
        """Raise ValueError for an option that cannot be."""
        name = type(self).__name__
        for option in AT_LEAST_0:
            value = group.get(option, 0.0)
            if not within(value, math.inf):
                raise ValueError(f"{name}: {option} must be a number from 0 up, got {value!r}.")
        betas = group.get("betas", (0.0, 0.0))
        if not (
            isinstance(betas, tuple | list)
            and len(betas) == 2
            and all(within(b, 1.0) for b in betas)
        ):
            raise ValueError(f"{name}: betas must be two numbers from 0 to below 1, got {betas!r}.")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: backward adds to what is there. Or overwrite them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None
                elif p.grad is not None:
                    p.grad = p.grad.detach().zero_()

    def step(self) -> None:
        """Move every parameter that has a gradient."""
        with no_grad():
            whole = kernels.whole(f"{type(self).__module__}.{type(self).__qualname__}")
            for group in self.param_groups:
                params = [p for p in group["params"] if p.grad is not None]
                for p in params if whole is None else whole(self, group, params):
                    self.update(p, p.grad, self.state[p], group)

    def update(self, p: Any, g: Any, state: State, group: Group) -> None:
        """Move one parameter, in place, by its gradient g; what to remember goes into state.

        g stays as it is. Nothing is recorded here.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it moves a parameter.")

    def state_dict(self) -> dict[str, Any]:
        """{"state": {place: {...}}, "param_groups": [...]}, parameters by their place in the order
        of the groups, 0 first. A copy: later steps do not change it.
        """
        return saved(self.param_groups, self.state)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the optimiser that gave this dict would, over parameters of the same shapes.

        Raises ValueError that lists all that does not fit, and then loads nothing.
        """
        groups, state = loaded(type(self).__name__, state_dict, self.param_groups, self.defaults)
        for group in groups:
            self.check(group)
        self.param_groups = groups
        self.state = defaultdict(dict, state)


def within(x: object, limit: float) -> bool:
    """Whether x is a number from 0 to below the limit."""
    return isinstance(x, Real) and 0.0 <= float(x) < limit


def _shown(x: object) -> str:
    return f"{type(x).__name__} {x!r:.60}"
