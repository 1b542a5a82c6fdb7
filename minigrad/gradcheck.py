"""Is a gradient right? Ask the op itself, by moving each number of its inputs a little.

    gradcheck(mul, x, y)
    gradcheck(sum, x, options={"axis": 0})

The result `out` of an op is weighed with a random cotangent g, so that it becomes one number,
L = (g * out).sum(). The op's vjp says how L changes with every element of every input. The central
difference (L(x + h) - L(x - h)) / 2h says the same without knowing any rule: both must agree.

How well can they agree? The difference has two errors that pull h in opposite ways:

    truncation   h ** 2 / 6 times the third derivative     grows with h
    rounding     EPS times the result, over h              grows as h shrinks

Their sum is smallest near h = cbrt(EPS), 6e-6 in float64, where they are about 6e-12 and 4e-11 of a
function whose derivatives are of its own size. TOLERANCE, 1e-8, leaves two digits for steeper
functions and longer sums; a rule that lost as much as a float32 loses (6e-8) is found out.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from minigrad.course import expect
from minigrad.course.expect import EPS, Mismatch
from minigrad.dtypes import float64
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray

STEP = float(np.cbrt(EPS))
TOLERANCE = 1e-8

Numbers = np.ndarray[Any, np.dtype[Any]]


class Differentiable(Protocol):
    """What can be checked: an op, or whatever gives its result together with the pullback."""

    def __call__(self, *inputs: Any, **options: Any) -> Any: ...

    def with_vjp(self, *inputs: Any, **options: Any) -> tuple[Any, Any]: ...


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
    op: Differentiable,
    *inputs: Any,
    options: Mapping[str, Any] | None = None,
    wrt: Sequence[int | str] | None = None,
    eps: float = STEP,
    tol: float = TOLERANCE,
    seed: int = 0,
) -> Report:
    """Compare the vjp of `op` at `inputs` with central differences, element by element.

    inputs: float64 Arrays of any shape and layout, and whatever else the op takes (integer arrays,
    numbers), which has no gradient and is handed on. `options` are the op's keyword arguments;
    `wrt` picks the inputs to check, by position or name (default: all that have a gradient). The
    step at an element x is eps * max(1, |x|); an error is relative to the largest of 1, the
    derivative, and the results that the element moves. Choose points where the op is smooth: at a
    kink or a tie no difference can tell what the rule has to say.

    Raises GradientError if a gradient's shape, dtype or any element is wrong, if another layout of
    the inputs changes it, or if the op writes to its inputs; TypeError if a gradient is asked of
    what has none, or an input is float32 (half of its digits would be gone); ValueError where the
    op itself is NaN or infinite.
    """
    given = dict(options or {})
    name = str(getattr(op, "__name__", op))
    names = _names(op, len(inputs))
    chosen = _chosen(name, names, inputs, wrt)
    shown = {n: _numpy(x) for n, x in zip(names, inputs, strict=False)} | given
    before = [np.array(_numpy(x)) for x in inputs]

    out, pull = op.with_vjp(*inputs, **given)
    if not isinstance(out, Array) or out.dtype != float64:
        kind = str(out.dtype) if isinstance(out, Array) else type(out).__name__
        raise TypeError(f"gradcheck: {name} gives {kind}; only a float64 result can be checked.")
    if not np.isfinite(out.numpy()).all():
        raise ValueError(f"gradcheck: {name} is NaN or infinite here; choose other inputs.")
    g = _cotangent(out.shape, seed)
    found = pull(g)
    odd_found = op.with_vjp(*map(_odd, inputs), **given)[1](_odd(g))
    for n, x, kept in zip(names, inputs, before, strict=False):
        if not np.array_equal(_numpy(x), kept, equal_nan=kept.dtype.kind == "f"):
            raise GradientError(f"{n} after {name}", got="changed", expected="as it was")

    checked = []
    for i in chosen:
        f = _along(op, inputs, i, given)
        wanted, scale = _difference(f, _numpy(inputs[i]), g.numpy(), eps)
        close = functools.partial(_close, expected=wanted, scale=scale, tol=tol, inputs=shown)
        error = close(found[i], what=f"the gradient of {names[i]}")
        close(odd_found[i], what=f"the gradient of {names[i]}, the inputs having negative strides")
        checked.append(Checked(names[i], inputs[i].shape, error))
    return Report(name, tuple(checked))


def _difference(
    f: Callable[[Numbers], Numbers], x: Numbers, g: Numbers, eps: float
) -> tuple[Numbers, Numbers]:
    """The central difference of (g * f(x)).sum() along every element of x, and the size against
    which its error counts.
    """
    slopes, scale = np.zeros(x.shape), np.ones(x.shape)
    for place in np.ndindex(x.shape):
        h = eps * max(1.0, abs(float(x[place])))
        above, below = np.array(x), np.array(x)
        above[place] += h
        below[place] -= h
        up, down = f(above), f(below)
        # Divided by the step that was taken: x + h is rounded, too.
        slopes[place] = ((up - down) * g).sum() / (above[place] - below[place])
        moved = np.abs((up * g)[up != down])
        scale[place] = max(1.0, float(np.max(moved, initial=0.0)))
    return slopes, scale


def _along(
    op: Differentiable, inputs: tuple[Any, ...], i: int, options: Mapping[str, Any]
) -> Callable[[Numbers], Numbers]:
    """The op as a function of input i alone, on NumPy's arrays."""

    def f(x: Numbers) -> Numbers:
        return np.array(op(*inputs[:i], asarray(x), *inputs[i + 1 :], **options).numpy())

    return f


