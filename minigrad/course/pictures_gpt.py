"""The pictures of a GPT's run: how it learned, and which character looks at which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minigrad.course.checkpoints import Log
from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.pictures_training import UNSEEN
from minigrad.course.style import COLOURS, GREY

SMOOTH = 50  # steps: one batch's loss says little
SHOWN = 4  # heads
CLEAR = 0.2  # so much more than chance looks there, and one may call it a habit
BLANK, BREAK = "·", "↵"  # how a picture writes them

Shares = NDArray[np.float64]
Tokens = NDArray[np.int64]


@in_style
def curves(log: Log, known: Mapping[str, float], title: str) -> Picture:
    """Loss of each step's batch and scores on unseen files, over the steps; and what one comes to
    who knows less, a line for each: {name: nats a character}.

    log.losses[k] is what step k + 1 saw before it changed the model.
    """
    picture = Picture(7.0, 4.4)
    axes = plot_area(picture, title, "step (one batch)", "loss (nats a character)")
    steps = np.arange(1, len(log.losses) + 1)
    axes.plot(steps, log.losses, color=COLOURS["sky"], lw=0.7, alpha=0.8, label="one batch")
    if len(log.losses) > SMOOTH:
        mean = np.convolve(log.losses, np.full(SMOOTH, 1.0 / SMOOTH), mode="valid")
        label = f"mean of {SMOOTH}"
        axes.plot(steps[SMOOTH - 1 :], mean, color=COLOURS["blue"], label=label)
    at, unseen = zip(*((s.step, s.loss[UNSEEN]) for s in log.scores), strict=True)
    axes.plot(at, unseen, color=COLOURS["vermilion"], marker="o", ms=4, label="unseen files")
    end = max(1, len(log.losses))
    for name, loss in known.items():
        axes.axhline(loss, color=GREY, lw=0.9, ls=":")
        axes.annotate(
            f"{name}: {loss:.2f}",
            (end, loss),
            xytext=(-2, 3),
            textcoords="offset points",
            ha="right",
            color=GREY,
        )
    axes.set_xlim(0, end)
    axes.set_ylim(0.0, 1.08 * max([*known.values(), *log.losses, *unseen]))
    axes.legend(loc="lower left", ncols=3)
    return picture


@dataclass(frozen=True)
class Habit:
    """Where a head looks: `share` of its weight, `more` of it than if it looked everywhere alike.

    layer, head: counted from 1
    """

    layer: int
    head: int
    where: str
    share: float
    more: float


def habits(maps: Sequence[Any], tokens: Tokens, line_break: int) -> list[Habit]:
    """The habit of each head that stands out most, the clearest head first.

    maps: (batch, heads, T, T) for each layer, of attention on tokens (batch, T); line_break: the
    token of one.
    """
    everywhere = np.tril(np.ones(maps[0].shape[-2:])) / np.arange(1, maps[0].shape[-1] + 1)[:, None]
    found: dict[tuple[int, int], Habit] = {}
    for where, mask in places(tokens, line_break).items():
        there = mask.any(-1)  # characters for which there is such a place
        chance = float((everywhere * mask).sum(-1)[there].mean()) if there.any() else 1.0
        for layer, weights in enumerate(maps, 1):
            shares = (np.asarray(weights, np.float64) * mask[:, None]).sum(-1)
            for head, each in enumerate(shares.swapaxes(0, 1), 1):
                share = float(each[there].mean()) if there.any() else 0.0
                habit = Habit(layer, head, where, share, share - chance)
                best = found.setdefault((layer, head), habit)
                if habit.more > best.more:
                    found[layer, head] = habit
    return sorted(found.values(), key=lambda habit: -habit.more)


def places(tokens: Tokens, line_break: int) -> dict[str, NDArray[np.bool_]]:
    """Where a character may have the habit to look, (batch, T, T) each: row i for character i."""
    count = tokens.shape[1]
    row, column = np.arange(count)[:, None], np.arange(count)
    earlier = column < row
    same = tokens[:, :, None] == tokens[:, None, :]
    ends = np.where(tokens == line_break, column, -1)
    last = np.maximum.accumulate(ends, axis=1)[:, :, None]
    followed = np.zeros_like(same)
    followed[:, :, 1:] = (same & earlier)[:, :, :-1]

    def back(steps: int) -> NDArray[np.bool_]:
        return np.broadcast_to(column == row - steps, same.shape)

    return {
        "itself": back(0),
        "the character before": back(1),
        "the one before the last": back(2),
        "the last line break": column == last,
        "the same character, earlier": same & earlier,
        "what came after the same one": followed,
    }


@in_style
def attention(line: str, maps: Sequence[Any], found: Sequence[Habit]) -> Picture:
    """Four heads on a line of code: which character looks at which, and how much.

    maps: (heads, T, T) for each layer; found: habits of all heads, the clearest first.
    """
    picture = Picture(7.0, 7.4)
    best = found[0]
    title = f"Layer {best.layer}, head {best.head} looks at {best.where}: {best.share:.0%}"
    if best.more < CLEAR:
        title = "No head has found a place to look at yet"
    picture.figure.suptitle(title, x=0.015, ha="left", fontsize=12, weight="bold")
    shown = [{" ": BLANK, "\n": BREAK}.get(letter, letter) for letter in line]
    panels = picture.figure.subplots(2, 2, squeeze=False).flat
    for axes, habit in zip_longest(panels, varied(found)[:SHOWN]):
        if habit is None:
            axes.set_axis_off()
            continue
        axes.imshow(maps[habit.layer - 1][habit.head - 1], cmap="Blues", vmin=0.0, vmax=1.0)
        said = f"layer {habit.layer}, head {habit.head}"
        if habit.more >= CLEAR:
            said += f": {habit.share:.0%} on\n{habit.where}"
        axes.set_title(said, fontsize=10, weight="normal")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks(range(len(line)), shown, family="monospace", fontsize=8)
            axis.set_tick_params(length=0, pad=1)
        axes.grid(False)
        axes.set_xlabel("looks at")
        axes.set_ylabel("this character")
    return picture


def varied(found: Sequence[Habit]) -> list[Habit]:
    """The clearest head of each habit, and then the others."""
    clear = [habit for habit in found if habit.more >= CLEAR]
    first = [h for k, h in enumerate(clear) if h.where not in {g.where for g in clear[:k]}]
    return [*first, *(habit for habit in found if habit not in first)]
