"""Mutants: every kind of fault is made, each once, by a name that lasts; weak tests are seen."""

import subprocess
import sys
from textwrap import dedent

import pytest

from minigrad.course import mutants, mutations
from minigrad.course.mutants import ReferenceFails
from minigrad.course.regions import RegionError

TESTS = """
import pytest
from minigrad.course import expect
from minigrad.small import double, quadruple

pytestmark = pytest.mark.limit(cpu=0.3)


@pytest.mark.exercise("1.1")
def test_double():
    {double}


@pytest.mark.exercise("1.2")
def test_quadruple():
    {quadruple}
"""
CLOSE = 'expect.close({0}(3.0), {1}, what="{0}")'
TWICE, FOUR = CLOSE.format("double", 6.0), CLOSE.format("quadruple", 12.0)


def described(body):
    return [m.description for m in mutations.mutants(body)]


@pytest.mark.parametrize(
    ("body", "changes"),
    [
        ("a + b", ["a + b -> a - b", "a + b -> a", "a + b -> b"]),
        ("a - b", ["a - b -> a + b", "a - b -> b - a"]),
        ("a * b", ["a * b -> a / b"]),
        ("a / b", ["a / b -> a * b", "a / b -> b / a"]),
        ("a ** b", ["a ** b -> a * b", "a ** b -> b ** a"]),
        ("a @ b", ["a @ b -> b @ a"]),
        ("-a", ["-a -> a"]),
        ("x = not a", ["not a -> a"]),
        ("a < b", ["a < b -> a <= b"]),
        ("a <= b", ["a <= b -> a < b"]),
        ("a > b", ["a > b -> a >= b"]),
        ("a >= b", ["a >= b -> a > b"]),
        ("a == b", ["a == b -> a != b"]),
        ("a is b", ["a is b -> a is not b"]),
        ("a in b", ["a in b -> a not in b"]),
        ("a < b == c", ["a < b == c -> a <= b == c", "a < b == c -> a < b != c"]),
        ("a and b", ["a and b -> a or b"]),
        ("x = 0", ["0 -> 1", "0 -> -1"]),
        ("x = 1.0", ["1.0 -> 0.0", "1.0 -> -1.0", "1.0 -> 2.0"]),
        ("x = 7", ["7 -> 0", "7 -> 1", "7 -> 8", "7 -> -7"]),
        ("x = True", ["True -> False"]),
        ("x = '+'", ["'+' -> ''"]),
        ("x = math.inf", ["math.inf -> -math.inf", "math.inf -> 0.0"]),
        ("f(a, b, c)", ["f(a, b, c) -> f(b, a, c)", "f(a, b, c) -> f(a, c, b)"]),
        ("x = (a, b)", ["(a, b) -> (b, a)"]),
        ("a, b = x", ["(a, b) -> (b, a)"]),
        ("x = [a, b]", ["[a, b] -> [b, a]"]),
        ("range(n)", ["n -> n + 1", "n -> n - 1"]),
        ("x[i]", ["i -> i + 1", "i -> i - 1"]),
        ("x[i, :]", ["(i, :) -> (i + 1, :)", "(i, :) -> (i - 1, :)"]),
        ("x[-1]", ["-1 -> 0", "-1 -> -1 - 1"]),
        ("x[a:b]", ["a -> a + 1", "a -> a - 1", "b -> b + 1", "b -> b - 1"]),
        ("x[:]", [": -> 1:", ": -> :-1"]),
        ("x[::s]", ["s -> -s"]),
        ("x += a", ["x += a -> x = a", "x += a -> x -= a"]),
        ("f(a); g(a)", ["f(a) -> nothing", "g(a) -> nothing"]),
        ("return a", ["return a -> return None"]),
        ("while a:\n    break", ["break -> continue", "a -> not a"]),
        ("if a:\n    f()", ["a -> not a", "f() -> nothing", "if a: ... -> nothing"]),
        ("x = a if b else c", ["b -> not b"]),
        ("x = [a for a in b if c]", ["c -> not c"]),
        ("min(a, b)", ["min(a, b) -> max(a, b)"]),
        ("np.max(a)", ["np.max(a) -> np.min(a)"]),
        ("f(abs(a))", ["abs(a) -> a"]),
        ("s.sum(axis=0)", ["s.sum(axis=0) -> s.sum()", "s.sum(axis=0) -> s.sum(axis=-1)"]),
        ("s.sum(keepdims=True)", ["s.sum(keepdims=True) -> s.sum()", "True -> False"]),
        ("try:\n    f()\nexcept E:\n    g()", ["g() -> raise", "f() -> nothing"]),
        ("lambda g, out: (a * g, b)", ["a * g -> a / g", "(a * g, b) -> (b, a * g)"]),
    ],
)
def test_each_kind_of_fault(body, changes):
    found = [d.split(": ", 1)[1] for d in described(body)]
    assert [c for c in changes if c not in found] == []


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('text %d' % (n + 1))",
        "x: list[tuple[int, int]] = f()",
        "f(f'{a + b}')",
        "import math",
        "'a docstring'",
    ],
)
def test_what_no_test_could_see_is_left_alone(body):
    assert [d for d in described(body) if not d.endswith("-> nothing")] == []


