"""Cases of shapes and of indices: elements are moved, repeated and chosen, and stay as they are."""

import numpy as np
from case import Case, spread

import minigrad as mg

X = spread(2, 3, 4)
MASK = X[:, :, 0] > 0
# What may stand in x[...] of a tensor (2, 3, 4): a view where the first flag is set.
INDICES = {
    "int": (True, 1), "int below": (True, -2), "ints": (True, (1, -1, 2)),
    "slice": (True, slice(1, None)), "steps": (True, (slice(None), slice(None, None, 2))),
    "backwards": (True, (slice(None, None, -1), slice(2, 0, -1), slice(None, None, -3))),
    "new axis": (True, (None, 0, slice(None), None)), "dots": (True, (..., 2)),
    "dots between": (True, (1, ..., slice(1, 3))), "no axis": (True, ()),
    "empty": (True, (slice(None), slice(3, 3))), "whole": (True, ...),
    "list": (False, [1, 0, 1, 1]), "two lists": (False, ([0, 1, 1], [2, 0, 2])),
    "list and slice": (False, (slice(None), [0, 2, 2], slice(1, None))),
    "lists apart": (False, ([1, 0], slice(None), [3, 3])),
    "an array of places": (False, (0, np.array([[0, -1], [1, 1]]))), "no places": (False, []),
    "mask": (False, MASK), "mask of one axis": (False, (slice(None), [True, False, True])),
    "true": (False, True), "false": (False, False), "mask and int": (False, (MASK, 1)),
}  # fmt: skip
PLACES = np.array([[0, 2, 2], [3, -1, 3], [1, 0, 1]])


def taken(x, places, axis=0):
    return np.take(x, places, axis)


def scattered(x, places, values, axis=-1):
    out, values = np.moveaxis(x.copy(), axis, -1), np.moveaxis(values, axis, -1)
    for at, place in np.ndenumerate(np.moveaxis(places, axis, -1)):
        out[(*at[:-1], place)] += values[at]
    return np.moveaxis(out, -1, axis)


def sum_to(x, shape):
    """Undo a broadcast: over the axes in front, and over those of size 1."""
    x = x.sum(tuple(range(x.ndim - len(shape))))
    axes = tuple(a for a, n in enumerate(shape) if n == 1)
    return x.sum(axes, keepdims=True)


def cases():
    for shape in [(4, 6), (24,), (-1,), (3, -1, 2), (1, 2, 3, 1, 4)]:
        yield Case("reshape", (X,), np.reshape, args=(shape,))
    yield Case("reshape", (X,), lambda x: x.reshape(6, 4), call=lambda x: x.reshape(6, -1))
    yield Case("reshape", (spread(),), np.reshape, args=((1, 1),))
    yield Case("reshape", (spread(0, 3),), np.reshape, args=((3, 0, 2),))
    for axes in [(2, 0, 1), (-1, 0, 1), (0, 1, 2)]:
        yield Case("permute_dims", (X,), np.transpose, args=(axes,))
    yield Case(
        "permute_dims", (X,), lambda x: x.transpose(1, 2, 0), call=lambda x: x.permute_dims(1, 2, 0)
    )
    for x in (X, X[0], spread(0, 3)):
        yield Case("matrix_transpose", (x,), lambda x: np.swapaxes(x, -1, -2))
        yield Case("x.mT", (x,), lambda x: np.swapaxes(x, -1, -2), call=lambda x: x.mT)
    for x in (X, spread(5), spread()):
        yield Case("x.T", (x,), np.transpose, call=lambda x: x.T)
    for shape in [(2, 3, 4), (5, 2, 3, 4), (0, 2, 3, 4)]:
        yield Case("expand", (X,), np.broadcast_to, args=(shape,))
    yield Case("expand", (spread(3, 1),), np.broadcast_to, args=((2, 3, 5),))
    yield Case(
        "expand",
        (spread(1, 4),),
        lambda x: np.broadcast_to(x, (3, 4)),
        call=lambda x: x.expand(3, 4),
    )
    for shape in [(2, 3, 4), (3, 4), (1, 4), (2, 1, 4), (1, 1, 1), (), (1,)]:
        yield Case("sum_to", (X,), sum_to, args=(shape,))
    row = spread(1, 3, 1)
    yield Case("squeeze", (row,), np.squeeze)
    yield Case("squeeze", (row,), np.squeeze, args=(0,))
    yield Case("squeeze", (row,), np.squeeze, options={"axis": (0, -1)})
    for axis in (0, 1, -1, (0, 2), (-1, 0)):
        yield Case("unsqueeze", (X[0],), np.expand_dims, args=(axis,))
    for args in ((), (1,), ((0, -1),)):
        yield Case("flip", (X,), np.flip, args=args)
    yield from copies()
    yield from indices()


