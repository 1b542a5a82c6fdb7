"""PyTorch's side: imported only where torch is installed."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from minigrad.bench import exact
from minigrad.bench.workload import Call, Contestant, Named, Workload, numbered

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
    logits, target, g = _tensors(arrays, "logits", "target", "g")
    logits.requires_grad_()

    def run() -> dict[str, Any]:
        losses = F.cross_entropy(logits, target, reduction="none")
        (dx,) = torch.autograd.grad(losses, logits, g)
        return {"losses": losses, "dx": dx}

    return run


def _cross_entropy_bare(w: Workload, arrays: Named) -> Call:
    logits, target, g = _tensors(arrays, "logits", "target", "g")

    def run() -> dict[str, Any]:
        p = aten._log_softmax(logits, -1, False)
        losses, weight = aten.nll_loss_forward(p, target, None, 0, -100)
        dp = aten.nll_loss_backward(g, p, target, None, 0, -100, weight)
        return {"losses": losses, "dx": aten._log_softmax_backward_data(dp, p, -1, p.dtype)}

    return run


def _layer_norm(w: Workload, arrays: Named) -> Call:
    x, g = _tensors(arrays, "x", "g")
    x.requires_grad_()
    affine = [t.requires_grad_() for t in _tensors(arrays, *_affine(arrays))]
    weight, bias = affine or (None, None)
    names = ("dx", *(f"d{n}" for n in _affine(arrays)))

    def run() -> dict[str, Any]:
        out = F.layer_norm(x, x.shape[-1:], weight, bias, exact.EPS)
        grads = torch.autograd.grad(out, (x, *affine), g)
        return {"out": out, **dict(zip(names, grads, strict=True))}

    return run


def _layer_norm_bare(w: Workload, arrays: Named) -> Call:
    x, g = _tensors(arrays, "x", "g")
    affine = _tensors(arrays, *_affine(arrays))
    weight, bias = affine or (None, None)
    names = ("dx", *(f"d{n}" for n in _affine(arrays)))
    width, wanted = list(x.shape[-1:]), [True, bool(affine), bool(affine)]

    def run() -> dict[str, Any]:
        out, mean, rstd = aten.native_layer_norm(x, width, weight, bias, exact.EPS)
        grads = aten.native_layer_norm_backward(g, x, width, mean, rstd, weight, bias, wanted)
        return {"out": out, **dict(zip(names, grads, strict=False))}

    return run


def _affine(arrays: Named) -> tuple[str, ...]:
    return tuple(n for n in ("weight", "bias") if n in arrays)


def _adam_tensors(arrays: Named) -> list[list[Any]]:
    names = ("p", "g", "mean", "square")
    return [[torch.from_numpy(a) for a in numbered(arrays, name)] for name in names]


def _adam(w: Workload, arrays: Named) -> Call:
    parameters, grads, means, squares = _adam_tensors(arrays)
    parameters = [torch.nn.Parameter(p) for p in parameters]
    n = exact.ADAM
    optimiser = torch.optim.Adam(
        parameters, lr=n["lr"], betas=(n["beta1"], n["beta2"]), eps=n["eps"], fused=True
    )
    steps = [torch.tensor(0.0) for _ in parameters]
    for p, g, mean, square, step in zip(parameters, grads, means, squares, steps, strict=True):
        p.grad = g
        optimiser.state[p] = {"step": step, "exp_avg": mean, "exp_avg_sq": square}

    def run() -> None:
        for step in steps:  # they count on by themselves
            step.fill_(n["step"] - 1)
        optimiser.step()

    return run


def _adam_bare(w: Workload, arrays: Named) -> Call:
    parameters, grads, means, squares = _adam_tensors(arrays)
    n = exact.ADAM
    steps = [torch.tensor(float(n["step"])) for _ in parameters]
    settings: dict[str, Any] = {k: n[k] for k in ("lr", "beta1", "beta2", "eps", "weight_decay")}

    def run() -> None:
        torch._fused_adam_(
            parameters,
            grads,
            means,
            squares,
            [],
            steps,
            amsgrad=False,
            maximize=False,
            **settings,
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
    ("standardise", "standardise_grad"): _layer_norm,
    ("layer_norm", "layer_norm_grad"): _layer_norm,
    ("adam",): _adam,
}
BARE: dict[tuple[str, ...], Bind] = {
    ("cross_entropy", "cross_entropy_grad"): _cross_entropy_bare,
    ("standardise", "standardise_grad"): _layer_norm_bare,
    ("layer_norm", "layer_norm_grad"): _layer_norm_bare,
    ("adam",): _adam_bare,
}
