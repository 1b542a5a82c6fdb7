"""NaN and infinities go through every op as they go through NumPy, and nothing is said about it."""

import numpy as np
import pytest

from minigrad.reference import engine as mg
from minigrad.reference.creation import asarray

INF, NAN = np.inf, np.nan
ROWS = np.array(
    [
        [1.0, NAN, -2.0, 0.5],
        [INF, 1.0, -0.0, 2.0],
        [-INF, 0.0, INF, -1.0],
        [NAN, NAN, INF, -INF],
        [-INF, -INF, -INF, -INF],
        [INF, INF, 3.0, -5.0],
        [1e308, 1e308, -1e308, 1e-308],
    ]
)
MASK = np.array([True, False, False, True])
PLACES = np.array([[0, 0, 3, 1]] * len(ROWS))


def spike(x):
    return np.where(np.isnan(x), NAN, np.maximum(x, 0.0))


def shifted(x):
    with np.errstate(all="ignore"):
        return x - x.max(-1, keepdims=True)


def logsumexp(x):
    """By hand, without the shift where it would be inf - inf."""
    top = x.max(-1)
    safe = np.where(np.isfinite(top), top, 0.0)
    return np.log(np.exp(x - safe[:, None]).sum(-1)) + safe


def scattered(x):
    out = x.copy()
    for i, row in enumerate(PLACES):
        np.add.at(out[i], row, x[i])
    return out


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


# name: (arguments after x, the same in NumPy)
CASES = {
    "abs": ({}, np.abs), "ceil": ({}, np.ceil), "cos": ({}, np.cos), "exp": ({}, np.exp),
    "expm1": ({}, np.expm1), "floor": ({}, np.floor), "isfinite": ({}, np.isfinite),
    "isinf": ({}, np.isinf), "isnan": ({}, np.isnan), "log": ({}, np.log), "log1p": ({}, np.log1p),
    "logical_not": ({}, np.logical_not), "neg": ({}, np.negative), "relu": ({}, spike),
    "reciprocal": ({}, np.reciprocal), "round": ({}, np.rint), "sign": ({}, np.sign),
    "sin": ({}, np.sin), "sqrt": ({}, np.sqrt), "square": ({}, np.square), "tanh": ({}, np.tanh),
    "rsqrt": ({}, lambda x: 1.0 / np.sqrt(x)), "sigmoid": ({}, sigmoid),
    "softplus": ({}, lambda x: np.logaddexp(x, 0.0)),
    "argmax": ({"axis": 1}, lambda x: x.argmax(1)), "argmin": ({"axis": 1}, lambda x: x.argmin(1)),
    "any": ({"axis": 1}, lambda x: x.any(1)), "all": ({"axis": 1}, lambda x: x.all(1)),
    "max": ({"axis": 1}, lambda x: x.max(1)), "min": ({"axis": 1}, lambda x: x.min(1)),
    "sum": ({"axis": 1}, lambda x: x.sum(1)), "mean": ({"axis": 1}, lambda x: x.mean(1)),
    "prod": ({"axis": 1}, lambda x: x.prod(1)), "var": ({"axis": 1}, lambda x: x.var(1)),
    "std": ({"axis": 1}, lambda x: x.std(1)), "cumsum": ({"axis": 1}, lambda x: x.cumsum(1)),
    "logsumexp": ({"axis": 1}, logsumexp),
    "softmax": ({}, lambda x: np.exp(shifted(x)) / np.exp(shifted(x)).sum(-1, keepdims=True)),
    "log_softmax": ({}, lambda x: shifted(x) - np.log(np.exp(shifted(x)).sum(-1, keepdims=True))),
    "clip": ({"low": -1.0, "high": 1.0}, lambda x: np.clip(x, -1.0, 1.0)),
    "masked_fill": ({"mask": asarray(MASK), "value": NAN}, lambda x: np.where(MASK, NAN, x)),
    "tril": ({}, np.tril), "triu": ({}, np.triu), "flip": ({"axis": 0}, lambda x: np.flip(x, 0)),
    "roll": ({"shift": 1, "axis": 1}, lambda x: np.roll(x, 1, 1)),
    "tile": ({"reps": 2}, lambda x: np.tile(x, 2)), "reshape": ({"shape": (-1,)}, np.ravel),
    "pad": ({"width": 1, "value": NAN}, lambda x: np.pad(x, 1, constant_values=NAN)),
    "take": ({"indices": [0, 3], "axis": 1}, lambda x: x[:, [0, 3]]),
    "gather": ({"indices": PLACES, "axis": 1}, lambda x: np.take_along_axis(x, PLACES, 1)),
    "scatter_add": ({"indices": PLACES, "values": asarray(ROWS), "axis": 1}, scattered),
    "astype": ({"dtype": "bool"}, lambda x: x.astype(bool)),
}  # fmt: skip
PAIRS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "pow": np.power,
    "maximum": np.maximum, "minimum": np.minimum, "equal": np.equal, "not_equal": np.not_equal,
    "less": np.less, "less_equal": np.less_equal, "greater": np.greater,
    "greater_equal": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CASES)
