"""The path of a learner through chapter 1, typed as they would type it."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

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


def test_training_needs_every_exercise_and_runs_on_exactly_those(scratch):
    scratch.minigrad("solve", "1")
    scratch.minigrad("reset", "1.3")
    refused = scratch.minigrad("train", "iris", "--mine")
    assert refused.returncode == 1
    assert "exercise 1.3 is still open (chapters/01_scalar/scalar.py:" in refused.stdout
    scratch.minigrad("solve", "1.3")
    text = scratch.file.read_text()
    scratch.file.write_text(text.replace(" / len(losses)", " / (len(losses) / 0.0)"))
    broken = scratch.minigrad("train", "iris", "--mine")
    assert broken.returncode == 1, "a learner's own mistake must be what trains"
    assert "your code raised ZeroDivisionError" in broken.stdout
    assert "where  chapters/01_scalar/scalar.py:" in broken.stdout
    assert "Traceback" not in broken.stdout + broken.stderr


def test_ones_own_bodies_train_to_what_the_chapter_promises(scratch):
    scratch.minigrad("solve", "1")
    done = scratch.minigrad("train", "iris", "--mine", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["accuracy"] >= 0.93
    assert result["file"] == str(scratch.root / "build/trees/train-iris/minigrad/scalar.py")
    own = scratch.file.read_text()
    assert Path(result["file"]).read_text() == own
    assert all(Path(picture).is_file() for picture in result["pictures"])
