"""Is a gradient right? Ask the function itself, by moving each number of its inputs a little.

    gradcheck(mul, x, y)                      an op on Arrays, by its own rule
    gradcheck(lambda x: (x * x).sum(), x)     any function of tensors, by the tape
    gradgradcheck(mul, x, y)                  the second derivatives, by the tape

The result `out` is weighed with a random cotangent g, so that it becomes one number,
L = (g * out).sum(). The op's vjp says how L changes with every element of every input. The central
difference (L(x + h) - L(x - h)) / 2h says the same without knowing any rule: both must agree, as
far as two such numbers can (differences.py).
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minigrad.course import expect
from minigrad.course.expect import Mismatch
from minigrad.differences import STEP, TOLERANCE, Numbers, cotangent, difference, odd
from minigrad.pullbacks import Pullback, Rule, Taped, floats, is_tensor, numbers_of


class GradientError(Mismatch):
    """A gradient that is wrong: which input, the first wrong element, got and expected."""


@dataclass(frozen=True)
class Checked:
    """One input's part of a report: how far its gradient lies from the central difference."""

    name: str
    shape: tuple[int, ...]
    error: float


@dataclass(frozen=True)
class Report:
    """What was checked: the op, and each input that has a gradient."""

    op: str
    inputs: tuple[Checked, ...]

    @property
    def elements(self) -> int:
        """How many derivatives were compared."""
        return sum(int(np.prod(i.shape)) for i in self.inputs)

    @property
    def error(self) -> float:
        """The largest error of all of them, as `gradcheck` measures it."""
        return max((i.error for i in self.inputs), default=0.0)

    def __str__(self) -> str:
        names = ", ".join(f"{i.name} {i.shape}" for i in self.inputs)
        return f"{self.op}: {names}: {self.elements} derivatives, largest error {self.error:.1e}"


def gradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    options: Mapping[str, Any] | None = None,
    wrt: Sequence[int | str] | None = None,
    eps: float = STEP,
    tol: float = TOLERANCE,
    seed: int = 0,
) -> Report:
    """Compare the gradients of `f` at `inputs` with central differences, element by element.

    f: an op on Arrays, whose vjp is asked; or a function of tensors, with one result or several,
    for which the tape is asked. inputs: float64, of any shape and layout, and whatever else f takes
    (integer arrays, numbers), which has no gradient and is handed on. `options` are the keyword
    arguments of f; `wrt` picks the inputs to check, by position or name (default: the tensors that
    require a gradient; where none does, all arrays of floats). The step at an element x is
    eps * max(1, |x|); an error is relative to the largest of 1, the derivative, and the results
    that the element moves. Choose points where f is smooth: at a kink or a tie no difference can
    tell what the rule has to say.

    Raises GradientError if a gradient's shape, dtype or any element is wrong, if another layout of
    the inputs changes it, or if f writes to its inputs; TypeError if a gradient is asked of what
    has none, or an input or a result is float32 (half of its digits would be gone); ValueError
    where f itself is NaN or infinite, or gives something else at the second call.
    """
    given, point = dict(options or {}), pointed("gradcheck", f, inputs, wrt)
    by_rule = hasattr(f, "with_vjp") and not any(map(is_tensor, inputs))
    pullback = (Rule if by_rule else Taped)(f, given, point.chosen)
    return compared(point, pullback, given, eps, tol, seed)


def gradgradcheck(
    f: Callable[..., Any],
    *inputs: Any,
    options: Mapping[str, Any] | None = None,
    wrt: Sequence[int | str] | None = None,
    eps: float = STEP,
    tol: float = TOLERANCE,
    seed: int = 0,
) -> Report:
    """Compare the second derivatives of `f` with central differences of the first ones.

    The gradients of f by the tape are a function, too: of the inputs, and of the gradient g of the
    result. It is checked along both. Arguments and errors are those of gradcheck, which alone can
    tell whether the first derivatives are right; an op is given tensors here.
    """
    given, point = dict(options or {}), pointed("gradgradcheck", f, inputs, wrt)
    first = Taped(f, given, point.chosen)
    gs = [cotangent(out.shape, seed + 1 + k) for k, out in enumerate(results(point, first))]
    names = ["g"] if len(gs) == 1 else [f"g[{k}]" for k in range(len(gs))]
    second = Point(
        "gradgradcheck",
        f"gradient of {point.name}",
        [*point.names[: len(inputs)], *names],
        [*point.inputs, *gs],
        [*point.chosen, *range(len(inputs), len(inputs) + len(gs))],
        "the second derivative along {}",
    )
    pullback = Taped(first.gradients(len(gs)), {}, second.chosen)
    return compared(second, pullback, given, eps, tol, seed)


@dataclass(frozen=True)
class Point:
    """Where a function is checked: by which check, its name, what its inputs are called, what they
    are, and which of them are asked for.
    """

    check: str
    name: str
    names: list[str]
    inputs: list[Any]
    chosen: list[int]
    what: str = "the gradient of {}"


