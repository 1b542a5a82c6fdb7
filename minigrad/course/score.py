"""How many of a chapter's mutants its tests notice, and `minigrad mutants`."""

import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from minigrad.course import records, report
from minigrad.course.catalog import CatalogError, Course, Exercise
from minigrad.course.meter import meter
from minigrad.course.records import Record
from minigrad.course.workers import Workers

EQUIVALENTS = "tests/course/equivalent.toml"
GOAL = 0.95  # of a chapter's mutants that change anything must be noticed
EQUIVALENT_SHARE = 0.05  # of a chapter's mutants may be listed as changing nothing


class EquivalentError(CatalogError):
    """The list of equivalent mutants cannot be read."""


@dataclass(frozen=True)
class Equivalent:
    """A mutant that no test can notice, and why."""

    exercise: str
    description: str
    reason: str


def equivalents(course: Course) -> list[Equivalent]:
    """The list of mutants that change nothing, as it stands in its file."""
    path = course.root / EQUIVALENTS
    if not path.is_file():
        return []
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        found = [Equivalent(m["id"], m["description"], m["reason"]) for m in data["mutant"]]
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise EquivalentError(
            f"{EQUIVALENTS}: each [[mutant]] has id, description and reason: {error}"
        ) from None
    for each in found:
        if not each.reason.strip():
            raise EquivalentError(f"{EQUIVALENTS}: {each.exercise} {each.description!r}: no reason")
    return found


@dataclass(frozen=True)
class Score:
    """A chapter's mutants, counted."""

    chapter: str
    total: int
    killed: int
    equivalent: int
    survivors: tuple[str, ...]  # with their exercise, equivalents left out

    @property
    def share(self) -> float:
        """Of those that change anything."""
        return self.killed / max(1, self.total - self.equivalent)

    def line(self) -> str:
        count = self.total - self.equivalent
        return (
            f"{self.chapter}: {self.killed} of {count} mutants noticed ({self.share:.1%}), "
            f"{self.equivalent} equivalent"
        )

    def problems(self) -> list[str]:
        found = []
        if self.share < GOAL:
            found.append(f"{self.line()}; at least {GOAL:.0%} must be")
        if self.equivalent > EQUIVALENT_SHARE * self.total:
            found.append(
                f"{self.chapter}: {self.equivalent} of {self.total} mutants are listed as "
                f"equivalent; at most {EQUIVALENT_SHARE:.0%} may be"
            )
        return found


def scores(course: Course) -> list[Score]:
    """A score for each chapter, from the records as they are."""
    listed = {(e.exercise, e.description) for e in equivalents(course)}
    found = []
    for chapter in course.chapters:
        made = [r for e in chapter.exercises if (r := records.read(course, e))]
        alive = [(r.exercise, s) for r in made for s in r.survivors]
        total = sum(r.mutants for r in made)
        unlisted = tuple(f"{name} {text}" for name, text in alive if (name, text) not in listed)
        equal = len(alive) - len(unlisted)
        found.append(Score(chapter.name, total, total - len(alive), equal, unlisted))
    return found


def stale_equivalents(course: Course) -> list[str]:
    """A sentence for each listed mutant that no record names as a survivor."""
    alive = {
        (r.exercise, s)
        for e in course.exercises.values()
        if (r := records.read(course, e))
        for s in r.survivors
    }
    return [
        f"{EQUIVALENTS}: {e.exercise} {e.description!r} is no survivor; remove the entry"
        for e in equivalents(course)
        if (e.exercise, e.description) not in alive
    ]


def main(course: Course, exercises: Sequence[Exercise], json: bool = False) -> int:
    """Run mutants and wrong bodies anew, write their records, print the scores; 0 if all is well.

    Raises mutants.ReferenceFails if a test fails on the unchanged reference.
    """
    start = time.monotonic()
    with Workers() as workers, meter("mutants", json) as seen:
        made = records.make(course, exercises, workers, seen)
    records.write(course, made)
    numbers = {e.region.chapter for e in exercises}
    found = [s for s in scores(course) if int(s.chapter[:2]) in numbers]
    problems = [p for s in found for p in s.problems()] + stale_equivalents(course)
    problems += [f"{r.exercise}: {p}" for r in made for p in r.problems]
    if json:
        entries = [
            {"id": r.exercise, "mutants": r.mutants, "survivors": list(r.survivors)} for r in made
        ]
        report.print_json(ok=not problems, exercises=entries, problems=problems)
        return 1 if problems else 0
    _show(course, made)
    report.say("", *(s.line() for s in found), *(f"problem: {p}" for p in problems))
    report.say(f"mutants: records written to {records.FOLDER} ({time.monotonic() - start:.0f} s)")
    return 1 if problems else 0


def _show(course: Course, made: list[Record]) -> None:
    listed = {(e.exercise, e.description) for e in equivalents(course)}
    for record in made:
        killed = record.mutants - len(record.survivors)
        report.say(f"{record.exercise:<6}{killed:4} of {record.mutants} noticed")
        for text in record.survivors:
            equal = " (equivalent)" if (record.exercise, text) in listed else ""
            report.say(f"        survives{equal}: {text}")
