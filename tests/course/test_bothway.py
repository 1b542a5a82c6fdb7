"""The both-way rule: each way of breaking it is one sentence that names the test or the file."""

from minigrad.course import bothway

HEAD = """
import pytest
from minigrad.course import expect
from minigrad.small import double, quadruple

"""
FIRST = """
@pytest.mark.exercise("1.1")
def test_double():
    expect.close(double(3.0), 6.0, what="double")

"""
SECOND = """
@pytest.mark.exercise("1.2")
def test_quadruple():
    expect.close(quadruple(3.0), 12.0, what="quadruple")

"""
WRONG = "".join(f"# wrong: misconception {n}\nreturn x + {n}.0\n" for n in range(1, 4))
SMALL = "tests/01_small/test_small.py"


def build(make_course, *tests, **parts):
    sources = {"minigrad/small.py": (parts.pop("source", None) or ONE_CHAPTER)}
    files = {
        SMALL: HEAD + "".join(tests),
        "tests/course/wrong/1.1.py": WRONG,
        "tests/course/wrong/1.2.py": WRONG,
        **parts.pop("files", {}),
    }
    return make_course(sources=sources, files=files, machinery=True, **parts)


ONE_CHAPTER = """
def double(x):
    # <ex 1.1> twice the number (1 line)
    return 2 * x
    # </ex 1.1>


def quadruple(x):
    # <ex 1.2> four times the number (1 line)
    return double(double(x))
    # </ex 1.2>
"""


def test_a_sound_chapter_has_no_problem(make_course):
    course = build(make_course, FIRST, SECOND)
    assert bothway.structure(course) == []
    assert bothway.run(course) == []


def test_a_test_that_passes_on_the_stub_is_named(make_course):
    idle = '@pytest.mark.exercise("1.1")\ndef test_idle():\n    assert double\n\n'
    course = build(make_course, FIRST, SECOND, idle)
    assert bothway.run(course) == [
        f"{SMALL}::test_idle: passes on the untouched stub of exercise 1.1"
    ]


def test_a_swallowed_stub_is_a_pass_and_is_named(make_course):
    hidden = '@pytest.mark.exercise("1.2")\ndef test_hidden():\n'
    hidden += "    try:\n        quadruple(1.0)\n    except Exception:\n        pass\n\n"
    course = build(make_course, FIRST, SECOND, hidden)
    assert bothway.run(course) == [
        f"{SMALL}::test_hidden: passes on the untouched stub of exercise 1.2"
    ]


def test_a_test_that_fails_or_is_skipped_on_the_reference_is_named(make_course):
    fails = FIRST.replace("6.0", "7.0")
    skipped = '@pytest.mark.exercise("1.2")\ndef test_skipped():\n    pytest.skip("not today")\n'
    course = build(make_course, fails, SECOND, skipped)
    found = bothway.run(course)
    assert f"{SMALL}::test_double: does not pass on the reference: " in found[0]
    assert "double: got 6, expected 7" in found[0]
    assert any(f"{SMALL}::test_skipped: does not pass on the reference" in p for p in found)


def test_a_test_that_needs_a_later_exercise_names_both(make_course):
    early = '@pytest.mark.exercise("1.1")\ndef test_early():\n'
    early += '    expect.close(double(3.0) + quadruple(1.0), 10.0, what="both")\n\n'
    course = build(make_course, FIRST, SECOND, early)
    assert bothway.run(course) == [
        f"{SMALL}::test_early: a test of exercise 1.1 waits for 1.2, which comes later"
    ]


def test_a_test_that_fails_while_later_ones_are_open_is_named(make_course):
    counts = '@pytest.mark.exercise("1.1")\ndef test_counts():\n'
    counts += "    double(1.0)\n    try:\n        quadruple(1.0)\n        done = 1\n"
    counts += (
        "    except NotImplementedError:\n        done = 0\n    assert done == 1, 'not done'\n\n"
    )
    found = bothway.run(build(make_course, FIRST, SECOND, counts))
    assert len(found) == 1
    assert found[0].startswith(f"{SMALL}::test_counts: fails with exercises up to 1.1 solved")
    assert "not done" in found[0]


