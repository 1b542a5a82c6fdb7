"""The learner's side: their files as they stand, what is open, and what cannot be used and why.

Everything here is decided from text; nothing of the learner's is run.
"""

import hashlib
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from minigrad.course import regions
from minigrad.course.catalog import Chapter, Course, Exercise
from minigrad.course.regions import RegionError


@dataclass(frozen=True)
class LearnerFile:
    """One file of a chapter as the learner left it.

    `problem` is one sentence if the file cannot be used as it is (missing, damaged marker, syntax
    error); `bodies` then still holds what could be read of it.
    """

    target: str
    path: Path
    text: str | None
    bodies: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    problem: str | None = None


class Workspace:
    """A folder of chapters that a learner writes in, and the folder that keeps their state.

    Without arguments: chapters/ and .minigrad/ of the checkout. A teacher points `chapters_dir` at
    a student's folder; state and trees then stay inside it.
    """

    def __init__(self, course: Course, chapters_dir: Path | None = None) -> None:
        self.course = course
        own = chapters_dir is not None
        self.chapters_dir = (chapters_dir or course.root / "chapters").resolve()
        self.state_dir = self.chapters_dir / ".minigrad" if own else course.root / ".minigrad"
        self.trees_dir = self.state_dir / "trees" if own else course.root / "build" / "trees"
        self._files: dict[str, LearnerFile] = {}

    def shown(self, path: Path) -> str:
        """A path as reports name it: from the checkout if it lies there."""
        return (
            path.relative_to(self.course.root).as_posix()
            if path.is_relative_to(self.course.root)
            else str(path)
        )

    def file(self, target: str) -> LearnerFile:
        """The learner's file for a target such as "01_scalar/scalar.py", read once."""
        if target not in self._files:
            self._files[target] = self._read(target)
        return self._files[target]

    def refresh(self) -> None:
        """Read the files again at the next question."""
        self._files.clear()

    def _read(self, target: str) -> LearnerFile:
        path = self.chapters_dir / target
        name = self.shown(path)
        suffix = path.suffix
        wanted = [e for e in self.course.exercises.values() if e.target == target]
        try:
            text = regions.normalise(path.read_bytes().decode("utf-8"), suffix)
        except FileNotFoundError:
            return LearnerFile(target, path, None, problem=self._missing(path, wanted))
        except UnicodeDecodeError as error:
            return LearnerFile(
                target,
                path,
                None,
                problem=f"{name} is not UTF-8 text (byte {error.start}). Save it as UTF-8.",
            )
        except OSError as error:
            return LearnerFile(
                target, path, None, problem=f"{name} cannot be read: {error.strerror}."
            )
        try:
            found = regions.parse(text, name)
        except RegionError as error:
            whole = regions.salvage(text, name)
            bodies = {r.id: r.body for r in whole}
            lines = {r.id: r.first for r in whole}
            return LearnerFile(target, path, text, bodies, lines, problem=f"{error}.")
        bodies = {r.id: r.body for r in found}
        lines = {r.id: r.first for r in found}
        lost = [e.id for e in wanted if e.id not in bodies]
        problem: str | None = None
        if lost:
            problem = (
                f"{name} has no markers for exercise {', '.join(lost)}: the two comment lines "
                f"<ex {lost[0]}> and </ex {lost[0]}> were deleted. Put them back around your code "
                f"(minigrad reset {lost[0]} --print shows them)."
            )
        elif "\0" in text:
            line = text[: text.index("\0")].count("\n") + 1
            problem = f"{name}:{line}: a NUL byte stands here; no source text holds one. Delete it."
        elif suffix == ".py":
            problem = _syntax(text, name)
        return LearnerFile(target, path, text, bodies, lines, problem)

    def _missing(self, path: Path, wanted: list[Exercise]) -> str:
        name = self.shown(path)
        ids = {e.id for e in wanted}
        for other in sorted(p for p in path.parent.glob(f"*{path.suffix}") if p.is_file()):
            if any(f"<ex {i}>" in other.read_text(encoding="utf-8", errors="replace") for i in ids):
                return (
                    f"{name} is missing, but its exercises stand in {other.name}. "
                    f"Rename that file to {path.name}."
                )
        return f"{name} is missing. Restore it with: minigrad reset {wanted[0].region.chapter}"

    def exercise_file(self, exercise: Exercise) -> LearnerFile:
        return self.file(exercise.target)

    def body(self, exercise: Exercise) -> str | None:
        """The learner's body, or None if it cannot be read."""
        return self.file(exercise.target).bodies.get(exercise.id)

    def is_open(self, exercise: Exercise) -> bool:
        """The body is the shipped start body, white space at line ends and blank lines aside."""
        body = self.body(exercise)
        return body is not None and regions.essence(body) == regions.essence(exercise.start)

    def problem(self, exercise: Exercise) -> str | None:
        """Why this exercise cannot be run as it stands, in one sentence; else None."""
        return self.file(exercise.target).problem

    def location(self, exercise: Exercise) -> tuple[str, int]:
        """File (as shown) and line where the learner writes this exercise."""
        file = self.file(exercise.target)
        return self.shown(file.path), file.lines.get(exercise.id, 1)

    def fingerprint(self, exercise: Exercise) -> str:
        """What "passed" is said of: a hash of the body, the skeleton around it and the chapter's
        tests.
        """
        file = self.file(exercise.target)
        digest = hashlib.sha256()
        body = self.body(exercise)
        digest.update(regions.essence(body or "").encode() + b"\0")
        if file.text is not None and file.problem is None:
            digest.update(regions.skeleton(file.text, exercise.target).encode() + b"\0")
        else:
            digest.update(f"unusable: {file.problem}\0".encode())
        digest.update(tests_digest(self.course, chapter_of(self.course, exercise)).encode())
        return digest.hexdigest()[:20]


def chapter_of(course: Course, exercise: Exercise) -> Chapter:
    return course.chapter(exercise.region.chapter)


def tests_digest(course: Course, chapter: Chapter) -> str:
    """A hash of everything in the chapter's folder of tests."""
    digest = hashlib.sha256()
    for path in sorted((course.root / "tests" / chapter.name).rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _syntax(text: str, name: str) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        kind, line = type(error).__name__, (error.text or "").strip()
        return f"{name}:{error.lineno}: {kind}: {error.msg}. {line}".rstrip()
    return None
