"""What is inside a network with filters: what they look for, and what it needs to see."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from minigrad.course.pictures import Picture, in_style
from minigrad.course.style import COLOURS

PATCH, GREY = 3, 0.5  # pixels of a side; halfway between paper and ink
SHOWN = 6  # digits with a patch
ROW = 8  # filters beside each other
ASIDE, LABEL = 2.8, 0.4  # room for the digit and for a line of text, in filters
LINE = "#B0B0B0"
SIGNS = LinearSegmentedColormap.from_list("signs", [COLOURS["blue"], "white", COLOURS["vermilion"]])
SHARES = Normalize(0.0, 1.0)
CHANCE = LinearSegmentedColormap.from_list("chance", [COLOURS["vermilion"], "white"])

Images = NDArray[Any]


@in_style
def filters(digit: Images, weights: Images, first: Images, second: Images) -> Picture:
    """One digit (8, 8), the first layer's filters (n, 3, 3), and what two layers find in it: maps
    (n, 8, 8) and (m, 4, 4), 0 where they find nothing.
    """
    picture = Picture(7.0, 4.4)
    axes = picture.figure.add_subplot()
    lit = (first > 0).mean(axis=(1, 2))
    axes.set_title(
        f"Each filter lights up strokes of its own: {100 * lit.min():.0f} to "
        f"{100 * lit.max():.0f} % of the digit"
    )
    tile(axes, digit, (0.0, LABEL), 1.9, "gray_r")
    most = np.abs(weights).max()
    for k, (weight, found) in enumerate(zip(weights, first, strict=True)):
        x, y = ASIDE + k % ROW, LABEL + 2.15 * (k // ROW)
        tile(axes, weight, (x, y), 0.9, SIGNS, -most, most)
        tile(axes, found, (x, y + 0.97), 0.9, "gray_r")
    below = LABEL + 2.15 * -(-len(weights) // ROW) + LABEL
    for k, found in enumerate(second):
        place = ASIDE + 0.5 * (k % (2 * ROW)), below + 0.5 * (k // (2 * ROW))
        tile(axes, found, place, 0.45, "gray_r")
    said = f"the {len(weights)} filters of the first layer, and what each lights up"
    axes.text(ASIDE, LABEL - 0.12, said)
    axes.text(ASIDE, below - 0.12, f"what the {len(second)} filters of the second layer light up")
    said = "ink where a filter is\norange counts for it,\nwhere it is blue,\nagainst it"
    axes.text(0.0, LABEL + 2.15, said, va="top")
    bottom = below + 0.5 * -(-len(second) // (2 * ROW))
    axes.set(xlim=(-0.02, ASIDE + ROW), ylim=(bottom, 0.0), aspect="equal")
    axes.axis("off")
    return picture


def tile(
    axes: Axes,
    image: Images,
    place: tuple[float, float],
    size: float,
    colours: Any,
    least: float | None = 0.0,
    most: float | None = None,
) -> None:
    """An image into a square of the plot, its left upper corner at `place`."""
    x, y = place
    extent = (x, x + size, y + size, y)
    axes.imshow(image, cmap=colours, vmin=least, vmax=most, extent=extent)
    axes.add_patch(Rectangle(place, size, size, fill=False, ec=LINE, lw=0.6))


@dataclass(frozen=True)
class Hidden:
    """A digit that is read right, and the chance the network gives it while a patch is over it.

    digit   (8, 8), what it is
    sure    its chance with nothing hidden
    chance  (8, 8): with the patch over a pixel in the middle
    read    what it is read as where that is lowest
    """

    digit: Images
    label: int
    sure: float
    chance: Images
    read: int

    @property
    def worst(self) -> tuple[int, int]:
        """Row and column of the patch that hurts most."""
        row, column = np.unravel_index(int(self.chance.argmin()), self.chance.shape)
        return int(row), int(column)


def hide(
    chances: Callable[[Images], Images], images: Images, labels: NDArray[np.int64]
) -> list[Hidden]:
    """Slide a grey patch over each of the images (n, height, width).

    chances: of each kind, (n, kinds), for images.
    """
    found = []
    for digit, label in zip(images, labels, strict=True):
        after = chances(np.stack([digit, *covered(digit)]))
        chance = after[1:, label].reshape(digit.shape)
        read = int(after[1 + int(chance.argmin())].argmax())
        found.append(Hidden(digit, int(label), float(after[0, label]), chance, read))
    return found


def covered(digit: Images) -> Images:
    """The digit (height, width) with a patch over each of its pixels: (height * width, ...)."""
    out = np.repeat(digit[None], digit.size, axis=0)
    for image, (row, column) in zip(out, np.ndindex(digit.shape), strict=True):
        image[patch(row), patch(column)] = GREY
    return out


def patch(middle: int) -> slice:
    """Where a patch over a pixel lies, along one axis; an edge cuts it."""
    return slice(max(0, middle - PATCH // 2), middle + PATCH // 2 + 1)


@in_style
def hiding(found: list[Hidden]) -> Picture:
    """What a patch does: digits, and below each the chance of the right answer, wherever it is."""
    misread = sum(h.read != h.label for h in found)
    picture = Picture(7.0, 3.0)
    picture.figure.suptitle(
        f"A grey patch of {PATCH} x {PATCH} in the worst place: {misread} of {len(found)} digits "
        "misread",
        x=0.015,
        ha="left",
        fontsize=12,
        weight="bold",
    )
    chosen = telling(found)
    panels = picture.figure.subplots(2, SHOWN, squeeze=False)
    for axes in panels.flat:
        axes.set_axis_off()
    for hidden, (above, below) in zip(chosen, panels.T, strict=False):
        rows, columns = (
            range(*patch(n).indices(size))
            for n, size in zip(hidden.worst, hidden.digit.shape, strict=True)
        )
        for axes, colour in ((above, COLOURS["vermilion"]), (below, COLOURS["black"])):
            axes.set_axis_on()
            axes.grid(False)
            axes.spines[:].set(visible=True, color=LINE)
            axes.set(xticks=[], yticks=[])
            corner = (columns[0] - 0.5, rows[0] - 0.5)
            size = len(columns), len(rows)
            axes.add_patch(Rectangle(corner, *size, fill=False, ec=colour, lw=1.6))
        above.imshow(hidden.digit, cmap="gray_r", vmin=0.0, vmax=1.0)
        above.set_title(f"{hidden.label}", fontsize=10, weight="normal", loc="center", pad=4)
        below.imshow(hidden.chance, cmap=CHANCE, norm=SHARES)
        said = f"worst: {100 * hidden.chance.min():.0f} %"
        said += f",\nread as {hidden.read}" if hidden.read != hidden.label else ""
        below.set_xlabel(said, fontsize=10)
    shades = ScalarMappable(SHARES, CHANCE)
    bar = picture.figure.colorbar(shades, ax=panels[1], shrink=0.8, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["0 %", "50 %", "100 %"])
    bar.set_label("right answer")
    return picture


def telling(found: list[Hidden]) -> list[Hidden]:
    """Those that a patch hurts most, one of each kind."""
    chosen: dict[int, Hidden] = {}
    for hidden in sorted(found, key=lambda h: float(h.chance.min())):
        chosen.setdefault(hidden.label, hidden)
    return list(chosen.values())[:SHOWN]