def test_stubs_that_cannot_be_imported_are_named(make_course):
    source = ONE_CHAPTER + "\nTWO = double(1)\n"
    found = bothway.run(build(make_course, FIRST, SECOND, source=source))
    assert found[0] == (
        "the untouched stubs of 01_small cannot be tested: NotImplementedError: exercise 1.1"
    )


def test_a_test_without_a_marker_is_named_with_its_line(make_course):
    course = build(make_course, FIRST, SECOND, "def test_loose():\n    pass\n")
    line = (HEAD + FIRST + SECOND).count("\n") + 1
    (problem,) = bothway.structure(course)
    assert problem.startswith(f"{SMALL}:{line}: this test names no exercise")


def test_markers_of_the_module_and_of_a_class_count(make_course):
    files = {
        "tests/01_small/test_more.py": HEAD
        + 'pytestmark = [pytest.mark.exercise("1.1"), pytest.mark.limit(cpu=2)]\n\n'
        + "def test_one():\n    pass\n",
        "tests/01_small/test_class.py": HEAD
        + '@pytest.mark.exercise("1.2")\nclass TestAll:\n    def test_one(self):\n        pass\n',
    }
    assert bothway.structure(build(make_course, FIRST, SECOND, files=files)) == []


def test_a_marker_of_an_unknown_exercise_is_named(make_course):
    course = build(make_course, FIRST, SECOND, FIRST.replace("1.1", "1.7"))
    (problem,) = bothway.structure(course)
    assert "this test names exercise 1.7, which 01_small lacks" in problem


def test_an_exercise_without_a_test_is_named(make_course):
    course = build(make_course, FIRST)
    assert bothway.structure(course) == ["tests/01_small: exercise 1.2 has no test"]


def test_too_few_hints_are_named(make_course):
    manifest = (
        'title = "s"\nidea = "i"\nhours = 1\nneeds = []\ndevice = "-"\nmilestone = "m"\n[hints]\n'
        '"1.1" = ["one", "two", " "]\n"1.2" = ["one", "two", "three"]\n'
    )
    course = build(make_course, FIRST, SECOND, chapters={"01_small": manifest})
    assert bothway.structure(course) == [
        "chapters/01_small/chapter.toml: exercise 1.1 has 2 hints, not 3"
    ]


def test_too_few_wrong_bodies_are_named(make_course):
    files = {"tests/course/wrong/1.2.py": "# wrong: one\nreturn x\n"}
    course = build(make_course, FIRST, SECOND, files=files)
    assert bothway.structure(course) == [
        "tests/course/wrong/1.2.py: exercise 1.2 has 1 wrong bodies; at least 3 must be there"
    ]


def test_what_belongs_to_no_exercise_is_named(make_course):
    files = {
        "tests/course/wrong/1.9.py": WRONG,
        "tests/course/records/4.4.json": "{}",
        "tests/07_gone/test_gone.py": "",
    }
    found = bothway.structure(build(make_course, FIRST, SECOND, files=files))
    assert found == [
        "tests/07_gone: there is no such chapter",
        "tests/course/wrong/1.9.py: wrong bodies of exercise 1.9, which does not exist",
        "tests/course/records/4.4.json: a record of exercise 4.4, which does not exist",
    ]


def test_a_chapter_without_an_exercise_is_named(make_course):
    manifest = 'title = "s"\nidea = "i"\nhours = 1\nneeds = []\ndevice = "-"\nmilestone = "m"\n'
    course = make_course(
        sources={}, chapters={"01_small": manifest}, files={"tests/course/x.py": ""}
    )
    assert bothway.structure(course) == [
        "chapters/01_small/chapter.toml: no source holds an exercise of this chapter"
    ]
