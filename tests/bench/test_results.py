"""Ratios, spreads, gates and the JSON, from times that are made up."""

import dataclasses
import json
import math

import pytest
from racing import contestant, doubling, honest, limits

from minigrad.bench.harness import Outcome, Times
from minigrad.bench.limits import Limits
from minigrad.bench.refusals import Refused
from minigrad.bench.results import GEOMETRIC, Report, compare, families, results_of, spread
from minigrad.bench.workload import Gate, Missing


def times(name, *seconds, ours=True):
    return Times(contestant(honest, name, ours), list(seconds))


def outcome(name, gates=(), **seconds):
    """Contestants by name, those of the ladder ours; `torch` and `numpy` are not."""
    workload = dataclasses.replace(doubling(), name=name, gates=tuple(gates))
    found = Outcome(workload, 1 << 14)
    for who, some in seconds.items():
        who = who.removeprefix("_").replace("__", ", ")
        found.times[who] = times(who, *some, ours=not who.startswith(("torch", "numpy")))
    return found


def report(*outcomes, **changes):
    machine = {"cpu": "a processor", "python": "3.11", "numpy": "2.4"}
    return Report(machine, limits(256e9, 40e9), list(outcomes), **changes)


def test_a_ratio_is_of_medians_and_above_one_when_ours_is_faster():
    ours, theirs = times("1_loop", 2.0, 9.0, 4.0), times("torch", 8.0, 8.5, 7.0, ours=False)
    found = compare("add", ours, theirs)
    assert (found.ours_s, found.theirs_s, found.ratio) == (4.0, 8.0, 2.0)
    assert ours.best == 2.0


def test_the_spread_is_the_middle_half_of_the_rounds_ratios():
    """Ratios 1, 2, 3, 4, 5: quartiles 2 and 4, median 3."""
    assert spread([1, 1, 2, 1, 1], [3, 1, 10, 2, 4]) == pytest.approx(2 / 3)
    assert spread([2.0], [3.0]) == 0


def test_noise_that_hits_both_sides_alike_is_no_spread():
    assert spread([1.0, 3.0, 2.0], [2.0, 6.0, 4.0]) == 0


def test_each_of_ours_meets_the_step_before_and_every_baseline():
    found = results_of(outcome("gemm", _1_a=[8.0], _2_b=[2.0], numpy=[1.0], torch=[4.0]))
    assert [(r.ours, r.baseline, r.ratio) for r in found] == [
        ("1_a", "numpy", 0.125),
        ("1_a", "torch", 0.5),
        ("2_b", "1_a", 4.0),
        ("2_b", "numpy", 0.5),
        ("2_b", "torch", 2.0),
    ]


def test_a_gate_belongs_to_its_step_and_its_baseline():
    gates = [Gate("1_a", 5.0, step="2_b"), Gate("torch", 1.5, 3.0)]
    found = results_of(outcome("gemm", gates, _1_a=[8.0], _2_b=[2.0], numpy=[1.0], torch=[4.0]))
    assert {(r.ours, r.baseline): (r.gate, r.goal, r.met) for r in found if r.gate} == {
        ("2_b", "1_a"): (5.0, None, False),
        ("2_b", "torch"): (1.5, 3.0, True),  # the best of ours: no step is named
    }


@pytest.mark.parametrize(("theirs", "met"), [(2.0, True), (1.999, False)])
def test_a_gate_is_met_from_its_value_on(theirs, met):
    (found,) = results_of(outcome("add", [Gate("torch", 2.0)], ours=[1.0], torch=[theirs]))
    assert found.met is met


def test_a_family_is_gated_by_its_geometric_mean():
    gate = [Gate("torch", 2.0, 5.0, family="norms")]
    one = outcome("norm-3", gate, ours=[1.0], torch=[1.5])
    two = outcome("norm-4", gate, ours=[2.0], torch=[12.0])
    (mean,) = families([one, two])
    assert (mean.workload, mean.ours, mean.baseline) == ("norms", GEOMETRIC, "torch")
    assert mean.ratio == pytest.approx(3.0)
    assert (mean.gate, mean.goal, mean.met) == (2.0, 5.0, True)


@pytest.mark.parametrize(("theirs", "met"), [(1.0, True), (0.99, False)])
def test_each_of_a_family_has_a_floor(theirs, met):
    gate = [Gate("torch", 2.0, 5.0, family="norms")]
    one = outcome("norm-3", gate, ours=[1.0], torch=[theirs])
    (single,) = results_of(one)
    assert (single.gate, single.goal, single.met) == (1.0, None, met)
    both = report(one, outcome("norm-4", gate, ours=[1.0], torch=[9.0]))
    assert [r.name for r in both.failed] == ([] if met else ["norm-3 ours"])


