"""solve and reset write in a learner's file, and keep what stood there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from minigrad.course import edit

if TYPE_CHECKING:
    from conftest import Checkout

    from minigrad.course.backup import Report

TARGET = "chapters/01_small/small.py"
OPEN = '    raise NotImplementedError("exercise 1.1")\n'
MINE = "    return x + x  # mine\n"
OURS = "    return 2 * x\n"


def solve(checkout: Checkout, name: str) -> Report:
    return edit.solve(checkout.workspace, checkout.course.exercise(name))


def reset(checkout: Checkout, name: str) -> Report:
    return edit.reset(checkout.workspace, checkout.course.exercise(name))


def body(checkout: Checkout, name: str) -> str | None:
    return checkout.workspace.body(checkout.course.exercise(name))


def test_solve_writes_our_body_and_nothing_else(checkout: Checkout) -> None:
    before = checkout.read(TARGET)
    report = solve(checkout, "1.1")
    assert checkout.read(TARGET) == before.replace(OPEN, OURS)
    assert report.written == ["01_small/small.py"]
    assert checkout.backups() == {}


def test_solve_keeps_the_learners_body(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE), ("def quadruple", "HELPER = 1\n\n\ndef quadruple"))
    before = checkout.read(TARGET)
    report = solve(checkout, "1.1")
    assert checkout.read(TARGET) == before.replace(MINE, OURS)
    assert checkout.backups() == {"01_small/small.py": before.encode()}
    line, last = report.lines
    assert last == f"{TARGET} holds our 1.1 now."
    place = line.split("the file as it was is ")[1].rstrip(".")
    assert checkout.read(place) == before


def test_solve_leaves_the_other_bodies(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    solve(checkout, "1.2")
    assert body(checkout, "1.1") == MINE
    assert body(checkout, "1.2") == "    once = double(x)\n    return double(once)\n"
    assert checkout.backups() == {}


def test_solving_twice_changes_nothing(checkout: Checkout) -> None:
    solve(checkout, "1.1")
    report = solve(checkout, "1.1")
    assert report.written == []
    assert report.lines == [f"{TARGET} holds 1.1 like this already."]


def test_solving_everything_gives_the_solution(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    before = checkout.read(TARGET)
    report = edit.solve(checkout.workspace, *checkout.course.exercises.values())
    assert report.lines[1:] == [
        f"{TARGET} holds our 1.1, 1.2 now.",
        "chapters/02_large/large.py holds our 2.1 now.",
    ]
    assert checkout.backups() == {"01_small/small.py": before.encode()}
    for name in ("01_small/small.py", "02_large/large.py"):
        assert checkout.read(f"chapters/{name}") == checkout.read(f"solutions/{name}")


def test_reset_undoes_solve(checkout: Checkout) -> None:
    before = checkout.read(TARGET)
    solve(checkout, "1.1")
    solved = checkout.read(TARGET)
    reset(checkout, "1.1")
    assert checkout.read(TARGET) == before
    assert checkout.backups() == {"01_small/small.py": solved.encode()}


def test_two_saves_in_one_second_are_two_backups(checkout: Checkout) -> None:
    for number in range(3):
        checkout.rewrite(TARGET, (OPEN, f"    return {number}\n"))
        reset(checkout, "1.1")
    folders = list((checkout.root / ".minigrad/backup").iterdir())
    saved = sorted((f / "01_small/small.py").read_text() for f in folders)
    assert [f"    return {n}\n" in text for n, text in enumerate(saved)] == [True] * 3


@pytest.mark.parametrize("command", [solve, reset])
def test_a_missing_file_is_restored_first(
    checkout: Checkout, command: Callable[[Checkout, str], Report]
) -> None:
    (checkout.root / TARGET).unlink()
    report = command(checkout, "1.1")
    assert report.lines[0] == f"{TARGET} was missing and is cut anew."
    assert len(report.lines) == 2
    assert body(checkout, "1.1") == (OURS if command is solve else OPEN)
    assert body(checkout, "1.2") == OPEN.replace("1.1", "1.2")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    # </ex 1.2>\n", ""),
        ("<ex 1.2>", "<ex 1.2"),
        ("# <ex 1.2>", "#<ex 1.2>"),
        ("    # </ex 1.2>\n", "    # </ex 1.1>\n"),
    ],
)
def test_a_damaged_file_is_cut_anew_around_what_can_be_read(
    checkout: Checkout, old: str, new: str
) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE), (old, new))
    before = checkout.read(TARGET)
    report = solve(checkout, "1.2")
    assert body(checkout, "1.1") == MINE
    assert body(checkout, "1.2") == "    once = double(x)\n    return double(once)\n"
    assert checkout.workspace.file("01_small/small.py").problem is None
    assert checkout.backups() == {"01_small/small.py": before.encode()}
    assert "markers were damaged" in report.lines[0]


def test_a_file_whose_markers_were_deleted_is_cut_anew(checkout: Checkout) -> None:
    lines = checkout.read(TARGET).splitlines(keepends=True)
    text = "".join(line for line in lines if "ex 1.1>" not in line).replace(OPEN, MINE)
    (checkout.root / TARGET).write_text(text)
    solve(checkout, "1.1")
    assert body(checkout, "1.1") == OURS
    assert checkout.backups() == {"01_small/small.py": text.encode()}


def test_other_line_ends_and_bytes_are_kept(checkout: Checkout) -> None:
    raw = checkout.read(TARGET).replace("Four times", "\udce9").replace("\n", "\r\n")
    data = raw.encode("utf-8", "surrogateescape")
    (checkout.root / TARGET).write_bytes(data)
    solve(checkout, "1.1")
    assert checkout.backups() == {"01_small/small.py": data}
    assert b'"""\xe9 x."""\n' in (checkout.root / TARGET).read_bytes()
    assert OURS.encode() in (checkout.root / TARGET).read_bytes()


def test_a_body_is_indented_as_the_learners_marker(checkout: Checkout) -> None:
    text = checkout.read(TARGET)
    head, tail = text.split("def quadruple(x):\n")
    narrow = "\n".join(line.replace("    ", "  ", 1) for line in tail.split("\n"))
    (checkout.root / TARGET).write_text(head + "def quadruple(x):\n" + narrow)
    solve(checkout, "1.2")
    assert "  once = double(x)\n  return double(once)\n  # </ex 1.2>" in checkout.read(TARGET)


def test_reset_of_a_chapter(checkout: Checkout) -> None:
    shipped = checkout.read(TARGET)
    checkout.rewrite(TARGET, (OPEN, MINE), ("# </ex 1.2>", "# <ex"))
    before = checkout.read(TARGET)
    other = checkout.read("chapters/02_large/large.py")
    report = edit.reset_chapter(checkout.workspace, checkout.course.chapter(1))
    assert checkout.read(TARGET) == shipped
    assert checkout.read("chapters/02_large/large.py") == other
    assert checkout.backups() == {"01_small/small.py": before.encode()}
    assert report.lines[0].startswith(f"{TARGET} is as shipped; yours is .minigrad/backup/")


def test_the_region_as_it_can_be_pasted(checkout: Checkout) -> None:
    text = edit.shown_region(checkout.course.exercise("1.1"))
    assert text == f"    # <ex 1.1> twice the number (1 line)\n{OPEN}    # </ex 1.1>\n"
    assert text in checkout.read(TARGET)


def test_a_link_of_the_learners_stays_a_link(checkout: Checkout) -> None:
    path = checkout.root / TARGET
    elsewhere = checkout.root.parent / "mine.py"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    solve(checkout, "1.1")
    assert path.is_symlink()
    assert OURS in elsewhere.read_text()
