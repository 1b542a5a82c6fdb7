"""Kernels out of files: a learner's, compiled or run, and those that were built with minigrad."""

import importlib.util
from pathlib import Path
from typing import Any

from minigrad import native
from minigrad.kernels import build, table
from minigrad.kernels.isa import best
from minigrad.kernels.signatures import signatures
from minigrad.kernels.table import MINE, OWNERS, REFERENCE, Key

HEADERS = Path("csrc/include")
LIBRARIES = "build/kernels"


def load(path: Path, owner: str = MINE) -> list[Key]:
    """Enter the kernels of a file, .py or .cpp, under `owner`; what the owner had from this file
    before is replaced. Gives their keys.

    Raises build.CompileError with the compiler's words, ValueError for a file without kernels or of
    another kind.
    """
    if owner not in OWNERS:
        raise ValueError(f"kernels belong to one of {', '.join(OWNERS)}, not to {owner!r}.")
    if path.suffix == ".cpp":
        root = checkout()
        found = build.library(path, isa(), root / HEADERS, root / LIBRARIES)
        if not opened(found):
            raise ValueError(
                f"{path}: it compiles, but enters no kernel; see Register in kernel.h."
            )
        return load_library(found, owner, str(path))
    if path.suffix != ".py":
        raise ValueError(f"{path}: kernels are written in .cpp or .py files.")
    spec = importlib.util.spec_from_file_location(f"minigrad_{owner}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    table.forget(owner, str(path))
    before = set(table.entries())
    with table.entering_as(owner):
        spec.loader.exec_module(module)
    return sorted(set(table.entries()) - before)


def load_library(library: Path, owner: str, place: str) -> list[Key]:
    """Enter the kernels of a library under `owner`, as those of the file `place`; what the owner
    had from that file is replaced. Gives their keys.
    """
    kernels = opened(library)  # before the old ones go
    table.forget(owner, place)
    return [table.enter(Key(k.op, k.backend, k.step, owner), k, place) for k in kernels]


def load_built() -> None:
    """Enter the kernels that were built with minigrad, for the best instruction set of this
    machine; once.

    Raises native.NativeMissing.
    """
    file = native.library(f"kernels_{isa().name}")
    if not table.has_from(REFERENCE, str(file)):
        for k in opened(file):
            table.enter(Key(k.op, k.backend, k.step, REFERENCE), k, str(file))


def isa() -> Any:
    """The instruction set that kernels run on here."""
    return best(native.load().cpu_features())


def checkout() -> Path:
    """The checkout that the native module was built in: a tree elsewhere links to it.

    Raises native.NativeMissing.
    """
    root = Path(str(native.load().__file__)).resolve().parents[2]
    return root if (root / HEADERS).is_dir() else native.checkout()


def opened(file: Path) -> list[Any]:
    """The kernels of a library. Raises native.NativeMissing if it was compiled with other headers
    than the native module was.
    """
    declared = signatures(checkout() / HEADERS / "minigrad" / "ops.def")
    letters = {op: s.letters for op, s in declared.items()}
    try:
        return list(native.load().open_library(str(file), letters))
    except RuntimeError as error:
        if "another version" not in str(error):
            raise
        raise native.NativeMissing(
            f"minigrad's native module is of another version than {HEADERS}: rebuild it with "
            f"{native.COMMAND}.",
            name=native.NAME,
        ) from None
