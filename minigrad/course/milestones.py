"""`minigrad train`: whose code a milestone trains on, and what must hold before it does."""

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from minigrad.course import progress, report, testing, train, trees
from minigrad.course.catalog import Chapter, Course, Exercise
from minigrad.course.feedback import Advice
from minigrad.course.progress import Progress
from minigrad.course.runner import ONE_THREAD, Warm
from minigrad.course.trees import Tree
from minigrad.course.workspace import Workspace

MANY = 8  # exercises that are too many to name one by one


def trainable(course: Course) -> dict[str, Chapter]:
    """{name: the chapter whose milestone it is} of all that `minigrad train` knows."""
    return {c.train: c for c in course.chapters if c.train}


def command(tree: Tree, name: str, arguments: list[str]) -> list[str]:
    """What trains `name` in a process that sees `tree` alone; `arguments` as train.py has them."""
    launch = str(Path(__file__).with_name("launch.py"))
    start = [sys.executable, launch, str(tree.path), "-m", "minigrad.course.train", name]
    return [*start, "--mine", " ".join(tree.mine), *arguments]


def run(
    workspace: Workspace,
    name: str,
    settings: Mapping[str, object],
    *,
    mine: bool = False,
    resume: bool = False,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Train `name`. Returns 1 if the learner's code is not fit for it; else this process becomes
    the training and ends as it does.

    settings: train.py's options by name; None is one that was not given. resume: go on from the
    checkpoint in `out`.
    """
    folder = out or workspace.course.root / "build" / "train" / (name + "-mine" * mine)
    chosen = ["--json"] * json
    for key, value in settings.items():
        chosen += [] if value is None else [f"--{key}", str(value)]
    typed = ["minigrad", "train", name, *["--mine"] * mine, *chosen]
    typed += [] if out is None else ["--out", str(out)]
    arguments = [*chosen, "--out", str(folder), "--typed", shlex.join(typed)]
    arguments += ["--resume"] * resume
    train.parse([name, *arguments])  # wrong usage is said before anything is run
    tree = trees.reference(workspace.course, workspace.trees_dir)
    if mine:
        own = _own_tree(workspace, name, json)
        if own is None:
            return 1
        tree = own
    sys.stdout.flush()
    # No parent is left between the terminal and the training: Ctrl-C and kill reach it alone.
    environment = {**ONE_THREAD, **os.environ}  # whoever names a number of threads gets it
    os.execve(sys.executable, command(tree, name, arguments), environment)


def _own_tree(workspace: Workspace, name: str, json: bool) -> Tree | None:
    """The learner's code of every chapter that `name` trains on; None, and it is said why, if a
    body is open or fails its tests.
    """
    course = workspace.course
    chapters = [course.chapter(number) for number in trainable(course)[name].train_on]
    exercises = [e for chapter in chapters for e in chapter.exercises]
    unfit = {
        e: _missing(workspace, e) for e in exercises if workspace.is_open(e) or workspace.problem(e)
    }
    unfit = unfit or _failing(workspace, exercises, quiet=json)
    if not unfit:
        tree = trees.learners(workspace, chapters, f"train-{name}")
        if not json:
            report.say("yours")
            report.rows(_bodies(workspace, chapters))
        return tree
    if json:
        report.print_json(name=name, trained=False, exercises=[_entry(workspace, e) for e in unfit])
    else:
        report.say(*dict.fromkeys(unfit.values()))  # a file that cannot be used is said once
        report.say(f"{name} --mine trains on your code alone, so these come first.")
        report.say("", f"next: minigrad test {next(iter(unfit)).id}")
    return None


def _missing(workspace: Workspace, exercise: Exercise) -> str:
    if workspace.is_open(exercise):
        return f"exercise {exercise.id} is still open ({_place(workspace, exercise)})."
    return workspace.problem(exercise) or ""


def _failing(workspace: Workspace, exercises: list[Exercise], quiet: bool) -> dict[Exercise, str]:
    """{an exercise that does not pass: what is said of it}; those not known to pass as they stand
    are tested now.

    A broken body would train too, to something, and nobody could tell from the curve which it was.
    """
    record = Progress(workspace)
    unsure = [e for e in exercises if record.state(e) != progress.PASSED]
    if not unsure:
        return {}
    if not quiet:
        some = f"{unsure[0].id} to {unsure[-1].id}" if len(unsure) > MANY else _ids(unsure)
        report.say(f"tests  {some} first, which are not known to pass as they stand")
    with Warm() as warm:
        outcome = testing.run(workspace, warm, unsure)
    failed = [r.exercise for r in outcome.results if r.state != progress.PASSED]
    return {e: _failed(workspace, e, outcome.advice.get(e.id)) for e in failed}


def _failed(workspace: Workspace, exercise: Exercise, advice: Advice | None) -> str:
    headline = advice.headline if advice else f"exercise {exercise.id} does not pass its tests."
    return f"{headline}\n  {_place(workspace, exercise)}; in full: minigrad test {exercise.id}"


def _bodies(workspace: Workspace, chapters: list[Chapter]) -> list[list[str]]:
    """A row for each of the learner's files: its exercises, and where it is."""
    rows = []
    for chapter in chapters:
        for target in chapter.files:
            inside = [e for e in chapter.exercises if e.target == target]
            rows.append([_ids(inside), workspace.shown(workspace.file(target).path)])
    return rows


def _ids(exercises: list[Exercise]) -> str:
    return ", ".join(e.id for e in exercises)


def _place(workspace: Workspace, exercise: Exercise) -> str:
    file, line = workspace.location(exercise)
    return f"{file}:{line}"


def _entry(workspace: Workspace, exercise: Exercise) -> dict[str, object]:
    file, line = workspace.location(exercise)
    state = Progress(workspace).state(exercise)
    return {"id": exercise.id, "state": state, "file": file, "line": line}
