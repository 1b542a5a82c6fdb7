"""Arrays out of Python numbers and lists, out of nothing, and what cannot become one."""

import math
import re

import numpy as np
import pytest

from minigrad.reference.array import Array
from minigrad.reference.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)

RAGGED = [[[1.0, 2.0], [3.0]], [1.0, [2.0]], [[1.0], 2.0], [[], [1.0]]]
UNSUPPORTED = {
    "half precision": np.zeros(3, np.float16),
    "complex": np.zeros(3, np.complex128),
    "object": np.array([1.0, None], dtype=object),
    "string": np.array(["1", "2"]),
    "int32": np.zeros(3, np.int32),
    "uint8": np.zeros(3, np.uint8),
    "longdouble": np.zeros(3, np.longdouble),
    "datetime": np.zeros(3, "datetime64[s]"),
    "record": np.zeros(3, [("x", np.float32)]),
}


@pytest.mark.parametrize(
    ("obj", "dtype", "shape"),
    [
        (2.5, "float32", ()),
        (3, "int64", ()),
        (True, "bool", ()),
        ([1.5, 2.5], "float32", (2,)),
        ([[1, 2, 3]], "int64", (1, 3)),
        ([[True], [False]], "bool", (2, 1)),
        ((1, 2.5), "float32", (2,)),
        ([True, 2], "int64", (2,)),
        ([True, 0.5], "float32", (2,)),
        (range(4), "int64", (4,)),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ([-(2**63), 2**63 - 1], "int64", (2,)),
        (math.nan, "float32", ()),
        ([math.inf, -math.inf], "float32", (2,)),
    ],
)
def test_numbers_and_lists(obj: object, dtype: str, shape: tuple[int, ...]) -> None:
    x = asarray(obj)
    assert (str(x.dtype), x.shape, x.offset) == (dtype, shape, 0)
    np.testing.assert_array_equal(x.numpy(), np.array(obj, dtype=dtype))
    assert x.is_contiguous


def test_lists_of_numpys_numbers_and_of_arrays() -> None:
    assert str(asarray([np.float64(0.1), 2]).dtype) == "float32"
    assert asarray([np.int32(7), np.uint8(2)]).tolist() == [7, 2]
    assert asarray([asarray([1.0, 2.0]), np.ones(2)]).tolist() == [[1.0, 2.0], [1.0, 1.0]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("obj", [2.75, 3, True, [2.75, 0.0], [3, 0], [True, False], []])
def test_a_dtype_can_be_asked_for(obj: object, dtype: str) -> None:
    x = asarray(obj, dtype=dtype)
    assert str(x.dtype) == dtype
    np.testing.assert_array_equal(x.numpy(), np.array(obj).astype(dtype))
    assert asarray(obj, dtype=np.dtype(dtype)).dtype == x.dtype


@pytest.mark.parametrize("obj", RAGGED)
def test_a_ragged_list_is_one_clear_error(obj: object) -> None:
    with pytest.raises(ValueError, match=r"^asarray: the list is ragged"):
        asarray(obj)


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_other_types_of_ndarray_have_a_named_error(name: str) -> None:
    array = UNSUPPORTED[name]
    with pytest.raises(
        TypeError, match=rf"{re.escape(array.dtype.name)}.* is not supported; use one of bool"
    ):
        asarray(array)
    with pytest.raises(TypeError, match="is not supported"):
        asarray(array[0] if name not in ("object", "string") else array)


@pytest.mark.parametrize("name", ["half precision", "int32", "uint8"])
def test_other_real_numbers_can_be_cast(name: str) -> None:
    assert str(asarray(UNSUPPORTED[name], dtype="float32").dtype) == "float32"


def test_complex_numbers_are_never_cast() -> None:
    for obj in (np.ones(2, np.complex64), 1j, [1.0, 2j]):
        with pytest.raises(TypeError, match="complex"):
            asarray(obj, dtype="float32")


@pytest.mark.parametrize("obj", ["1.0", None, {1.0}, {"a": 1}, object(), b"12", iter([1.0])])
def test_what_holds_no_numbers(obj: object) -> None:
    with pytest.raises(TypeError, match=r"^asarray: expected numbers or arrays, got \w+\.$"):
        asarray(obj)


@pytest.mark.parametrize("obj", [["1.0"], [1.0, None], [[1], ["a"]], [object()], [1, {}]])
def test_lists_that_hold_something_else(obj: object) -> None:
    with pytest.raises(TypeError, match=r"expected (real )?numbers|is not supported"):
        asarray(obj)


@pytest.mark.parametrize("obj", [2**63, -(2**63) - 1, [1, 2**63], [2**200], [-(2**64), 1]])
def test_integers_beyond_64_bits(obj: object) -> None:
    with pytest.raises(OverflowError, match=r"^asarray: -?\d+ does not fit into int64\.$"):
        asarray(obj)
    assert str(asarray(obj, dtype="float64").dtype) == "float64"


@pytest.mark.parametrize("obj", [math.nan, math.inf, [1.0, math.nan], [[-math.inf]]])
def test_nan_and_inf_are_no_integers(obj: object) -> None:
    with pytest.raises((ValueError, OverflowError), match=r"^asarray: .* fit into int64"):
        asarray(obj, dtype="int64")


def test_a_number_too_large_for_float32_is_inf() -> None:
    assert asarray([1e300, -1e300, 1.0]).tolist() == [math.inf, -math.inf, 1.0]
    assert asarray(1e300).item() == math.inf


@pytest.mark.parametrize(
    "dtype", ["float16", "int32", "complex64", "uint8", "nonsense", complex, 7]
)
def test_dtypes_that_are_not_there(dtype: object) -> None:
    for make in (asarray, zeros, empty):
        with pytest.raises(TypeError, match="is not supported; use one of"):
            make((2,), dtype=dtype)


def test_full_takes_the_dtype_of_its_value() -> None:
    assert str(full((2,), 1).dtype) == "int64"
    assert str(full((2,), 1.0).dtype) == "float32"
    assert str(full((2,), True).dtype) == "bool"
    assert full((2, 1), 7, dtype="float64").tolist() == [[7.0], [7.0]]
    assert full((), asarray(4)).item() == 4
    with pytest.raises(ValueError, match=r"^full: expected one number, got shape \(2,\)"):
        full((2,), [1.0, 2.0])


@pytest.mark.parametrize("shape", [(), (3,), 3, (2, 0), [2, 3], (np.int64(2), 1), (1, 1, 4)])
def test_zeros_and_ones(shape: object) -> None:
    for make, value in ((zeros, 0.0), (ones, 1.0)):
        x = make(shape)
        want = np.full(shape, value, np.float32)
        assert str(x.dtype) == "float32"
        np.testing.assert_array_equal(x.numpy(), want, strict=True)


def test_like_takes_shape_and_dtype_but_no_strides() -> None:
    x = asarray(np.arange(6).reshape(2, 3)).T
    for make in (zeros_like, ones_like, empty_like):
        y = make(x)
        assert (y.shape, y.strides, str(y.dtype)) == ((3, 2), (2, 1), "int64")
        assert str(make(x, dtype="bool").dtype) == "bool"
    assert zeros_like(x).tolist() == [[0, 0]] * 3
    assert ones_like(x).tolist() == [[1, 1]] * 3
    assert full_like(x, 2.5, dtype="float64").tolist() == [[2.5, 2.5]] * 3


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (0,),
        (-3,),
        (2, 7),
        (7, 2),
        (7, 2, -2),
        (1, 10, 3),
        (1, 11, 3),
        (2.5,),
        (0.0, 1.0, 0.25),
        (0.5, 2.0, 0.25),
    ],
)
def test_arange(arguments: tuple[float, ...]) -> None:
    x = arange(*arguments)
    want = np.arange(*arguments)
    np.testing.assert_allclose(x.numpy(), want, rtol=1e-7)
    floats = any(isinstance(a, float) for a in arguments)
    assert str(x.dtype) == ("float32" if floats else "int64")


