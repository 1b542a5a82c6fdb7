"""What a training run of the course has to tell."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.course.pictures import Picture


@dataclass(frozen=True)
class Result:
    """Figures for --json, and pictures by file name. `stopped`: Ctrl-C came before the end."""

    figures: dict[str, Any]
    pictures: dict[str, Picture]
    stopped: bool = False

    def save(self, folder: Path) -> list[Path]:
        """Write the pictures; the files, in order."""
        return [picture.save(folder / name) for name, picture in self.pictures.items()]
