"""Are the elements neighbours (2.4), and how to make them so (2.5)."""

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.reference import memory, strides
from minigrad.reference.creation import asarray


@pytest.mark.exercise("2.4")
def test_rows_without_gaps_are_contiguous():
    for shape, steps in [((3, 4), (4, 1)), ((5,), (1,)), ((2, 3, 5), (15, 5, 1)), ((), ())]:
        what = f"is_contiguous({shape}, {steps})"
        expect.equal(strides.is_contiguous(shape, steps), True, what=what)


@pytest.mark.exercise("2.4")
def test_gaps_repeats_and_other_orders_are_not():
    for shape, steps in [
        ((4, 3), (1, 4)),
        ((2,), (-1,)),
        ((3, 4), (4, 0)),
        ((3, 4), (8, 2)),
        ((3, 4), (5, 1)),
        ((2, 2), (3, 1)),
        ((2,), (2,)),
        ((2,), (0,)),
        ((3, 4), (-4, 1)),
        ((3, 4), (4, -1)),
        ((3, 4), (0, 1)),
        ((2, 3, 5), (15, 1, 3)),
        ((2, 3, 5), (5, 10, 1)),
        ((2, 3, 5), (16, 5, 1)),
        ((2, 3, 5), (15, 7, 1)),
        ((2, 3, 5), (15, 5, 3)),
    ]:
        what = f"is_contiguous({shape}, {steps})"
        expect.equal(strides.is_contiguous(shape, steps), False, what=what)


@pytest.mark.exercise("2.4")
def test_nobody_steps_along_an_axis_of_size_1():
    for shape, steps, want in [
        ((1, 4), (99, 1), True),
        ((3, 1), (1, -7), True),
        ((2, 1, 3), (3, 0, 1), True),
        ((1, 1), (5, 5), True),
        ((1, 4), (4, 2), False),
        ((3, 1, 2), (3, 2, 1), False),
    ]:
        what = f"is_contiguous({shape}, {steps})"
        expect.equal(strides.is_contiguous(shape, steps), want, what=what)


@pytest.mark.exercise("2.4")
def test_without_elements_nothing_is_out_of_place():
    for shape, steps in [((0,), (5,)), ((4, 0), (-1, 9)), ((0, 3), (0, 0)), ((2, 0, 3), (1, 2, 3))]:
        what = f"is_contiguous({shape}, {steps})"
        expect.equal(strides.is_contiguous(shape, steps), True, what=what)


@pytest.mark.exercise("2.4")
def test_numpy_calls_the_same_views_contiguous():
    box = np.arange(60).reshape(3, 4, 5)
    for index in [
        (slice(None),) * 3,
        (slice(1, 3),),
        (slice(1, 2), slice(2, 4)),
        (slice(None), slice(1, 2)),
        (slice(None), slice(2, 4)),
        (slice(None), slice(None), slice(0, 1)),
        (1, 2),
        (1, slice(None), 2),
        (slice(None, None, -1),),
        (slice(0, 1), slice(0, 1), slice(None, None, 2)),
        (slice(0, 1), None, slice(1, 3)),
        (slice(3, None),),
    ]:
        view = asarray(box).sliced(index)
        given = {"x": "(3, 4, 5)", "index": index, "strides of x[index]": view.strides}
        want = bool(box[index].flags.c_contiguous)
        expect.equal(view.is_contiguous, want, what="x[index].is_contiguous", inputs=given)


@pytest.mark.exercise("2.4")
def test_contiguous_says_nothing_about_where_it_begins():
    x = asarray(np.arange(12.0).reshape(4, 3)).sliced(slice(2, None))
    expect.equal(x.offset, 6, what="the offset of x[2:]")
    expect.equal(x.is_contiguous, True, what="x[2:].is_contiguous")
    with memory.counting() as count:
        same = x.compact()
    expect.that(same is x, "compact() of what is contiguous is the array itself")
    expect.equal(count.calls, 0, what="the number of times that memory was taken")