def test_a_family_of_which_one_was_not_measured_has_no_mean():
    gate = [Gate("torch", 2.0, family="norms")]
    one = outcome("norm-3", gate, ours=[1.0], torch=[9.0])
    assert families([one, outcome("norm-4", gate, torch=[9.0])]) == []
    assert families([one, outcome("norm-4", gate, ours=[9.0])]) == []


def test_gates_without_a_side_are_open():
    gates = [Gate("1_a", 5.0, step="2_b"), Gate("torch", 1.5, family="f")]
    whole = outcome("gemm-1", gates, _1_a=[8.0], _2_b=[2.0], torch=[4.0])
    lacking = outcome("gemm-2", gates, _1_a=[8.0], numpy=[4.0])
    assert report(whole).open == []
    assert report(whole, lacking).open == [
        "gemm-2: 2_b against 1_a",
        "gemm-2: the best of ours against torch",
    ]
    assert report(outcome("gemm-3", gates, torch=[4.0])).open[1].startswith("gemm-3: the best")


def test_what_is_reported_on_more_threads_is_never_gated():
    pair = compare("add", times("ours", 1.0), times("torch", 3.0, ours=False), threads=2)
    made = report(pairs=[pair])
    assert made.failed == [] and made.as_json()["results"][0]["threads"] == 2


def test_json_has_the_schema_of_the_design():
    made = report(
        outcome("add", [Gate("torch", 2.0, 4.0)], ours=[1.0, 1.0], torch=[3.0, 1.0]),
        missing=[Missing("adam", "cpp", "no kernel adam on cpp yet")],
        dispatch={"numpy": 3e-7},
    )
    made.outcomes[0].refused.append(Refused("numpy", "it cheated."))
    content = json.loads(json.dumps(made.as_json(), allow_nan=False))
    assert content["schema"] == 1
    assert set(content) >= {"schema", "machine", "limits", "results"}
    assert content["results"] == [
        {
            "name": "add ours",
            "ratio": 2.0,
            "gate": 2.0,
            "goal": 4.0,
            "threads": 1,
            "baseline": "torch",
            "ours_s": 1.0,
            "theirs_s": 2.0,
            "spread": 0.5,
        }
    ]
    assert content["limits"]["gflops"] == {"avx2": {"float32": 256.0, "float64": 256.0}}
    assert content["limits"]["gbytes_per_s"]["DRAM"] == {"read": 40.0}
    assert content["refused"] == [{"name": "add numpy", "reason": "it cheated."}]
    assert content["missing"] == [{"name": "adam", "reason": "no kernel adam on cpp yet"}]
    assert content["dispatch_s"] == {"numpy": 3e-7}


def test_a_result_without_a_gate_says_null():
    (found,) = report(outcome("add", ours=[1.0], torch=[3.0])).as_json()["results"]
    assert found["gate"] is None and found["goal"] is None


@pytest.mark.parametrize(
    ("touched", "level"),
    [(1, "L1"), (64 << 10, "L1"), ((64 << 10) + 1, "L2"), (2 << 20, "L2"), (16 << 20, "L3"),
     ((16 << 20) + 1, "DRAM")],
)  # fmt: skip
def test_the_level_that_may_hold_it(touched, level):
    """Up to twice a cache, more than half may be there: the doubt is in the machine's favour."""
    assert limits().level(touched) == level


def test_the_roof_is_the_later_of_computing_and_moving():
    roof = limits(flops=100.0, gbytes=10.0)
    assert roof.least_seconds(200, 5, 8, "float32") == 2.0
    assert roof.why(200, 5, 8, "float32").startswith("200 operations at")
    assert roof.least_seconds(20, 50, 8, "float32") == 5.0
    assert roof.why(20, 50, 8, "float32") == "50 bytes at 0 GB/s from L1"


def test_a_limit_that_was_not_measured_refuses_nothing():
    assert Limits().least_seconds(1e9, 1e9, 1, "float32") == 0.0
    assert math.isinf(Limits().best_bandwidth("L2"))


def test_limits_are_measured_again_before_anybody_is_refused(monkeypatch):
    """A neighbour was at memory when they were measured first; what was higher then stays."""
    first = dataclasses.replace(limits(100.0, 10.0), measured=True)
    first.bandwidth["L2", "read"] = 90.0
    asked = []

    def again():
        asked.append(1)
        return limits(80.0, 40.0)

    monkeypatch.setattr("minigrad.bench.limits.measure", again)
    work = (1, 40.0, 8, "float32")
    first.doubt(4.0, *work)
    assert not asked, "as fast as the roof is no reason"
    first.doubt(3.9, *work)
    assert asked == [1] and first.least_seconds(*work) == 1.0
    assert first.best_peak("float32") == 100.0 and first.bandwidth["L2", "read"] == 90.0


def test_limits_that_were_not_measured_here_are_not_asked_again(monkeypatch):
    monkeypatch.setattr("minigrad.bench.limits.measure", lambda: 1 / 0)
    limits(100.0, 10.0).doubt(0.001, 1, 40.0, 8, "float32")
