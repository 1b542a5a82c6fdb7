"""What is open and what cannot be used, decided from the text of the learner's files alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from minigrad.course.workspace import Workspace

if TYPE_CHECKING:
    from conftest import Checkout

TARGET = "chapters/01_small/small.py"
OPEN = '    raise NotImplementedError("exercise 1.1")\n'
MINE = "    return x + x  # mine\n"


def ask(checkout: Checkout, name: str = "1.1") -> tuple[bool, str | None]:
    """(open, problem) of an exercise."""
    exercise = checkout.course.exercise(name)
    return checkout.workspace.is_open(exercise), checkout.workspace.problem(exercise)


def test_untouched_is_open(checkout: Checkout) -> None:
    for name in checkout.course.exercises:
        assert ask(checkout, name) == (True, None)


@pytest.mark.parametrize(
    ("body", "is_open"),
    [
        (MINE, False),
        ("", False),
        ("    pass\n", False),
        (OPEN.rstrip("\n") + "   \n\n", True),
        ("\n\n" + OPEN, True),
        (OPEN + "    return 1\n", False),
        (OPEN.replace("1.1", "1.2"), False),
        ("    # a thought\n" + OPEN, False),
    ],
)
def test_open_is_the_start_body(checkout: Checkout, body: str, is_open: bool) -> None:
    checkout.rewrite(TARGET, (OPEN, body))
    assert ask(checkout) == (is_open, None)
    assert ask(checkout, "1.2") == (True, None)


def test_a_start_body_of_its_own_is_open(make_checkout: Callable[..., Checkout]) -> None:
    checkout = make_checkout(files={"tests/course/start/1.1.py": "return 3\n"})
    assert ask(checkout) == (True, None)
    checkout.rewrite(TARGET, ("return 3", "return 4"))
    assert ask(checkout) == (False, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: raw.replace(b"\n", b"\r"),
        lambda raw: raw.replace(b"    ", b"\t"),
        lambda raw: b"\xef\xbb\xbf" + raw,
        lambda raw: raw.rstrip(b"\n"),
    ],
    ids=["crlf", "cr", "tabs", "bom", "no final newline"],
)
def test_what_an_editor_did_is_no_problem(
    checkout: Checkout, change: Callable[[bytes], bytes]
) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    path = checkout.root / TARGET
    before = checkout.workspace.file("01_small/small.py")
    path.write_bytes(change(path.read_bytes()))
    after = checkout.workspace.file("01_small/small.py")
    assert after == before
    assert ask(checkout) == (False, None)


PROBLEMS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "syntax": (
        lambda raw: raw.replace(b"def quadruple(x)", b"def quadruple(x"),
        f"{TARGET}:12: SyntaxError: '(' was never closed. def quadruple(x:",
    ),
    "indentation": (
        lambda raw: raw.replace(b"    return x + x", b"   return x + x"),
        f"{TARGET}:8: IndentationError: ",
    ),
    "not UTF-8": (
        lambda raw: raw.replace(b"# mine", b"# \xe9"),
        f"{TARGET} is not UTF-8 text (byte 157). Save it as UTF-8.",
    ),
    "NUL": (lambda raw: raw.replace(b"# mine", b"# \0"), f"{TARGET}:8: a NUL byte stands here"),
    "closing gone": (
        lambda raw: raw.replace(b"    # </ex 1.1>\n", b""),
        f"{TARGET}:13: exercise 1.1 (line 7) is not closed before this one opens.",
    ),
    "opening gone": (
        lambda raw: raw.replace(b"    # <ex 1.1> twice the number (1 line)\n", b""),
        f"{TARGET}:8: </ex 1.1> closes nothing.",
    ),
    "damaged": (
        lambda raw: raw.replace(b"# </ex 1.1>", b"# </ex 1.1"),
        f"{TARGET}:9: a damaged exercise marker: '# </ex 1.1'. It should read # <ex 3.2>",
    ),
    "both gone": (
        lambda raw: b"".join(x for x in raw.splitlines(True) if b"ex 1.1>" not in x),
        f"{TARGET} has no markers for exercise 1.1: the two comment lines <ex 1.1> and </ex 1.1> "
        "were deleted. Put them back around your code (minigrad reset 1.1 --print shows them).",
    ),
    "emptied": (lambda raw: b"", f"{TARGET} has no markers for exercise 1.1, 1.2: "),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_is_one_sentence_and_the_other_chapters_go_on(
    checkout: Checkout, name: str
) -> None:
    change, says = PROBLEMS[name]
    checkout.rewrite(TARGET, (OPEN, MINE))
    path = checkout.root / TARGET
    raw = change(path.read_bytes())
    path.write_bytes(raw)
    problem = ask(checkout)[1]
    assert problem is not None
    assert problem.startswith(says)
    assert "\n" not in problem
    assert ask(checkout, "2.1") == (True, None)
    assert path.read_bytes() == raw


def test_what_can_be_read_of_a_damaged_file(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE), ("# </ex 1.2>", "# </ex"))
    file = checkout.workspace.file("01_small/small.py")
    assert file.bodies == {"1.1": MINE}
    assert file.lines == {"1.1": 7}
    assert ask(checkout, "1.2")[0] is False


def test_missing_renamed_and_unreadable(checkout: Checkout) -> None:
    path = checkout.root / TARGET
    path.rename(path.with_name("mine.py"))
    assert ask(checkout)[1] == (
        f"{TARGET} is missing, but its exercises stand in mine.py. Rename that file to small.py."
    )
    path.with_name("mine.py").unlink()
    assert ask(checkout)[1] == f"{TARGET} is missing. Restore it with: minigrad reset 1"
    path.mkdir()
    assert ask(checkout)[1] == f"{TARGET} cannot be read: Is a directory."
    assert ask(checkout, "2.1") == (True, None)


def test_a_location_is_the_markers_line(checkout: Checkout) -> None:
    exercise = checkout.course.exercise("1.2")
    assert checkout.workspace.location(exercise) == (TARGET, 14)


def test_files_are_read_once_until_refreshed(checkout: Checkout) -> None:
    workspace, exercise = checkout.workspace, checkout.course.exercise("1.1")
    assert workspace.is_open(exercise)
    checkout.rewrite(TARGET, (OPEN, MINE))
    assert workspace.is_open(exercise)
    workspace.refresh()
    assert not workspace.is_open(exercise)


def test_the_fingerprint_is_of_body_skeleton_and_tests(
    make_checkout: Callable[..., Checkout],
) -> None:
    tests = "tests/01_small/test_small.py"
    checkout = make_checkout(files={tests: "one\n", "tests/02_large/test_large.py": "two\n"})

    def prints() -> tuple[str, str]:
        workspace = checkout.workspace
        one, two = (workspace.course.exercise(name) for name in ("1.1", "1.2"))
        return workspace.fingerprint(one), workspace.fingerprint(two)

    start = prints()
    checkout.rewrite("chapters/02_large/large.py", ("Six", "Mine: six"))
    checkout.rewrite("tests/02_large/test_large.py", ("two", "three"))
    assert prints() == start
    checkout.rewrite(TARGET, (OPEN, MINE))
    body = prints()
    assert body[0] != start[0]
    assert body[1] == start[1]
    checkout.rewrite(TARGET, ("def quadruple", "HELPER = 1\n\n\ndef quadruple"))
    skeleton = prints()
    assert all(new != old for new, old in zip(skeleton, body, strict=True))
    checkout.rewrite(tests, ("one", "other"))
    assert all(new != old for new, old in zip(prints(), skeleton, strict=True))


def test_a_teachers_folder_keeps_its_state_inside(checkout: Checkout, tmp_path: Path) -> None:
    folder = tmp_path / "student"
    workspace = Workspace(checkout.course, folder)
    exercise = checkout.course.exercise("1.1")
    assert workspace.state_dir == folder / ".minigrad"
    assert workspace.trees_dir.is_relative_to(folder)
    assert workspace.problem(exercise) == (
        f"{folder}/01_small/small.py is missing. Restore it with: minigrad reset 1"
    )
    assert not folder.exists()
    assert checkout.workspace.state_dir == checkout.root / ".minigrad"
