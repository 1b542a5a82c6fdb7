"""minigrad upgrade in scratch clones with an upstream: the learner's bodies survive each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from minigrad.course import upgrade

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


def test_the_skeleton_changed(teacher: Checkout, learner: Checkout) -> None:
    new_skeleton(teacher)
    before = learner.read(TARGET)
    report = run(learner)
    assert report.code == 0, report.lines
    assert learner.read(TARGET) == before.replace("Twice x.", "Two times x.")
    assert report.lines[0] == "put back: 1.1."
    assert learner.git("rev-parse", "HEAD") == teacher.git("rev-parse", "HEAD")
    assert learner.backups() == {"01_small/small.py": before.encode()}
    assert finished(learner)


def test_an_id_is_gone_and_one_is_new(teacher: Checkout, learner: Checkout) -> None:
    hints = '"1.3" = ["a nudge", "the idea", "nearly all"]'
    manifest = teacher.read("chapters/01_small/chapter.toml").replace('"1.1" =', '# "1.1" =')
    (teacher.root / "chapters/01_small/chapter.toml").write_text(manifest + hints + "\n")
    teacher.publish(("ex 1.1>", "ex 1.3>"))
    report = run(learner)
    assert report.code == 0, report.lines
    assert "new exercises: 1.3." in report.lines
    assert any(
        line.startswith("1.1 is no longer an exercise; your body is") for line in report.lines
    )
    assert learner.backups()["1.1.py"].decode() == MINE
    assert "exercise 1.3" in learner.read(TARGET)


def test_a_file_moved(teacher: Checkout, learner: Checkout) -> None:
    teacher.git("mv", "minigrad/small.py", "minigrad/tiny.py")
    teacher.publish(("minigrad.small", "minigrad.tiny"), name="minigrad/large.py")
    report = run(learner)
    assert report.code == 0, report.lines
    assert MINE in learner.read("chapters/01_small/tiny.py")
    assert not (learner.root / TARGET).exists()
    assert any(f"{TARGET} is no longer in the course; yours is" in x for x in report.lines)


def test_helpers_stay_if_only_other_files_changed(teacher: Checkout, learner: Checkout) -> None:
    learner.rewrite(TARGET, ("def quadruple", "def helper():\n    pass\n\n\ndef quadruple"))
    (learner.root / LARGE).write_bytes(learner.read(LARGE).replace("\n", "\r\n").encode())
    before = (learner.root / TARGET).read_bytes(), (learner.root / LARGE).read_bytes()
    (teacher.root / "README.md").write_text("new\n")
    teacher.commit()
    teacher.git("push", "-q")
    report = run(learner)
    assert report.code == 0, report.lines
    assert ((learner.root / TARGET).read_bytes(), (learner.root / LARGE).read_bytes()) == before
    assert (learner.root / "README.md").exists()


def test_helpers_are_kept_aside_if_the_skeleton_changed(
    teacher: Checkout, learner: Checkout
) -> None:
    learner.rewrite(TARGET, ("def quadruple", "def helper():\n    pass\n\n\ndef quadruple"))
    before = learner.read(TARGET)
    new_skeleton(teacher)
    report = run(learner)
    assert report.code == 0
    assert MINE in learner.read(TARGET)
    assert any(
        "what you wrote outside the exercises is in your old file" in x for x in report.lines
    )
    assert learner.backups() == {"01_small/small.py": before.encode()}


@pytest.mark.parametrize("with_more_on_disk", [False, True])
def test_the_learner_commits_what_they_solve(
    teacher: Checkout, learner: Checkout, with_more_on_disk: bool
) -> None:
    learner.commit("solved 1.1")
    if with_more_on_disk:
        learner.rewrite(TARGET, (OPEN_TWO, MINE_TWO))
    teacher.publish(("Twice x.", "Two times x."), ("twice the number", "two times the number"))
    report = run(learner)
    assert report.code == 0, report.lines
    text = learner.read(TARGET)
    assert MINE in text
    assert "Two times x." in text
    assert (MINE_TWO in text) == with_more_on_disk
    committed = learner.git("show", f"HEAD:{TARGET}")
    assert MINE in committed
    assert MINE_TWO not in committed
    assert "Two times x." in committed
    assert learner.git("rev-parse", "HEAD^2") == teacher.git("rev-parse", "HEAD")
    dirty = learner.git("status", "--porcelain")
    assert dirty == (f"M {TARGET}" if with_more_on_disk else "")
    assert finished(learner)
    new = teacher.read("minigrad/small.py").replace("Two times x.", "2 x.")
    (teacher.root / "minigrad/small.py").write_text(new)
    teacher.cut()
    teacher.commit()
    teacher.git("push", "-q")
    assert run(learner).code == 0
    assert MINE in learner.read(TARGET)
    assert "2 x." in learner.read(TARGET)


def test_a_merge_is_committed_without_an_identity(
    teacher: Checkout, learner: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner.commit("solved 1.1")
    new_skeleton(teacher)
    for role in ("AUTHOR", "COMMITTER"):
        for part in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{part}")
    learner.git("config", "user.useConfigOnly", "true")
    report = run(learner)
    assert report.code == 0, report.lines
    assert learner.git("log", "-1", "--format=%an <%ae>") == "Ada <ada@example.org>"


def test_commits_that_clash_outside_the_chapters(teacher: Checkout, learner: Checkout) -> None:
    learner.rewrite("minigrad/large.py", ("Six times x.", "Mine."))
    learner.commit("solved, and changed the course")
    learner.rewrite(TARGET, (OPEN_TWO, MINE_TWO))
    before = learner.read(TARGET), learner.git("rev-parse", "HEAD"), learner.git("status", "-s")
    teacher.publish(("Six times x.", "Theirs."), name="minigrad/large.py")
    report = run(learner)
    assert report.code == 1
    assert "both you and the course changed minigrad/large.py" in report.lines[0]
    after = learner.read(TARGET), learner.git("rev-parse", "HEAD"), learner.git("status", "-s")
    assert after == before
    assert finished(learner)


def test_other_changed_files_that_are_not_in_the_way(teacher: Checkout, learner: Checkout) -> None:
    learner.rewrite("minigrad/large.py", ("Six times x.", "Mine."))
    (learner.root / "notes.txt").write_text("notes\n")
    learner.git("add", "notes.txt")
    new_skeleton(teacher)
    report = run(learner)
    assert report.code == 0, report.lines
    assert MINE in learner.read(TARGET)
    assert "Mine." in learner.read("minigrad/large.py")
    assert learner.read("notes.txt") == "notes\n"


@pytest.mark.parametrize("committed", [False, True])
def test_other_changed_files_in_the_way(
    teacher: Checkout, learner: Checkout, committed: bool
) -> None:
    if committed:
        learner.commit("solved 1.1")
    learner.rewrite(TARGET, (OPEN_TWO, MINE_TWO))
    learner.rewrite("minigrad/large.py", ("Six times x.", "Mine."))
    before = learner.read(TARGET), learner.git("status", "-s")
    teacher.publish(("Six times x.", "Theirs."), name="minigrad/large.py")
    report = run(learner)
    assert report.code == 1
    assert (
        "these files of yours stand in the way of the new course: minigrad/large.py"
        in (report.lines[0])
    )
    assert (learner.read(TARGET), learner.git("status", "-s")) == before
    assert finished(learner)
    learner.git("checkout", "minigrad/large.py")
    assert run(learner).code == 0
    assert MINE in learner.read(TARGET)
    assert MINE_TWO in learner.read(TARGET)


def test_no_network(learner: Checkout, teacher: Checkout) -> None:
    learner.git("remote", "set-url", "origin", "/nowhere/at/all.git")
    before = learner.read(TARGET)
    report = run(learner)
    assert report.code == 1
    (line,) = report.lines
    assert line.startswith("git could not fetch the new course: ")
    assert line.endswith("Nothing was changed.")
    assert learner.read(TARGET) == before
    assert learner.backups() == {}


def test_no_upstream_and_no_git(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    report = run(checkout)
    assert report.code == 0
    assert "no git checkout" in report.lines[0]
    checkout.commit()
    report = run(checkout)
    assert report.code == 0
    assert "no upstream branch" in report.lines[0]
    assert MINE in checkout.read(TARGET)


def test_nothing_new(teacher: Checkout, learner: Checkout) -> None:
    report = run(learner)
    assert report.code == 0
    assert report.lines == [
        "Nothing new in origin/main.",
        "Your files are up to date with this checkout.",
    ]


def test_without_pulling(teacher: Checkout, learner: Checkout) -> None:
    new_skeleton(teacher)
    learner.rewrite("minigrad/small.py", ("Twice x.", "Twice."))
    report = run(learner, pull=False)
    assert report.code == 0
    assert "Twice." in learner.read(TARGET)
    assert MINE in learner.read(TARGET)
    assert learner.git("rev-parse", "HEAD") != teacher.git("rev-parse", "HEAD")


def test_a_merge_of_the_learners_own_is_left_alone(teacher: Checkout, learner: Checkout) -> None:
    learner.commit("solved 1.1")
    new_skeleton(teacher)
    learner.git("fetch", "-q")
    learner.git("merge", "-q", "--no-commit", "-s", "ours", "origin/main")
    before = learner.git("status", "-s")
    report = run(learner)
    assert report.code == 1
    assert "a merge or rebase is under way" in report.lines[0]
    assert learner.git("status", "-s") == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.replace(b"    # </ex 1.2>\n", b""),
        lambda raw: raw.replace(b"def quadruple(x)", b"def quadruple(x"),
        lambda raw: raw.replace(b"# mine", b"# \xe9t\xe9"),
        lambda raw: b"\xef\xbb\xbf" + raw.rstrip(b"\n"),
    ],
    ids=["crlf", "marker", "syntax", "latin-1", "bom"],
)
def test_an_odd_file(
    teacher: Checkout, learner: Checkout, damage: Callable[[bytes], bytes]
) -> None:
    path = learner.root / TARGET
    odd = damage(path.read_bytes())
    path.write_bytes(odd)
    teacher.publish(("Six times x.", "Six x."), name="minigrad/large.py")
    assert run(learner).code == 0
    assert path.read_bytes() == odd
    assert "Six x." in learner.read(LARGE)
    new_skeleton(teacher)
    assert run(learner).code == 0
    assert b"    return x + x  # " in path.read_bytes()
    assert b"Two times x." in path.read_bytes()
    assert odd in learner.backups().values()


@pytest.mark.parametrize("renamed", [False, True])
def test_a_missing_file(teacher: Checkout, learner: Checkout, renamed: bool) -> None:
    own = learner.root / "chapters/01_small/my_small.py"
    (learner.root / TARGET).rename(own) if renamed else (learner.root / TARGET).unlink()
    new_skeleton(teacher)
    report = run(learner)
    assert report.code == 0, report.lines
    assert (MINE in learner.read(TARGET)) == renamed
    assert own.exists() == renamed
