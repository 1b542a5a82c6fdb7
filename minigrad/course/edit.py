"""The commands that write in a learner's file: solve and reset."""

from collections.abc import Iterable

from minigrad.course import carry, regions
from minigrad.course.backup import Backup, Report
from minigrad.course.carry import Body
from minigrad.course.catalog import Chapter, Exercise
from minigrad.course.files import replace
from minigrad.course.workspace import Workspace


def solve(workspace: Workspace, *exercises: Exercise) -> Report:
    """Our bodies into the learner's files; each file is kept aside once, as it was before."""
    wanted: dict[str, dict[str, Body]] = {}
    for each in exercises:
        body = Body(each.region.body, each.region.pad, each.task)
        wanted.setdefault(each.target, {})[each.id] = body
    report = Report()
    for target, bodies in wanted.items():
        done = _set(workspace, target, bodies)
        report.lines += done.lines
        report.written += done.written
        if done.written:
            report.lines.append(f"{_name(workspace, target)} holds our {', '.join(bodies)} now.")
    return report


def reset(workspace: Workspace, exercise: Exercise) -> Report:
    """The body the exercise starts with into the learner's file; theirs goes to the backup."""
    report = _set(workspace, exercise.target, {exercise.id: start(exercise)})
    if report.written:
        name = _name(workspace, exercise.target)
        report.lines.append(f"{name} holds the start of {exercise.id} now.")
    return report


def reset_chapter(workspace: Workspace, chapter: Chapter) -> Report:
    """Every file of the chapter as it was shipped; the learner's go to the backup."""
    report = Report()
    works = carry.collect(workspace)
    backup = Backup(workspace)
    shipped = carry.stubs(workspace.course)
    for target in chapter.files:
        work = works.get(target)
        data = shipped[target].encode()
        if work is not None and work.touched:
            place = backup.save(target, work.raw)
            report.lines.append(f"{_name(workspace, target)} is as shipped; yours is {place}.")
        else:
            report.lines.append(f"{_name(workspace, target)} is as shipped.")
        if work is None or work.raw != data:
            replace(workspace.chapters_dir / target, data)
            report.written.append(target)
    workspace.refresh()
    return report


def start(exercise: Exercise) -> Body:
    """The body an exercise starts with."""
    return Body(exercise.start, exercise.region.pad, exercise.task)


def shown_region(exercise: Exercise) -> str:
    """The two marker lines with the start body between them, for a file that lost its own."""
    region, comment = exercise.region, regions.COMMENT[exercise.suffix]
    plural = "line" if region.size == 1 else "lines"
    head = f"{region.pad}{comment} <ex {region.id}> {region.task} ({region.size} {plural})\n"
    return f"{head}{exercise.start}{region.pad}{comment} </ex {region.id}>\n"


def _set(workspace: Workspace, target: str, bodies: dict[str, Body]) -> Report:
    """The learner's file with these bodies; one that cannot hold them is cut anew around theirs."""
    report = Report()
    works = carry.collect(workspace)
    work = works.get(target)
    name = _name(workspace, target)
    text = None if work is None else _filled(work.text, target, bodies)
    fresh = text is None
    if text is None:
        pool = carry.pool(workspace.course, works) | bodies
        stub = carry.stubs(workspace.course)[target]
        kept = {r.id: pool[r.id] for r in regions.parse(stub, target) if r.id in pool}
        text = _filled(stub, target, kept) or stub
    if work is not None and text == work.text:
        report.lines.append(f"{name} holds {', '.join(bodies)} like this already.")
        return report
    if work is not None and (fresh or _own(work, bodies)):
        place = Backup(workspace).save(target, work.raw)
        why = "its exercise markers were damaged, so it is cut anew; " if fresh else ""
        report.lines.append(f"{name}: {why}the file as it was is {place}.")
    elif fresh:
        report.lines.append(f"{name} was missing and is cut anew.")
    replace(workspace.chapters_dir / target, text.encode("utf-8", "surrogateescape"))
    report.written.append(target)
    workspace.refresh()
    return report


def _own(work: carry.Work, ids: Iterable[str]) -> bool:
    """Something of the learner's is about to go, or is rewritten with other line ends."""
    rewritten = work.raw != work.text.encode("utf-8", "surrogateescape")
    return rewritten or any(i in work.bodies for i in ids)


def _filled(text: str, target: str, bodies: dict[str, Body]) -> str | None:
    """The text with these bodies, or None if its markers do not allow it."""
    try:
        found = {r.id: r for r in regions.parse(text, target)}
    except regions.RegionError:
        return None
    if not bodies.keys() <= found.keys():
        return None
    return regions.fill(text, {i: b.at(found[i].pad) for i, b in bodies.items()}, target)


def _name(workspace: Workspace, target: str) -> str:
    return workspace.shown(workspace.chapters_dir / target)
