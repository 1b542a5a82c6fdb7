"""Breaks the reference in small ways, one at a time: the chapter's tests must notice each."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import dedent

from minigrad.course import compiling, mutations, mutations_cpp, regions, trees, wrong
from minigrad.course.catalog import Course, Exercise
from minigrad.course.mutations import Mutant
from minigrad.course.runner import RunnerBroken, Warm, request_for
from minigrad.course.workers import Seen, Workers, ask


class ReferenceFails(RunnerBroken):
    """A test fails on our own code: every mutant would seem to be noticed."""


@dataclass(frozen=True)
class Result:
    """How many mutants an exercise has, and the descriptions of those that no test noticed."""

    exercise: str
    total: int
    survivors: tuple[str, ...]

    @property
    def killed(self) -> int:
        return self.total - len(self.survivors)


def of(exercise: Exercise) -> list[Mutant]:
    """The mutants of an exercise's reference body, at indentation zero; Python and C++.

    In C++ some may not compile, or be the same to the compiler: run() leaves them out.
    """
    body = dedent(exercise.region.body)
    if compiling.is_native(exercise.source):
        return mutations_cpp.mutants(body)
    if exercise.suffix != ".py":
        return []
    try:
        return mutations.distinct(body, mutations.mutants(body))
    except SyntaxError as error:
        line = exercise.region.first + (error.lineno or 1)
        raise regions.RegionError(
            exercise.source, line, f"exercise {exercise.id} is no run of whole statements"
        ) from None


def run(
    course: Course,
    exercises: Iterable[Exercise],
    workers: int | Workers = 2,
    seen: Seen | None = None,
) -> list[Result]:
    """Try every mutant of `exercises`: the exercise's own tests first, then its chapter's others.

    Raises ReferenceFails if a test fails on the unchanged reference.
    """
    if isinstance(workers, int):
        with Workers(workers) as made:
            return run(course, exercises, made, seen)
    exercises = list(exercises)
    tree = trees.reference(course).path
    chapters = [c for c in course.chapters if any(e in exercises for e in c.exercises)]
    workers.map([partial(_check_reference, course, tree, c.exercises) for c in chapters])
    tried = [(e, m) for e in exercises for m in of(e)]
    alive = workers.map([partial(_survives, course, tree, e, m) for e, m in tried], seen)
    found = []
    for exercise in exercises:
        pairs = zip(tried, alive, strict=True)
        own = [(m, lives) for (e, m), lives in pairs if e is exercise and lives is not None]
        survivors = tuple(m.description for m, lives in own if lives)
        found.append(Result(exercise.id, len(own), survivors))
    return found


def _check_reference(course: Course, tree: Path, exercises: Iterable[Exercise], warm: Warm) -> None:
    try:
        request = request_for(course, tree, exercises, quick=True)
    except compiling.Refused as error:
        raise ReferenceFails(str(error)) from None
    for result in ask(warm, request):
        if result.outcome != "passed":
            raise ReferenceFails(
                f"{result.id} does not pass on the reference. Mutants say something only once "
                "it does."
            )


def _survives(
    course: Course, tree: Path, exercise: Exercise, mutant: Mutant, warm: Warm
) -> bool | None:
    """Whether no test notices it; None if it is no mutant, for the compiler."""
    body = regions.indent(mutant.body, exercise.region.pad)
    patched = wrong.patched(course, exercise, body)
    chapter = course.chapter(exercise.region.chapter)
    native = compiling.is_native(exercise.source)
    if native and not _differs(course, tree, exercise, patched):
        return None
    others = [e for e in chapter.exercises if e is not exercise]
    # A file of C++ is compiled, and tested, alone.
    rest = [e for e in others if e.source == exercise.source] if native else others
    for group in ([exercise], rest):
        request = request_for(
            course, tree, group, patched=patched, first_failure=True, quick=native
        )
        if group and any(r.outcome != "passed" for r in ask(warm, request)):
            return False
    return True


def _differs(course: Course, tree: Path, exercise: Exercise, patched: dict[str, str]) -> bool:
    """The mutant compiles, and to other code than ours."""
    source = exercise.source
    try:
        made = compiling.unit(course, tree, source, patched[source], quick=True)
    except compiling.Refused:
        return False
    ours = compiling.unit(course, tree, source, course.sources[source], quick=True)
    return made.library.read_bytes() != ours.library.read_bytes()
