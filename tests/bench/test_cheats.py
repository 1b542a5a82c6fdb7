"""Kernels that cheat are refused, each with the reason in a sentence."""

import re
import threading
import time

import numpy as np
import pytest
from racing import contestant, doubled, doubling, honest, limits

LARGE = {"rows": 700, "columns": 300}


def test_an_honest_one_is_timed(race):
    outcome = race(contestant(honest), contestant(honest, "numpy", ours=False))
    assert not outcome.refused
    assert set(outcome.times) == {"ours", "numpy"}
    assert all(len(t.seconds) == 2 for t in outcome.times.values())


def test_a_result_kept_from_the_last_call(reason):
    kept = []

    def bind(workload, arrays):
        def run():
            if not kept:
                kept.append(2 * arrays["x"])
            arrays["out"][...] = kept[0]

        return run

    assert reason(bind) == (
        "ours: out is the result of an earlier call, on other numbers: it was kept, not computed."
    )


def test_a_no_op_after_the_first_call(reason):
    def bind(workload, arrays):
        called = []

        def run():
            if not called:
                called.append(True)
                np.multiply(arrays["x"], 2, out=arrays["out"])

        return run

    said = reason(bind)
    assert said.startswith("ours: NaN in out at (0, 0), 1961 of 1961 elements:"), said
    assert said.endswith("it did not write there (the memory held NaN before the call).")


@pytest.mark.parametrize("share", [0.5, 0.99])
def test_fewer_rows_for_large_inputs(reason, race, share):
    def bind(workload, arrays):
        rows = len(arrays["x"])
        some = rows if rows < 100 else int(share * rows)

        def run():
            np.multiply(arrays["x"][:some], 2, out=arrays["out"][:some])

        return run

    assert race(contestant(bind)).times, "a small one is whole"
    first, left = int(share * 700), (700 - int(share * 700)) * 300
    assert f"NaN in out at ({first}, 0), {left} of 210000 elements" in reason(
        bind, workload=doubling(**LARGE)
    )


def test_fewer_rows_and_the_rest_filled_with_something(reason):
    def bind(workload, arrays):
        def run():
            np.multiply(arrays["x"][:-1], 2, out=arrays["out"][:-1])
            arrays["out"][-1] = arrays["out"][0]

        return run

    said = reason(bind)
    assert re.fullmatch(
        r"ours: wrong result: out\[36, \d+\] is -?\d\S*, expected -?\d\S*; \d+ of 1961 elements"
        r" differ\.",
        said,
    ), said


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


def test_inputs_changed(reason):
    def bind(workload, arrays):
        def run():
            np.multiply(arrays["x"], 2, out=arrays["out"])
            arrays["x"][3, 4] += 1

        return run

    assert reason(bind) == "ours: it changed its input x: 1 of 1961 elements differ."


@pytest.mark.parametrize("where", [(0, 0), (36, 52)])
def test_a_nan_in_the_result(reason, where):
    def bind(workload, arrays):
        def run():
            np.multiply(arrays["x"], 2, out=arrays["out"])
            arrays["out"][where] = np.nan

        return run

    assert f"NaN in out at {where}, 1 of 1961 elements" in reason(bind)


def test_the_memory_of_the_reference_handed_out(reason):
    computed = []

    def reference(given):
        computed.append(np.multiply(given["x"], 2, dtype=np.float32))
        return {"out": computed[-1]}

    def bind(workload, arrays):
        def run():
            if computed:
                return computed[-1]
            np.multiply(arrays["x"], 2, out=arrays["out"])
            return None

        return run

    said = reason(bind, workload=doubling(reference=reference))
    assert said == "ours: its result lies in the memory of the reference: it was not computed."


def test_a_copy_of_the_reference(reason):
    """It finds the judge's last result, and there is none yet of these numbers."""
    computed = []

    def reference(given):
        computed.append(doubled(given)["out"])
        return {"out": computed[-1]}

    def bind(workload, arrays):
        def run():
            np.multiply(arrays["x"], 2, out=arrays["out"])
            if computed:
                arrays["out"][...] = computed[-1]

        return run

    said = reason(bind, workload=doubling(reference=reference))
    assert said.startswith("ours: out is the result of an earlier call"), said


def test_the_memory_of_the_other_side_handed_out(race):
    taken = []

    def lends(workload, arrays):
        taken.append(arrays["out"])
        return honest(workload, arrays)

    def takes(workload, arrays):
        return lambda: taken[0]

    outcome = race(contestant(lends, "numpy", ours=False), contestant(takes))
    assert list(outcome.times) == ["numpy"]
    assert str(outcome.refused[0]) == (
        "ours: its result lies in the memory of numpy: it was not computed."
    )


def test_an_input_handed_out(reason):
    assert reason(lambda workload, arrays: lambda: arrays["x"]) == (
        "ours: its result lies in the memory of an input: it was not computed."
    )


def test_a_clock_read_around_nothing(reason):
    """The call gives a promise; the work would be done when somebody looks."""

    def bind(workload, arrays):
        return lambda: lambda: np.multiply(arrays["x"], 2)

    assert reason(bind) == (
        "ours: it gave a function instead of numbers: the clock was read around nothing."
    )


def test_work_done_when_the_call_is_made_ready(reason):
    """All that is timed is a call that does nothing."""

    def bind(workload, arrays):
        np.multiply(arrays["x"], 2, out=arrays["out"])
        return lambda: None

    said = reason(bind)
    assert "NaN in out" in said or "the clock was read around nothing" in said


def test_another_dtype_than_it_says(reason):
    assert reason(lambda w, a: lambda: np.multiply(a["x"], 2.0, dtype=np.float64)) == (
        "ours: it runs with dtype float64, the workload with float32: not comparable."
    )


def test_too_few_digits(reason):
    """Rounded on the way to half precision and back."""

    def bind(workload, arrays):
        def run():
            arrays["out"][...] = (arrays["x"].astype(np.float16) * np.float16(2)).astype("f4")

        return run

    assert "ours: wrong result: out[" in reason(bind)


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
    assert not any(not any(s) for s in seen), "zeros"
