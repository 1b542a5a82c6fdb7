"""Pictures as figures without pyplot: no global state, no window, the same bytes in a notebook, a
child process and a test. How they look stands in style.py.
"""

import io
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from minigrad.course import style

P = ParamSpec("P")


class Picture:
    """A figure that a notebook shows by itself, and that `save` writes to a file."""

    def __init__(self, width: float = 7.0, height: float = 4.4) -> None:
        """width and height in inches of 100 pixels."""
        self.figure = Figure(figsize=(width, height))

    def _repr_png_(self) -> bytes:
        """A PNG of 128 colours: a third of the size, and a notebook has to carry it."""
        full, small = io.BytesIO(), io.BytesIO()
        with matplotlib.rc_context(style.RULES):
            self.figure.savefig(full, format="png", metadata=style.METADATA)
        image = Image.open(full).convert("RGB").quantize(128, dither=Image.Dither.NONE)
        image.save(small, format="png", optimize=True)
        return small.getvalue()

    def save(self, path: Path) -> Path:
        """Write a PNG, whole or not at all."""
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_bytes(self._repr_png_())
        os.replace(unfinished, path)
        return path


def in_style(draw: Callable[P, Picture]) -> Callable[P, Picture]:
    """A function that draws in the style of the course, whatever the user's settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Picture:
        with matplotlib.rc_context():
            style.use()
            return draw(*args, **kwargs)

    return drawn


def plot_area(picture: Picture, title: str, x: str, y: str) -> Axes:
    """Axes with a title that states the finding, and named axes with their units."""
    axes = picture.figure.add_subplot()
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    return axes
