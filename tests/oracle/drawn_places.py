"""Calls of the ops that move numbers, drawn by hypothesis, beside PyTorch's.

CASES: the op's name, and a function from a Draw to (ours, theirs, *tensors).
"""

import torch
import torch.nn.functional as F
from hypothesis import assume
from hypothesis import strategies as st

from minigrad.reference import engine as mg

CASES = {}


def case(name):
    def enter(function):
        assert name not in CASES
        CASES[name] = function
        return function

    return enter


def factors(d, size):
    """A shape of `size` elements."""
    shape = []
    while size > 1 and d.one_of(True, False):
        n = d.one_of(*[k for k in range(1, size + 1) if size % k == 0])
        shape.append(n)
        size //= n
    return (*shape, size)


@case("reshape")
def _(d):
    x = d.tensor(d.shape())
    shape = factors(d, x.numel())
    if x.numel() and d.one_of(True, False):
        shape = (*shape[:-1], -1)
    return lambda x: mg.reshape(x, shape), lambda x: x.reshape(shape), x


@case("permute_dims")
def _(d):
    x = d.tensor(d.shape())
    order = tuple(a - d.one_of(0, x.ndim) for a in d.draw(st.permutations(range(x.ndim))))
    return lambda x: mg.permute_dims(x, order), lambda x: x.permute(order), x


@case("matrix_transpose")
def _(d):
    return mg.matrix_transpose, lambda x: x.mT, d.tensor(d.shape(least=2))


@case("expand")
def _(d):
    shape = d.shape()
    x = d.tensor(d.part_of(shape))
    return lambda x: mg.expand(x, shape), lambda x: x.expand(shape), x


@case("sum_to")
def _(d):
    shape = d.shape()
    part = d.part_of(shape)
    return lambda x: mg.sum_to(x, part), lambda x: x.sum_to_size(part), d.tensor(shape)


@case("squeeze")
def _(d):
    x = d.tensor(tuple(d.one_of(1, n) for n in d.shape()))
    ones = [a for a in range(x.ndim) if x.shape[a] == 1]
    axis = d.one_of(None, *ones, tuple(ones))
    theirs = torch.squeeze if axis is None else lambda x: torch.squeeze(x, axis)
    return lambda x: mg.squeeze(x, axis), theirs, x


@case("unsqueeze")
def _(d):
    x = d.tensor(d.shape())
    axis = d.axis(x.ndim + 1)
    return lambda x: mg.unsqueeze(x, axis), lambda x: torch.unsqueeze(x, axis), x


@case("flip")
def _(d):
    x = d.tensor(d.shape())
    axes = d.axes(x.ndim)
    theirs = tuple(range(x.ndim)) if axes is None else axes
    return lambda x: mg.flip(x, axes), lambda x: torch.flip(x, theirs), x


@case("pad")
def _(d):
    x = d.tensor(d.shape(least=1))
    widths = tuple((d.one_of(0, 1, 2), d.one_of(0, 1, 3)) for _ in x.shape)
    value = d.one_of(0.0, -1.5)
    theirs = [n for pair in reversed(widths) for n in pair]
    return lambda x: mg.pad(x, widths, value), lambda x: F.pad(x, theirs, value=value), x


@case("cat")
def _(d):
    shape = d.shape(least=1)
    axis = d.axis(len(shape))
    at = axis % len(shape)
    parts = [(*shape[:at], d.one_of(0, 1, 3), *shape[at + 1 :]) for _ in range(d.one_of(1, 2, 3))]
    tensors = [d.tensor(p) for p in parts]
    return lambda *xs: mg.cat(xs, axis), lambda *xs: torch.cat(xs, axis), *tensors


@case("stack")
def _(d):
    shape = d.shape(most=3)
    axis = d.axis(len(shape) + 1)
    tensors = [d.tensor(shape) for _ in range(d.one_of(1, 2, 3))]
    return lambda *xs: mg.stack(xs, axis), lambda *xs: torch.stack(xs, axis), *tensors


@case("split")
def _(d):
    x = d.tensor(d.shape(least=1))
    axis = d.axis(x.ndim)
    assume(x.shape[axis])
    first = d.draw(st.integers(0, x.shape[axis]))
    sizes = d.one_of(1, 2, 3, [first, x.shape[axis] - first])
    return lambda x: mg.split(x, sizes, axis), lambda x: torch.split(x, sizes, axis), x


@case("tile")
def _(d):
    x = d.tensor(d.shape(most=3))
    reps = tuple(d.draw(st.lists(st.integers(0, 3), max_size=4)))
    return lambda x: mg.tile(x, reps), lambda x: torch.tile(x, reps), x