def _close(
    got: Any,
    *,
    what: str,
    expected: Numbers,
    scale: Numbers,
    tol: float,
    inputs: Mapping[str, Any],
) -> float:
    """Compare one gradient; gives its largest error. None stands for a gradient of zeros."""
    numbers = np.zeros(expected.shape) if got is None else _numpy(got)
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


def _names(op: Differentiable, count: int) -> list[str]:
    """What the op calls its inputs; those of a `*arrays` are numbered."""
    names: list[str] = []
    for p in inspect.signature(op).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}[{k}]" for k in range(count - len(names))]
        elif p.kind is not p.VAR_KEYWORD:
            names.append(p.name)
    return names


def _chosen(
    op: str, names: list[str], inputs: tuple[Any, ...], wrt: Sequence[int | str] | None
) -> list[int]:
    """The positions of the inputs to check."""
    if wrt is None:
        floats = [isinstance(x, Array) and x.dtype.kind == "float" for x in inputs]
        asked = [i for i, is_float in enumerate(floats) if is_float]
    else:
        asked = [names.index(w) if isinstance(w, str) else w for w in wrt]
    for i in asked:
        x = inputs[i]
        kind = str(x.dtype) if isinstance(x, Array) else type(x).__name__
        if not isinstance(x, Array) or x.dtype.kind != "float":
            raise TypeError(
                f"gradcheck: {op}: the gradient of {names[i]} is asked for, but {names[i]} is "
                f"{kind}; only arrays of floating-point numbers have one."
            )
        if x.dtype != float64:
            raise TypeError(
                f"gradcheck: {op}: {names[i]} is {kind}, but the difference of two nearly equal "
                f"numbers needs float64: {names[i]}.astype(float64)."
            )
    if not asked:
        raise TypeError(f"gradcheck: {op}: no input is an array of floating-point numbers.")
    return asked


def _cotangent(shape: tuple[int, ...], seed: int) -> Array:
    """Random weights, none of them near 0: an element of the result must not go unseen."""
    rng = np.random.default_rng(seed)
    return asarray(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape))


def _odd(x: Any) -> Any:
    """The same numbers in another layout: gaps between them and every stride negative."""
    if not isinstance(x, Array):
        return x
    values = x.numpy()
    wide = np.zeros(tuple(2 * n for n in values.shape), values.dtype)
    backwards: tuple[Any, ...] = (slice(None, None, -2),) * values.ndim
    view = wide[(*backwards, ...)]
    view[...] = values
    return asarray(view)


def _numpy(x: Any) -> Any:
    """An Array as NumPy sees it; anything else as it is."""
    return x.numpy() if isinstance(x, Array) else x
