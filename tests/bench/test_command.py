"""`minigrad bench kernels` as it is typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad import native
from minigrad.bench import command, threads
from minigrad.course import cli
from minigrad.kernels import build

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ROOT / "minigrad" / "course" / "launch.py"


def typed(*arguments, **environment):
    start = [sys.executable, str(LAUNCH), str(ROOT), "-m", "minigrad.course.cli"]
    env = {**os.environ, **environment}
    return subprocess.run(
        [*start, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300
    )


def test_libraries_are_told_their_threads_before_they_are_loaded(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    found = threads.environment(1)
    assert {found[name] for name in threads.VARIABLES} == {"1"}
    assert {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} <= set(threads.VARIABLES)


def test_wrong_usage_is_one_sentence():
    done = typed("bench", "kernels", "--only", "nothing")
    assert done.returncode == 2 and done.stdout == ""
    said = "minigrad: --only nothing: no workload has that in its name; there are: gemm-NN-64, "
    assert done.stderr.startswith(said) and done.stderr.count("\n") == 1


def test_what_can_be_measured():
    with pytest.raises(LookupError, match=r"^bench models: what can be measured is kernels$"):
        cli.bench("models")


def test_from_the_first_limit_to_the_file(built, tmp_path):
    arguments = ("--only", "softmax-64x10,adam", "--quick", "--json", "--out", str(tmp_path))
    # Whatever the user's own setting is: the process that measures has one thread.
    done = typed("bench", "kernels", *arguments, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2")
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    content = json.loads(done.stdout)
    assert content == json.loads((tmp_path / "bench.json").read_text(encoding="utf-8"))
    names = {r["name"] for r in content["results"]} | {m["name"] for m in content["missing"]}
    assert "softmax-64x10 1_loop" in names and any(n.startswith("adam-100K") for n in names)
    assert content["refused"] == []
    for result in content["results"]:
        assert result["ours_s"] > 0 and result["theirs_s"] > 0 and result["threads"] == 1
        assert result["ratio"] == pytest.approx(result["theirs_s"] / result["ours_s"], abs=1e-3)
    limits = content["limits"]
    assert set(limits["gbytes_per_s"]) == {*limits["caches_bytes"], "DRAM"}
    assert limits["isa"] in limits["gflops"]
    assert "a kernel in C++" in content["dispatch_s"]
    assert {p.name for p in tmp_path.iterdir()} == {"bench.json", "bars.png", "roofline.png"}


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (native.NativeMissing("nothing is built: run make build."), 1, "minigrad: nothing is"),
        (build.CompilerMissing("no working C++ compiler."), 1, "minigrad: no working C++"),
        (KeyboardInterrupt(), 130, "stopped; nothing was saved"),
    ],
)
def test_what_is_lacking_is_one_sentence(monkeypatch, capsys, tmp_path, raised, code, said):
    def measure(*given):
        raise raised

    monkeypatch.setattr(command, "measure", measure)
    assert command.main(["kernels", "--out", str(tmp_path / "made")]) == code
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(said) and err.count("\n") == 1
    assert not (tmp_path / "made").exists()
