"""Copies, casts, and writing into an Array: x[...] = v, +=, copy_ and the like."""

import math
from typing import Any

import numpy as np
import pytest

from minigrad.reference.creation import asarray, zeros


def box() -> Any:
    return asarray(np.arange(24.0).reshape(2, 3, 4), dtype="float32")


def test_astype_and_copy() -> None:
    x = asarray([2.7, -2.7, 0.0]).flip()
    assert x.astype("int64").tolist() == [0, -2, 2]
    assert x.astype("bool").tolist() == [False, True, True]
    assert x.astype("float32") is not x
    assert not np.shares_memory(x.astype("float32").numpy(), x.numpy())
    y = x.copy()
    assert (y.offset, y.strides, y.tolist()) == (0, (1,), x.tolist())


@pytest.mark.parametrize(
    ("dtype", "value", "kept"),
    [
        ("float32", 1.5, 1.5),
        ("int64", 1.9, 1),
        ("int64", -1.9, -1),
        ("bool", 3, True),
        ("float64", True, 1.0),
        ("float32", 1e300, math.inf),
    ],
)
def test_a_value_is_cast_when_written(dtype: str, value: Any, kept: Any) -> None:
    x = zeros((2, 2), dtype=dtype)
    x[1] = value
    assert x.tolist() == [[0, 0], [kept, kept]]
    x[0] = asarray([value, 0])
    assert x[0, 0].item() == kept


def test_a_value_is_broadcast_when_written() -> None:
    x = box()
    x[:, 1:] = [[[10.0]], [[20.0]]]
    assert x[0, 0].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert x[1, 1:].tolist() == [[20.0] * 4] * 2
    x[0] = [[1.0, 2.0, 3.0, 4.0]]
    x[1, 0] = [[[9.0]]]
    assert x[0, 2].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert x[1, 0].tolist() == [9.0] * 4
    for index, value, match in [
        (0, [1.0, 2.0], r"^setitem: shape \(2,\) cannot be expanded to \(3, 4\): axis -1"),
        ((0, 0, 0), [1.0, 2.0], r"^setitem: shape \(2,\) has more axes than \(\)"),
        ([0, 1], np.zeros((3, 3, 4)), r"^setitem: shape \(3, 3, 4\) cannot be expanded"),
        (slice(5, 5), np.zeros((2, 3, 4)), r"cannot be expanded to \(0, 3, 4\)"),
    ]:
        with pytest.raises(ValueError, match=match):
            x[index] = value
    with pytest.raises(TypeError, match="expected numbers or arrays, got str"):
        x[0] = "1"
    with pytest.raises(TypeError, match="complex"):
        x[0] = 1j


def test_a_view_can_be_written_to_from_itself() -> None:
    x = asarray([1, 2, 3, 4, 5])
    x[1:] = x[:-1]
    assert x.tolist() == [1, 1, 2, 3, 4]
    x[...] = x[::-1]
    assert x.tolist() == [4, 3, 2, 1, 1]


def test_several_values_for_one_repeated_element() -> None:
    x = zeros(3).expand(2, 3)
    x[0, 1] = 7.0
    x[1, 1:] = [8.0, 9.0]
    assert x.tolist() == [[0.0, 8.0, 9.0]] * 2
    for index in (..., (slice(None), 1), [0, 1], np.ones((2, 3), bool)):
        with pytest.raises(ValueError, match="several values to one repeated element"):
            x[index] = 1.0
    x[:0] = 5.0
    x[1:] = 4.0
    assert x.tolist() == [[4.0] * 3] * 2
    y = zeros((0, 3)).expand(0, 3)
    y[...] = 1.0


def test_read_only_memory_is_not_written_to() -> None:
    array = np.zeros(3)
    x = asarray(array)
    x.buffer.flags.writeable = False
    with pytest.raises(ValueError, match=r"^setitem: the memory of this array is read-only\.$"):
        x[0] = 1.0
    assert not array.any()


def test_in_place_operators_keep_the_memory() -> None:
    x = asarray([1.0, 2.0, 4.0])
    view, before = x[1:], x
    x += 1
    x *= asarray([2.0, 2.0, 2.0])
    x -= 1.0
    x /= 2
    x **= 2
    assert x is before
    assert x.tolist() == [2.25, 6.25, 20.25]
    assert view.tolist() == [6.25, 20.25]
    assert x.add_(1.0).mul_(2.0) is x
    assert x.tolist() == [6.5, 14.5, 42.5]
    assert x.copy_([1, 2, 3]).tolist() == [1.0, 2.0, 3.0]
    assert x.zero_().tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"cannot be expanded|cannot hold"):
        x += zeros((2, 3))


def test_in_place_never_lowers_a_kind() -> None:
    x = asarray([1, 2])
    with pytest.raises(TypeError, match=r"^\+=: an array of int64 cannot hold float32 in place\.$"):
        x += 0.5
    with pytest.raises(TypeError, match=r"^mul_: an array of int64 cannot hold"):
        x.mul_(0.5)
    y = asarray([1.0, 2.0])
    y += asarray([0.5, 0.5], dtype="float64")
    assert (str(y.dtype), y.tolist()) == ("float32", [1.5, 2.5])
