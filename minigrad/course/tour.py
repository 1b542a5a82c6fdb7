"""`minigrad tour` and `minigrad train`: a training run in a child, on the reference or on the
learner's own code.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from minigrad import native
from minigrad.course import report, trees
from minigrad.course.catalog import STAGES, Chapter, Course
from minigrad.course.trees import Tree
from minigrad.course.workspace import Workspace


def trainable(course: Course) -> dict[str, Chapter]:
    """{name: the chapter whose milestone it is} of all that `minigrad train` knows."""
    return {c.train: c for c in course.chapters if c.train}


def train(
    workspace: Workspace,
    name: str,
    *,
    mine: bool = False,
    out: Path | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Train `name` in a child; its exit code, or 1 if an exercise it needs is open."""
    chapter = trainable(workspace.course)[name]
    if mine:
        unfit = [e for e in chapter.exercises if workspace.is_open(e) or workspace.problem(e)]
        for exercise in unfit:
            file, line = workspace.location(exercise)
            said = workspace.problem(exercise) or f"is still open ({file}:{line})."
            report.say(f"exercise {exercise.id} {said}" if workspace.is_open(exercise) else said)
        if unfit:
            report.say(f"{name} --mine trains on your code alone, so these come first.")
            report.say("", f"next: minigrad test {unfit[0].id}")
            return 1
        done = [c for c in workspace.course.chapters if c.number <= chapter.number]
        tree = trees.learners(workspace, done, f"train-{name}", fill_open=True)
        if not json:
            files = ", ".join(origin.file for origin in tree.origins.values())
            report.say(f"yours  {', '.join(tree.mine)} in {files}")
            report.say(*(f"note: {note}" for note in tree.notes))
    else:
        tree = trees.reference(workspace.course, workspace.trees_dir)
    folder = out or workspace.course.root / "build" / "train" / (name + "-mine" * mine)
    if not json:
        return _child(tree, name, folder, seed)
    with tempfile.TemporaryDirectory() as place:
        result = Path(place) / "result.json"
        code = _child(tree, name, folder, seed, result)
        if result.is_file():
            print(result.read_text(encoding="utf-8"), end="")
    return code


def _child(tree: Tree, name: str, out: Path, seed: int, result: Path | None = None) -> int:
    """With a file for the result as data, what the child reports in words goes to stderr."""
    launch = Path(__file__).with_name("launch.py")
    sys.stdout.flush()
    command = [sys.executable, str(launch), str(tree.path), "-m", "minigrad.course.train", name]
    command += ["--out", str(out), "--seed", str(seed)]
    command += [] if result is None else ["--json", str(result)]
    stdout = None if result is None else sys.stderr
    return subprocess.run(command, stdout=stdout, check=False).returncode


def tour(workspace: Workspace) -> int:
    """What the course is, in half a minute: a training run, the ladder, the next step."""
    report.say(
        "minigrad: you build a deep-learning framework, chapter by chapter.",
        "",
        "Where chapter 1 ends: a network made of single numbers learns to tell three kinds of iris",
        "apart. These are the reference's bodies; by the end of the chapter they are yours.",
        "",
    )
    code = train(workspace, "iris", out=workspace.course.root / "build" / "tour")
    if code:
        return code
    report.say("", "The ladder, each stage tested against the one below:", "")
    there = {c.number for c in workspace.course.chapters}
    report.rows(
        [name, what, "ready" if chapter in there else f"not there yet (chapter {chapter})"]
        for name, what, chapter in STAGES
    )
    if native.find(workspace.course.root) is None:
        report.say("", native.absence(workspace.course.root), "Part I works without it.")
    report.say("", "next: make lab (the notebook of chapter 1), or minigrad next")
    return 0
