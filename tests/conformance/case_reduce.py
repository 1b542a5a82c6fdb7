"""Cases of reductions, and of what goes along an axis."""

import numpy as np
from case import Case, spread

INF, NAN = np.inf, np.nan


def by_name(function):
    """NumPy's reduction with our order of options: its own has a dtype between them."""
    return lambda x, axis=None, keepdims=False: function(x, axis=axis, keepdims=keepdims)


def mean(x, axis=None, keepdims=False):
    """NumPy warns of a mean of nothing."""
    count = x.size / max(np.sum(x, axis=axis).size, 1)
    return np.sum(x, axis=axis, keepdims=keepdims) / count


NAMES = ("sum", "prod", "max", "min", "any", "all")
REDUCTIONS = {name: by_name(getattr(np, name)) for name in NAMES} | {"mean": mean}
CHOOSING = ("max", "min", "argmax", "argmin")  # of no elements they are errors
ROWS = np.array([
    [1.0, NAN, -2.0, 0.5], [INF, 1.0, -0.0, 2.0], [-INF, 0.0, INF, -1.0], [-INF, -INF, -INF, -INF],
    [INF, INF, 3.0, -5.0], [1e30, 1e30, -1e30, 1e-30], [0.0, 0.0, 0.0, 0.0],
])  # fmt: skip
WHOLE = np.array([[3, -1, 0, 7], [2, 2, 5, -4]])
BOOLS = np.array([[True, False, True], [False, False, False], [True, True, True]])
AXES = [
    {}, {"axis": 0}, {"axis": -1}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True},
    {"axis": None, "keepdims": True}, {"axis": (-1, 0), "keepdims": True},
]  # fmt: skip
EMPTY = [((0,), {}), ((0, 3), {"axis": 0}), ((3, 0), {"axis": 1}), ((2, 0, 3), {"axis": (0, 1)})]


def logsumexp(x, axis=None, keepdims=False):
    top = np.where(np.isfinite(x.max(axis, keepdims=True)), x.max(axis, keepdims=True), 0.0)
    total = np.log(np.exp(x - top).sum(axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def log_softmax(x, axis=-1):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def variance(root):
    def want(x, axis=None, correction=0, keepdims=False):
        out = x.var(axis, ddof=correction, keepdims=keepdims)
        return np.sqrt(out) if root else out

    return want


def cases():
    for name, want in REDUCTIONS.items():
        for options in AXES:
            yield Case(name, (spread(3, 5),), want, options=options)
            yield Case(name, (spread(2, 3, 4),), want, options=options)
        yield Case(name, (spread(3, 5),), want, args=(0, True))
        yield Case(name, (spread(),), want)
        yield Case(name, (spread(3, 5),), want, options={"axis": ()})
        yield Case(name, (ROWS,), want, options={"axis": 1}, smooth=False)
        yield Case(name, (WHOLE,), want, options={"axis": 1})
        for shape, options in EMPTY if name not in CHOOSING else []:
            smooth = name != "mean"  # which is NaN
            yield Case(name, (spread(*shape),), want, options=options, smooth=smooth)
        yield Case(name, (spread(3, 0),), want, options={"axis": 0})
        if name != "mean":
            yield Case(name, (BOOLS,), want, options={"axis": 1})
    for name in ("var", "std"):
        want = variance(name == "std")
        for options in AXES:
            yield Case(name, (spread(3, 5),), want, options=options)
        yield Case(name, (spread(3, 5),), want, args=(0, 1, True))
        yield Case(name, (spread(2, 3, 4),), want, options={"axis": (0, 2), "correction": 1})
        yield Case(name, (ROWS[:5],), want, options={"axis": 1}, smooth=False)
        yield Case(name, (WHOLE,), want, options={"axis": 1})
    yield from places()
    yield from along()


def places():
    """argmax and argmin: the first of equal ones, the first NaN."""
    ties = np.array([[2.0, 7.0, 7.0], [7.0, 1.0, 1.0]])
    for name in ("argmax", "argmin"):
        want = getattr(np, name)
        for x in (spread(3, 5), ties, WHOLE, ROWS):
            for options in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "keepdims": True}):
                yield Case(name, (x,), want, options=options)
        yield Case(name, (spread(),), want)
        yield Case(name, (BOOLS,), want, args=(1,))


def along():
    for options in AXES:
        yield Case("logsumexp", (spread(2, 3, 4),), logsumexp, options=options)
    yield Case("logsumexp", (ROWS,), logsumexp, options={"axis": 1}, smooth=False)
    yield Case("logsumexp", (spread(3, 4) + 800.0,), logsumexp, args=(0,))
    yield Case("logsumexp", (WHOLE,), logsumexp, args=(1,))
    for name, want in (("softmax", softmax), ("log_softmax", log_softmax)):
        for args in ((), (0,), (1,), (-2,)):
            yield Case(name, (spread(2, 3, 4),), want, args=args)
        yield Case(name, (ROWS,), want, smooth=False)
        yield Case(name, (spread(3, 4) - 800.0,), want)
        yield Case(name, (spread(0, 3),), want)
        yield Case(name, (WHOLE,), want)
    for args in ((), (0,), (-1,)):
        yield Case("cumsum", (spread(3, 5),), np.cumsum, args=args)
        yield Case("cumsum", (WHOLE,), np.cumsum, args=args)
    yield Case("cumsum", (spread(3, 0),), np.cumsum, args=(1,))
    yield Case("cumsum", (ROWS[:5],), np.cumsum, args=(1,), smooth=False)
    yield Case("cumsum", (BOOLS,), np.cumsum, args=(1,))
