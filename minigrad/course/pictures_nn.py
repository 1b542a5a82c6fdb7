"""The pictures of chapter 05: digits of 64 pixels, numbers on their way through many layers, two
paths down a ravine, Adam's first steps, a loss without zero_grad, and which weights decay.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, CYCLE

SHOWN = (3, 60, 120)  # which of each kind
MEAN_OVER = 10  # steps: the loss of a single batch jumps about
GUESSING = np.log(10)  # the loss of one who knows nothing of ten digits
DASHES = ("-", "--", "-.", ":")


@in_style
def digits() -> Picture:
    """Thirty handwritten digits of 8 x 8 pixels, as scikit-learn brings them along."""
    data = load_digits()
    picture = Picture(7.0, 2.6)
    picture.figure.suptitle(
        "64 grey values hold a digit, most of the time", x=0.01, ha="left", weight="bold", size=12
    )
    panels = picture.figure.subplots(len(SHOWN), 10)
    chosen = [np.flatnonzero(data.target == k)[n] for n in SHOWN for k in range(10)]
    for axes, at in zip(panels.flat, chosen, strict=True):
        axes.imshow(16 - data.images[at], cmap="gray", vmin=0, vmax=16)
        axes.set_axis_off()
    return picture


@in_style
def through_layers(sizes: Mapping[str, Sequence[float]]) -> Picture:
    """The root mean square of the numbers behind each layer, the input first; a curve for each
    start.
    """
    picture = Picture(7.0, 4.2)
    layers = len(next(iter(sizes.values()))) - 1
    axes = plot_area(
        picture,
        f"Only one of {len(sizes)} starts brings numbers through {layers} layers",
        "layer",
        "size of its numbers (root mean square)",
    )
    for (name, each), colour, marker in zip(sizes.items(), CYCLE, "oso^vD", strict=False):
        axes.semilogy(range(layers + 1), each, marker=marker, color=colour, ms=4)
        # Left of a steep curve's end there is room, above a level one.
        away = (0, 10) if 0.01 < each[-1] < 100 else (-16, 6 if each[-1] > 1 else -7)
        axes.annotate(
            name,
            (layers, each[-1]),
            xytext=away,
            textcoords="offset points",
            ha="right",
            va="center",
            color=colour,
        )
    axes.axhline(1.0, color=COLOURS["black"], lw=0.8, ls=":")
    axes.margins(y=0.1)
    axes.set_xticks(range(0, layers + 1, 5))
    return picture


@in_style
def ravine(height: Any, paths: Mapping[str, Any]) -> Picture:
    """Paths (N, 2) over the plane, from above, with lines of equal height(x, y)."""
    picture = Picture(7.0, 3.6)
    ends = {name: float(height(*np.asarray(path)[-1])) for name, path in paths.items()}
    best, worst = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
    steps = len(next(iter(paths.values()))) - 1
    axes = plot_area(
        picture,
        f"After {steps} steps {best} is {ends[worst] / ends[best]:,.0f} times lower",
        "x, along the ravine",
        "y, across it",
    )
    across, up = np.meshgrid(np.linspace(-11, 4, 300), np.linspace(-2.2, 2.2, 200))
    lines = height(across, up)
    axes.contour(across, up, lines, levels=2.0 ** np.arange(-4, 9), colors="#C9C9C9", linewidths=1)
    for (name, path), colour, marker in zip(paths.items(), CYCLE, "oso", strict=False):
        along = np.asarray(path)
        axes.plot(along[:, 0], along[:, 1], marker=marker, color=colour, ms=4, lw=1.4, label=name)
    axes.plot(0, 0, marker="*", ms=14, color=COLOURS["black"], ls="", label="the lowest point")
    axes.grid(False)
    axes.legend(loc="lower left", ncols=3)
    return picture


@in_style
def first_steps(corrected: Sequence[float], uncorrected: Sequence[float]) -> Picture:
    """The lengths of Adam's steps, in units of lr, with the correction and without."""
    picture = Picture(7.0, 3.9)
    at = np.arange(1, len(corrected) + 1)
    most = max(uncorrected)
    axes = plot_area(
        picture,
        f"Uncorrected, Adam starts with steps up to {most:.1f} times too long",
        "step",
        "length of the step, in units of lr",
    )
    axes.semilogx(at, uncorrected, color=COLOURS["vermilion"], label="without the correction")
    axes.semilogx(at, corrected, color=COLOURS["blue"], label="with it")
    axes.plot(1, uncorrected[0], "o", color=COLOURS["vermilion"])
    axes.annotate(
        f"step 1: {uncorrected[0]:.2f}",
        (1, uncorrected[0]),
        xytext=(8, -4),
        textcoords="offset points",
        va="center",
    )
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper right")
    return picture


@in_style
def forgotten(losses: Mapping[float, Mapping[str, Sequence[float]]]) -> Picture:
    """Training losses over steps, a panel for each lr: {lr: {name: losses}}."""
    picture = Picture(7.0, 3.7)
    picture.figure.suptitle(
        "At a low lr the mistake wins; at a high one it never comes to rest",
        x=0.01,
        ha="left",
        size=12,
        weight="bold",
    )
    panels = picture.figure.subplots(1, len(losses), sharey=True)
    for axes, (lr, curves) in zip(panels, losses.items(), strict=True):
        axes.set_title(f"lr = {lr:g}", weight="normal", fontsize=11)
        for (name, each), colour in zip(curves.items(), CYCLE, strict=False):
            smooth = np.convolve(each, np.ones(MEAN_OVER) / MEAN_OVER, mode="valid")
            axes.plot(np.arange(len(smooth)) + MEAN_OVER, smooth, color=colour, label=name)
        axes.axhline(GUESSING, color=COLOURS["black"], lw=0.8, ls=":")
        axes.set_xlabel("step")
        axes.set_ylim(0, 1.5 * GUESSING)
        axes.set_xlim(left=0)
    panels[0].text(3, GUESSING + 0.05, "guessing", fontsize=10)
    panels[0].set_ylabel(f"loss (nats), mean of {MEAN_OVER} steps")
    panels[0].legend(loc="upper right")
    return picture


@in_style
def decays(weights: Mapping[str, Any], sizes: Sequence[float]) -> Picture:
    """How weights shrink, a panel for each optimiser: {name: (steps + 1, len(sizes))}.

    sizes: that of the gradients of each column of weights.
    """
    picture = Picture(7.0, 3.9)
    picture.figure.suptitle(
        "Decay apart shrinks all weights alike, decay in the gradient does not",
        x=0.01,
        ha="left",
        size=12,
        weight="bold",
    )
    panels = picture.figure.subplots(1, len(weights), sharey=True)
    for axes, (name, table) in zip(panels, weights.items(), strict=True):
        axes.set_title(name, weight="normal", fontsize=11)
        for column, colour, dashes in zip(np.asarray(table).T, CYCLE, DASHES, strict=False):
            axes.plot(column, color=colour, ls=dashes)
        axes.set_xlabel("step")
        axes.set_ylim(0, 1.1)
    for line, size in zip(panels[-1].lines, sizes, strict=True):
        line.set_label(f"{size:g}")
    panels[0].set_ylabel("mean weight (at the start: 1)")
    panels[-1].legend(title="size of the gradients", loc="lower left", ncols=2)
    return picture
