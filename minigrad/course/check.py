"""`minigrad check`: everything that must hold before a change goes in, a line for each check."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minigrad.course import bothway, cut, fences, git, records, report, score, sizes
from minigrad.course.catalog import CatalogError, Course, Exercise
from minigrad.course.compiling import Refused
from minigrad.course.git import GitError
from minigrad.course.meter import meter
from minigrad.course.regions import RegionError
from minigrad.course.runner import RunnerBroken
from minigrad.course.workers import Workers
from minigrad.course.wrong import WrongFileError

SAMPLE = 5  # exercises whose records are made again although they are current
SHOWN = 40  # lines of another program's complaints
BROKEN = (CatalogError, RegionError, GitError, RunnerBroken, WrongFileError, Refused)


@dataclass
class Found:
    """What a check found: a few words, sentences on what is wrong, things good to know."""

    summary: str
    problems: list[str]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Done:
    """A check that has run."""

    name: str
    seconds: float
    found: Found

    @property
    def ok(self) -> bool:
        return not self.found.problems


class Checks:
    """The checks of one checkout; each is a method that returns what it found."""

    def __init__(self, course: Course, workers: Workers, seed: int) -> None:
        self.course, self.workers, self.seed = course, workers, seed
        self.progress: Callable[[int, int], None] = lambda done, total: None
        self._rerun: list[Exercise] | None = None

    @property
    def exercises(self) -> list[Exercise]:
        return list(self.course.exercises.values())

    def drift(self) -> Found:
        return Found("", cut.drift(self.course))

    def both_way(self) -> Found:
        problems = bothway.structure(self.course)
        problems += bothway.run(self.course, self.workers, self.progress)
        names = ", ".join(c.name for c in self.course.chapters) or "no chapter"
        return Found(f"{names}: {len(self.exercises)} exercises", problems)

    def _refresh(self) -> list[Exercise]:
        """Make the stale records anew, once a run; those that were stale."""
        if self._rerun is None:
            self._rerun = records.stale(self.course, self.exercises)
            if self._rerun:
                made = records.make(self.course, self._rerun, self.workers, self.progress)
                records.write(self.course, made)
        return self._rerun

    def records(self) -> Found:
        rerun = self._refresh()
        problems = []
        if git.has_commit(self.course.root):
            for exercise in self.exercises:
                path = records.path_of(self.course, exercise)
                name = path.relative_to(self.course.root).as_posix()
                if git.blob(self.course.root, name) != path.read_bytes():
                    problems.append(f"{name}: not what is committed; commit it")
        else:
            problems.append(f"{self.course.root} is no git checkout with a commit")
        rest = [e for e in self.exercises if e not in rerun]
        sample = random.Random(self.seed).sample(rest, min(SAMPLE, len(rest)))
        for exercise, again in zip(
            sample, records.make(self.course, sample, self.workers, self.progress), strict=True
        ):
            before = records.read(self.course, exercise)
            if before is None or before != again:
                problems.append(_changed(exercise, before, again))
        count = f"{len(rest)} current, {len(rerun)} stale and made anew"
        names = ", ".join(e.id for e in sample) or "none"
        return Found(f"{count}; tried again (seed {self.seed}): {names}", problems)

    def wrong(self) -> Found:
        self._refresh()
        made = [r for e in self.exercises if (r := records.read(self.course, e))]
        problems = [f"{r.exercise}: {p}" for r in made for p in r.problems]
        rejected = sum(v.failed > 0 for r in made for v in r.wrong)
        return Found(f"{rejected} of {sum(len(r.wrong) for r in made)} rejected", problems)

    def mutants(self) -> Found:
        self._refresh()
        scores = score.scores(self.course)
        problems = [p for s in scores for p in s.problems()]
        problems += score.stale_equivalents(self.course)
        survivors = [f"survives: {s}" for each in scores for s in each.survivors]
        return Found("; ".join(s.line() for s in scores), problems, survivors)

    def sizes(self) -> Found:
        files = sizes.measure(self.course.root)
        summary = f"{len(files)} files; markers {sizes.marker_share(files):.1%}"
        return Found(summary, sizes.problems(files))

    def commands(self) -> Found:
        count, problems = 0, []
        names = fences.files(self.course)
        for done, name in enumerate(names, start=1):
            ran, wrong = fences.check(self.course, name)
            count += ran
            problems += wrong
            self.progress(done, len(names))
        return Found(f"{count} run from {', '.join(names) or 'no file'}", problems)

    def style(self) -> Found:
        python = [sys.executable, "-m", "ruff"]
        problems = self._tool(*python, "check", "--quiet", "--output-format=concise", ".")
        problems += self._tool(*python, "format", "--check", "--quiet", ".")
        native = [
            name
            for folder in ("csrc", "tests")
            for path in sorted((self.course.root / folder).rglob("*"))
            if path.suffix in (".h", ".cpp", ".cu")
            and not (name := path.relative_to(self.course.root).as_posix()).startswith(sizes.APART)
        ]
        if native:
            formatter = str(Path(sys.executable).with_name("clang-format"))
            problems += self._tool(formatter, "--dry-run", "--Werror", *native)
        return Found("ruff, clang-format", problems)

    def types(self) -> Found:
        return Found("mypy", self._tool(sys.executable, "-m", "mypy", "--no-error-summary"))

    def _tool(self, *command: str) -> list[str]:
        """The lines of a program that is not content."""
        try:
            done = subprocess.run(
                command, cwd=self.course.root, capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            return [f"{Path(command[0]).name} is not installed: make setup"]
        if done.returncode == 0:
            return []
        lines = [s for s in (done.stdout + done.stderr).splitlines() if s.strip()]
        more = [f"and {len(lines) - SHOWN} lines more"] if len(lines) > SHOWN else []
        return lines[:SHOWN] + more or [f"{' '.join(command[:4])} ended with {done.returncode}"]


NAMES: dict[str, Callable[[Checks], Found]] = {
    "drift": Checks.drift,
    "both-way": Checks.both_way,
    "records": Checks.records,
    "wrong": Checks.wrong,
    "mutants": Checks.mutants,
    "sizes": Checks.sizes,
    "commands": Checks.commands,
    "style": Checks.style,
    "types": Checks.types,
}


def _changed(exercise: Exercise, before: records.Record | None, again: records.Record) -> str:
    old = set(before.survivors) if before else set()
    differ = sorted(old ^ set(again.survivors))
    what = f"; other survivors: {', '.join(differ)}" if differ else ""
    return (
        f"{exercise.id}: a rerun gives another record than {records.FOLDER}/{exercise.id}.json"
        f"{what}. minigrad mutants {exercise.id} writes it anew."
    )


def run(
    course: Course, only: str | None = None, json: bool = False, seed: int | None = None
) -> int:
    """Run all checks, or `only` one, and print a line for each; 0 if all are well, else 1.

    `seed` chooses the exercises whose records are tried again; by default another one each time.
    """
    if only is not None and only not in NAMES:
        raise LookupError(f"there is no check {only!r}; there are: {', '.join(NAMES)}")
    seed = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    done: list[Done] = []
    with Workers() as workers:
        checks = Checks(course, workers, seed)
        for name in [only] if only else NAMES:
            done.append(_timed(checks, name, quiet=json))
            if not json:
                _line(done[-1])
    bad = [each for each in done if not each.ok]
    if json:
        report.print_json(ok=not bad, seed=seed, checks=[_entry(each) for each in done])
        return 1 if bad else 0
    for each in done:
        if each.found.problems or each.found.notes:
            report.say("", f"{each.name}:", *map(_indented, each.found.problems))
            report.say(*map(_indented, each.found.notes))
    names = ", ".join(each.name for each in bad)
    total = f"{len(done)} check{'s' * (len(done) > 1)}"
    report.say("", f"check: {len(bad)} of {total} failed: {names}" if bad else f"check: {total} ok")
    return 1 if bad else 0


def _timed(checks: Checks, name: str, quiet: bool) -> Done:
    start = time.monotonic()
    with meter(name, quiet) as checks.progress:
        try:
            found = NAMES[name](checks)
        except BROKEN as error:
            found = Found("could not be run", [str(error)])
    return Done(name, time.monotonic() - start, found)


def _line(each: Done) -> None:
    word = "ok" if each.ok else "failed"
    report.say(f"{each.name:<9} {word:<6} {each.seconds:6.1f} s   {each.found.summary}".rstrip())


def _indented(text: str) -> str:
    return "  " + text.strip().replace("\n", "\n  ")


def _entry(each: Done) -> dict[str, object]:
    return {
        "name": each.name,
        "ok": each.ok,
        "seconds": round(each.seconds, 2),
        "summary": each.found.summary,
        "problems": each.found.problems,
        "notes": each.found.notes,
    }
