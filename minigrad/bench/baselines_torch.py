"""PyTorch's side: imported only where torch is installed."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from minigrad.bench import exact
from minigrad.bench.workload import Call, Contestant, Named, Workload

Bind = Callable[[Workload, Named], Call]
aten = torch.ops.aten


def contestants(workload: Workload) -> list[Contestant]:
    """Torch as a user runs it, and its bare kernels where that is another thing."""
    found = [
        ("torch", EAGER.get(workload.ops)),
        ("torch, bare", BARE.get(workload.ops)),
    ]
    return [Contestant(name, bind, conditions) for name, bind in found if bind is not None]


def conditions() -> dict[str, object]:
    """Threads of its kernels, and whether it may round products to less than float32."""
    exactly = torch.get_float32_matmul_precision() == "highest"
    return {
        "threads": torch.get_num_threads(),
        "dtype": str(torch.get_default_dtype()).removeprefix("torch."),
        "maths": "IEEE" if exactly else "reduced precision",
    }


def _tensors(arrays: Named, *names: str) -> list[Any]:
    return [torch.from_numpy(arrays[name]) for name in names]


def _into(function: Callable[..., Any], *names: str, **settings: Any) -> Bind:
    """A function of torch's that writes into `out`."""

    def bind(w: Workload, arrays: Named) -> Call:
        *given, out = _tensors(arrays, *names, "out")

        def run() -> None:
            function(*given, out=out, **settings)

        return run

    return bind


def _softmax(w: Workload, arrays: Named) -> Call:
    x, out = _tensors(arrays, "x", "out")

    def run() -> None:
        torch.softmax(x, -1, out=out)

    return run


def _sum(w: Workload, arrays: Named) -> Call:
    x, out = _tensors(arrays, "x", "out")
    axes = list(range(out.ndim, x.ndim))

    def run() -> None:
        torch.sum(x, axes, out=out)

    return run


def _copy(w: Workload, arrays: Named) -> Call:
    x, out = _tensors(arrays, "x", "out")

    def run() -> None:
        out.copy_(x)

    return run


def _cross_entropy(w: Workload, arrays: Named) -> Call:
    x, target = _tensors(arrays, "x", "target")
    x.requires_grad_()

    def run() -> dict[str, Any]:
        loss = F.cross_entropy(x, target)
        (dx,) = torch.autograd.grad(loss, x)
        return {"loss": loss, "dx": dx}

    return run


def _cross_entropy_bare(w: Workload, arrays: Named) -> Call:
    x, target = _tensors(arrays, "x", "target")
    one = torch.ones(())

    def run() -> dict[str, Any]:
        p = aten._log_softmax(x, -1, False)
        loss, weight = aten.nll_loss_forward(p, target, None, 1, -100)
        g = aten.nll_loss_backward(one, p, target, None, 1, -100, weight)
        return {"loss": loss, "dx": aten._log_softmax_backward_data(g, p, -1, x.dtype)}

    return run


def _layernorm(w: Workload, arrays: Named) -> Call:
    x, g = _tensors(arrays, "x", "g")
    x.requires_grad_()
    plain = "w" not in arrays
    parameters = [] if plain else [t.requires_grad_() for t in _tensors(arrays, "w", "b")]
    weight, b = parameters or (None, None)
    wanted = (x, *parameters)
    names = ("dx",) if plain else ("dx", "dw", "db")
    first = "out" if plain else "y"

    def run() -> dict[str, Any]:
        y = F.layer_norm(x, x.shape[-1:], weight, b, exact.EPS)
        return {first: y, **dict(zip(names, torch.autograd.grad(y, wanted, g), strict=True))}

    return run


def _layernorm_bare(w: Workload, arrays: Named) -> Call:
    x, g = _tensors(arrays, "x", "g")
    plain = "w" not in arrays
    weight, b = (None, None) if plain else _tensors(arrays, "w", "b")
    names = ("dx",) if plain else ("dx", "dw", "db")
    first, width = "out" if plain else "y", list(x.shape[-1:])
    mask = [True, not plain, not plain]

    def run() -> dict[str, Any]:
        y, mean, rstd = aten.native_layer_norm(x, width, weight, b, exact.EPS)
        grads = aten.native_layer_norm_backward(g, x, width, mean, rstd, weight, b, mask)
        return {first: y, **dict(zip(names, grads, strict=False))}

    return run


def _adam(w: Workload, arrays: Named) -> Call:
    p, g, m, v = _tensors(arrays, *"pgmv")
    parameter = torch.nn.Parameter(p)
    parameter.grad = g
    n = exact.ADAM
    optimiser = torch.optim.Adam(
        [parameter], lr=n["lr"], betas=(n["beta1"], n["beta2"]), eps=n["eps"], fused=True
    )
    step = torch.tensor(0.0)
    optimiser.state[parameter] = {"step": step, "exp_avg": m, "exp_avg_sq": v}

    def run() -> None:
        step.fill_(n["step"] - 1)  # it counts on by itself
        optimiser.step()

    return run


def _adam_bare(w: Workload, arrays: Named) -> Call:
    p, g, m, v = _tensors(arrays, *"pgmv")
    n, step = exact.ADAM, torch.tensor(exact.ADAM["step"])
    settings: dict[str, Any] = {k: n[k] for k in ("lr", "beta1", "beta2", "eps", "weight_decay")}

    def run() -> None:
        torch._fused_adam_(
            [p], [g], [m], [v], [], [step], amsgrad=False, maximize=False, **settings
        )

    return run


EAGER: dict[tuple[str, ...], Bind] = {
    ("add",): _into(torch.add, "x", "y"),
    ("exp",): _into(torch.exp, "x"),
    ("gelu_tanh",): _into(torch._C._nn.gelu, "x", approximate="tanh"),
    ("sum",): _sum,
    ("copy",): _copy,
    ("matmul",): _into(torch.mm, "x", "y"),
    ("softmax",): _softmax,
    ("cross_entropy", "cross_entropy_grad"): _cross_entropy,
    ("standardise", "standardise_grad"): _layernorm,
    ("layernorm", "layernorm_grad"): _layernorm,
    ("adam",): _adam,
}
BARE: dict[tuple[str, ...], Bind] = {
    ("cross_entropy", "cross_entropy_grad"): _cross_entropy_bare,
    ("standardise", "standardise_grad"): _layernorm_bare,
    ("layernorm", "layernorm_grad"): _layernorm_bare,
    ("adam",): _adam_bare,
}