def test_a_mutant_differs_in_one_place_and_says_which():
    body = "x = a + b\nfor i in range(3):\n    x += a * i\nreturn x"
    by_name = {m.description: m.body for m in mutations.mutants(body)}
    assert by_name["line 3: a * i -> a / i"] == body.replace("a * i", "a / i")
    assert by_name["line 1: a + b -> a - b"] == body.replace("a + b", "a - b")
    assert by_name["line 2: 3 -> 4"] == body.replace("3", "4")
    assert mutations.mutants(body) == mutations.mutants(body)


def test_descriptions_name_one_mutant_each_and_texts_come_once():
    found = mutations.mutants("return f(0.0, 0.0) + f(0.0, 0.0)")
    assert len({m.description for m in found}) == len({m.body for m in found}) == len(found)
    assert {"line 1: 0.0 -> 1.0", "line 1: 0.0 -> 1.0 (4)"} <= {m.description for m in found}


def test_long_lines_are_shown_around_the_change():
    long = f"x = f({', '.join(f'argument_{n}' for n in range(20))}, a * b)"
    swapped = [d for d in described(long) if "argument_19, a * b" in d and "a * b, arg" in d]
    assert len(swapped) == 1
    assert len(swapped[0]) < 200


def test_a_negative_literal_keeps_its_parentheses():
    bodies = {m.description: m.body for m in mutations.mutants("return 2 ** 2")}
    assert "return (-2) ** 2" in bodies.values()


def test_what_compiles_to_the_same_is_no_mutant():
    body = "if a:\n    f()\nx = --1\nreturn"
    changed = mutations.mutants(body)
    kept = {m.description for m in mutations.distinct(body, changed)}
    dropped = {m.description for m in changed} - kept
    assert "line 4: return -> nothing" in dropped
    assert "line 1: a -> not a" in kept


def test_two_that_compile_to_the_same_are_one_mutant():
    body = "for a in b:\n    break"
    changed = mutations.mutants(body)
    assert [m.body.split()[-1] for m in changed] == ["pass", "continue", "pass"]
    assert len(mutations.distinct(body, changed)) == 2


def test_the_same_mutants_in_every_process(tmp_path):
    body = "return {x for x in (a, b)} | {1, 2, 3}"
    script = tmp_path / "list.py"
    script.write_text(
        dedent(f"""
        from minigrad.course import mutations
        found = mutations.mutants({body!r})
        print([m.description for m in mutations.distinct({body!r}, found)])
        """)
    )
    launch = mutations.__file__.replace("mutations.py", "launch.py")
    tree = launch.split("/minigrad/course/")[0]
    printed = {
        subprocess.run(
            [sys.executable, launch, tree, str(script)],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def build(make_course, double=TWICE, quadruple=FOUR, **parts):
    tests = TESTS.format(double=double, quadruple=quadruple)
    return make_course(machinery=True, files={"tests/01_small/test_small.py": tests}, **parts)


def test_good_tests_leave_no_survivor(make_course):
    course = build(make_course)
    first, second = mutants.run(course, course.chapter(1).exercises)
    assert (first.exercise, first.survivors) == ("1.1", ())
    assert (second.exercise, second.survivors) == ("1.2", ())
    assert first.total == first.killed >= 5


def test_a_weak_test_leaves_survivors_that_are_named(make_course):
    # At 1, 2 * x and 2 / x and 2 are the same.
    weak = 'expect.close(double(1.0), 2.0, what="double")'
    course = build(make_course, double=weak, quadruple="expect.that(True, 'nothing')")
    (result,) = mutants.run(course, [course.exercise("1.1")])
    assert result.survivors == ("line 1: 2 * x -> 2 / x", "line 1: 2 * x -> 2")
    assert result.killed == result.total - 2


def test_other_tests_of_the_chapter_count_too(make_course):
    weak = 'expect.close(double(1.0), 2.0, what="double")'
    course = build(make_course, double=weak)
    (result,) = mutants.run(course, [course.exercise("1.1")])
    assert result.survivors == ()


def test_an_endless_loop_is_a_noticed_mutant(make_course):
    source = """
def double(x):
    # <ex 1.1> twice three (3 lines)
    while x < 6.0:
        x += 0.5
    return x
    # </ex 1.1>


def quadruple(x):
    # <ex 1.2> four times (1 line)
    return 4 * x
    # </ex 1.2>
"""
    course = build(make_course, sources={"minigrad/small.py": source})
    (result,) = mutants.run(course, [course.exercise("1.1")])
    # From 3 to 6 in steps of 1 or 1.5 is right as well; a step of 0 or back never ends.
    assert result.survivors == ("line 2: 0.5 -> 1.0", "line 2: 0.5 -> 1.5")


def test_a_failing_reference_is_an_error_not_a_good_score(make_course):
    course = build(make_course, double=CLOSE.format("double", 7.0))
    with pytest.raises(ReferenceFails, match=r"test_small.py::test_double does not pass"):
        mutants.run(course, [course.exercise("1.2")])


def test_a_body_that_is_no_run_of_statements_is_named(make_course):
    source = """
def double(x):
    if x:
        # <ex 1.1> half an if (3 lines)
        return 2 * x
    else:
        return 0
        # </ex 1.1>
"""
    course = make_course(sources={"minigrad/small.py": source})
    with pytest.raises(RegionError, match=r"small.py:\d+: exercise 1.1 is no run of whole"):
        mutants.of(course.exercise("1.1"))
