"""Writing files so that a reader sees the old bytes or the new ones, never half of either."""

import contextlib
import glob
import os
from pathlib import Path


def replace(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file in one step. `durable`: it is on the disk, not only in memory, when this
    returns.
    """
    path = Path(os.path.realpath(path))  # a link of the learner's stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    if durable:
        sweep(path)
    try:
        with open(draft, "wb") as handle:
            handle.write(data)
            handle.flush()
            if durable:
                os.fsync(handle.fileno())
        os.replace(draft, path)
        if durable:
            sync(path.parent)  # the name, too
    finally:
        draft.unlink(missing_ok=True)


def sync(folder: Path) -> None:
    """Have on the disk which files are in a folder, where the file system knows how."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def sweep(path: Path) -> None:
    """Delete the drafts of a file whose writers were killed."""
    for draft in path.parent.glob(f".{glob.escape(path.name)}.*.draft"):
        writer = draft.suffixes[-2][1:]
        if writer.isdecimal() and not running(int(writer)):
            draft.unlink(missing_ok=True)


def running(process: int) -> bool:
    with contextlib.suppress(PermissionError):  # somebody else's is one
        try:
            os.kill(process, 0)
        except (ProcessLookupError, OverflowError):
            return False
    return True


def remove(path: Path) -> None:
    """Delete a file, and the folders that are empty without it."""
    path.unlink(missing_ok=True)
    folder = path.parent
    while folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
