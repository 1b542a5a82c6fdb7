"""What an Array is to Python: its repr, scalars, iteration, devices, views by name, axes."""

import math
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.reference import memory
from minigrad.reference.array import AxisError
from minigrad.reference.creation import asarray, zeros
from minigrad.reference.shapes import broadcast_shapes, normalise_axis, reshape_target


def box() -> Any:
    return asarray(np.arange(24.0).reshape(2, 3, 4), dtype="float32")


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        ([[1.0, 2.0]], "Array([[1., 2.]], shape=(1, 2), dtype=float32)"),
        (3, "Array(3, shape=(), dtype=int64)"),
        (0.1, "Array(0.1, shape=(), dtype=float32)"),
        ([True, False], "Array([ True, False], shape=(2,), dtype=bool)"),
        ([], "Array([], shape=(0,), dtype=float32)"),
        ([math.nan, math.inf], "Array([nan, inf], shape=(2,), dtype=float32)"),
        (
            [[1, 2], [30, 4]],
            "Array([[ 1,  2],\n       [30,  4]], shape=(2, 2), dtype=int64)",
        ),
        (np.zeros((3, 0)), "Array([], shape=(3, 0), dtype=float64)"),
        (
            list(range(18)),
            "Array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n"
            "       17], shape=(18,), dtype=int64)",
        ),
        (
            list(range(11)),
            "Array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10],\n      shape=(11,), dtype=int64)",
        ),
        (
            list(range(16)),
            "Array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15],\n"
            "      shape=(16,), dtype=int64)",
        ),
    ],
)
def test_repr(obj: object, text: str) -> None:
    assert repr(asarray(obj)) == text


def test_the_repr_of_a_large_array_is_short() -> None:
    text = repr(zeros((1000, 1000)))
    assert "..." in text
    assert len(text.splitlines()) <= 8
    assert text.endswith("shape=(1000, 1000), dtype=float32)")
    assert repr(box().T.flip(0)).count("[") == 1 + 4 + 12


@pytest.mark.parametrize("obj", [2.5, [2.5], [[2.5]], 7, [True]])
def test_one_element_is_a_number(obj: Any) -> None:
    x = asarray(obj)
    number = np.array(obj).reshape(-1)[0]
    assert (x.item(), float(x), int(x), bool(x)) == (number, float(number), int(number), True)
    assert type(x.item()) in (bool, int, float)
    assert x.tolist() == obj


@pytest.mark.parametrize("shape", [(2,), (0,), (1, 3)])
def test_several_elements_are_not(shape: tuple[int, ...]) -> None:
    x = zeros(shape)
    for convert in (float, int, lambda a: a.item()):
        with pytest.raises(ValueError, match=r"^item: only an array of one element has one"):
            convert(x)
    with pytest.raises(ValueError, match=r"is neither true nor false; use any or all\.$"):
        bool(x)


def test_length_and_iteration() -> None:
    x = box()
    assert len(x) == 2
    assert [row.shape for row in x] == [(3, 4)] * 2
    assert all(row.buffer is x.buffer for row in x)
    assert list(zeros((0, 3))) == []
    for call in (len, iter):
        with pytest.raises(TypeError, match="0-d"):
            call(asarray(1.0))  # type: ignore[operator]


def test_equality_is_elementwise_and_hash_is_identity() -> None:
    x, y = asarray([1, 2]), asarray([1, 3])
    assert (x == y).tolist() == [True, False]
    assert (x != y).tolist() == [False, True]
    assert len({x, y, x}) == 2
    assert hash(x) != hash(asarray(x, copy=True))


def test_an_array_can_be_weakly_referenced_and_has_no_other_attributes() -> None:
    x = zeros(3)
    seen = weakref.ref(x)
    with pytest.raises(AttributeError):
        x.name = "x"
    del x
    assert seen() is None


@pytest.mark.parametrize(
    ("device", "match"),
    [
        ("cpu", r"device 'cpu' comes with chapter 13\."),
        ("cudasim", r"device 'cudasim' comes with chapter 15\."),
        ("cuda", r"device 'cuda' comes with chapter 15\."),
        ("gpu", r"there is no device 'gpu'; there is 'numpy'\."),
        (0, r"there is no device 0"),
    ],
)
def test_devices_that_are_not_there(device: Any, match: str) -> None:
    x = zeros(2)
    assert x.device == "numpy"
    assert x.to("numpy") is x
    for call in (x.to, lambda d: zeros(2, device=d), lambda d: asarray(1.0, device=d)):
        with pytest.raises(ValueError, match=match):
            call(device)


