"""A file of kernels, compiled alone into a library whose name is the hash of all that went into it.

The same file again costs nothing; a changed one has another name, for a library that is open
already would be handed out again under its old one.
"""

import fcntl
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from minigrad.course import toolchain
from minigrad.kernels.isa import FLAGS, Isa

LIBRARY = ("-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")
START_BODY = ("-Wno-unused-parameter", "-Wno-unused-function", "-Wno-unused-variable")
# What is declared and never defined is an error of this file, not of the one who opens it.
LINKING = ("-Wl,-z,defs",) if sys.platform == "linux" else ()
TIMEOUT = 120.0  # seconds
KEPT = 7 * 86_400.0  # seconds that a library is kept for which nobody asked
SHOWN = 16  # lines of what it says
ERROR = re.compile(r"\berror: |undefined reference")


class CompileError(ValueError):
    """A file that the compiler refuses: its words, from the file's first error on.

    line  where in the file; None if the words name none
    """

    def __init__(self, path: Path, words: str, line: int | None = None) -> None:
        super().__init__(f"{path.name} does not compile:\n{words}")
        self.path, self.words, self.line = path, words, line


class CompilerMissing(RuntimeError):
    """There is no compiler here; the message says what to do."""


@cache
def compiler() -> tuple[str, str]:
    """The compiler and its version, tried once."""
    found, version = toolchain.find_compiler()
    if found is None:
        raise CompilerMissing(
            f"no working C++ compiler ({version}): part II needs one (Debian, Ubuntu: sudo apt "
            "install g++)."
        )
    return found, version


def library(
    path: Path,
    isa: Isa,
    include: Path,
    folder: Path,
    extra: tuple[str, ...] = (),
    text: str | None = None,
) -> Path:
    """The library of a file of kernels, built in `folder` if it is not there yet; `text` stands in
    for what the file holds.

    Raises CompileError, CompilerMissing.
    """
    command, version = compiler()
    flags = [*LIBRARY, *FLAGS, *isa.flags, *START_BODY, *extra]
    content = path.read_bytes() if text is None else text.encode()
    digest = hashlib.sha256()
    for part in (content, version.encode(), "\0".join(flags).encode(), headers(include)):
        digest.update(part + b"\0")
    built = folder / f"{path.stem}-{digest.hexdigest()[:16]}.so"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(built):
        if built.is_file() and said(built).is_file():
            for path in (built, said(built)):
                os.utime(path)
            return built
        _sweep(folder)
        with tempfile.TemporaryDirectory() as draft:
            # Under its own name and from its own folder, so that messages name it by that alone.
            (Path(draft) / path.name).write_bytes(content)
            partial = built.with_suffix(f".{os.getpid()}.tmp")
            run = [command, *flags, f"-I{include}", path.name, "-o", str(partial), *LINKING]
            try:
                done = subprocess.run(
                    run,
                    cwd=draft,
                    env={**os.environ, "LC_ALL": "C"},
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=TIMEOUT,
                )
                if done.returncode:
                    raise _refused(path, done.stderr, include)
                said(built).write_text(done.stderr, encoding="utf-8")
                partial.replace(built)
            except subprocess.TimeoutExpired:
                words = f"the compiler gave no answer within {TIMEOUT:.0f} s"
                raise CompileError(path, words) from None
            finally:
                partial.unlink(missing_ok=True)
    return built


def said(built: Path) -> Path:
    """The file with what the compiler said of a library that it made: its warnings."""
    return built.with_suffix(".txt")


@contextmanager
def locked(built: Path) -> Iterator[None]:
    """One process builds a library, others that want it wait."""
    with open(built.with_suffix(".lock"), "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _sweep(folder: Path) -> None:
    """Delete what nobody has asked for in days: each save of a file leaves a library behind."""
    for path in [p for p in folder.iterdir() if p.suffix in (".so", ".txt", ".lock")]:
        with suppress(FileNotFoundError):  # another process does the same
            if time.time() - path.stat().st_mtime > KEPT:
                path.unlink()


def headers(include: Path) -> bytes:
    """All headers, as one text."""
    files = sorted(p for p in (include / "minigrad").rglob("*") if p.is_file())
    return b"\0".join(p.read_bytes() for p in files)


def _refused(path: Path, output: str, include: Path) -> CompileError:
    words = output.replace(f"{include.parents[1]}/", "")
    # The linker names the compiler's draft of the file, which nobody knows.
    words = re.sub(r"^(\S*/)?ld(\.\w+)?: (\S+\.o: )?", "", words, flags=re.MULTILINE)
    words = re.sub(
        rf"^{re.escape(path.name)}:\(\.text[^)]*\)", path.name, words, flags=re.MULTILINE
    )
    lines = words.splitlines()
    first = next((k for k, line in enumerate(lines) if ERROR.search(line)), 0)
    place = re.compile(rf"(?<![\w/]){re.escape(path.name)}:(\d+)")
    after = place.search("\n".join(lines[first:]))
    before = place.findall("\n".join(lines[:first]))
    line = int(after[1]) if after else int(before[-1]) if before else None
    return CompileError(path, first_errors(lines[first:]), line)


def first_errors(output: list[str], lines: int = SHOWN) -> str:
    """As much of what the compiler said as fits on a screen."""
    shown = [line if len(line) <= 200 else line[:197] + "..." for line in output[:lines]]
    left = len(output) - len(shown)
    return "\n".join(shown) + (f"\n... and {left} lines more" if left > 0 else "")
