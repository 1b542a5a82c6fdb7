"""Kernels that cheat the clock, and contestants under other conditions, are refused."""

import re
import threading
import time

import numpy as np
import pytest
from racing import LARGE, contestant, doubling, honest, limits

from minigrad.bench import clock


def test_work_left_on_a_thread(reason):
    """The result comes after the clock has stopped, whenever that is."""

    def bind(workload, arrays):
        def later():
            time.sleep(0.01)
            np.multiply(arrays["x"], 2, out=arrays["out"])

        return lambda: threading.Thread(target=later, daemon=True).start()

    assert "NaN in out at (0, 0)" in reason(bind, workload=doubling(**LARGE))


def test_a_thread_left_behind_each_time(reason):
    """The result is there; what the thread will do is not on the clock."""

    def bind(workload, arrays):
        def run():
            np.multiply(arrays["x"], 2, out=arrays["out"])
            threading.Thread(target=time.sleep, args=(0.05,), daemon=True).start()

        return run

    said = reason(bind, workload=doubling(**LARGE))
    assert re.fullmatch(r"ours: it left \d+ more threads than there were: work goes on\.", said), (
        said
    )


def test_work_left_on_a_thread_that_was_there_before(reason):
    """Nothing starts, and yet the result is not there."""
    waiting, stop = threading.Semaphore(0), threading.Event()
    queue = []

    def serve():
        while waiting.acquire() and not stop.is_set():
            time.sleep(0.002)
            queue.pop()()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    def bind(workload, arrays):
        def run():
            queue.append(lambda: np.multiply(arrays["x"], 2, out=arrays["out"]))
            waiting.release()

        return run

    try:
        assert "NaN in out" in reason(bind)
    finally:
        stop.set()
        waiting.release()
        thread.join()


def test_work_that_goes_on_behind_a_right_result(reason):
    def bind(workload, arrays):
        def burn():
            end = time.thread_time() + 0.003
            while time.thread_time() < end:
                pass

        pool.append(burn)

        def run():
            np.multiply(arrays["x"], 2, out=arrays["out"])
            go.set()

        return run

    pool, go, stop = [], threading.Event(), threading.Event()

    def serve():
        while not stop.is_set():
            if go.wait(0.001):
                go.clear()
                time.sleep(0.008)
                pool[0]()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        said = reason(bind, workload=doubling(**LARGE))
    finally:
        stop.set()
        thread.join()
    # On a busy machine the burning may reach into the next call.
    assert "work was left on a thread." in said or "this is no time of one thread." in said


def test_another_thread_that_helps(reason):
    def bind(workload, arrays):
        def burn():
            end = time.thread_time() + 0.003
            while time.thread_time() < end:
                pass

        def run():
            helper = threading.Thread(target=burn)
            helper.start()
            np.multiply(arrays["x"], 2, out=arrays["out"])
            helper.join()

        return run

    said = reason(bind)
    assert re.fullmatch(
        r"ours: other threads computed for \d+\.\d\d ms of the \d+\.\d\d ms: this is no time of"
        r" one thread\.",
        said,
    ), said


def test_a_clock_read_around_nothing(reason):
    """The call gives a promise; the work would be done when somebody looks."""

    def bind(workload, arrays):
        return lambda: lambda: np.multiply(arrays["x"], 2)

    assert reason(bind) == (
        "ours: it gave a function instead of numbers: the clock was read around nothing."
    )


def test_a_result_that_is_computed_when_it_is_looked_at(reason):
    """The clock sees a call that hands out what is already there."""

    class Lazy:
        def __init__(self, x):
            self.x = x

        def detach(self):
            return self

        def numpy(self):
            return self.x * np.float32(2)

    def bind(workload, arrays):
        lazy = Lazy(arrays["x"])
        return lambda: lazy

    assert reason(bind) == (
        "ours: it gave a Lazy instead of numbers: the clock was read around nothing."
    )


def test_a_clock_that_stands_still(reason, monkeypatch):
    monkeypatch.setattr(clock, "process_seconds", lambda: 12.0)
    assert reason(honest, workload=doubling(**LARGE)) == (
        "ours: 1 call took 0 ns, and the clock alone takes 0 ns: the clock was read around nothing."
    )


