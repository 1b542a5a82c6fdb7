"""3.11: reading along an axis at indices, and adding gradients up where the numbers came from."""

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.gradcheck import gradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.ops.index import gather

pytestmark = pytest.mark.exercise("3.11")


def drawn(*shape, seed=0):
    return asarray(np.random.default_rng(seed).uniform(-2.0, 2.0, shape))


def chosen(*shape, size, seed=1):
    return asarray(np.random.default_rng(seed).integers(-size, size, shape))


def pulled(x, indices, g, **options):
    found, nothing = gather.with_vjp(asarray(x), asarray(indices), **options)[1](asarray(g))
    expect.that(nothing is None, "the indices, whole numbers, have no gradient")
    return found


def test_gather_by_hand():
    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    indices = np.array([[2, 0, 0], [1, 1, 1], [0, 1, 2]])
    given = {"x": x.tolist(), "indices": indices.tolist()}
    rows = np.array([[3.0, 1.0, 1.0], [5.0, 5.0, 5.0], [7.0, 8.0, 9.0]])
    expect.close(
        gather(asarray(x), asarray(indices)), rows, what="gather(x, indices)", inputs=given
    )
    cols = np.array([[7.0, 2.0, 3.0], [4.0, 5.0, 6.0], [1.0, 5.0, 9.0]])
    got = gather(asarray(x), asarray(indices), axis=0)
    expect.close(got, cols, what="gather(x, indices, axis=0)", inputs=given)


def test_the_gradient_by_hand():
    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    indices = np.array([[2, 0, 0], [1, 1, 1], [0, 1, 2]])
    g = np.array([[1.0, 10.0, 100.0], [1.0, 10.0, 100.0], [1.0, 10.0, 100.0]])
    given = {"x": x.tolist(), "indices": indices.tolist(), "g": g.tolist()}
    rows = np.array([[110.0, 0.0, 1.0], [0.0, 111.0, 0.0], [1.0, 10.0, 100.0]])
    found = pulled(x, indices, g)
    expect.close(found, rows, what="the gradient of x", inputs=given)
    cols = np.array([[1.0, 10.0, 100.0], [1.0, 20.0, 100.0], [1.0, 0.0, 100.0]])
    found = pulled(x, indices, g, axis=0)
    expect.close(found, cols, what="the gradient of x, axis 0", inputs=given)


def scattered(indices, g, shape, axis):
    """Zeros of `shape`, each g added at its index along the axis, one by one."""
    out = np.zeros(shape)
    for at in np.ndindex(indices.shape):
        place = list(at)
        place[axis] = indices[at]
        out[tuple(place)] += g[at]
    return out


@pytest.mark.parametrize(
    ("shape", "count", "axis"),
    [
        ((3, 4), 7, 1),
        ((3, 4), 2, -1),
        ((3, 4), 5, 0),
        ((2, 3, 4), 6, 1),
        ((2, 3, 4), 3, -3),
        ((5,), 9, 0),
        ((3, 1), 4, 1),
        ((2, 3), 0, 1),
        ((0, 3), 2, 1),
    ],
)
def test_along_every_axis(shape, count, axis):
    x = drawn(*shape)
    wide = list(shape)
    wide[axis] = count
    indices = chosen(*wide, size=shape[axis])
    out = gather(x, indices, axis=axis)
    wanted = np.zeros(wide)
    for at in np.ndindex(*wide):
        place = list(at)
        place[axis] = indices.numpy()[at]
        wanted[at] = x.numpy()[tuple(place)]
    given = {"x": x.numpy(), "indices": indices.numpy(), "axis": axis}
    expect.close(out, wanted, what="gather(x, indices, axis)", inputs=given)
    gradcheck(gather, x, indices, options={"axis": axis})
    g = drawn(*wide, seed=2).numpy()
    found = pulled(x.numpy(), indices.numpy(), g, axis=axis)
    sums = scattered(indices.numpy(), g, shape, axis)
    expect.close(found, sums, what="the gradient of x", inputs=given, scale=1.0)


def test_the_other_axes_are_broadcast():
    gradcheck(gather, drawn(1, 4), chosen(3, 2, size=4), options={"axis": 1})
    gradcheck(gather, drawn(3, 4), chosen(1, 2, size=4), options={"axis": 1})
    gradcheck(gather, drawn(4, 1, 2), chosen(6, 3, 1, size=4), options={"axis": 0})


def test_what_nobody_read_receives_nothing():
    x = np.array([5.0, np.inf, np.nan, -5.0])
    found = pulled(x, np.array([0, 0, 3]), np.array([1.0, 2.0, 4.0]))
    wanted = np.array([3.0, 0.0, 0.0, 4.0])
    expect.close(found, wanted, what="the gradient of x", inputs={"x": x.tolist()})


def test_gather_keeps_float32():
    x, indices = drawn(2, 3).astype("float32"), chosen(2, 4, size=3)
    out, pull = gather.with_vjp(x, indices)
    kinds = (str(out.dtype), str(pull(out)[0].dtype))
    expect.equal(kinds, ("float32", "float32"), what="the dtypes of the result and the gradient")
