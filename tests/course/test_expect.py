"""The comparisons: what they let through, what they refuse, and what a refusal says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.course import expect
from minigrad.course.expect import EPS, Mismatch

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300)


def refused(*args, **kwargs):
    with pytest.raises(Mismatch) as caught:
        expect.close(*args, what="the value", **kwargs)
    return caught.value


@given(FINITE)
def test_the_tolerance_is_relative(x):
    expect.close(x * (1 + 4 * EPS), x, what="the value")
    refused(x * (1 + 100 * EPS), x)
    refused(-x, x)


def test_nan_and_infinity_agree_with_themselves_alone():
    for same in (math.nan, math.inf, -math.inf):
        expect.close(same, same, what="the value")
    for got, expected in [
        (math.nan, 1.0),
        (1.0, math.nan),
        (math.inf, 1.0),
        (1.0, math.inf),
        (-math.inf, math.inf),
        (math.nan, math.inf),
    ]:
        refused(got, expected)


def test_zero_is_exact_unless_a_scale_is_given():
    expect.close(0.0, -0.0, what="the value")
    refused(1e-300, 0.0)
    expect.close(1e-17, 0.0, what="the value", scale=1.0)
    refused(1e-14, 0.0, scale=1.0)


def test_the_first_wrong_element_is_named():
    got = np.arange(12.0).reshape(3, 4)
    expected = got.copy()
    expected[1, 2] += 1
    expected[2, 0] = np.nan
    error = refused(got, expected)
    assert (error.got, error.expected) == ("6", "7")
    assert error.detail == "first at [1, 2] (relative error 0.14); 2 of 12 elements differ"


def test_shapes_must_be_equal_not_broadcastable():
    error = refused(np.ones((1, 3)), np.ones(3))
    assert (error.got, error.expected) == ("shape (1, 3)", "shape (3,)")
    refused(np.ones(1), 1.0)


@pytest.mark.parametrize("thing", [None, "2.0", [1, [2]], object(), True, 2j, {}])
def test_what_is_no_number_is_a_mismatch(thing):
    assert refused(thing, 2.0).detail == "this should be a number"


def test_views_with_strides_are_compared_by_value():
    base = np.arange(24.0).reshape(4, 6)
    expect.close(base[::-2, ::3].T, np.array([[18, 6], [21, 9]]), what="the view")


def test_equal_asks_for_the_type_too():
    expect.equal([1, 2], [1, 2], what="the list")
    for got, expected in [(1.0, 1), (True, 1), ([1, 2], (1, 2)), (None, 0), ("a", "b")]:
        with pytest.raises(Mismatch):
            expect.equal(got, expected, what="the list")


def test_that_states_its_sentence():
    with pytest.raises(Mismatch, match="the graph is freed"):
        expect.that(False, "the graph is freed")
    expect.that(True, "the graph is freed")


def test_raises_wants_class_and_message():
    def fail():
        raise ValueError("axis 3 is out of range")

    expect.raises(ValueError, fail, what="a bad axis", match="axis 3")
    with pytest.raises(Mismatch, match="got ValueError: axis 3"):
        expect.raises(IndexError, fail, what="a bad axis")
    with pytest.raises(Mismatch, match="matching 'axis 4'"):
        expect.raises(ValueError, fail, what="a bad axis", match="axis 4")
    with pytest.raises(Mismatch, match="got 7, no error"):
        expect.raises(ValueError, lambda: 7, what="a bad axis")


def test_an_open_exercise_passes_through_raises():
    def stub():
        raise NotImplementedError("exercise 3.2")

    with pytest.raises(NotImplementedError, match=r"exercise 3\.2"):
        expect.raises(ValueError, stub, what="a bad axis")
    with pytest.raises(NotImplementedError, match=r"exercise 3\.2"):
        expect.raises(Exception, stub, what="a bad axis")


def test_an_open_exercise_is_found_behind_other_errors():
    try:
        try:
            raise NotImplementedError("exercise 12.10")
        except NotImplementedError as error:
            raise RuntimeError("a wrapper") from error
    except RuntimeError as error:
        assert expect.open_exercise(error) == "12.10"
    assert expect.open_exercise(NotImplementedError("exercise 1.2 and more")) is None
    assert expect.open_exercise(ValueError("exercise 1.2")) is None
    assert expect.open_exercise(None) is None


def test_inputs_are_described_with_all_their_digits():
    with pytest.raises(Mismatch) as caught:
        expect.close(1.0, 2.0, what="f", inputs={"x": 0.1 + 0.2, "y": 3.0, "z": np.zeros((5, 5))})
    assert caught.value.inputs == {"x": "0.30000000000000004", "y": "3", "z": "(5, 5) float64"}
