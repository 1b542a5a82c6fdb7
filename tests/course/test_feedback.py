"""What a failure is turned into: a headline, the values, the misconception, the next command."""

import pytest

from minigrad.course import regions, runner, testing
from minigrad.course.progress import FAILED, OPEN, PASSED, WAITING
from minigrad.course.workspace import Workspace

TESTS = """
import pytest
from minigrad.course import expect
from minigrad.small import double, quadruple

@pytest.mark.exercise("1.1")
@pytest.mark.parametrize("x", [3, 5, 0.1])
def test_double(x):
    expect.close(double(x), 2 * x, what="twice x", inputs={"x": x})

@pytest.mark.exercise("1.1")
def test_plain_assert():
    assert double(7) == 14, "seven twice is fourteen"

@pytest.mark.exercise("1.2")
def test_quadruple():
    expect.close(quadruple(3), 12, what="four times x", inputs={"x": 3})
"""
WRONG = """# wrong: squares the number; twice 2 hides it, twice 3 shows it
return x * x
# wrong: adds two instead of taking it twice
return x + 2
# wrong: forgets to return
x + x
"""


@pytest.fixture(scope="module")
def warm():
    with runner.Warm() as parent:
        yield parent


@pytest.fixture
def place(make_course):
    files = {"tests/01_small/test_small.py": TESTS, "tests/course/wrong/1.1.py": WRONG}
    return Workspace(make_course(files=files, machinery=True))


@pytest.fixture
def run(place, warm):
    """Test chapter 1 with these bodies; None leaves an exercise open."""

    def go(first=None, second=None):
        chapter = place.course.chapter(1)
        bodies = {e.id: e.start for e in chapter.exercises}
        for name, body in (("1.1", first), ("1.2", second)):
            if body is not None:
                bodies[name] = regions.indent(body, "    ")
        text = regions.fill(place.course.sources["minigrad/small.py"], bodies, "small.py")
        (place.course.root / "chapters/01_small/small.py").write_text(text)
        return testing.run(place, warm, chapter.exercises)

    return go


def test_the_misconception_of_an_equal_output_is_told(run):
    said = run("return x ** 2").advice["1.1"]
    assert said.headline == "exercise 1.1: twice x is wrong."
    assert dict(said.lines) == {
        "inputs": "x = 3",
        "got": "9",
        "expected": "6 (relative error 0.5)",
        "test": "test_small.py::test_double[3]",
        "pattern": "squares the number; twice 2 hides it, twice 3 shows it",
        "more": "3 further tests of 1.1 failed",
        "try": "minigrad hint 1.1",
    }


def test_each_misconception_is_told_apart(run):
    assert dict(run("return 2 + x").advice["1.1"].lines)["pattern"].startswith("adds two")
    assert dict(run("pass").advice["1.1"].lines)["pattern"] == "forgets to return"


def test_a_mistake_of_ones_own_has_no_pattern(run):
    lines = dict(run("return 2 * x + 1").advice["1.1"].lines)
    assert "pattern" not in lines
    assert lines["got"] == "7"


def test_a_mistake_elsewhere_is_not_blamed_on_the_exercise(run):
    """1.2 is right, but stands on 1.1: no wrong body of 1.2 may be named for what 1.1 does."""
    outcome = run("return x * x", "return double(double(x))")
    lines = dict(outcome.advice["1.2"].lines)
    assert lines["pattern"] == "with our 1.2 it is the same: the mistake is in what 1.2 uses"
    assert dict(outcome.advice["1.1"].lines)["pattern"].startswith("squares")


def test_one_error_that_fails_two_exercises_is_told_once(run):
    outcome = run("return y", "return double(double(x))")
    assert [r.state for r in outcome.results] == [FAILED, FAILED]
    assert list(outcome.advice) == ["1.1"]


def test_a_plain_assert_is_told_by_its_message(run):
    said = run("return 2 * x if x != 7 else 15").advice["1.1"]
    assert "seven twice is fourteen" in said.headline


def test_states_open_waiting_and_passed(run):
    states = [r.state for r in run(None, "return double(double(x))").results]
    assert states == [OPEN, WAITING]
    outcome = run("return 2 * x", "return double(double(x))")
    assert [r.state for r in outcome.results] == [PASSED, PASSED]
    assert outcome.passed
    assert not outcome.advice


def test_an_open_exercise_is_not_run_and_not_passed(run):
    outcome = run()
    assert [r.state for r in outcome.results] == [OPEN, OPEN]
    assert [r.tests for r in outcome.results] == [[], []]
    assert not outcome.passed


def test_a_broken_file_is_said_once(run):
    outcome = run("return (2 * x", "return 4 * x")
    assert [r.state for r in outcome.results] == [FAILED, FAILED]
    assert len(outcome.advice) == 1
    assert "chapters/01_small/small.py" in outcome.advice["1.1"].headline


def test_the_next_step_follows_from_the_results(run, place):
    assert "then minigrad test 1.1" in testing.next_step(place, run(None, "return 4 * x"))
    outcome = run("return 2 * x", "return double(double(x))")
    assert testing.next_step(place, outcome) == "minigrad test 2.1"


def test_the_reference_is_run_on_request_and_not_remembered(place, warm):
    chapter = place.course.chapter(1)
    outcome = testing.run(place, warm, chapter.exercises, impl=testing.REFERENCE)
    assert outcome.passed
    assert outcome.whose == "the reference"
    assert not (place.state_dir / "progress.json").exists()


def test_all_mine_fills_what_is_open_from_the_reference(place, warm, run):
    run("return 2 * x")
    exercises = list(place.course.chapter(1).exercises)
    outcome = testing.run(place, warm, exercises[:1], all_mine=True)
    assert outcome.tree.mine == ("1.1",)
    assert outcome.passed
