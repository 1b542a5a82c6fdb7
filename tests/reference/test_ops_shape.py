"""Ops that move numbers: against NumPy for every layout, and their gradients."""

import numpy as np
import pytest

from minigrad.gradcheck import gradcheck
from minigrad.reference import engine
from minigrad.reference.array import AxisError
from minigrad.reference.creation import asarray
from minigrad.reference.ops.shape import joined, stacked


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


# Odd sizes, gaps, negative steps, repeats, no elements, no axes.
LAYOUTS = {
    "compact": drawn(3, 5),
    "gaps": drawn(6, 10)[::2, 1::2],
    "backwards": drawn(3, 5)[::-1, ::-1],
    "turned": drawn(5, 3).T,
    "repeated": np.broadcast_to(drawn(3, 1), (3, 5)),
    "three axes": drawn(2, 3, 4)[:, ::-1],
    "ones": drawn(1, 3, 1),
    "empty": drawn(0, 3),
    "empty inside": drawn(2, 0, 3),
    "no axes": drawn(),
    "one axis": drawn(7)[::-3],
}
EVERY = pytest.mark.parametrize("x", LAYOUTS.values(), ids=LAYOUTS.keys())


def array(x):
    """An Array over the same memory, strides included."""
    return asarray(x) if x.flags.writeable else asarray(x[:, :1]).expand(x.shape)


def same(out, wanted, view_of=None):
    """Equal in shape, dtype and every number; a view if it must be one."""
    assert out.shape == wanted.shape
    assert str(out.dtype) == str(wanted.dtype)
    np.testing.assert_array_equal(out.numpy(), wanted)
    if view_of is not None:
        assert out.buffer is view_of.buffer


@EVERY
def test_reshape(x):
    a = array(x)
    for shape in [(x.size,), (1, x.size, 1), x.shape[::-1], (*x.shape, 1)]:
        same(engine.reshape(a, shape), x.reshape(shape))
        gradcheck(engine.reshape, a, options={"shape": shape})
    same(engine.reshape(asarray(drawn(2, 6)), (3, -1)), drawn(2, 6).reshape(3, 4))
    compact = asarray(drawn(4, 6))
    same(engine.reshape(compact, (2, 2, 6)), drawn(4, 6).reshape(2, 2, 6), view_of=compact)


@EVERY
def test_permute_dims(x):
    a = array(x)
    orders = {
        tuple(range(x.ndim))[::-1],
        tuple(range(-x.ndim, 0)),
        (*range(1, x.ndim), 0)[: x.ndim],
    }
    for axes in orders:
        same(engine.permute_dims(a, axes), x.transpose(axes), view_of=a)
        gradcheck(engine.permute_dims, a, options={"axes": axes})


def test_permute_dims_of_four_axes():
    x = drawn(2, 3, 4, 5)
    for axes in [(1, 2, 3, 0), (3, 0, 1, 2), (2, 0, -1, 1)]:
        same(engine.permute_dims(asarray(x), axes), x.transpose(axes))
        gradcheck(engine.permute_dims, asarray(x), options={"axes": axes})


@EVERY
def test_matrix_transpose(x):
    if x.ndim < 2:
        with pytest.raises(ValueError, match=r"matrix_transpose: needs two axes or more"):
            engine.matrix_transpose(array(x))
        return
    a = array(x)
    same(engine.matrix_transpose(a), x.swapaxes(-1, -2), view_of=a)
    gradcheck(engine.matrix_transpose, a)


@EVERY
def test_unsqueeze_and_squeeze(x):
    a = array(x)
    for axis in range(-x.ndim - 1, x.ndim + 1):
        wide = engine.unsqueeze(a, axis)
        same(wide, np.expand_dims(x, axis), view_of=a)
        same(engine.squeeze(wide, axis), x, view_of=a)
        gradcheck(engine.unsqueeze, a, options={"axis": axis})
        gradcheck(engine.squeeze, wide, options={"axis": axis})
    same(engine.squeeze(a), x.squeeze(), view_of=a)
    same(engine.unsqueeze(a, (0, -1)), np.expand_dims(x, (0, -1)), view_of=a)
    gradcheck(engine.squeeze, a)


