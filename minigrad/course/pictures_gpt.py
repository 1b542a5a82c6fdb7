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

Letters = NDArray[np.str_]


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
    axes.plot(
        at, unseen, "o", ms=6, color=COLOURS["vermilion"], label="unseen files", clip_on=False
    )
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
    """Where a head looks: the share of its weight that goes there, and the share that would by
    chance, if it looked everywhere alike. layer, head: counted from 1.
    """

    layer: int
    head: int
    where: str
    share: float
    chance: float

    @property
    def clear(self) -> bool:
        return self.share - self.chance >= CLEAR


def habits(maps: Sequence[Any], text: Letters) -> list[Habit]:
    """Of each place to look at the head that has most of a habit to, the clearest first, and no
    head twice.

    maps: (batch, heads, T, T) for each layer, of attention on text (batch, T).
    """
    count = text.shape[1]
    alike = np.tril(np.ones((count, count))) / np.arange(1, count + 1)[:, None]
    candidates = []
    for where, mask in places(text).items():
        there = mask.any(-1)  # characters for which there is such a place
        if not there.any():
            continue
        chance = float((alike * mask).sum(-1)[there].mean())
        for layer, weights in enumerate(maps, 1):
            shares = (np.asarray(weights, np.float64) * mask[:, None]).sum(-1).swapaxes(0, 1)
            for head, each in enumerate(shares, 1):
                candidates.append(Habit(layer, head, where, float(each[there].mean()), chance))
    chosen: list[Habit] = []
    for habit in sorted(candidates, key=lambda habit: habit.chance - habit.share):
        heads, taken = {(h.layer, h.head) for h in chosen}, {h.where for h in chosen}
        if (habit.layer, habit.head) not in heads and habit.where not in taken:
            chosen.append(habit)
    return chosen


def places(text: Letters) -> dict[str, NDArray[np.bool_]]:
    """Where a character of a text (batch, T) may have the habit to look, (batch, T, T) each: row i
    for character i.
    """
    place = np.arange(text.shape[1])
    row, column = place[:, None], place
    same = text[:, :, None] == text[:, None, :]
    before = same & (column < row)
    followed = np.zeros_like(same)
    followed[:, :, 1:] = before[:, :, :-1]
    word = np.char.isalnum(text) | (text == "_")

    def back(steps: int) -> NDArray[np.bool_]:
        return np.broadcast_to(column == row - steps, same.shape)

    def last(found: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Of each row the last column up to it where something is found, -1 where nowhere."""
        return np.maximum.accumulate(np.where(found, place, -1), axis=1)[:, :, None]

    within = word[:, :, None] & (column <= row)
    return {
        "itself": back(0),
        "the character before": back(1),
        "two characters back": back(2),
        "its own word so far": within & (column > last(~word)),
        "what stands before its word": within & (column == last(~word)),
        "the last line break": column == last(text == "\n"),
        "the same character, earlier": before,
        "what came after the same one": followed,
    }


@in_style
def attention(line: str, maps: Sequence[Any], found: Sequence[Habit]) -> Picture:
    """Four heads on a line of code: which character looks at which, and how much.

    maps: (heads, T, T) for each layer; found: habits of its heads, the clearest first.
    """
    picture = Picture(7.0, 7.5)
    best = found[0]
    title = "No head has found a place to look at yet"
    if best.clear:
        title = f"Layer {best.layer}, head {best.head} looks at {best.where}: {best.share:.0%}"
    picture.figure.suptitle(title, x=0.015, ha="left", fontsize=12, weight="bold")
    letters = [{" ": BLANK, "\n": BREAK}.get(letter, letter) for letter in line]
    panels = picture.figure.subplots(2, 2, squeeze=False).flat
    for axes, habit in zip_longest(panels, found[:SHOWN]):
        if habit is None:
            axes.set_axis_off()
            continue
        axes.imshow(maps[habit.layer - 1][habit.head - 1], cmap="Blues", vmin=0.0, vmax=1.0)
        axes.set_title(
            f"layer {habit.layer}, head {habit.head}: {habit.share:.0%} (by chance "
            f"{habit.chance:.0%}) on\n{habit.where}",
            fontsize=9.5,
            weight="normal",
        )
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_ticks(range(len(line)), letters, family="monospace", fontsize=8, color="black")
            axis.set_tick_params(length=0, pad=2)
        axes.grid(False)
        axes.set_xlabel("looks at")
        axes.set_ylabel("this character")
    picture.figure.supxlabel("shares of a head's weight, over pieces of unseen files", fontsize=9.5)
    return picture
