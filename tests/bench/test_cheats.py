"""Kernels that cheat with their results are refused, each with the reason in a sentence."""

import re

import numpy as np
import pytest
from racing import LARGE, contestant, doubled, doubling, honest


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
