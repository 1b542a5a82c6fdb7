"""An upgrade that was cut off, or met a course that does not start, loses nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from minigrad.course import git, restore, upgrade

if TYPE_CHECKING:
    from conftest import Checkout

    from minigrad.course.backup import Report

TARGET = "chapters/01_small/small.py"
LARGE = "chapters/02_large/large.py"
OPEN = '    raise NotImplementedError("exercise 1.1")\n'
OPEN_TWO = '    raise NotImplementedError("exercise 1.2")\n'
MINE = "    return x + x  # mine\n"
MINE_TWO = "    return 4 * x  # mine\n"


def new_skeleton(teacher: Checkout) -> None:
    teacher.publish(("Twice x.", "Two times x."))


def run(checkout: Checkout, pull: bool = True) -> Report:
    return upgrade.run(checkout.workspace, pull)


def finished(checkout: Checkout) -> bool:
    return not (checkout.root / ".minigrad/upgrade.json").exists()


@pytest.mark.parametrize(
    ("where", "committed", "edited"),
    [
        ("_restore_shipped", False, False),
        ("_restore_shipped", True, False),
        ("git.run merge", False, True),
        ("git.run merge", True, True),
        ("git.run merge that clashes", True, False),
        ("_restore_by_new_code", False, True),
        ("_restore_by_new_code", True, False),
        ("_commit", True, False),
        ("carry.put", False, False),
        ("carry.put", True, False),
        ("second carry.put", True, True),
    ],
)
def test_an_upgrade_that_was_cut_off_is_finished_by_the_next(
    teacher: Checkout,
    learner: Checkout,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    edited: bool,
    committed: bool,
) -> None:
    learner.rewrite(
        LARGE, ('    raise NotImplementedError("exercise 2.1")\n', "    return 6 * x\n")
    )
    if committed:
        learner.commit("solved 1.1")
    learner.rewrite(TARGET, (MINE, MINE.replace("mine", "better")))
    new_skeleton(teacher)
    if "clashes" in where:
        teacher.publish(("twice the number", "two times the number"))
    with monkeypatch.context() as patch:
        cut_off(patch, where)
        with pytest.raises(KeyboardInterrupt):
            run(learner)
    assert not finished(learner)
    assert b"better" in learner.backups()["01_small/small.py"]
    if edited:
        learner.rewrite(TARGET, (OPEN_TWO, MINE_TWO))
    report = run(learner)
    assert report.code == 0, report.lines
    assert finished(learner)
    assert "Two times x." in learner.read(TARGET)
    assert MINE.replace("mine", "better") in learner.read(TARGET)
    assert (MINE_TWO in learner.read(TARGET)) == edited
    assert "    return 6 * x\n" in learner.read(LARGE)
    assert report.lines[0] == "The last upgrade was cut off; finishing it first."
    assert any(" was changed since then; " in line for line in report.lines) == edited


def cut_off(patch: pytest.MonkeyPatch, where: str) -> None:
    """Kill the upgrade at one step; its second half runs in this process to that end."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    def merge_and_stop(root: Path, *arguments: str, **more: object) -> bytes:
        try:
            return really(root, *arguments, **more)  # type: ignore[arg-type]
        finally:
            if "merge" in arguments:
                raise KeyboardInterrupt

    def put_once(*arguments: object) -> Report:
        patch.setattr(restore.carry, "put", stop)
        return put(*arguments)  # type: ignore[arg-type]

    really, put = git.run, restore.carry.put
    if where.startswith("git.run merge"):
        patch.setattr(git, "run", merge_and_stop)
    elif where.startswith("_restore"):
        patch.setattr(upgrade, where, stop)
    else:
        patch.setattr(upgrade, "_restore_by_new_code", in_this_process)
        if where == "_commit":
            patch.setattr(restore, "_commit", stop)
        else:
            patch.setattr(restore.carry, "put", put_once if where.startswith("second") else stop)


def in_this_process(root: Path, state: Path) -> Report:
    return restore.restore(upgrade.Workspace(upgrade.Course(root)), state)


def test_the_new_courses_own_code_puts_the_work_back(teacher: Checkout, learner: Checkout) -> None:
    teacher.publish(
        ('head = [f"put back: ', 'head = [f"by the new code: '),
        name="minigrad/course/restore.py",
    )
    report = run(learner)
    assert report.lines[0] == "by the new code: 1.1."


def test_new_code_that_does_not_start_loses_nothing(teacher: Checkout, learner: Checkout) -> None:
    (teacher.root / "minigrad/course/launch.py").write_text("broken(\n")
    new_skeleton(teacher)
    report = run(learner)
    assert report.code == 0, report.lines
    assert MINE in learner.read(TARGET)
    assert "Two times x." in learner.read(TARGET)


def test_a_course_that_cannot_be_read_keeps_the_work_saved(
    teacher: Checkout, learner: Checkout
) -> None:
    teacher.rewrite("minigrad/small.py", ("    # </ex 1.1>\n", ""))
    teacher.commit()
    teacher.git("push", "-q")
    report = run(learner)
    assert report.code == 1
    assert "Your work is kept in .minigrad/upgrade.json." in report.lines[1]
    record = json.loads(learner.read(".minigrad/upgrade.json"))
    assert record["works"][0]["bodies"]["1.1"][0] == MINE
    teacher.rewrite(
        "minigrad/small.py", ("    return 2 * x\n", "    return 2 * x\n    # </ex 1.1>\n")
    )
    teacher.commit()
    teacher.git("push", "-q")
    learner.git("pull", "-q")
    assert run(learner).code == 0
    assert MINE in learner.read(TARGET)


def test_a_changed_build_is_said(teacher: Checkout, learner: Checkout) -> None:
    teacher.publish(('version = "0"', 'version = "1"'), name="pyproject.toml")
    assert "The build has changed: run make setup." in run(learner).lines
