"""Trees hold the learner's files, line for line, and a child started in one runs nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from minigrad.course import launch, trees

if TYPE_CHECKING:
    from conftest import Checkout

    from minigrad.course.trees import Tree

TARGET = "chapters/01_small/small.py"
OPEN = '    raise NotImplementedError("exercise 1.1")\n'
MINE = "    return x + x  # mine\n"
LAUNCH = Path(launch.__file__)


@pytest.fixture
def checkout(make_checkout: Callable[..., Checkout]) -> Checkout:
    return make_checkout(machinery=True)


def learners(checkout: Checkout, *chapters: int, fill_open: bool = False) -> Tree:
    workspace = checkout.workspace
    wanted = [workspace.course.chapter(n) for n in chapters]
    return trees.learners(workspace, wanted, "test", fill_open=fill_open)


def test_the_learners_files_stand_where_ours_would(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE), ("def quadruple", "HELPER = 1\n\n\ndef quadruple"))
    tree = learners(checkout, 1)
    assert (tree.path / "minigrad/small.py").read_text() == checkout.read(TARGET)
    ours = checkout.read("minigrad/large.py")
    assert (tree.path / "minigrad/large.py").read_text() == ours
    assert tree.mine == ("1.1",)
    assert tree.path == checkout.root / "build/trees/test"


def test_open_exercises_are_filled_only_when_asked(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    assert "exercise 1.2" in (learners(checkout, 1).path / "minigrad/small.py").read_text()
    tree = learners(checkout, 1, 2, fill_open=True)
    text = (tree.path / "minigrad/small.py").read_text()
    assert MINE in text
    assert "once = double(x)" in text
    assert tree.mine == ("1.1",)


def test_a_line_of_the_tree_is_a_line_of_the_learners_file(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, ("def quadruple", "HELPER = 1\n\n\ndef quadruple"))
    filled = learners(checkout, 1, fill_open=True)
    path = filled.path / "minigrad/small.py"
    theirs = checkout.read(TARGET).splitlines()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        found = trees.learner_line(filled.path, str(path), number)
        assert found is not None
        name, at = found
        assert name == TARGET
        if line in {"    once = double(x)", "    return double(once)", "    return 2 * x"}:
            assert "<ex 1." in theirs[at - 1]
        else:
            assert theirs[at - 1] == line
    assert trees.learner_line(filled.path, str(filled.path / "minigrad/large.py"), 3) is None
    assert trees.learner_line(filled.path, str(checkout.root / "minigrad/small.py"), 3) is None


def test_other_line_ends_make_the_same_tree(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    text = checkout.read(TARGET)
    (checkout.root / TARGET).write_bytes(text.replace("\n", "\r\n").encode())
    tree = learners(checkout, 1)
    assert (tree.path / "minigrad/small.py").read_bytes() == text.encode()


def test_a_file_that_cannot_be_used_is_named_and_the_others_stand(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, ("    # </ex 1.1>\n", ""))
    checkout.rewrite("chapters/02_large/large.py", ("Six times x.", "Mine."))
    tree = learners(checkout, 1, 2, fill_open=True)
    assert len(tree.notes) == 1
    assert tree.notes[0].startswith(f"{TARGET}:13: ")
    assert "The reference stands in for it." in tree.notes[0]
    assert "Mine." in (tree.path / "minigrad/large.py").read_text()


def test_only_what_differs_is_written_and_strays_go(checkout: Checkout) -> None:
    tree = learners(checkout, 1)
    for path in tree.path.rglob("*.py"):
        os.utime(path, (1, 1))
    (tree.path / "minigrad/stray.py").write_text("")
    checkout.rewrite(TARGET, (OPEN, MINE))
    learners(checkout, 1)
    changed = {p.name for p in tree.path.rglob("*.py") if p.stat().st_mtime != 1}
    assert changed == {"small.py"}
    assert not (tree.path / "minigrad/stray.py").exists()


def test_the_reference_tree_is_ours_alone(checkout: Checkout) -> None:
    checkout.rewrite(TARGET, (OPEN, MINE))
    tree = trees.reference(checkout.course)
    ours = checkout.read("minigrad/small.py")
    assert (tree.path / "minigrad/small.py").read_text() == ours
    assert tree.mine == ()


# Starting a child in a tree

ASK = (
    "import json, sys, minigrad, minigrad.small\n"
    "print(json.dumps([minigrad.__file__, minigrad.small.__file__, sys.argv[1:]]))\n"
)


def start(
    tree: Path, *arguments: str, path: tuple[Path, ...] = (), cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join(map(str, path))
    return subprocess.run(
        [sys.executable, str(LAUNCH), str(tree), *arguments],
        env={**os.environ, "PYTHONPATH": places},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def elsewhere(tmp_path: Path) -> tuple[Path, Path]:
    """Another minigrad, and a folder whose presence on the path installs a finder for it: what an
    editable install does, which beats the path and the working directory.
    """
    wrong = tmp_path / "wrong"
    (wrong / "minigrad").mkdir(parents=True)
    (wrong / "minigrad/__init__.py").write_text("")
    (wrong / "minigrad/small.py").write_text("")
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        "import importlib.machinery, sys\n"
        "class Editable:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'minigrad':\n"
        f"            places = path or [{str(wrong)!r}]\n"
        "            return importlib.machinery.PathFinder.find_spec(name, places)\n"
        "sys.meta_path.insert(0, Editable)\n"
    )
    return wrong, hook


def test_the_finder_of_an_editable_install_does_not_win(
    checkout: Checkout, elsewhere: tuple[Path, Path], tmp_path: Path
) -> None:
    wrong, hook = elsewhere
    (tmp_path / "ask.py").write_text(ASK)
    places = {**os.environ, "PYTHONPATH": f"{hook}"}
    plain = subprocess.run(
        [sys.executable, "-c", ASK], env=places, cwd=checkout.root, capture_output=True, text=True
    )
    assert json.loads(plain.stdout)[0] == str(wrong / "minigrad/__init__.py")
    tree = learners(checkout, 1).path
    done = start(tree, str(tmp_path / "ask.py"), "a", "b", path=(hook, wrong), cwd=wrong)
    assert done.returncode == 0, done.stderr
    package, module, arguments = json.loads(done.stdout)
    assert package == str(tree / "minigrad/__init__.py")
    assert module == str(tree / "minigrad/small.py")
    assert arguments == ["a", "b"]


def test_a_module_is_run_in_the_tree(checkout: Checkout, elsewhere: tuple[Path, Path]) -> None:
    wrong, hook = elsewhere
    (checkout.root / "minigrad/ask.py").write_text(ASK)
    tree = learners(checkout, 1).path
    done = start(tree, "-m", "minigrad.ask", "a", path=(hook,), cwd=wrong)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[1:] == [str(tree / "minigrad/small.py"), ["a"]]


def test_the_learners_code_is_what_runs(checkout: Checkout, tmp_path: Path) -> None:
    checkout.rewrite(TARGET, (OPEN, "    return 'mine'\n"))
    (tmp_path / "ask.py").write_text("from minigrad.small import double\nprint(double(1))\n")
    done = start(learners(checkout, 1).path, str(tmp_path / "ask.py"))
    assert done.stdout == "mine\n"


def test_a_module_that_the_tree_lacks_is_not_found_elsewhere(
    checkout: Checkout, elsewhere: tuple[Path, Path], tmp_path: Path
) -> None:
    wrong, hook = elsewhere
    (wrong / "minigrad/extra.py").write_text("")
    (tmp_path / "ask.py").write_text("import minigrad.extra\n")
    done = start(learners(checkout, 1).path, str(tmp_path / "ask.py"), path=(hook, wrong))
    assert done.returncode == 1
    assert "No module named 'minigrad.extra' in the tree" in done.stderr


def test_nothing_runs_if_minigrad_lies_elsewhere(
    checkout: Checkout, elsewhere: tuple[Path, Path], tmp_path: Path
) -> None:
    wrong, _ = elsewhere
    tree = learners(checkout, 1).path
    package = tree / "minigrad/__init__.py"
    package.unlink()
    package.symlink_to(wrong / "minigrad/__init__.py")
    (tmp_path / "ask.py").write_text("print('it ran')\n")
    done = start(tree, str(tmp_path / "ask.py"))
    assert done.returncode == 1
    assert "it ran" not in done.stdout
    assert f"minigrad was imported from {package}, not from the tree" in done.stderr.replace(
        str(wrong / "minigrad/__init__.py"), str(package)
    )


def test_verify_refuses_the_minigrad_of_another_place(tmp_path: Path) -> None:
    with pytest.raises(launch.WrongTree, match="not from the tree"):
        launch.verify(tmp_path)


def test_no_tree_is_said(tmp_path: Path) -> None:
    done = start(tmp_path, "-m", "minigrad")
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path} is no tree: it has no minigrad/__init__.py\n"
    assert start(tmp_path).stderr.startswith("usage: launch.py TREE")


def test_the_machinerys_names_hide_nothing(checkout: Checkout, tmp_path: Path) -> None:
    """launch.py lies beside modules called runner or git; a script must not import those."""
    (tmp_path / "ask.py").write_text("import regions\n")
    done = start(learners(checkout, 1).path, str(tmp_path / "ask.py"))
    assert "No module named 'regions'" in done.stderr
