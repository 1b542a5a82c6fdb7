"""Runs a chapter's tests on a tree, in children of the warm parent, and says how each exercise
fared.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minigrad.course import compiling, marks, progress
from minigrad.course.catalog import Course, Exercise

Event = dict[str, Any]
MEMORY = 2 << 30
# Matrix products on one thread: sums have one order, so that a run comes to the same numbers again,
# and two threads on cores that others want, too, wait for each other.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# The CPU clock of a test then says how long it took.
ENVIRONMENT = {
    **ONE_THREAD,
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "Agg",
}


class RunnerBroken(RuntimeError):
    """The machinery itself failed; not the learner's fault."""


@dataclass(frozen=True)
class TestResult:
    """One test: outcome "passed", "failed" or "waits" (for an open exercise)."""

    id: str
    exercise: str | None
    outcome: str
    waits_for: str | None = None
    failure: Event | None = None
    seconds: float = 0.0


@dataclass
class ExerciseResult:
    """All tests of one exercise; `state` is one of progress.py's.

    problem   why it cannot be run; `helpless` if that is nothing that its file could mend
    """

    exercise: Exercise
    tests: list[TestResult] = field(default_factory=list)
    expected: int = 0
    problem: str | None = None
    helpless: bool = False
    open: bool = False

    @property
    def failures(self) -> list[TestResult]:
        return [t for t in self.tests if t.outcome == "failed"]

    @property
    def stopped_before_tests(self) -> bool:
        """Its file could not be imported, or its tests could not be collected."""
        return any(t.exercise is None for t in self.failures)

    @property
    def waits_for(self) -> str | None:
        return next((t.waits_for for t in self.tests if t.outcome == "waits"), None)

    @property
    def state(self) -> str:
        if self.open:
            return progress.OPEN
        if self.problem or self.failures:
            return progress.FAILED
        if self.waits_for:
            return progress.WAITING
        complete = self.tests and len(self.tests) == self.expected
        return progress.PASSED if complete else progress.FAILED


class Warm:
    """The warm parent, started at the first request; close it, or use it in a `with`."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Warm":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Load what the children share; later requests start at once."""
        if self._process is not None:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("warm.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ENVIRONMENT},
        )
        self._answer()

    def _answer(self) -> Event:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RunnerBroken("the test runner ended by itself; run the command again")
        event: Event = json.loads(line)
        return event

    def run(self, request: Event) -> Iterator[Event]:
        """The events of one request, as they come."""
        self.start()
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        broken = None
        while (event := self._answer())["event"] != "end":
            if event["event"] == "broken":
                broken = event["text"]
            else:
                yield event
        if broken is not None:
            raise RunnerBroken(broken)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None


def request_for(
    course: Course,
    tree: Path,
    exercises: Iterable[Exercise],
    *,
    patched: dict[str, str] | None = None,
    only: Iterable[str] | None = None,
    first_failure: bool = False,
    quick: bool = False,
) -> Event:
    """What the warm parent is asked: these exercises' tests on this tree.

    patched        {source path: text} that stands in for the tree's own file
    only           test ids; None for all
    first_failure  stop there
    quick          compile C++ in a hurry

    Raises compiling.Refused if C++ does not compile, RunnerBroken if nothing here can compile.
    """
    exercises = list(exercises)
    chapters = [c for c in course.chapters if any(e.region.chapter == c.number for e in exercises)]
    files = [
        p for c in chapters for p in sorted((course.root / "tests" / c.name).rglob("test_*.py"))
    ]
    sources = dict.fromkeys(e.source for e in exercises if e.suffix == ".py")
    texts = patched or {}
    try:
        units = [
            compiling.unit(course, tree, source, texts.get(source), quick)
            for source in compiling.sources(exercises)
        ]
    except compiling.Absent as error:
        raise RunnerBroken(str(error)) from None
    return {
        "root": str(course.root),
        "tree": str(tree),
        "files": [str(p) for p in files],
        "modules": [module_name(s) for s in sources],
        "native": compiling.record(units),
        "exercises": [e.id for e in exercises],
        "patched": {module_name(s): t for s, t in texts.items() if s.endswith(".py")},
        "only": None if only is None else list(only),
        "first_failure": first_failure,
        "cpu": marks.DEFAULT_CPU,
        "memory": MEMORY,
    }


def module_name(source: str) -> str:
    """minigrad/scalar.py -> minigrad.scalar"""
    return ".".join(Path(source).with_suffix("").parts)


def results(
    events: Iterable[Event], seen: Callable[[TestResult], None] | None = None
) -> Iterator[TestResult]:
    """The test results among the events."""
    for event in events:
        if event["event"] == "result":
            result = TestResult(
                event["id"],
                event.get("exercise"),
                event["outcome"],
                event.get("waits_for"),
                event.get("failure"),
                event.get("seconds", 0.0),
            )
            if seen:
                seen(result)
            yield result


def run(
    warm: Warm,
    course: Course,
    tree: Path,
    exercises: Iterable[Exercise],
    seen: Callable[[TestResult], None] | None = None,
) -> list[ExerciseResult]:
    """Run the tests of `exercises` on `tree`. A failed import or collection fails them all; C++
    that does not compile fails those of its file.
    """
    outcome = {e.id: ExerciseResult(e) for e in exercises}
    found = list(outcome.values())
    for source, made in compiling.each(course, tree, [r.exercise for r in found]):
        if not isinstance(made, compiling.Unit):
            for each in [r for r in found if r.exercise.source == source]:
                each.problem, each.helpless = str(made), isinstance(made, compiling.Absent)
                del outcome[each.exercise.id]
    if not outcome:
        return found

    def counted(events: Iterable[Event]) -> Iterator[Event]:
        for event in events:
            if event["event"] == "collected":
                for each in outcome.values():
                    each.expected = sum(t["exercise"] == each.exercise.id for t in event["tests"])
            yield event

    request = request_for(course, tree, [r.exercise for r in outcome.values()])
    for result in results(counted(warm.run(request)), seen):
        for each in [outcome[result.exercise]] if result.exercise in outcome else outcome.values():
            each.tests.append(result)
    return found
