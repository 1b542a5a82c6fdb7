"""The commands that run nothing: status, next, hint and diff."""

import difflib
from collections.abc import Callable

from minigrad.course import progress, report, testing
from minigrad.course.catalog import PLANNED, Exercise
from minigrad.course.progress import Progress
from minigrad.course.workspace import Workspace


def status(workspace: Workspace, json: bool) -> None:
    """Every exercise with its state, from the derived list."""
    record = Progress(workspace)
    states = {e.id: record.state(e) for e in workspace.course.exercises.values()}
    if json:
        report.print_json(
            exercises=[_entry(workspace, record, e, states[e.id]) for e in _all(workspace)]
        )
        return
    problems: list[str] = []
    for chapter in workspace.course.chapters:
        report.chapter_head(
            chapter, sum(states[e.id] == progress.PASSED for e in chapter.exercises)
        )
        report.rows(
            report.status_row(workspace, e, record.record(e), states[e.id])
            for e in chapter.exercises
        )
        for exercise in chapter.exercises:
            problem = workspace.problem(exercise)
            if problem and problem not in problems:
                problems.append(problem)
    report.say(*(f"problem: {p}" for p in problems))
    report.say(f"chapters that are not there yet: {_not_yet(workspace)}")
    report.say("", f"next: {_next_command(workspace, record)}")


def _all(workspace: Workspace) -> list[Exercise]:
    return list(workspace.course.exercises.values())


def _entry(
    workspace: Workspace, record: Progress, exercise: Exercise, state: str
) -> dict[str, object]:
    file, line = workspace.location(exercise)
    return {
        "id": exercise.id,
        "chapter": exercise.target.split("/")[0],
        "state": state,
        "revealed": record.record(exercise).revealed,
        "file": file,
        "line": line,
    }


def _not_yet(workspace: Workspace) -> str:
    there = {c.number for c in workspace.course.chapters}
    missing = [int(name[:2]) for name, _ in PLANNED if int(name[:2]) not in there]
    if not missing:
        return "none"
    runs: list[list[int]] = []
    for number in missing:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)


def _pending(workspace: Workspace, record: Progress) -> Exercise | None:
    return next((e for e in _all(workspace) if record.state(e) != progress.PASSED), None)


def _next_command(workspace: Workspace, record: Progress) -> str:
    exercise = _pending(workspace, record)
    return testing.after(workspace, None) if exercise is None else f"minigrad test {exercise.id}"


def next_exercise(workspace: Workspace, json: bool) -> None:
    """The first exercise that has not passed."""
    record = Progress(workspace)
    exercise = _pending(workspace, record)
    if json:
        entry = exercise and _entry(workspace, record, exercise, record.state(exercise))
        report.print_json(next=entry)
        return
    if exercise is None:
        report.say(f"next: {testing.after(workspace, None)}")
        return
    chapter = workspace.course.chapter(exercise.region.chapter)
    file, line = workspace.location(exercise)
    state = record.state(exercise)
    size = f"{exercise.region.size} line{'' if exercise.region.size == 1 else 's'}"
    report.say(
        f"exercise {exercise.id} ({state}): {exercise.task}",
        f"  where   {file}:{line}, about {size}",
        f"  text    chapters/{chapter.name}/{chapter.name}.md (make lab opens it as a notebook)",
    )
    problem = workspace.problem(exercise)
    report.say(*([f"  problem {problem}"] if problem else []))
    report.say("", f"next: minigrad watch {exercise.id}")


def hint(workspace: Workspace, exercise: Exercise, level: int | None, json: bool) -> None:
    """The hints up to `level`, or one more than were asked for so far."""
    record = Progress(workspace)
    seen = record.record(exercise).hints
    upto = min(level or seen + 1, len(exercise.hints))
    record.hinted(exercise, max(seen, upto))
    if json:
        report.print_json(exercise=exercise.id, level=upto, hints=list(exercise.hints[:upto]))
        return
    for number, text in enumerate(exercise.hints[:upto], start=1):
        report.say(f"hint {number} of {len(exercise.hints)} for {exercise.id}: {text}")
    if upto < len(exercise.hints):
        report.say("", f"next: minigrad test {exercise.id}, or minigrad hint {exercise.id} again")
    else:
        report.say("", f"next: minigrad test {exercise.id}")


def diff(workspace: Workspace, exercises: list[Exercise], anyway: bool, json: bool) -> int:
    """The learner's bodies against ours; before passing only with `anyway`, which is remembered."""
    record = Progress(workspace)
    entries = []
    for exercise in exercises:
        state, body = record.state(exercise), workspace.body(exercise)
        lines: list[str] | None = None
        if body is None:
            said = workspace.problem(exercise) or f"exercise {exercise.id} cannot be read."
        elif state != progress.PASSED and not anyway:
            said = (
                f"exercise {exercise.id} has not passed yet ({state}). "
                f"minigrad diff {exercise.id} --anyway shows our body and marks it revealed."
            )
        else:
            if state != progress.PASSED:
                record.reveal(exercise)
            lines = _difference(workspace, exercise, body)
            said = "\n".join(lines) or f"exercise {exercise.id}: yours is ours, letter for letter."
        entries.append({"id": exercise.id, "state": state, "diff": lines})
        if not json:
            report.say(said)
    if json:
        report.print_json(exercises=entries)
    return int(any(entry["diff"] is None for entry in entries))


def _difference(workspace: Workspace, exercise: Exercise, body: str) -> list[str]:
    file, line = workspace.location(exercise)
    yours, ours = body.splitlines(), exercise.region.body.splitlines()
    names = (f"yours: {file}:{line}", f"ours: {exercise.source}:{exercise.region.first}")
    return list(difflib.unified_diff(yours, ours, *names, n=99, lineterm=""))


def watch_actions(workspace: Workspace, exercises: list[Exercise]) -> dict[str, Callable[[], None]]:
    """What the keys h, l and r do while watching; they act on the first exercise not yet passed."""
    from minigrad.course import edit

    def current() -> Exercise:
        record = Progress(workspace)
        return next((e for e in exercises if record.state(e) != progress.PASSED), exercises[-1])

    def reset() -> None:
        report.say(*edit.reset(workspace, current()).lines)

    return {
        "h": lambda: hint(workspace, current(), None, False),
        "l": lambda: status(workspace, False),
        "r": reset,
    }
