"""The pictures of chapter 07: how far counting gets, three tokens that look at each other, a
network that may peek, gradients on their way through many blocks, and chance held back.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator

from minigrad import data
from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, CYCLE, GREY

Numbers = np.ndarray[Any, np.dtype[Any]]
Way = Callable[[Any, Any], Any]  # a block, and what goes into it: what comes out

LONGEST = 6  # characters before the next one
DOUBT = 0.1  # what each character is counted more often than it came, so that none has chance 0
MEAN_OVER = 10  # steps: the loss of a single batch jumps about
BLOCKS, SIZES = 24, (4, 16, 32)  # batch, tokens, width
DASHES = ("-", "--", "-.", ":")


@in_style
def counting() -> Picture:
    """How well counting foretells the next character of Python's library, by how many before it
    are looked at: exp of the nats a character.
    """
    seen, unseen = data.python_sources()
    letters = data.Vocabulary(seen + unseen)
    known, asked = (letters.encode(text).numpy() for text in (seen, unseen))
    nats = [counted(known, asked, n, len(letters)) for n in range(LONGEST + 1)]
    between = np.exp(nats)
    best = int(between.argmin())
    picture = Picture(7.0, 3.7)
    axes = plot_area(
        picture,
        f"Counting is best with {best} characters, and still hesitates between {between[best]:.0f}",
        "characters that are looked at",
        "hesitates between (characters)",
    )
    colours = [COLOURS["orange" if n == best else "sky"] for n in range(LONGEST + 1)]
    axes.bar(range(LONGEST + 1), between, color=colours, width=0.65)
    for n, (height, each) in enumerate(zip(between, nats, strict=True)):
        axes.annotate(
            f"{height:.1f}\n{each:.2f} nats",
            (n, height),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=10,
        )
    axes.set_ylim(0, 1.25 * between.max())
    axes.grid(axis="x", visible=False)
    return picture


def counted(known: Numbers, asked: Numbers, before: int, size: int) -> float:
    """The cross-entropy in nats a character of `asked`, foretold by how often each of `size`
    characters followed the same `before` ones in `known`.
    """
    runs, times = np.unique(packed(known, before + 1, size), return_counts=True)
    begun, first = np.unique(runs // size, return_index=True)
    in_all = looked_up(
        packed(asked, before, size)[: len(asked) - before], begun, total(times, first)
    )
    this = looked_up(packed(asked, before + 1, size), runs, times)
    p = (this + DOUBT) / (in_all + DOUBT * size)
    return float(-np.log(p).mean())


def packed(tokens: Numbers, count: int, size: int) -> Numbers:
    """Each run of `count` tokens as one number in base `size`."""
    out = np.zeros(len(tokens) - count + 1, np.int64)
    for k in range(count):
        out = out * size + tokens[k : k + len(out)]
    return out


def total(times: Numbers, first: Numbers) -> Numbers:
    """Sums of times from each of `first` to the next."""
    return np.add.reduceat(times, first)


def looked_up(keys: Numbers, names: Numbers, numbers: Numbers) -> Numbers:
    """The number of each key among sorted names; 0 for one that is not there."""
    at = np.minimum(np.searchsorted(names, keys), len(names) - 1)
    return np.where(names[at] == keys, numbers[at], 0)


@in_style
def mixed(names: Sequence[str], weights: Any, values: Any) -> Picture:
    """Three tokens: how much each looks at which (3, 3), and where that puts its answer among the
    values (3, 2).
    """
    shares, corners = np.asarray(weights), np.asarray(values)
    picture = Picture(7.0, 3.5)
    picture.figure.suptitle(
        "Each answer is a mean of the values, and lies between them",
        x=0.01,
        ha="left",
        size=12,
        weight="bold",
    )
    left, right = picture.figure.subplots(1, 2)
    left.imshow(shares, cmap="Blues", vmin=0, vmax=1.2)
    for row, column in np.ndindex(*shares.shape):
        left.text(column, row, f"{shares[row, column]:.2f}", ha="center", va="center", fontsize=12)
    for axis in (left.xaxis, left.yaxis):
        axis.set_ticks(range(len(names)), names, fontsize=12, family="monospace")
    left.set_xlabel("looks at")
    left.set_ylabel("who looks")
    left.grid(False)
    right.fill(*corners.T, color=COLOURS["sky"], alpha=0.15)
    right.plot(*corners.T, "s", color=GREY, ms=7, label="value")
    answers = shares @ corners
    right.plot(*answers.T, "o", color=COLOURS["vermilion"], ms=7, label="answer")
    for name, value, answer in zip(names, corners, answers, strict=True):
        for at, colour in ((value, GREY), (answer, COLOURS["vermilion"])):
            right.annotate(
                name,
                at,
                xytext=(8, 6),
                textcoords="offset points",
                color=colour,
                family="monospace",
                fontsize=12,
            )
    right.margins(0.15)
    right.set_aspect("equal")
    right.set_xlabel("first number")
    right.set_ylabel("second number")
    right.legend(loc="upper right")
    return picture


@in_style
def peeking(losses: Mapping[str, Sequence[float]], places: Mapping[str, Any]) -> Picture:
    """Training losses over steps, and the loss on unseen text at each place of the context."""
    picture = Picture(7.0, 3.7)
    names = list(losses)
    picture.figure.suptitle(
        "Who may peek knows all but the last place, and there it knows least",
        x=0.01,
        ha="left",
        size=12,
        weight="bold",
    )
    left, right = picture.figure.subplots(1, 2, sharey=True)
    for name, colour, dashes in zip(names, CYCLE, DASHES, strict=False):
        smooth = np.convolve(losses[name], np.ones(MEAN_OVER) / MEAN_OVER, mode="valid")
        left.plot(np.arange(len(smooth)) + MEAN_OVER, smooth, color=colour, ls=dashes, label=name)
        at = np.arange(1, len(places[name]) + 1)
        right.plot(at, places[name], color=colour, ls=dashes, marker="o", ms=4)
    left.set_xlabel("step")
    left.set_ylabel("loss (nats a character)")
    left.set_title("while training", weight="normal", fontsize=11)
    left.set_xlim(left=0)
    left.set_ylim(bottom=0)
    left.legend(loc="upper right")
    right.set_xlabel("place in the context")
    right.set_title("on unseen text, at each place", weight="normal", fontsize=11)
    right.set_xticks(range(4, len(at) + 1, 4))
    return picture


@in_style
def through_blocks(ways: Mapping[str, Way]) -> Picture:
    """What is left of a gradient of size 1 on its way back through BLOCKS untrained blocks, for
    each way to put a block's parts together.
    """
    picture = Picture(7.0, 3.9)
    left = {name: gradients(way) for name, way in ways.items()}
    worst = max(left, key=lambda name: abs(np.log(left[name][-1])))
    axes = plot_area(
        picture,
        f"With {worst}, {rounded(left[worst][-1])} of a gradient comes through {BLOCKS} blocks",
        "blocks that it has come through, from behind",
        "size of the gradient",
    )
    for (name, each), colour, marker in zip(left.items(), CYCLE, "oDs^", strict=False):
        label = f"{name}: {rounded(each[-1])}"
        axes.semilogy(range(BLOCKS + 1), each, marker=marker, color=colour, ms=4, label=label)
    axes.axhline(1.0, color=COLOURS["black"], lw=0.8, ls=":")
    axes.set_xticks(range(0, BLOCKS + 1, 6))
    axes.legend(loc="lower left", title="at the end")
    return picture


def gradients(way: Way) -> list[float]:
    """The root mean square of a gradient behind the last block, where it is 1, and in front of
    each, the last block first.
    """
    # Imported at each call: in a notebook the modules are renewed when the learner saves.
    api, nn = import_module("minigrad.api"), import_module("minigrad.nn")
    start: dict[str, Any] = {"dtype": api.float64, "generator": api.Generator(0)}
    stream = [api.tensor(api.randn(*SIZES, **start), requires_grad=True)]
    for _ in range(BLOCKS):
        stream.append(way(nn.TransformerBlock(SIZES[-1], 4, **start), stream[-1]))
    found = api.grad(stream[-1], stream, api.randn(*SIZES, **start))
    sizes = [float(np.sqrt(np.mean(each.numpy() ** 2))) for each in found]
    return [size / sizes[-1] for size in reversed(sizes)]


def rounded(number: float) -> str:
    """Two digits, or the power of ten where there would be many zeros."""
    return f"{number:.2g}" if 0.001 < number < 1000 else f"$10^{{{np.log10(number):.0f}}}$"


@in_style
def held_back(
    names: Sequence[str], ways: Sequence[Mapping[str, float]], chances: Sequence[Any]
) -> Picture:
    """What may come next and with what chance, a panel for each of the ways to hold chance back;
    a way is what next_probabilities was called with.
    """
    picture = Picture(7.0, 3.1)
    picture.figure.suptitle(
        "Temperature moves all chances; top_k and top_p cut the last ones off",
        x=0.01,
        ha="left",
        size=12,
        weight="bold",
    )
    panels = picture.figure.subplots(1, len(chances), sharey=True)
    for axes, way, each in zip(panels, ways, chances, strict=True):
        bars(axes, names, np.asarray(each))
        said = ", ".join(f"{name} {value:g}" for name, value in way.items())
        axes.set_title(said or "as it is", weight="normal", fontsize=10.5, loc="center")
    panels[0].set_ylabel("chance")
    panels[0].set_ylim(0, 1)
    return picture


def bars(axes: Axes, names: Sequence[str], each: Numbers) -> None:
    colours = [COLOURS["sky"] if p > 0.0 else GREY for p in each]
    axes.bar(range(len(names)), each, color=colours, width=0.7)
    for n, p in enumerate(each):
        said = f"{p:.2f}".removeprefix("0") if p > 0.0 else "0"
        axes.text(n, p + 0.02, said, ha="center", fontsize=9.5)
    axes.xaxis.set_major_locator(FixedLocator(range(len(names))))
    axes.set_xticklabels(names, family="monospace", color="black")
    axes.grid(axis="x", visible=False)
