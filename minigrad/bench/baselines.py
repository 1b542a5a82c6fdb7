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
from minigrad.bench.workload import Call, Contestant, Named, Workload

Bind = Callable[[Workload, Named], Call]
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
    x, target, loss, dx = a["x"], a["target"], a["loss"], a["dx"]
    rows, share = np.arange(len(x)), np.float32(1 / len(x))

    def run() -> None:
        np.subtract(x, x.max(axis=-1, keepdims=True), out=dx)
        right = dx[rows, target]
        np.exp(dx, out=dx)
        total = dx.sum(axis=-1, keepdims=True)
        loss[...] = np.mean(np.log(total[:, 0]) - right)
        np.multiply(dx, share / total, out=dx)
        dx[rows, target] -= share

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


def _layernorm(w: Workload, a: Named) -> Call:
    x, weight, b, g, y, dx = (a[n] for n in ("x", "w", "b", "g", "y", "dx"))
    dw, db = a["dw"], a["db"]

    def run() -> None:
        normal = np.empty_like(x)
        rstd = _normal(x, normal)
        np.multiply(normal, weight, out=y)
        np.add(y, b, out=y)
        np.sum(g, axis=0, out=db)
        np.sum(g * normal, axis=0, out=dw)
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
    p, g, m, v = (a[n] for n in "pgmv")
    n = {k: np.float32(value) for k, value in exact.ADAM.items()}
    size = np.float32(n["lr"] / (1 - exact.ADAM["beta1"] ** exact.ADAM["step"]))
    shrink = np.float32(1 / (1 - exact.ADAM["beta2"] ** exact.ADAM["step"]))
    one, room = np.float32(1), np.empty_like(p)

    def run() -> None:
        np.multiply(m, n["beta1"], out=m)
        np.multiply(g, one - n["beta1"], out=room)
        np.add(m, room, out=m)
        np.multiply(g, g, out=room)
        np.multiply(room, np.float32(1 - exact.ADAM["beta2"]), out=room)
        np.multiply(v, n["beta2"], out=v)
        np.add(v, room, out=v)
        np.multiply(v, shrink, out=room)
        np.sqrt(room, out=room)
        np.add(room, n["eps"], out=room)
        np.divide(m, room, out=room)
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
    ("layernorm", "layernorm_grad"): _layernorm,
    ("adam",): _adam,
}
