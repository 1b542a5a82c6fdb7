"""What a gradient check stands on: central differences, weights for a result, odd layouts.

How well can a difference and a gradient agree? The difference has two errors that pull its step h
in opposite ways:

    truncation   h ** 2 / 6 times the third derivative     grows with h
    rounding     EPS times the result, over h              grows as h shrinks

Their sum is smallest near h = cbrt(EPS), 6e-6 in float64, where they are about 6e-12 and 4e-11 of a
function whose derivatives are of its own size. TOLERANCE, 1e-8, leaves two digits for steeper
functions and longer sums; a rule that lost as much as a float32 loses (6e-8) is found out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.expect import EPS

STEP = float(np.cbrt(EPS))
TOLERANCE = 1e-8

Numbers = np.ndarray[Any, np.dtype[Any]]


def difference(
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


def cotangent(shape: tuple[int, ...], seed: int) -> Numbers:
    """Random weights, none of them near 0: an element of the result must not go unseen."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape))


def odd(x: Any) -> Any:
    """The same numbers in another layout: gaps between them and every stride negative."""
    if not isinstance(x, np.ndarray):
        return x
    wide = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    backwards: tuple[Any, ...] = (slice(None, None, -2),) * x.ndim
    view = wide[(*backwards, ...)]
    view[...] = x
    return view
