"""Carrying a learner's work from one cut of a chapter to the next.

The work is kept as it is as long as the shipped text around the exercises has not changed. Where it
has, the new text takes the learner's bodies by id, and the old file is kept as a whole.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.course import git, regions
from minigrad.course.backup import Backup, Report
from minigrad.course.catalog import CHAPTER_NAME, Course
from minigrad.course.files import remove, replace
from minigrad.course.regions import RegionError
from minigrad.course.workspace import Workspace

HEADER = re.compile(r"(?:#|//) cut from (\S+)\n")
STARTS = "tests/course/start/"


@dataclass(frozen=True)
class Body:
    """A body the learner wrote, and the marker line it stood under."""

    text: str
    pad: str
    task: str

    def at(self, pad: str) -> str:
        """The body where a region is indented by `pad`."""
        lines = self.text.split("\n")
        if pad == self.pad:
            return self.text
        return "\n".join(pad + x[len(self.pad) :] if x.startswith(self.pad) else x for x in lines)


@dataclass(frozen=True)
class Work:
    """One file of the learner's.

    base     the shipped text it was cut from, bodies emptied; None if that is not known
    bodies   what the learner wrote: every body that is not a shipped one
    outside  something outside the bodies is not as shipped, or cannot be read
    """

    target: str
    raw: bytes
    base: str | None
    bodies: dict[str, Body]
    outside: bool

    @property
    def text(self) -> str:
        # Bytes that are not UTF-8 come out as they went in.
        raw = self.raw.decode("utf-8", "surrogateescape")
        return regions.normalise(raw, Path(self.target).suffix)

    @property
    def touched(self) -> bool:
        return self.outside or bool(self.bodies)

    def record(self) -> dict[str, Any]:
        """This as JSON can hold it."""
        bodies = {i: [b.text, b.pad, b.task] for i, b in self.bodies.items()}
        raw = base64.b64encode(self.raw).decode()
        parts = {"target": self.target, "raw": raw, "base": self.base, "bodies": bodies}
        return {**parts, "outside": self.outside}

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> "Work":
        bodies = {i: Body(*parts) for i, parts in record["bodies"].items()}
        raw = base64.b64decode(record["raw"])
        return Work(record["target"], raw, record["base"], bodies, record["outside"])


def stubs(course: Course) -> dict[str, str]:
    """{target: the file a learner starts with}."""
    found: dict[str, str] = {}
    for chapter in course.chapters:
        for target, source in chapter.files.items():
            starts = {e.id: e.start for e in chapter.exercises if e.target == target}
            found[target] = header(source) + regions.fill(course.sources[source], starts, source)
    return found


def header(source: str) -> str:
    """The first line of a made file."""
    return f"{regions.COMMENT[Path(source).suffix]} cut from {source}\n"


def collect(workspace: Workspace) -> dict[str, Work]:
    """{target: Work} of every file in the chapters that was cut or holds exercises."""
    course = workspace.course
    shipped = {target: _skeleton(text, target) for target, text in stubs(course).items()}
    starts = _starts(course)
    found: dict[str, Work] = {}
    for path in _files(workspace.chapters_dir):
        target = path.relative_to(workspace.chapters_dir).as_posix()
        try:
            work = Work(target, path.read_bytes(), _base(course, target), {}, False)
        except OSError:  # put() meets it again and says so
            continue
        text = work.text
        whole = regions.salvage(text, target)
        if not whole and target not in shipped and not HEADER.match(text):
            continue
        bodies = {
            r.id: Body(r.body, r.pad, r.task)
            for r in whole
            if regions.essence(r.body)
            not in starts.get(r.id, set()) | {regions.essence(regions.open_body(r, path.suffix))}
        }
        mine = _skeleton(text, target)
        outside = mine is None or mine not in (work.base, shipped.get(target))
        found[target] = Work(target, work.raw, work.base, bodies, outside)
    return found


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [
        path
        for chapter in sorted(folder.iterdir())
        if CHAPTER_NAME.match(chapter.name)
        for path in sorted(chapter.rglob("*"))
        if path.suffix in regions.COMMENT
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def _skeleton(text: str, target: str) -> str | None:
    try:
        return regions.skeleton(text, target)
    except RegionError:
        return None


def _base(course: Course, target: str) -> str | None:
    """The shipped text that the learner's file was cut from: the solution that was cut with it."""
    path = course.root / "solutions" / target
    if path.is_file():
        data: bytes | None = path.read_bytes()
    else:
        data = git.blob(course.root, f"solutions/{target}")
    if data is None:
        return None
    text = regions.normalise(data.decode("utf-8", "surrogateescape"), path.suffix)
    return _skeleton(text, target)


def _starts(course: Course) -> dict[str, set[str]]:
    """The start bodies we shipped: today's, and those of the commit that is checked out."""
    found = {e.id: {regions.essence(e.start)} for e in course.exercises.values()}
    if git.has_commit(course.root):
        for name in git.names(course.root, "ls-tree", "-r", "--name-only", "HEAD", STARTS):
            text = (git.blob(course.root, name) or b"").decode("utf-8", "replace")
            path = Path(name)
            found.setdefault(path.stem, set()).add(
                regions.essence(regions.normalise(text, path.suffix))
            )
    return found


