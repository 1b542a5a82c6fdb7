"""What we are measured against: NumPy, and PyTorch as fast as it honestly goes.

"torch" is what a user runs: eager, with its tape where there is a backward, the optimiser fused,
results written into memory that is there already where it offers that. "torch, bare" calls the same
kernels of PyTorch's without tape and Python, as ours are called.
"""

import importlib.util
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from minigrad.bench import exact
from minigrad.bench.workload import Call, Contestant, Named, Workload, numbered

Bind = Callable[[Workload, Named], Call]
NAMES = ("numpy", "torch", "torch, bare")
ROOT = np.float32(exact.ROOT)


def torch_missing() -> bool:
    return importlib.util.find_spec("torch") is None


def contestants(workload: Workload) -> list[Contestant]:
    """The baselines of a workload that run here."""
    found = []
    if "numpy" in workload.baselines and workload.ops in NUMPY:
        found.append(Contestant("numpy", NUMPY[workload.ops], numpy_conditions))
    if "torch" in workload.baselines and not torch_missing():
        from minigrad.bench import baselines_torch

        found += baselines_torch.contestants(workload)
    return found


def numpy_conditions() -> dict[str, object]:
    """The threads of NumPy's BLAS; NumPy itself has one."""
    pools = import_module("threadpoolctl").threadpool_info()
    pools = [p["num_threads"] for p in pools if p["user_api"] == "blas"]
    return {"threads": max(pools, default=1), "dtype": "float32", "maths": "IEEE"}


def _add(w: Workload, a: Named) -> Call:
    return lambda: np.add(a["x"], a["y"], out=a["out"])


def _exp(w: Workload, a: Named) -> Call:
    return lambda: np.exp(a["x"], out=a["out"])


def _gelu_tanh(w: Workload, a: Named) -> Call:
    x, out = a["x"], a["out"]

    def run() -> None:
        np.multiply(x, x, out=out)
        np.multiply(out, np.float32(0.044715), out=out)
        np.add(out, np.float32(1), out=out)
        np.multiply(out, x, out=out)
        np.multiply(out, ROOT, out=out)
        np.tanh(out, out=out)
        np.add(out, np.float32(1), out=out)
        np.multiply(out, x, out=out)
        np.multiply(out, np.float32(0.5), out=out)

    return run


def _sum(w: Workload, a: Named) -> Call:
    axis = None if a["out"].ndim == 0 else -1
    return lambda: np.sum(a["x"], axis=axis, out=a["out"])


def _copy(w: Workload, a: Named) -> Call:
    return lambda: np.copyto(a["out"], a["x"])


def _matmul(w: Workload, a: Named) -> Call:
    return lambda: np.matmul(a["x"], a["y"], out=a["out"])


def _softmax(w: Workload, a: Named) -> Call:
    x, out = a["x"], a["out"]

    def run() -> None:
        np.subtract(x, x.max(axis=-1, keepdims=True), out=out)
        np.exp(out, out=out)
        np.divide(out, out.sum(axis=-1, keepdims=True), out=out)

    return run


def _cross_entropy(w: Workload, a: Named) -> Call:
    logits, target, g, losses, dx = (a[n] for n in ("logits", "target", "g", "losses", "dx"))
    rows = np.arange(len(logits))

    def run() -> None:
        np.subtract(logits, logits.max(axis=-1, keepdims=True), out=dx)
        right = dx[rows, target]
        np.exp(dx, out=dx)
        total = dx.sum(axis=-1, keepdims=True)
        np.subtract(np.log(total[:, 0]), right, out=losses)
        np.multiply(dx, g[:, None] / total, out=dx)
        dx[rows, target] -= g

    return run


def _standardise(w: Workload, a: Named) -> Call:
    x, g, out, dx = a["x"], a["g"], a["out"], a["dx"]

    def run() -> None:
        rstd = _normal(x, out)
        inner = (g * out).mean(axis=-1, keepdims=True)
        np.multiply(out, -inner, out=dx)
        np.add(dx, g, out=dx)
        np.subtract(dx, g.mean(axis=-1, keepdims=True), out=dx)
        np.multiply(dx, rstd, out=dx)

    return run


def _layer_norm(w: Workload, a: Named) -> Call:
    x, weight, bias, g, out, dx = (a[n] for n in ("x", "weight", "bias", "g", "out", "dx"))
    dweight, dbias = a["dweight"], a["dbias"]

    def run() -> None:
        normal = np.empty_like(x)
        rstd = _normal(x, normal)
        np.multiply(normal, weight, out=out)
        np.add(out, bias, out=out)
        np.sum(g, axis=0, out=dbias)
        np.sum(g * normal, axis=0, out=dweight)
        gw = g * weight
        inner = (gw * normal).mean(axis=-1, keepdims=True)
        np.subtract(gw, gw.mean(axis=-1, keepdims=True), out=dx)
        np.multiply(normal, inner, out=normal)
        np.subtract(dx, normal, out=dx)
        np.multiply(dx, rstd, out=dx)

    return run


def _normal(x: Any, out: Any) -> Any:
    np.subtract(x, x.mean(axis=-1, keepdims=True), out=out)
    variance = np.einsum("nc,nc->n", out, out)[:, None] / np.float32(x.shape[-1])
    rstd = 1 / np.sqrt(variance + np.float32(exact.EPS))
    np.multiply(out, rstd, out=out)
    return rstd


def _adam(w: Workload, a: Named) -> Call:
    tensors = list(zip(*(numbered(a, n) for n in ("p", "g", "mean", "square")), strict=True))
    n = exact.ADAM
    size = np.float32(n["lr"] / (1 - n["beta1"] ** n["step"]))
    shrink = np.float32(1 / (1 - n["beta2"] ** n["step"]))
    keep1, keep2, eps = np.float32(n["beta1"]), np.float32(n["beta2"]), np.float32(n["eps"])
    new1, new2 = np.float32(1 - n["beta1"]), np.float32(1 - n["beta2"])
    rooms = [np.empty_like(p) for p, *_ in tensors]

    def run() -> None:
        for (p, g, mean, square), room in zip(tensors, rooms, strict=True):
            np.multiply(mean, keep1, out=mean)
            np.multiply(g, new1, out=room)
            np.add(mean, room, out=mean)
            np.multiply(g, g, out=room)
            np.multiply(room, new2, out=room)
            np.multiply(square, keep2, out=square)
            np.add(square, room, out=square)
            np.multiply(square, shrink, out=room)
            np.sqrt(room, out=room)
            np.add(room, eps, out=room)
            np.divide(mean, room, out=room)
            np.multiply(room, size, out=room)
            np.subtract(p, room, out=p)

    return run


def _quiet(bind: Bind) -> Bind:
    """A ufunc gives its `out` back: the call gives nothing, as all that write do."""

    def bound(workload: Workload, arrays: Named) -> Call:
        call = bind(workload, arrays)

        def run() -> None:
            call()

        return run

    return bound


NUMPY: dict[tuple[str, ...], Bind] = {
    ("add",): _quiet(_add),
    ("exp",): _quiet(_exp),
    ("gelu_tanh",): _gelu_tanh,
    ("sum",): _quiet(_sum),
    ("copy",): _copy,
    ("matmul",): _quiet(_matmul),
    ("softmax",): _softmax,
    ("cross_entropy", "cross_entropy_grad"): _cross_entropy,
    ("standardise", "standardise_grad"): _standardise,
    ("layer_norm", "layer_norm_grad"): _layer_norm,
    ("adam",): _adam,
}
