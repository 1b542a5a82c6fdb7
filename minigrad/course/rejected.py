"""Splices each wrong body into the reference: the exercise's own tests must turn red, in a way
that tells the wrong bodies apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from minigrad.course import compiling, trees, wrong
from minigrad.course.catalog import Course, Exercise
from minigrad.course.runner import TestResult, Warm, request_for
from minigrad.course.workers import Seen, Workers, ask
from minigrad.course.wrong import WrongBody

LEAST = 3  # wrong bodies an exercise
REFUSED = "compiler"  # in place of a test: it did not come to that
OTHER_TYPE = ("this should be a number", "this should be an array of numbers")


@dataclass(frozen=True)
class Verdict:
    """One wrong body: how many of the exercise's tests turned red on it."""

    misconception: str
    failed: int
    tests: int


@dataclass(frozen=True)
class Result:
    """The verdicts on an exercise's wrong bodies, and what is the matter with any of them."""

    exercise: str
    verdicts: tuple[Verdict, ...]
    problems: tuple[str, ...]


def run(
    course: Course,
    exercises: Iterable[Exercise],
    workers: int | Workers = 2,
    seen: Seen | None = None,
) -> list[Result]:
    """Try every wrong body of `exercises` on the tests of its exercise."""
    if isinstance(workers, int):
        with Workers(workers) as made:
            return run(course, exercises, made, seen)
    tree = trees.reference(course).path
    tried = [(e, body) for e in exercises for body in wrong.bodies(course, e)]
    answers = workers.map([partial(_try, course, tree, e, body) for e, body in tried], seen)
    found = []
    for exercise in exercises:
        own = [(b, a) for (e, b), a in zip(tried, answers, strict=True) if e is exercise]
        verdicts = tuple(
            Verdict(body.misconception, sum(t.outcome != "passed" for t in tests), len(tests))
            for body, tests in own
        )
        found.append(Result(exercise.id, verdicts, tuple(_problems(exercise, own))))
    return found


def _try(
    course: Course, tree: Path, exercise: Exercise, body: WrongBody, warm: Warm
) -> list[TestResult]:
    patched = wrong.patched(course, exercise, body.body)
    try:
        return ask(warm, request_for(course, tree, [exercise], patched=patched, quick=True))
    except compiling.Refused as error:
        return [TestResult(REFUSED, None, "failed", failure={"kind": "died", "text": str(error)})]


def _problems(exercise: Exercise, tried: list[tuple[WrongBody, list[TestResult]]]) -> list[str]:
    found = []
    looks: dict[tuple[object, ...], WrongBody] = {}
    for body, tests in tried:
        failures = [t.failure or {} for t in tests if t.outcome != "passed"]
        name = f'the wrong body "{body.misconception}"'
        if tests and tests[0].id == REFUSED:
            found.append(f"{name}: {failures[0]['text']}")
            continue
        if not failures:
            found.append(f"{name} passes all {len(tests)} tests")
            continue
        kinds = {f.get("kind") for f in failures}
        if len(failures) == len(tests) and kinds <= {"exception", "died"}:
            what = failures[0].get("type") or "the end of the process"
            found.append(f"{name} runs into {what} in every test; a wrong answer should run")
        elif any(f.get("detail") in OTHER_TYPE for f in failures):
            found.append(f"{name} returns another type than the reference")
        twin = looks.setdefault(tuple(_look(t) for t in tests), body)
        if twin is not body:
            found.append(f'{name} fails just as "{twin.misconception}" does: tell them apart')
    return found


def _look(test: TestResult) -> tuple[object, ...]:
    """What a learner sees of a test."""
    failure = test.failure or {}
    said = [failure.get(part) for part in ("kind", "type", "what", "got", "text")]
    if failure.get("got") == "no":
        said.append(failure.get("detail"))
    return (test.id, test.outcome, *said)
