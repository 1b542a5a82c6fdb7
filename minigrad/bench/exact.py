"""What each workload should give, in float64 and in NumPy: the judge, which is never timed."""

from typing import Any

import numpy as np

from minigrad.bench.workload import Named, Ndarray

Results = dict[str, Ndarray]

ROOT = np.sqrt(2 / np.pi)
EPS = 1e-5
ADAM: dict[str, float] = {
    "lr": 1e-3,
    "beta1": 0.9,
    "beta2": 0.999,
    "eps": 1e-8,
    "weight_decay": 0.0,
    "decoupled": 0,
    "step": 10,
}


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
    """The loss of each row, and the gradient of their sum weighted by g."""
    logits, g = double(given, "logits", "g")
    rows, target = np.arange(len(logits)), given["target"]
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    dx = np.exp(log_p)
    dx[rows, target] -= 1
    return {"losses": -log_p[rows, target], "dx": g[:, None] * dx}


def layer_norm(given: Named) -> Results:
    """The rows at mean 0 and variance 1, scaled and shifted; and the three gradients."""
    x, weight, bias, g = double(given, "x", "weight", "bias", "g")
    centred = x - x.mean(axis=-1, keepdims=True)
    rstd = 1 / np.sqrt(np.mean(centred * centred, axis=-1, keepdims=True) + EPS)
    normal = centred * rstd
    gw = g * weight
    inner = gw.mean(axis=-1, keepdims=True) + normal * (gw * normal).mean(axis=-1, keepdims=True)
    return {
        "out": normal * weight + bias,
        "dx": rstd * (gw - inner),
        "dweight": (g * normal).sum(axis=0),
        "dbias": g.sum(axis=0),
    }


def standardise(given: Named) -> Results:
    """The same without scale and shift."""
    width = given["x"].shape[-1]
    whole = layer_norm({**given, "weight": np.ones(width), "bias": np.zeros(width)})
    return {name: whole[name] for name in ("out", "dx")}


def adam(given: Named) -> Results:
    """The parameters p.0, p.1 and so on, and their two means, after one more step."""
    found: Results = {}
    beta1, beta2, step = ADAM["beta1"], ADAM["beta2"], ADAM["step"]
    for i in range(sum(name.startswith("p.") for name in given)):
        names = [f"{name}.{i}" for name in ("p", "g", "mean", "square")]
        p, g, mean, square = double(given, *names)
        mean = beta1 * mean + (1 - beta1) * g
        square = beta2 * square + (1 - beta2) * g * g
        root = np.sqrt(square / (1 - beta2**step)) + ADAM["eps"]
        p = p - ADAM["lr"] / (1 - beta1**step) * mean / root
        found.update(zip((names[0], names[2], names[3]), (p, mean, square), strict=True))
    return found
