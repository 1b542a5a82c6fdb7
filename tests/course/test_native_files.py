"""What is tested is the file that the run is about, wherever it lies; what is missing is said."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minigrad import native
from minigrad.course import edit, launch, progress, runner, testing, trees
from minigrad.course.progress import FAILED, PASSED, Progress
from minigrad.course.workspace import Workspace
from minigrad.kernels import build

sys.path.insert(0, str(Path(__file__).parent))

import native_course as small

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
FILE = f"chapters/{small.CHAPTER}/elementwise/1_loop.cpp"


@pytest.fixture(scope="module")
def warm():
    with runner.Warm() as parent:
        yield parent


@pytest.fixture
def place(make_checkout):
    if native.find() is None:
        pytest.skip(f"not verified: {native.absence()}")
    made = make_checkout(sources=small.SOURCES, files=small.FILES, machinery=True)
    small.furnish(made.root)
    return made


def test_headers_of_another_version_are_said_to_need_a_build(place, warm):
    place.rewrite(
        "csrc/include/minigrad/abi.h",
        ("constexpr int abi_version = ", "constexpr int abi_version = 9"),
    )
    workspace = place.workspace
    exercises = workspace.course.chapter(8).exercises
    edit.solve(workspace, *exercises)
    outcome = testing.run(workspace, warm, exercises)
    assert {r.state for r in outcome.results} == {FAILED}
    (said,) = {item.headline for item in outcome.advice.values()}
    assert said.endswith("of another version than csrc/include: rebuild it with make build.")


def test_the_reference_is_tested_as_its_source_stands(place, warm):
    workspace = place.workspace
    exercises = workspace.course.chapter(8).exercises
    outcome = testing.run(workspace, warm, exercises, impl=testing.REFERENCE)
    assert {r.state for r in outcome.results} == {PASSED}
    place.rewrite("csrc/cpu/copy/1_loop.cpp", ("= x.as<float>()[i]", "= 1 + x.as<float>()[i]"))
    workspace = place.workspace
    exercises = workspace.course.chapter(8).exercises
    outcome = testing.run(workspace, warm, exercises, impl=testing.REFERENCE)
    assert [r.state for r in outcome.results] == [PASSED, PASSED, FAILED]


def test_without_the_learners_file_nothing_passes(place, warm):
    workspace = place.workspace
    course = workspace.course
    edit.solve(workspace, *course.chapter(8).exercises)
    tree = trees.learners(workspace, [course.chapter(8)], "test-08")
    for source in small.SOURCES:
        (tree.path / source).unlink()
    found = runner.run(warm, course, tree.path, course.chapter(8).exercises)
    assert {r.state for r in found} == {FAILED}
    assert FILE in found[0].problem


def test_with_no_compiler_it_is_one_sentence(place, warm, monkeypatch):
    def missing():
        raise build.CompilerMissing("no working C++ compiler (none found): part II needs one.")

    monkeypatch.setattr(build, "compiler", missing)
    workspace = place.workspace
    exercises = workspace.course.chapter(8).exercises
    edit.solve(workspace, *exercises)
    outcome = testing.run(workspace, warm, exercises)
    assert {r.state for r in outcome.results} == {FAILED}
    (said,) = {item.text() for item in outcome.advice.values()}
    assert said == "no working C++ compiler (none found): part II needs one."
    assert testing.next_step(workspace, outcome) == "mend that, then minigrad test 8"


def test_a_students_folder_keeps_everything_to_itself(place, warm, tmp_path, make_course):
    course = place.course
    folder = tmp_path / "ada"
    for target, source in course.chapter(8).files.items():
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / target).write_text(course.sources[source])
    before = sorted(p for p in (place.root / "build").rglob("*"))
    outcome = testing.run(Workspace(course, folder), warm, course.chapter(8).exercises)
    assert {r.state for r in outcome.results} == {PASSED}, outcome.advice
    assert sorted(p for p in (place.root / "build").rglob("*")) == before
    assert list((folder / ".minigrad").rglob("*.so"))


def test_files_are_solved_reset_and_compared_like_others(place):
    workspace = place.workspace
    exercise = workspace.course.exercise("8.1")
    edit.solve(workspace, exercise)
    assert workspace.body(exercise) == exercise.region.body
    edit.reset(workspace, exercise)
    assert workspace.body(exercise) == '    MG_TODO("8.1");\n'
    assert workspace.is_open(exercise)
    assert Progress(workspace).state(exercise) == progress.OPEN


def plainly(place, *arguments):
    """pytest on the chapter, without the course's runner."""
    shutil.copy(CONFTEST, place.root / "tests/conftest.py")
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-pno:cacheprovider", "-pno:xdist"]
    return subprocess.run(
        [*command, *arguments, f"tests/{small.CHAPTER}"],
        cwd=place.root,
        env={**os.environ, "PYTHONPATH": str(place.root)},
        capture_output=True,
        text=True,
    )


