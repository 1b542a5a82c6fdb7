"""The sum (3.5), and the largest with its ties (3.6)."""

import math
import weakref

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.dtypes import float32, float64, int64
from minigrad.gradcheck import gradcheck
from minigrad.reference.array import Array, AxisError
from minigrad.reference.creation import asarray
from minigrad.reference.ops.reduce import max, min, sum

AXES = (None, 0, 1, 2, -1, -3, (0, 2), (1, 0), (-1, -2), (0, 1, 2), ())


def whole(*shape, seed=0):
    """Whole numbers, as floats: sums are exact in any order."""
    return np.random.default_rng(seed).integers(-99, 100, shape).astype(np.float64)


def gave(out, want, what, dtype, **given):
    expect.that(isinstance(out, Array), f"{what} is an Array", inputs=given)
    expect.close(out.numpy(), want, what=what, inputs=given)
    expect.equal(out.dtype, dtype, what=f"the dtype of {what}", inputs=given)


@pytest.mark.exercise("3.5")
def test_the_sum_over_any_axes():
    x = asarray([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    gave(sum(x), 66.0, "sum(x)", float32, x=x.tolist())
    gave(sum(x, axis=0), [11.0, 22.0, 33.0], "sum(x, axis=0)", float32, x=x.tolist())
    gave(sum(x, axis=1), [6.0, 60.0], "sum(x, axis=1)", float32, x=x.tolist())
    numbers = whole(2, 3, 4)
    for axis in AXES:
        for keepdims in (False, True):
            out = sum(asarray(numbers), axis=axis, keepdims=keepdims)
            want = numbers.sum(axis=axis, keepdims=keepdims)
            given = {"x": "(2, 3, 4)", "axis": axis, "keepdims": keepdims}
            gave(out, want, "sum(x, axis, keepdims)", float64, **given)


@pytest.mark.exercise("3.5")
def test_sums_of_ints_bools_and_nothing():
    gave(sum(asarray([1, 2, 3])), 6, "the sum of ints", int64)
    gave(sum(asarray([True, True, False])), 2, "the sum of bools", int64)
    gave(sum(asarray([[True, True], [False, True]]), axis=0), [1, 2], "the sum of bools", int64)
    gave(sum(asarray(2.5)), 2.5, "the sum of a 0-d array", float32)
    gave(sum(asarray([])), 0.0, "the sum of no numbers", float32)
    gave(sum(asarray(np.zeros((0, 3))), axis=0), [0.0] * 3, "sum over an axis of size 0", float64)
    gave(sum(asarray(np.zeros((0, 3))), axis=1), np.zeros(0), "no sums", float64)
    expect.raises(AxisError, lambda: sum(asarray([1.0]), axis=1), what="axis 1", match="^sum: axis")
    gave(sum(asarray(whole(3, 4).T[::-1]), 1), whole(3, 4).T[::-1].sum(1), "sum(x, 1)", float64)


@pytest.mark.exercise("3.5")
def test_every_summed_element_receives_the_whole_gradient():
    x = asarray([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    for axis, keepdims, g, want in [
        (None, False, 5.0, [[5.0] * 3, [5.0] * 3]),
        (None, True, [[5.0]], [[5.0] * 3, [5.0] * 3]),
        (0, False, [7.0, 8.0, 9.0], [[7.0, 8.0, 9.0], [7.0, 8.0, 9.0]]),
        (1, False, [7.0, 8.0], [[7.0] * 3, [8.0] * 3]),
        (1, True, [[7.0], [8.0]], [[7.0] * 3, [8.0] * 3]),
        (-1, False, [7.0, 8.0], [[7.0] * 3, [8.0] * 3]),
    ]:
        _out, pull = sum.with_vjp(x, axis=axis, keepdims=keepdims)
        (dx,) = pull(asarray(g))
        given = {"x": x.tolist(), "axis": axis, "keepdims": keepdims, "g": g}
        gave(dx, want, "the gradient of x in sum(x, axis, keepdims)", float32, **given)


@pytest.mark.exercise("3.5")
def test_the_gradient_of_a_square_array_goes_along_the_right_axis():
    # With as many rows as columns a gradient along the wrong axis has the right shape, too.
    x = asarray(whole(3, 3))
    for axis, want in [(0, [[7.0, 8.0, 9.0]] * 3), (1, [[7.0] * 3, [8.0] * 3, [9.0] * 3])]:
        (dx,) = sum.with_vjp(x, axis=axis)[1](asarray(np.array([7.0, 8.0, 9.0])))
        gave(dx, want, "the gradient of x in sum(x, axis)", float64, axis=axis, g=[7.0, 8.0, 9.0])


@pytest.mark.exercise("3.5")
def test_the_gradient_of_a_sum_over_any_axes():
    x = asarray(whole(2, 3, 4) / 64)
    for axis in AXES:
        for keepdims in (False, True):
            gradcheck(sum, x, options={"axis": axis, "keepdims": keepdims})
    gradcheck(sum, asarray(np.array(2.0)))
    gradcheck(sum, asarray(np.zeros((0, 3))), options={"axis": 0})


@pytest.mark.exercise("3.5")
def test_the_vjp_of_a_sum_does_not_hold_the_result():
    for keepdims in (False, True):
        out, vjp = sum.function(asarray([[1.0, 2.0], [3.0, 4.0]]), axis=1, keepdims=keepdims)
        shape, memory = out.shape, weakref.ref(out.buffer)
        del out
        expect.that(
            memory() is None,
            "the vjp of sum keeps the shape of `kept`, not `kept` itself",
            inputs={"keepdims": keepdims},
        )
        (dx,) = vjp(asarray([5.0, 7.0]).reshape(shape), None)
        gave(dx, [[5.0, 5.0], [7.0, 7.0]], "the gradient of x in sum(x, axis=1)", float32)


def extremes(op, x, **options):
    """The result of max or min, and the gradient of x for a g that counts 8, 16, 24, ..."""
    out, pull = op.with_vjp(asarray(x), **options)
    g = 8.0 * (1.0 + np.arange(out.size).reshape(out.shape))
    return out, pull(asarray(g))[0]


@pytest.mark.exercise("3.6")
def test_the_largest_alone_receives_the_gradient():
    x = np.array([[3.0, 1.0, 2.0], [-5.0, -4.0, -6.0]])
    for axis, top, want in [
        (1, [3.0, -4.0], [[8.0, 0.0, 0.0], [0.0, 16.0, 0.0]]),
        (-1, [3.0, -4.0], [[8.0, 0.0, 0.0], [0.0, 16.0, 0.0]]),
        (0, [3.0, 1.0, 2.0], [[8.0, 16.0, 24.0], [0.0, 0.0, 0.0]]),
        (None, 3.0, [[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        ((0, 1), 3.0, [[8.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
    ]:
        out, dx = extremes(max, x, axis=axis)
        gave(out, top, "max(x, axis)", float64, x=x, axis=axis)
        gave(dx, want, "the gradient of x in max(x, axis)", float64, x=x, axis=axis)


@pytest.mark.exercise("3.6")
def test_the_smallest_alone_receives_the_gradient():
    x = np.array([[3.0, 1.0, 2.0], [-5.0, -4.0, -6.0]])
    out, dx = extremes(min, x, axis=1)
    gave(out, [1.0, -6.0], "min(x, axis=1)", float64, x=x)
    want = [[0.0, 8.0, 0.0], [0.0, 0.0, 16.0]]
    gave(dx, want, "the gradient of x in min(x, axis=1)", float64, x=x)
    out, dx = extremes(min, x)
    gave(dx, [[0.0] * 3, [0.0, 0.0, 8.0]], "the gradient of x in min(x)", float64, x=x)


@pytest.mark.exercise("3.6")
def test_equal_largest_elements_share_evenly():
    x = np.array([[2.0, 2.0, 1.0], [0.0, 0.0, 0.0], [-1.0, 5.0, 5.0], [7.0, 3.0, 3.0]])
    want = [[4.0, 4.0, 0.0], [16 / 3] * 3, [0.0, 12.0, 12.0], [32.0, 0.0, 0.0]]
    _, dx = extremes(max, x, axis=1)
    gave(dx, want, "the gradient of x in max(x, axis=1)", float64, x=x)
    _, dx = extremes(max, x.T, axis=0, keepdims=True)
    gave(dx, np.transpose(want), "the gradient of x in max(x, axis=0, keepdims)", float64, x=x.T)
    _, dx = extremes(max, np.full((2, 4), 3.0))
    gave(dx, np.ones((2, 4)), "the gradient of x in max(x), x all equal", float64)
    _, dx = extremes(min, np.array([1.0, 0.0, 0.0, 0.0, 0.0]))
    gave(dx, [0.0, 2.0, 2.0, 2.0, 2.0], "the gradient of x in min(x)", float64)
    _, dx = extremes(
        max, np.array([[[1.0, 2.0], [2.0, 0.0]], [[4.0, 4.0], [4.0, 4.0]]]), axis=(1, 2)
    )
    shared = [[[0.0, 4.0], [4.0, 0.0]], [[4.0, 4.0], [4.0, 4.0]]]
    gave(dx, shared, "the gradient of x in max(x, axis=(1, 2))", float64)


@pytest.mark.exercise("3.6")
def test_no_part_of_the_gradient_is_lost_or_made_up():
    x = np.random.default_rng(0).integers(0, 3, (4, 3, 5)).astype(np.float64)
    for op in (max, min):
        for axis in AXES:
            for keepdims in (False, True):
                out, dx = extremes(op, x, axis=axis, keepdims=keepdims)
                reach = tuple(range(3)) if axis is None else axis
                arrived = dx.numpy().sum(axis=reach, keepdims=keepdims)
                g = 8.0 * (1.0 + np.arange(out.size).reshape(out.shape))
                what = f"the gradient of {op.__name__}(x), summed over the axes again"
                given = {"x": "0, 1, 2 at random, (4, 3, 5)", "axis": axis, "keepdims": keepdims}
                expect.close(arrived, g, what=what, inputs=given, tol=1e-14)


@pytest.mark.exercise("3.6")
def test_extremes_without_ties_against_differences():
    x = asarray(np.random.default_rng(0).permutation(24).reshape(2, 3, 4) / 4.0)
    for op in (max, min):
        for axis in AXES:
            for keepdims in (False, True):
                gradcheck(op, x, options={"axis": axis, "keepdims": keepdims})


@pytest.mark.exercise("3.6")
def test_infinity_nan_and_single_precision():
    _, dx = extremes(max, np.array([[-math.inf, -math.inf], [math.inf, 0.0]]), axis=1)
    gave(dx, [[4.0, 4.0], [16.0, 0.0]], "the gradient of x in max(x), x infinite", float64)
    out, dx = extremes(max, np.array([1.0, math.nan, 3.0]))
    gave(out, math.nan, "max(x), one of x NaN", float64)
    gave(dx, [math.nan] * 3, "the gradient of x in max(x), one of x NaN", float64)
    (dx,) = max.with_vjp(asarray([1.0, 1.0, 0.0]))[1](asarray(3.0))
    gave(dx, [1.5, 1.5, 0.0], "the gradient of a float32 x in max(x)", float32)
    (dx,) = max.with_vjp(asarray(4.0))[1](asarray(3.0))
    gave(dx, 3.0, "the gradient of a 0-d x in max(x)", float32)
