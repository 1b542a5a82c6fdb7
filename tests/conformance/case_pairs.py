"""Cases of two and more tensors, element by element, and of products and losses."""

import numpy as np
from case import Case, spread
from case_unary import SPECIAL

import minigrad as mg

PAIRS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide,
    "pow": np.power, "maximum": np.maximum, "minimum": np.minimum,
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
SHAPES = [
    ((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 1), (1, 5)), ((), (2, 3)), ((2, 1, 3), (4, 1)), ((), ()),
    ((0, 3), (1, 3)), ((1, 3), (0, 1)),
]  # fmt: skip
OPERATORS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "pow": lambda x, y: x**y, "matmul": lambda x, y: x @ y,
    "equal": lambda x, y: x == y, "not_equal": lambda x, y: x != y, "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y, "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y,
}  # fmt: skip
BOOLS = np.array([[True], [False]]), np.array([True, False])
PRODUCTS = [
    ((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
    ((2, 1, 3, 4), (7, 4, 5)), ((3, 4), (2, 4, 1)), ((3, 0), (0, 5)), ((0, 4), (4, 5)),
    ((2, 3, 4), (4,)), ((4,), (2, 4, 3)), ((1, 1), (1, 1)),
]  # fmt: skip


def cases():
    for name, want in PAIRS.items():
        for left, right in SHAPES:
            x = spread(*left, low=0.3) if name == "pow" else spread(*left)
            yield Case(name, (x, spread(*right, low=-2.3, seed=1)), want)
        yield Case(name, (SPECIAL[:, None], SPECIAL), want, smooth=False)
    for name in ("logical_and", "logical_or", "logical_xor", "add", "mul", "maximum", "equal"):
        yield Case(name, BOOLS, PAIRS[name])
    whole = np.array([[3, -1, 0]]), np.array([[2], [0], [5]])
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "less"):
        yield Case(name, whole, PAIRS[name])
    yield from beside_numbers()
    yield from chosen()
    yield from products()


def beside_numbers():
    """A tensor beside a Python number, a list and an ndarray, on either side."""
    x, row = spread(3, 5, low=0.2), [1.5, -2.0, 0.5, 3.0, 1.0]
    for name, both in OPERATORS.items():
        if name == "matmul":
            continue
        want = PAIRS[name]
        yield Case(name, (x,), lambda x, f=want: f(x, 2.5), call=lambda x, f=both: f(x, 2.5))
        yield Case(name, (x,), lambda x, f=want: f(2.5, x), call=lambda x, f=both: f(2.5, x))
        yield Case(name, (x,), lambda x, f=want: f(x, row), call=lambda x, f=both: f(x, row))
        signs = {"smooth": name != "pow"}  # of numbers below 0 there are no fractional powers
        yield Case(
            name, (x,), lambda x, f=want: f(row, x), call=lambda x, f=both: f(row, x), **signs
        )
        function = getattr(mg, name)
        yield Case(name, (x,), lambda x, f=want: f(2, x), call=lambda x, f=function: f(2, x))
    yield Case("matmul", (x,), lambda x: x @ row, call=lambda x: x @ np.array(row, np.float32))
    yield Case("matmul", (x.T,), lambda x: row @ x, call=lambda x: np.array(row, np.float32) @ x)


def chosen():
    mask, x, y = np.array([[True], [False], [True]]), spread(3, 4), spread(4, seed=1)
    yield Case("where", (mask, x, y), np.where)
    yield Case("where", (mask, x), np.where, args=(2.5,))
    yield Case("where", (mask[:0], x[:0], y), np.where)
    yield Case("where", (mask, np.array([1, 2]), np.array([[3], [4], [5]])), np.where)
    infinite = np.array([np.nan, np.inf, 1.0])
    yield Case("where", (np.array([False, False, True]), infinite, spread(3)), np.where)


def products():
    for left, right in PRODUCTS:
        yield Case("matmul", (spread(*left), spread(*right, seed=1)), np.matmul, slack=32)
    yield Case("matmul", (np.arange(6).reshape(2, 3), np.arange(3)), np.matmul)
    x, y = spread(3, 4), spread(4, seed=1)
    for reduction in ("mean", "sum", "none"):
        options = {"reduction": reduction}
        yield Case("mse", (x, y), mse, options=options)
        target = np.array([1, 3, 0])
        yield Case("cross_entropy", (x, target), cross_entropy, options=options)
        smooth = options | {"label_smoothing": 0.3, "ignore_index": 3}
        yield Case("cross_entropy", (x, target), cross_entropy, options=smooth)
        shares = spread(3, 4, low=0.1, high=0.9, seed=2)
        yield Case(f"{BINARY}", (x, shares), binary, options=options)
        weighted = options | {"pos_weight": 2.5}
        yield Case(f"{BINARY}", (x, shares), binary, options=weighted)
    yield Case("cross_entropy", (spread(2, 3, 5), np.array([[0, 4, 2], [1, 1, 3]])), cross_entropy)
    far = np.array([[1000.0, -1000.0, 0.0], [0.0, 500.0, 499.0]])
    yield Case("cross_entropy", (far, np.array([1, 2])), cross_entropy, smooth=False)
    yield Case("cross_entropy", (x, np.array([-100, -100, -100])), cross_entropy, smooth=False)
    yield Case(BINARY, (np.array([1000.0, -1000.0]), np.array([0.0, 1.0])), binary, smooth=False)
    yield Case("mse", (x,), lambda x: mse(x, 0.5), call=lambda x: mg.mse(x, 0.5))


BINARY = "binary_cross_entropy_with_logits"


def reduced(rows, reduction, count=None):
    if reduction == "none":
        return rows
    return (
        rows.sum() if reduction == "sum" else rows.sum() / (rows.size if count is None else count)
    )


def mse(x, y, reduction="mean"):
    return reduced((x - y) ** 2, reduction)


def cross_entropy(x, target, label_smoothing=0.0, ignore_index=-100, reduction="mean"):
    top = x.max(-1, keepdims=True)
    logp = x - top - np.log(np.exp(x - top).sum(-1, keepdims=True))
    kept = target != ignore_index
    right = np.take_along_axis(logp, np.where(kept, target, 0)[..., None], -1)[..., 0]
    rows = -(1 - label_smoothing) * right - label_smoothing * logp.mean(-1)
    return reduced(np.where(kept, rows, 0.0), reduction, kept.sum())


def binary(x, t, pos_weight=1.0, reduction="mean"):
    rows = pos_weight * t * np.logaddexp(0, -x) + (1 - t) * np.logaddexp(0, x)
    return reduced(rows, reduction)
