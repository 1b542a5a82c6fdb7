"""Mutants and wrong bodies in C++: each fault is made once, by a name that lasts; what is none for
the compiler is not counted.
"""

import sys
from pathlib import Path

import pytest

from minigrad import native
from minigrad.course import bothway, check, mutants, mutations_cpp, records, rejected, testing
from minigrad.course.mutants import ReferenceFails
from minigrad.course.workers import Workers

sys.path.insert(0, str(Path(__file__).parent))

import native_course as small

SOURCE = small.ELEMENTWISE
TESTS = f"tests/{small.CHAPTER}/test_kernels.py"
WRONG = """// wrong: takes the difference
for (int64_t i = 0; i < out.size(); ++i) to[i] = a[i] - b[i];
// wrong: stops one short
for (int64_t i = 0; i + 1 < out.size(); ++i) to[i] = a[i] + b[i];
// wrong: reads past the edge
for (int64_t i = 0; i < out.size(); ++i) to[i] = a[i] + b[i + 1];
// wrong: adds to what stood there
for (int64_t i = 0; i < out.size(); ++i) to[i] += a[i] + b[i];
"""


def changes(body):
    """Before and after of each mutant, one line each."""
    return [m.description.split(": ", 1)[1] for m in mutations_cpp.mutants(body)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = a + b;", ["x = a + b; -> x = a - b;"]),
        ("x = a - b;", ["x = a - b; -> x = a + b;"]),
        ("x = a * b;", ["x = a * b; -> x = a / b;"]),
        ("x = a / b;", ["x = a / b; -> x = a * b;"]),
        ("x = p[i*s];", ["x = p[i*s]; -> x = p[i/s];"]),
        ("f(a < b);", ["f(a < b); -> f(a <= b);"]),
        ("f(a <= b);", ["f(a <= b); -> f(a < b);"]),
        ("f(a > b);", ["f(a > b); -> f(a >= b);"]),
        ("f(a == b);", ["f(a == b); -> f(a != b);"]),
        ("f(a && b);", ["f(a && b); -> f(a || b);"]),
        ("x += a;", ["x += a; -> x -= a;", "x += a; -> x = a;"]),
        ("x *= a;", ["x *= a; -> x /= a;", "x *= a; -> x = a;"]),
        ("x = 0;", ["x = 0; -> x = 1;"]),
        ("x = 1;", ["x = 1; -> x = 0;", "x = 1; -> x = 2;"]),
        ("x = 16;", ["x = 16; -> x = 17;"]),
        ("x = 0.0f;", ["x = 0.0f; -> x = 1.0f;"]),
        ("x = 0.5;", ["x = 0.5; -> x = 1.5;"]),
        ("++i;", ["++i; -> i;"]),
        ("f(a, b, c);", ["f(a, b, c); -> f(b, a, c);", "f(a, b, c); -> f(a, c, b);"]),
        (
            "f(g(a, b), c);",
            ["f(g(a, b), c); -> f(g(b, a), c);", "f(g(a, b), c); -> f(c, g(a, b));"],
        ),
    ],
)
def test_each_kind_of_fault(body, expected):
    found = [c for c in changes(body) if not c.endswith("-> nothing")]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("body", "dropped"),
    [
        ("f(a);\ng(b);", ["f(a)", "g(b)"]),
        ("x = a;", ["x = a"]),
        ("if (a) f(b);\nelse g(c);", ["f(b)", "g(c)"]),
        ("for (int i = 0; i < n; ++i) { x[i] = 0; }", ["x[i] = 0"]),
        (
            "each(x, [&](T v) {\n    y = v;\n    return;\n});",
            ["each(x, [&](T v) { y = v; return; })", "y = v"],
        ),
        ("const auto f = [&](T v) {\n    y = v;\n};\nf(x);", ["y = v", "f(x)"]),
        ("std::fill(a, b, T{1});", ["std::fill(a, b, T{1})"]),
        ("T x = a;\nconst T* p = b;\nstd::vector<T> v(n);\nT w[4];\nreturn;", []),
        ("break;", []),
    ],
)
def test_each_statement_is_left_out_once(body, dropped):
    found = [c.removesuffix(" -> nothing") for c in changes(body) if c.endswith("-> nothing")]
    assert sorted(found) == sorted(dropped)