@EVERY
def test_flip(x):
    a = array(x)
    for axis in [None, (), *range(-x.ndim, x.ndim), tuple(range(x.ndim))]:
        same(engine.flip(a, axis), np.flip(x, axis), view_of=a)
        gradcheck(engine.flip, a, options={"axis": axis})


@EVERY
def test_pad(x):
    a = array(x)
    each = tuple((k, 2) for k in range(x.ndim))
    for width in (0, 1, (2, 1), (3,), each):
        if x.ndim:
            same(engine.pad(a, width), np.pad(x, width))
            same(engine.pad(a, width, 1.5), np.pad(x, width, constant_values=1.5))
            gradcheck(engine.pad, a, options={"width": width, "value": 1.5})
    whole = asarray(np.arange(3))
    same(engine.pad(whole, 1, -1), np.array([-1, 0, 1, 2, -1]))


def test_pad_names_what_is_wrong():
    x = asarray(drawn(2, 3))
    for width in [(1, 2, 3), ((1, 1),), ((1, 1), (1, 2, 3)), -1, ((0, 0), (0, -1))]:
        with pytest.raises(ValueError, match=r"pad: width .* for 2 axes: expected an int, a pair"):
            engine.pad(x, width)


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_cat_and_split(axis):
    shape = [3, 5]
    parts = []
    for k, n in enumerate((2, 0, 1, 4)):
        shape[axis] = n
        parts.append(drawn(*shape, seed=k)[::-1])
    arrays = [asarray(p) for p in parts]
    whole = engine.cat(arrays, axis=axis)
    same(whole, np.concatenate(parts, axis))
    gradcheck(joined, *arrays, options={"axis": axis})
    pieces = engine.split(whole, [2, 0, 1, 4], axis=axis)
    assert isinstance(pieces, tuple)
    for piece, part in zip(pieces, parts, strict=True):
        same(piece, part, view_of=whole)


def test_split_by_size_as_in_pytorch():
    x = asarray(drawn(7, 2))
    for size, sizes in [(3, [3, 3, 1]), (7, [7]), (9, [7]), (1, [1] * 7)]:
        assert [p.shape for p in engine.split(x, size)] == [(n, 2) for n in sizes]
    same(engine.split(x, 3)[1], x.numpy()[3:6])
    assert [p.shape for p in engine.split(asarray(drawn(0, 2)), 3)] == [(0, 2)]


def test_cat_and_stack_promote():
    out = engine.cat([asarray([1, 2]), asarray(np.array([0.5])), asarray([True])])
    same(out, np.array([1.0, 2.0, 0.5, 1.0]))
    same(engine.stack([asarray([1, 2]), asarray([0.5, 1.5])]), np.float32([[1.0, 2.0], [0.5, 1.5]]))
    (da, db) = joined.with_vjp(asarray(drawn(2)), asarray(np.float32([1])), axis=0)[1](
        asarray(np.array([1.0, 2.0, 3.0]))
    )
    assert (str(da.dtype), str(db.dtype)) == ("float64", "float32")


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_stack(axis):
    parts = [drawn(3, 5, seed=k)[:, ::-1] for k in range(3)]
    arrays = [asarray(p) for p in parts]
    same(engine.stack(arrays, axis=axis), np.stack(parts, axis))
    gradcheck(stacked, *arrays, options={"axis": axis})
    same(engine.stack([asarray(drawn()), asarray(drawn())]), np.stack([drawn(), drawn()]))


