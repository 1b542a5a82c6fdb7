"""The pictures of chapter 02: one buffer under several views, and images that are views."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from minigrad.course.pictures import Picture, in_style
from minigrad.course.style import COLOURS, GREY
from minigrad.reference.array import Array

CELL = 0.36  # inches
GAP, EDGE = 0.42, 0.14  # inches between two views, and around everything
TITLE, CAPTION, INDICES = 0.34, 0.68, 0.24  # inches of text above, below a view, below the buffer
# Of the cells: a tint for each quarter of the buffer, so that the eye can follow a number.
TINTS = ("#CFE5F2", "#FBE3B5", "#C4E6DB", "#F3D9E6")
ROUND = 4  # numbers of one tint

Numbers = np.ndarray[Any, Any]


@in_style
def four_views() -> Picture:
    """Twelve numbers, read in four ways. Nothing here needs an exercise to be solved."""
    buffer = np.arange(10, 22)
    readings = {
        "x": Array(buffer, (3, 4), (4, 1), 0),
        "x.T": Array(buffer, (4, 3), (1, 4), 0),
        "x[::-1, ::2]": Array(buffer, (3, 2), (-4, 2), 8),
        "x[0].expand(3, 4)": Array(buffer, (3, 4), (0, 1), 0),
    }
    return views(readings, "One buffer, four arrays: no number was moved")


@in_style
def views(arrays: Mapping[str, Array], title: str) -> Picture:
    """Arrays over one buffer, side by side under it; arrays have one or two axes.

    A cell has the tint of its place in the buffer.
    """
    first = next(iter(arrays.values()))
    if any(a.buffer is not first.buffer for a in arrays.values()):
        raise ValueError("views: these arrays do not all read the same buffer.")
    grids = {name: np.atleast_2d(_places(a)) for name, a in arrays.items()}
    buffer = first.buffer
    widths = [max(g.shape[1] * CELL, _text_width(n, arrays[n])) for n, g in grids.items()]
    width = max(sum(widths) + GAP * (len(widths) - 1), buffer.size * CELL) + 2 * EDGE
    tall = max(g.shape[0] for g in grids.values()) * CELL
    height = 0.4 + CELL + INDICES + TITLE + 0.3 + tall + CAPTION
    picture = Picture(max(width, 7.0), height)
    axes = _page(picture, title)
    left = (picture.figure.get_figwidth() - buffer.size * CELL) / 2
    top = height - 0.48
    _grid(axes, left, top, np.arange(buffer.size)[None, :], buffer)
    for place in range(buffer.size):
        middle = left + (place + 0.5) * CELL
        axes.text(middle, top - CELL - 0.11, str(place), ha="center", va="center", color=GREY)
    axes.text(left - 0.08, top - CELL / 2, "buffer", ha="right", va="center")
    top -= CELL + INDICES + TITLE + 0.2
    room = picture.figure.get_figwidth() - sum(widths) - 2 * EDGE
    gap = room / max(len(widths) - 1, 1)
    left = EDGE + (room / 2 if len(widths) == 1 else 0.0)
    for (name, places), wide in zip(grids.items(), widths, strict=True):
        array = arrays[name]
        axes.text(left, top + 0.1, name, va="bottom", family="monospace", weight="bold")
        _grid(axes, left, top, places, buffer)
        below = top - places.shape[0] * CELL - 0.08
        axes.text(left, below, _caption(array), va="top", linespacing=1.25)
        left += wide + gap
    return picture


@in_style
def images(panels: Mapping[str, tuple[Array, str]], title: str) -> Picture:
    """Arrays of two axes as grey images; each has a name, and a caption that says what it costs."""
    shapes = [array.shape for array, _ in panels.values()]
    ratios = [cols / rows for rows, cols in shapes]
    picture = Picture(7.0, 6.6 / sum(ratios) + 1.15)
    page = picture.figure.subplots(1, len(panels), gridspec_kw={"width_ratios": ratios})
    picture.figure.suptitle(title, x=0.02, ha="left", fontsize=12, weight="bold")
    for axes, (name, (array, caption)) in zip(np.atleast_1d(page), panels.items(), strict=True):
        axes.imshow(array.numpy(), cmap="gray", interpolation="nearest")
        axes.set_title(name, fontsize=10.5, pad=6, family="monospace")
        axes.set_xlabel(caption, fontsize=10.5, color="black")
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set_visible(True)
    return picture


def _places(array: Array) -> Numbers:
    """For each element of an array the place in the buffer where it stands."""
    places = np.arange(array.buffer.size)
    return Array(places, array.shape, array.strides, array.offset).numpy()


def _caption(array: Array) -> str:
    return f"shape {array.shape}\nstrides {array.strides}\noffset {array.offset}"


def _text_width(name: str, array: Array) -> float:
    """The inches that a view's name and caption take, which may be more than its cells."""
    caption = max(len(line) for line in _caption(array).split("\n"))
    return max(0.091 * len(name), 0.085 * caption)


def _page(picture: Picture, title: str) -> Axes:
    """Axes over the whole picture, in inches."""
    width, height = picture.figure.get_size_inches()
    picture.figure.set_layout_engine("none")
    axes = picture.figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.text(EDGE, height - 0.1, title, va="top", fontsize=12, weight="bold")
    return axes


def _grid(axes: Axes, left: float, top: float, places: Numbers, buffer: Numbers) -> None:
    """Cells with the numbers that stand at these places."""
    for (row, col), place in np.ndenumerate(places):
        x, y = left + col * CELL, top - (row + 1) * CELL
        axes.add_patch(
            Rectangle(
                (x, y),
                CELL,
                CELL,
                facecolor=TINTS[place // ROUND % len(TINTS)],
                edgecolor=COLOURS["black"],
                linewidth=0.8,
            )
        )
        text = f"{buffer[place]:g}"
        axes.text(x + CELL / 2, y + CELL / 2, text, ha="center", va="center_baseline")
