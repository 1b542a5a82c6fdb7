"""Cases of one tensor, element by element."""

import math

import numpy as np
from case import Case, spread

INF, NAN = np.inf, np.nan
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 2.5, 1e-9, 40.0, -40.0, 1e30, -1e30, INF, -INF, NAN]
)
MASK = np.array([True, False, False, True, False])


def sigmoid(x):
    return np.exp(-np.logaddexp(0.0, -x))


def normal(x):
    """The probability that a standard normal number is below x."""
    return np.vectorize(lambda v: 0.5 * math.erfc(-v / math.sqrt(2.0)), otypes=[float])(x)


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x * normal(x)


UNARY = {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "exp": np.exp, "expm1": np.expm1,
    "square": np.square, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sigmoid": sigmoid,
    "reciprocal": lambda x: 1.0 / x, "relu": lambda x: np.maximum(x, 0.0),
    "softplus": lambda x: np.logaddexp(0.0, x), "floor": np.floor, "ceil": np.ceil,
    "round": np.rint, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "logical_not": np.logical_not, "erf": np.vectorize(math.erf, otypes=[float]),
}  # fmt: skip
FINITE = {"silu": lambda x: x * sigmoid(x), "gelu": gelu}  # what they make of -inf is 0 times inf
POSITIVE = {"log": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1.0 / np.sqrt(x), "log1p": np.log1p}
# Of whole numbers these make floats.
TO_FLOATS = [
    "exp", "expm1", "sin", "cos", "tanh", "sigmoid", "reciprocal", "softplus", "erf", "silu",
    "gelu", "log", "sqrt", "rsqrt", "log1p",
]  # fmt: skip
SHAPES = [(3, 5), (7,), (2, 1, 3), (), (0,), (2, 0, 3)]


def cases():
    everywhere = UNARY | FINITE | POSITIVE
    for name, want in everywhere.items():
        low = 0.2 if name in POSITIVE else -2.0
        for shape in SHAPES:
            yield Case(name, (spread(*shape, low=low),), want)
        special = SPECIAL if name not in FINITE else SPECIAL[SPECIAL != -INF]
        yield Case(name, (special,), want, smooth=False)
    for name in TO_FLOATS:
        yield Case(name, (np.array([[1, 2, 7]]),), everywhere[name])
    for name in ("neg", "abs", "sign", "square"):
        yield Case(name, (np.array([3, -1, 0, 2**40]),), everywhere[name])
    yield Case("logical_not", (np.array([True, False]),), np.logical_not)
    yield Case("gelu", (spread(3, 5),), gelu, args=("tanh",))
    x = spread(3, 5)
    for low, high in [(-1.0, 1.0), (None, 1.0), (-1.0, None), (None, None), (1.0, -1.0)]:
        yield Case("clip", (x,), clipped, args=(low, high))
    yield Case("clip", (SPECIAL,), clipped, options={"low": -1.5, "high": 2.0}, smooth=False)
    yield Case("masked_fill", (x, MASK), filled, args=(7.5,))
    column = np.array([[True], [False]])
    yield Case("masked_fill", (spread(5), column), filled, args=(NAN,), smooth=False)
    for dtype in ("float64", "float32", "int64", "bool"):
        kind = np.dtype(dtype)
        yield Case("astype", (np.array([2.7, -2.7, 0.0, 40.5]),), cast, args=(dtype,), smooth=False)
        yield Case("astype", (np.array([[2, 0], [-1, 7]]),), lambda x, t: x.astype(t), args=(kind,))


def clipped(x, low=None, high=None):
    low = -INF if low is None else low
    high = INF if high is None else high
    return np.minimum(np.maximum(x, low), high)


def filled(x, mask, value):
    x, mask = np.broadcast_arrays(x, mask)
    return np.where(mask, value, x)


def cast(x, dtype):
    return x.astype(dtype)
