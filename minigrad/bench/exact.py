"""What each workload should give, in float64 and in NumPy: the judge, which is never timed."""

from typing import Any

import numpy as np

from minigrad.bench.workload import Named, Ndarray

Results = dict[str, Ndarray]

ROOT = np.sqrt(2 / np.pi)
EPS = 1e-5
ADAM = {"lr": 1e-3, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0, "step": 10.0}


def double(given: Named, *names: str) -> list[Any]:
    return [given[name].astype(np.float64) for name in names]


def add(given: Named) -> Results:
    x, y = double(given, "x", "y")
    return {"out": x + y}


def exp(given: Named) -> Results:
    return {"out": np.exp(given["x"].astype(np.float64))}


def gelu_tanh(given: Named) -> Results:
    (x,) = double(given, "x")
    return {"out": np.asarray(0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x * x * x))))}


def copy(given: Named) -> Results:
    return {"out": given["x"].astype(np.float64)}


def total(given: Named) -> Results:
    return {"out": np.asarray(np.sum(given["x"], dtype=np.float64))}


def row_sums(given: Named) -> Results:
    return {"out": np.asarray(np.sum(given["x"], axis=-1, dtype=np.float64))}


def matmul(given: Named) -> Results:
    x, y = double(given, "x", "y")
    return {"out": x @ y}


def softmax(given: Named) -> Results:
    (x,) = double(given, "x")
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return {"out": e / e.sum(axis=-1, keepdims=True)}


def cross_entropy(given: Named) -> Results:
    """The mean loss over the rows, and its gradient."""
    (x,) = double(given, "x")
    rows = np.arange(len(x))
    p = softmax(given)["out"]
    shifted = x - x.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    p[rows, given["target"]] -= 1
    return {"loss": np.asarray(-log_p[rows, given["target"]].mean()), "dx": p / len(x)}


def layernorm(given: Named) -> Results:
    """The rows at mean 0 and variance 1, scaled and shifted; and the three gradients."""
    x, w, b, g = double(given, "x", "w", "b", "g")
    centred = x - x.mean(axis=-1, keepdims=True)
    rstd = 1 / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + EPS)
    normal = centred * rstd
    gw = g * w
    inner = gw.mean(axis=-1, keepdims=True) + normal * (gw * normal).mean(axis=-1, keepdims=True)
    return {
        "y": normal * w + b,
        "dx": rstd * (gw - inner),
        "dw": (g * normal).sum(axis=0),
        "db": g.sum(axis=0),
    }


def standardise(given: Named) -> Results:
    """The same without scale and shift."""
    width = given["x"].shape[-1]
    whole = layernorm({**given, "w": np.ones(width), "b": np.zeros(width)})
    return {"out": whole["y"], "dx": whole["dx"]}


def adam(given: Named) -> Results:
    p, g, m, v = double(given, "p", "g", "m", "v")
    beta1, beta2, step = ADAM["beta1"], ADAM["beta2"], ADAM["step"]
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    size = ADAM["lr"] / (1 - beta1**step)
    root = np.sqrt(v / (1 - beta2**step)) + ADAM["eps"]
    return {"p": p - size * m / root, "m": m, "v": v}