def compared(
    point: Point,
    pullback: Pullback,
    options: Mapping[str, Any],
    eps: float,
    tol: float,
    seed: int,
) -> Report:
    """The gradients at a point against central differences."""
    shown = dict(zip(point.names, point.inputs, strict=False)) | dict(options)
    before = copies(point)
    gs = [cotangent(out.shape, seed + k) for k, out in enumerate(results(point, pullback))]
    found = pullback.pull(point.inputs)[1](gs)
    others = pullback.pull([odd(x) for x in point.inputs])[1]([odd(g) for g in gs])
    check_unchanged(point, before)

    checked, weights = [], row(gs)
    for i, got, other in zip(point.chosen, found, others, strict=True):
        x = point.inputs[i]

        def f(moved: Numbers, i: int = i) -> Numbers:
            return row(floats(pullback.call([*point.inputs[:i], moved, *point.inputs[i + 1 :]])))

        wanted = difference(f, x, weights, eps)
        what = point.what.format(point.names[i])
        error = close(got, wanted, what, tol, shown)
        close(other, wanted, f"{what}, the inputs having negative strides", tol, shown)
        checked.append(Checked(point.names[i], x.shape, error))
    return Report(point.name, tuple(checked))


def row(arrays: Sequence[Any]) -> Numbers:
    """All numbers of several arrays, one behind the other."""
    return np.concatenate([np.asarray(x).reshape(-1) for x in arrays])


def results(point: Point, pullback: Pullback) -> list[Any]:
    """What the function gives: those of its results that can be checked."""
    at, before = f"{point.check}: {point.name}", copies(point)
    outs, again = floats(pullback.call(point.inputs)), floats(pullback.call(point.inputs))
    check_unchanged(point, before)
    for out in outs:
        if str(getattr(out, "dtype", None)) != "float64":
            kind = getattr(out, "dtype", type(out).__name__)
            raise TypeError(f"{at} gives {kind}; only a float64 result can be checked.")
    if not np.isfinite(row(outs)).all():
        raise ValueError(f"{at} is NaN or infinite here; choose other inputs.")
    if not np.array_equal(row(outs), row(again)):
        raise ValueError(
            f"{at} gives something else at the second call. Where it draws "
            "random numbers, let it make its generator anew from a seed."
        )
    return outs


def copies(point: Point) -> list[Any]:
    """The numbers of the inputs as they are now."""
    return [np.array(x) if isinstance(x, np.ndarray) else None for x in point.inputs]


def check_unchanged(point: Point, before: list[Any]) -> None:
    """Raise GradientError if an input holds other numbers than before."""
    for n, x, kept in zip(point.names, point.inputs, before, strict=False):
        if kept is not None and not np.array_equal(x, kept, equal_nan=kept.dtype.kind == "f"):
            raise GradientError(f"{n} after {point.name}", got="changed", expected="as it was")


def close(
    got: Any,
    wanted: tuple[Numbers, Numbers],
    what: str,
    tol: float,
    inputs: Mapping[str, Any],
) -> float:
    """Compare one gradient with a difference and its scale; gives its largest error. None stands
    for a gradient of zeros.
    """
    expected, scale = wanted
    numbers = np.zeros(expected.shape) if got is None else numbers_of(got)
    if not isinstance(numbers, np.ndarray) or numbers.dtype != np.float64:
        kind = getattr(numbers, "dtype", type(numbers).__name__)
        raise GradientError(what, got=str(kind), expected="float64", inputs=inputs)
    try:
        expect.close(numbers, expected, what=what, tol=tol, scale=scale, inputs=inputs)
    except Mismatch as wrong:
        parts = {"got": wrong.got, "expected": wrong.expected, "detail": wrong.detail}
        raise GradientError(what, inputs=inputs, **parts) from None
    error = np.abs(numbers - expected) / np.maximum(np.abs(expected), scale)
    return float(np.max(error, initial=0.0))


def pointed(
    check: str, f: Callable[..., Any], inputs: Sequence[Any], wrt: Sequence[int | str] | None
) -> Point:
    """f at its inputs, and which of them are asked for: those of `wrt`, or all that can be."""
    name, names = str(getattr(f, "__name__", type(f).__name__)), named(f, len(inputs))
    if wrt is None:
        asked = [i for i, x in enumerate(inputs) if is_tensor(x) and x.requires_grad]
        asked = asked or [i for i, x in enumerate(inputs) if kind_of(x) == "float"]
    else:
        asked = [names.index(w) if isinstance(w, str) else w for w in wrt]
    for i in asked:
        x, dtype = inputs[i], str(getattr(inputs[i], "dtype", type(inputs[i]).__name__))
        if kind_of(x) != "float":
            raise TypeError(
                f"{check}: {name}: the gradient of {names[i]} is asked for, but {names[i]} is "
                f"{dtype}; only arrays of floating-point numbers have one."
            )
        if dtype != "float64":
            raise TypeError(
                f"{check}: {name}: {names[i]} is {dtype}, but the difference of two nearly equal "
                f"numbers needs float64: {names[i]}.astype(float64)."
            )
    if not asked:
        raise TypeError(f"{check}: {name}: no input is an array of floating-point numbers.")
    return Point(check, name, names, [numbers_of(x) for x in inputs], asked)


def kind_of(x: object) -> str:
    """What kind of numbers an Array or a tensor holds; "" for anything else."""
    return str(getattr(getattr(x, "dtype", None), "kind", ""))


def named(f: Callable[..., Any], count: int) -> list[str]:
    """What f calls its inputs; those of a `*arrays` are numbered."""
    names: list[str] = []
    for p in inspect.signature(f).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}[{k}]" for k in range(count - len(names))]
        elif p.kind is not p.VAR_KEYWORD:
            names.append(p.name)
    return names
