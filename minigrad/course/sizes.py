"""Line budgets of the sources: a file that no longer fits is a file that should be two.

Python files stay under 300 lines, C++ under 400, a kernel of a ladder between 20 and 230; the
engine you read, convolution and attention included, stays under 3,500 lines of code; exercise
markers stay under 3 % of the sources.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minigrad.course import regions

LINES = {".py": 300, ".cpp": 400, ".h": 400, ".cu": 400, ".go": 400}
KERNEL = re.compile(r"csrc/(cpu|cuda)/\w+/\d_\w+\.(cpp|cu)$")
KERNEL_LINES = (20, 230)
ENGINE = "minigrad/reference/"
ENGINE_LINES = 3_500
MARKER_SHARE = 0.03
SOURCES = ("minigrad", "csrc", "go")
# Bodies without a function around them: no sources that anyone reads as files.
APART = ("tests/course/wrong/", "tests/course/start/")


@dataclass(frozen=True)
class File:
    """A source file: its lines, how many of them are exercise markers, and lines of code."""

    path: str
    lines: int
    markers: int
    code: int


def measure(root: Path) -> list[File]:
    """Every source file and test of the checkout at `root`."""
    return [_measured(path, path.relative_to(root).as_posix()) for path in _files(root)]


def problems(files: list[File]) -> list[str]:
    """A sentence for each budget that is broken."""
    found = []
    for file in files:
        limit = LINES[Path(file.path).suffix]
        if file.lines >= limit:
            found.append(f"{file.path} has {file.lines} lines; it must stay under {limit}.")
        low, high = KERNEL_LINES
        if KERNEL.search(file.path) and not low <= file.lines <= high:
            found.append(f"{file.path} has {file.lines} lines; a kernel has {low} to {high}.")
    engine = sum(f.code for f in files if f.path.startswith(ENGINE))
    if engine >= ENGINE_LINES:
        found.append(f"{ENGINE} has {engine} lines of code; it must stay under {ENGINE_LINES}.")
    share = marker_share(files)
    if share > MARKER_SHARE:
        found.append(
            f"exercise markers are {share:.1%} of the sources; at most {MARKER_SHARE:.0%} is fine."
        )
    return found


def marker_share(files: list[File]) -> float:
    """The part of the sources' lines (tests not counted) that are exercise markers."""
    sources = [f for f in files if f.path.startswith(SOURCES)]
    return sum(f.markers for f in sources) / max(1, sum(f.lines for f in sources))


def table(files: list[File]) -> str:
    """The sizes by folder, with the largest file of each."""
    folders: dict[str, list[File]] = {}
    for file in files:
        folders.setdefault(Path(file.path).parent.as_posix(), []).append(file)
    width = max((len(f) for f in folders), default=0)
    rows = []
    for folder, members in sorted(folders.items()):
        largest = max(members, key=lambda f: f.lines)
        lines = sum(f.lines for f in members)
        rows.append(
            f"  {folder:{width}}  {len(members):3} files  {lines:6} lines"
            f"   largest {Path(largest.path).name} ({largest.lines})"
        )
    rows.append(f"  exercise markers: {marker_share(files):.1%} of the sources")
    return "\n".join(rows)


def _files(root: Path) -> Iterator[Path]:
    for folder in (*SOURCES, "tests"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in LINES and path.is_file() and not name.startswith(APART):
                yield path


def _measured(path: Path, name: str) -> File:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    markers = sum(bool(regions.OPENING.match(s) or regions.CLOSING.match(s)) for s in lines)
    code = _code_lines(text) if path.suffix == ".py" else len(lines)
    return File(name, len(lines), markers, code)


def _code_lines(text: str) -> int:
    """Lines that are neither blank nor part of a docstring."""
    counted = {n for n, line in enumerate(text.splitlines(), start=1) if line.strip()}
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        first = node.body[0] if node.body else None
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            counted -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(counted)
