"""Writing files so that a reader sees the old bytes or the new ones, never half of either."""

import os
from pathlib import Path


def replace(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file in one step. `durable`: it is on the disk, not only in memory, when this
    returns.
    """
    path = Path(os.path.realpath(path))  # a link of the learner's stays a link
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(draft, "wb") as handle:
            handle.write(data)
            handle.flush()
            if durable:
                os.fsync(handle.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Delete a file, and the folders that are empty without it."""
    path.unlink(missing_ok=True)
    folder = path.parent
    while folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