def copies():
    for args in [(1,), (-2, 1), ((1, -1), (0, 2)), (5, 0), (30,)]:
        yield Case("roll", (X,), np.roll, args=args)
    yield Case("roll", (spread(0, 3),), np.roll, args=(1, 1))
    for reps in (2, (2, 1), (2, 1, 1, 3), (0, 1)):
        yield Case("tile", (X[0],), np.tile, args=(reps,))
    for width in (1, (2, 0), ((1, 0), (0, 2))):
        yield Case("pad", (X[0],), np.pad, args=(width,))
    yield Case(
        "pad",
        (X[0],),
        lambda x: np.pad(x, 1, constant_values=2.5),
        call=lambda x: mg.pad(x, 1, 2.5),
    )
    x, y = X[0], spread(1, 4, seed=1)
    yield Case(
        "cat", (x, y), lambda x, y: np.concatenate([x, y, x]), call=lambda x, y: mg.cat([x, y, x])
    )
    yield Case(
        "cat", (x, x[:, :0]), lambda *a: np.concatenate(a, 1), call=lambda *a: mg.cat(a, axis=-1)
    )
    for axis in (0, 1, -1):
        yield Case(
            "stack", (x, spread(3, 4, seed=1)),
            lambda *a, axis=axis: np.stack(a, axis), call=lambda *a, axis=axis: mg.stack(a, axis),
        )  # fmt: skip
    mixed = np.array([[1, 2]]), spread(1, 2)
    yield Case("cat", mixed, lambda *a: np.concatenate(a), call=lambda *a: mg.cat(a))
    yield Case("split", (X,), lambda x: [x[:, :2], x[:, 2:]], call=lambda x: mg.split(x, 2, 1))
    yield Case("x.copy", (X,), np.copy, call=lambda x: x.copy())
    yield Case("x.to", (X,), np.copy, call=lambda x: x.to(x.device))
    yield Case("iter(x)", (X,), list, call=list)
    for k in (-1, 0, 2):
        for name in ("tril", "triu"):
            yield Case(name, (X,), getattr(np, name), args=(k,))
            yield Case(name, (spread(4, 3),), getattr(np, name), options={"k": k})


def indices():
    for _, index in INDICES.values():
        yield Case("x[index]", (X,), lambda x, i=index: x[i], call=lambda x, i=index: x[i])
    yield Case(
        "x[index]", (X[0, 0], np.array([[3, 0], [1, 1]])), lambda x, i: x[i], call=lambda x, i: x[i]
    )
    yield Case("x[index]", (X[0], X[0] > 0), lambda x, m: x[m], call=lambda x, m: x[m])
    yield Case("x[index]", (X[0], np.array(2)), lambda x, i: x[i], call=lambda x, i: x[i])
    for x, axis in ((X, 0), (X, 2), (X, -2), (X[0, 0], 0)):
        places = np.array([[1, 0], [-1, 1]])
        yield Case("take", (x, places), taken, args=(axis,))
    yield Case("take", (X, np.array(1)), taken)
    yield Case("gather", (X[0], PLACES), np.take_along_axis, options={"axis": 1})
    yield Case("gather", (X[0].T, PLACES.T), np.take_along_axis, args=(0,))
    yield Case("gather", (X, np.array([[[1], [-1], [0]]])), np.take_along_axis, args=(-1,))
    values = spread(3, 3, seed=3)
    yield Case("scatter_add", (X[0], PLACES, values), scattered)
    yield Case("scatter_add", (X[0].T, PLACES.T, values.T), scattered, args=(0,))
    yield Case("scatter_add", (spread(5), np.array([4, 4, 0]), spread(3, seed=1)), scattered)
    for dtype in ((), ("float64",), ("int64",), ("bool",)):
        yield Case("one_hot", (np.array([[2, 0], [3, 3]]),), one_hot, args=(5, *dtype))


def one_hot(places, classes, dtype="float32"):
    return (places[..., None] == np.arange(classes)).astype(dtype)
