"""The pictures of chapter 04: what a tensor remembers as a graph, a leak, and two ways through
Rosenbrock's valley.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, GREY

Spot = tuple[float, float]
Numbers = np.ndarray[Any, np.dtype[Any]]

BOX = (0.94, 0.5)  # inches
COLUMN, ROW = 1.18, 0.86  # inches between the middles of two boxes
TWIN_BEND, LONG_BEND = 0.25, 0.3
NARROWEST = 6.0  # inches, so that the title has room
START, BOTTOM = (-1.2, 1.0), (1.0, 1.0)
RATE = 0.001  # twice as much, and the first step already climbs
THERE = 1e-8  # so close to the bottom is there
FILLS = {"op": "#FFFFFF", "leaf": "#DDEBF5", "new": "#FBE9D3"}


@in_style
def recorded(result: Any, names: Mapping[str, Any], earlier: Any = None) -> Picture:
    """What a recorded tensor leads to, up to about fifteen nodes: the result at the right, an
    arrow along each edge. Constants are left out: their edge is None.

    names gives leaves, and results, a name. With `earlier`, a recorded tensor too, the ops that do
    not belong to its recording are set off: they came later.
    """
    graph = _graph(result.node)
    called = {tensor.node: name for name, tensor in names.items()}
    shapes = {tensor.node: tensor.shape for tensor in names.values()}
    old = graph if earlier is None else _graph(earlier.node)
    spots = _spots(graph)
    arrows = _arrows(graph, spots)
    xs, ys = zip(*spots.values(), strict=True)
    reach = [arrow.top for arrow in arrows]
    left, low = min(xs) - BOX[0] / 2 - 0.1, min(*ys, *reach) - BOX[1] / 2 - 0.15
    width = max(max(xs) + BOX[0] / 2 + 0.1 - left, NARROWEST)
    height = max(*ys, *reach) + BOX[1] / 2 + 0.6 - low
    picture = Picture(width, height)
    picture.figure.set_layout_engine("none")
    axes = picture.figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(left, left + width)
    axes.set_ylim(low, low + height)
    title = _finding(graph, old)
    axes.text(left + 0.1, low + height - 0.2, title, fontsize=12, weight="bold", va="center")
    for arrow in arrows:
        axes.add_patch(arrow.patch())
    for node, spot in spots.items():
        shape = shapes.get(node, None if node.out is None else node.out.shape)
        kind = "new" if node not in old else "op" if graph[node] else "leaf"
        _box(axes, spot, _title(node, called.get(node, "")), shape, kind)
    return picture


def _graph(root: Any) -> dict[Any, list[Any]]:
    """Each node with the nodes that its edges lead to."""
    found: dict[Any, list[Any]] = {}

    def visit(node: Any) -> None:  # recursion is fine for a picture, and needs no exercise
        if node not in found:
            found[node] = [edge for edge in node.edges if edge is not None]
            for edge in found[node]:
                visit(edge)

    visit(root)
    return found


def _finding(graph: dict[Any, list[Any]], old: dict[Any, list[Any]]) -> str:
    ops = [node for node, ends in graph.items() if ends]
    if graph is old:
        leaves = len(graph) - len(ops)
        leads = "1 leaf" if leaves == 1 else f"{leaves} leaves"
        return f"The result leads back over {_count(len(ops), 'op')} to {leads}"
    before = sum(bool(ends) for ends in old.values())
    new = sum(node not in old for node in ops)
    return f"Walking back over {_count(before, 'op')}, recorded, has left {new} new ones"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _spots(graph: dict[Any, list[Any]]) -> dict[Any, Spot]:
    """A place for each node: left of all that use it, near their middle."""
    column = dict.fromkeys(graph, 0)
    for _ in graph:  # as often as the longest way can be
        for node, ends in graph.items():
            for end in ends:
                column[end] = max(column[end], column[node] + 1)
    spots: dict[Any, Spot] = {}
    for at in range(max(column.values()) + 1):
        here = [node for node in graph if column[node] == at]
        pull = {
            node: [spots[user][1] - 0.01 * ends.index(node)]
            for node in here
            for user, ends in graph.items()
            if node in ends
        }
        here.sort(key=lambda node: -float(np.mean(pull.get(node, [0.0]))))
        for k, node in enumerate(here):
            spots[node] = (-at * COLUMN, ((len(here) - 1) / 2 - k) * ROW)
    return spots


@dataclass(frozen=True)
class Arrow:
    """From a node, at the right, to one that it came from; bend is how far it strays from the
    straight way, as a share of its length, upwards if it is positive.
    """

    begin: Spot
    finish: Spot
    bend: float

    @property
    def top(self) -> float:
        """How high, or with a negative bend how low, a box would stand that just reaches as far."""
        if abs(self.bend) <= TWIN_BEND:
            return self.begin[1]
        lift = self.bend / 2 * abs(self.begin[0] - self.finish[0])
        return (
            (self.begin[1] + self.finish[1]) / 2 + lift - (BOX[1] / 2 if lift > 0 else -BOX[1] / 2)
        )

    def patch(self) -> FancyArrowPatch:
        return FancyArrowPatch(
            self.begin,
            self.finish,
            connectionstyle=f"arc3,rad={self.bend}",
            arrowstyle="-|>",
            mutation_scale=12,
            color=GREY,
            linewidth=1.1,
            shrinkA=1,
            shrinkB=1,
        )


def _arrows(graph: dict[Any, list[Any]], spots: dict[Any, Spot]) -> list[Arrow]:
    found = []
    for node, ends in graph.items():
        for k, end in enumerate(ends):
            (x, y), (to_x, to_y) = spots[node], spots[end]
            if x - to_x > 1.5 * COLUMN:  # over, or below, the boxes between them
                side = 1 if y + to_y >= 0 else -1
                edge = side * BOX[1] / 2
                found.append(Arrow((x, y + edge), (to_x, to_y + edge), side * LONG_BEND))
            else:
                twin = (1 if k else -1) if ends.count(end) > 1 else 0
                begin, finish = (x - BOX[0] / 2, y), (to_x + BOX[0] / 2, to_y)
                found.append(Arrow(begin, finish, twin * TWIN_BEND))
    return found


def _title(node: Any, name: str) -> str:
    return f"{name} = {node.name}" if name and node.edges else name or node.name


def _box(axes: Axes, spot: Spot, title: str, shape: tuple[int, ...] | None, kind: str) -> None:
    x, y = spot
    axes.add_patch(
        FancyBboxPatch(
            (x - BOX[0] / 2, y - BOX[1] / 2),
            *BOX,
            boxstyle="round,pad=0,rounding_size=0.08",
            facecolor=FILLS[kind],
            edgecolor=COLOURS["black"],
            linewidth=1.0,
        )
    )
    middle = y if shape is None else y + 0.1
    size = 10.5 if len(title) < 10 else 9
    axes.text(x, middle, title, ha="center", va="center", fontsize=size, color=COLOURS["blue"])
    if shape is not None:
        axes.text(x, y - 0.12, str(shape), ha="center", va="center", fontsize=9.5)


@in_style
def leak(held: Mapping[str, Sequence[int]]) -> Picture:
    """Bytes of the arrays alive after each batch, for several ways to add up the losses."""
    picture = Picture(7.0, 3.9)
    most = max(each[-1] for each in held.values()) / 2**20
    count = max(map(len, held.values()))
    axes = plot_area(
        picture,
        f"The sum of {count} losses is one number, and may hold {most:.0f} MiB",
        "batches so far",
        "arrays in memory (MiB)",
    )
    # Dashes over lines, so that two that lie on each other both show.
    for dashes, (name, each) in zip(("-", "-", (0, (4, 4))), held.items(), strict=False):
        mib = np.asarray(each) / 2**20
        axes.plot(range(1, len(mib) + 1), mib, ls=dashes, lw=2.4, label=name)
    axes.legend(loc="upper left", prop={"family": "monospace", "size": 10})
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, count)
    return picture


def _downhill(rate: float) -> Numbers:
    """Gradient descent in the valley until it is there, by the formula: (steps + 1, 2)."""
    x, y = START
    path = [(x, y)]
    while np.hypot(x - BOTTOM[0], y - BOTTOM[1]) > THERE:
        off = y - x * x
        x, y = x + rate * (2.0 * (1.0 - x) + 400.0 * x * off), y - rate * 200.0 * off
        path.append((x, y))
    return np.array(path)


@in_style
def downhill() -> Picture:
    """Rosenbrock's valley, and gradient descent in it to the end."""
    path = _downhill(RATE)
    steps = len(path) - 1
    picture = Picture(7.0, 4.3)
    axes = _valley(picture, (-1.6, 1.6), (-0.5, 1.6))
    axes.set_title(f"Straight downhill, it takes {steps:,} steps to the bottom")
    axes.plot(*path.T, color=COLOURS["blue"], lw=1.6)
    for at, offset in ((0, (-12, -18)), (1000, (8, -12)), (2000, (8, -12)), (5000, (8, -10))):
        axes.plot(*path[at], "o", color=COLOURS["blue"])
        label = f"after {at:,} steps" if at else "start"
        axes.annotate(label, path[at], xytext=offset, textcoords="offset points")
    return picture


