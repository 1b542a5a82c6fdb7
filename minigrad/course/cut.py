"""Cut: from the sources, the files that a learner starts with, the solutions, the README's map, the
list of the public API.

A made file is its source behind one line that says so, with other bodies: the start bodies in
chapters/, ours in solutions/.
"""

import tempfile
from pathlib import Path

from minigrad.course import api_page, carry, git, readme, regions
from minigrad.course.backup import Backup, Report
from minigrad.course.catalog import CatalogError, Course
from minigrad.course.files import remove, replace
from minigrad.course.regions import RegionError
from minigrad.course.workspace import Workspace


def plan(course: Course) -> dict[str, bytes]:
    """{path: bytes} of every made file, a pure function of the sources.

    Raises CatalogError or RegionError, with file and line, if the sources cannot be cut.
    """
    made: dict[str, bytes] = {}
    for target, stub in carry.stubs(course).items():
        _check_parses(stub, target)
        made[f"chapters/{target}"] = stub.encode()
    for chapter in course.chapters:
        for target, source in chapter.files.items():
            text = carry.header(source) + course.sources[source]
            made[f"solutions/{target}"] = text.encode()
    for path in sorted((course.root / carry.STARTS).glob("*")):
        exercise = course.exercises.get(path.stem)
        if path.is_file() and (exercise is None or exercise.suffix != path.suffix):
            name = path.relative_to(course.root).as_posix()
            raise CatalogError(f"{name}: no {path.suffix} source holds exercise {path.stem}")
    overview = readme.filled(course)
    made |= {} if overview is None else {"README.md": overview.encode()}
    page = api_page.made(course.sources)
    made |= {} if page is None else {api_page.PATH: page.encode()}
    return made | plan_notebooks(course)


def plan_notebooks(course: Course) -> dict[str, bytes]:
    """The part of plan() that is notebooks: one for each chapter that has a text."""
    texts = (course.root / "chapters" / c.name / f"{c.name}.md" for c in course.chapters)
    if not any(path.is_file() for path in texts):
        return {}
    from minigrad.course import notebooks  # jupytext takes a third of a second to load

    return notebooks.cut(course)


def _check_parses(stub: str, target: str) -> None:
    if target.endswith(".py"):
        try:
            compile(stub, target, "exec", dont_inherit=True)
        except SyntaxError as error:
            place = f"chapters/{target}:{error.lineno}"
            raise CatalogError(f"{place}: the stub would not parse: {error.msg}") from None


def write(workspace: Workspace) -> Report:
    """Write every made file that differs; what a learner wrote is carried over, see carry.py.

    Nothing is written if the sources cannot be cut.
    """
    course = workspace.course
    made = plan(course)
    backup = Backup(workspace)
    works = carry.collect(workspace)
    report = carry.put(workspace, works, carry.pool(course, works), backup)
    if workspace.chapters_dir != course.root / "chapters":
        return report
    report.written = [f"chapters/{target}" for target in report.written]
    for name in plan_notebooks(course):
        _write_notebook(course.root / name, made[name], workspace, report)
    # Last: a solution is also the record of what the chapter's file was cut from.
    for name, data in made.items():
        path = course.root / name
        if not name.startswith("chapters/") and not (path.is_file() and path.read_bytes() == data):
            replace(path, data)
            report.written.append(name)
    for path in _cut_files(course.root / "solutions"):
        if path.relative_to(course.root).as_posix() not in made:
            remove(path)
            report.lines.append(f"{workspace.shown(path)} is no longer in the course.")
    return report


def _write_notebook(path: Path, data: bytes, workspace: Workspace, report: Report) -> None:
    from minigrad.course import notebooks  # jupytext takes a third of a second to load

    if path.is_file() and path.read_bytes() == data:
        return
    kept = notebooks.keep_mine(path) if path.is_file() else None
    if kept is not None:
        name = workspace.shown(path)
        report.lines.append(f"{name} is cut anew; the cells you changed are in {kept.name}.")
    replace(path, data)
    report.written.append(path.relative_to(workspace.course.root).as_posix())


def _cut_files(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.glob("*/**/*"))
        if path.suffix in regions.COMMENT
        and path.is_file()
        and carry.HEADER.match(path.read_text(encoding="utf-8", errors="replace"))
    ]


def drift(course: Course) -> list[str]:
    """What is committed in chapters/ and solutions/ and is not what the committed sources give.

    One line a file; what is not committed yet is not looked at.
    """
    if not git.has_commit(course.root):
        return [f"{course.root} is no git checkout with a commit: drift cannot be checked."]
    with tempfile.TemporaryDirectory() as folder:
        git.export(course.root, Path(folder))
        committed = Course(Path(folder))
        try:
            made = plan(committed)
        except (CatalogError, RegionError) as error:
            return [str(error)]
        lines = []
        for name, data in made.items():
            path = committed.root / name
            if not path.is_file():
                lines.append(f"{name}: not committed; run make cut and commit it")
            elif path.read_bytes() != data:
                lines.append(f"{name}: not what its source gives; run make cut and commit it")
        lines += _strays(committed, set(made))
        if plan_notebooks(committed):
            from minigrad.course import notebooks  # jupytext takes a third of a second to load

            lines += notebooks.stale(committed)
    return lines


def _strays(course: Course, made: set[str]) -> list[str]:
    own = set(made)
    for chapter in course.chapters:
        own |= {f"chapters/{chapter.name}/chapter.toml"}
        own |= {f"chapters/{chapter.name}/{chapter.name}.md"}
        own |= {f"solutions/{chapter.name}/{chapter.name}.ipynb"}
    found = []
    for folder in ("chapters", "solutions"):
        for path in sorted((course.root / folder).rglob("*")):
            name = path.relative_to(course.root).as_posix()
            if path.is_file() and name not in own:
                found.append(f"{name}: made by nothing; remove it, or make cut will not know it")
    return found
