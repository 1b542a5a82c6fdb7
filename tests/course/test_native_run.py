"""A kernel in C++ may do anything: the course answers in its own words, the other tests run."""

import sys
import time
from pathlib import Path

import pytest

from minigrad import native
from minigrad.course import edit, regions, runner, testing
from minigrad.course.progress import FAILED, OPEN, PASSED, WAITING, Progress

sys.path.insert(0, str(Path(__file__).parent))

import native_course as small

FILE = f"chapters/{small.CHAPTER}/elementwise/1_loop.cpp"
ADD = "for (int64_t i = 0; i < out.size(); ++i) to[i] = a[i] + b[i];"
UNUSED = "(void)a; (void)b; (void)to;\n"

WORST = {
    "a segmentation fault": (
        f"{UNUSED}*(volatile int*)8 = 1;",
        "the kernel crashed: it reads or writes memory that is not its own",
    ),
    "a stack overflow": (
        "volatile char deep[64];\ndeep[0] = 1;\nadd(x, y, out);\nto[0] = a[0] + b[0] + deep[0];",
        "or calls itself without end (SIGSEGV)",
    ),
    "abort": (f"{UNUSED}std::abort();", "the kernel was aborted: by std::abort"),
    "an exception out of noexcept": (
        f"{UNUSED}[]() noexcept {{ throw 1; }}();",
        "an exception that left a noexcept function (SIGABRT)",
    ),
    "an endless loop": (
        f"{UNUSED}for (volatile int k = 0;; k = k + 1) to[0] = k;",
        "stopped after 1.5 s of computing: a loop that does not end?",
    ),
    "exit": (f"{UNUSED}std::exit(3);", "the kernel ended the process with exit code 3"),
    "an exception": (
        f'{UNUSED}throw std::runtime_error("boom");',
        "the kernel threw an exception: boom",
    ),
    "an exception that is none": (f"{UNUSED}throw 7;", "something was thrown"),
    "much memory": (
        "std::vector<double> v(1LL << 40);\nto[0] = a[0] + b[0] + v[5];",
        "more memory than the 2 GiB",
    ),
    "a write past the end": (
        "for (int64_t i = 0; i <= out.size(); ++i) to[i] = a[i] + b[i];",
        "a write 1 past its end",
    ),
    "a write before the start": (
        "for (int64_t i = -2; i < out.size(); ++i) to[i] = a[i] + b[i];",
        "a write 1 before its start; 2 elements there are changed",
    ),
    "an input changed": (
        f"{ADD}\nx.as<float>()[2] = 0;",
        "input 1: [2] is 0.0, it was 4.0",
    ),
    "an element left out": (
        "for (int64_t i = 0; i + 1 < out.size(); ++i) to[i] = a[i] + b[i];",
        "out[2] holds what stood there before; 1 of 3 elements do",
    ),
    "a sum over what stood there": (
        "for (int64_t i = 0; i < out.size(); ++i) to[i] += a[i] + b[i];",
        "out[0] holds what stood there before",
    ),
    "a wrong result": (
        "for (int64_t i = 0; i < out.size(); ++i) to[i] = a[i] - b[i];",
        "x + y is wrong.",
    ),
}
REFUSED = {
    "a semicolon": (
        "for (int64_t i = 0; i < out.size(); ++i) {\n    to[i] = a[i] + b[i]\n}",
        f"{FILE}:16 does not compile (in exercise 8.1):\n{FILE}:16:28: error: expected ';'",
    ),
    "a name": (
        "to[0] = a[0] + b[0] + c[0];",
        f"{FILE}:15 does not compile (in exercise 8.1):\n{FILE}:15:",
    ),
    "a type": (
        "with_type<floats>(5, [](auto zero) { return zero; });",
        f"{FILE}:15 does not compile (in exercise 8.1):\n{FILE}:15:",
    ),
    "never defined": (
        "void elsewhere(float*);\nelsewhere(to);",
        "does not compile",
    ),
    "a brace": (
        "for (;;) {",
        "does not compile (outside the exercises, but a brace of exercise 8.1 has no other half):",
    ),
}


