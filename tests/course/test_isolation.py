"""A learner's code may do anything: the course answers in its own words, the other tests run."""

import json
import subprocess
import sys
import time

import pytest

from minigrad.course import feedback, regions, runner, trees
from minigrad.course.progress import FAILED, PASSED
from minigrad.course.workspace import Workspace

TESTS = """
import pytest
from minigrad.course import expect
from minigrad.small import double, quadruple

@pytest.mark.exercise("1.1")
def test_double():
    expect.close(double(3), 6.0, what="twice x", inputs={"x": 3})

@pytest.mark.exercise("1.2")
def test_another():
    expect.close(4 * 2, 8, what="four times x")
"""

WORST = {
    "an endless loop": ("while True:\n    pass", "stopped after 1.5 s of computing"),
    "a loop that swallows everything": (
        "while True:\n    try:\n        double(x)\n    except BaseException:\n        pass",
        "stopped after 1.5 s of computing",
    ),
    "deep recursion": ("return double(x)", "calls itself too deeply"),
    "sys.exit": ("import sys\nsys.exit(3)", "ended the program (sys.exit(3))"),
    "sys.exit without a code": ("raise SystemExit", "ended the program (sys.exit())"),
    "os._exit": ("import os\nos._exit(0)", "ended itself with exit code 0"),
    "os.abort": ("import os\nos.abort()", "aborted"),
    "a segmentation fault": ("import ctypes\nctypes.string_at(0)", "segmentation fault"),
    "reading the keyboard": ("return input()", "reads from the keyboard"),
    "a keyboard interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "pytest.exit": ("import pytest\npytest.exit('over')", "over"),
    "pytest.skip": ("import pytest\npytest.skip('not today')", "not today"),
    "eating memory": ("return len(bytes(4 << 30))", "more memory than the 2 GiB"),
    "eating memory bit by bit": (
        "hoard = []\nwhile True:\n    hoard.append(bytes(1 << 28))",
        "more memory than the 2 GiB",
    ),
    "waiting for ever": ("import time\ntime.sleep(100)", "not finished after 4.5 s"),
    "closing every file": ("import os\nos.closerange(0, 1000)\nreturn 2 * x", "ended itself"),
    "killing itself": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "killed"),
    "an odd exception": ("raise type('Strange', (BaseException,), {})('odd')", "raised Strange"),
    "a rounded result": ("return round(x)", "twice x is wrong"),
}
HARMLESS = {
    "closing standard output": "import os, sys\nsys.stdout.close()\nos.close(1)\nreturn 2 * x",
    "closing standard input": "import os\nos.close(0)\nreturn 2 * x",
    "printing a lot": "print('x' * 10**6)\nreturn 2 * x",
    "a child that lives on": (
        "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)\nreturn 2 * x"
    ),
    "its own timer": "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0)\nreturn 2 * x",
    "another hash seed and directory": "import os\nos.chdir('/')\nreturn 2 * x",
}


@pytest.fixture(scope="module")
def warm():
    with runner.Warm() as parent:
        yield parent


@pytest.fixture
def run(make_course, warm):
    """Run both exercises with a body for 1.1, after writing `extra` above the learner's file."""

    course = make_course(files={"tests/01_small/test_small.py": TESTS}, machinery=True)

    def go(body, extra="", rename=None):
        text = regions.fill(
            course.sources["minigrad/small.py"], {"1.1": regions.indent(body, "    ")}, "small.py"
        )
        text = text.replace(f"def {rename}(", f"def {rename}_(")
        (course.root / "chapters/01_small/small.py").write_text(extra + text)
        workspace = Workspace(course)
        tree = trees.learners(workspace, [course.chapter(1)], "test-01")
        seen = []
        started = time.monotonic()
        results = runner.run(
            warm,
            course,
            tree.path,
            course.chapter(1).exercises,
            lambda _: seen.append(time.monotonic() - started),
        )
        said = feedback.explain(warm, workspace, tree.path, results[0], mine=True)
        return results, said, seen

    return go


