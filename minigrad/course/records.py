"""What the mutants and wrong bodies of each exercise showed, in tests/course/records/ID.json.

A record is true of a fingerprint: the body, the source around it, the wrong bodies, the chapter's
tests and the list of faults. When any of them changes it is stale and is made again.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from minigrad.course import files, mutants, regions, rejected, wrong
from minigrad.course.catalog import CatalogError, Course, Exercise
from minigrad.course.rejected import Verdict
from minigrad.course.workers import Seen, Workers
from minigrad.course.workspace import chapter_of, tests_digest

FOLDER = "tests/course/records"
FAULTS = {".py": ("faults.py", "mutations.py"), ".cpp": ("mutations_cpp.py",)}
SCHEMA = 1


class RecordError(CatalogError):
    """A record cannot be read; the message names the file."""


@dataclass(frozen=True)
class Record:
    """One exercise's mutants and wrong bodies, as they came out for `fingerprint`."""

    exercise: str
    fingerprint: str
    mutants: int
    survivors: tuple[str, ...]
    wrong: tuple[Verdict, ...]
    problems: tuple[str, ...]

    def text(self) -> str:
        """The file's content: the same bytes for the same record."""
        wrong = [
            {"misconception": v.misconception, "failed": v.failed, "tests": v.tests}
            for v in self.wrong
        ]
        data = {
            "schema": SCHEMA,
            "exercise": self.exercise,
            "fingerprint": self.fingerprint,
            "mutants": {
                "total": self.mutants,
                "killed": self.mutants - len(self.survivors),
                "survivors": list(self.survivors),
            },
            "wrong": wrong,
            "problems": list(self.problems),
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def path_of(course: Course, exercise: Exercise) -> Path:
    return course.root / FOLDER / f"{exercise.id}.json"


def fingerprint(course: Course, exercise: Exercise) -> str:
    """A hash of everything that decides how an exercise's mutants and wrong bodies fare."""
    answers = course.root / wrong.path_of(exercise)
    faults = FAULTS.get(exercise.suffix, ())
    parts = [
        exercise.region.body,
        _around(course, exercise),
        answers.read_text(encoding="utf-8") if answers.is_file() else "",
        tests_digest(course, chapter_of(course, exercise)),
        *(Path(__file__).with_name(n).read_text(encoding="utf-8") for n in faults),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _around(course: Course, exercise: Exercise) -> str:
    """The source without bodies, comments and blank lines: a task may be said in other words."""
    text = course.sources[exercise.source]
    ids = [region.id for region in regions.parse(text, exercise.source)]
    emptied = regions.fill(text, {name: f"<{name}>\n" for name in ids}, exercise.source)
    comment = regions.COMMENT[exercise.suffix]
    lines = (line.rstrip() for line in emptied.split("\n"))
    return "\n".join(s for s in lines if s and not s.lstrip().startswith(comment))


def read(course: Course, exercise: Exercise) -> Record | None:
    """The record as it is on disk, stale or not; None if there is none."""
    path = path_of(course, exercise)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Record(
            data["exercise"],
            data["fingerprint"],
            data["mutants"]["total"],
            tuple(data["mutants"]["survivors"]),
            tuple(Verdict(**each) for each in data["wrong"]),
            tuple(data["problems"]),
        )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        name = path.relative_to(course.root).as_posix()
        raise RecordError(f"{name} is no record; delete it, and make check writes it") from None


def stale(course: Course, exercises: Sequence[Exercise]) -> list[Exercise]:
    """Those whose record is missing or is of something else than what stands there now."""
    found = []
    for exercise in exercises:
        record = read(course, exercise)
        if record is None or record.fingerprint != fingerprint(course, exercise):
            found.append(exercise)
    return found


def make(
    course: Course, exercises: Sequence[Exercise], workers: Workers, seen: Seen | None = None
) -> list[Record]:
    """Run mutants and wrong bodies anew; nothing is written."""
    broken = mutants.run(course, exercises, workers, seen)
    answers = rejected.run(course, exercises, workers, seen)
    return [
        Record(e.id, fingerprint(course, e), m.total, m.survivors, w.verdicts, w.problems)
        for e, m, w in zip(exercises, broken, answers, strict=True)
    ]


def write(course: Course, records: Sequence[Record]) -> None:
    """Each record into its file."""
    folder = course.root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for record in records:
        files.replace(folder / f"{record.exercise}.json", record.text().encode())
