"""A step of an optimiser as one kernel for all parameters: kernels.use("cpp").

Each function gets the optimiser, a group and the parameters that have a gradient; it moves them in
place, and gives those that it left for the optimiser's own `update`.
"""

from collections import defaultdict
from typing import Any

from minigrad import kernels
from minigrad.kernels import entire
from minigrad.reference.creation import zeros
from minigrad.reference.memory import tick
from minigrad.reference.tensor import Tensor


def run(name: str, lists: list[list[Any]], *numbers: float) -> None:
    """Run a kernel on lists of tensors: gradients, then what it changes in place."""
    gradients, *changed = ([x.array for x in each] for each in lists)
    call = kernels.chosen(name, gradients[0].device, gradients[0].dtype)
    call(*[[a.numpy() for a in each] for each in (gradients, *changed)], *numbers)
    for each in changed:
        for array in each:
            array.version.changed = tick()


def split(params: list[Any]) -> tuple[list[Any], list[Any]]:
    """Those whose numbers a kernel may change one by one, and those that repeat some."""
    fit = [p for p in params if 0 not in p.strides]
    return fit, [p for p in params if 0 in p.strides]


@entire("minigrad.optim.sgd.SGD", backend="cpp")
def sgd(optimizer: Any, group: dict[str, Any], params: list[Any]) -> list[Any]:
    fit, left = split(params)
    rates = group["lr"], group["weight_decay"]
    if not group["momentum"]:
        if fit:
            run("sgd", [[p.grad for p in fit], fit], *rates)
        return left
    rolling = [p for p in fit if optimizer.state[p].get("momentum_buffer") is not None]
    if rolling:
        buffers = [optimizer.state[p]["momentum_buffer"] for p in rolling]
        options = group["momentum"], group["dampening"], int(group["nesterov"])
        run("sgd_momentum", [[p.grad for p in rolling], rolling, buffers], *rates, *options)
    known = set(rolling)
    return left + [p for p in fit if p not in known]  # whose first gradient is the velocity


def adam(optimizer: Any, group: dict[str, Any], params: list[Any], decoupled: bool) -> list[Any]:
    """Adam, or (decoupled) AdamW."""
    fit, left = split(params)
    at_step = defaultdict(list)  # those that had no gradient in some step are behind the others
    for p in fit:
        state = optimizer.state[p]
        if not state:
            mean, square = (Tensor(zeros(p.shape, p.dtype, p.device)) for _ in range(2))
            state.update(step=0, exp_avg=mean, exp_avg_sq=square)
        at_step[state["step"] + 1].append(p)
    rates = group["lr"], *group["betas"], group["eps"], group["weight_decay"]
    for step, some in at_step.items():
        states = [optimizer.state[p] for p in some]
        means = [[state[name] for state in states] for name in ("exp_avg", "exp_avg_sq")]
        run("adam", [[p.grad for p in some], some, *means], *rates, int(decoupled), step)
        for state in states:
            state["step"] = step
    return left


@entire("minigrad.optim.adam.Adam", backend="cpp")
def _adam(optimizer: Any, group: dict[str, Any], params: list[Any]) -> list[Any]:
    return adam(optimizer, group, params, decoupled=False)


@entire("minigrad.optim.adamw.AdamW", backend="cpp")
def _adamw(optimizer: Any, group: dict[str, Any], params: list[Any]) -> list[Any]:
    return adam(optimizer, group, params, decoupled=True)
