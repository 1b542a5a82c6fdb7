"""Small courses, made in a temporary folder, for the tests of the machinery.

They hold what a checkout holds (sources with regions, manifests), so that no test depends on what a
real chapter says today.
"""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from minigrad.course.catalog import Course

CHECKOUT = Path(__file__).resolve().parents[2]

SMALL = '''"""Numbers, twice and more."""


def double(x):
    """Twice x."""
    # <ex 1.1> twice the number (1 line)
    return 2 * x
    # </ex 1.1>


def quadruple(x):
    """Four times x."""
    # <ex 1.2> four times the number, with double (2 lines)
    once = double(x)
    return double(once)
    # </ex 1.2>
'''
LARGE = '''"""A second chapter, built on the first."""

from minigrad.small import double


def six(x):
    """Six times x."""
    # <ex 2.1> six times the number (1 line)
    return double(x) * 3
    # </ex 2.1>
'''
SOURCES = {"minigrad/small.py": SMALL, "minigrad/large.py": LARGE}
PYPROJECT = '[project]\nname = "minigrad-course"\nversion = "0"\n'

MakeCourse = Callable[..., Course]


def manifest(exercises: list[str], **changes: object) -> str:
    """A chapter.toml with everything in it; `changes` replaces or, with None, drops a key."""
    keys: dict[str, object] = {
        "title": "small",
        "idea": "One idea.",
        "hours": 1,
        "needs": [],
        "device": "-",
        "milestone": "It works.",
    }
    keys.update(changes)
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None]
    lines += ["[hints]"] + [
        f'"{each}" = ["a nudge", "the idea", "nearly all"]' for each in exercises
    ]
    return "\n".join(lines) + "\n"


def build_course(
    root: Path,
    sources: Mapping[str, str] | None = None,
    chapters: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
    machinery: bool = False,
) -> Course:
    """Write a checkout at `root` and return its Course; nothing is cut yet.

    sources    {path: text}; default: exercises 1.1 and 1.2 in small.py, 2.1 in large.py
    chapters   {"01_small": text of its chapter.toml}; default: 01_small, 02_large, NN_more, made
               from the exercises in `sources`
    files      further files, such as tests/01_small/test_small.py or tests/course/wrong/1.1.py
    machinery  copy minigrad/course in, for tests that start this checkout's own code in a child
    """
    sources = SOURCES if sources is None else sources
    ids = re.findall(r"^\s*(?:#|//) <ex (\d+\.\d+)>", "\n".join(sources.values()), re.MULTILINE)
    if chapters is None:
        names = {1: "01_small", 2: "02_large"}
        numbers = sorted({int(each.split(".")[0]) for each in ids})
        chapters = {
            names.get(n, f"{n:02d}_more"): manifest(
                [i for i in dict.fromkeys(ids) if i.startswith(f"{n}.")]
            )
            for n in numbers
        }
    texts = {
        "pyproject.toml": PYPROJECT,
        ".gitignore": ".minigrad/\nbuild/\n__pycache__/\n*.mine.ipynb\n",
        "minigrad/__init__.py": '"""A small course."""\n',
        **{f"chapters/{name}/chapter.toml": text for name, text in chapters.items()},
        **sources,
        **(files or {}),
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if machinery:
        shutil.copytree(
            CHECKOUT / "minigrad" / "course",
            root / "minigrad" / "course",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        shutil.copy(CHECKOUT / "minigrad" / "native.py", root / "minigrad" / "native.py")
    return Course(root)


@pytest.fixture
def make_course(tmp_path: Path) -> MakeCourse:
    """build_course() in a folder of this test: `course = make_course(sources={...})`."""

    def make(root: Path | None = None, **parts: object) -> Course:
        return build_course(root or tmp_path / "checkout", **parts)  # type: ignore[arg-type]

    return make
