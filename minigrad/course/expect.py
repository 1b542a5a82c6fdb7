"""Comparisons for the chapters' tests: a failure says what was given, what came out and what was
expected.

The runner adds the exercise, the misconception and the next command; see feedback.py.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

EPS = float(np.finfo(np.float64).eps)
DEFAULT_TOLERANCE = 8 * EPS


class Mismatch(AssertionError):
    """A comparison that failed, with its parts kept apart so that a report can be made of them.

    `got` is text: two implementations that make the same mistake on the same test have the same
    `got`.
    """

    def __init__(
        self,
        what: str,
        *,
        got: str,
        expected: str,
        inputs: Mapping[str, Any] | None = None,
        detail: str = "",
    ) -> None:
        self.what, self.got, self.expected, self.detail = what, got, expected, detail
        self.inputs = {name: describe(value) for name, value in (inputs or {}).items()}
        super().__init__(self._text())

    def _text(self) -> str:
        given = ", ".join(f"{name} = {value}" for name, value in self.inputs.items())
        parts = [f"{self.what}: got {self.got}, expected {self.expected}"]
        parts += [self.detail] if self.detail else []
        parts += [f"inputs: {given}"] if given else []
        return "; ".join(parts)


def describe(value: object) -> str:
    """A value as a report shows it: numbers with all their digits, arrays by shape and dtype."""
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"{value.shape} {value.dtype}"
    if isinstance(value, float):
        return f"{value:.17g}" if value != round(value, 6) else f"{value:g}"
    text = value.strip() if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else text[:197] + "..."


def close(
    got: Any,
    expected: Any,
    *,
    what: str,
    inputs: Mapping[str, Any] | None = None,
    tol: float = DEFAULT_TOLERANCE,
    scale: float | np.ndarray[Any, Any] | None = None,
) -> None:
    """`got` equals `expected` to a relative error of `tol`.

    got, expected: numbers or arrays of one shape. The error of each element is |got - expected| /
    max(|expected|, scale); `scale` (default: the smallest normal float64) is the size, one or one
    for each element, below which the error counts as absolute: give the largest intermediate value
    where cancellation is part of the formula. NaN agrees with NaN alone, an infinity with the same
    infinity alone; anything that is not a number, or of another shape, is a mismatch.
    """
    if isinstance(got, bool) or not _numeric(got):
        raise Mismatch(
            what,
            got=f"{describe(got)} ({type(got).__name__})",
            expected=describe(expected),
            inputs=inputs,
            detail="this should be a number"
            if np.ndim(expected) == 0
            else "this should be an array of numbers",
        )
    a, b = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    if a.shape != b.shape:
        raise Mismatch(what, got=f"shape {a.shape}", expected=f"shape {b.shape}", inputs=inputs)
    floor = np.finfo(np.float64).tiny if scale is None else scale
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(a - b) / np.maximum(np.abs(b), floor)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        wrong = ~same & ~(error <= tol)
    if not wrong.any():
        return
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    first, want = float(a[index]), float(b[index])
    relative = (
        f"relative error {error[index]:.2g}"
        if math.isfinite(float(error[index]))
        else "no finite error"
    )
    if not index:
        raise Mismatch(
            what, got=describe(first), expected=describe(want), inputs=inputs, detail=relative
        )
    place = ", ".join(map(str, index))
    raise Mismatch(
        what,
        got=describe(first),
        expected=describe(want),
        inputs=inputs,
        detail=f"first at [{place}] ({relative}); {wrong.sum()} of {wrong.size} elements differ",
    )


def _numeric(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "fiub"
    except ValueError:  # ragged lists have no array
        return False


def equal(
    got: object, expected: object, *, what: str, inputs: Mapping[str, Any] | None = None
) -> None:
    """`got == expected`, exactly and of the same type; for whole numbers, text, lists and None."""
    if type(got) is not type(expected) or got != expected:
        kind = "" if type(got) is type(expected) else f" ({type(got).__name__})"
        raise Mismatch(what, got=describe(got) + kind, expected=describe(expected), inputs=inputs)


def that(condition: bool, sentence: str, *, inputs: Mapping[str, Any] | None = None) -> None:
    """`condition` holds; `sentence` says what that means to a learner."""
    if not condition:
        raise Mismatch(sentence, got="no", expected="yes", inputs=inputs)


def raises(
    kind: type[BaseException],
    call: Callable[[], object],
    *,
    what: str,
    match: str = "",
    inputs: Mapping[str, Any] | None = None,
) -> None:
    """`call()` raises `kind` with a message that the pattern `match` is found in."""
    wanted = f"{kind.__name__}" + (f" matching {match!r}" if match else "")
    try:
        value = call()
    except Exception as error:  # a learner's code may raise any class
        if open_exercise(error):
            raise
        _check_raised(error, kind, match, what, wanted, inputs)
    else:
        raise Mismatch(what, got=f"{describe(value)}, no error", expected=wanted, inputs=inputs)


def _check_raised(
    error: Exception,
    kind: type[BaseException],
    match: str,
    what: str,
    wanted: str,
    inputs: Mapping[str, Any] | None,
) -> None:
    if not isinstance(error, kind) or not re.search(match, str(error)):
        got = f"{type(error).__name__}: {error}"
        raise Mismatch(what, got=got, expected=wanted, inputs=inputs) from error


OPEN = re.compile(r"^exercise (\d+\.\d+)$")


def open_exercise(error: BaseException | None) -> str | None:
    """The id of the open exercise that stopped a call, looked for along the chain of causes; else
    None.
    """
    for each in _chain(error):
        match = OPEN.match(str(each)) if isinstance(each, NotImplementedError) else None
        if match:
            return match[1]
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
