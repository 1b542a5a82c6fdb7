"""`minigrad upgrade`: the newest course around the learner's own work.

The work is saved first, as {id: body} and as whole files, so that git never has to merge it: the
chapters are put back as shipped, git brings the new course, and the bodies go in again, by the new
course's own code. An upgrade that was cut off is finished by the next one.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from minigrad.course import carry, git
from minigrad.course.backup import Backup, Report
from minigrad.course.catalog import CatalogError, Course, exercise_key
from minigrad.course.files import replace
from minigrad.course.git import GitError
from minigrad.course.regions import RegionError
from minigrad.course.restore import AS_BEFORE, Saved, back, restore
from minigrad.course.workspace import Workspace

STATE = "upgrade.json"
AGAIN = "Then run minigrad upgrade again."
BUILD = ("pyproject.toml", "constraints.txt", "CMakeLists.txt", "csrc")


def run(workspace: Workspace, pull: bool = True) -> Report:
    """Bring the course up to date; `pull=False` only puts the learner's work into what is here."""
    try:
        return _run(workspace, pull)
    except (CatalogError, RegionError, GitError) as error:
        lines = [f"the upgrade stopped: {error}."]
        state = workspace.state_dir / STATE
        if state.is_file():
            lines.append(f"Your work is kept in {workspace.shown(state)}. {AGAIN}")
        return Report(lines, 1)


def _run(workspace: Workspace, pull: bool) -> Report:
    root = workspace.course.root
    state = workspace.state_dir / STATE
    first = Report()
    if state.is_file():
        first.lines.append("The last upgrade was cut off; finishing it first.")
        if Saved.read(state).merging and git.has(root, "MERGE_HEAD"):
            git.ask(root, "merge", "--abort")
        done = restore(Workspace(Course(root)), state)
        first.lines += done.lines
        if done.code:
            return Report(first.lines, done.code)
        workspace = Workspace(Course(root))
    report = _pull(workspace, state) if pull else _here(workspace)
    return Report(first.lines + report.lines, report.code, report.written)


def _here(workspace: Workspace) -> Report:
    """Nothing to fetch: the learner's work goes into the course as it is here."""
    works = carry.collect(workspace)
    backup = Backup(workspace)
    report = carry.put(workspace, works, carry.pool(workspace.course, works), backup)
    if not report.lines and not report.written:
        report.lines.append("Your files are up to date with this checkout.")
    report.lines += [f"written: {workspace.shown(_path(workspace, t))}" for t in report.written]
    return report


def _path(workspace: Workspace, target: str) -> Path:
    return workspace.chapters_dir / target


def _pull(workspace: Workspace, state: Path) -> Report:
    root = workspace.course.root
    why = _cannot_pull(workspace)
    if why:
        report = _here(workspace)
        report.lines.insert(0, why)
        return report
    try:
        git.run(root, "fetch", "--quiet")
    except GitError as error:
        return Report([f"git could not fetch the new course: {error}. Nothing was changed."], 1)
    busy = [n for n in ("MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD") if git.has(root, n)]
    if busy or git.names(root, "diff", "--name-only", "--diff-filter=U"):
        text = "a merge or rebase is under way in this checkout. Finish it, or abort it, first."
        return Report([f"{text} {AGAIN} Nothing was changed."], 1)
    if _reaches(root, "@{u}", "HEAD"):
        report = _here(workspace)
        report.lines.insert(
            0, f"Nothing new in {git.ask(root, 'rev-parse', '--abbrev-ref', '@{u}')}."
        )
        return report
    saved = _save(workspace, state)
    notebooks = Notebooks(root)
    try:
        _restore_shipped(workspace, notebooks)
        if saved.merging:
            _merge(workspace, notebooks)
        else:
            git.run(root, "merge", "--quiet", "--ff-only", "@{u}")
    except GitError as error:
        if saved.merging:
            git.ask(root, "merge", "--abort")
        back(workspace, saved)
        notebooks.back()
        return Report([f"{_refusal(error)} {AS_BEFORE}"], 1)
    report = _restore_by_new_code(root, state)
    report.lines += notebooks.notes
    if git.names(root, "diff", "--name-only", saved.old, "HEAD", "--", *BUILD):
        report.lines.append("The build has changed: run make setup.")
    return report


def _cannot_pull(workspace: Workspace) -> str | None:
    root = workspace.course.root
    if not git.has_commit(root):
        return f"{root} is no git checkout: nothing was fetched."
    if workspace.chapters_dir != root / "chapters":
        return "With a folder of chapters of its own, nothing is fetched."
    if git.ask(root, "rev-parse", "--abbrev-ref", "@{u}") is None:
        return "This branch follows no upstream branch: nothing was fetched."
    return None


def _reaches(root: Path, old: str, new: str) -> bool:
    return git.ask(root, "merge-base", "--is-ancestor", old, new) is not None


def _refusal(error: GitError) -> str:
    """What git said, and which files stand in the way if it named them."""
    files = [line.strip() for line in error.text.splitlines() if line.startswith("\t")]
    if files:
        return (
            f"these files of yours stand in the way of the new course: {', '.join(files)}. "
            f"Commit, move or restore them. {AGAIN}"
        )
    return f"git could not take the new course in: {error}. {AGAIN}"