def test_arange_of_large_ints_is_exact() -> None:
    assert arange(2**62, 2**62 + 3).tolist() == [2**62, 2**62 + 1, 2**62 + 2]
    with pytest.raises(ValueError, match="step must not be 0"):
        arange(1, 2, 0)
    with pytest.raises(ValueError, match="nan is no finite number"):
        arange(math.nan)
    with pytest.raises(TypeError, match="arange: expected numbers, got str"):
        arange("3")  # type: ignore[arg-type]


def test_linspace_and_eye() -> None:
    for num in (0, 1, 2, 7):
        np.testing.assert_allclose(
            linspace(-1.0, 2.5, num, dtype="float64").numpy(), np.linspace(-1.0, 2.5, num)
        )
    for rows, cols in ((3, None), (2, 4), (4, 2), (0, None), (3, 0), (1, 1)):
        np.testing.assert_array_equal(eye(rows, cols).numpy(), np.eye(rows, cols))
    assert str(eye(2, dtype="bool").dtype) == "bool"


@pytest.mark.parametrize("shape", [(-1,), (2, -3), -2])
def test_a_size_below_0(shape: object) -> None:
    with pytest.raises(ValueError, match="has a size below 0"):
        empty(shape)


@pytest.mark.parametrize("shape", [(2.0,), "23", ("a",), None, (2, None), 1.5])
def test_a_shape_of_something_else(shape: object) -> None:
    with pytest.raises(TypeError, match="a shape is an int or a tuple of ints"):
        empty(shape)


@pytest.mark.parametrize("shape", [(2**31, 2**31), (2**60,), (2**62, 2), (10**30,), (0, 2**62)])
def test_shapes_that_no_address_can_count(shape: tuple[int, ...]) -> None:
    for make in (empty, zeros):
        with pytest.raises(ValueError, match="has more elements than a 64-bit address can count"):
            make(shape)
    with pytest.raises(ValueError, match="64-bit address"):
        zeros(1).expand(shape)


def test_an_array_passes_through() -> None:
    x = asarray([1.0, 2.0])
    assert asarray(x) is x
    assert not np.shares_memory(asarray(x, copy=True).numpy(), x.numpy())
    assert str(asarray(x, dtype="int64").dtype) == "int64"
    with pytest.raises(ValueError, match="float32 to float64 needs a copy"):
        asarray(x, dtype="float64", copy=False)
    with pytest.raises(ValueError, match="can only be copied"):
        asarray([1.0], copy=False)
    with pytest.raises(ValueError, match="can only be copied"):
        asarray(1.0, copy=False)
    assert isinstance(x, Array)
