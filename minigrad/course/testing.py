"""`minigrad test`: choose exercises, make the tree, run, remember, report."""

from collections.abc import Sequence
from dataclasses import dataclass

from minigrad.course import feedback, progress, report, runner, trees
from minigrad.course.catalog import Chapter, Exercise
from minigrad.course.feedback import Advice
from minigrad.course.progress import Progress
from minigrad.course.runner import ExerciseResult, Warm
from minigrad.course.trees import Tree
from minigrad.course.workspace import Workspace

MINE, REFERENCE = "mine", "reference"


@dataclass(frozen=True)
class Outcome:
    """A run: the tree it ran on, how each exercise fared, what is said about those that failed."""

    tree: Tree
    whose: str
    results: tuple[ExerciseResult, ...]
    advice: dict[str, Advice]

    @property
    def passed(self) -> bool:
        return all(r.state == progress.PASSED for r in self.results)


def select(workspace: Workspace, wanted: str | None) -> list[Exercise]:
    """The exercises of "3", "3.2" or None (all); a LookupError says what there is."""
    course = workspace.course
    if wanted is None:
        return list(course.exercises.values())
    if "." in wanted:
        return [course.exercise(wanted)]
    if not wanted.isdecimal():
        raise LookupError(f"{wanted!r} is neither a chapter (3) nor an exercise (3.2)")
    return list(course.chapter(int(wanted)).exercises)


def run(
    workspace: Workspace,
    warm: Warm,
    exercises: Sequence[Exercise],
    *,
    impl: str = MINE,
    all_mine: bool = False,
) -> Outcome:
    """Run the tests of `exercises`, chapter by chapter, and note the result in the progress
    file.
    """
    workspace.refresh()
    chapters = [c for c in workspace.course.chapters if any(e in exercises for e in c.exercises)]
    outcomes = [
        _chapter(workspace, warm, c, [e for e in exercises if e in c.exercises], impl, all_mine)
        for c in chapters
    ]
    if len(outcomes) == 1:
        return outcomes[0]
    merged = tuple(r for o in outcomes for r in o.results)
    advice = {name: item for o in outcomes for name, item in o.advice.items()}
    return Outcome(outcomes[0].tree, outcomes[0].whose, merged, advice)


def _chapter(
    workspace: Workspace,
    warm: Warm,
    chapter: Chapter,
    exercises: list[Exercise],
    impl: str,
    all_mine: bool,
) -> Outcome:
    course = workspace.course
    if impl == REFERENCE:
        tree = trees.reference(course, workspace.trees_dir)
        results = runner.run(warm, course, tree.path, exercises)
        whose = "the reference"
    else:
        tree, whose = _learners_tree(workspace, chapter, all_mine)
        results = [_unrunnable(workspace, e) for e in exercises]
        runnable = [r.exercise for r in results if not (r.open or r.problem)]
        ran = {r.exercise.id: r for r in runner.run(warm, course, tree.path, runnable)}
        results = [ran.get(r.exercise.id, r) for r in results]
        record = Progress(workspace)
        for result in results:
            if not result.open:
                record.note(result.exercise, result.state, result.waits_for)
    advice: dict[str, Advice] = {}
    for result in results:
        item = feedback.explain(warm, workspace, tree.path, result, mine=impl == MINE)
        if item and not any(_same(item, other) for other in advice.values()):
            advice[result.exercise.id] = item
    return Outcome(tree, whose, tuple(results), advice)


def _same(item: Advice, other: Advice) -> bool:
    """One broken file, or one failing import, said of several exercises."""
    words = [each.headline.split(": ", 1)[-1] for each in (item, other)]
    return words[0] == words[1] and "inputs" not in dict(item.lines)


def _unrunnable(workspace: Workspace, exercise: Exercise) -> ExerciseResult:
    return ExerciseResult(
        exercise, problem=workspace.problem(exercise), open=workspace.is_open(exercise)
    )


def _learners_tree(workspace: Workspace, chapter: Chapter, all_mine: bool) -> tuple[Tree, str]:
    """The tree for this chapter. A file that cannot be used gives way: its exercises say why."""
    if all_mine:
        tree = trees.learners(workspace, workspace.course.chapters, "mine-all", fill_open=True)
        return tree, "yours wherever solved, the reference elsewhere"
    tree = trees.learners(workspace, [chapter], f"test-{chapter.number:02d}")
    return tree, f"yours in chapter {chapter.number}, the reference elsewhere"


def show(workspace: Workspace, outcome: Outcome) -> None:
    """The report of a run on the terminal."""
    for chapter in workspace.course.chapters:
        results = [r for r in outcome.results if r.exercise in chapter.exercises]
        if results:
            report.chapter_head(chapter, sum(r.state == progress.PASSED for r in results))
            report.rows(report.result_row(workspace, r) for r in results)
    report.say(f"tree: {workspace.shown(outcome.tree.path)} ({outcome.whose})")
    report.say(*(f"note: {note}" for note in outcome.tree.notes))
    for item in outcome.advice.values():
        report.advice(item)
    report.say("", f"next: {next_step(workspace, outcome)}")


def next_step(workspace: Workspace, outcome: Outcome) -> str:
    """What to do after a run."""
    for state in (progress.FAILED, progress.OPEN, progress.WAITING):
        for result in outcome.results:
            if result.state != state:
                continue
            if result.helpless:
                return f"mend that, then minigrad test {result.exercise.region.chapter}"
            if result.problem or result.stopped_before_tests:
                return f"repair that file, then minigrad test {result.exercise.region.chapter}"
            name = result.waits_for or result.exercise.id
            exercise = workspace.course.exercises.get(name, result.exercise)
            file, line = workspace.location(exercise)
            return f"edit {file}:{line}, then minigrad test {exercise.id}"
    return after(workspace, outcome.results[-1].exercise if outcome.results else None)


def after(workspace: Workspace, exercise: Exercise | None) -> str:
    """What follows a passed exercise: the chapter's next open one, its milestone, the next
    chapter.
    """
    record = Progress(workspace)
    chapters = workspace.course.chapters
    chapter = next((c for c in chapters if exercise in c.exercises), None)
    states = {e.id: record.state(e) for e in (chapter.exercises if chapter else ())}
    for name, state in states.items():
        if state != progress.PASSED:
            return f"minigrad test {name}"
    if chapter and chapter.train:
        return f"minigrad train {chapter.train} --mine"
    waiting = next(
        (e for e in workspace.course.exercises.values() if record.state(e) != progress.PASSED), None
    )
    if waiting:
        return f"minigrad test {waiting.id}"
    return "every exercise there is has passed; minigrad upgrade brings new chapters"


def as_json(workspace: Workspace, outcome: Outcome) -> None:
    """The same as data."""
    exercises = []
    for r in outcome.results:
        file, line = workspace.location(r.exercise)
        said = outcome.advice.get(r.exercise.id)
        exercises.append(
            {
                "id": r.exercise.id,
                "state": r.state,
                "waits_for": r.waits_for,
                "file": file,
                "line": line,
                "problem": r.problem,
                "tests": {
                    "total": max(r.expected, len(r.tests)),
                    "passed": sum(t.outcome == "passed" for t in r.tests),
                },
                "advice": said and {"headline": said.headline, "lines": dict(said.lines)},
            }
        )
    tree = {"path": workspace.shown(outcome.tree.path), "mine": list(outcome.tree.mine)}
    report.print_json(implementation=outcome.whose, tree=tree, exercises=exercises)
