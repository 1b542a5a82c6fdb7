"""What a chapter's tests give a kernel lies between guards: every way of writing or reading past
them, or of leaving something unwritten, is seen and told.
"""

import ctypes

import numpy as np
import pytest

from minigrad.course import guards
from minigrad.course.expect import Mismatch

DTYPES = ("float32", "float64", "int64", "bool")
X = np.float32([1, 2, 4])


def copied(x, out):
    out[...] = x


def past(array, place):
    """The array's memory from its start on, `place` elements further."""
    step = array.itemsize
    address = array.__array_interface__["data"][0] + place * step
    return (ctypes.c_uint8 * step).from_address(address)


def refused(kernel, *inputs, **options):
    with pytest.raises(Mismatch) as caught:
        guards.call(kernel, *inputs, **{"shape": inputs[0].shape, **options})
    return caught.value


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
@pytest.mark.parametrize("turned", [False, True])
def test_a_kernel_that_does_as_it_should_gives_its_result(dtype, shape, turned):
    x = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    out = guards.call(copied, x, shape=shape, turned=turned)
    assert out.dtype == x.dtype and out.shape == shape
    assert np.array_equal(out, x)


def test_numbers_and_another_dtype_are_passed_on():
    def scaled(x, out, factor):
        out[...] = factor * x > 3

    out = guards.call(scaled, X, shape=(3,), dtype="bool", numbers=(2.0,))
    assert out.tolist() == [False, True, True]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("place", "words"),
    [
        (3, "a write 1 past its end"),
        (7, "a write 5 past its end"),
        (-1, "a write 1 before its start"),
        (-64, "a write 64 before its start"),
    ],
)
def test_a_write_outside_is_seen(dtype, place, words):
    def kernel(x, out):
        out[...] = x
        past(out, place)[0] = 1

    error = refused(kernel, np.ones(3, dtype))
    assert (error.got, error.detail) == ("no", words)


def test_how_much_was_written_outside_is_counted():
    def kernel(x, out):
        out[...] = x
        for k in (4, 5):
            past(out, k)[3] = 0

    assert refused(kernel, X).detail == "a write 2 past its end; 2 elements there are changed"


def test_what_is_read_past_the_end_of_an_input_shows():
    def kernel(x, out):
        out[...] = x
        out[2] = np.frombuffer(bytes(past(x, 3)), np.float32)[0]

    assert np.isnan(guards.call(kernel, X, shape=(3,))[2])


def test_a_changed_input_is_named_with_its_first_change():
    def kernel(x, y, out):
        out[...] = x
        y[1:] = 7

    error = refused(kernel, X, X + 1)
    assert error.detail == "input 2: [1] is 7.0, it was 3.0"
    assert error.inputs["out"] == "(3,) float32"


def test_a_view_is_given_as_it_is():
    x = np.arange(8, dtype=np.float32)[::2]
    strides = []

    def kernel(given, out):
        strides.append(given.strides)
        out[...] = given
        given[0] = 9

    error = refused(kernel, x, shape=(4,))
    assert strides == [(8,)]
    assert error.detail == "input 1: [0] is 9.0, it was 0.0"


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("turned", [False, True])
def test_what_nobody_wrote_is_seen(dtype, turned):
    def kernel(x, out):
        out[0] = x[0]
        out[1, 1:] = x[1, 1:]

    x = np.arange(6).reshape(2, 3).astype(dtype)
    assert (
        refused(kernel, x, turned=turned).detail
        == "out[1, 0] holds what stood there before; 1 of 6 elements do"
    )


def test_a_sum_onto_what_stood_there_is_seen():
    def kernel(x, out):
        out += x

    assert "out[0] holds what stood there before; 3 of 3" in refused(kernel, X).detail


def test_a_nan_of_the_kernels_own_is_a_result():
    def kernel(x, out):
        out[...] = np.nan

    assert np.isnan(guards.call(kernel, X, shape=(3,))).all()
