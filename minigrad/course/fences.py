"""Runs the commands that the README and the chapters show, in a copy of the checkout.

    ```console exit=1
    $ minigrad test 1.1
    exercise 1.1 ... open
    ```

Every command must end with 0; the last one with `exit=`, if that is given. Each line shown below a
command must come in its output, in this order; `...` stands for anything, and runs of blanks count
as one. `console norun` is for what takes too long here: the make targets, which CI runs by itself.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minigrad.course import carry, git
from minigrad.course.catalog import Course

OPENING = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$")
RUN = "console"
SHELLS = ("", "sh", "bash", "shell", "zsh", "terminal")
TIMEOUT = 120  # seconds for all commands of one file
MARK = "\x1f"  # stands around each exit code in what the commands print


@dataclass(frozen=True)
class Fence:
    """One fenced block: its file, the line it opens on, the words behind the fence, its text."""

    file: str
    line: int
    words: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command with the lines shown below it, and the exit code it should have."""

    place: str
    text: str
    shown: tuple[str, ...]
    code: int


def files(course: Course) -> list[str]:
    """The texts that show commands: README, CONTRIBUTING, the chapters."""
    names = ["README.md", "CONTRIBUTING.md"]
    names += [f"chapters/{c.name}/{c.name}.md" for c in course.chapters]
    return [name for name in names if (course.root / name).is_file()]


def parse(text: str, name: str) -> Iterator[Fence]:
    """The fenced blocks of a Markdown text."""
    opened: tuple[int, re.Match[str]] | None = None
    inside: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        fence = OPENING.match(line)
        if opened is None:
            if fence:
                opened, inside = (number, fence), []
        elif fence and not fence[3] and fence[2].startswith(opened[1][2]):
            start, head = opened
            pad = len(head[1])
            yield Fence(name, start, tuple(head[3].split()), tuple(s[pad:] for s in inside))
            opened = None
        else:
            inside.append(line)


def unmarked(fence: Fence) -> str | None:
    """The complaint about a block that shows commands without being marked console; else None."""
    if fence.kind == RUN:
        return None
    pattern = r"\bminigrad\b" if fence.kind in SHELLS else r"^\s*(\$ |minigrad \w)"
    if not any(re.search(pattern, line) for line in fence.lines):
        return None
    return (
        f"{fence.place}: this block mentions minigrad: mark it ```console, so that it is run here, "
        "or ```console norun"
    )


def commands(fence: Fence) -> list[Command]:
    """The commands of a console block. Raises ValueError if it is none that can be run."""
    last = 0
    for word in fence.words[1:]:
        match = re.fullmatch(r"exit=(\d+)", word)
        if not match:
            raise ValueError(f"{fence.place}: {word!r}: expected norun or exit=N")
        last = int(match[1])
    found: list[tuple[int, list[str], list[str]]] = []
    for number, line in enumerate(fence.lines, start=fence.line + 1):
        if line.startswith("$ "):
            found.append((number, [line[2:]], []))
        elif not found:
            raise ValueError(f"{fence.file}:{number}: a console block opens with a line '$ ...'")
        elif line.startswith("> ") and not found[-1][2]:
            found[-1][1].append(line[2:])
        else:
            found[-1][2].append(line)
    codes = [0] * (len(found) - 1) + [last]
    return [
        Command(f"{fence.file}:{number}", "\n".join(text), tuple(shown), code)
        for (number, text, shown), code in zip(found, codes, strict=True)
    ]


def check(course: Course, name: str) -> tuple[int, list[str]]:
    """(commands run, what is wrong) for one file."""
    problems: list[str] = []
    wanted: list[Command] = []
    for fence in parse((course.root / name).read_text(encoding="utf-8"), name):
        complaint = unmarked(fence)
        if complaint:
            problems.append(complaint)
        elif fence.kind == RUN and fence.words[1:] != ("norun",):
            try:
                wanted += commands(fence)
            except ValueError as error:
                problems.append(str(error))
    if wanted:
        with tempfile.TemporaryDirectory() as folder:
            copy(course, Path(folder) / "minigrad")
            problems += _run(Path(folder), wanted)
    return len(wanted), problems


def copy(course: Course, folder: Path) -> None:
    """The checkout as git sees it, with the chapters as shipped; what was built is shared."""
    listed = git.names(course.root, "ls-files", "--cached", "--others", "--exclude-standard")
    for name in listed:
        source = course.root / name
        if source.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(source.read_bytes())
    for target, stub in carry.stubs(course).items():
        path = folder / "chapters" / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stub, encoding="utf-8")
    built = course.root / "build" / "native"
    if built.is_dir():
        (folder / "build").mkdir()
        (folder / "build" / "native").symlink_to(built)


def _run(folder: Path, wanted: list[Command]) -> list[str]:
    checkout = folder / "minigrad"
    shim = folder / "bin" / "minigrad"
    shim.parent.mkdir()
    launch = checkout / "minigrad" / "course" / "launch.py"
    command = [sys.executable, str(launch), str(checkout), "-m", "minigrad.course.cli"]
    shim.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    script = folder / "script"
    mark = f"printf '{MARK}%d{MARK}' $?\n"
    script.write_text("".join(f"{c.text}\n{mark}" for c in wanted), encoding="utf-8")
    path = [str(shim.parent), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    clean = {k: v for k, v in os.environ.items() if k not in git.ELSEWHERE}
    # Terminal width and colour as a reader's page has them.
    clean |= {"PATH": os.pathsep.join(path), "NO_COLOR": "1", "COLUMNS": "100", "TERM": "dumb"}
    try:
        done = subprocess.run(
            ["bash", str(script)],
            cwd=checkout,
            env=clean,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"{wanted[0].place}: the commands of this file take more than {TIMEOUT} s"]
    parts = done.stdout.decode("utf-8", "replace").split(MARK)
    outputs, codes = parts[0::2], [int(code) for code in parts[1::2]]
    problems = [
        problem
        for each, output, code in zip(wanted, outputs, codes, strict=False)
        if (problem := _compare(each, output, code))
    ]
    if len(codes) < len(wanted):
        problems.append(f"{wanted[len(codes)].place}: the shell ended here")
    return problems


def _compare(command: Command, output: str, code: int) -> str | None:
    printed = [" ".join(line.split()) for line in output.split("\n")]
    end = " | ".join(line for line in printed[-6:] if line)
    said = f"it said: {end}"
    if code != command.code:
        return f"{command.place}: `{command.text}` ended with {code}, not {command.code}; {said}"
    at = 0
    for line in command.shown:
        wanted = " ".join(line.split())
        if wanted in ("", "..."):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in wanted.split("...")))
        found = next((i for i in range(at, len(printed)) if pattern.fullmatch(printed[i])), None)
        if found is None:
            return f"{command.place}: `{command.text}` does not print {wanted!r}; {said}"
        at = found + 1
    return None
