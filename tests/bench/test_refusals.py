"""Each reason by itself: what is refused, what is not, and the sentence."""

import numpy as np
import pytest

from minigrad.bench import refusals
from minigrad.bench.refusals import Refused


def said(function, *given):
    with pytest.raises(Refused) as caught:
        function("copy 2_blocked", *given)
    assert caught.value.who == "copy 2_blocked"
    return caught.value.why


def test_other_threads():
    refusals.other_threads("x", 0.010, 0.0095)
    assert said(refusals.other_threads, 0.010, 0.008) == (
        "other threads computed for 2.00 ms of the 10.00 ms: this is no time of one thread."
    )
    refusals.other_threads("x", 1e-4, 0.0)  # less than the clocks of a busy machine tell


def test_work_went_on():
    refusals.work_went_on("x", [0.004, 0.0001], 0.02)  # once: a library woke up
    assert said(refusals.work_went_on, [0.004, 0.0, 0.003], 0.02) == (
        "the process computed 3.00 ms more in the 20 ms after the call: work was left on a thread."
    )


def test_threads_left():
    refusals.threads_left("x", [2, 0, -1])
    assert said(refusals.threads_left, [2, 0, 3]) == (
        "it left 3 more threads than there were: work goes on."
    )


def test_nothing_timed():
    refusals.nothing_timed("x", 1e-6, 3, 0.5e-6)
    assert said(refusals.nothing_timed, 0.74e-6, 3, 0.5e-6) == (
        "3 calls took 740 ns, and the clock alone takes 500 ns: the clock was read around nothing."
    )


def test_above_the_roofline():
    refusals.above_roofline("x", 0.95e-3, 1e-3, "why")  # clocks of processors vary a little
    assert said(refusals.above_roofline, 0.5e-3, 2e-3, "4e+09 bytes at 20 GB/s from DRAM") == (
        "a call took 500 us, and this machine needs 2 ms at least (4e+09 bytes at 20 GB/s from"
        " DRAM): it did not do the work."
    )


@pytest.mark.parametrize(
    ("bits", "refused"), [(0.0, False), (1.9e-6, False), (2.5e-6, True), (-2.5e-6, True)]
)
def test_how_far_off_is_wrong(bits, refused):
    """bound times the element's own size and the typical one: here 1e-6 (1 + 1)."""
    right = np.ones((3, 4))
    got = right.copy()
    got[2, 1] += bits
    if refused:
        assert said(refusals.wrong_result, "out", got, right, 1e-6) == (
            f"wrong result: out[2, 1] is {got[2, 1]:.7g}, expected 1; 1 of 12 elements differ."
        )
    else:
        refusals.wrong_result("x", "out", got, right, 1e-6)


def test_a_small_element_may_be_off_by_what_is_typical():
    right = np.array([1e3, 0.0, 1e3])
    refusals.wrong_result("x", "out", right + np.array([0, 1e-4, 0]), right, 1e-6)


def test_another_shape():
    assert said(refusals.wrong_result, "dx", np.ones((3, 1)), np.ones((3, 4)), 1e-6) == (
        "dx has shape (3, 1) instead of (3, 4)."
    )


def test_a_nan_that_belongs_there():
    right = np.array([1.0, np.nan])
    refusals.wrong_result("x", "out", right.copy(), right, 1e-6)
    assert "expected 1" in said(refusals.wrong_result, "out", np.array([2, np.nan]), right, 1e-6)
    assert "wrong" in said(refusals.wrong_result, "out", np.array([1.0, 5.0]), right, 1e-6)


@pytest.mark.parametrize(("got", "right"), [(7.0, np.inf), (-np.inf, np.inf), (np.inf, 7.0)])
def test_an_infinity_in_the_wrong_place(got, right):
    given, wanted = np.array([1.0, np.inf, got]), np.array([1.0, np.inf, right])
    assert "out[2] is" in said(refusals.wrong_result, "out", given, wanted, 1e-6)
    refusals.wrong_result("x", "out", wanted.copy(), wanted, 1e-6)


def test_infinity_is_not_a_number_that_is_close():
    right = np.array([1.0, 2.0])
    assert "is inf, expected 2" in said(
        refusals.wrong_result, "out", np.array([1.0, np.inf]), right, 1e-6
    )


def test_whole_numbers_that_nobody_wrote():
    right = np.array([1, 2])
    got = np.array([1, np.iinfo(np.int64).min])
    assert said(refusals.wrong_result, "index", got, right, 0.0).startswith("NaN in index at (1,)")


def test_scalars_have_no_place():
    assert said(refusals.wrong_result, "loss", np.array(3.0), np.array(1.0), 1e-6).startswith(
        "wrong result: loss is 3, expected 1; 1 of 1"
    )


def test_other_conditions():
    refusals.other_conditions("x", "threads", 1, 1)
    assert said(refusals.other_conditions, "threads", 2, 1) == (
        "it runs with threads 2, the workload with 1: not comparable."
    )
    assert "threads None" in said(refusals.other_conditions, "threads", None, 1)


def test_inputs_are_compared_whole():
    x = np.arange(12.0).reshape(3, 4)
    changed = x.copy()
    changed[2, 3] = -1
    refusals.changed_inputs("x", ["x", "y"], [x, x], [x.copy(), x])
    assert said(refusals.changed_inputs, ["x", "y"], [x, changed], [x, x]) == (
        "it changed its input y: 1 of 12 elements differ."
    )
