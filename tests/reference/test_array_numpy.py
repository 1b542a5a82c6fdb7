"""NumPy's arrays in and out without a copy, and DLPack both ways."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.reference import memory
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray, from_dlpack

DTYPES = ("float32", "float64", "int64", "bool")
BOX = np.arange(120).reshape(4, 5, 6)
VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "part": lambda a: a[1:, 2:4, ::2],
    "backwards": lambda a: a[::-1, ::-2, ::-3],
    "mixed": lambda a: a.transpose(1, 2, 0)[::-1, 1:, ::2],
    "one element": lambda a: a[3:, 4:, 5:],
    "empty": lambda a: a[:, 2:2],
    "new axis": lambda a: a[:, None, -1],
    "0-d": lambda a: a[1, 2, 3, ...],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_an_ndarray_is_taken_as_it_is(name: str, dtype: str) -> None:
    base = BOX.astype(dtype)
    array = VIEWS[name](base)
    with memory.counting() as count:
        x = asarray(array)
        back = x.numpy()
    assert count.calls == 0
    assert (x.shape, str(x.dtype), x.size, x.ndim) == (array.shape, dtype, array.size, array.ndim)
    assert (x.nbytes, x.itemsize) == (array.nbytes, array.itemsize)
    np.testing.assert_array_equal(back, array, strict=True)
    if array.size:
        assert back.strides == array.strides
        assert back.ctypes.data == array.ctypes.data
        back[...] = 0
        assert not array.any()


@given(st.data())
def test_any_strided_ndarray(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 4), min_size=0, max_size=4))
    array: Any = np.arange(np.prod(shape, dtype=int), dtype=np.float64).reshape(shape)
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    steps = [data.draw(st.sampled_from([1, -1, 2, -2, 3])) for _ in shape]
    starts = [data.draw(st.sampled_from([None, 0, 1, -1])) for _ in shape]
    slices = tuple(slice(a, None, s) for a, s in zip(starts, steps, strict=True))
    array = array[(*slices, ...)]
    x = asarray(array, copy=False)
    np.testing.assert_array_equal(x.numpy(), array, strict=True)
    np.testing.assert_array_equal(x.copy().numpy(), array, strict=True)
    assert np.shares_memory(x.numpy(), array) or not array.size


def test_both_sides_see_what_the_other_writes() -> None:
    array = np.zeros((3, 4))
    x = asarray(array[::-1, 1:])
    x[0, 0] = 5.0
    array[0, 3] = 7.0
    assert array[2, 1] == 5.0
    assert x[2, 2].item() == 7.0


def test_the_memory_lives_as_long_as_an_array_needs_it() -> None:
    x = asarray(np.arange(1000.0)[::-7])
    y = asarray(np.arange(5.0)).numpy()
    for _ in range(100):
        np.full(1000, -1.0)
    np.testing.assert_array_equal(x.numpy(), np.arange(1000.0)[::-7])
    np.testing.assert_array_equal(y, np.arange(5.0))


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def unaligned() -> np.ndarray[Any, Any]:
    raw = np.zeros(33, np.uint8)
    return raw[1:].view(np.float64)


COPIED = {
    "read-only": lambda: read_only(np.arange(4.0)),
    "broadcast": lambda: np.broadcast_to(np.arange(4.0), (3, 4)),
    "odd bytes": lambda: np.zeros(4, [("a", np.int8), ("x", np.float32)])["x"],
    "unaligned": unaligned,
    "byte order": lambda: np.arange(4.0).astype(">f8"),
}


@pytest.mark.parametrize("name", COPIED)
def test_what_cannot_be_shared_is_copied(name: str) -> None:
    array = COPIED[name]()
    x = asarray(array)
    np.testing.assert_array_equal(x.numpy(), array)
    assert not np.shares_memory(x.numpy(), array)
    assert x.is_contiguous
    x[...] = 9
    assert not (np.asarray(array) == 9).any()
    with pytest.raises(ValueError, match=r"^asarray: an ndarray of .* cannot be shared as"):
        asarray(array, copy=False)


def test_a_copy_is_made_when_asked_for() -> None:
    array = np.arange(6.0).reshape(2, 3)
    x = asarray(array, copy=True)
    assert x.tolist() == array.tolist()
    assert not np.shares_memory(x.numpy(), array)
    y = asarray(array, dtype="float32")
    assert y.tolist() == array.tolist()
    with pytest.raises(ValueError, match="float64 cannot be shared as float32"):
        asarray(array, dtype="float32", copy=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpys_scalars(dtype: str) -> None:
    x = asarray(np.dtype(dtype).type(1))
    assert (x.shape, str(x.dtype), x.item()) == ((), dtype, 1)


def test_subclasses_of_ndarray_lose_their_class() -> None:
    masked = np.ma.masked_array(np.arange(4.0).reshape(2, 2))
    record = np.arange(4.0).view(np.recarray)
    for array in (masked, record):
        x = asarray(array)
        assert type(x.numpy()) is np.ndarray
        assert x.tolist() == array.tolist()


def test_numpy_functions_take_an_array() -> None:
    x = asarray(np.arange(6.0).reshape(2, 3)).T
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert not np.shares_memory(np.array(x), x.numpy())
    np.testing.assert_array_equal(np.asarray(x, dtype=np.int32), x.numpy().astype(np.int32))
    np.testing.assert_array_equal(np.concatenate([x, x]), np.concatenate([x.numpy()] * 2))
    assert np.sum(x.numpy()) == 15.0
    with pytest.raises(ValueError, match="needs a copy"):
        x.__array__(np.float32, copy=False)
    assert np.shares_memory(x.__array__(copy=False), x.numpy())
    assert not np.shares_memory(x.__array__(copy=True), x.numpy())


def test_an_ndarray_on_the_left_leaves_the_operator_to_us() -> None:
    x = asarray([1.0, 2.0])
    for result in (np.ones(2, np.float32) * x, np.float32(2.0) * x, np.ones(2) @ x):
        assert isinstance(result, Array)
    assert (np.ones(2) * x).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_dlpack_out(name: str, dtype: str) -> None:
    x = asarray(VIEWS[name](BOX.astype(dtype)))
    theirs = np.from_dlpack(x)
    np.testing.assert_array_equal(theirs, x.numpy(), strict=True)
    assert np.shares_memory(theirs, x.numpy()) or not x.size
    assert x.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_dlpack_in(name: str, dtype: str) -> None:
    array = VIEWS[name](BOX.astype(dtype))
    x = from_dlpack(array)
    np.testing.assert_array_equal(x.numpy(), array, strict=True)
    assert np.shares_memory(x.numpy(), array) or not array.size


def test_dlpack_refuses_what_we_have_no_name_for() -> None:
    with pytest.raises(TypeError, match="int32 is not supported"):
        from_dlpack(np.zeros(3, np.int32))
    with pytest.raises(TypeError, match="float16 is not supported"):
        from_dlpack(np.zeros(3, np.float16))
    with pytest.raises(TypeError, match="list has no __dlpack__"):
        from_dlpack([1.0])


class Foreign:
    """Another library's array, known by DLPack alone."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class Convertible:
    """An object that NumPy can make an array of."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array([1.0, 2.0], dtype=dtype)


def test_asarray_takes_other_libraries_arrays() -> None:
    array = np.arange(6.0).reshape(2, 3)
    x = asarray(Foreign(array))
    assert np.shares_memory(x.numpy(), array)
    assert str(asarray(Foreign(array), dtype="float32").dtype) == "float32"
    assert not np.shares_memory(asarray(Foreign(array), copy=True).numpy(), array)
    assert asarray(Convertible()).tolist() == [1.0, 2.0]
