"""The C++ files of a run, each compiled alone: one that does not compile stops its own exercises.

What runs is the file that lies in the tree, or the text that stands in for it; a built library of
ours never takes its place.
"""

import json
import re
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.course import regions
from minigrad.course.catalog import Course, Exercise

SUFFIXES = (".cpp",)
# For variants of ours that are run once: they compile in half the time.
QUICK = ("-O1",)
AT_ONCE = 2  # compilers
# The native module is loaded by one thread, once.
_loading = threading.Lock()


@dataclass(frozen=True)
class Unit:
    """A file of kernels: its source's name, its name for whoever wrote it, and its library."""

    source: str
    file: str
    library: Path


class Refused(ValueError):
    """A file that cannot be compiled; the message says why, with file, line and exercise."""


class Absent(RuntimeError):
    """Nothing can be compiled here; the message says what is missing."""


def is_native(source: str) -> bool:
    """Whether a source is compiled."""
    return Path(source).suffix in SUFFIXES


def sources(exercises: Iterable[Exercise]) -> list[str]:
    """The sources among those of `exercises` that are compiled, each once."""
    return list(dict.fromkeys(e.source for e in exercises if is_native(e.source)))


def unit(
    course: Course, tree: Path, source: str, text: str | None = None, quick: bool = False
) -> Unit:
    """Compile a source as it lies in `tree`, or the `text` instead of it.

    Raises Refused, Absent.
    """
    # Only here: a course of Python alone does without minigrad.kernels.
    from minigrad.kernels import build, loading
    from minigrad.native import NativeMissing

    file, lines = _origin(tree, source)
    path = tree / source
    if text is None and not path.is_file():
        raise Refused(f"{file} is not in the tree that is tested.")
    held = path.read_text(encoding="utf-8") if text is None else text
    include = course.root / loading.HEADERS
    extra = QUICK if quick else ()
    try:
        with _loading:
            isa = loading.isa()
        library = build.library(path, isa, include, folder_for(course, tree), extra, held)
    except build.CompileError as error:
        raise Refused(_sentence(error, held, file, lines, source)) from None
    except (build.CompilerMissing, NativeMissing) as error:
        raise Absent(str(error)) from None
    return Unit(source, file, library)


def each(
    course: Course, tree: Path, exercises: Iterable[Exercise]
) -> Iterator[tuple[str, Unit | Refused | Absent]]:
    """(source, its unit, or else why there is none) for each C++ source."""

    def made(source: str) -> tuple[str, Unit | Refused | Absent]:
        try:
            return source, unit(course, tree, source)
        except (Refused, Absent) as error:
            return source, error

    found = sources(exercises)
    if found:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(made, found)


def ahead(course: Course, tree: Path, source: str, texts: Iterable[str]) -> None:
    """Compile what will be asked for in a hurry, several at a time."""

    def made(text: str) -> None:
        with suppress(Refused, Absent):
            unit(course, tree, source, text, quick=True)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(made, texts))


def warnings(course: Course, tree: Path, exercise: Exercise) -> list[str]:
    """What the compiler warned of inside an exercise, "file:line: words", a line once."""
    from minigrad.kernels import build

    file, lines = _origin(tree, exercise.source)
    output = build.said(unit(course, tree, exercise.source).library).read_text(encoding="utf-8")
    text = (tree / exercise.source).read_text(encoding="utf-8")
    (region,) = [r for r in regions.parse(text, exercise.source) if r.id == exercise.id]
    name = re.escape(Path(exercise.source).name)
    found: dict[int, str] = {}
    for line, words in re.findall(rf"^{name}:(\d+):\d+: warning: (.+)$", output, re.MULTILINE):
        if region.first < int(line) < region.last:
            found.setdefault(_theirs(int(line), lines), words)
    return [f"{file}:{line}: {words}" for line, words in found.items()]


def record(units: Iterable[Unit]) -> list[list[str]]:
    """What a child is told: the file's name and its library."""
    return [[each.file, str(each.library)] for each in units]


def put_under_test(pairs: Iterable[Iterable[str]]) -> None:
    """In a child: the kernels of these files are what is tested. Raises where one does not load."""
    from minigrad.kernels import tested

    found = [(file, Path(library)) for file, library in pairs]
    tested.put_under_test(lambda: found)
    tested.load_tested()


def learners(tree: Path) -> list[str]:
    """The C++ sources of a tree that are the learner's."""
    return [source for source in _origins(tree) if is_native(source)]


def put_later(course: Course, tree: Path, found: list[str]) -> None:
    """As put_under_test, of sources in this process's tree: compiled when a kernel is asked for."""
    if not found:
        return
    from minigrad.kernels import tested

    def files() -> list[tuple[str, Path]]:
        units = [unit(course, tree, source) for source in found]
        return [(each.file, each.library) for each in units]

    tested.put_under_test(files)


class Kernels:
    """A notebook's kernels in C++: entered as its files hold them, and again when they change."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self._made: dict[str, tuple[str, Unit | str]] = {}  # {source: its text, what came of it}
        self._absent: str | None = None

    @property
    def sources(self) -> list[str]:
        """What was compiled."""
        return list(self._made)

    def refresh(self, tree: Path, texts: dict[str, str]) -> str | None:
        """Compile and enter what changed; a sentence if some of it does not compile.

        texts  {source: its text now}
        """
        before = dict(self._made)
        for source, text in texts.items():
            if self._absent is None and before.get(source, ("",))[0] != text:
                try:
                    self._made[source] = text, unit(self.course, tree, source, text)
                except Refused as error:
                    self._made[source] = text, str(error)
                except Absent as error:
                    self._absent = str(error)
                    print(f"the kernels of this chapter are not there: {error}")
        made = [each for _, each in self._made.values()]
        for each in made:
            if isinstance(each, str):
                return each
        if self._made != before:
            put_under_test(record(each for each in made if isinstance(each, Unit)))
        return None


def folder_for(course: Course, tree: Path) -> Path:
    """Where the libraries of a tree are kept: with the checkout's trees, or with a teacher's."""
    ours = tree.parent == course.root / "build" / "trees"
    return (course.root / "build" if ours else tree.parent) / "kernels"


def _origin(tree: Path, source: str) -> tuple[str, list[int]]:
    """The name of a tree's file for whoever wrote it, and their line for each of its lines."""
    found = _origins(tree).get(source, {"file": source, "lines": []})
    return found["file"], found["lines"]


def _origins(tree: Path) -> dict[str, Any]:
    try:
        from minigrad.course.trees import ORIGINS  # which needs more than a child may have

        known: dict[str, Any] = json.loads((tree / ORIGINS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return known


def _theirs(line: int, lines: list[int]) -> int:
    return lines[min(line, len(lines)) - 1] if lines else line


def _sentence(error: Any, text: str, file: str, lines: list[int], source: str) -> str:
    """What the compiler said, in the lines of the file as the learner has it."""

    name = re.compile(rf"(?<![\w/]){re.escape(Path(source).name)}:(\d+)?")
    words = name.sub(lambda m: f"{file}:{_theirs(int(m[1]), lines) if m[1] else ''}", error.words)
    if error.line is None:
        return f"{file} does not compile:\n{words}"
    found = regions.salvage(text, source)
    inside = next((r.id for r in found if r.first < error.line < r.last), None)
    torn = [r.id for r in found if not regions.braces_match(r.body)]
    where = f"in exercise {inside}" if inside else "outside the exercises"
    if torn and not inside:
        where += f", but a brace of exercise {torn[0]} has no other half"
    return f"{file}:{_theirs(error.line, lines)} does not compile ({where}):\n{words}"
