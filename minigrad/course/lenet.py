"""The milestone of chapter 06: filters, pooling and two layers read handwritten digits.

Sizes, rates and moves were chosen by cross-validation within the digits to learn from.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from minigrad.course.classifying import Reader, Reading, learn
from minigrad.course.pictures import Picture
from minigrad.course.pictures_lenet import filters, hide, hiding
from minigrad.course.result import Result

USES = "minigrad.training"
FILTERS, HIDDEN = (16, 32), 64
FOUND = 3  # layers up to what the filters of a layer light up; pooling follows
DIGIT = 3  # whose filters are shown
TRIED = 100  # digits that a patch is slid over


def network(generator: Any) -> Any:
    models = import_module("minigrad.models")
    return models.lenet((1, 8, 8), filters=FILTERS, hidden=HIDDEN, generator=generator)


READER = Reader(
    name="lenet",
    model=network,
    layers=f"{FILTERS[0]} and {FILTERS[1]} filters of 3 x 3, {HIDDEN} - 10",
    shape=(1, 8, 8),
    batch=32,
    epochs=8,
    rate=0.02,
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
    reading = learn(READER, seed, console, folder, resume, device, epochs, steps)
    reading.result.pictures.update(inside(reading))
    return reading.result


def inside(reading: Reading) -> dict[str, Picture]:
    """What the network looks for in a digit, and what it needs to see of some."""
    api, model = import_module("minigrad.api"), reading.model

    def chances(images: NDArray[Any]) -> Any:
        with api.no_grad():
            return api.softmax(model(reading.given(images))).numpy()

    digit = reading.images[np.flatnonzero(reading.labels == DIGIT)[:1]]
    with api.no_grad():
        first = model[:FOUND](reading.given(digit))
        second = model[FOUND : 2 * FOUND + 1](first)
    weights = model[0].weight.numpy()[:, 0]
    right = np.flatnonzero(chances(reading.images).argmax(axis=1) == reading.labels)[:TRIED]
    hidden = hide(chances, reading.images[right], reading.labels[right])
    return {
        "filters.png": filters(digit[0], weights, first.numpy()[0], second.numpy()[0]),
        "hiding.png": hiding(hidden),
    }