@pytest.mark.parametrize("name", WORST)
def test_the_worst_ends_in_a_sentence_and_the_others_still_run(run, name):
    body, words = WORST[name]
    (first, second), said, seen = run(body)
    assert first.state == FAILED
    assert words in said.text()
    assert "Traceback" not in said.text()
    assert second.state == PASSED, "the other exercise's test must still run"
    # The limits are 1.5 s of computing and 4.5 s by the clock; the rest is a noisy machine's.
    assert seen[0] < 10


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_no_harm_passes(run, name):
    (first, second), said, _ = run(HARMLESS[name])
    assert (first.state, second.state) == (PASSED, PASSED), said


@pytest.mark.parametrize("name", ["an endless loop", "os.abort", "an odd exception"])
def test_a_failure_names_the_learners_line(run, name):
    _, said, _ = run(WORST[name][0])
    line = 8
    place = dict(said.lines)["where"]
    assert place.startswith("chapters/01_small/small.py:")
    assert abs(int(place.split(":")[1].split()[0]) - line) <= 1
    assert place.endswith(" in double")


@pytest.mark.parametrize(
    "code, words",
    [
        ("raise RuntimeError('planted')\n", "raises RuntimeError while it is imported: planted"),
        ("import sys; sys.exit(4)\n", "raises SystemExit while it is imported: 4"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("while True: pass\n", "stopped after 1.5 s"),
        ("import os; os._exit(0)\n", "ended itself with exit code 0"),
        ("1 / 0\n", "ZeroDivisionError"),
    ],
)
def test_an_error_at_import_names_file_and_line(run, code, words):
    (first, second), said, _ = run("return 2 * x", extra=code)
    assert (first.state, second.state) == (FAILED, FAILED)
    assert words in said.text()
    if "_exit" not in code:
        assert "chapters/01_small/small.py:1" in said.text()


def test_what_the_tests_need_and_do_not_find_is_named(run):
    (first, second), said, _ = run("return 2 * x", extra="import sys\n")
    assert (first.state, second.state) == (PASSED, PASSED), said
    (first, second), said, _ = run("return 2 * x", rename="quadruple")
    assert (first.state, second.state) == (FAILED, FAILED)
    assert said.text() == (
        "test_small.py cannot start: ImportError: cannot import name 'quadruple' from "
        "'minigrad.small'. Was it renamed or deleted?"
    )


def test_what_a_failing_test_printed_is_shown(run):
    _, said, _ = run("print('x is', x)\nreturn x")
    assert dict(said.lines)["printed"] == "x is 3"


def test_every_run_starts_anew(run):
    """Two saves within one second, of one size: the second run must see the second text."""
    states = [run(body)[0][0].state for body in ("return 2 * x", "return 3 * x", "return 2 * x")]
    assert states == [PASSED, FAILED, PASSED]


def test_a_tree_that_is_not_where_minigrad_comes_from_is_refused(make_course, warm):
    course = make_course(files={"tests/01_small/test_small.py": TESTS}, machinery=True)
    tree = trees.reference(course)
    (tree.path / "minigrad" / "__init__.py").write_text("__file__ = '/elsewhere/__init__.py'\n")
    with pytest.raises(runner.RunnerBroken, match="not from the tree"):
        runner.run(warm, course, tree.path, course.chapter(1).exercises)


def test_a_spawned_child_gives_what_a_forked_one_gives(make_course, tmp_path):
    """Where forking is unsafe the child is a process of its own: the same code, started by hand."""
    course = make_course(files={"tests/01_small/test_small.py": TESTS}, machinery=True)
    tree = trees.reference(course)
    request = runner.request_for(course, tree.path, course.chapter(1).exercises) | {"skip": []}
    program = (
        "import json, runpy, sys\n"
        f"warm = runpy.run_path({str(runner.__file__).replace('runner.py', 'warm.py')!r})\n"
        "warm['run'].__globals__['CAN_FORK'] = False\n"
        "warm['run'](json.loads(sys.stdin.read()), lambda event: print(json.dumps(event)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=True,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    outcomes = [e["outcome"] for e in events if e["event"] == "result"]
    assert outcomes == ["passed", "passed"], done.stdout + done.stderr
