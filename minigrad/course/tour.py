"""`minigrad tour`: what the course is, in half a minute."""

import json
import os
import subprocess
import sys
from pathlib import Path

from minigrad import native
from minigrad.course import milestones, report, train, trees
from minigrad.course.catalog import STAGES, Course
from minigrad.course.interrupt import stop_asked
from minigrad.course.runner import ONE_THREAD
from minigrad.course.trees import Tree
from minigrad.course.workspace import Workspace

# What is trained on the way, and what is said before it.
STOPS = {
    "iris": (
        "Where chapter 1 ends: a network made of single numbers learns to tell three kinds of iris",
        "apart. These are the reference's bodies; by the end of the chapter they are yours.",
    ),
    "digits": (
        "Where chapter 5 ends: whole arrays instead of single numbers, on an engine that you write",
        "in between, and a network on top of it that reads handwriting.",
    ),
}


def tour(workspace: Workspace) -> int:
    """Train what the chapters end with, measure the ladder, say what comes next."""
    course = workspace.course
    report.say("minigrad: you build a deep-learning framework, chapter by chapter.")
    tree = trees.reference(course, workspace.trees_dir)
    # The terminal sends Ctrl-C to the training too, which then ends in its own way.
    with stop_asked() as asked:
        for name in (n for n in milestones.trainable(course) if n in STOPS):
            report.say("", *STOPS[name], "")
            sys.stdout.flush()
            out = course.root / "build" / "tour" / name
            command = milestones.command(tree, name, ["--out", str(out)])
            code = subprocess.run(command, check=False, env={**ONE_THREAD, **os.environ}).returncode
            if code or asked():
                return code or train.INTERRUPTED
        code = _ladder(course, tree)
        if code or asked():
            return code or train.INTERRUPTED
    if native.find(course.root) is None:
        report.say("", native.absence(course.root), "Part I works without it.")
    report.say("", "next: make lab (the notebook of chapter 1), or minigrad next")
    return 0


def _ladder(course: Course, tree: Tree) -> int:
    """Each stage: measured if it is there, else the chapter it comes with."""
    launch = str(Path(__file__).with_name("launch.py"))
    command = [sys.executable, launch, str(tree.path), "-m", "minigrad.course.ladder"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return done.returncode
    measured = json.loads(done.stdout)
    report.say("", f"The ladder, measured on {measured['work']}.")
    report.say("Each stage must come to the same losses as the one below it.", "")
    report.rows(rows(measured["rates"], {c.number for c in course.chapters}))
    return 0


def rows(rates: dict[str, float], chapters: set[int]) -> list[list[str]]:
    """A row for each stage: its name, what it is, its rate in digits per second."""
    table, below = [], 0.0
    for name, what, chapter in STAGES:
        rate = rates.get(name)
        if rate:
            times = f", {rate / below:,.0f} times the row above" if below else ""
            said, below = f"{rate:,.0f} digits/s{times}", rate
        else:
            said = "ready" if chapter in chapters else f"not there yet (chapter {chapter})"
        table.append([name, what, said])
    return table
