"""The milestone of chapter 01: a network of single numbers tells three kinds of iris apart.

Three stratified splits: every flower is held out once, and the network that judges it has never
seen it. Measurements are standardised with the mean and spread of the training flowers alone.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from minigrad.course.pictures_iris import loss_curves, regions
from minigrad.course.result import Result

USES = "minigrad.scalar"
SPLITS, EPOCHS, BATCH, HIDDEN, RATE = 3, 50, 10, 8, 0.1
PETAL = [2, 3]  # the two columns the map of regions is drawn over

Row = list[float]


@dataclass(frozen=True)
class Flowers:
    """Measurements in cm, (150, 4) float64, and the kind of each flower, (150,) int."""

    measurements: np.ndarray[Any, np.dtype[np.float64]]
    kinds: np.ndarray[Any, np.dtype[np.int64]]
    features: list[str]
    names: list[str]


@dataclass(frozen=True)
class Fit:
    """A trained network with what it was trained on and how it did."""

    scores: Callable[[Row], list[float]]  # measurements in cm -> one score per kind
    train: list[int]
    held: list[int]
    wrong: list[int]  # flowers held out and taken for another kind
    train_loss: list[float]  # mean over the steps of each epoch
    held_loss: list[float]  # after each epoch

    @property
    def accuracy(self) -> float:
        return 1.0 - len(self.wrong) / len(self.held)


def flowers() -> Flowers:
    data = load_iris()
    features = [name.removesuffix(" (cm)") for name in data.feature_names]
    return Flowers(data.data, data.target, features, [str(name) for name in data.target_names])


def splits(kinds: Sequence[int], seed: int) -> list[tuple[list[int], list[int]]]:
    """(train, held) index lists; each flower is held out in exactly one of them."""
    folds = StratifiedKFold(SPLITS, shuffle=True, random_state=seed)
    pairs = folds.split(np.zeros(len(kinds)), kinds)
    return [(train.tolist(), held.tolist()) for train, held in pairs]


def fit(
    data: Flowers,
    columns: list[int],
    split: tuple[list[int], list[int]],
    seed: int,
    tick: Callable[[], object] = lambda: None,
) -> Fit:
    """Train one network; `tick` is called after each epoch."""
    # Looked up at each call: in a notebook the module is renewed when the learner saves.
    scalar = import_module(USES)
    train, held = split
    chosen = data.measurements[:, columns]
    mean, spread = chosen[train].mean(axis=0), chosen[train].std(axis=0)
    rows = ((chosen - mean) / spread).tolist()
    labels = data.kinds.tolist()
    model = scalar.MLP((len(columns), HIDDEN, len(data.names)), seed=seed)
    optimiser = scalar.SGD(model.parameters(), RATE)
    rng = random.Random(seed)
    deck = list(train)
    train_loss, held_loss = [], []
    for _ in range(EPOCHS):
        rng.shuffle(deck)
        steps = []
        for start in range(0, len(deck), BATCH):
            batch = deck[start : start + BATCH]
            chosen_rows, chosen_labels = [rows[i] for i in batch], [labels[i] for i in batch]
            steps.append(scalar.train_step(model, optimiser, chosen_rows, chosen_labels))
        train_loss.append(sum(steps) / len(steps))
        losses = [scalar.cross_entropy(model(rows[i]), labels[i]).data for i in held]
        held_loss.append(sum(losses) / len(losses))
        tick()

    def scores(row: Row) -> list[float]:
        return [score.data for score in model(((np.array(row) - mean) / spread).tolist())]

    wrong = [i for i in held if int(np.argmax(scores(chosen[i].tolist()))) != labels[i]]
    return Fit(scores, train, held, wrong, train_loss, held_loss)


def train(seed: int = 0, console: Console | None = None) -> Result:
    """Three splits on all four measurements, then one on the petals alone, for the map."""
    # A notebook's output claims to be a terminal, and would show every stage of the bar.
    console = console or Console(force_terminal=False, force_jupyter=False, highlight=False)
    data = flowers()
    pairs = splits(data.kinds.tolist(), seed)
    everything = list(range(len(data.features)))
    started = time.perf_counter()
    plain = not console.is_terminal or console.is_dumb_terminal
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    fits = []
    with Progress(*columns, console=console, disable=plain, transient=True) as progress:
        task = progress.add_task("", total=(SPLITS + 1) * EPOCHS)
        for number, pair in enumerate(pairs, start=1):
            progress.update(task, description=f"split {number} of {SPLITS}")
            fits.append(fit(data, everything, pair, seed, lambda: progress.advance(task)))
            console.print(f"  split {number} of {SPLITS}   {score(fits[-1])}")
        progress.update(task, description="petals alone")
        petals = fit(data, PETAL, pairs[0], seed, lambda: progress.advance(task))
        console.print(f"  petals alone   {score(petals)}")
    seconds = time.perf_counter() - started
    accuracy = sum(f.accuracy for f in fits) / len(fits)
    console.print(f"held-out accuracy {100 * accuracy:.1f} %, mean of {SPLITS} splits")
    figures = {
        "accuracy": accuracy,
        "splits": [f.accuracy for f in fits],
        "petals": petals.accuracy,
        "epochs": EPOCHS,
        "seconds": seconds,
    }
    histories = [(f.train_loss, f.held_loss) for f in fits]
    pictures = {
        "loss.png": loss_curves(histories, accuracy),
        "regions.png": regions(
            petals.scores,
            data.measurements[:, PETAL],
            data.kinds,
            data.names,
            [data.features[c] for c in PETAL],
            petals.held,
            petals.wrong,
        ),
    }
    return Result(figures, pictures)


def score(fit: Fit) -> str:
    right = len(fit.held) - len(fit.wrong)
    return f"{right} of {len(fit.held)} flowers it had never seen: {100 * fit.accuracy:.1f} %"
