"""How a network learned: losses and scores over the steps."""

import numpy as np
from matplotlib.ticker import NullFormatter

from minigrad.course.checkpoints import Log
from minigrad.course.pictures import Picture, in_style
from minigrad.course.style import COLOURS

SMOOTH = 20  # steps: one batch's loss says little
# What scores are made on, as the picture calls it.
SEEN, UNSEEN = "training", "unseen"


@in_style
def curves(log: Log, title: str, kinds: int = 10) -> Picture:
    """Loss of each step's batch above, shares of SEEN and UNSEEN read right below, over one axis of
    steps. kinds: how many there are to guess from.

    log.losses[k] is what step k + 1 saw before it changed the network.
    """
    picture = Picture(7.0, 5.0)
    above, below = picture.figure.subplots(2, 1, sharex=True)
    above.set_title(title)
    steps = np.arange(1, len(log.losses) + 1)
    above.plot(steps, log.losses, color=COLOURS["sky"], lw=0.7, alpha=0.8, label="one batch")
    if len(log.losses) > SMOOTH:
        mean = np.convolve(log.losses, np.full(SMOOTH, 1.0 / SMOOTH), mode="valid")
        label = f"mean of {SMOOTH}"
        above.plot(steps[SMOOTH - 1 :], mean, color=COLOURS["blue"], label=label)
    above.axhline(
        np.log(kinds), color=COLOURS["black"], lw=0.8, ls=":", label=f"guessing: log {kinds}"
    )
    above.set_yscale("log")
    above.set_ylim(min([0.5, *log.losses]) / 1.5, max([5.0, *log.losses]) * 1.5)
    above.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    above.yaxis.set_minor_formatter(NullFormatter())
    above.set_ylabel("cross-entropy (nats)")
    above.legend(loc="upper right", ncols=3)
    at = [s.step for s in log.scores]
    for name, colour in ((SEEN, COLOURS["blue"]), (UNSEEN, COLOURS["vermilion"])):
        shares = [100.0 * s.accuracy[name] for s in log.scores]
        below.plot(at, shares, color=colour, marker=".", label=name)
    # The first scores are from before any step; from the second on, differences are to be seen.
    lowest = min(min(s.accuracy.values()) for s in log.scores[1:] or log.scores)
    below.set_ylim(max(0.0, 10.0 * np.floor(10.0 * lowest - 0.2)), 101.0)
    below.set_xlim(0, max(1, len(log.losses)))
    below.set_ylabel("read right (%)")
    below.set_xlabel("step (one batch)")
    below.legend(loc="best", ncols=2)
    return picture
