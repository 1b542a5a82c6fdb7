"""The milestone of chapter 03: the gradient check over every op of the engine.

The ops are found in the engine, so that none is forgotten. What is not called with one or two
arrays alone has its call in `calls`.
"""

import inspect
from typing import Any

from minigrad.course.expect import open_exercise
from minigrad.dtypes import float64
from minigrad.gradcheck import GradientError, gradcheck
from minigrad.random import Generator
from minigrad.reference import engine
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.op import Op
from minigrad.reference.ops.shape import joined, stacked

WRONG = "wrong"
POSITIVE = ("log", "log1p", "pow", "rsqrt", "sqrt")  # NaN below 0
WITHOUT = "all any argmax argmin equal greater greater_equal isfinite isinf isnan less less_equal "
WITHOUT += "logical_and logical_not logical_or logical_xor not_equal one_hot"


def ops() -> dict[str, Op]:
    """Every op of the engine that has a gradient, by name; cat and stack are ops on a list."""
    found = {name: each for name, each in vars(engine).items() if isinstance(each, Op)}
    found |= {"cat": joined, "stack": stacked}
    return {name: found[name] for name in sorted(found) if name not in WITHOUT.split()}


def errors(seed: int = 0) -> dict[str, float | str]:
    """For every op the largest error of its gradient on random arrays, as gradcheck measures it.

    Instead of an error stands "open 3.5" where an exercise is in the way, and "wrong" where the
    gradient is.
    """
    draw = Generator(seed)
    return {name: error(each, *call(name, each, draw)) for name, each in ops().items()}


def error(op: Op, inputs: tuple[Any, ...], options: dict[str, Any]) -> float | str:
    """The largest error of one op's gradient, or the word for why there is none."""
    try:
        return gradcheck(op, *inputs, options=options).error
    except GradientError:
        return WRONG
    except NotImplementedError as reason:
        name = open_exercise(reason)
        if name is None:
            raise
        return f"open {name}"


def call(name: str, op: Op, draw: Generator) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Inputs and options to try an op with: float64, and y is broadcast."""
    x, y = draw.normal((3, 4), dtype=float64), draw.normal((1, 4), dtype=float64)
    if name in POSITIVE:
        x = draw.uniform((3, 4), 0.5, 2.0, dtype=float64)
    special = calls(x, y, draw).get(name)
    if special is not None:
        return special
    needed = [p for p in inspect.signature(op).parameters.values() if p.default is p.empty]
    return (x, y)[: len(needed)], {}


def calls(x: Array, y: Array, draw: Generator) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """The calls of ops that take more than arrays of these shapes, or should show more."""
    indices = asarray([[0, 2, 2], [3, 3, 3], [1, 0, 1]])
    mask = draw.bernoulli(0.5, (3, 4))
    targets, shares = asarray([1, 3, 0]), draw.uniform((3, 4), dtype=float64)
    return {
        "astype": ((x,), {"dtype": float64}),
        "binary_cross_entropy_with_logits": ((x, shares), {}),
        "cat": ((x, y), {"axis": 0}),
        "clip": ((x,), {"low": -0.5, "high": 0.5}),
        "cross_entropy": ((x, targets), {"label_smoothing": 0.1}),
        "expand": ((y,), {"shape": (3, 4)}),
        "gather": ((x, indices), {}),
        "getitem": ((x,), {"index": (slice(None, None, -2), [0, 0, 3])}),
        "masked_fill": ((x, mask), {"value": 2.0}),
        "matmul": ((x, draw.normal((2, 4, 5), dtype=float64)), {}),
        "max": ((x,), {"axis": 1}),
        "mean": ((x,), {"axis": 0}),
        "min": ((x,), {"axis": 0}),
        "pad": ((x,), {"width": ((1, 0), (0, 2))}),
        "permute_dims": ((x,), {"axes": (1, 0)}),
        "prod": ((x,), {"axis": 1}),
        "reshape": ((x,), {"shape": (2, 6)}),
        "roll": ((x,), {"shift": 1, "axis": 1}),
        "scatter_add": ((x, indices, draw.normal((3, 3), dtype=float64)), {}),
        "squeeze": ((y,), {"axis": 0}),
        "stack": ((x, draw.normal((3, 4), dtype=float64)), {"axis": 1}),
        "std": ((x,), {"axis": 1}),
        "sum": ((x,), {"axis": 1}),
        "sum_to": ((x,), {"shape": (3, 1)}),
        "take": ((x, asarray([2, 0, 2])), {}),
        "tile": ((x,), {"reps": (2, 1)}),
        "unsqueeze": ((x,), {"axis": 1}),
        "var": ((x,), {"axis": 0, "correction": 1}),
        "where": ((mask, x, y), {}),
        "written": ((x, 1, y), {}),
    }