@pytest.mark.exercise("2.5")
def test_the_elements_of_a_view_in_row_major_order():
    text = "strides and views"
    letters = np.frombuffer(text.encode(), np.uint8)
    by_hand = [
        ((3, 2), (2, 1), 0, "stride"),
        ((2, 3), (1, 2), 0, "srdtie"),
        ((5,), (1,), 12, "views"),
        ((5,), (-1,), 16, "sweiv"),
        ((3,), (4,), 2, "rsd"),
        ((2, 3), (0, 1), 8, "andand"),
        ((3, 2), (1, 0), 8, "aanndd"),
        ((2, 2), (-8, 3), 9, "nvtd"),
        ((2, 2, 2), (6, 0, 1), 4, "deded d "),
        ((1, 3), (99, -2), 5, "eit"),
        ((), (), 12, "v"),
        ((3, 0), (1, 1), 0, ""),
    ]
    for shape, steps, offset, want in by_hand:
        given = {"buffer": text, "shape": shape, "strides": steps, "offset": offset}
        got = strides.gathered(letters, shape, steps, offset)
        expect.equal(np.ndim(got), 1, what="the number of axes of the result", inputs=given)
        expect.equal(bytes(got.tolist()).decode(), want, what="the text that is read", inputs=given)


@pytest.mark.exercise("2.5")
def test_the_result_is_new_memory_of_the_same_dtype():
    for dtype in (np.float32, np.float64, np.int64, np.bool_):
        buffer = np.arange(12).astype(dtype)
        for shape, steps, offset in [((3, 4), (4, 1), 0), ((3, 2), (1, 4), 1), ((), (), 5)]:
            got = strides.gathered(buffer, shape, steps, offset)
            given = {"dtype": np.dtype(dtype).name, "shape": shape, "strides": steps}
            expect.equal(got.dtype.name, buffer.dtype.name, what="its dtype", inputs=given)
            expect.that(
                not np.shares_memory(got, buffer), "the result has memory of its own", inputs=given
            )


@pytest.mark.exercise("2.5")
def test_a_copy_holds_the_same_numbers_without_gaps():
    numbers = np.arange(60.0).reshape(3, 4, 5)
    x = asarray(numbers)
    for index in [
        (slice(None, None, -1), slice(1, 4)),
        (slice(None), 2, slice(None, None, -2)),
        (slice(2, 0, -1), slice(None, None, 3), slice(4, None)),
        (1,),
        (2, 3, 4),
        (slice(1, 1),),
    ]:
        view = x.sliced(index)
        with memory.counting() as count:
            y = view.copy()
        want = numbers[index]
        given = {"x": "0..59 as (3, 4, 5)", "index": index}
        expect.equal(y.shape, want.shape, what="the shape of x[index].copy()", inputs=given)
        expect.equal(y.tolist(), want.tolist(), what="x[index].copy()", inputs=given)
        expect.equal(y.buffer.tolist(), want.reshape(-1).tolist(), what="its buffer", inputs=given)
        expect.that(y.is_contiguous and y.offset == 0, "a copy has no gaps", inputs=given)
        expect.equal(
            count.nbytes, want.nbytes, what="the number of bytes that it took", inputs=given
        )


@pytest.mark.exercise("2.5")
def test_compact_mends_what_has_gaps_and_repeats():
    numbers = np.arange(4.0)
    row = asarray(numbers)
    x = row.view_of((2, 3, 4), (0, 0, 1), 0)
    y = x.compact()
    given = {"x": "0..3 as (4,), repeated to (2, 3, 4)"}
    expect.equal(y.buffer.tolist(), numbers.tolist() * 6, what="the buffer of x.compact()")
    expect.equal(y.strides, (12, 4, 1), what="x.compact().strides", inputs=given)
    y.numpy()[1, 2, 3] = 50.0
    expect.equal(numbers.tolist(), [0.0, 1.0, 2.0, 3.0], what="the row, after writing to the copy")
    expect.equal(y.numpy()[0, 0].tolist(), [0.0, 1.0, 2.0, 3.0], what="another repeat of it")
