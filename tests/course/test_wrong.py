"""Wrong bodies: how their files are read, and that each must be rejected in a way of its own."""

import pytest

from minigrad.course import rejected, wrong
from minigrad.course.wrong import WrongFileError

TESTS = """
import pytest
from minigrad.course import expect
from minigrad.small import double, quadruple

pytestmark = pytest.mark.exercise("1.1")


def test_of_three():
    expect.close(double(3.0), 6.0, what="double of 3")


def test_of_zero():
    expect.close(double(0.0), 0.0, what="double of 0")
"""
GOOD = {"it is one more": "return x + 1.0", "it is three times": "return 3.0 * x"}


def build(make_course, bodies, tests=TESTS):
    text = "".join(f"# wrong: {line}\n{body}\n" for line, body in bodies.items())
    files = {"tests/01_small/test_small.py": tests, "tests/course/wrong/1.1.py": text}
    return make_course(machinery=True, files=files)


def tried(make_course, bodies, **parts):
    course = build(make_course, bodies, **parts)
    (result,) = rejected.run(course, [course.exercise("1.1")])
    return result


def test_bodies_are_read_with_their_misconception_line_and_indent(make_course):
    course = build(make_course, GOOD | {"two lines": "y = x\n\nreturn y"})
    found = wrong.bodies(course, course.exercise("1.1"))
    assert [(b.misconception, b.line) for b in found] == [
        ("it is one more", 1),
        ("it is three times", 3),
        ("two lines", 5),
    ]
    assert found[2].body == "    y = x\n\n    return y\n"
    assert wrong.bodies(course, course.exercise("1.2")) == []


def test_code_before_the_first_misconception_is_named(make_course):
    course = make_course(files={"tests/course/wrong/1.1.py": "\nreturn x\n# wrong: y\nreturn 1\n"})
    with pytest.raises(WrongFileError, match=r"wrong/1.1.py:2: code before"):
        wrong.bodies(course, course.exercise("1.1"))


def test_a_wrong_body_stands_where_ours_would(make_course):
    course = build(make_course, GOOD)
    first = wrong.bodies(course, course.exercise("1.1"))[0]
    text = wrong.patched(course, course.exercise("1.1"), first.body)["minigrad/small.py"]
    assert "(1 line)\n    return x + 1.0\n    # </ex 1.1>" in text
    assert "return double(once)" in text


def test_rejected_bodies_are_counted(make_course):
    result = tried(make_course, GOOD)
    assert result.problems == ()
    assert [(v.misconception, v.failed, v.tests) for v in result.verdicts] == [
        ("it is one more", 2, 2),
        ("it is three times", 1, 2),
    ]


def test_a_body_that_passes_is_named(make_course):
    result = tried(make_course, GOOD | {"a sum is no product": "return x + x"})
    assert result.problems == ('the wrong body "a sum is no product" passes all 2 tests',)
    assert result.verdicts[2].failed == 0


def test_a_body_that_only_raises_is_no_misconception(make_course):
    result = tried(make_course, GOOD | {"a slip of the pen": "return 2 * y"})
    (problem,) = result.problems
    assert "runs into NameError in every test" in problem


def test_an_exception_in_one_test_may_be_the_misconception(make_course):
    result = tried(make_course, GOOD | {"by a quotient": "return 2.0 * x * x / x"})
    assert result.problems == ()
    assert result.verdicts[2].failed == 1


def test_a_body_that_ends_the_process_is_no_misconception(make_course):
    result = tried(make_course, GOOD | {"out": "import os\nos._exit(3)"})
    assert "runs into the end of the process in every test" in result.problems[0]


def test_another_type_is_no_misconception(make_course):
    result = tried(make_course, GOOD | {"as text": "return str(2 * x)"})
    assert result.problems == ('the wrong body "as text" returns another type than the reference',)


def test_two_bodies_that_look_alike_are_named(make_course):
    result = tried(make_course, GOOD | {"plus one": "return 1.0 + x"})
    assert result.problems == (
        'the wrong body "plus one" fails just as "it is one more" does: tell them apart',
    )
