"""What the learner wrote is copied to .minigrad/backup/ before anything overwrites it."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from minigrad.course.files import replace
from minigrad.course.workspace import Workspace


@dataclass
class Report:
    """What a command did, line by line; `code` is its exit code, `written` the files it wrote."""

    lines: list[str] = field(default_factory=list)
    code: int = 0
    written: list[str] = field(default_factory=list)


class Backup:
    """One folder below .minigrad/backup/ for one command, made when something is saved in it."""

    def __init__(self, workspace: Workspace, folder: Path | None = None) -> None:
        self.workspace = workspace
        self._folder = folder

    @property
    def folder(self) -> Path:
        if self._folder is None:
            root = self.workspace.state_dir / "backup"
            stamp = time.strftime("%Y%m%d-%H%M%S")
            number = 1
            while True:
                folder = root / (stamp if number == 1 else f"{stamp}-{number}")
                try:
                    folder.mkdir(parents=True)
                except FileExistsError:
                    number += 1
                else:
                    self._folder = folder
                    break
        return self._folder

    def save(self, name: str, data: bytes) -> str:
        """Keep `data` under `name`, beside what already has that name; the path as reports show
        it.
        """
        path = self.folder / name
        number = 1
        while path.exists() and path.read_bytes() != data:
            number += 1
            path = (self.folder / name).with_name(f"{number}_{Path(name).name}")
        replace(path, data)
        return self.workspace.shown(path)
