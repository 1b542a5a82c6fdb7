"""The pictures of chapter 03: all the slopes of a product, what a broadcast sends back, a softmax
that overflows beside one that does not, and the table of gradient errors.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Rectangle

from minigrad.course.op_table import WRONG
from minigrad.course.pictures import Picture, in_style
from minigrad.course.style import COLOURS, CYCLE, GREY
from minigrad.differences import TOLERANCE

Numbers = np.ndarray[Any, np.dtype[Any]]

CELL = 0.62  # inches, of a cell with a number in it
PALE = "#F2F2F2"


@in_style
def jacobian() -> Picture:
    """Every slope of x @ w, with x (3, 4) and w (4, 2): 6 results along 12 inputs."""
    w = np.array([[1.0, -3.0], [2.0, 1.0], [-2.0, 3.0], [3.0, -1.0]])
    rows, (inner, cols) = 3, w.shape
    slopes = np.kron(np.eye(rows), w.T)  # (x @ w)[i, j] rises by w[k, j] with x[i, k]
    share = np.count_nonzero(slopes) / slopes.size
    picture = Picture(7.0, 3.7)
    axes = picture.figure.add_subplot()
    axes.set_title(
        f"All {slopes.size} slopes of x @ w: {100 * (1 - share):.0f} % zeros, the rest is w"
    )
    shades = ["#0072B2", "#56A5D0", "#B7D7EA", "white", "#F5CFB4", "#E89660", "#D55E00"]
    axes.imshow(slopes, cmap=ListedColormap(shades), vmin=-3.5, vmax=3.5, aspect="equal")
    for (r, c), slope in np.ndenumerate(slopes):
        axes.text(
            c,
            r,
            f"{slope:.0f}".replace("-", "−") if slope else "0",
            ha="center",
            va="center",
            color="white" if abs(slope) == 3 else "black" if slope else "#B0B0B0",
        )
    for i in range(rows):
        corner = (i * inner - 0.5, i * cols - 0.5)
        axes.add_patch(Rectangle(corner, inner, cols, fill=False, lw=1.8, ec=COLOURS["black"]))
    axes.set_xticks(range(rows * inner), [f"{i},{k}" for i in range(rows) for k in range(inner)])
    axes.set_yticks(range(rows * cols), [f"{i},{j}" for i in range(rows) for j in range(cols)])
    axes.set_xlabel("element of x (row, column)")
    axes.set_ylabel("element of x @ w")
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    return picture


@in_style
def sent_back(g: Any, dx: Any, dy: Any) -> Picture:
    """The gradient of x + y, with x (R, 1) and y (1, C), and what of it reaches x and y.

    g (R, C), dx (R, 1), dy (1, C).
    """
    g, dx, dy = np.asarray(g), np.asarray(dx), np.asarray(dy)
    rows, cols = g.shape
    gap = 0.9
    picture = Picture((cols + gap + 4.2) * CELL, (rows + gap + 3.2) * CELL)
    axes = _blank(picture, (-0.3, cols + gap + 3.9), (rows + gap + 1.8, -1.4))
    title = "What was repeated gets the sum of what comes back"
    axes.text(0, -1.0, title, fontsize=12, weight="bold", va="center")
    _grid(axes, (0.0, 0.0), g, "white")
    _grid(axes, (cols + gap, 0.0), dx, "#DDEBF5")
    _grid(axes, (0.0, rows + gap), dy, "#FBE9D3")
    axes.text(cols / 2, -0.2, f"g {g.shape}", ha="center")
    axes.text(cols + gap + 0.5, -0.2, f"dx {dx.shape}", ha="center", color=COLOURS["blue"])
    axes.text(cols + 0.3, rows + gap + 0.5, f"dy {dy.shape}", va="center", color="#9A5B00")
    for r in range(rows):
        _arrow(axes, (cols + 0.12, r + 0.5), (cols + gap - 0.12, r + 0.5), COLOURS["blue"])
    for c in range(cols):
        _arrow(axes, (c + 0.5, rows + 0.12), (c + 0.5, rows + gap - 0.12), COLOURS["orange"])
    axes.text(cols + gap + 1.3, rows / 2, "each row\nadded up", va="center", color=GREY)
    axes.text(cols / 2, rows + gap + 1.4, "each column added up", ha="center", color=GREY)
    return picture


def _blank(picture: Picture, x: tuple[float, float], y: tuple[float, float]) -> Axes:
    picture.figure.set_layout_engine("none")
    axes = picture.figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    return axes


def _grid(axes: Axes, corner: tuple[float, float], values: Numbers, colour: str) -> None:
    left, top = corner
    for (r, c), value in np.ndenumerate(values):
        axes.add_patch(Rectangle((left + c, top + r), 1, 1, fc=colour, ec=COLOURS["black"], lw=0.9))
        text = f"{value:.3g}".replace("-", "−")
        axes.text(left + c + 0.5, top + r + 0.5, text, ha="center", va="center", fontsize=12)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str) -> None:
    style = {"arrowstyle": "-|>", "color": colour, "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=style)


@in_style
def softmaxes(shifts: Any, formula: Any, shifted: Any) -> Picture:
    """Beliefs over what was added to all scores: once by the formula, once with the largest score
    taken off.

    shifts (N,); formula and shifted (N, classes). NaN is where nothing is drawn.
    """
    at = np.asarray(shifts)
    beliefs = [np.asarray(formula), np.asarray(shifted)]
    finite = [np.isfinite(each).all(axis=1) for each in beliefs]
    picture = Picture(7.0, 3.9)
    ends = " to ".join(
        f"{int(x)}".replace("-", "−") for x in (at[finite[0]].min(), at[finite[0]].max())
    )
    lasts = "the shifted one everywhere" if finite[1].all() else "no more than the shifted one"
    picture.figure.suptitle(
        f"The formula lasts from {ends}, {lasts}",
        x=0.01,
        ha="left",
        fontsize=12,
        weight="bold",
    )
    panels = picture.figure.subplots(1, 2, sharey=True)
    names = ("by the formula", "the largest score taken off first")
    for axes, each, fine, name in zip(panels, beliefs, finite, names, strict=True):
        axes.set_title(name, weight="normal", fontsize=11)
        for k, colour in zip(range(each.shape[1]), CYCLE, strict=False):
            axes.plot(at, each[:, k], color=colour)
            middle = each[len(at) // 2, k]
            axes.text(0, middle + 0.02, f"class {k}", ha="center", color=colour)
        for side in (at < at[fine].min(), at > at[fine].max()):
            if side.any():
                start, end = at[side].min(), at[side].max()
                axes.axvspan(start, end, color="#ECECEC", lw=0)
                axes.text((start + end) / 2, 0.5, "NaN", ha="center", va="center", color=GREY)
        axes.set_xlabel("added to all three scores")
        axes.set_xlim(at.min(), at.max())
        axes.set_ylim(0, 1.02)
    panels[0].set_ylabel("belief (probability)")
    return picture


@in_style
def error_table(errors: Mapping[str, float | str]) -> Picture:
    """Each op with the largest error of its gradient on a logarithmic scale, in columns.

    errors: what op_table.errors gives: an error, or a word that says why there is none.
    """
    names = sorted(errors)
    columns = 3
    rows = ceil(len(names) / columns)
    picture = Picture(7.0, 0.205 * rows + 1.05)
    panels = picture.figure.subplots(1, columns, squeeze=False)[0]
    for k, axes in enumerate(panels):
        _error_column(axes, names[k * rows : (k + 1) * rows], errors, rows)
    panels[columns // 2].set_xlabel("largest error of the gradient, relative")
    picture.figure.suptitle(_finding(errors), x=0.01, ha="left", fontsize=12, weight="bold")
    return picture


def _finding(errors: Mapping[str, float | str]) -> str:
    count, right = len(errors), [e for e in errors.values() if isinstance(e, float)]
    wrong = [name for name, error in errors.items() if error == WRONG]
    if wrong:
        return f"{len(wrong)} of {count} gradients wrong: {', '.join(wrong[:4])}"
    if len(right) < count:
        return f"{len(right)} of {count} gradients right, the others wait for open exercises"
    return f"All {count} gradients are right: the largest error is {max(right):.0e}"


def _error_column(
    axes: Axes,
    names: Sequence[str],
    errors: Mapping[str, float | str],
    rows: int,
) -> None:
    floor, ceiling = 1e-17, 1e-5  # no error at all is drawn at the floor
    axes.set_xscale("log")
    axes.set_xlim(floor / 3, ceiling)
    axes.set_ylim(rows - 0.4, -0.6)
    short = [name if len(name) <= 18 else f"{name[:17]}…" for name in names]
    axes.set_yticks(range(len(names)), short, fontsize=9, color="black", family="monospace")
    axes.set_xticks([floor, 1e-13, TOLERANCE], ["0", "$10^{-13}$", "$10^{-8}$"])
    axes.minorticks_off()
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=8.5)
    axes.grid(False)
    axes.axvline(TOLERANCE, color=GREY, lw=1, ls=":")
    for row, name in enumerate(names):
        error = errors[name]
        axes.axhline(row, color=PALE, lw=0.8, zorder=0)
        if isinstance(error, str):
            axes.text(floor, row, error, fontsize=8.5, va="center", color=COLOURS["vermilion"])
            continue
        shown = max(error, floor)
        axes.plot([floor / 3, shown], [row, row], color=COLOURS["blue"], lw=1.2, alpha=0.5)
        axes.plot(shown, row, "o", color=COLOURS["blue"], ms=5)