@in_style
def paths(newton: Any, descent: Any) -> Picture:
    """The valley with the points of both methods, each (steps + 1, 2), from the first on."""
    newton, descent = np.asarray(newton), np.asarray(descent)
    far = np.hypot(*(newton - BOTTOM).T)
    there = np.flatnonzero(far <= THERE)
    left = float(np.hypot(*(descent[-1] - BOTTOM)))
    picture = Picture(7.0, 5.2)
    low = min(-0.5, float(np.nanmin(newton[:, 1])) - 0.4)
    axes = _valley(picture, (-1.6, 1.6), (max(low, -6.0), 1.8))
    reached = _count(int(there[0]), "step") if len(there) else "not there"
    axes.set_title(
        f"Newton: {reached}. Downhill: {_count(len(descent) - 1, 'step')}, and {left:.2f} to go"
    )
    axes.plot(*descent.T, color=COLOURS["blue"], lw=1.6, label="gradient descent")
    axes.plot(*descent[-1], "o", color=COLOURS["blue"])
    axes.plot(*newton.T, "o-", color=COLOURS["vermilion"], lw=1.4, label="Newton's method")
    for k, point in enumerate(newton[:4]):
        axes.annotate(str(k), point, xytext=(7, 5), textcoords="offset points")
    axes.legend(loc="lower left")
    return picture


def _valley(picture: Picture, xs: Spot, ys: Spot) -> Axes:
    """Axes with the lines of equal height of (1 - x)^2 + 100 (y - x^2)^2, tenfold from one to the
    next.
    """
    axes = picture.figure.add_subplot()
    x, y = np.meshgrid(np.linspace(*xs, 300), np.linspace(*ys, 300))
    height = (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2
    levels = 10.0 ** np.arange(-1.0, 4.0)
    lines = axes.contour(x, y, height, levels=levels, colors="#B0B0B0", linewidths=0.8)
    axes.clabel(lines, fmt=lambda level: f"{level:g}", fontsize=8)
    axes.plot(*BOTTOM, "*", color=COLOURS["black"], ms=12, zorder=3)
    axes.annotate("lowest point", BOTTOM, xytext=(9, -3), textcoords="offset points")
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.grid(False)
    return axes
