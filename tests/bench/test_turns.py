"""Two processes that take turns."""

import io
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from racing import contestant, doubling, honest, limits

from minigrad.bench import baselines, ours, turns, workloads
from minigrad.bench.refusals import Refused

ROOT = Path(__file__).resolve().parents[2]
ALL = {w.name: w for w in workloads.everything()}


def answers(monkeypatch, bind, lines=3, threads=2, **conditions):
    one = contestant(bind, "numpy", ours=False, **{"threads": 2, **conditions})
    monkeypatch.setattr(baselines, "contestants", lambda workload: [one])
    monkeypatch.setattr(ours, "contestants", lambda workload: ([], []))
    out = io.StringIO()
    turns.serve(doubling(), "numpy", threads, io.StringIO("go\n" * lines), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_turn_for_each_line(monkeypatch):
    found = answers(monkeypatch, honest)
    assert len(found) == 3 and all(0 < f["seconds"] < 1 for f in found)


def test_every_turn_is_checked(monkeypatch):
    def bind(workload, arrays):
        calls = []

        def run():
            calls.append(1)
            np.multiply(arrays["x"], 2 if len(calls) < 2 else 3, out=arrays["out"])

        return run

    first, second, third = answers(monkeypatch, bind)
    assert "seconds" in first
    assert second["refused"].startswith("wrong result: out[0, 0] is") and third == second


def test_a_side_with_other_threads_is_refused(monkeypatch):
    (found,) = answers(monkeypatch, honest, lines=1, threads=4)
    assert found == {"refused": "it runs with threads 2, the workload with 4: not comparable."}


def test_nobody_of_that_name(monkeypatch):
    monkeypatch.setattr(baselines, "contestants", lambda workload: [])
    monkeypatch.setattr(ours, "contestants", lambda workload: ([], []))
    out = io.StringIO()
    turns.serve(doubling(), "numpy", 2, io.StringIO("go\n"), out)
    assert json.loads(out.getvalue()) == {"refused": "there is nobody of that name here."}


def test_two_processes_take_turns():
    found = turns.alternate(ROOT, ALL["gemm-TN-64"], "numpy", "numpy", limits(), 2, rounds=3)
    assert (found.workload, found.ours, found.baseline) == ("gemm-TN-64", "numpy", "numpy")
    assert found.threads == 2 and found.gate is None and found.ratio > 0


def test_a_process_that_ended_is_a_sentence(monkeypatch):
    start = subprocess.Popen

    def short(command, **settings):
        return start([command[0], "-c", "import sys; sys.exit(3)"], **settings)

    monkeypatch.setattr(turns.subprocess, "Popen", short)
    with pytest.raises(Refused, match=r"numpy: its process ended with 3\."):
        turns.alternate(ROOT, ALL["gemm-TN-64"], "numpy", "numpy", limits())


def test_faster_than_two_cores_can_be_is_refused(monkeypatch):
    monkeypatch.setattr(turns.Side, "__init__", lambda self, *a: setattr(self, "who", a[2]))
    monkeypatch.setattr(turns.Side, "turn", lambda self: 1e-3)
    monkeypatch.setattr(turns.Side, "close", lambda self: None)
    work = ALL["gemm-TN-64"]
    two = turns.alternate(ROOT, work, "a", "b", limits(flops=work.flops / 2e-3), 2)
    assert two.ours_s == 1e-3
    with pytest.raises(Refused, match=r"it did not do the work"):
        turns.alternate(ROOT, work, "a", "b", limits(flops=work.flops / 3e-3), 2)
