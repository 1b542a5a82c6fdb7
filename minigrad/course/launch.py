"""Start a program whose `minigrad` is the one in a given tree, and no other.

    python minigrad/course/launch.py TREE -m minigrad.course.train iris
    python minigrad/course/launch.py TREE script.py arguments

An editable install's finder beats PYTHONPATH and the working directory, so a learner's code would
quietly give way to ours. This finder stands before all others, and nothing runs unless
minigrad.__file__ lies in the tree. Standard library only, and nothing of minigrad: this file
decides which minigrad there is.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

MACHINERY = "minigrad.course"


class WrongTree(RuntimeError):
    """minigrad was imported from somewhere else than the tree."""


class TreeFinder(importlib.abc.MetaPathFinder):
    """Finds minigrad and everything below it in one tree.

    `patched` gives module sources that stand in for the tree's files: a wrong body or a mutant is
    tried without writing it to disk. `named` gives the file that tracebacks and debuggers then
    name: the learner's own.
    """

    def __init__(
        self,
        tree: Path,
        patched: dict[str, str] | None = None,
        named: dict[str, str] | None = None,
    ) -> None:
        self.tree = tree
        self.patched = {} if patched is None else patched
        self.named = named or {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "minigrad" and not name.startswith("minigrad."):
            return None
        where = [str(self.tree.joinpath(*name.split(".")[:-1]))]
        if name.startswith(MACHINERY + ".") and path is not None:
            where = list(path)  # a machinery that is already running stays of one piece
        spec = importlib.machinery.PathFinder.find_spec(name, where)
        if spec is None:
            raise ModuleNotFoundError(
                f"No module named {name!r} in the tree {self.tree}", name=name
            )
        if name in self.patched and spec.origin is not None:
            shown = self.named.get(name, spec.origin)
            spec.loader = PatchedLoader(name, shown, self.patched[name])
        return spec


class PatchedLoader(importlib.machinery.SourceFileLoader):
    """Loads one module from a text instead of from its file."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_data(self, path: str) -> bytes:
        return self.text.encode()

    def path_stats(self, path: str) -> dict[str, float]:
        raise OSError("no compiled copy of a patched module")


def current() -> Path | None:
    """The tree this process runs in, or None."""
    for finder in sys.meta_path:
        # By name: this file may be loaded twice, by its path and as minigrad.course.launch.
        if type(finder).__name__ == TreeFinder.__name__:
            tree = getattr(finder, "tree", None)
            return tree if isinstance(tree, Path) else None
    return None


def enter(
    tree: Path, patched: dict[str, str] | None = None, named: dict[str, str] | None = None
) -> None:
    """From here on `import minigrad...` means this tree; what was loaded before is let go, the
    machinery excepted.
    """
    tree = tree.resolve()
    sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != TreeFinder.__name__]
    sys.meta_path.insert(0, TreeFinder(tree, patched, named))
    kept = {n: m for n, m in sys.modules.items() if n == MACHINERY or n.startswith(MACHINERY + ".")}
    for name in [n for n in sys.modules if n == "minigrad" or n.startswith("minigrad.")]:
        if name not in kept:
            del sys.modules[name]
    importlib.invalidate_caches()
    # Two saves within one second leave files that a cached .pyc cannot tell apart.
    sys.dont_write_bytecode = True
    minigrad = importlib.import_module("minigrad")
    if MACHINERY in kept:
        minigrad.course = kept[MACHINERY]  # type: ignore[attr-defined]
    verify(tree)


def verify(tree: Path) -> None:
    """Raises WrongTree unless minigrad comes from `tree`."""
    found = getattr(sys.modules.get("minigrad"), "__file__", None)
    if found is None or not Path(found).resolve().is_relative_to(tree.resolve()):
        raise WrongTree(f"minigrad was imported from {found}, not from the tree {tree}")


def main(arguments: list[str]) -> None:
    """Run `-m MODULE ARGS` or `SCRIPT ARGS` inside the tree that stands first."""
    if len(arguments) < 2 or (arguments[1] == "-m" and len(arguments) < 3):
        sys.exit("usage: launch.py TREE (-m MODULE | SCRIPT) [ARGUMENTS]")
    # The folder of this file must not be on the path: its module names would hide others.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    tree = Path(arguments[0])
    if not (tree / "minigrad" / "__init__.py").is_file():
        sys.exit(f"{tree} is no tree: it has no minigrad/__init__.py")
    enter(tree)
    if arguments[1] == "-m":
        sys.argv = arguments[2:]
        runpy.run_module(arguments[2], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments[1:]
        runpy.run_path(arguments[1], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
