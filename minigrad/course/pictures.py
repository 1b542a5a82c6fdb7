"""How every picture of the course looks: one palette, one kind of axes, 700 pixels wide.

Figures are made without pyplot: no global state, no window, the same bytes in a notebook, a child
process and a test.
"""

import io
import os
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

# Okabe and Ito: told apart by colour-blind readers and in grey print.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILION, PURPLE = "#F0E442", "#0072B2", "#D55E00", "#CC79A7"
GREY = "#666666"
DPI = 100


class Picture(Figure):
    """A figure that a notebook shows by itself."""

    def __init__(self, width: float = 7.0, height: float = 4.4) -> None:
        """width and height in inches of 100 pixels."""
        super().__init__(figsize=(width, height), dpi=DPI, facecolor="white", layout="constrained")

    def _repr_png_(self) -> bytes:
        """A PNG of 128 colours: a third of the size, and a notebook has to carry it."""
        full, small = io.BytesIO(), io.BytesIO()
        self.savefig(full, format="png")
        image = Image.open(full).convert("RGB").quantize(128, dither=Image.Dither.NONE)
        image.save(small, format="png", optimize=True)
        return small.getvalue()

    def save(self, path: Path) -> Path:
        """Write a PNG, whole or not at all."""
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_bytes(self._repr_png_())
        os.replace(unfinished, path)
        return path


def plot_area(picture: Picture, title: str, x: str, y: str) -> Axes:
    """Axes with a title that states the finding, and named axes with their units."""
    axes = picture.add_subplot()
    axes.set_title(title, loc="left", fontsize=12, fontweight="bold", pad=12)
    axes.set_xlabel(x, fontsize=11)
    axes.set_ylabel(y, fontsize=11)
    axes.tick_params(labelsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return axes