@pytest.fixture(scope="module")
def warm():
    with runner.Warm() as parent:
        yield parent


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """One folder of compiled kernels for all of these courses: they hold the same files."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def place(make_checkout, libraries):
    if native.find() is None:
        pytest.skip(f"not verified: {native.absence()}")
    made = make_checkout(sources=small.SOURCES, files=small.FILES, machinery=True)
    small.furnish(made.root)
    (made.root / "build/kernels").symlink_to(libraries)
    return made


@pytest.fixture
def run(place, warm):
    """Test the chapter with everything solved but 8.1, whose body is `body`."""

    def go(body=None, outside=None):
        workspace = place.workspace
        edit.solve(workspace, *workspace.course.chapter(8).exercises)
        text = place.read(FILE)
        if body is not None:
            text = regions.fill(text, {"8.1": regions.indent(body, "    ")}, FILE)
        (place.root / FILE).write_text(text + (outside or ""), encoding="utf-8")
        outcome = testing.run(workspace, warm, workspace.course.chapter(8).exercises)
        return outcome, {r.exercise.id: r.state for r in outcome.results}

    return go


def test_untouched_all_is_open_and_nothing_is_compiled(place, warm):
    workspace = place.workspace
    outcome = testing.run(workspace, warm, workspace.course.chapter(8).exercises)
    assert {r.state for r in outcome.results} == {OPEN}
    assert not list((place.root / "build/kernels").glob("*.so")) or not outcome.results[0].tests


def test_solved_all_passes_on_what_the_learner_wrote(run, place):
    outcome, states = run()
    assert set(states.values()) == {PASSED}, outcome.advice
    workspace = place.workspace
    record = Progress(workspace).record(workspace.course.exercise("8.1"))
    assert record.backends == ("cpp",)


@pytest.mark.parametrize("name", WORST)
def test_the_worst_ends_in_a_sentence_and_the_others_still_run(run, name):
    body, words = WORST[name]
    start = time.monotonic()
    outcome, states = run(body)
    assert states == {"8.1": FAILED, "8.2": PASSED, "8.3": PASSED}
    said = outcome.advice["8.1"].text()
    assert said.startswith("exercise 8.1: ")
    assert words in said
    assert "test_kernels.py::test_add" in said
    assert "Traceback" not in said and "tested.py" not in said
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_compile_is_told_in_the_compilers_words(run, place, name):
    body, words = REFUSED[name]
    outcome, states = run(body)
    assert states == {"8.1": FAILED, "8.2": FAILED, "8.3": PASSED}, "the other file's tests run"
    (said,) = [item.text() for item in outcome.advice.values()]
    assert words in said
    assert said.count("\n") < 20, "a screen at most"
    assert str(place.root) not in said and "/tmp" not in said


def test_what_the_compiler_warned_of_is_told_with_the_failure(run):
    outcome, _ = run(
        "float sum;\nfor (int64_t i = 0; i < 3; ++i) sum += a[i] + b[i];\nto[0] = sum;"
    )
    warned = dict(outcome.advice["8.1"].lines)["warning"]
    assert warned.startswith(f"{FILE}:1") and "sum" in warned and "uninitialized" in warned


def test_an_error_outside_of_the_exercises_is_said_to_be(run):
    outcome, states = run(outside="int\n")
    assert states["8.3"] == PASSED
    (said,) = [item.text() for item in outcome.advice.values()]
    assert "does not compile (outside the exercises):" in said


def test_a_file_without_its_registration_is_not_replaced_by_ours(run, place):
    place.rewrite(
        "csrc/cpu/elementwise/1_loop.cpp",
        ('const Register<op::add> entry_add("cpp", 1, set_of(DType::float32), add);\n', ""),
    )
    place.cut()
    outcome, states = run(ADD)
    assert states == {"8.1": FAILED, "8.2": PASSED, "8.3": PASSED}
    said = outcome.advice["8.1"].text()
    assert f"there is no kernel add (cpp, step 1) in what is under test: {FILE}" in said


def test_two_files_with_one_name_are_kept_apart(run, place):
    """Both are 1_loop.cpp; each of the three kernels is that of its own folder."""
    _, states = run()
    assert set(states.values()) == {PASSED}
    text = place.read(f"chapters/{small.CHAPTER}/copy/1_loop.cpp")
    broken = text.replace("= x.as<float>()[i]", "= 1 + x.as<float>()[i]")
    assert broken != text
    (place.root / f"chapters/{small.CHAPTER}/copy/1_loop.cpp").write_text(broken)
    workspace = place.workspace
    with runner.Warm() as warm:
        outcome = testing.run(workspace, warm, workspace.course.chapter(8).exercises)
    states = {r.exercise.id: r.state for r in outcome.results}
    assert states == {"8.1": PASSED, "8.2": PASSED, "8.3": FAILED}


def test_a_test_that_meets_an_open_exercise_waits_for_it(place, warm):
    tests = small.TESTS.replace("-X, what", "-X, what").replace(
        'kernels.under_test("neg", step=1), X, shape=(3,))',
        'kernels.under_test("neg", step=1), X, shape=(3,))\n'
        '    guards.call(kernels.under_test("add", step=1), X, Y, shape=(3,))',
    )
    (place.root / f"tests/{small.CHAPTER}/test_kernels.py").write_text(tests)
    workspace = place.workspace
    edit.solve(workspace, workspace.course.exercise("8.2"))
    outcome = testing.run(workspace, warm, workspace.course.chapter(8).exercises)
    found = {r.exercise.id: (r.state, r.waits_for) for r in outcome.results}
    assert found["8.2"] == (WAITING, "8.1")
