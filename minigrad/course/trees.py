"""Trees: whole copies of minigrad/ in which a learner's files stand where ours would, and the
sources in other languages that hold exercises.

A tree is what a test, a training run or a notebook imports. Its file for a chapter is the learner's
file, line for line, so that an error in the tree's line 41 is an error in the learner's line 41;
only where open exercises are filled from the reference do lines move, and `Tree.learner_line`
undoes that.
"""

import fcntl
import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from minigrad import native
from minigrad.course import regions
from minigrad.course.catalog import Chapter, Course
from minigrad.course.files import replace
from minigrad.course.workspace import LearnerFile, Workspace

ORIGINS = "origins.json"


@dataclass(frozen=True)
class Origin:
    """Where a file of a tree comes from: the learner's file, and its line for each of the tree's
    lines.
    """

    file: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """A tree on disk. `mine` names the exercises whose bodies are the learner's, `notes` what had
    to be said.
    """

    path: Path
    mine: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: dict[str, Origin] = field(default_factory=dict)


def reference(course: Course, trees_dir: Path | None = None) -> Tree:
    """The tree of our own sources."""
    return _write(course, (trees_dir or course.root / "build" / "trees") / "reference", {}, (), ())


def learners(
    workspace: Workspace, chapters: Iterable[Chapter], name: str, *, fill_open: bool = False
) -> Tree:
    """The learner's files of `chapters`, the reference elsewhere.

    A file that cannot be used (`workspace.problem` says why) gives way to ours. `fill_open`:
    exercises that are still open do so too, and the notes name the files that did.
    """
    course = workspace.course
    texts: dict[str, str] = {}
    origins: dict[str, Origin] = {}
    mine: list[str] = []
    notes: list[str] = []
    for chapter in chapters:
        for target, source in chapter.files.items():
            file = workspace.file(target)
            if file.text is None or file.problem:
                if fill_open:
                    notes.append(f"{file.problem} The reference stands in for it.")
                continue
            ids = [e for e in chapter.exercises if e.target == target]
            still_open = {e.id: e.region.body for e in ids if workspace.is_open(e)}
            mine += [e.id for e in ids if e.id not in still_open]
            texts[source], lines = _filled(file, still_open if fill_open else {})
            origins[source] = Origin(workspace.shown(file.path), lines)
    tree = _write(course, workspace.trees_dir / name, texts, tuple(mine), tuple(notes))
    tree.origins.update(origins)
    record = {source: {"file": o.file, "lines": o.lines} for source, o in origins.items()}
    _write_if_changed(tree.path / ORIGINS, json.dumps(record).encode())
    return tree


def learner_line(tree: Path, path: str, line: int) -> tuple[str, int] | None:
    """The learner's (file, line) behind a line of a tree's file, or None if that file is ours."""
    record = tree / ORIGINS
    if not Path(path).is_relative_to(tree) or not record.is_file():
        return None
    origin = json.loads(record.read_text(encoding="utf-8")).get(
        Path(path).relative_to(tree).as_posix()
    )
    if origin is None:
        return None
    lines = origin["lines"]
    return origin["file"], lines[min(line, len(lines)) - 1] if lines else line


def _filled(file: LearnerFile, bodies: dict[str, str]) -> tuple[str, tuple[int, ...]]:
    assert file.text is not None
    text = regions.fill(file.text, bodies, file.target)
    lines: list[int] = []
    at = 1
    for region in regions.parse(file.text, file.target):
        lines += range(at, region.first + 1)
        if region.id in bodies:
            lines += [region.first] * bodies[region.id].count("\n")
        else:
            lines += range(region.first + 1, region.last)
        at = region.last
    lines += range(at, file.text.count("\n") + 2)
    return text, tuple(lines)


def _write(
    course: Course, path: Path, texts: dict[str, str], mine: tuple[str, ...], notes: tuple[str, ...]
) -> Tree:
    """Bring the tree at `path` up to date: only files whose bytes differ are written, strays are
    removed.
    """
    package = course.root / "minigrad"
    with _locked(path):
        wanted = {Path(ORIGINS)}
        for source in package.rglob("*"):
            name = source.relative_to(course.root)
            if source.is_dir() or "__pycache__" in name.parts or source.suffix in {".so", ".pyc"}:
                continue
            wanted.add(name)
            text = texts.get(name.as_posix())
            _write_if_changed(path / name, source.read_bytes() if text is None else text.encode())
        for each in {e.source for e in course.exercises.values() if e.suffix != ".py"}:
            wanted.add(Path(each))
            _write_if_changed(path / each, texts.get(each, course.sources[each]).encode())
        built = native.find(course.root)
        if built is not None:
            for library in (built, *sorted(built.parent.glob("kernels_*.so"))):
                wanted.add(Path("minigrad") / library.name)
                _link(path / "minigrad" / library.name, library)
        if not texts:
            (path / ORIGINS).unlink(missing_ok=True)
        for stray in [
            p for p in path.rglob("*") if not p.is_dir() and p.relative_to(path) not in wanted
        ]:
            stray.unlink()
    return Tree(path, mine, notes)


def _write_if_changed(path: Path, data: bytes) -> None:
    if not path.is_file() or path.read_bytes() != data:
        replace(path, data, durable=False)


def _link(path: Path, target: Path) -> None:
    if path.is_symlink() and path.readlink() == target:
        return
    path.unlink(missing_ok=True)
    path.symlink_to(target)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Two runs may want the same tree at once: the test suite's workers do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.parent / f".{path.name}.lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def remove(path: Path) -> None:
    """Delete a tree."""
    shutil.rmtree(path, ignore_errors=True)
