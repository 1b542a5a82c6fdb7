"""Where a number stands: the strides of rows without gaps (2.1), the place of an index (2.2)."""

from itertools import product

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.dtypes import bool_, float32, float64, int64
from minigrad.reference import memory, strides
from minigrad.reference.array import Array, empty
from minigrad.reference.creation import asarray


@pytest.mark.exercise("2.1")
def test_the_strides_of_rows_without_gaps():
    by_hand = [
        ((3, 4), (4, 1)),
        ((2, 3), (3, 1)),
        ((5,), (1,)),
        ((2, 3, 5), (15, 5, 1)),
        ((7, 2, 3, 5), (30, 15, 5, 1)),
        ((), ()),
    ]
    for shape, want in by_hand:
        got = strides.contiguous_strides(shape)
        expect.equal(got, want, what="contiguous_strides(shape)", inputs={"shape": shape})


@pytest.mark.exercise("2.1")
def test_axes_of_size_1_take_no_room():
    for shape, want in [((1, 7), (7, 1)), ((7, 1), (1, 1)), ((3, 1, 2), (2, 2, 1)), ((1,), (1,))]:
        got = strides.contiguous_strides(shape)
        expect.equal(got, want, what="contiguous_strides(shape)", inputs={"shape": shape})


@pytest.mark.exercise("2.1")
def test_an_axis_of_size_0_counts_as_1():
    for shape, want in [((0,), (1,)), ((4, 0), (1, 1)), ((0, 5), (5, 1)), ((2, 0, 3), (3, 3, 1))]:
        got = strides.contiguous_strides(shape)
        expect.equal(got, want, what="contiguous_strides(shape)", inputs={"shape": shape})


