"""How every picture of the course looks: in a notebook, in the tour and in the README.

Colours are those of Okabe and Ito (2008), which people with any kind of colour vision can tell
apart. The background is white also where the notebook's own theme is dark.
"""

from typing import Any

import matplotlib
from cycler import cycler

COLOURS = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "yellow": "#F0E442",
    "black": "#000000",
}
CYCLE = [COLOURS[name] for name in ("blue", "vermilion", "green", "purple", "orange", "sky")]
GREY = "#6B6B6B"
RULES: dict[Any, Any] = {
    "figure.figsize": (7.0, 3.9),
    "figure.dpi": 100,  # 700 pixels wide, the column of a notebook or a README
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "white",
    "savefig.dpi": 100,
    "axes.prop_cycle": cycler(color=CYCLE),
    "axes.facecolor": "white",
    "axes.edgecolor": GREY,
    "axes.labelcolor": "black",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.labelsize": 11,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.0,
    "lines.markersize": 5.5,
    "font.size": 10.5,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "xtick.color": GREY,
    "ytick.color": GREY,
}
# Without the version of matplotlib in the file, equal pictures have equal bytes.
METADATA: dict[str, Any] = {"Software": None}


def use() -> None:
    """Make this the look of all pictures that follow, whatever the user's own settings say."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(RULES)
