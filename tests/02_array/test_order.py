"""The axes of an array in another order (2.6)."""

from itertools import permutations

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.reference import memory, strides
from minigrad.reference.creation import asarray


@pytest.mark.exercise("2.6")
def test_axis_k_of_the_result_is_axis_axes_k():
    by_hand = [
        ((2, 3), (3, 1), (1, 0), (3, 2), (1, 3)),
        ((2, 3, 5), (15, 5, 1), (2, 0, 1), (5, 2, 3), (1, 15, 5)),
        ((2, 3, 5), (15, 5, 1), (1, 2, 0), (3, 5, 2), (5, 1, 15)),
        ((2, 3, 5), (-15, 0, 2), (0, 2, 1), (2, 5, 3), (-15, 2, 0)),
        ((4, 7), (7, 1), (0, 1), (4, 7), (7, 1)),
        ((6,), (2,), (0,), (6,), (2,)),
        ((), (), (), (), ()),
    ]
    for shape, steps, axes, *want in by_hand:
        given = {"shape": shape, "strides": steps, "axes": axes}
        got = strides.permuted(shape, steps, axes)
        expect.equal(got, tuple(want), what="permuted(shape, strides, axes)", inputs=given)


@pytest.mark.exercise("2.6")
def test_every_order_of_four_axes():
    numbers = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    x = asarray(numbers)
    for axes in permutations(range(4)):
        with memory.counting() as count:
            y = x.permute_dims(axes)
        given = {"x": "0..119 as (2, 3, 4, 5)", "axes": axes}
        want = numbers.transpose(axes)
        expect.equal(y.shape, want.shape, what="the shape of x.permute_dims(axes)", inputs=given)
        expect.equal(
            y.strides,
            tuple(s // want.itemsize for s in want.strides),
            what="x.permute_dims(axes).strides",
            inputs=given,
        )
        expect.equal(y.tolist(), want.tolist(), what="x.permute_dims(axes)", inputs=given)
        expect.that(y.buffer is x.buffer, "the result reads the buffer of x", inputs=given)
        expect.equal(count.calls, 0, what="the number of times that memory was taken", inputs=given)


@pytest.mark.exercise("2.6")
def test_transposing_exchanges_the_last_two_axes():
    numbers = np.arange(24).reshape(2, 3, 4)
    x = asarray(numbers).sliced((slice(None), slice(None, None, -1)))
    given = {"x": "0..23 as (2, 3, 4), then [:, ::-1]"}
    want = numbers[:, ::-1].swapaxes(1, 2).tolist()
    expect.equal(x.matrix_transpose().tolist(), want, what="x.matrix_transpose()", inputs=given)
    expect.equal(x.permute_dims(0, -1, 1).tolist(), want, what="permute_dims(0, -1, 1)")
    there_and_back = x.permute_dims(1, 2, 0).permute_dims(2, 0, 1)
    expect.equal(
        there_and_back.strides, x.strides, what="the tuple of strides, there and back again"
    )


@pytest.mark.exercise("2.6")
def test_every_axis_is_named_once():
    x = asarray(np.ones((2, 3, 4)))
    expect.equal(x.permute_dims(-1, 0, -2).shape, (4, 2, 3), what="the shape with axes (-1, 0, -2)")
    for axes, kind, match in [
        ((0, 1), ValueError, "3 axes, but 2 are named"),
        ((0, 1, 1), ValueError, "axis 1 is given twice"),
        ((0, 1, 3), IndexError, "axis 3 is out of range"),
    ]:
        expect.raises(
            kind,
            lambda a=axes: x.permute_dims(a),
            what="permute_dims(axes) of an array with three axes",
            match=match,
            inputs={"axes": axes},
        )