VIEWS = [
    ("reshape", lambda x: x.reshape(4, 6), lambda a: a.reshape(4, 6)),
    ("reshape of a tuple", lambda x: x.reshape((3, -1)), lambda a: a.reshape(3, -1)),
    ("permute_dims", lambda x: x.permute_dims(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    (
        "permute_dims of a tuple",
        lambda x: x.permute_dims((-1, 0, 1)),
        lambda a: a.transpose(2, 0, 1),
    ),
    ("T", lambda x: x.T, lambda a: a.T),
    ("mT", lambda x: x.mT, lambda a: a.swapaxes(-1, -2)),
    ("expand", lambda x: x.expand(5, 2, 3, 4), lambda a: np.broadcast_to(a, (5, 2, 3, 4))),
    ("squeeze", lambda x: x[:, :1].squeeze(1), lambda a: a[:, 0]),
    ("squeeze all", lambda x: x[:1, :, :1].squeeze(), lambda a: a[0, :, 0]),
    ("squeeze two", lambda x: x[:1, :, :1].squeeze((0, -1)), lambda a: a[0, :, 0]),
    ("unsqueeze", lambda x: x.unsqueeze(1), lambda a: a[:, None]),
    ("unsqueeze at the end", lambda x: x.unsqueeze(-1), lambda a: a[..., None]),
    ("unsqueeze two", lambda x: x.unsqueeze((0, 2)), lambda a: a[None, :, None]),
    ("flip", lambda x: x.flip((0, -1)), lambda a: a[::-1, :, ::-1]),
]


@pytest.mark.parametrize(("name", "ours", "theirs"), VIEWS, ids=[v[0] for v in VIEWS])
def test_views_by_name(name: str, ours: Any, theirs: Any) -> None:
    x = box()
    with memory.counting() as count:
        y = ours(x)
    np.testing.assert_array_equal(y.numpy(), theirs(x.numpy()), strict=True)
    assert count.calls == 0
    assert y.buffer is x.buffer


@pytest.mark.parametrize(
    ("call", "kind", "match"),
    [
        (lambda x: x.squeeze(0), ValueError, r"^squeeze: axis 0 has size 2, not 1\.$"),
        (lambda x: x.squeeze(3), AxisError, r"^squeeze: axis 3 is out of range .* 3 axes\.$"),
        (lambda x: x.unsqueeze(4), AxisError, r"^unsqueeze: axis 4 is out of range .* 4 axes\.$"),
        (lambda x: x.unsqueeze((0, 0)), AxisError, r"^unsqueeze: axis 0 is given twice\.$"),
        (lambda x: x.flip((0, -3)), AxisError, r"^flip: axis 0 is given twice\.$"),
        (lambda x: x.flip(1.5), TypeError, r"^flip: an axis is an int, got 1\.5\.$"),
        (lambda x: x.permute_dims(0, 1), ValueError, r"^permute_dims: 3 axes, but 2 are named"),
        (lambda x: x.permute_dims(0, 1, -4), IndexError, r"axis -4 is out of range"),
        (lambda x: x[0, 0].mT, ValueError, r"^matrix_transpose: needs two axes or more"),
        (lambda x: x.reshape(5, 5), ValueError, r"has 24 elements, but \(5, 5\) has 25\.$"),
        (lambda x: x.reshape(-1, -1), ValueError, r"more than one -1"),
        (lambda x: x.reshape(-1, 7), ValueError, r"24 elements .* cannot fill \(-1, 7\)"),
        (lambda x: x.reshape(-1, 0), ValueError, r"no size for -1 gives 24"),
        (lambda x: x.reshape(2.0, 12), TypeError, r"^reshape: a shape is an int or a tuple"),
        (lambda x: x.expand(3, 4), ValueError, r"^expand: shape \(2, 3, 4\) has more axes"),
        (lambda x: x.expand(-1, 3, 4), ValueError, r"^expand: shape .* has a size below 0"),
        (lambda x: x.astype("int32"), TypeError, r"int32 is not supported"),
    ],
)
def test_views_that_cannot_be(call: Any, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match):
        call(box())


def test_shapes_that_do_not_broadcast() -> None:
    assert broadcast_shapes("mul", (3, 1), (4,)) == (3, 4)
    assert broadcast_shapes("mul", (0, 1), (1, 5), ()) == (0, 5)
    assert broadcast_shapes("mul", (2,)) == (2,)
    message = r"^mul: shapes \(3,\) and \(4,\) cannot be broadcast: axis -1 is 3 and 4\.$"
    with pytest.raises(ValueError, match=message):
        broadcast_shapes("mul", (3,), (4,))
    with pytest.raises(ValueError, match=r"\(2, 5\) and \(3, 1\) .* axis -2 is 2 and 3"):
        broadcast_shapes("add", (5,), (2, 1), (3, 1))
    with pytest.raises(ValueError, match="axis -1 is 0 and 2"):
        broadcast_shapes("add", (0,), (2,))


@given(st.lists(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=3), min_size=1, max_size=3))
def test_broadcast_shapes_is_numpys(shapes: list[list[int]]) -> None:
    given_shapes = [tuple(s) for s in shapes]
    try:
        want = np.broadcast_shapes(*given_shapes)
    except ValueError:
        with pytest.raises(ValueError, match="cannot be broadcast"):
            broadcast_shapes("op", *given_shapes)
    else:
        assert broadcast_shapes("op", *given_shapes) == want


def test_axes() -> None:
    assert normalise_axis("sum", None, 3) == (0, 1, 2)
    assert normalise_axis("sum", -1, 3) == (2,)
    assert normalise_axis("sum", (2, -3), 3) == (2, 0)
    assert normalise_axis("sum", (), 3) == ()
    assert normalise_axis("sum", asarray(1), 2) == (1,)
    with pytest.raises(AxisError, match=r"^sum: axis 0 is out of range for an array with 0 axes"):
        normalise_axis("sum", 0, 0)
    assert issubclass(AxisError, IndexError)
    assert issubclass(AxisError, ValueError)
    assert reshape_target((0, 3), (0, 7)) == (0, 7)
