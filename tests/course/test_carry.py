"""Nothing of what a learner wrote is lost when their files are cut again."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Checkout

TARGET = "chapters/01_small/small.py"
DOUBLE = "    return x + x  # mine\n"
OPEN = '    raise NotImplementedError("exercise 1.1")\n'


def test_nothing_to_do_touches_nothing(checkout: Checkout) -> None:
    path = checkout.root / TARGET
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    os.utime(path, (1, 1))
    report = checkout.cut()
    assert (report.written, report.lines) == ([], [])
    assert path.stat().st_mtime == 1
    assert checkout.backups() == {}


def test_a_body_is_carried_into_a_new_skeleton(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    report = checkout.cut()
    text = checkout.read(TARGET)
    assert DOUBLE in text
    assert "Two times x." in text
    assert 'NotImplementedError("exercise 1.2")' in text
    assert report.lines == []
    assert TARGET in report.written


def test_helpers_stay_while_the_skeleton_is_the_same(checkout: Checkout) -> None:
    path = checkout.root / TARGET
    checkout.rewrite(
        TARGET, (OPEN, DOUBLE), ("def quadruple", "def helper():\n    pass\n\n\ndef quadruple")
    )
    checkout.rewrite("minigrad/small.py", ("return 2 * x", "return x * 2"))
    mine = path.read_bytes()
    checkout.cut()
    assert path.read_bytes() == mine
    assert "x * 2" in checkout.read("solutions/01_small/small.py")


def test_helpers_are_kept_aside_when_the_skeleton_changed(checkout: Checkout) -> None:
    path = checkout.root / TARGET
    checkout.rewrite(
        TARGET, (OPEN, DOUBLE), ("def quadruple", "def helper():\n    pass\n\n\ndef quadruple")
    )
    mine = path.read_bytes()
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    report = checkout.cut()
    (line,) = report.lines
    assert line.startswith(f"{TARGET} is cut anew with your bodies; what you wrote outside")
    place = line.split("old file, ")[1].rstrip(".")
    assert (checkout.root / place).read_bytes() == mine
    text = path.read_text()
    assert DOUBLE in text
    assert "helper" not in text
    assert checkout.cut().lines == []


def test_a_new_start_body_replaces_the_old_one_alone(
    make_checkout: Callable[..., Checkout],
) -> None:
    checkout = make_checkout(files={"tests/course/start/1.1.py": "return 3\n"})
    checkout.commit()
    path = checkout.root / TARGET
    checkout.rewrite(TARGET, ("def quadruple", "HELPER = 1\n\n\ndef quadruple"))
    (checkout.root / "tests/course/start/1.1.py").write_text("return 4\n")
    checkout.cut()
    text = path.read_text()
    assert "    return 4\n" in text
    assert "return 3" not in text
    assert "HELPER = 1" in text


def test_a_solved_body_that_was_committed_is_no_start_body(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    checkout.commit()
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    checkout.cut()
    assert DOUBLE in checkout.read(TARGET)


def test_a_body_moves_with_its_indentation(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, "    if x:\n\n        return x + x\n    return 0\n"))
    checkout.rewrite(
        "minigrad/small.py",
        ("    # <ex 1.1>", "    if True:\n        # <ex 1.1>"),
        ("    return 2 * x\n    # </ex 1.1>", "        return 2 * x\n        # </ex 1.1>"),
    )
    checkout.cut()
    text = checkout.read(TARGET)
    assert "        if x:\n\n            return x + x\n        return 0\n        # </ex" in text


def test_a_body_follows_its_id_into_another_file(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    source = checkout.root / "minigrad/small.py"
    text = source.read_text()
    head, tail = text.split("def quadruple")
    (checkout.root / "minigrad/double.py").write_text(head)
    source.write_text('"""."""\n\nfrom minigrad.double import double\n\n\ndef quadruple' + tail)
    checkout.cut()
    assert DOUBLE in checkout.read("chapters/01_small/double.py")
    assert "1.1" not in checkout.read(TARGET)


def test_a_body_whose_id_is_gone_is_kept_aside(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    checkout.rewrite(
        "minigrad/small.py",
        ("    # <ex 1.1> twice the number (1 line)\n", ""),
        ("    # </ex 1.1>\n", ""),
    )
    checkout.rewrite("chapters/01_small/chapter.toml", ('"1.1" =', '# "1.1" ='))
    report = checkout.cut()
    assert any(line.startswith("1.1 is no longer an exercise") for line in report.lines)
    assert checkout.backups()["1.1.py"].decode() == DOUBLE


def test_a_changed_task_is_said(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    checkout.rewrite("minigrad/small.py", ("twice the number", "thrice the number"))
    report = checkout.cut()
    assert report.lines == ["1.1 has a new task: thrice the number. Your body is in place."]


def test_made_files_without_a_source_go(checkout: Checkout) -> None:
    edited = checkout.root / "chapters/02_large/large.py"
    edited.write_text(edited.read_text().replace("exercise 2.1", "mine"))
    mine = edited.read_bytes()
    (checkout.root / "minigrad/large.py").unlink()
    (checkout.root / "chapters/02_large/chapter.toml").unlink()
    own = checkout.root / "chapters/01_small/notes.py"
    own.write_text("mine = 1\n")
    old_copy = checkout.root / "chapters/01_small/small_old.py"
    old_copy.write_bytes((checkout.root / TARGET).read_bytes())
    report = checkout.cut()
    assert not edited.exists()
    assert not (checkout.root / "solutions/02_large").exists()
    assert checkout.backups()["02_large/large.py"] == mine
    assert any("02_large/large.py is no longer in the course; yours is" in x for x in report.lines)
    assert own.exists()
    assert old_copy.exists()


def test_an_unedited_made_file_without_a_source_goes_without_ado(checkout: Checkout) -> None:
    (checkout.root / "minigrad/large.py").unlink()
    (checkout.root / "chapters/02_large/chapter.toml").unlink()
    checkout.cut()
    assert not (checkout.root / "chapters/02_large").exists()
    assert checkout.backups() == {}


def test_an_open_exercise_is_not_filled_from_an_old_copy(checkout: Checkout) -> None:
    copy = checkout.root / "chapters/01_small/small_old.py"
    copy.write_text(checkout.read(TARGET).replace(OPEN, DOUBLE))
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    checkout.cut()
    assert OPEN in checkout.read(TARGET)


def test_a_renamed_file_lends_its_bodies(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    (checkout.root / TARGET).rename(checkout.root / "chapters/01_small/my_small.py")
    report = checkout.cut()
    assert DOUBLE in checkout.read(TARGET)
    assert (checkout.root / "chapters/01_small/my_small.py").exists()
    assert report.lines == [f"{TARGET} was not there; it is, with your 1.1 from elsewhere."]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "crlf": lambda raw: raw.replace(b"\n", b"\r\n"),
    "tabs": lambda raw: raw.replace(b"    ", b"\t"),
    "bom": lambda raw: b"\xef\xbb\xbf" + raw,
    "no final newline": lambda raw: raw.rstrip(b"\n"),
    "syntax error": lambda raw: raw.replace(b"def quadruple(x)", b"def quadruple(x"),
    "latin-1": lambda raw: raw.replace(b"# mine", b"# \xe9t\xe9"),
    "nul": lambda raw: raw.replace(b"# mine", b"# \0"),
    "marker deleted": lambda raw: raw.replace(b"    # </ex 1.2>\n", b""),
    "marker damaged": lambda raw: raw.replace(b"<ex 1.2>", b"<ex 1.2"),
    "both markers deleted": lambda raw: b"".join(
        line for line in raw.splitlines(True) if b"ex 1.2>" not in line
    ),
    "git conflict": lambda raw: raw.replace(
        b"    # <ex 1.2>", b"<<<<<<< HEAD\n    # <ex 1.2> x (1 line)\n=======\n    # <ex 1.2>"
    ),
    "emptied": lambda raw: b"",
}
LOSES_A_MARKER = {k for k in DAMAGES if "marker" in k} | {"git conflict"}


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_odd_file_is_left_alone_while_its_skeleton_is_current(
    checkout: Checkout, damage: str
) -> None:
    path = checkout.root / TARGET
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    odd = DAMAGES[damage](path.read_bytes())
    path.write_bytes(odd)
    checkout.rewrite("minigrad/large.py", ("Six times x.", "Six x."))
    report = checkout.cut()
    assert path.read_bytes() == odd
    assert "chapters/02_large/large.py" in report.written


@pytest.mark.parametrize("damage", DAMAGES)
def test_an_odd_file_loses_nothing_when_its_skeleton_changed(
    checkout: Checkout, damage: str
) -> None:
    path = checkout.root / TARGET
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    odd = DAMAGES[damage](path.read_bytes())
    path.write_bytes(odd)
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    report = checkout.cut()
    assert checkout.backups()["01_small/small.py"] == odd
    text = path.read_bytes()
    assert b"Two times x." in text
    if damage != "emptied":
        assert b"    return x + x  # " in text
    if damage in LOSES_A_MARKER:
        assert any(".minigrad/backup/" in line for line in report.lines)


def test_a_body_that_cannot_be_told_apart_is_in_the_backup(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, DOUBLE), ("    # </ex 1.1>\n", ""))
    odd = checkout.read(TARGET)
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    (line,) = checkout.cut().lines
    assert line.startswith(f"{TARGET} had a damaged exercise marker and is cut anew; look for 1.1")
    assert checkout.backups() == {"01_small/small.py": odd.encode()}


def test_a_file_that_cannot_be_written_is_named_and_the_others_go_on(checkout: Checkout) -> None:
    (checkout.root / TARGET).unlink()
    (checkout.root / TARGET / "keep").mkdir(parents=True)
    checkout.rewrite("minigrad/large.py", ("Six times x.", "Six x."))
    report = checkout.cut()
    assert report.code == 1
    assert any(line.startswith(f"{TARGET} cannot be written") for line in report.lines)
    assert "Six x." in checkout.read("chapters/02_large/large.py")
