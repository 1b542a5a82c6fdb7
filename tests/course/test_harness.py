"""The harness tests itself: where a learner's code is missing or broken, no test of any chapter
passes.
"""

import shutil
from pathlib import Path

import pytest

from minigrad.course import progress, runner, trees
from minigrad.course.catalog import Course
from minigrad.course.runner import RunnerBroken, Warm, request_for
from minigrad.course.workers import Workers, ask
from minigrad.course.workspace import Workspace

COURSE = Course(Path(__file__).resolve().parents[2])
CHAPTERS = pytest.mark.parametrize("chapter", COURSE.chapters, ids=lambda c: c.name)


@pytest.fixture(scope="module")
def warm():
    with Warm() as started:
        yield started


def chapters_of(folder, chapter, change):
    """A learner's folder with the chapter solved, each file's text through `change`."""
    for target, source in chapter.files.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(change(COURSE.sources[source]), encoding="utf-8")
    return Workspace(COURSE, folder)


def states(warm, workspace, chapter):
    tree = trees.learners(workspace, [chapter], "harness")
    found = runner.run(warm, COURSE, tree.path, chapter.exercises)
    return {r.exercise.id: r.state for r in found}, [t for r in found for t in r.tests]


@CHAPTERS
def test_solved_files_pass(warm, tmp_path, chapter):
    workspace = chapters_of(tmp_path, chapter, lambda text: text)
    found, _ = states(warm, workspace, chapter)
    assert set(found.values()) == {progress.PASSED}


@CHAPTERS
def test_a_file_that_raises_turns_its_chapter_red(warm, tmp_path, chapter):
    workspace = chapters_of(
        tmp_path, chapter, lambda text: text + '\nraise RuntimeError("planted")\n'
    )
    found, tests = states(warm, workspace, chapter)
    assert set(found.values()) == {progress.FAILED}
    assert not [t for t in tests if t.outcome == "passed"]


@CHAPTERS
def test_without_the_learners_file_nothing_passes(warm, tmp_path, chapter):
    workspace = chapters_of(tmp_path, chapter, lambda text: text)
    tree = trees.learners(workspace, [chapter], "harness")
    for source in chapter.files.values():
        (tree.path / source).unlink()
    found = runner.run(warm, COURSE, tree.path, chapter.exercises)
    assert {r.state for r in found} == {progress.FAILED}


@CHAPTERS
def test_a_tree_without_minigrad_runs_nothing(tmp_path, chapter):
    tree = tmp_path / "tree"
    tree.mkdir()
    # A parent of its own: this one ends here.
    with Warm() as own, pytest.raises(RunnerBroken, match="minigrad"):
        list(own.run(request_for(COURSE, tree, chapter.exercises)))


@CHAPTERS
def test_an_empty_package_passes_nothing(warm, tmp_path, chapter):
    tree = tmp_path / "tree"
    package = COURSE.root / "minigrad"
    shutil.copytree(package / "course", tree / "minigrad" / "course")
    for name in ("__init__.py", "native.py"):
        shutil.copy(package / name, tree / "minigrad" / name)
    found = runner.run(warm, COURSE, tree, chapter.exercises)
    assert {r.state for r in found} == {progress.FAILED}
    assert not [t for r in found for t in r.tests if t.outcome == "passed"]


@CHAPTERS
def test_a_broken_run_does_not_answer_the_next_one(tmp_path, chapter):
    def on(tree):
        return lambda w: ask(w, request_for(COURSE, tree, chapter.exercises[:1]))

    (tmp_path / "empty").mkdir()
    with Workers(1) as workers:
        with pytest.raises(RunnerBroken, match="minigrad"):
            workers.map([on(tmp_path / "empty")])
        (results,) = workers.map([on(trees.reference(COURSE).path)])
    assert {r.outcome for r in results} == {"passed"}
