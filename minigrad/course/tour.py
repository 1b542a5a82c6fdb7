"""`minigrad tour`: what the course is, in half a minute."""

import json
import subprocess
import sys
from pathlib import Path

from minigrad import native
from minigrad.course import milestones, report, trees
from minigrad.course.catalog import STAGES
from minigrad.course.trees import Tree
from minigrad.course.workspace import Workspace

# What is trained on the way, and what is said before it.
STOPS = {
    "iris": (
        "Where chapter {} ends: a network made of single numbers learns to tell three kinds of",
        "iris apart. These are the reference's bodies; by the end of the chapter they are yours.",
    ),
    "digits": (
        "Where chapter {} ends: the same idea on whole arrays, on the engine you wrote in between,",
        "reads handwritten digits.",
    ),
}


def tour(workspace: Workspace) -> int:
    """Train what the chapters end with, measure the ladder, say what comes next."""
    course = workspace.course
    report.say("minigrad: you build a deep-learning framework, chapter by chapter.")
    tree = trees.reference(course, workspace.trees_dir)
    for name, chapter in milestones.trainable(course).items():
        report.say("", *(line.format(chapter.number) for line in STOPS.get(name, ())), "")
        out = course.root / "build" / "tour" / name
        sys.stdout.flush()
        code = subprocess.run(
            milestones.command(tree, name, ["--out", str(out)]), check=False
        ).returncode
        if code:
            return code
    _ladder(workspace, tree)
    if native.find(course.root) is None:
        report.say("", native.absence(course.root), "Part I works without it.")
    report.say("", "next: make lab (the notebook of chapter 1), or minigrad next")
    return 0


def _ladder(workspace: Workspace, tree: Tree) -> None:
    """Each stage: measured if it is there, else the chapter it comes with."""
    launch = str(Path(__file__).with_name("launch.py"))
    command = [sys.executable, launch, str(tree.path), "-m", "minigrad.course.ladder"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    measured = json.loads(done.stdout)
    rates: dict[str, float] = measured["rates"]
    report.say("", f"The ladder: {measured['work']}.")
    report.say("Each stage must come to the same losses as the one below it.", "")
    table, below = [], 0.0
    there = {c.number for c in workspace.course.chapters}
    for name, what, chapter in STAGES:
        rate = rates.get(name)
        if rate:
            times = f", {rate / below:,.0f} times the row above" if below else ""
            said, below = f"{rate:,.0f} digits/s{times}", rate
        else:
            said = "ready" if chapter in there else f"not there yet (chapter {chapter})"
        table.append([name, what, said])
    report.rows(table)