@pytest.mark.parametrize(
    "body",
    [
        "T* p;",
        "const T& p = q;",
        "auto v = vector<T>(n);",
        "x = static_cast<T>(y);",
        "// a + b < c, 0",
        "/* f(a, b); */",
        "#pragma GCC unroll 1\n",
        "x = -y;",
        'f("a + 1, 0");',
        "x->y;",
    ],
)
def test_what_is_no_place_for_a_fault_is_left_alone(body):
    assert [c for c in changes(body) if not c.endswith("-> nothing")] == []


def test_a_mutant_differs_in_one_place_and_has_a_name_of_its_own():
    body = "for (int i = 0; i < n; ++i) {\n    x[i] = a[i] + a[i] + b;\n}\n"
    found = mutations_cpp.mutants(body)
    assert found == mutations_cpp.mutants(body)
    assert len({m.description for m in found}) == len({m.body for m in found}) == len(found)
    by_name = {m.description: m.body for m in found}
    name = "line 2: x[i] = a[i] + a[i] + b; -> x[i] = a[i] - a[i] + b;"
    assert by_name[name] == body.replace("a[i] + a[i]", "a[i] - a[i]")


def test_long_lines_are_shown_around_the_change():
    long = f"x = f({', '.join(f'argument_{n}' for n in range(20))}) + g(a * b);"
    (found,) = [c for c in changes(long) if "a / b" in c]
    assert "a * b" in found and len(found) < 200


@pytest.fixture(scope="module")
def workers():
    with Workers(1) as made:
        yield made


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def place(make_checkout, libraries):
    if native.find() is None:
        pytest.skip(f"not verified: {native.absence()}")
    files = {**small.FILES, "tests/course/wrong/8.1.cpp": WRONG}
    made = make_checkout(sources=small.SOURCES, files=files, machinery=True)
    small.furnish(made.root)
    (made.root / "build/kernels").symlink_to(libraries)
    return made


def test_strict_tests_notice_all(place, workers):
    course = place.course
    (result,) = mutants.run(course, [course.exercise("8.1")], workers)
    assert result.survivors == ()
    assert result.total >= 4


def test_a_weak_test_leaves_survivors_that_are_named(place, workers):
    place.rewrite(TESTS, ("np.float32([8, 16, 32])", "np.float32([0, 0, 0])"))
    course = place.course
    (result,) = mutants.run(course, [course.exercise("8.1")], workers)
    (survivor,) = result.survivors
    assert survivor == "line 2: to[i] = a[i] + b[i]; -> to[i] = a[i] - b[i];"


def test_what_the_compiler_does_not_take_is_not_counted(place, workers):
    """One of these does not compile (a number for a pointer), one is the same code as ours."""
    place.rewrite(SOURCE, ("to[i] = a[i] + b[i];", "*(to + i * 1) = *(a + i) + *(i + b);"))
    course = place.course
    exercise = course.exercise("8.1")
    (result,) = mutants.run(course, [exercise], workers)
    made = mutants.of(exercise)
    assert any("i * 1 -> " in m.description or "i / 1" in m.description for m in made)
    assert result.total < len(made)
    assert not [s for s in result.survivors if "i / 1" in s]


def test_a_mutant_without_end_is_noticed(place, workers):
    course = place.course
    names = [m.description for m in mutants.of(course.exercise("8.3"))]
    assert any(n.endswith("out.size(); i) {") for n in names)
    (result,) = mutants.run(course, [course.exercise("8.3")], workers)
    assert result.survivors == ()


