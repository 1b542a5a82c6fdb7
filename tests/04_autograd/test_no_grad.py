"""4.4: blocks in which ops are recorded, or not."""

import threading

import pytest

from minigrad import enable_grad, is_grad_enabled, no_grad, tensor
from minigrad.course import expect

pytestmark = pytest.mark.exercise("4.4")


def seen(*states):
    """ "on off on" for True, False, True."""
    return " ".join("on" if s else "off" for s in states)


def check(states, wanted, where):
    expect.equal(seen(*states), wanted, what=f"recording {where}")


def test_off_inside_and_on_again_after():
    states = [is_grad_enabled()]
    for _ in range(2):
        with no_grad():
            states.append(is_grad_enabled())
        states.append(is_grad_enabled())
    check(states, "on off on off on", "before, in and after two blocks of no_grad")


def test_a_block_in_a_block_leaves_the_outer_one_alone():
    states = []
    with no_grad():
        with no_grad():
            states.append(is_grad_enabled())
        states.append(is_grad_enabled())
    states.append(is_grad_enabled())
    check(states, "off off on", "in no_grad within no_grad, after the inner, after the outer")


def test_on_within_off():
    states = []
    with no_grad():
        with enable_grad():
            states.append(is_grad_enabled())
            with no_grad():
                states.append(is_grad_enabled())
            states.append(is_grad_enabled())
        states.append(is_grad_enabled())
    check(states, "on off on off", "in enable_grad within no_grad, and on the way out")


def test_on_where_it_was_on():
    with enable_grad():
        inside = is_grad_enabled()
    check([inside, is_grad_enabled()], "on on", "in and after enable_grad, where it was on")


def test_one_block_entered_twice():
    quiet = no_grad()
    states = []
    with quiet:
        with enable_grad():
            with quiet:
                states.append(is_grad_enabled())
            states.append(is_grad_enabled())
        states.append(is_grad_enabled())
        with quiet:
            states.append(is_grad_enabled())
        states.append(is_grad_enabled())
    states.append(is_grad_enabled())
    check(states, "off on off off off on", "in one no_grad object that is entered three times")


def test_what_is_computed_inside_is_a_constant():
    x = tensor(3.0, requires_grad=True)
    before = x * x
    with no_grad():
        inside = x * x
        both = before * x
    after = x * x
    got = seen(*(t.requires_grad for t in (before, inside, both, after)))
    expect.equal(got, "on off off on", what="requires_grad of x * x before, in, in and after it")
    expect.close(inside, 9.0, what="x * x in the block", inputs={"x": 3.0})


def test_an_error_inside_switches_back():
    def failing():
        with no_grad():
            raise KeyError("inside")

    expect.raises(KeyError, failing, what="an error in a block goes through", match="inside")
    check([is_grad_enabled()], "on", "after an error left a block of no_grad")


def test_a_function_that_is_never_recorded():
    @no_grad()
    def quiet(again):
        return [is_grad_enabled(), *(quiet(False) if again else []), is_grad_enabled()]

    check(
        [*quiet(True), is_grad_enabled()], "off off off off on", "in a function that calls itself"
    )


def test_other_threads_go_on_recording():
    states = []

    def elsewhere():
        states.append(is_grad_enabled())
        with no_grad():
            states.append(is_grad_enabled())
        states.append(is_grad_enabled())

    with no_grad():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        states.append(is_grad_enabled())
    check(states, "on off on off", "in another thread, in its own block, after it; and here")