def pool(course: Course, works: Mapping[str, Work]) -> dict[str, Body]:
    """{id: the learner's body}. A file under a name of their own counts where ours is missing."""
    targets = {e.target for e in course.exercises.values()}
    found: dict[str, Body] = {}
    present: set[str] = set()
    made = {t: w for t, w in works.items() if t in targets or w.base is not None}
    for target, work in made.items():
        found |= {i: body for i, body in work.bodies.items() if i not in found}
        for text in (work.text, work.base or ""):
            present |= {region.id for region in regions.salvage(text, target)}
    for target, work in works.items():
        if target not in made:
            found |= {i: b for i, b in work.bodies.items() if i not in present | set(found)}
    return found


def put(
    workspace: Workspace, works: Mapping[str, Work], bodies: Mapping[str, Body], backup: Backup
) -> Report:
    """Bring the chapters' files up to date with the sources: the learner's `works`, `bodies` by id.

    Whatever of a learner's file does not stand in its successor is in the backup, and the report
    says so.
    """
    course, report = workspace.course, Report()
    wanted = stubs(course)
    replaced: list[Work] = []
    for target, stub in wanted.items():
        work = works.get(target)
        text = _compose(stub, work, bodies, target)
        path = workspace.chapters_dir / target
        if work is not None and text == work.text:
            data = work.raw
        else:
            data = text.encode("utf-8", "surrogateescape")
            if work is not None and work.touched:
                replaced.append(work)
                _tell(workspace, work, stub, backup.save(target, work.raw), report)
        moved = [r.id for r in regions.parse(stub, target) if r.id in bodies]
        if work is None and moved:
            name, ids = workspace.shown(path), ", ".join(moved)
            report.lines.append(f"{name} was not there; it is, with your {ids} from elsewhere.")
        try:
            if not path.is_file() or path.read_bytes() != data:
                replace(path, data)
                report.written.append(target)
        except OSError as error:
            report.lines.append(f"{workspace.shown(path)} cannot be written: {error.strerror}.")
            report.code = 1
    for target, work in works.items():
        if target not in wanted and _stale(course, work):
            kept = f"; yours is {backup.save(target, work.raw)}" if work.touched else ""
            path = workspace.chapters_dir / target
            report.lines.append(f"{workspace.shown(path)} is no longer in the course{kept}.")
            remove(path)
            replaced.append(work)
    for work in replaced:
        for name in work.bodies.keys() - course.exercises.keys():
            suffix = Path(work.target).suffix
            place = backup.save(f"{name}{suffix}", work.bodies[name].text.encode())
            report.lines.append(f"{name} is no longer an exercise; your body is {place}.")
    workspace.refresh()
    return report


def _compose(stub: str, work: Work | None, bodies: Mapping[str, Body], target: str) -> str:
    own = {r.id: r for r in regions.parse(stub, target)}
    text = stub
    if work is not None and work.base == regions.skeleton(stub, target):
        # Only bodies can be new: the file stays as the learner has it, whatever they put around
        # the exercises, and a damaged one waits for them to mend it.
        text = work.text
        if _skeleton(text, target) is None:
            return text
    fresh: dict[str, str] = {}
    for region in regions.parse(text, target):
        if region.id in bodies:
            body = bodies[region.id].at(region.pad)
        elif region.id in own and (work is None or region.id not in work.bodies):
            body = Body(own[region.id].body, own[region.id].pad, "").at(region.pad)
        else:
            continue
        if regions.essence(body) != regions.essence(region.body):
            fresh[region.id] = body
    return regions.fill(text, fresh, target)


def _tell(workspace: Workspace, work: Work, stub: str, place: str, report: Report) -> None:
    """What the learner should know about a file of theirs that is not what it was."""
    name = workspace.shown(workspace.chapters_dir / work.target)
    fresh = {r.id: r for r in regions.parse(stub, work.target)}
    if _skeleton(work.text, work.target) is None:
        lost = ", ".join(i for i in fresh if i not in work.bodies)
        report.lines.append(
            f"{name} had a damaged exercise marker and is cut anew; look for {lost or 'the rest'} "
            f"in your old file, {place}."
        )
    elif work.outside:
        report.lines.append(
            f"{name} is cut anew with your bodies; what you wrote outside the exercises is in your "
            f"old file, {place}."
        )
    for i, body in work.bodies.items():
        if i in fresh and fresh[i].task != body.task:
            report.lines.append(f"{i} has a new task: {fresh[i].task}. Your body is in place.")


def _stale(course: Course, work: Work) -> bool:
    """Cut once, and no longer: not a copy or a file of the learner's own."""
    match = HEADER.match(work.text)
    source = match[1] if match else None
    if work.base is not None or source is None:
        return work.base is not None
    return source not in course.sources or Path(source).name == Path(work.target).name
