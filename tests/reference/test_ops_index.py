"""Indexing, take, gather, scatter_add and triangles: against NumPy, and their gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.gradcheck import gradcheck
from minigrad.reference import engine
from minigrad.reference.array import AxisError
from minigrad.reference.creation import asarray
from minigrad.reference.ops.index import placed

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, (4, 3, 5))
FULL = slice(None)


def same(out, wanted):
    assert out.shape == wanted.shape
    assert str(out.dtype) == str(wanted.dtype)
    np.testing.assert_array_equal(out.numpy(), wanted)


INDICES = [
    2,
    -1,
    (1, 2, 3),
    (..., 0),
    (None, 1, ..., None),
    (slice(None, None, -2), slice(1, 1)),
    (slice(-1, None, -1), 0, slice(4, 0, -3)),
    (),
    ...,
    None,
    [0, 2, 0],
    [[3, -4], [1, 1]],
    ([0, 1, 0], [2, 2, 2]),
    ([0, 1, 0], [2, 2, 2], [4, -5, 4]),
    ([[0], [1]], [0, 2, 1]),
    (FULL, [2, 0, 2, 2]),
    (FULL, FULL, [0, 0]),
    ([0, 1], FULL, [3, 4]),
    (0, FULL, [1, 2, 1]),
    (FULL, 0, [1, 2, 1]),
    (FULL, [1, 2, 1], 0),
    ([1, 1], slice(None, None, -1), 2),
    (slice(1, 3), [0, 0], slice(None, None, 2)),
    (slice(1, 3), None, [0, 0]),
    ([0, 0], None, [1, 2]),
    (None, [1, 0], None),
    (..., [1, 1, 0]),
    ([1, 2], ..., 0),
    ([], FULL),
    (np.zeros((2, 0), np.int64), 1),
    X > 0.0,
    X > 9.0,
    X[..., 0] > 0.0,
    (FULL, X[0] > 0.0),
    (FULL, np.array([True, False, True]), 1),
    (np.array([True, False, True, True]), [0, 1, 2]),
    (X[..., 0] > 0.0, 1),
    (FULL, np.array([False, False, True]), slice(None, None, 2)),
    True,
    False,
    (True, 1),
    np.array(2),
    (np.int64(1), np.array([0, 2])),
]


@pytest.mark.parametrize("index", INDICES, ids=range(len(INDICES)))
def test_getitem_is_numpy_s(index):
    for x in (X, X[::-1, ::-1, ::-1], np.ascontiguousarray(X.T).T):
        same(asarray(x)[index], np.asarray(x[index]))
    a = asarray(X)
    out = engine.getitem(a, index)
    gradcheck(engine.getitem, a, options={"index": index})
    gradcheck(placed, asarray(out.numpy() + 1.0), options={"index": index, "shape": X.shape})


@pytest.mark.parametrize("index", INDICES, ids=range(len(INDICES)))
def test_the_gradient_of_getitem_adds_up(index):
    out, pull = engine.getitem.with_vjp(asarray(X), index)
    g = RNG.uniform(1.0, 2.0, out.shape)
    wanted = np.zeros(X.shape)
    np.add.at(wanted, index, g)
    np.testing.assert_allclose(pull(asarray(g))[0].numpy(), wanted, rtol=1e-15)


@given(st.data())
def test_any_mixture_of_parts(data):
    parts = []
    size = data.draw(st.sampled_from([1, 3]))
    for n in X.shape[: data.draw(st.integers(0, 3))]:
        if data.draw(st.integers(0, 4)) == 0:
            parts.append(None)
        near = st.one_of(st.none(), st.integers(-n - 1, n + 1))
        steps = st.sampled_from([None, 1, 2, -1, -2])
        parts.append(
            data.draw(
                st.one_of(
                    st.integers(-n, n - 1),
                    st.builds(slice, near, near, steps),
                    st.lists(st.integers(-n, n - 1), min_size=size, max_size=size).map(np.array),
                )
            )
        )
    index = tuple(parts)
    out, pull = engine.getitem.with_vjp(asarray(X), index)
    same(out, np.asarray(X[index]))
    g = np.arange(1.0, out.size + 1.0).reshape(out.shape)
    wanted = np.zeros(X.shape)
    np.add.at(wanted, index, g)
    np.testing.assert_array_equal(pull(asarray(g))[0].numpy(), wanted)


def test_basic_indices_make_views_and_arrays_make_copies():
    a = asarray(X.copy())
    assert a[1:, ::-1, None].buffer is a.buffer
    assert a[[0, 1]].buffer is not a.buffer
    assert a[FULL].buffer is a.buffer


def test_arrays_of_ours_are_indices_too():
    a, rows, mask = asarray(X), np.array([[0, 2], [1, 1]]), X[:, 0, 0] > 0.0
    same(a[asarray(rows)], X[rows])
    same(a[asarray(rows), 0, asarray([1])], X[rows, 0, [1]])
    same(a[asarray(mask)], X[mask])
    same(a[a > 0.0], X[X > 0.0])


def test_an_index_that_changes_later_is_not_seen():
    index = np.array([0, 1])
    _, pull = engine.getitem.with_vjp(asarray(X), index)
    index[:] = 3
    found = pull(asarray(np.ones((2, 3, 5))))[0].numpy()
    assert (found[:2] == 1.0).all() and (found[2:] == 0.0).all()


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (4, r"index: 4 is out of range for axis 0 with size 4"),
        (
            (0, FULL, [[1, 2], [0, 5]]),
            r"5 at position \(1, 1\) is out of range for axis 2 with size 5",
        ),
        (([0, 1], [0, 1, 2]), r"index arrays of shapes \(2,\) and \(3,\) cannot be broadcast"),
        ((0, 0, 0, 0), r"4 axes are indexed, but shape \(4, 3, 5\) has 3"),
        (
            np.array([True, False]),
            r"a mask of shape \(2,\) stands where the array has shape \(4,\)",
        ),
        (1.0, r"expected ints, slices"),
        ([0.5, 1.0], r"of float64"),
    ],
)
def test_what_is_no_index(index, message):
    with pytest.raises(IndexError, match=message):
        asarray(X)[index]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("shape", [(), (4,), (2, 3), (0,), (1, 0, 2)])
def test_take(axis, shape):
    n = X.shape[axis]
    indices = RNG.integers(-n, n, shape)
    for x in (X, X[::-1, :, ::-1]):
        same(engine.take(asarray(x), asarray(indices), axis=axis), np.take(x, indices, axis))
    gradcheck(engine.take, asarray(X), asarray(indices), options={"axis": axis})


def test_take_is_what_an_embedding_needs():
    table, tokens = RNG.uniform(size=(5, 2)), np.array([[1, 1, 4], [0, 1, 1]])
    _, pull = engine.take.with_vjp(asarray(table), asarray(tokens))
    found = pull(asarray(np.ones((2, 3, 2))))[0].numpy()
    np.testing.assert_array_equal(found[:, 0], [1.0, 4.0, 0.0, 0.0, 1.0])
    same(engine.take(asarray(table), [3, 0]), table[[3, 0]])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_is_take_along_axis(axis):
    indices = RNG.integers(-3, 3, (4, 3, 5))
    for x in (X, X[::-1, ::-1], np.float32(X), (X * 9).astype(np.int64)):
        out = engine.gather(asarray(x), asarray(indices), axis=axis)
        same(out, np.take_along_axis(x, indices, axis))
    some = RNG.integers(0, 3, (4, 3, 1))
    out = engine.gather(asarray(X), asarray(some), axis=axis)
    same(out, np.take_along_axis(X, some, axis))
    gradcheck(engine.gather, asarray(X), asarray(some), options={"axis": axis})


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scatter_add(axis):
    shape = list(X.shape)
    shape[axis] = 7
    n = X.shape[axis]
    indices, values = RNG.integers(-n, n, shape), RNG.uniform(-1.0, 1.0, shape)
    wanted = X.copy()
    for at in np.ndindex(*shape):
        place = list(at)
        place[axis] = indices[at]
        wanted[tuple(place)] += values[at]
    before = X.copy()
    out = engine.scatter_add(asarray(X), asarray(indices), asarray(values), axis=axis)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(before, X)
    gradcheck(
        engine.scatter_add, asarray(X), asarray(indices), asarray(values), options={"axis": axis}
    )


def test_scatter_add_into_nothing_and_of_nothing():
    none = engine.scatter_add(asarray(X), asarray(np.zeros((4, 3, 0), int)), asarray(X[..., :0]))
    same(none, X)
    empty = engine.scatter_add(
        asarray(X[..., :0]), asarray(np.zeros((4, 3, 0), int)), asarray(X[..., :0])
    )
    same(empty, X[..., :0])


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda a: engine.take(a, asarray([[0, 1], [2, 70]])),
            IndexError,
            r"take: index 70 at position \(1, 1\), but axis 0 has size 4",
        ),
        (lambda a: engine.take(a, 4), IndexError, r"take: index 4, but axis 0 has size 4"),
        (lambda a: engine.take(a, [0.5]), TypeError, r"take: indices must be int64, got float32"),
        (lambda a: engine.take(a, [True]), TypeError, r"take: indices must be int64, got bool"),
        (lambda a: engine.gather(a, a, axis=None), TypeError, r"gather: axis is one int, got None"),
        (lambda a: engine.take(a, [0], axis=3), AxisError, r"take: axis 3 is out of range"),
        (
            lambda a: engine.gather(a, asarray(np.full((4, 3, 1), -6))),
            IndexError,
            r"gather: index -6 at position \(0, 0, 0\), but axis 2 has size 5",
        ),
        (
            lambda a: engine.gather(a, asarray([0])),
            ValueError,
            r"gather: indices of shape \(1,\) need as many axes as x, which has shape \(4, 3, 5\)",
        ),
        (
            lambda a: engine.gather(a, asarray(np.zeros((4, 2, 1), int))),
            ValueError,
            r"gather: shapes .* cannot be broadcast: axis -2 is 3 and 2",
        ),
        (
            lambda a: engine.scatter_add(a, asarray(np.zeros((4, 3, 1), int)), a),
            ValueError,
            r"scatter_add: \(4, 3, 5\) values for \(4, 3, 1\) indices",
        ),
        (
            lambda a: engine.one_hot(asarray([0, 5, -1]), 5),
            IndexError,
            r"one_hot: index 5 at position \(1,\), but there are 5 classes",
        ),
        (
            lambda a: engine.one_hot(asarray([-1]), 5),
            IndexError,
            r"one_hot: index -1 at position \(0,\), but there are 5 classes",
        ),
        (lambda a: engine.tril(a[0, 0]), ValueError, r"tril: needs two axes or more"),
    ],
)
def test_what_is_wrong_is_named(call, kind, message):
    with pytest.raises(kind, match=message):
        call(asarray(X))


def test_one_hot():
    indices = np.array([[2, 0], [1, 1]])
    same(engine.one_hot(asarray(indices), 4), np.eye(4, dtype=np.float32)[indices])
    same(engine.one_hot(3, 4), np.eye(4, dtype=np.float32)[3])
    same(engine.one_hot(asarray(np.zeros((0, 2), int)), 3), np.zeros((0, 2, 3), np.float32))


@pytest.mark.parametrize("k", [-9, -2, -1, 0, 1, 2, 9])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (4, 1), (2, 3, 4), (0, 3), (3, 0)])
def test_triangles(shape, k):
    x = RNG.uniform(-1.0, 1.0, shape)[::-1]
    same(engine.tril(asarray(x), k), np.tril(x, k))
    same(engine.triu(asarray(x), k), np.triu(x, k))
    gradcheck(engine.tril, asarray(x), options={"k": k})
    gradcheck(engine.triu, asarray(x), options={"k": k})


def test_triangles_of_other_dtypes_and_of_nan():
    x = np.full((2, 2), np.nan)
    same(engine.triu(asarray(x), 1), np.array([[0.0, np.nan], [0.0, 0.0]]))
    for kind in (np.ones((3, 3), bool), np.arange(9).reshape(3, 3), np.ones((2, 3), np.float32)):
        same(engine.tril(asarray(kind)), np.tril(kind))
