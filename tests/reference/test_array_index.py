"""x[...] and x[...] = v against NumPy: ints, slices, None, dots, integer arrays, lists, masks, in
every combination.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.reference.array import Array
from minigrad.reference.creation import asarray

Shape = tuple[int, ...]
SHAPES = st.lists(st.integers(0, 4), min_size=0, max_size=4).map(tuple)


def numbers(shape: Shape) -> np.ndarray[Any, Any]:
    return np.arange(1, 1 + int(np.prod(shape))).reshape(shape)


@st.composite
def slices(draw: st.DrawFn) -> slice:
    bound = st.none() | st.integers(-6, 6)
    step = draw(st.none() | st.integers(-3, 3).filter(lambda s: s != 0))
    return slice(draw(bound), draw(bound), step)


@st.composite
def basic(draw: st.DrawFn, shape: Shape) -> tuple[Any, ...]:
    """Ints, slices, None and one `...`, for some of the axes."""
    parts: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        choice = slices() | (st.integers(-size, size - 1) if size else st.nothing())
        parts.append(draw(choice))
    if draw(st.booleans()) and len(parts) == len(shape):
        parts.insert(draw(st.integers(0, len(parts))), Ellipsis)
    for _ in range(draw(st.integers(0, 2))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return tuple(parts)


@st.composite
def mixed(draw: st.DrawFn, shape: Shape) -> tuple[Any, ...]:
    """Any index: index arrays that broadcast together, masks of one or two axes, the rest basic."""
    common = draw(st.lists(st.integers(1, 3), min_size=0, max_size=2))
    count = int(np.prod(common))
    parts: list[Any] = []
    axis = 0
    while axis < len(shape):
        size = shape[axis]
        kinds = ["slice"] + ["int", "array", "row"] * bool(size)
        if len(common) <= 1 and size >= (count if common else 1):
            kinds.append("mask")
        kind = draw(st.sampled_from(kinds))
        if kind == "slice":
            parts.append(draw(slices()))
        elif kind == "int":
            parts.append(draw(st.integers(-size, size - 1)))
        elif kind == "array":
            values = st.lists(st.integers(-size, size - 1), min_size=count, max_size=count)
            parts.append(np.array(draw(values), dtype=np.int64).reshape(common))
        elif kind == "row":
            values = st.lists(st.integers(-size, size - 1), min_size=1, max_size=1)
            parts.append(draw(values))
        else:
            chosen = draw(st.permutations(range(size)))[: count if common else 1]
            mask = np.zeros(size, bool)
            mask[list(chosen)] = True
            parts.append(mask)
        axis += 1
    keep = draw(st.integers(0, len(parts)))
    parts = parts[:keep]
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), None)
    if draw(st.booleans()):
        parts.append(Ellipsis)
    return tuple(parts)


@given(st.data())
def test_basic_indices_make_views(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    array = numbers(shape)
    index = data.draw(basic(shape))
    x = asarray(array)
    y, want = x[index], array[index]
    np.testing.assert_array_equal(y.numpy(), want, strict=isinstance(want, np.ndarray))
    assert y.shape == np.shape(want)
    assert y.buffer is x.buffer


@given(st.data())
def test_every_combination_with_arrays_and_masks(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    array = numbers(shape)
    index = data.draw(mixed(shape))
    x = asarray(array)
    try:
        want = array[index]
    except IndexError:  # index arrays that do not broadcast together
        with pytest.raises(IndexError):
            x[index]
        return
    got = x[index]
    assert got.shape == np.shape(want)
    np.testing.assert_array_equal(got.numpy(), want)
    ours = tuple(asarray(p) if isinstance(p, np.ndarray) else p for p in index)
    np.testing.assert_array_equal(x[ours].numpy(), want)


@given(st.data())
def test_masks_of_several_axes(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 3), min_size=2, max_size=4).map(tuple))
    array = numbers(shape)
    start = data.draw(st.integers(0, len(shape) - 2))
    stop = data.draw(st.integers(start + 1, len(shape)))
    count = int(np.prod(shape[start:stop]))
    bits = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    mask = np.array(bits, dtype=bool).reshape(shape[start:stop])
    index = (*(slice(None, None, -1),) * start, mask)
    np.testing.assert_array_equal(asarray(array)[index].numpy(), array[index], strict=True)


@given(st.data())
def test_writing_is_numpys(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    array = numbers(shape).astype(np.float64)
    index = data.draw(st.one_of(basic(shape), mixed(shape)))
    try:
        place = np.shape(array[index])
    except IndexError:
        return
    kept = [1 if data.draw(st.booleans()) else n for n in place]
    kept = kept[data.draw(st.integers(0, len(kept))) :]
    value = -numbers(tuple(kept)) - 0.5
    x = asarray(array, copy=True)
    x[index] = value if data.draw(st.booleans()) else asarray(value)
    array[index] = value
    np.testing.assert_array_equal(x.numpy(), array)


@pytest.mark.parametrize("where", [True, False, np.True_, np.array(True)])
def test_one_bool_is_a_mask_of_no_axes(where: Any) -> None:
    array = numbers((2, 3))
    np.testing.assert_array_equal(asarray(array)[where].numpy(), array[where])


@pytest.mark.parametrize(
    ("index", "match"),
    [
        (3, r"^index: 3 is out of range for axis 0 with size 3\.$"),
        (-4, r"^index: -4 is out of range for axis 0 with size 3\.$"),
        ((0, 4), r"^index: 4 is out of range for axis 1 with size 4\.$"),
        ((slice(None), None, -5), r"-5 is out of range for axis 1 with size 4"),
        ((..., 4), r"4 is out of range for axis 1 with size 4"),
        ([0, 3], r"^index: 3 at position \(1,\) is out of range for axis 0 with size 3\.$"),
        ((0, [[0, 1], [2, -5]]), r"^index: -5 at position \(1, 1\) is out of range for axis 1"),
        ((0, 0, 0), r"^index: 3 axes are indexed, but shape \(3, 4\) has 2\.$"),
        ((..., 0, ...), r"^index: '\.\.\.' can stand only once\.$"),
        (np.ones(4, bool), r"^index: a mask of shape \(4,\) stands where .* shape \(3,\)"),
        (np.ones((3, 3), bool), r"a mask of shape \(3, 3\) stands where .* shape \(3, 4\)"),
        ((0, np.ones(3, bool)), r"a mask of shape \(3,\) stands where .* \(4,\) \(from axis 1\)"),
        (1.0, r"^index: expected ints, slices, .* got float 1\.0\.$"),
        ("a", r"got str 'a'"),
        ([0.5], r"got list of float64"),
        (np.ones(3), r"got ndarray of float64"),
        ([[0], [1, 2]], r"must not be ragged"),
        ([None], r"got list of object"),
        ({0}, r"got set"),
    ],
)
def test_what_is_no_index_names_axis_and_position(index: Any, match: str) -> None:
    x = asarray(numbers((3, 4)))
    with pytest.raises(IndexError, match=match):
        x[index]
    with pytest.raises(IndexError, match=match):
        x[index] = 0


def test_slices_of_something_else() -> None:
    x = asarray(numbers((3, 4)))
    with pytest.raises(TypeError, match=r"^index: a slice's bounds are ints or None, got 1\.5\.$"):
        x[1.5:]  # type: ignore[misc]
    with pytest.raises(ValueError, match="the slice of axis 1 has step 0"):
        x[:, ::0]


def test_index_arrays_that_do_not_broadcast() -> None:
    x = asarray(numbers((3, 4)))
    with pytest.raises(IndexError):
        x[[0, 1], [0, 1, 2]]
    with pytest.raises(IndexError):
        x[[0, 1], [0, 1, 2]] = 0


def test_sliced_makes_views_only() -> None:
    x = asarray(numbers((3, 4)))
    assert isinstance(x.sliced((1, slice(2))), Array)
    with pytest.raises(IndexError, match="integer arrays and masks make no view"):
        x.sliced([0, 1])


def test_an_array_can_be_an_index_of_anything() -> None:
    one = asarray(2)
    assert "abcd"[one] == "c"
    assert asarray(numbers((4,)))[one].item() == 3
    assert list(range(asarray(3))) == [0, 1, 2]
    for wrong in (asarray(1.0), asarray([1]), asarray(True)):
        with pytest.raises(TypeError, match="only a 0-d integer array is an index"):
            "abcd"[wrong]
