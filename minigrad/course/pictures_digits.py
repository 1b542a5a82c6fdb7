"""Which digits a network misreads."""

from itertools import zip_longest

import numpy as np
from matplotlib.colors import ListedColormap
from numpy.typing import NDArray

from minigrad.course.pictures import Picture, in_style
from minigrad.course.style import COLOURS

SHOWN = 12  # misread digits, four to a row
RIGHT = "#DCEBF5"  # pale: one looks at what is wrong


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
    # Placed by hand: the layout's solver differs in the last bit from call to call, and where that
    # turns half a pixel, equal runs would have unequal pictures.
    picture.figure.set_layout_engine("none")
    axes = picture.figure.add_axes((0.07, 0.12, 0.45, 0.75), xlabel="read as", ylabel="what it is")
    axes.grid(False)
    axes.set_xticks(range(10))
    axes.set_yticks(range(10))
    kinds = (counts > 0) * np.where(np.eye(10, dtype=bool), 1, 2)
    axes.imshow(kinds, cmap=ListedColormap(["white", RIGHT, COLOURS["orange"]]), vmin=0, vmax=2)
    for row, column in np.argwhere(counts):
        axes.text(column, row, str(counts[row, column]), ha="center", va="center")
    right = picture.figure.add_gridspec(
        3, 4, left=0.57, right=0.985, bottom=0.1, top=0.82, wspace=0.15, hspace=0.45
    )
    for place, index in zip_longest(right.subplots(squeeze=False).flat, missed[:SHOWN]):
        place.axis("off")
        if index is not None:
            place.imshow(images[index], cmap="gray_r")
            caption = f"{labels[index]}, read {read[index]}"
            place.set_title(caption, fontsize=9.5, weight="normal", loc="center", pad=3)
    if len(missed) > SHOWN:
        said = f"the first {SHOWN} of {len(missed)} misread"
        picture.figure.text(0.777, 0.03, said, fontsize=9.5, ha="center")
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
