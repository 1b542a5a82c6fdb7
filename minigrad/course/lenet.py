"""The milestone of chapter 06: filters, pooling and two layers read handwritten digits.

Sizes, rates and moves were chosen by cross-validation within the digits to learn from.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from minigrad.course.classifying import Reader, learn
from minigrad.course.result import Result

USES = "minigrad.training"
FILTERS, HIDDEN = (16, 32), 64


def network(generator: Any) -> Any:
    models = import_module("minigrad.models")
    return models.lenet((1, 8, 8), filters=FILTERS, hidden=HIDDEN, generator=generator)


READER = Reader(
    name="lenet",
    model=network,
    layers=f"{FILTERS[0]} and {FILTERS[1]} filters of 3 x 3, {HIDDEN} - 10",
    shape=(1, 8, 8),
    batch=32,
    epochs=4,
    rate=0.01,
    decay=0.1,
    moves=((0, 1), (0, -1), (1, 0), (-1, 0)),
)


def train(
    seed: int = 0,
    console: Console | None = None,
    *,
    folder: Path | None = None,
    resume: bool = False,
    device: str = "numpy",
    epochs: int | None = None,
    steps: int | None = None,
) -> Result:
    """Train for so many epochs, or steps; Ctrl-C ends it with what it has.

    folder, resume: see classifying.learn.
    """
    return learn(READER, seed, console, folder, resume, device, epochs, steps).result