def test_a_failing_or_broken_reference_is_an_error(place, workers):
    place.rewrite(SOURCE, ("a[i] + b[i]", "a[i] - b[i]"))
    with pytest.raises(ReferenceFails, match=r"test_kernels.py::test_add does not pass"):
        mutants.run(place.course, [place.course.exercise("8.1")], workers)
    place.rewrite(SOURCE, ("a[i] - b[i]", "a[i] - c[i]"))
    with pytest.raises(ReferenceFails, match=rf"{SOURCE}:\d+ does not compile \(in exercise 8.1\)"):
        mutants.run(place.course, [place.course.exercise("8.1")], workers)


def test_wrong_bodies_are_rejected_each_in_its_own_way(place, workers):
    course = place.course
    (result,) = rejected.run(course, [course.exercise("8.1")], workers)
    assert result.problems == ()
    assert [v.failed for v in result.verdicts] == [1, 1, 1, 1]


def test_a_wrong_body_that_is_none_is_named(place, workers):
    place.rewrite(
        "tests/course/wrong/8.1.cpp",
        ("to[i] = a[i] - b[i];", "to[i] = b[i] + a[i];"),
        ("b[i + 1]", "c[i]"),
    )
    course = place.course
    (result,) = rejected.run(course, [course.exercise("8.1")], workers)
    passes, refused = result.problems
    assert passes == 'the wrong body "takes the difference" passes all 1 tests'
    assert refused.startswith('the wrong body "reads past the edge": ')
    assert f"{SOURCE}:14 does not compile (in exercise 8.1)" in refused


def test_a_learner_with_the_same_mistake_is_told_its_line(place, workers):
    workspace = place.workspace
    file = f"chapters/{small.CHAPTER}/elementwise/1_loop.cpp"
    loop = "for (int64_t k = 0; k != out.size(); ++k) to[k] = a[k] - b[k];"
    place.rewrite(file, ('MG_TODO("8.1");', loop))
    exercises = [workspace.course.exercise("8.1")]
    (outcome,) = workers.map([lambda warm: testing.run(workspace, warm, exercises)])
    assert ("pattern", "takes the difference") in outcome.advice["8.1"].lines


def test_both_ways_the_tests_tell_stubs_from_solutions(place, workers):
    assert bothway.run(place.course, workers) == []
    call = '    out = guards.call(kernels.under_test("add", step=1), X, Y, shape=(3,))\n'
    place.rewrite(TESTS, (call, "    out = X + Y\n"))
    found = bothway.run(place.course, workers)
    name = f"tests/{small.CHAPTER}/test_kernels.py::test_add"
    assert f"{name}: passes on the untouched stub of exercise 8.1" in found


def test_both_ways_a_source_that_does_not_compile_is_named(place, workers):
    place.rewrite(SOURCE, ("const float* b", "const float b"))
    found = bothway.run(place.course, workers)
    assert any(each.startswith(f"{SOURCE}:") and "does not compile" in each for each in found)


def test_a_record_is_of_the_faults_of_its_language(place, monkeypatch):
    course = place.course
    exercise = course.exercise("8.1")
    before = records.fingerprint(course, exercise)
    monkeypatch.setitem(records.FAULTS, ".py", ())
    assert records.fingerprint(course, exercise) == before
    monkeypatch.setitem(records.FAULTS, ".cpp", ("faults.py",))
    assert records.fingerprint(course, exercise) != before


def test_pieces_of_cpp_are_not_judged_by_their_form(place, monkeypatch):
    seen = []
    monkeypatch.setattr(check.Checks, "_tool", lambda _, *command: seen.append(command) or [])
    check.Checks(place.course, Workers(0), 0).style()
    (formatted,) = [c for c in seen if c[0].endswith("clang-format")]
    assert SOURCE in formatted
    assert not [name for name in formatted if name.startswith("tests/course/wrong")]