def _save(workspace: Workspace, state: Path) -> Saved:
    root = workspace.course.root
    ids = sorted(workspace.course.exercises, key=exercise_key)
    old = git.run(root, "rev-parse", "HEAD").decode().strip()
    saved = Saved(state, old, ids, carry.collect(workspace))
    if not _reaches(root, "HEAD", "@{u}"):
        saved.merging = True
        with tempfile.TemporaryDirectory() as folder:
            git.export(root, Path(folder))
            saved.committed = carry.collect(Workspace(Course(Path(folder))))
    backup = Backup(workspace)
    for works in (saved.works, saved.committed):
        for work in works.values():
            if work.touched:
                backup.save(work.target, work.raw)
                saved.backup = backup.folder
    saved.write()
    return saved


class Notebooks:
    """Notebooks that give way to the course's: cells that a learner changed stay, under a name of
    their own.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notes: list[str] = []
        self._before: dict[Path, bytes] = {}
        self._kept: list[Path] = []

    def keep(self, name: str) -> None:
        path = self.root / name
        if path.suffix != ".ipynb" or not path.is_file():
            return
        from minigrad.course import notebooks  # jupytext takes a third of a second to load

        self._before.setdefault(path, path.read_bytes())
        kept = notebooks.keep_mine(path)
        if kept is not None:
            self._kept.append(kept)
            self.notes.append(f"{name}: the cells you changed are in {kept.name}.")

    def back(self) -> None:
        """As it was: the course did not change after all."""
        for kept in self._kept:
            kept.unlink()
        for path, raw in self._before.items():
            replace(path, raw)


def _made(course: Course) -> set[str]:
    """The files in chapters/ that cut writes."""
    made = {f"chapters/{target}" for target in carry.stubs(course)}
    return made | {f"chapters/{c.name}/{c.name}.ipynb" for c in course.chapters}


def _restore_shipped(workspace: Workspace, notebooks: Notebooks) -> None:
    """The made files of the chapters as they are committed: nothing of them stands in git's way."""
    root = workspace.course.root
    changed = git.names(root, "diff", "--name-only", "HEAD", "--", "chapters")
    made = sorted(_made(workspace.course) & set(changed))
    for name in made:
        notebooks.keep(name)
    if made:
        git.run(root, "checkout", "--quiet", "HEAD", "--", *made)


def _merge(workspace: Workspace, notebooks: Notebooks) -> None:
    """Begin the merge of a learner's commits with the new course; restore() commits it.

    In what cut makes the new course wins, for the learner's bodies are put in again afterwards.
    """
    root = workspace.course.root
    base = git.run(root, "merge-base", "HEAD", "@{u}").decode().strip()
    # Files that are new in the learner's commits are theirs alone.
    ours = git.names(root, "diff", "--no-renames", "--name-only", "--diff-filter=a", base, "HEAD")
    made = sorted(_made(workspace.course) & set(ours))
    for name in made:
        notebooks.keep(name)
    try:
        # A renamed copy of a chapter's file is the learner's own, and no place for our changes.
        # By its old name the strategy heeds no-renames in every version of git.
        strategy = ("--strategy=recursive", "--strategy-option=no-renames")
        options = ("--quiet", "--no-commit", "--no-ff", "--no-verify")
        git.run(root, "merge", *strategy, *options, "@{u}", env=git.identity(root))
    except GitError:
        clash = git.names(root, "diff", "--name-only", "--diff-filter=U")
        others = sorted(set(clash) - set(made))
        if not clash:
            raise
        if others:
            raise GitError(
                f"error: both you and the course changed {', '.join(others)}; merge them by hand "
                "with git pull"
            ) from None
    for name in made:
        if git.blob(root, name, "@{u}") is None:
            git.run(root, "rm", "--quiet", "--force", "--ignore-unmatch", "--", name)
        else:
            git.run(root, "checkout", "--quiet", "@{u}", "--", name)


def _restore_by_new_code(root: Path, state: Path) -> Report:
    """restore() in a child, as this process still runs the old course's code."""
    launch = root / "minigrad" / "course" / "launch.py"
    command = [sys.executable, str(launch), str(root), "-m", "minigrad.course.upgrade"]
    done = subprocess.run(
        [*command, "--restore", str(state)], cwd=root, capture_output=True, text=True, check=False
    )
    try:
        record = json.loads(done.stdout.splitlines()[-1])
        return Report(record["lines"], record["code"])
    except (IndexError, ValueError, KeyError):
        # The new course does not start here; the old one's code still knows what to do.
        return restore(Workspace(Course(root)), state)


def main(arguments: list[str]) -> None:
    """`--restore FILE`: the second half of an upgrade, run by the new course's own code."""
    if len(arguments) != 2 or arguments[0] != "--restore":
        sys.exit("usage: python -m minigrad.course.upgrade --restore FILE")
    course = Course(Path(__file__).resolve().parents[2])
    report = restore(Workspace(course), Path(arguments[1]))
    print(json.dumps({"schema": 1, "lines": report.lines, "code": report.code}))


if __name__ == "__main__":
    main(sys.argv[1:])
