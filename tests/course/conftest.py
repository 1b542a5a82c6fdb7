"""Small courses, made in a temporary folder, for the tests of the machinery.

They hold what a checkout holds (sources with regions, manifests), so that no test depends on what a
real chapter says today.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from minigrad.course import cut
from minigrad.course.backup import Report
from minigrad.course.catalog import Course
from minigrad.course.workspace import Workspace

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))  # the files beside the tests

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


@dataclass(frozen=True)
class Checkout:
    """A checkout on disk, asked anew each time: what a test does to it is what is seen."""

    root: Path

    @property
    def course(self) -> Course:
        return Course(self.root)

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.course)

    def cut(self) -> Report:
        return cut.write(self.workspace)

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def rewrite(self, name: str, *pairs: tuple[str, str]) -> None:
        """Exchange texts, each of which must be there, in one file."""
        text = self.read(name)
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new)
        (self.root / name).write_text(text, encoding="utf-8")

    def backups(self) -> dict[str, bytes]:
        """{path: bytes} of all that was saved, the folder with the time taken off."""
        root = self.root / ".minigrad" / "backup"
        files = [p for p in root.rglob("*") if p.is_file()]
        return {"/".join(p.relative_to(root).parts[1:]): p.read_bytes() for p in files}

    def git(self, *arguments: str) -> str:
        """git here, as somebody, whatever the machine's own settings say."""
        name, mail = "Ada", "ada@example.org"
        env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_CONFIG_GLOBAL": os.devnull}
        env |= {"GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.root,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def commit(self, message: str = "change") -> None:
        """Commit everything, in a repository that is made if there is none."""
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def publish(self, *pairs: tuple[str, str], name: str = "minigrad/small.py") -> None:
        """Change a source, cut, commit and push."""
        self.rewrite(name, *pairs)
        self.cut()
        self.commit()
        self.git("push", "-q")


@pytest.fixture
def make_checkout(make_course: MakeCourse) -> Callable[..., Checkout]:
    """make_course(), and cut: `checkout = make_checkout(files={...})`."""

    def make(root: Path | None = None, **parts: object) -> Checkout:
        made = Checkout(make_course(root, **parts).root)
        made.cut()
        return made

    return make


@pytest.fixture
def checkout(make_checkout: Callable[..., Checkout]) -> Checkout:
    """The default small course, cut."""
    return make_checkout()


@pytest.fixture
def teacher(
    make_checkout: Callable[..., Checkout], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Checkout:
    """Where the course is written, with a bare upstream that it pushes to."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    made = make_checkout(tmp_path / "teacher", machinery=True)
    made.commit("first")
    made.git("init", "-q", "--bare", "-b", "main", str(tmp_path / "upstream.git"))
    made.git("remote", "add", "origin", str(tmp_path / "upstream.git"))
    made.git("push", "-q", "-u", "origin", "main")
    return made


@pytest.fixture
def learner(teacher: Checkout, tmp_path: Path) -> Checkout:
    """A clone in which 1.1 is solved, by `return x + x  # mine`."""
    teacher.git("clone", "-q", str(tmp_path / "upstream.git"), str(tmp_path / "learner"))
    made = Checkout(tmp_path / "learner")
    made.rewrite(
        "chapters/01_small/small.py",
        ('    raise NotImplementedError("exercise 1.1")\n', "    return x + x  # mine\n"),
    )
    return made
