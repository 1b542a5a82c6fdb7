"""Ctrl-C as a question: asked once it is an answer, asked twice an exception."""

import signal
import threading

import pytest

from minigrad.course.interrupt import stop_asked


def test_the_first_is_noted_and_the_second_raises():
    before = signal.getsignal(signal.SIGINT)
    with stop_asked() as asked:
        assert not asked()
        signal.raise_signal(signal.SIGINT)
        assert asked()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with stop_asked() as again:
        assert not again()


def test_the_handler_is_put_back_after_an_error_too():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), stop_asked():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_nobody_asks():
    answers = []

    def work():
        with stop_asked() as asked:
            answers.append(asked())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [False]
