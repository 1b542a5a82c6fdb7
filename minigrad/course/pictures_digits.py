"""The two pictures of a digits run: how it learned, and which digits it misreads."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from minigrad.course.pictures import Picture, in_style
from minigrad.course.style import COLOURS

SMOOTH = 20  # steps: one batch's loss says little
SHOWN = 12  # misread digits, four to a row
RIGHT = "#DCEBF5"  # pale: one looks at what is wrong


@dataclass(frozen=True)
class Checkpoint:
    """How many digits are read right after so many steps, as shares of 1."""

    step: int
    train: float
    unseen: float


@in_style
def curves(losses: Sequence[float], checkpoints: Sequence[Checkpoint], title: str) -> Picture:
    """Loss of each step's batch above, shares of digits read right below, over one axis of steps.

    losses[k] is what step k + 1 saw before it changed the network.
    """
    picture = Picture(7.0, 5.0)
    above, below = picture.figure.subplots(2, 1, sharex=True)
    above.set_title(title)
    steps = np.arange(1, len(losses) + 1)
    above.plot(steps, losses, color=COLOURS["sky"], lw=0.7, alpha=0.8, label="one batch")
    if len(losses) > SMOOTH:
        mean = np.convolve(losses, np.full(SMOOTH, 1.0 / SMOOTH), mode="valid")
        label = f"mean of {SMOOTH}"
        above.plot(steps[SMOOTH - 1 :], mean, color=COLOURS["blue"], label=label)
    above.axhline(np.log(10), color=COLOURS["black"], lw=0.8, ls=":", label="guessing: log 10")
    above.set_yscale("log")
    above.set_ylim(min([0.5, *losses]) / 1.5, max([5.0, *losses]) * 1.5)
    above.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    above.yaxis.set_minor_formatter(NullFormatter())
    above.set_ylabel("cross-entropy (nats)")
    above.legend(loc="upper right", ncols=3)
    at = [c.step for c in checkpoints]
    for share, colour, label in (
        ([c.train for c in checkpoints], COLOURS["blue"], "training"),
        ([c.unseen for c in checkpoints], COLOURS["vermilion"], "unseen"),
    ):
        below.plot(at, [100.0 * s for s in share], color=colour, marker=".", label=label)
    # The first checkpoint is before any step; from the second on, differences are to be seen.
    lowest = min(min(c.train, c.unseen) for c in checkpoints[1:] or checkpoints)
    below.set_ylim(max(0.0, 10.0 * np.floor(10.0 * lowest - 0.2)), 101.0)
    below.set_xlim(0, max(1, len(losses)))
    below.set_ylabel("read right (%)")
    below.set_xlabel("step (one batch)")
    below.legend(loc="best", ncols=2)
    return picture


def table(labels: NDArray[np.int64], read: NDArray[np.int64]) -> NDArray[np.int64]:
    """(10, 10): how often the digit of a row was read as the digit of a column."""
    counts = np.zeros((10, 10), np.int64)
    np.add.at(counts, (labels, read), 1)
    return counts


@in_style
def confusion(
    images: NDArray[np.float64], labels: NDArray[np.int64], read: NDArray[np.int64]
) -> Picture:
    """What was read for what, and the first misread digits themselves.

    images (n, 8, 8), what they are (n,), what they were read as (n,).
    """
    counts = table(labels, read)
    missed = np.flatnonzero(read != labels)
    picture = Picture(7.0, 4.2)
    picture.figure.suptitle(_finding(counts), x=0.015, ha="left", fontsize=12, weight="bold")
    left, right = picture.figure.subfigures(1, 2, width_ratios=[1.2, 1.0], squeeze=False).flat
    axes = left.add_subplot(xlabel="read as", ylabel="what it is")
    axes.grid(False)
    axes.set_xticks(range(10))
    axes.set_yticks(range(10))
    kinds = (counts > 0) * np.where(np.eye(10, dtype=bool), 1, 2)
    axes.imshow(kinds, cmap=ListedColormap(["white", RIGHT, COLOURS["orange"]]), vmin=0, vmax=2)
    for row, column in np.argwhere(counts):
        axes.text(column, row, str(counts[row, column]), ha="center", va="center")
    for place, index in zip_longest(right.subplots(3, 4).flat, missed[:SHOWN]):
        place.axis("off")
        if index is not None:
            place.imshow(images[index], cmap="gray_r")
            caption = f"{labels[index]}, read {read[index]}"
            place.set_title(caption, fontsize=9.5, weight="normal", loc="center", pad=3)
    if len(missed) > SHOWN:
        right.supxlabel(f"the first {SHOWN} of {len(missed)} misread", fontsize=9.5)
    return picture


def _finding(counts: NDArray[np.int64]) -> str:
    total, wrong = int(counts.sum()), int(counts.sum() - np.trace(counts))
    said = f"{total - wrong} of {total} unseen digits read right"
    if not wrong:
        return said
    off = counts - np.diag(np.diag(counts))
    worst = int(off.sum(axis=1).argmax())
    share = f"{off[worst].sum()} of {counts[worst].sum()}"
    return f"{said}; hardest is the {worst}: {share} misread"
