"""A file of kernels, compiled alone into a library whose name is the hash of all that went into it.

The same file again costs nothing; a changed one has another name, for a library that is open
already would be handed out again under its old one.
"""

import hashlib
import os
import re
import subprocess
from functools import cache
from pathlib import Path

from minigrad.course import toolchain
from minigrad.kernels.isa import FLAGS, Isa

LIBRARY = ("-std=c++20", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")
START_BODY = ("-Wno-unused-parameter", "-Wno-unused-function", "-Wno-unused-variable")
TIMEOUT = 120.0  # seconds


class CompileError(ValueError):
    """A file that the compiler refuses: its words, from the file's first error on."""

    def __init__(self, path: Path, words: str) -> None:
        super().__init__(f"{path.name} does not compile:\n{words}")
        self.path, self.words = path, words
        place = re.search(rf"{re.escape(path.name)}:(\d+)", words)
        self.line = int(place.group(1)) if place else None


class CompilerMissing(RuntimeError):
    """There is no compiler here; the message says what to do."""


@cache
def compiler() -> tuple[str, str]:
    """The compiler and its version, tried once."""
    found, said = toolchain.find_compiler()
    if found is None:
        raise CompilerMissing(
            f"no working C++ compiler ({said}): part II needs one (Debian, Ubuntu: sudo apt "
            "install g++)."
        )
    return found, said


def library(path: Path, isa: Isa, include: Path, folder: Path, extra: tuple[str, ...] = ()) -> Path:
    """The library of a file of kernels, built if it is not there yet.

    Raises CompileError, CompilerMissing.
    """
    command, version = compiler()
    flags = [*LIBRARY, *FLAGS, *isa.flags, *START_BODY, *extra]
    digest = hashlib.sha256()
    for part in (path.read_bytes(), version.encode(), "\0".join(flags).encode(), headers(include)):
        digest.update(part + b"\0")
    built = folder / f"{path.stem}-{digest.hexdigest()[:16]}.so"
    if built.is_file():
        return built
    folder.mkdir(parents=True, exist_ok=True)
    # Under a name of its own until it is whole: two processes may build the same.
    partial = built.with_suffix(f".{os.getpid()}.tmp")
    # From its own folder, by its own name, so that messages name it as the learner knows it.
    run = [command, *flags, f"-I{include}", path.name, "-o", str(partial)]
    try:
        done = subprocess.run(
            run, cwd=path.parent, capture_output=True, text=True, errors="replace", timeout=TIMEOUT
        )
        if done.returncode:
            raise CompileError(path, first_errors(done.stderr))
        partial.replace(built)
    except subprocess.TimeoutExpired:
        raise CompileError(path, f"the compiler gave no answer within {TIMEOUT:.0f} s") from None
    finally:
        partial.unlink(missing_ok=True)
    return built


@cache
def headers(include: Path) -> bytes:
    """All headers, as one text."""
    files = sorted(p for p in (include / "minigrad").rglob("*") if p.is_file())
    return b"\0".join(p.read_bytes() for p in files)


def first_errors(words: str, lines: int = 12) -> str:
    """What the compiler said, from its first error on, as much as fits on a screen."""
    said = words.splitlines()
    first = next((k for k, line in enumerate(said) if "error:" in line), 0)
    shown = said[first : first + lines]
    left = len(said) - first - len(shown)
    return "\n".join(shown) + (f"\n... and {left} lines more" if left > 0 else "")
