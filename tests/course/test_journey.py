"""The path of a learner through chapter 1, typed as they would type it, on a copy."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
FILE = "chapters/01_scalar/scalar.py"
STUB = '        raise NotImplementedError("exercise 1.1")\n'
WRONG = (
    '        return Value(self.data * other.data, (self, other), (self.data, other.data), "*")\n'
)
MISCONCEPTION = "each factor is given its own number as slope"

# A command that waits for ever must end the test, not the whole run.
pytestmark = pytest.mark.timeout(240)


@dataclass(frozen=True)
class Scratch:
    """A copy of the checkout, untouched, in which commands are typed."""

    root: Path

    def minigrad(self, *arguments, cwd=None):
        code = "from minigrad.course.entry import main; main()"
        return subprocess.run(
            [sys.executable, "-P", "-c", code, *map(str, arguments)],
            cwd=cwd or self.root,
            env={**os.environ, "PYTHONPATH": str(self.root), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def states(self):
        done = self.minigrad("status", "--json")
        listed = json.loads(done.stdout)["exercises"]
        return {e["id"]: e["state"] for e in listed if e["chapter"] == "01_scalar"}

    def rewrite(self, old, new):
        text = (self.root / FILE).read_text()
        assert old in text, old
        (self.root / FILE).write_text(text.replace(old, new))


@pytest.fixture
def scratch(tmp_path):
    """Every file that git tracks or would track; chapters/ as they are committed."""
    root = tmp_path / "scratch"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if name and (CHECKOUT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, root / name)
    place = Scratch(root)
    done = place.minigrad("reset", "1")
    assert done.returncode == 0, done.stderr
    return place


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
    assert "other.data,  self.data" in (scratch.root / FILE).read_text()
    assert scratch.states()["1.1"] == "stale"
    assert scratch.minigrad("test", "1").returncode == 0
    assert set(scratch.states().values()) == {"passed"}


def test_the_solutions_pass_and_a_planted_error_is_named(scratch):
    shutil.copy(scratch.root / "solutions/01_scalar/scalar.py", scratch.root / FILE)
    assert scratch.minigrad("test", "1").returncode == 0
    text = (scratch.root / FILE).read_text()
    (scratch.root / FILE).write_text('raise RuntimeError("planted")\n' + text)
    planted = scratch.minigrad("test", "1")
    assert planted.returncode == 1
    assert f"{FILE}:1 raises RuntimeError while it is imported: planted" in planted.stdout
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
    text = (scratch.root / FILE).read_text()
    (scratch.root / FILE).write_text(text.replace(" / len(losses)", " / (len(losses) / 0.0)"))
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
    own = (scratch.root / FILE).read_text()
    assert Path(result["file"]).read_text() == own
    assert all(Path(picture).is_file() for picture in result["pictures"])


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("test", "9"), "chapter 9 (gemm) is not there yet; there are: 1, "),
        (("test", "1.99"), "there is no exercise 1.99; chapter 1 has 1.1"),
        (("test", "one"), "'one' is neither a chapter (3) nor an exercise (3.2)"),
        (("test", "1", "--impl", "theirs"), "it is mine or reference"),
        (("test", "1", "--chapters", "nowhere"), "there is no such folder"),
        (("hint", "24.1"), "there is no chapter 24"),
        (("train", "gpt"), "there is no training called 'gpt'; there are: iris"),
        (("hint", "1.1", "--level", "4"), "Invalid value for '--level'"),
        (("nonsense",), "No such command 'nonsense'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(scratch, arguments, words):
    done = scratch.minigrad(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_outside_a_checkout_and_from_a_folder_inside_one(scratch, tmp_path):
    outside = scratch.minigrad("status", cwd=tmp_path)
    assert outside.returncode == 2
    assert "is not inside a checkout of the course" in outside.stderr
    inside = scratch.minigrad("status", cwd=scratch.root / "chapters" / "01_scalar")
    assert inside.returncode == 0


def test_the_command_runs_the_checkout_it_is_called_in(scratch, tmp_path):
    """An install of another checkout must not answer for this one."""
    other = tmp_path / "other"
    shutil.copytree(scratch.root, other)
    (other / "minigrad/course/reading.py").write_text("raise SystemExit('the other checkout')")
    done = scratch.minigrad("status", cwd=other)
    assert "the other checkout" in done.stderr


def test_a_teacher_reads_a_class_and_leaves_nothing_behind(scratch, tmp_path):
    student = tmp_path / "class" / "ada"
    shutil.copytree(scratch.root / "solutions" / "01_scalar", student / "01_scalar")
    before = scratch.states()
    done = scratch.minigrad("test", "1", "--chapters", student, "--json")
    assert done.returncode == 0, done.stdout
    listed = json.loads(done.stdout)
    assert listed["schema"] == 1
    assert {e["state"] for e in listed["exercises"]} == {"passed"}
    assert str(student) in listed["tree"]["path"]
    assert scratch.states() == before
    again = json.loads(scratch.minigrad("status", "--chapters", student, "--json").stdout)
    states = {e["state"] for e in again["exercises"] if e["chapter"] == "01_scalar"}
    assert states == {"passed"}


def test_hints_come_one_by_one(scratch):
    assert scratch.minigrad("hint", "1.2").stdout.startswith("hint 1 of 3 for 1.2: ")
    assert "hint 2 of 3" in scratch.minigrad("hint", "1.2").stdout
    third = scratch.minigrad("hint", "1.2", "--json")
    assert len(json.loads(third.stdout)["hints"]) == 3


def test_ours_is_shown_after_passing_or_on_demand(scratch):
    refused = scratch.minigrad("diff", "1.1")
    assert refused.returncode == 1
    assert "has not passed yet (open)" in refused.stdout
    assert "slopes = " not in refused.stdout
    shown = scratch.minigrad("diff", "1.1", "--anyway")
    assert "+        slopes = " in shown.stdout
    listed = json.loads(scratch.minigrad("status", "--json").stdout)["exercises"]
    assert [e["id"] for e in listed if e["revealed"]] == ["1.1"]


def test_watch_runs_again_soon_after_each_save(scratch, record_property):
    """How long from a save to the start of the run; a figure, since time is the machine's."""
    scratch.minigrad("solve", "1")
    code = "from minigrad.course.entry import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", code, "watch", "1.1"],
        cwd=scratch.root,
        env={**os.environ, "PYTHONPATH": str(scratch.root), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    delays = []
    try:
        read_until(process, "watching")
        for number in range(10):
            file = scratch.root / FILE
            text = file.read_text().split("\n# save ")[0]
            draft = file.with_suffix(".draft")
            draft.write_text(f"{text}\n# save {number}\n")
            time.sleep(0.2)  # a late second run would be taken for this save's
            saved = time.monotonic()
            os.replace(draft, file)
            read_until(process, "running")
            delays.append(time.monotonic() - saved)
            assert " passed " in read_until(process, "watching")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert len(delays) == 10
    median = statistics.median(delays)
    record_property("figure", f"watch: {median:.3f} s from saving to the run (median of ten)")


def read_until(process, word):
    lines = []
    while True:
        line = process.stdout.readline()
        assert line, "watch ended by itself: " + "".join(lines)
        lines.append(line)
        if line.startswith(word):
            return "".join(lines)
