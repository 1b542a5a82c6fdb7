"""A run of the tests says what it did not verify."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad.course import unverified

CHECKOUT = Path(__file__).resolve().parents[2]


def test_oracle_is_named_where_the_run_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = tmp_path / "tests" / "oracle"
    oracle.mkdir(parents=True)
    (oracle / "test_a.py").write_text("def test_a(): ...\ndef test_b(): ...\ndef other(): ...\n")
    line = "not verified: 2 oracle tests (torch missing; make oracle installs it)"
    monkeypatch.chdir(tmp_path)
    for argument in ("tests", str(oracle), "tests/oracle/test_a.py::test_a"):
        assert unverified.oracle_line(oracle, ["elsewhere", argument]) == line
    assert unverified.oracle_line(oracle, ["tests/01_scalar"]) is None


def report(name: str, reason: str) -> pytest.TestReport:
    skipped = ("file.py", 1, f"Skipped: {reason}")
    return pytest.TestReport(name, ("", 1, ""), {}, "skipped", skipped, "call")


def test_skipped_tests_are_counted_by_reason() -> None:
    reports = [
        report("tests/native/test_core.py::test_a", "not verified: not built"),
        report("tests/native/test_core.py::test_b", "not verified: not built"),
        report("tests/ladder/test_gemm.py::test_a", "no AVX2"),
    ]
    assert unverified.skipped_lines(reports) == [
        "not verified: 2 native tests (not built)",
        "not verified: 1 ladder test (no AVX2)",
    ]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_without_torch_says_so_and_passes(tmp_path: Path, workers: str) -> None:
    """With and without workers: there the process that prints has collected nothing."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, p=None: None if n == 'torch' else find(n, p)\n"
    )
    root = tmp_path / "checkout"
    made = shutil.ignore_patterns("__pycache__")
    for name in ("minigrad", "chapters", "tests/oracle"):
        shutil.copytree(CHECKOUT / name, root / name, ignore=made)
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(CHECKOUT / name, root / name)
    (root / "tests" / "small").mkdir()
    (root / "tests" / "small" / "test_small.py").write_text(
        "import pytest\n"
        "def test_passes(): pass\n"
        "def test_skipped(): pytest.skip('not verified: no such thing')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--impl", "reference", "-n", workers],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    small, oracle, closing = done.stdout.splitlines()[-3:]
    assert small == "not verified: 1 small test (no such thing)"
    assert oracle.startswith("not verified: ")
    assert oracle.endswith("oracle tests (torch missing; make oracle installs it)")
    assert "1 passed, 1 skipped" in closing