@pytest.mark.exercise("2.1")
def test_numpy_lays_its_arrays_out_in_the_same_way():
    for shape in product((1, 2, 3), (1, 2, 5), (1, 4)):
        want = tuple(s // 8 for s in np.empty(shape, np.float64).strides)
        got = strides.contiguous_strides(shape)
        expect.equal(got, want, what="contiguous_strides(shape)", inputs={"shape": shape})


@pytest.mark.exercise("2.1")
def test_a_list_is_laid_out_row_after_row():
    rows = [[3, 1, 4], [1, 5, 9]]
    x = asarray(rows)
    expect.equal(x.strides, (3, 1), what="asarray(rows).strides", inputs={"rows": rows})
    expect.equal(x.buffer.tolist(), [3, 1, 4, 1, 5, 9], what="its buffer", inputs={"rows": rows})
    expect.equal(x.tolist(), rows, what="asarray(rows).tolist()", inputs={"rows": rows})


@pytest.mark.exercise("2.1")
def test_the_strides_of_a_new_array_count_elements_whatever_their_bytes():
    for dtype in (float32, float64, int64, bool_):
        with memory.counting() as count:
            x = empty((3, 5), dtype)
        given = {"shape": (3, 5), "dtype": str(dtype)}
        expect.equal(x.strides, (5, 1), what="empty(shape, dtype).strides", inputs=given)
        expect.equal(
            count.nbytes, 15 * dtype.itemsize, what="the number of bytes that it took", inputs=given
        )
        expect.equal(
            x.numpy().strides,
            (5 * dtype.itemsize, dtype.itemsize),
            what="empty(shape, dtype).numpy().strides",
        )


@pytest.mark.exercise("2.2")
def test_a_place_is_the_offset_and_so_many_strides_along_each_axis():
    by_hand = [
        ((0, 0), (3, 4), (4, 1), 0, 0),
        ((1, 2), (3, 4), (4, 1), 0, 6),
        ((2, 3), (3, 4), (4, 1), 0, 11),
        ((1, 2), (3, 4), (4, 1), 5, 11),
        ((1, 2), (4, 3), (1, 4), 0, 9),
        ((3, 1), (4, 3), (2, 20), 7, 33),
        ((4,), (5,), (3,), 2, 14),
        ((1, 0, 2), (2, 3, 4), (12, 4, 1), 0, 14),
        ((), (), (), 9, 9),
    ]
    for index, shape, steps, offset, want in by_hand:
        given = {"index": index, "shape": shape, "strides": steps, "offset": offset}
        got = strides.position(index, shape, steps, offset)
        expect.equal(got, want, what="the place of x[index] in the buffer", inputs=given)


@pytest.mark.exercise("2.2")
def test_an_index_below_0_counts_from_the_end_of_its_axis():
    by_hand = [
        ((-1,), (5,), (1,), 0, 4),
        ((-5,), (5,), (1,), 0, 0),
        ((-1, -1), (3, 4), (4, 1), 0, 11),
        ((-3, 2), (3, 4), (4, 1), 0, 2),
        ((1, -2), (3, 4), (1, 3), 2, 9),
        ((-1, 0, -2), (2, 3, 5), (15, 5, 1), 4, 22),
    ]
    for index, shape, steps, offset, want in by_hand:
        given = {"index": index, "shape": shape, "strides": steps, "offset": offset}
        got = strides.position(index, shape, steps, offset)
        expect.equal(got, want, what="the place of x[index] in the buffer", inputs=given)


@pytest.mark.exercise("2.2")
def test_strides_may_be_negative_or_zero():
    by_hand = [
        ((0,), (5,), (-1,), 4, 4),
        ((3,), (5,), (-1,), 4, 1),
        ((-1,), (5,), (-2,), 8, 0),
        ((2, 3), (3, 4), (0, 2), 1, 7),
        ((-1, 1), (3, 4), (0, -2), 7, 5),
    ]
    for index, shape, steps, offset, want in by_hand:
        given = {"index": index, "shape": shape, "strides": steps, "offset": offset}
        got = strides.position(index, shape, steps, offset)
        expect.equal(got, want, what="the place of x[index] in the buffer", inputs=given)


@pytest.mark.exercise("2.2")
def test_every_index_of_some_views_finds_numpys_number():
    # The number at place p is p itself, so NumPy's own indexing says where x[index] stands.
    row = np.arange(120)
    box = row.reshape(4, 5, 6)
    for view in (box, box[1:, ::2], box[::-1, 1:4, ::-2], box.T, box[2, :, 3], box[3:, ::-1]):
        steps = tuple(s // row.itemsize for s in view.strides)
        offset = int(view[(0,) * view.ndim])
        for index in product(*(range(-n, n) for n in view.shape)):
            given = {"index": index, "shape": view.shape, "strides": steps, "offset": offset}
            got = strides.position(index, view.shape, steps, offset)
            expect.equal(got, int(view[index]), what="the place of x[index]", inputs=given)


@pytest.mark.exercise("2.2")
def test_a_slice_is_a_view_of_the_same_memory():
    numbers = np.arange(35.0).reshape(5, 7)
    x = asarray(numbers)
    for index in (
        (slice(1, 4), slice(None, None, 2)),
        (slice(None, None, -1), -2),
        (3, slice(5, 1, -2)),
        (-1, -1),
        (slice(-2, None), None, slice(-3, None)),
        (Ellipsis, 3),
    ):
        with memory.counting() as count:
            view = x.sliced(index)
        given = {"x": "0..34 as (5, 7)", "index": index}
        expect.equal(view.tolist(), numbers[index].tolist(), what="x[index]", inputs=given)
        expect.equal(view.shape, numbers[index].shape, what="the shape of x[index]", inputs=given)
        expect.that(view.buffer is x.buffer, "x[index] reads the buffer of x", inputs=given)
        expect.equal(count.calls, 0, what="the number of times that memory was taken", inputs=given)
    x.sliced((slice(None), 2)).numpy()[:] = -1.0
    expect.equal(numbers[:, 2].tolist(), [-1.0] * 5, what="column 2, written through a view")


@pytest.mark.exercise("2.2")
def test_a_view_of_a_view_starts_where_the_first_one_says():
    row = np.arange(40)
    x = asarray(row).sliced(slice(30, 3, -3))
    y = x.sliced(slice(1, 8, 2))
    want = row[30:3:-3][1:8:2].tolist()
    expect.equal(y.tolist(), want, what="x[30:3:-3][1:8:2]", inputs={"x": "0..39"})
    expect.equal(y.sliced(-1).item(), want[-1], what="its last element", inputs={"x": "0..39"})
    expect.equal((y.strides, y.offset), ((-6,), 27), what="its (strides, offset)")


@pytest.mark.exercise("2.2")
def test_flip_starts_at_the_far_end_and_steps_back():
    numbers = np.arange(6).reshape(2, 3)
    x = Array(numbers.reshape(-1), (2, 3), (3, 1))
    for axis, want, start in [(0, (-3, 1), 3), (1, (3, -1), 2), (None, (-3, -1), 5)]:
        y = x.flip(axis)
        given = {"x": numbers.tolist(), "axis": axis}
        expect.equal(
            (y.strides, y.offset), (want, start), what="its (strides, offset)", inputs=given
        )
        expect.equal(y.tolist(), np.flip(numbers, axis).tolist(), what="x.flip(axis)", inputs=given)
        expect.that(y.buffer is x.buffer, "x.flip(axis) reads the buffer of x", inputs=given)
