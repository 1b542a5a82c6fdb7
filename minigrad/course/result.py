"""What a training run of the course has to tell."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.course.pictures import Picture


@dataclass(frozen=True)
class Result:
    """What came out.

    figures     for --json
    pictures    by file name
    stopped     Ctrl-C came before the end
    checkpoint  the file to go on from, if there is one
    kept        after how many steps it was written
    """

    figures: dict[str, Any]
    pictures: dict[str, Picture]
    stopped: bool = False
    checkpoint: Path | None = None
    kept: int | None = None

    def save(self, folder: Path) -> list[Path]:
        """Write the pictures; the files, in order."""
        return [picture.save(folder / name) for name, picture in self.pictures.items()]