def test_one_array(name, dtype):
    options, numpy = CASES[name]
    with np.errstate(all="ignore"):
        x = ROWS.astype(dtype)
        if dtype == "float32" and name == "scatter_add":
            options = options | {"values": asarray(x)}
        want = numpy(x)
    got = getattr(mg, name)(asarray(x), **options)
    tol = 8 * np.finfo(dtype).eps
    np.testing.assert_allclose(got.numpy(), want, rtol=tol, atol=tol)


@pytest.mark.parametrize("name", PAIRS)
def test_two_arrays(name):
    values = np.array([*np.unique(ROWS), -0.0, 2.0, 3.0, NAN])
    x, y = values[:, None], values
    with np.errstate(all="ignore"):
        want = PAIRS[name](x, y)
    np.testing.assert_array_equal(getattr(mg, name)(asarray(x), asarray(y)).numpy(), want)


def test_where_takes_the_chosen_side_alone():
    x, y = asarray(np.array([1.0, NAN, INF, 2.0])), asarray(np.array([NAN, 1.0, 5.0, -INF]))
    got, pull = mg.where.with_vjp(asarray(MASK), x, y)
    np.testing.assert_array_equal(got.numpy(), [1.0, 1.0, 5.0, 2.0])
    _, along_x, along_y = pull(asarray(np.ones(4)))
    np.testing.assert_array_equal(along_x.numpy(), [1.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(along_y.numpy(), [0.0, 1.0, 1.0, 0.0])


def test_a_product_of_matrices():
    x = np.array([[1.0, NAN], [INF, 0.0], [2.0, 3.0]])
    y = np.array([[0.0, 1.0], [1.0, -INF]])
    with np.errstate(all="ignore"):
        want = (x[:, :, None] * y).sum(1)
    np.testing.assert_array_equal(mg.matmul(asarray(x), asarray(y)).numpy(), want)


def test_losses():
    x = np.array([[0.0, INF, 1.0], [NAN, 0.0, 1.0], [-INF, 0.0, 0.0], [1000.0, -1000.0, 0.0]])
    got = mg.cross_entropy(asarray(x), [0, 1, 0, 1], reduction="none").tolist()
    np.testing.assert_array_equal(got, [NAN, NAN, INF, 2000.0])
    x = asarray(np.array([NAN, 1000.0, -1000.0]))
    got = mg.binary_cross_entropy_with_logits(x, 1.0, reduction="none").tolist()
    np.testing.assert_array_equal(got, [NAN, 0.0, 1000.0])
    got = mg.mse(asarray(np.array([INF, NAN, 1e200])), 0.0, reduction="none").tolist()
    np.testing.assert_array_equal(got, [INF, NAN, INF])


def test_activations_far_out():
    x = asarray(np.array([INF, 1e4, -1e4, -INF, NAN]))
    for name in ("gelu", "silu"):
        got = getattr(mg, name)(x).tolist()
        np.testing.assert_array_equal(got[:3] + got[4:], [INF, 1e4, 0.0, NAN])
    np.testing.assert_array_equal(mg.erf(x).tolist(), [1.0, 1.0, -1.0, -1.0, NAN])
