"""Other ways to read a buffer: repeated (2.3), reshaped (2.7)."""

from itertools import permutations, product

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.reference import memory, strides
from minigrad.reference.creation import asarray


def elements(array):
    """The strides of an ndarray in elements."""
    return tuple(s // array.itemsize for s in array.strides)


def same_steps(got, want, shape, *, what, inputs):
    """The strides agree wherever an axis takes a step at all; with size 1 it takes none."""
    if isinstance(got, tuple) and len(got) == len(shape):
        want = tuple(w if n > 1 else g for g, w, n in zip(got, want, shape, strict=True))
    expect.equal(got, want, what=what, inputs=inputs)


@pytest.mark.exercise("2.3")
def test_what_is_repeated_has_stride_0():
    by_hand = [
        ((3, 1), (2, 7), (3, 4), (2, 0)),
        ((1, 4), (4, 1), (3, 4), (0, 1)),
        ((1, 1), (1, 1), (3, 4), (0, 0)),
        ((4,), (1,), (3, 4), (0, 1)),
        ((4,), (-2,), (2, 3, 4), (0, 0, -2)),
        ((2, 1, 5), (35, 7, 1), (2, 3, 5), (35, 0, 1)),
        ((2, 1), (6, 3), (4, 2, 3), (0, 6, 0)),
        ((), (), (2, 3), (0, 0)),
        ((1,), (5,), (6,), (0,)),
    ]
    for shape, steps, target, want in by_hand:
        given = {"shape": shape, "strides": steps, "target": target}
        got = strides.expanded_strides(shape, steps, target)
        same_steps(got, want, target, what="expanded_strides(shape, strides, target)", inputs=given)


@pytest.mark.exercise("2.3")
def test_what_already_fits_keeps_its_strides():
    for shape, steps in [((3, 4), (4, 1)), ((3, 4), (-1, 3)), ((2,), (0,)), ((), ())]:
        given = {"shape": shape, "strides": steps, "target": shape}
        got = strides.expanded_strides(shape, steps, shape)
        expect.equal(got, steps, what="expanded_strides(shape, strides, target)", inputs=given)


@pytest.mark.exercise("2.3")
def test_a_size_of_1_may_become_0():
    for shape, steps, target in [((1, 3), (3, 1), (0, 3)), ((1,), (1,), (0,)), ((), (), (0, 2))]:
        given = {"shape": shape, "strides": steps, "target": target}
        got = strides.expanded_strides(shape, steps, target)
        expect.equal(len(got), len(target), what="the number of strides", inputs=given)
        y = asarray(np.ones(shape)).expand(target)
        expect.equal(y.numpy().shape, target, what="the shape of x.expand(target)", inputs=given)


@pytest.mark.exercise("2.3")
def test_expand_reads_as_numpys_broadcast_and_copies_nothing():
    numbers = np.arange(1.0, 7.0)
    for shape, target in [
        ((6,), (4, 6)),
        ((6, 1), (6, 5)),
        ((1, 6), (3, 6)),
        ((2, 1, 3), (2, 7, 3)),
        ((3, 1, 2), (2, 3, 4, 2)),
        ((1, 1, 6), (5, 2, 6)),
    ]:
        given = {"x": f"1..6 as {shape}", "target": target}
        before = numbers.reshape(shape)
        x = asarray(before)
        with memory.counting() as count:
            y = x.expand(target)
        want = np.broadcast_to(before, target)
        expect.equal(y.shape, target, what="the shape of x.expand(target)", inputs=given)
        expect.equal(y.tolist(), want.tolist(), what="x.expand(target)", inputs=given)
        same_steps(y.strides, elements(want), target, what="x.expand(target).strides", inputs=given)
        expect.that(y.buffer is x.buffer, "the result reads the buffer of x", inputs=given)
        expect.equal(count.calls, 0, what="the number of times that memory was taken", inputs=given)


@pytest.mark.exercise("2.3")
def test_a_view_can_be_repeated_too():
    x = asarray(np.arange(12.0).reshape(3, 4)).sliced((slice(None, None, -1), slice(1, 2)))
    y = x.expand(2, 3, 5)
    given = {"x": "0..11 as (3, 4), then [::-1, 1:2]"}
    want = [[[9.0] * 5, [5.0] * 5, [1.0] * 5]] * 2
    expect.equal(y.tolist(), want, what="x.expand(2, 3, 5)", inputs=given)
    expect.equal((y.strides, y.offset), ((0, -4, 0), 9), what="its (strides, offset)", inputs=given)


@pytest.mark.exercise("2.3")
def test_what_cannot_be_repeated_is_refused():
    x = asarray(np.ones((2, 3)))
    expect.equal(x.expand(5, 2, 3).shape, (5, 2, 3), what="the shape of (2, 3), expanded")
    for target, match in [
        ((2, 4), r"axis -1 has size 3, and only size 1 can become 4"),
        ((4, 3), r"axis -2 has size 2"),
        ((3,), r"has more axes than"),
        ((2, 1), r"axis -1 has size 3"),
    ]:
        expect.raises(
            ValueError,
            lambda t=target: x.expand(t),
            what="expanding (2, 3) to something else",
            match=match,
            inputs={"target": target},
        )


@pytest.mark.exercise("2.7")
def test_strides_for_another_shape():
    by_hand = [
        ((12,), (1,), (3, 4), (4, 1)),
        ((3, 4), (4, 1), (12,), (1,)),
        ((3, 4), (4, 1), (2, 6), (6, 1)),
        ((3, 4), (4, 1), (3, 2, 2), (4, 2, 1)),
        ((12,), (-2,), (3, 4), (-8, -2)),
        ((3, 4), (0, 1), (3, 2, 2), (0, 2, 1)),
        ((2, 3, 4), (24, 4, 1), (2, 12), (24, 1)),
        ((2, 3, 4), (24, 4, 1), (2, 2, 6), (24, 6, 1)),
        ((6, 4), (20, 5), (2, 3, 4), (60, 20, 5)),
        ((5, 6), (1, 5), (5, 3, 2), (1, 10, 5)),
        ((2, 3), (0, 0), (3, 2), (0, 0)),
        ((7,), (3,), (7,), (3,)),
    ]
    for shape, steps, target, want in by_hand:
        given = {"shape": shape, "strides": steps, "target": target}
        got = strides.reshaped_strides(shape, steps, target)
        expect.equal(got, want, what="reshaped_strides(shape, strides, target)", inputs=given)


@pytest.mark.exercise("2.7")
def test_where_no_strides_will_do():
    for shape, steps, target in [
        ((4, 3), (1, 4), (12,)),
        ((4, 3), (1, 4), (3, 4)),
        ((4, 3), (1, 4), (2, 6)),
        ((3, 4), (5, 1), (12,)),
        ((3, 4), (5, 1), (2, 6)),
        ((3, 4), (0, 1), (12,)),
        ((3, 4), (-4, 1), (12,)),
        ((6, 4), (8, 1), (8, 3)),
        ((2, 3, 4), (24, 4, 1), (6, 4)),
        ((2, 3, 4), (24, 4, 1), (4, 6)),
    ]:
        given = {"shape": shape, "strides": steps, "target": target}
        got = strides.reshaped_strides(shape, steps, target)
        expect.equal(got, None, what="reshaped_strides(shape, strides, target)", inputs=given)


@pytest.mark.exercise("2.7")
def test_axes_of_size_1_come_and_go():
    by_hand = [
        ((3, 1, 4), (4, 99, 1), (12,), (1,)),
        ((1, 6), (-5, 2), (6, 1), (2, 0)),
        ((6,), (2,), (1, 6), (0, 2)),
        ((6,), (2,), (1, 2, 1, 3, 1), (0, 6, 0, 2, 0)),
        ((1,), (7,), (1, 1), (0, 0)),
        ((), (), (1, 1), (0, 0)),
        ((1, 1), (3, 5), (), ()),
        ((2, 1, 3), (9, -1, 3), (1, 6), (0, 3)),
    ]
    for shape, steps, target, want in by_hand:
        given = {"shape": shape, "strides": steps, "target": target}
        got = strides.reshaped_strides(shape, steps, target)
        same_steps(got, want, target, what="reshaped_strides(shape, strides, target)", inputs=given)


FACTORS = {
    24: [(24,), (2, 12), (12, 2), (4, 6), (2, 3, 4), (4, 3, 2), (2, 2, 2, 3), (1, 8, 3), (3, 8, 1)],
    12: [(12,), (3, 4), (4, 3), (2, 6), (2, 2, 3), (2, 3, 2), (6, 1, 2), (1, 12)],
    8: [(8,), (2, 4), (4, 2), (2, 2, 2), (8, 1)],
}


@pytest.mark.exercise("2.7")
def test_numpy_copies_where_we_copy_and_nowhere_else():
    row = np.arange(96)
    box = row[:24].reshape(2, 3, 4)
    views = [
        *(box.transpose(order) for order in permutations(range(3))),
        *(box[::a, ::b, ::c] for a, b, c in product((1, -1), repeat=3)),
        box[:, 1:, :],
        box[:, :, ::2],
        box[:, ::2, ::-2],
        row[::4].reshape(4, 6),
        row.reshape(8, 12)[::2, ::2],
        np.broadcast_to(row[:4], (3, 4)),
        np.broadcast_to(row[:3, None], (3, 4)),
    ]
    for view in views:
        steps = elements(view)
        for target in FACTORS.get(view.size, []):
            reshaped = view.reshape(target)
            given = {"shape": view.shape, "strides": steps, "target": target}
            got = strides.reshaped_strides(view.shape, steps, target)
            want = elements(reshaped) if np.shares_memory(reshaped, view) else None
            if want is None:
                expect.equal(
                    got, None, what="reshaped_strides(shape, strides, target)", inputs=given
                )
            else:
                same_steps(
                    got, want, target, what="reshaped_strides(shape, strides, target)", inputs=given
                )


@pytest.mark.exercise("2.7")
def test_reshape_reads_the_same_numbers_in_the_same_order():
    numbers = np.arange(24.0).reshape(2, 3, 4)
    x = asarray(numbers)
    for view, before in [
        (x, numbers),
        (x.permute_dims(2, 0, 1), numbers.transpose(2, 0, 1)),
        (x.flip(0), np.flip(numbers, 0)),
        (x.sliced((slice(None), slice(None, None, -1))), numbers[:, ::-1]),
    ]:
        for target in [*FACTORS[24], (-1, 4), (2, -1), (4, -1, 2)]:
            with memory.counting() as count:
                y = view.reshape(target)
            want = before.reshape(target)
            copied = not np.shares_memory(want, numbers)
            given = {"shape": view.shape, "strides": view.strides, "target": target}
            expect.equal(y.shape, want.shape, what="the shape of x.reshape(target)", inputs=given)
            expect.equal(y.tolist(), want.tolist(), what="x.reshape(target)", inputs=given)
            expect.equal(
                count.calls, int(copied), what="the number of copies that were made", inputs=given
            )


@pytest.mark.exercise("2.7")
def test_an_array_without_elements_takes_any_shape_without_elements():
    x = asarray(np.ones((3, 0)))
    for target in [(0,), (0, 7), (2, 0, 5), (0, 0)]:
        expect.equal(x.reshape(target).shape, target, what="x.reshape(target) of a (3, 0)")


@pytest.mark.exercise("2.7")
def test_sizes_that_do_not_agree_are_refused():
    x = asarray(np.ones((3, 4)))
    expect.equal(x.reshape(2, -1).shape, (2, 6), what="the shape of (3, 4), reshaped to (2, -1)")
    for target, match in [
        ((5, 2), "has 12 elements, but"),
        ((-1, -1), "more than one -1"),
        ((-1, 5), "no size for -1"),
        ((-2, 6), "below 0"),
    ]:
        expect.raises(
            ValueError,
            lambda t=target: x.reshape(t),
            what="reshaping (3, 4) to target",
            match=match,
            inputs={"target": target},
        )
