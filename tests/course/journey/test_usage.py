"""What the command line answers to wrong usage, to a teacher, and to small questions."""

import json
import shutil

import pytest

# A command that waits for ever must end the test, not the whole run.
pytestmark = pytest.mark.timeout(240)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("test", "9"), "chapter 9 (gemm) is not there yet; there are: 1, "),
        (("test", "1.99"), "there is no exercise 1.99; chapter 1 has 1.1"),
        (("test", "one"), "'one' is neither a chapter (3) nor an exercise (3.2)"),
        (("test", "1", "--impl", "theirs"), "it is mine or reference"),
        (("test", "1", "--chapters", "nowhere"), "there is no such folder"),
        (("hint", "24.1"), "there is no chapter 24"),
        (("train", "bert"), "there is no training called 'bert'; there are: iris"),
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


def test_what_cannot_be_written_is_one_sentence(scratch):
    state = scratch.root / ".minigrad"
    shutil.rmtree(state, ignore_errors=True)
    state.write_text("a file where a folder should be")
    done = scratch.minigrad("hint", "1.2")
    assert done.returncode == 1
    assert ".minigrad/progress.json: Not a directory." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_chapter_whose_folder_was_deleted_is_named_with_the_way_back(scratch):
    shutil.rmtree(scratch.root / "chapters" / "01_scalar")
    done = scratch.minigrad("status")
    assert done.returncode == 1
    assert "chapters/01_*/chapter.toml is missing" in done.stderr
    assert "git checkout -- chapters/01_*" in done.stderr


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