def test_cat_stack_and_split_name_what_is_wrong():
    a, b = asarray(drawn(2, 3)), asarray(drawn(2, 4))
    with pytest.raises(ValueError, match=r"cat: shapes \(2, 3\) and \(2, 4\) may differ in axis 0"):
        engine.cat([a, b])
    with pytest.raises(ValueError, match=r"cat: shapes \(2, 3\) and \(3,\)"):
        engine.cat([a, asarray(drawn(3))], axis=0)
    with pytest.raises(AxisError, match=r"cat: axis 2 is out of range for an array with 2 axes"):
        engine.cat([a, a], axis=2)
    with pytest.raises(ValueError, match=r"cat: expected at least one array, got none"):
        engine.cat([])
    with pytest.raises(ValueError, match=r"stack: shapes \(2, 3\) and \(2, 4\) differ"):
        engine.stack([a, b])
    with pytest.raises(ValueError, match=r"stack: expected at least one array"):
        engine.stack([])
    with pytest.raises(AxisError, match=r"stack: axis 3 is out of range"):
        engine.stack([a, a], axis=3)
    with pytest.raises(ValueError, match=r"split: a piece must have size 1 or more, got 0"):
        engine.split(a, 0)
    for sizes in ([1, 2], [3, -1], []):
        with pytest.raises(ValueError, match=r"split: sizes .* do not add up to axis 0"):
            engine.split(a, sizes)


@EVERY
def test_tile(x):
    a = array(x)
    for reps in (1, 2, (2, 3), (2, 1, 1, 3), 0, (0, 2), ()):
        same(engine.tile(a, reps), np.tile(x, reps))
        gradcheck(engine.tile, a, options={"reps": reps})
    with pytest.raises(ValueError, match=r"tile: repetitions must be 0 or more, got \(2, -1\)"):
        engine.tile(a, (2, -1))


@EVERY
def test_roll(x):
    a = array(x)
    for shift in (0, 1, -2, 17):
        for axis in [None, *range(-x.ndim, x.ndim)]:
            same(engine.roll(a, shift, axis), np.roll(x, shift, axis))
            gradcheck(engine.roll, a, options={"shift": shift, "axis": axis})
    if x.ndim > 1:
        for shift, axis in [((1, -1), (0, 1)), (2, (0, 1)), ((1, 3), (1, 1))]:
            same(engine.roll(a, shift, axis), np.roll(x, shift, axis))
            gradcheck(engine.roll, a, options={"shift": shift, "axis": axis})


def test_roll_names_what_is_wrong():
    with pytest.raises(ValueError, match=r"roll: 2 shifts for 1 axes"):
        engine.roll(asarray(drawn(2, 3)), (1, 2), 0)
    with pytest.raises(AxisError, match=r"roll: axis 2 is out of range"):
        engine.roll(asarray(drawn(2, 3)), 1, 2)


def test_what_is_no_int_is_named():
    x = asarray(drawn(2, 3))
    for name, call in {
        "pad": lambda: engine.pad(x, 1.5),
        "pad ": lambda: engine.pad(x, ((1, 1), (1, "a"))),
        "tile": lambda: engine.tile(x, (2, 1.0)),
        "roll": lambda: engine.roll(x, None),
        "split": lambda: engine.split(x, 1.0),
    }.items():
        with pytest.raises(TypeError, match=rf"^{name.strip()}: expected an int or several, got"):
            call()
    for name, call in {
        "cat": lambda: engine.cat([x, x], axis=None),
        "stack": lambda: engine.stack([x, x], axis=(0,)),
        "split": lambda: engine.split(x, 1, axis=None),
        "roll": lambda: engine.roll(x, 1, (0, None)),
    }.items():
        with pytest.raises(TypeError, match=rf"^{name}: axis is one int, got"):
            call()
    two = np.int64(2)
    same(engine.tile(x, two), np.tile(drawn(2, 3), 2))
    same(engine.roll(x, two, 1), np.roll(drawn(2, 3), 2, 1))
    same(engine.pad(x, (two, two)), np.pad(drawn(2, 3), 2))
    same(engine.split(x, two, 1)[1], drawn(2, 3)[:, 2:])


def test_whole_numbers_and_bools_are_moved_too():
    x = np.arange(6).reshape(2, 3)
    for kind in (x, x > 2, x.astype(np.float32)):
        a = asarray(kind)
        same(engine.flip(a), np.flip(kind))
        same(engine.tile(a, 2), np.tile(kind, 2))
        same(engine.roll(a, 1, 1), np.roll(kind, 1, 1))
        same(engine.cat([a, a]), np.concatenate([kind, kind]))
        same(engine.pad(a, 1), np.pad(kind, 1))