def test_work_done_when_the_call_is_made_ready(reason):
    """All that is timed is a call that does nothing."""

    def bind(workload, arrays):
        np.multiply(arrays["x"], 2, out=arrays["out"])
        return lambda: None

    said = reason(bind)
    assert "NaN in out" in said or "the clock was read around nothing" in said


def test_an_error_is_its_own_and_the_others_go_on(race):
    def bind(workload, arrays):
        def run():
            raise ValueError("no such luck\nand more")

        return run

    outcome = race(contestant(bind), contestant(honest, "numpy", ours=False))
    assert list(outcome.times) == ["numpy"]
    assert str(outcome.refused[0]) == "ours: it raised ValueError: no such luck"


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ({"threads": 2}, "theirs: it runs with threads 2, the workload with 1: not comparable."),
        (
            {"dtype": "float64"},
            "theirs: it runs with dtype float64, the workload with float32: not comparable.",
        ),
        (
            {"maths": "reduced precision"},
            "theirs: it runs with maths reduced precision, the workload with IEEE: not comparable.",
        ),
    ],
)
def test_a_baseline_under_other_conditions(race, conditions, said):
    theirs = contestant(honest, "theirs", ours=False, **conditions)
    outcome = race(contestant(honest), theirs)
    assert list(outcome.times) == ["ours"]
    assert [str(r) for r in outcome.refused] == [said]


def test_conditions_that_change_on_the_way(race):
    """Asked at every round: a library may be told to use more threads in between."""
    threads = [1]

    def bind(workload, arrays):
        run = honest(workload, arrays)

        def and_more():
            run()
            threads[0] = 2

        return and_more

    theirs = contestant(bind, "theirs", ours=False)
    theirs = type(theirs)(
        "theirs", bind, lambda: {"threads": threads[0], "dtype": "float32", "maths": "IEEE"}
    )
    assert "it runs with threads 2" in str(race(theirs).refused[0])


@pytest.mark.parametrize(
    ("roof", "said"),
    [
        ({"flops": 1e6}, r"\(1.96e\+03 operations at 0 GFLOP/s\)"),
        ({"gbytes": 1e6}, r"\(1.57e\+04 bytes at 0 GB/s from L2\)"),
    ],
)
def test_a_figure_above_the_roofline(reason, roof, said):
    """The work is done, so the limits must be wrong, or the count of the work: refused as well."""
    found = reason(honest, limits=limits(**roof))
    assert re.fullmatch(
        rf"ours: a call took \S+ [mun]s, and this machine needs \S+ ms at least {said}: it did not"
        r" do the work\.",
        found,
    ), found


def test_fresh_numbers_and_poisoned_memory_in_every_call(race):
    seen, before = [], []

    def bind(workload, arrays):
        run = honest(workload, arrays)

        def looking():
            seen.append(arrays["x"].tobytes())
            before.append(bool(np.isnan(arrays["out"]).all()))
            run()

        return looking

    outcome = race(contestant(bind))
    assert outcome.times
    timed = [s for s, poisoned in zip(seen, before, strict=True) if poisoned]
    rounds = 1 + 1 + 2 + 1
    assert len(timed) >= rounds * (768 << 10) // outcome.workload.touched
    assert len(set(timed)) == len(timed), "numbers came twice"
    assert before.count(False) >= rounds, "warmed up on arrays that are not timed"
    assert not any(not any(s) for s in seen), "zeros"


def test_the_time_is_that_of_one_call(race, monkeypatch):
    """On a clock that each call puts forward by a second."""
    now = [0.0]

    def bind(workload, arrays):
        run = honest(workload, arrays)

        def a_second():
            run()
            now[0] += 1.0

        return a_second

    for name in ("process_seconds", "thread_seconds"):
        monkeypatch.setattr(clock, name, lambda: now[0])
    outcome = race(contestant(bind))
    assert not outcome.refused and outcome.touched > 40 * outcome.workload.touched
    assert outcome.times["ours"].seconds == [1.0] * 3  # slow ones have three rounds
