"""What is remembered of a run, and when it stops being true."""

import json

import pytest

from minigrad.course import progress, regions
from minigrad.course.progress import FAILED, OPEN, PASSED, STALE, WAITING, Progress
from minigrad.course.workspace import Workspace

TESTS = "# tests of chapter one\n"


@pytest.fixture
def place(make_course):
    course = make_course(files={"tests/01_small/test_small.py": TESTS})
    write(course, {})
    return Workspace(course)


def write(course, bodies):
    chapter = course.chapter(1)
    starts = {e.id: e.start for e in chapter.exercises}
    text = regions.fill(course.sources["minigrad/small.py"], starts | bodies, "small.py")
    (course.root / "chapters/01_small/small.py").write_text(text)


def solve(place, body="    return x * 2\n"):
    write(place.course, {"1.1": body})
    place.refresh()


def test_open_is_decided_from_text_alone(place):
    exercise = place.course.exercise("1.1")
    Progress(place).note(exercise, PASSED)
    assert Progress(place).state(exercise) == OPEN


def test_blank_lines_and_trailing_spaces_do_not_make_an_answer(place):
    start = place.course.exercise("1.1").start
    solve(place, "\n" + start.rstrip("\n") + "   \n\n")
    assert Progress(place).state(place.course.exercise("1.1")) == OPEN


@pytest.mark.parametrize("state", [PASSED, FAILED, WAITING])
def test_a_state_is_that_of_one_text(place, state):
    solve(place)
    exercise = place.course.exercise("1.1")
    assert Progress(place).state(exercise) == STALE
    Progress(place).note(exercise, state, waits_for="1.0")
    assert Progress(place).state(exercise) == state
    solve(place, "    return x * 3\n")
    assert Progress(place).state(exercise) == STALE
    solve(place)
    assert Progress(place).state(exercise) == state


def test_changed_tests_and_changed_surroundings_make_a_state_stale(place):
    solve(place)
    exercise = place.course.exercise("1.1")
    Progress(place).note(exercise, PASSED)
    tests = place.course.root / "tests/01_small/test_small.py"
    tests.write_text(TESTS + "# one more\n")
    assert Progress(place).state(exercise) == STALE
    tests.write_text(TESTS)
    file = place.course.root / "chapters/01_small/small.py"
    file.write_text(file.read_text().replace("Twice x.", "Two times x."))
    place.refresh()
    assert Progress(place).state(exercise) == STALE


def test_another_exercise_of_the_file_may_change(place):
    solve(place)
    exercise = place.course.exercise("1.1")
    Progress(place).note(exercise, PASSED)
    write(place.course, {"1.1": "    return x * 2\n", "1.2": "    return 4 * x\n"})
    place.refresh()
    assert Progress(place).state(exercise) == PASSED


def test_a_file_that_cannot_be_used_is_failed(place):
    solve(place, "    return (x\n")
    assert Progress(place).state(place.course.exercise("1.1")) == FAILED


def test_revealed_and_hints_outlive_a_run(place):
    solve(place)
    exercise = place.course.exercise("1.1")
    Progress(place).reveal(exercise)
    Progress(place).hinted(exercise, 2)
    Progress(place).note(exercise, PASSED)
    record = Progress(place).record(exercise)
    assert (record.revealed, record.hints, record.backends) == (True, 2, ("python",))


def test_an_unreadable_file_is_kept_and_replaced(place):
    path = place.state_dir / "progress.json"
    path.parent.mkdir(parents=True)
    for text in ("", "{", "[]", '{"exercises": {"1.1": {"state": 3}}}', '{"schema": 1}'):
        path.write_text(text)
        assert Progress(place).record(place.course.exercise("1.1")) == progress.Record()
        assert path.with_suffix(".unreadable.json").read_text() == text


def test_a_write_that_fails_leaves_the_old_file(place, monkeypatch):
    solve(place)
    exercise = place.course.exercise("1.1")
    Progress(place).note(exercise, PASSED)
    before = Progress(place).path.read_text()

    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(progress.os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        Progress(place).note(exercise, FAILED)
    assert Progress(place).path.read_text() == before
    assert json.loads(before)["schema"] == 1
