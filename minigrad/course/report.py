"""How the command line looks: aligned columns, colour that is never the only carrier, a last line
that says what next.

NO_COLOR, pipes and narrow terminals are rich's business; nothing here wraps or crops a line.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from minigrad.course import progress
from minigrad.course.catalog import Chapter, Exercise
from minigrad.course.feedback import Advice
from minigrad.course.runner import ExerciseResult
from minigrad.course.workspace import Workspace

SCHEMA = 1
COLOURS = {
    progress.PASSED: "green",
    progress.FAILED: "red",
    progress.WAITING: "yellow",
    progress.STALE: "yellow",
    progress.OPEN: "",
}
# A row's other columns, with a path in the last: what is left of the terminal is the task's.
TASK_WIDTH, OTHER_COLUMNS = 60, 52

console = Console(highlight=False, soft_wrap=True, markup=False)


def say(*lines: str) -> None:
    """Plain lines."""
    for line in lines:
        console.print(line)


def print_json(**content: Any) -> None:
    """One JSON object with "schema" first."""
    print(json.dumps({"schema": SCHEMA, **content}, indent=1))


def task(exercise: Exercise) -> str:
    """The task in words, cut to what a terminal leaves room for; whole in a pipe."""
    width = TASK_WIDTH
    if console.is_terminal:
        width = max(24, min(width, console.width - OTHER_COLUMNS))
    text = exercise.task
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def rows(table: Iterable[Sequence[str | Text]]) -> None:
    """Lines of aligned columns; the last column is as long as it likes."""
    cells = [[Text(c) if isinstance(c, str) else c for c in row] for row in table]
    columns = max(map(len, cells), default=0)
    widths = [max(len(row[i]) for row in cells if i < len(row)) for i in range(columns - 1)]
    for row in cells:
        line = Text("  ")
        for cell, width in zip(row[:-1], widths, strict=False):
            line.append_text(cell).append(" " * (width - len(cell) + 2))
        line.append_text(row[-1])
        console.print(line)


def state_cell(state: str) -> Text:
    return Text(state, style=COLOURS[state])


def chapter_head(chapter: Chapter, passed: int) -> None:
    count = len(chapter.exercises)
    left = f"chapter {chapter.number} {chapter.title}"
    plural = "" if count == 1 else "s"
    say(f"{left:<42}{count} exercise{plural}, {passed} passed")


def status_row(
    workspace: Workspace, exercise: Exercise, record: progress.Record, state: str
) -> list[str | Text]:
    file, line = workspace.location(exercise)
    since = "changed since its last test" if record.fingerprint else "not tested yet"
    note = {
        progress.OPEN: f"{file}:{line}",
        progress.WAITING: f"waits for {record.waits_for}",
        progress.STALE: f"{since}: minigrad test {exercise.id}",
        progress.FAILED: "cannot be run" if workspace.problem(exercise) else f"{file}:{line}",
        progress.PASSED: "revealed" if record.revealed else "",
    }[state]
    return [exercise.id, task(exercise), state_cell(state), note]


def result_row(workspace: Workspace, result: ExerciseResult) -> list[str | Text]:
    exercise = result.exercise
    file, line = workspace.location(exercise)
    total = max(result.expected, len(result.tests))
    note = {
        progress.OPEN: f"{file}:{line}",
        progress.WAITING: f"waits for {result.waits_for}",
        progress.FAILED: f"{len(result.failures)} of {total} tests failed",
        progress.PASSED: f"{total} test{'' if total == 1 else 's'}",
    }[result.state]
    if result.problem or result.stopped_before_tests:
        note = "cannot be run"
    return [exercise.id, task(exercise), state_cell(result.state), note]


def advice(item: Advice) -> None:
    head, *rest = item.text().split("\n")
    console.print()
    console.print(Text(head, style="bold"))
    say(*rest)
