"""The two pictures of an iris run: how the loss fell, and how the plane of petals is divided."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS

KINDS = [
    (COLOURS["blue"], "o", COLOURS["sky"]),
    (COLOURS["orange"], "s", "#F3CD7A"),
    (COLOURS["green"], "^", "#7FCDB8"),
]
GRID = 50  # points a side; each is one forward pass


@in_style
def loss_curves(histories: list[tuple[list[float], list[float]]], accuracy: float) -> Picture:
    """Each split as a thin line, their mean as a thick one."""
    picture = Picture()
    train = np.array([train for train, _ in histories])
    held = np.array([held for _, held in histories])
    epochs = np.arange(1, train.shape[1] + 1)
    end = float(held.mean(axis=0)[-1])
    axes = plot_area(
        picture,
        f"{100 * accuracy:.1f} % of unseen flowers right, at a loss of {end:.2f}",
        "epoch (one pass over the training flowers)",
        "mean cross-entropy (nats)",
    )
    # The training loss is a mean over the epoch, so it belongs to the middle of it.
    curves = [
        (train, epochs - 0.5, COLOURS["blue"], "training"),
        (held, epochs, COLOURS["vermilion"], "held out"),
    ]
    for losses, at, colour, name in curves:
        for each in losses:
            axes.plot(at, each, color=colour, lw=0.8, alpha=0.45)
        axes.plot(at, losses.mean(axis=0), color=colour, lw=2.4, label=f"{name}, mean of 3 splits")
    axes.axhline(np.log(3), color=COLOURS["black"], lw=0.8, ls=":")
    axes.text(epochs[-1], 1.07, "guessing: log 3 = 1.10", ha="right", va="top", fontsize=11)
    axes.set_ylim(bottom=0.0)
    axes.set_xlim(0, epochs[-1] + 0.5)
    axes.legend(fontsize=11, loc="center right")
    return picture


@in_style
def regions(
    scores: Callable[[list[float]], list[float]],
    points: np.ndarray[Any, np.dtype[np.float64]],
    kinds: np.ndarray[Any, np.dtype[np.int64]],
    names: Sequence[str],
    features: Sequence[str],
    held: Sequence[int],
    wrong: Sequence[int],
) -> Picture:
    """Which kind the network says at each point of the plane, with the flowers on top.

    points (n, 2) in cm; held and wrong are indices into it.
    """
    picture = Picture(7.0, 5.0)
    right = len(held) - len(wrong)
    axes = plot_area(
        picture,
        f"Two petal measurements alone: {right} of {len(held)} unseen flowers right",
        f"{features[0]} (cm)",
        f"{features[1]} (cm)",
    )
    low, high = points.min(axis=0) - 0.25, points.max(axis=0) + 0.25
    across, up = np.linspace(low[0], high[0], GRID), np.linspace(low[1], high[1], GRID)
    said = np.array([[scores([x, y]) for x in across.tolist()] for y in up.tolist()])
    for kind, (_, _, tint) in enumerate(KINDS):
        # Above zero where this kind has the highest score: a smooth edge from a coarse grid.
        lead = said[:, :, kind] - np.delete(said, kind, axis=2).max(axis=2)
        axes.contourf(across, up, lead, levels=[0.0, 1e9], colors=[tint], alpha=0.45)
    unseen = np.isin(np.arange(len(points)), held)
    for kind, (colour, marker, _) in enumerate(KINDS):
        seen_here, held_here = (kinds == kind) & ~unseen, (kinds == kind) & unseen
        seen, new = points[seen_here], points[held_here]
        axes.scatter(seen[:, 0], seen[:, 1], s=14, c=colour, marker=marker, alpha=0.6, linewidths=0)
        axes.scatter(
            new[:, 0],
            new[:, 1],
            s=46,
            c=colour,
            marker=marker,
            edgecolors=COLOURS["black"],
            linewidths=0.9,
            label=names[kind],
        )
    if wrong:
        axes.scatter(
            points[list(wrong), 0],
            points[list(wrong), 1],
            s=190,
            facecolors="none",
            edgecolors=COLOURS["vermilion"],
            linewidths=2.2,
            label="placed wrongly",
        )
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.grid(False)
    axes.legend(loc="upper left", title="held out (small: training)", frameon=True, framealpha=0.9)
    return picture