def test_plain_pytest_runs_the_learners_kernels_too(place):
    done = plainly(place, "--impl=reference")
    assert "3 passed" in done.stdout, done.stdout + done.stderr
    workspace = place.workspace
    edit.solve(workspace, workspace.course.exercise("8.3"))
    place.rewrite(FILE, ('MG_TODO("8.1");', "for (int64_t i = 0; i < 3; ++i) to[i] = a[i] - b[i];"))
    done = plainly(place)
    assert "1 passed" in done.stdout and "2 failed" in done.stdout, done.stdout + done.stderr
    assert "x + y: got -7, expected 9" in done.stdout
    assert "exercise 8.2 is still open" in done.stdout
    place.rewrite(FILE, ("a[i] - b[i];", "a[i] - b[i]"))
    done = plainly(place)
    assert done.returncode == 4
    assert f"{FILE}:15 does not compile (in exercise 8.1):" in done.stderr


def test_work_moves_with_its_file_when_a_second_ladder_comes(make_checkout):
    """With one ladder the chapter is flat, with two each has a folder."""
    made = make_checkout(sources={small.ELEMENTWISE: small.LOOP})
    flat = f"chapters/{small.CHAPTER}/1_loop.cpp"
    assert made.read(flat).startswith(f"// cut from {small.ELEMENTWISE}\n")
    made.rewrite(flat, ('MG_TODO("8.1");', "to[0] = a[0];  // mine"))
    copy = made.root / "csrc/cpu/copy/1_loop.cpp"
    copy.parent.mkdir()
    copy.write_text(small.COPY)
    made.cut()
    moved = made.read(FILE)
    assert "    to[0] = a[0];  // mine\n" in moved and 'MG_TODO("8.2");' in moved
    assert not (made.root / flat).exists()
    assert 'MG_TODO("8.3");' in made.read(f"chapters/{small.CHAPTER}/copy/1_loop.cpp")
    assert any(name.endswith("1_loop.cpp") for name in made.backups())


def test_a_training_on_the_learners_code_has_their_kernels(place, tmp_path):
    """What `minigrad train NAME --mine` does before it trains, in a process of its own."""
    place.rewrite(FILE, ('MG_TODO("8.1");', "for (int64_t i = 0; i < 3; ++i) to[i] = a[i] - b[i];"))
    workspace = place.workspace
    tree = trees.learners(workspace, [workspace.course.chapter(8)], "train-small")
    script = tmp_path / "ask.py"
    script.write_text(
        "import numpy as np\n"
        "from minigrad import kernels\n"
        "from minigrad.course import launch, train\n"
        "train._put_kernels(launch.current())\n"
        "x, y, out = np.float32([1, 2, 4]), np.float32([8, 16, 32]), np.empty(3, np.float32)\n"
        "kernels.under_test('add')(x, y, out)\n"
        "print(out.tolist(), [str(key) for key in kernels.entries('neg')])\n"
    )
    command = [sys.executable, "-P", launch.__file__, str(tree.path), str(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "[-7.0, -14.0, -28.0] ['neg (cpp, step 1, mine)']\n", done.stderr
