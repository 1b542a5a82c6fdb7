"""The pictures of chapter 06: digits whose pixels are shuffled, and digits moved aside; one filter
on sixteen pixels, its windows as columns, the way back through pooling; a deep network with batch
norm and without.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, CYCLE, GREY

CELL, EDGE, TITLE = 0.42, 0.16, 0.55  # inches: a number's cell, around everything, above it
BLUE, ORANGE, GREEN = "#CFE5F2", "#FBE3B5", "#C4E6DB"  # tints under numbers
MEAN_OVER = 10  # steps: the loss of a single batch jumps about
HALF_WAY = 0.5  # of guessing: a loss below that has been learned
DASHES = ("-", "--", "-.", ":")

Tints = Mapping[tuple[int, ...], str]


def title(picture: Picture, text: str) -> None:
    """What the picture shows, over all its panels."""
    picture.figure.suptitle(text, x=0.01, ha="left", size=12, weight="bold")


@in_style
def shuffled(rows: Mapping[str, Any], right: Mapping[str, float]) -> Picture:
    """Rows of images (n, 8, 8), each with the share of 1 that a network of its own reads right."""
    picture = Picture(7.0, 2.0)
    (first, before), (last, after) = right.items()
    title(
        picture,
        f"{first.capitalize()}, it reads {100 * before:.1f} % of the unseen digits; {last}, "
        f"{100 * after:.1f} %",
    )
    count = len(next(iter(rows.values())))
    panels = picture.figure.subplots(len(rows), count, squeeze=False)
    for line, (name, images) in zip(panels, rows.items(), strict=True):
        for axes, image in zip(line, images, strict=True):
            axes.imshow(np.asarray(image), cmap="gray_r", vmin=0, vmax=1)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.grid(False)
            axes.spines[:].set_visible(True)
        line[0].set_ylabel(name, rotation=0, ha="right", va="center", labelpad=8)
    return picture


@in_style
def shifts(tables: Mapping[str, Any]) -> Picture:
    """Shares of 1 read right of digits that are moved by [row - 1, column - 1] pixels, down and to
    the right: a table (3, 3) for each network.
    """
    shares = {name: 100 * np.asarray(table) for name, table in tables.items()}
    picture = Picture(7.0, 3.1 if len(shares) == 1 else 3.4)
    said = (
        f"{name} from {table[1, 1]:.0f} to {table[1, ::2].mean():.0f} %"
        for name, table in shares.items()
    )
    title(picture, "One pixel to the side: " + ", ".join(said))
    panels = picture.figure.subplots(1, len(shares), squeeze=False)[0]
    for axes, (name, table) in zip(panels, shares.items(), strict=True):
        axes.imshow(table, cmap="Blues", vmin=0, vmax=160)  # so pale that black can be read on it
        for (row, col), share in np.ndenumerate(table):
            weight = "bold" if row == col == 1 else "normal"
            axes.text(col, row, f"{share:.0f} %", ha="center", va="center", weight=weight)
        axes.set_title(name, weight="normal", fontsize=11)
        axes.set_xticks(range(3), ["1 left", "0", "1 right"])
        axes.set_yticks(range(3), ["1 up", "0", "1 down"])
        axes.grid(False)
    return picture


def tinted(chosen: Any, colour: str) -> Tints:
    """The cells where `chosen` is true, all in one colour."""
    return dict.fromkeys([tuple(at.tolist()) for at in np.argwhere(chosen)], colour)


class Page:
    """A picture of grids with numbers in their cells; places are in inches, from above."""

    def __init__(self, height: float, text: str) -> None:
        self.picture = Picture(7.0, height)
        self.height = height
        self.picture.figure.set_layout_engine("none")
        self.axes: Axes = self.picture.figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set_axis_off()
        self.axes.set_xlim(0, 7.0)
        self.axes.set_ylim(height, 0)
        self.axes.text(EDGE, 0.1, text, va="top", fontsize=12, weight="bold")

    def grid(self, x: float, y: float, name: str, numbers: Any, tints: Tints) -> None:
        """Numbers (rows, cols) with their name above; cells named in tints are coloured."""
        self.axes.text(x, y - 0.08, name, va="bottom")
        for (row, col), number in np.ndenumerate(np.asarray(numbers)):
            at = (x + col * CELL, y + row * CELL)
            tint = tints.get((row, col), "white")
            self.axes.add_patch(Rectangle(at, CELL, CELL, facecolor=tint, edgecolor=GREY, lw=0.8))
            said = f"{number:g}".replace("-", "−")
            self.axes.text(
                at[0] + CELL / 2, at[1] + CELL / 2, said, ha="center", va="center_baseline"
            )

    def frame(self, x: float, y: float, cells: Sequence[int], colour: str) -> None:
        """A frame around (row, col, rows, cols) of the grid at (x, y)."""
        row, col, rows, cols = cells
        at = (x + col * CELL, y + row * CELL)
        size = (cols * CELL, rows * CELL)
        self.axes.add_patch(Rectangle(at, *size, fill=False, edgecolor=COLOURS[colour], lw=2.6))

    def sign(self, x: float, y: float, text: str) -> None:
        self.axes.text(x, y, text, ha="center", va="center", fontsize=15)


@in_style
def by_hand(image: Any, weights: Any, out: Any, places: Sequence[tuple[int, int]]) -> Picture:
    """One filter on one image, with the windows at these places of the result framed."""
    image, weights, out = (np.asarray(each) for each in (image, weights, out))
    tall, wide = image.shape
    high, broad = weights.shape
    page = Page(
        TITLE + 0.3 + tall * CELL + EDGE,
        f"The same {weights.size} weights at {out.size} places; the largest sum is {out.max():g}",
    )
    top = TITLE + 0.3
    left = EDGE + 0.1
    middle = left + wide * CELL + 0.6
    last = middle + broad * CELL + 0.6
    page.grid(left, top, "image", image, {})
    page.grid(middle, top, "filter", weights, {})
    page.grid(last, top, "result", out, tinted(out == out.max(), ORANGE))
    page.sign(middle - 0.3, top + CELL, "∗")
    page.sign(last - 0.3, top + CELL, "=")
    for (row, col), colour in zip(places, ("blue", "vermilion"), strict=True):
        page.frame(left, top, (row, col, high, broad), colour)
        page.frame(last, top, (row, col, 1, 1), colour)
    return page.picture


@in_style
def columns(image: Any, found: Any, places: Sequence[tuple[int, int]]) -> Picture:
    """Which pixel goes into which column: an image (H, W) whose numbers name its pixels, all its
    windows (h, w, rows, cols), and two of them, by row and column, framed.
    """
    image, found = np.asarray(image), np.asarray(found)
    high, wide, rows, cols = found.shape
    table = found.reshape(high * wide, rows * cols)
    first, second = (found[:, :, row, col] for row, col in places)
    both = np.intersect1d(first, second)
    page = Page(
        TITLE + 0.3 + max(len(image), len(table)) * CELL + EDGE,
        f"{rows * cols} windows, {rows * cols} columns: {image.size} pixels are written down "
        f"{table.size} times",
    )
    top, left = TITLE + 0.3, EDGE + 0.1
    right = 7.0 - EDGE - rows * cols * CELL
    page.grid(left, top, "image: pixels by number", image, tinted(np.isin(image, both), GREEN))
    at_all = [row * cols + col for row, col in places]
    again = np.isin(table, both) & np.isin(np.arange(rows * cols), at_all)
    page.grid(right, top, "columns: one for each window", table, tinted(again, GREEN))
    page.sign((left + len(image[0]) * CELL + right) / 2, top + len(table) * CELL / 2, "→")
    for (row, col), column, colour in zip(places, at_all, ("blue", "vermilion"), strict=True):
        page.frame(left, top, (row, col, high, wide), colour)
        page.frame(right, top, (0, column, len(table), 1), colour)
    return page.picture


@in_style
def pooled(image: Any, out: Any, g: Any, back: Any) -> Picture:
    """Max pooling (H, W) -> (rows, cols), and the gradient g of its result on its way back."""
    image, out, g, back = (np.asarray(each) for each in (image, out, g, back))
    page = Page(
        TITLE + 0.3 + len(image) * CELL + EDGE,
        f"{g.size} gradients reach {np.count_nonzero(back)} pixels; "
        f"{back.size - np.count_nonzero(back)} pixels get none",
    )
    top, gap = TITLE + 0.3, 0.52
    x = EDGE + 0.1
    for name, numbers, tints, sign in (
        ("image", image, tinted(back, BLUE), "→"),
        ("largest", out, tinted(np.ones(out.shape), BLUE), ""),
        ("its gradient", g, tinted(g, ORANGE), "→"),
        ("the image's gradient", back, tinted(back, ORANGE), ""),
    ):
        page.grid(x, top, name, numbers, tints)
        x += numbers.shape[1] * CELL + gap
        page.sign(x - gap / 2, top + CELL * len(out) / 2, sign)
    return page.picture


@in_style
def deep(losses: Mapping[str, Sequence[float]], layers: int) -> Picture:
    """Training losses of networks of so many layers, over steps."""
    smooth = {
        name: np.convolve(each, np.ones(MEAN_OVER) / MEAN_OVER, mode="valid")
        for name, each in losses.items()
    }
    picture = Picture(7.0, 3.6)
    guessing = float(np.log(10))
    learned = [name for name, each in smooth.items() if each[-1] < HALF_WAY * guessing]
    said = "nothing is learned" if not learned else "what learns is the network"
    axes = plot_area(
        picture,
        " ".join([f"{layers} layers: {said}", " and ".join(learned)]).rstrip(),
        "step",
        f"loss (nats), mean of {MEAN_OVER} steps",
    )
    for (name, each), colour, dashes in zip(smooth.items(), CYCLE, DASHES, strict=False):
        axes.plot(np.arange(len(each)) + MEAN_OVER, each, color=colour, ls=dashes, label=name)
    axes.axhline(guessing, color=COLOURS["black"], lw=0.8, ls=":", label="guessing: log 10")
    axes.set_ylim(0, 1.35 * guessing)
    axes.set_xlim(left=0)
    axes.legend(loc="lower left")
    return picture
