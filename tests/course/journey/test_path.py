"""The path of a learner through chapter 1, typed as they would type it."""

import json
import shutil
import subprocess
import sys
import time

import pytest

FILE = "chapters/01_scalar/scalar.py"
STUB = '        raise NotImplementedError("exercise 1.1")\n'
WRONG = (
    '        return Value(self.data * other.data, (self, other), (self.data, other.data), "*")\n'
)
MISCONCEPTION = "each factor is given its own number as slope"


# A command that waits for ever must end the test, not the whole run.
pytestmark = pytest.mark.timeout(240)


def test_a_learners_path_through_chapter_1(scratch, record_property):
    assert set(scratch.states().values()) == {"open"}
    untouched = scratch.minigrad("test", "1")
    assert untouched.returncode == 1
    assert "tree: build/trees/test-01" in untouched.stdout

    scratch.rewrite(STUB, WRONG)
    wrong = scratch.minigrad("test", "1")
    assert wrong.returncode == 1
    for words in ("exercise 1.1: ", "got       2", "expected  -3", MISCONCEPTION, "hint 1.1"):
        assert words in wrong.stdout
    assert scratch.states()["1.1"] == "failed"

    assert scratch.minigrad("solve", "1").returncode == 0
    started = time.monotonic()
    right = scratch.minigrad("test", "1")
    took = time.monotonic() - started
    record_property("figure", f"minigrad test 1, solved: {took:.2f} s")
    assert right.returncode == 0, right.stdout
    listed = json.loads(scratch.minigrad("status", "--json").stdout)["exercises"]
    done = {(e["state"], e["revealed"]) for e in listed if e["chapter"] == "01_scalar"}
    assert done == {("passed", True)}
    assert "next: minigrad train iris --mine" in right.stdout

    scratch.rewrite("other.data, self.data", "other.data,  self.data")
    assert scratch.states()["1.1"] == "stale"
    assert scratch.states()["1.2"] == "passed"

    upgraded = scratch.minigrad("upgrade", "--no-pull")
    assert upgraded.returncode == 0, upgraded.stdout + upgraded.stderr
    assert "other.data,  self.data" in scratch.file.read_text()
    assert scratch.states()["1.1"] == "stale"
    assert scratch.minigrad("test", "1").returncode == 0
    assert set(scratch.states().values()) == {"passed"}


def test_the_solutions_pass_and_a_planted_error_is_named(scratch):
    shutil.copy(scratch.root / "solutions/01_scalar/scalar.py", scratch.file)
    assert scratch.minigrad("test", "1").returncode == 0
    text = scratch.file.read_text()
    scratch.file.write_text('raise RuntimeError("planted")\n' + text)
    planted = scratch.minigrad("test", "1")
    assert planted.returncode == 1
    assert f"\n{FILE}:1 raises RuntimeError while it is imported: planted" in planted.stdout
    assert "pattern" not in planted.stdout, "no exercise is to blame for it"
    assert "next: repair that file, then minigrad test 1" in planted.stdout
    plain = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/01_scalar"],
        cwd=scratch.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert plain.returncode != 0
    assert "planted" in plain.stdout


def test_plain_pytest_runs_the_learners_code_and_says_so(scratch):
    def pytest_on(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "pytest", "tests/01_scalar", *arguments],
            cwd=scratch.root,
            capture_output=True,
            text=True,
            check=False,
        )

    mine = pytest_on()
    assert mine.returncode == 1
    assert "minigrad: yours (chapters: 1), the reference elsewhere" in mine.stdout
    assert "exercise 1.1 is still open" in mine.stdout
    reference = pytest_on("--impl", "reference")
    assert reference.returncode == 0, reference.stdout
    assert "minigrad: the reference; tree build/trees/reference" in reference.stdout