@case("roll")
def _(d):
    x = d.tensor(d.shape())
    axes = d.axes(x.ndim)
    shifts = d.one_of(-7, 0, 2) if axes is None else tuple(d.one_of(-7, 0, 2) for _ in axes)
    return lambda x: mg.roll(x, shifts, axes), lambda x: torch.roll(x, shifts, axes), x


@case("take")
def _(d):
    x = d.tensor(d.shape(least=1))
    axis = d.axis(x.ndim)
    shape = d.shape(most=2)
    assume(x.shape[axis] or 0 in shape)
    places = torch.as_tensor(d.rng.integers(0, max(x.shape[axis], 1), shape))

    def theirs(x):
        picked = torch.index_select(x, axis, places.reshape(-1))
        at = axis % x.ndim
        return picked.reshape((*x.shape[:at], *shape, *x.shape[at + 1 :]))

    return lambda x: mg.take(x, places.numpy(), axis), theirs, x


@case("gather")
def _(d):
    x = d.tensor(d.shape(least=1))
    axis = d.axis(x.ndim)
    assume(x.shape[axis])
    at = axis % x.ndim
    indices = d.indices((*x.shape[:at], d.one_of(0, 1, 5), *x.shape[at + 1 :]), x.shape[axis])
    return lambda x, i: mg.gather(x, i, axis), lambda x, i: torch.gather(x, axis, i), x, indices


@case("scatter_add")
def _(d):
    x = d.tensor(d.shape(least=1))
    axis = d.axis(x.ndim)
    assume(x.shape[axis])
    at = axis % x.ndim
    shape = (*x.shape[:at], d.one_of(0, 1, 5), *x.shape[at + 1 :])
    return (
        lambda x, i, v: mg.scatter_add(x, i, v, axis),
        lambda x, i, v: torch.scatter_add(x, axis, i, v),
        x,
        d.indices(shape, x.shape[axis]),
        d.tensor(shape),
    )


@case("one_hot")
def _(d):
    indices = d.indices(d.shape(most=3), 4)
    classes = d.one_of(4, 6)
    return (
        lambda i: mg.one_hot(i, classes),
        lambda i: F.one_hot(i, classes).float(),
        indices,
    )


@case("tril")
def _(d):
    k = d.one_of(0, -2, 1)
    return lambda x: mg.tril(x, k), lambda x: torch.tril(x, k), d.tensor(d.shape(least=2))


@case("triu")
def _(d):
    k = d.one_of(0, -1, 2)
    return lambda x: mg.triu(x, k), lambda x: torch.triu(x, k), d.tensor(d.shape(least=2))


def indices(d, x, array, at_most):
    """Parts of an index: slices, None, `...`, and either ints, up to `at_most` arrays or one mask.
    Left to the tests against NumPy: slices that go backwards, and ints beside arrays, which PyTorch
    reads in another way.
    """
    kind, parts = d.one_of("int", "array", "mask"), []
    for n in x.shape[: d.draw(st.integers(0, x.ndim))]:
        before = sum(isinstance(p, torch.Tensor) for p in parts)
        if kind == "int" and n and d.one_of(True, False):
            parts.append(d.draw(st.integers(-n, n - 1)))
        elif kind == "array" and before < at_most and n and d.one_of(True, False):
            parts.append(torch.as_tensor(array(n)))
        elif kind == "mask" and not before:
            parts.append(torch.as_tensor(d.rng.random(n) < 0.5))
        else:
            ends = d.draw(st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 3)))
            parts.append(d.one_of(slice(None), slice(*ends)))
        if d.one_of(True, False, False):
            parts.append(None)
    parts += d.one_of([], [...])
    return tuple(parts), tuple(p.numpy() if isinstance(p, torch.Tensor) else p for p in parts)


@case("getitem")
def _(d):
    x, common = d.tensor(d.shape(least=1)), d.shape(most=2)
    theirs, ours = indices(d, x, lambda n: d.rng.integers(-n, n, d.part_of(common)), 4)
    return lambda x: mg.getitem(x, ours), lambda x: x[theirs], x


@case("written")
def _(d):
    """Each place once: which of several values stays there, PyTorch does not say."""
    x = d.tensor(d.shape(least=1))
    places = lambda n: d.rng.permutation(n)[: d.one_of(0, 1, n)] - d.one_of(0, n)  # noqa: E731
    theirs, ours = indices(d, x, places, 1)
    value = d.tensor(d.part_of(tuple(x[theirs].shape)))

    def put(x, value):
        x = x.clone()
        x[theirs] = value
        return x

    return lambda x, value: mg.written(x, ours, value), put, x, value
