"""Finds the compiled part of minigrad and loads it, or says in one sentence what to do.

In a checkout the build leaves the module in build/native; in a wheel, and in a tree that has one of
its own, it lies beside this file.
"""

import importlib.machinery
import importlib.util
import json
import struct
import sys
from pathlib import Path
from types import ModuleType

NAME = "minigrad._native"
FILE = "_native" + importlib.machinery.EXTENSION_SUFFIXES[0]
COMMAND = "make build"


class NativeMissing(ImportError):
    """The native module is not built, or is broken; the message says what to do."""


def load() -> ModuleType:
    """minigrad._native, loaded once. Raises NativeMissing where it is missing or broken."""
    loaded = sys.modules.get(NAME)
    if loaded is not None and is_native(loaded):
        return loaded
    path = find()
    if path is None:
        raise NativeMissing(absence(), name=NAME)
    problem = damage(path)
    if problem is not None:
        raise _broken(path, problem)
    spec = importlib.util.spec_from_file_location(NAME, path)
    if spec is None or spec.loader is None:
        raise _broken(path, "Python does not take it for an extension module")
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except (ImportError, OSError, SystemError) as error:
        problem = str(error).removeprefix(f"{path}: ") or type(error).__name__
        raise _broken(path, problem) from error
    sys.modules[NAME] = module
    return module


def find(checkout: Path | None = None) -> Path | None:
    """The built module's file: of `checkout`, or else of the checkout that this file belongs to.

    None if this Python has none there. Another checkout's is never taken.
    """
    if checkout is not None:
        places = [checkout / "build" / "native"]
    else:
        here = Path(__file__).resolve().parent
        root = _checkout(here)
        places = [here] if root is None else [here, root / "build" / "native"]
    return next((place / FILE for place in places if (place / FILE).is_file()), None)


def checkout() -> Path:
    """The checkout whose sources and libraries are used. Raises NativeMissing outside of one."""
    root = _checkout(Path(__file__).resolve().parent)
    if root is None:
        raise NativeMissing("kernels in C++ need a checkout of minigrad: its headers.", name=NAME)
    return root


def library(name: str) -> Path:
    """A library that was built with the native module. Raises NativeMissing."""
    here = Path(__file__).resolve().parent
    root = _checkout(here)
    places = [here] if root is None else [here, root / "build" / "native"]
    path = next((p / f"{name}.so" for p in places if (p / f"{name}.so").is_file()), None)
    if path is None:
        raise NativeMissing(absence(), name=NAME)
    return path


def absence(checkout: Path | None = None) -> str:
    """The sentence for a module that is not there: what is missing, and the command."""
    root = checkout or _checkout(Path(__file__).resolve().parent)
    if root is None:
        return (
            "minigrad's native module is missing from this installation:"
            " install a C++20 compiler, then run pip install --force-reinstall . in a checkout."
        )
    reason = root / "build" / "native" / "missing.txt"
    if reason.is_file():
        why = reason.read_text(encoding="utf-8").strip()
        return f"minigrad's native module is not built: {why}; then run {COMMAND} in {root}."
    version = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    return f"minigrad's native module is not built for {version}: run {COMMAND} in {root}."


def damage(path: Path) -> str | None:
    """What is wrong with the file, as far as its bytes tell; None if nothing.

    A truncated ELF file must not reach the dynamic loader: it would map pages that have no bytes
    behind them and end the process with a bus error.
    """
    with open(path, "rb") as file:
        header = file.read(64)
    if sys.platform != "linux":
        return None if header else "the file is empty"
    if len(header) < 64 or header[:4] != b"\x7fELF":
        return "it is no ELF file"
    # The table of sections ends an ELF file: e_shoff, e_shentsize, e_shnum of a 64-bit header.
    (offset,) = struct.unpack_from("<Q", header, 40)
    size, count = struct.unpack_from("<HH", header, 58)
    if path.stat().st_size < offset + size * count:
        return "it is truncated"
    return None


def is_native(module: ModuleType) -> bool:
    """Whether a module is the compiled one, not the Python file that stands in its place."""
    origin = getattr(module, "__file__", None)
    return origin is not None and origin.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def _checkout(start: Path) -> Path | None:
    """The nearest folder upwards that holds the sources of the native module."""
    return next((d for d in start.parents if (d / "csrc" / "python").is_dir()), None)


def _broken(path: Path, problem: str) -> NativeMissing:
    return NativeMissing(
        f"minigrad's native module is broken ({path}: {problem}): rebuild it with {COMMAND}.",
        name=NAME,
        path=str(path),
    )


def main(arguments: list[str]) -> int:
    """Say where the native module is, with `--json` also what it knows of itself."""
    try:
        module = load()
    except NativeMissing as error:
        print(error, file=sys.stderr)
        return 1
    if "--json" in arguments:
        known = {"build_info": module.build_info(), "cpu_features": module.cpu_features()}
        print(json.dumps({"schema": 1, "file": module.__file__, **known}))
    else:
        print(f"native module: {module.__file__}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
