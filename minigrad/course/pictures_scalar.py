"""The pictures of chapter 01: an expression as a graph, and how far differences can be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, GREY

BOX = (1.02, 0.74)  # inches
COLUMN, ROW = 1.86, 1.18  # inches between the middles of two boxes
LONG_BEND, TWIN_BEND = 0.28, 0.3
SIGNS = {"*": "×", "-": "−", "/": "÷"}


class Drawable(Protocol):
    """What a node needs to be drawn; Value has it."""

    data: float
    grad: float
    op: str

    @property
    def parents(self) -> tuple[Any, ...]: ...

    @property
    def slopes(self) -> tuple[float, ...]: ...


@dataclass(eq=False)
class Drawn:
    """A node worked out by hand, for a picture that stands before there is any code to draw."""

    data: float
    grad: float
    parents: tuple["Drawn", ...] = ()
    slopes: tuple[float, ...] = ()
    op: str = ""


@in_style
def by_hand() -> Picture:
    """L = (a * b + c) * a at a = 2, b = -3, c = 10, with every slope and gradient filled in."""
    a, b, c = Drawn(2.0, -2.0), Drawn(-3.0, 4.0), Drawn(10.0, 2.0)
    product = Drawn(-6.0, 2.0, (a, b), (-3.0, 2.0), "*")
    total = Drawn(4.0, 2.0, (product, c), (1.0, 1.0), "+")
    root = Drawn(8.0, 1.0, (total, a), (2.0, 4.0), "*")
    return graph(root, {"a": a, "b": b, "c": c, "L": root})


@in_style
def graph(root: Drawable, names: dict[str, Any]) -> Picture:
    """An expression of up to about fifteen nodes, left to right, with a slope on every arrow.

    names gives some nodes a name.
    """
    nodes = _nodes(root)
    column = _columns(nodes)
    place = _places(nodes, column)
    called = {id(node): name for name, node in names.items()}
    across = max(column.values()) + 1
    tops = [y + BOX[1] / 2 for _, y in place.values()]
    for node in nodes:
        for parent in node.parents:
            span = column[id(node)] - column[id(parent)]
            if span > 1:  # this arrow flies over the boxes
                tops.append(place[id(parent)][1] + BOX[1] / 2 + LONG_BEND / 2 * span * COLUMN)
    top, bottom = max(tops) + 0.15, min(y for _, y in place.values()) - BOX[1] / 2 - 0.12
    width = (across - 1) * COLUMN + BOX[0] + 0.24
    picture = Picture(width, top - bottom)
    picture.figure.set_layout_engine("none")
    axes = picture.figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(-BOX[0] / 2 - 0.12, width - BOX[0] / 2 - 0.12)
    axes.set_ylim(bottom, top)
    for node in nodes:
        for slot, (parent, slope) in enumerate(zip(node.parents, node.slopes, strict=True)):
            twice = node.parents.count(parent) > 1
            span = column[id(node)] - column[id(parent)]
            _edge(axes, place[id(parent)], place[id(node)], slope, span, slot if twice else -1)
    for node in nodes:
        _box(axes, place[id(node)], node, called.get(id(node), ""))
    return picture


def _nodes(root: Drawable) -> list[Any]:
    """Parents first. Recursion is fine for a picture, and works before order() is written."""
    found: list[Any] = []

    def visit(node: Any) -> None:
        if all(node is not each for each in found):
            for parent in node.parents:
                visit(parent)
            found.append(node)

    visit(root)
    return found


def _columns(nodes: list[Any]) -> dict[int, int]:
    """Operations by their depth; a leaf stands right before the first node that uses it."""
    column: dict[int, int] = {}
    for node in nodes:
        column[id(node)] = max((column[id(p)] + 1 for p in node.parents), default=0)
    for node in nodes:
        if not node.parents:
            users = [column[id(n)] for n in nodes if any(p is node for p in n.parents)]
            column[id(node)] = min(users, default=1) - 1
    return column


def _places(nodes: list[Any], column: dict[int, int]) -> dict[int, tuple[float, float]]:
    place = {}
    for at in range(max(column.values()) + 1):
        here = [node for node in nodes if column[id(node)] == at]
        for row, node in enumerate(here):
            place[id(node)] = (at * COLUMN, ((len(here) - 1) / 2 - row) * ROW)
    return place


def _box(axes: Axes, middle: tuple[float, float], node: Any, name: str) -> None:
    x, y = middle
    left, low = x - BOX[0] / 2, y - BOX[1] / 2
    axes.add_patch(
        FancyBboxPatch(
            (left, low),
            *BOX,
            boxstyle="round,pad=0,rounding_size=0.1",
            facecolor="#FFFFFF" if node.parents else "#E8F1F8",
            edgecolor=COLOURS["black"],
            linewidth=1.1,
        )
    )
    sign = SIGNS.get(node.op, node.op)
    title = f"{name} = {sign}" if name and sign else name or sign
    axes.text(x, y + 0.23, title, ha="center", va="center", fontsize=11, color=COLOURS["blue"])
    axes.text(x, y - 0.01, _number(node.data), ha="center", va="center", fontsize=12)
    grad = f"grad {_number(node.grad)}"
    axes.text(
        x, y - 0.24, grad, ha="center", va="center", fontsize=10.5, color=COLOURS["vermilion"]
    )


def _number(x: float) -> str:
    return f"{x:.3g}".replace("-", "−")


def _edge(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    slope: float,
    span: int,
    slot: int,
) -> None:
    """slot is 0 or 1 for the two arrows from one node to another that uses it twice, else -1."""
    bend = -LONG_BEND if span > 1 else {0: -TWIN_BEND, 1: TWIN_BEND}.get(slot, 0.0)
    high = span > 1
    begin = (start[0], start[1] + BOX[1] / 2) if high else (start[0] + BOX[0] / 2, start[1])
    finish = (end[0], end[1] + BOX[1] / 2) if high else (end[0] - BOX[0] / 2, end[1])
    axes.add_patch(
        FancyArrowPatch(
            begin,
            finish,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=13,
            color=GREY,
            linewidth=1.2,
            shrinkA=2,
            shrinkB=2,
        )
    )
    # arc3 lifts its middle by half of the bend times the length, to the left of the way.
    dx, dy = finish[0] - begin[0], finish[1] - begin[1]
    x = (begin[0] + finish[0]) / 2 + bend * dy / 2
    y = (begin[1] + finish[1]) / 2 - bend * dx / 2
    axes.text(
        x,
        y,
        _number(slope),
        ha="center",
        va="center",
        fontsize=10,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )


@in_style
def differences(
    steps: Sequence[float], forward: Sequence[float], central: Sequence[float], backward: float
) -> Picture:
    """Relative errors of a slope: two finite differences over the step h, and backward's."""
    picture = Picture(7.0, 4.6)
    curves = [
        (forward, COLOURS["blue"], "o", "(f(x + h) − f(x)) / h"),
        (central, COLOURS["orange"], "s", "(f(x + h) − f(x − h)) / 2h"),
    ]
    best = [min(range(len(steps)), key=errors.__getitem__) for errors, *_ in curves]
    turn = round(np.log10(steps[best[0]]))
    axes = plot_area(
        picture,
        f"Below h = 1e{turn} a smaller step makes it worse",
        "step h (in units of x)",
        "relative error of the slope",
    )
    for (errors, colour, marker, name), at in zip(curves, best, strict=True):
        axes.loglog(steps, errors, marker, ls="-", color=colour, ms=4, lw=1.4, label=name)
        axes.loglog(
            steps[at], errors[at], marker, color=colour, ms=11, mec=COLOURS["black"], mew=1.3
        )
    # An error of nothing has no place on this axis: half a rounding stands for it.
    level = max(backward, np.finfo(float).eps / 2)
    axes.axhline(level, color=COLOURS["vermilion"], lw=2)
    axes.text(steps[0], level * 1.7, "backward: no h at all", fontsize=11, ha="right")
    axes.set_ylim(1e-17, 10)
    axes.legend(fontsize=11, loc="lower left", bbox_to_anchor=(0.0, 0.14))
    return picture
