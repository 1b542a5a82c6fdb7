"""What else a learner has in chapters/: notebooks, and files of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from minigrad.course import upgrade

if TYPE_CHECKING:
    from conftest import Checkout

NOTEBOOK = "chapters/01_small/01_small.ipynb"
KEPT = "chapters/01_small/01_small.mine.ipynb"
TEXT = "# Small\n\n```{code-cell}\n%load_ext minigrad.course\n```\n\n```{code-cell}\n1 + 1\n```\n"


@pytest.fixture
def with_text(teacher: Checkout, learner: Checkout) -> Checkout:
    """The learner's clone, with a notebook in it."""
    (teacher.root / "chapters/01_small/01_small.md").write_text(TEXT)
    teacher.publish(("Twice x.", "Two times x."))
    report = upgrade.run(learner.workspace)
    assert report.code == 0, report.lines
    return learner


def change(checkout: Checkout, source: str | None = None, outputs: bool = False) -> bytes:
    path = checkout.root / NOTEBOOK
    notebook: dict[str, Any] = json.loads(path.read_bytes())
    if source is not None:
        notebook["cells"][-1]["source"] = source
    if outputs:
        notebook["cells"][-1]["execution_count"] = 1
        text = {"name": "stdout", "output_type": "stream", "text": "2\n"}
        notebook["cells"][-1]["outputs"] = [text]
    path.write_text(json.dumps(notebook))
    return path.read_bytes()


def next_text(teacher: Checkout) -> None:
    text = teacher.read("chapters/01_small/01_small.md").replace("# Small", "# Smaller")
    (teacher.root / "chapters/01_small/01_small.md").write_text(text)
    teacher.publish(("Two times x.", "2 x."))


def test_cut_makes_the_notebook_and_keeps_changed_cells(with_text: Checkout) -> None:
    assert "%load_ext" in with_text.read(NOTEBOOK)
    mine = change(with_text, "2 + 2")
    report = with_text.cut()
    assert report.lines == [
        f"{NOTEBOOK} is cut anew; the cells you changed are in 01_small.mine.ipynb."
    ]
    assert (with_text.root / KEPT).read_bytes() == mine
    assert "2 + 2" not in with_text.read(NOTEBOOK)


@pytest.mark.parametrize("committed", [False, True])
def test_changed_cells_are_kept_by_an_upgrade(
    teacher: Checkout, with_text: Checkout, committed: bool
) -> None:
    mine = change(with_text, "2 + 2")
    if committed:
        with_text.commit("my cells")
    next_text(teacher)
    report = upgrade.run(with_text.workspace)
    assert report.code == 0, report.lines
    assert (with_text.root / KEPT).read_bytes() == mine
    assert with_text.read(NOTEBOOK) == teacher.read(NOTEBOOK)
    assert f"{NOTEBOOK}: the cells you changed are in 01_small.mine.ipynb." in report.lines


def test_outputs_alone_are_not_kept(teacher: Checkout, with_text: Checkout) -> None:
    change(with_text, outputs=True)
    next_text(teacher)
    assert upgrade.run(with_text.workspace).code == 0
    assert not (with_text.root / KEPT).exists()
    assert with_text.read(NOTEBOOK) == teacher.read(NOTEBOOK)


@pytest.mark.parametrize("committed", [False, True])
def test_an_upgrade_that_fails_leaves_the_notebook(
    teacher: Checkout, with_text: Checkout, committed: bool
) -> None:
    change(with_text, "2 + 2")
    if committed:
        with_text.commit("my cells")
    mine = change(with_text, outputs=True)
    with_text.rewrite("minigrad/large.py", ("Six times x.", "Mine."))
    teacher.publish(("Six times x.", "Theirs."), name="minigrad/large.py")
    assert upgrade.run(with_text.workspace).code == 1
    assert (with_text.root / NOTEBOOK).read_bytes() == mine
    assert not list(with_text.root.glob("chapters/*/*.mine.ipynb"))


def test_own_files_stay(teacher: Checkout, learner: Checkout) -> None:
    own = learner.root / "chapters/01_small/notes.py"
    old = learner.root / "chapters/01_small/small_old.py"
    own.write_text("committed = 1\n")
    old.write_text(learner.read("chapters/01_small/small.py"))
    learner.commit("notes")
    own.write_text("changed = 1\n")
    (learner.root / "chapters/01_small/new.py").write_text("new = 1\n")
    teacher.publish(("Twice x.", "Two times x."))
    report = upgrade.run(learner.workspace)
    assert report.code == 0, report.lines
    assert own.read_text() == "changed = 1\n"
    assert "return x + x  # mine" in old.read_text()
    assert learner.read("chapters/01_small/new.py") == "new = 1\n"


def test_a_renamed_file_that_was_committed(teacher: Checkout, learner: Checkout) -> None:
    learner.git("mv", "chapters/01_small/small.py", "chapters/01_small/mine.py")
    learner.commit("renamed")
    teacher.publish(("Twice x.", "Two times x."))
    report = upgrade.run(learner.workspace)
    assert report.code == 0, report.lines
    text = learner.read("chapters/01_small/small.py")
    assert "return x + x  # mine" in text
    assert "Two times x." in text
    assert "Twice x." in learner.read("chapters/01_small/mine.py")


@pytest.mark.parametrize("committed", [False, True])
def test_an_own_file_where_a_new_one_of_ours_goes(
    teacher: Checkout, learner: Checkout, committed: bool
) -> None:
    own = learner.root / "chapters/02_large/more.py"
    own.write_text("mine = 1\n")
    if committed:
        learner.commit("more")
    more = teacher.read("minigrad/large.py").replace("2.1", "2.2").replace("six", "ten")
    (teacher.root / "minigrad/more.py").write_text(more)
    teacher.publish(("Twice x.", "Two times x."))
    report = upgrade.run(learner.workspace)
    assert report.code == 1
    assert "chapters/02_large/more.py" in report.lines[0]
    assert own.read_text() == "mine = 1\n"
    assert "return x + x  # mine" in learner.read("chapters/01_small/small.py")
    own.rename(Path(f"{own}.txt"))
    if committed:
        learner.commit("out of the way")
    assert upgrade.run(learner.workspace).code == 0
    assert "exercise 2.2" in own.read_text()
