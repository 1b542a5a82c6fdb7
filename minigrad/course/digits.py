"""The milestone of chapter 05: a network of two layers reads handwritten digits.

Sizes and rates were chosen by cross-validation within the digits to learn from.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from minigrad.course.classifying import Reader, learn
from minigrad.course.result import Result

USES = "minigrad.training"
SIZES = (64, 128, 10)


def network(generator: Any) -> Any:
    return import_module("minigrad.models").mlp(SIZES, generator=generator)


READER = Reader(
    name="digits",
    model=network,
    layers=" - ".join(map(str, SIZES)),
    shape=(64,),
    batch=32,
    epochs=20,
    rate=0.02,
    decay=0.1,
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
