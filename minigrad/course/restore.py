"""The second half of an upgrade: what was saved goes into the chapters as they are now."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minigrad.course import carry, git, regions
from minigrad.course.backup import Backup, Report
from minigrad.course.carry import Body, Work
from minigrad.course.catalog import Course, exercise_key
from minigrad.course.files import remove, replace
from minigrad.course.git import GitError
from minigrad.course.workspace import Workspace

AS_BEFORE = "Your exercises are as they were."


@dataclass
class Saved:
    """What an upgrade must not lose, on disk in `path` until all of it is back in place."""

    path: Path
    old: str  # the commit the upgrade started from
    ids: list[str]  # the exercises of that commit
    works: dict[str, Work]  # the files as they lay on disk
    committed: dict[str, Work] = field(default_factory=dict)  # as the learner's commits hold them
    merging: bool = False
    backup: Path | None = None

    def write(self) -> None:
        record: dict[str, Any] = {"schema": 1, "old": self.old, "ids": self.ids}
        record["works"] = [work.record() for work in self.works.values()]
        record["committed"] = [work.record() for work in self.committed.values()]
        record["merging"] = self.merging
        record["backup"] = None if self.backup is None else str(self.backup)
        replace(self.path, json.dumps(record).encode())

    @staticmethod
    def read(path: Path) -> "Saved":
        record = json.loads(path.read_bytes())
        works = {w["target"]: Work.from_record(w) for w in record["works"]}
        committed = {w["target"]: Work.from_record(w) for w in record["committed"]}
        backup = None if record["backup"] is None else Path(record["backup"])
        ids, merging = record["ids"], record["merging"]
        return Saved(path, record["old"], ids, works, committed, merging, backup)


def restore(workspace: Workspace, state: Path) -> Report:
    """Put what an upgrade saved into the chapters as they are now, and say what became of it."""
    saved = Saved.read(state)
    root, course = workspace.course.root, workspace.course
    backup = Backup(workspace, saved.backup)
    newer, notes = _newer(workspace, saved, backup)
    if saved.merging and git.has(root, "MERGE_HEAD"):
        bodies = carry.pool(course, saved.committed)
        carried = carry.put(workspace, saved.committed, bodies, Backup(workspace, saved.backup))
        try:
            _commit(root, [f"chapters/{target}" for target in carried.written])
        except GitError as error:
            git.ask(root, "merge", "--abort")
            back(Workspace(Course(root)), saved)
            return Report([f"git could not commit the merge: {error}. {AS_BEFORE}", *notes], 1)
    report = _put(workspace, saved, newer, backup)
    report.lines = [*notes, *report.lines]
    return report


def back(workspace: Workspace, saved: Saved) -> None:
    """Undo the first half of an upgrade: every file of the learner's as it was, to the byte."""
    for target in carry.stubs(workspace.course):
        path, work = workspace.chapters_dir / target, saved.works.get(target)
        if work is None:
            remove(path)
        elif not path.is_file() or path.read_bytes() != work.raw:
            replace(path, work.raw)
    saved.path.unlink()


def _commit(root: Path, names: list[str]) -> None:
    if names:
        git.run(root, "add", "--", *names)
    command = ("-c", "commit.gpgsign=false", "commit", "--quiet", "--no-verify", "--no-edit")
    git.run(root, *command, env=git.identity(root))


def _newer(workspace: Workspace, saved: Saved, backup: Backup) -> tuple[dict[str, Body], list[str]]:
    """Bodies written since an upgrade was cut off: they are newer than the saved ones."""
    found: dict[str, Body] = {}
    notes: list[str] = []
    for target, work in carry.collect(workspace).items():
        before = [w for w in _all(saved) if w.target == target]
        if not work.touched or work.raw in [w.raw for w in before]:
            continue
        fresh = {
            name: body
            for name, body in work.bodies.items()
            if regions.essence(body.text)
            not in [regions.essence(w.bodies[name].text) for w in _all(saved) if name in w.bodies]
        }
        found |= fresh
        if before and (fresh or work.outside):
            place = backup.save(target, work.raw)
            name = workspace.shown(workspace.chapters_dir / target)
            notes.append(f"{name} was changed since then; as it was now, it is {place}.")
    return found, notes


def _all(saved: Saved) -> list[Work]:
    return [*saved.works.values(), *saved.committed.values()]


def _put(workspace: Workspace, saved: Saved, newer: Mapping[str, Body], backup: Backup) -> Report:
    course = workspace.course
    bodies = carry.pool(course, saved.works) | dict(newer)
    report = carry.put(workspace, saved.works, bodies, backup)
    back = sorted((i for i in bodies if i in course.exercises), key=exercise_key)
    new = sorted(course.exercises.keys() - set(saved.ids), key=exercise_key)
    head = [f"put back: {', '.join(back)}."] if back else []
    tail = [f"new exercises: {', '.join(new)}."] if new else []
    if saved.backup is not None:
        tail.append(f"Your files as they were are in {workspace.shown(saved.backup)}.")
    report.lines = head + report.lines + tail
    if report.code == 0:
        saved.path.unlink()
    return report
