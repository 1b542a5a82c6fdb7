"""How fast each stage of the ladder does one and the same work, and that it is the same.

The work is a training step: 32 handwritten digits go through a network of 64, 32 and 10 numbers and
back, and plain gradient descent moves the weights. Each stage starts from the same weights, sees
the same digits and must come to the losses of the stage below.

    python minigrad/course/launch.py TREE -m minigrad.course.ladder
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from minigrad import api, models, nn, optim, scalar, training
from minigrad.course.train import INTERRUPTED

SIZES, BATCH, RATE = (64, 32, 10), 32, 0.5
WORK = f"training a network {' - '.join(map(str, SIZES))} on batches of {BATCH} handwritten digits"
# float32 against Python's double precision, over a few steps.
TOLERANCE = 1e-4

Batch = tuple[NDArray[np.float64], NDArray[np.int64]]
Weights = list[tuple[NDArray[np.float64], NDArray[np.float64]]]


class StagesDiffer(RuntimeError):
    """Two stages do not come to the same losses."""


@dataclass(frozen=True)
class Run:
    """What each step's loss was, and how long a step took."""

    losses: list[float]
    seconds: float


def batches(count: int) -> list[Batch]:
    """Images scaled to 0...1, (32, 64), with their digits (32,)."""
    data = load_digits()
    rng = np.random.default_rng(0)
    chosen = [rng.choice(len(data.target), BATCH, replace=False) for _ in range(count)]
    return [(data.data[each] / 16.0, data.target[each]) for each in chosen]


def timed(step: Callable[[int], float], steps: int) -> Run:
    """Call step(0), step(1), ...; the median leaves out what a first step has to set up."""
    losses, seconds = [], []
    for number in range(steps):
        start = time.perf_counter()
        losses.append(step(number))
        seconds.append(time.perf_counter() - start)
    return Run(losses, statistics.median(seconds))


def scalars(weights: Weights, work: list[Batch]) -> Run:
    """A Value for every number."""
    model = scalar.MLP(SIZES)
    for layer, (matrix, offsets) in zip(model.layers, weights, strict=True):
        for neuron, row, offset in zip(layer.neurons, matrix, offsets, strict=True):
            neuron.bias.data = float(offset)
            for weight, number in zip(neuron.weights, row, strict=True):
                weight.data = float(number)
    optimiser = scalar.SGD(model.parameters(), RATE)
    rows = [(images.tolist(), labels.tolist()) for images, labels in work]
    return timed(lambda k: scalar.train_step(model, optimiser, *rows[k]), len(work))


def engine(weights: Weights, work: list[Batch], device: str) -> Run:
    """The engine of a device, through the public API."""
    model = models.mlp(SIZES, activation=nn.Tanh)
    with api.no_grad():
        for parameter, array in zip(model.parameters(), sum(weights, ()), strict=True):
            parameter.copy_(api.tensor(array, dtype=parameter.dtype))
    model.to(device)
    optimiser = optim.SGD(model.parameters(), lr=RATE)
    rows = [
        (api.tensor(images, api.float32, device), api.tensor(labels, device=device))
        for images, labels in work
    ]
    return timed(lambda k: training.train_step(model, optimiser, *rows[k]), len(work))


def measure() -> dict[str, float]:
    """{stage: digits per second}. Raises StagesDiffer."""
    rng = np.random.default_rng(1)
    weights = [
        (rng.standard_normal((n, m)) / m**0.5, 0.1 * rng.standard_normal(n))
        for m, n in pairwise(SIZES)
    ]
    work = batches(200)
    # Three steps of the slowest stage are enough to see that they agree, and take a second or two.
    below = scalars(weights, work[:3])
    rates = {"scalar": BATCH / below.seconds}
    run = engine(weights, work, "numpy")
    compare("numpy", run.losses, below.losses)
    rates["numpy"] = BATCH / run.seconds
    return rates


def compare(stage: str, losses: list[float], below: list[float]) -> None:
    """Raises StagesDiffer at the first step whose loss differs from the stage below."""
    for step, (ours, theirs) in enumerate(zip(losses, below, strict=False), start=1):
        if not abs(ours - theirs) <= TOLERANCE * abs(theirs):
            raise StagesDiffer(
                f"stage {stage}: the loss of step {step} is {ours:.7g}; the stage below has "
                f"{theirs:.7g}."
            )


def main() -> int:
    """Print what was measured, as data."""
    try:
        print(json.dumps({"work": WORK, "rates": measure()}))
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
