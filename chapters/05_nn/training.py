# cut from minigrad/training.py
"""Training: one step, the score of a model, and the loop that all models here share."""

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from minigrad.api import cross_entropy, no_grad
from minigrad.dtypes import int64
from minigrad.optim import Optimizer, clip_grad_norm_
from minigrad.optim.schedule import Schedule

Loss = Callable[[Any, Any], Any]


class Model(Protocol):
    """What is trained: an nn.Module, or what behaves like one."""

    training: bool

    def __call__(self, x: Any) -> Any: ...

    def train(self, mode: bool = True) -> Any: ...


class Batches(Protocol):
    """Where x and y come from, batch by batch: a DataLoader, TextBatches, or a list of pairs."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


@dataclass(frozen=True)
class Score:
    """How a model does: its mean loss, and the share of rows it has right (NaN without classes)."""

    loss: float
    accuracy: float


@dataclass(frozen=True)
class Record:
    """A step: its number of `total`, 1 first; how the batch did before it; the rate it was made
    with.
    """

    step: int
    total: int
    loss: float
    accuracy: float
    lr: float


@dataclass
class History:
    """What fit did.

    steps        a record of each
    scores       after how many steps, and the scores then, by the names of score_on
    interrupted  it was told to stop before its time
    """

    steps: list[Record] = field(default_factory=list)
    scores: list[tuple[int, dict[str, Score]]] = field(default_factory=list)
    interrupted: bool = False


def train_step(
    model: Callable[[Any], Any],
    optimiser: Optimizer,
    x: Any,
    y: Any,
    loss: Loss = cross_entropy,
    max_norm: float | None = None,
) -> float:
    """Bring the model a step closer to y on x; gives loss(model(x), y) as it was before the step.

    max_norm: the gradients of all parameters together are kept to this length (optim.clip).
    """
    params = [p for group in optimiser.param_groups for p in group["params"]]
    # <ex 5.6> loss, this step's gradients alone, clipped if asked, one step; the loss (7 lines)
    raise NotImplementedError("exercise 5.6")
    # </ex 5.6>


def evaluate(model: Model, batches: Iterable[Any], loss: Loss = cross_entropy) -> Score:
    """The model's score over all batches, each row counting the same; nothing is recorded.

    loss: gives the mean over a batch. The model is in evaluation mode meanwhile, and afterwards in
    the mode it was in. Raises ValueError where there is no batch.
    """
    rows, total, right = 0, 0.0, 0.0
    mode = model.training
    model.train(False)
    try:
        with no_grad():
            for x, y in batches:
                out = model(x)
                rows += len(y)
                total += len(y) * loss(out, y).item()
                right += len(y) * accuracy(out, y)
    finally:
        model.train(mode)
    if rows == 0:
        raise ValueError("evaluate: there was no batch; an iterator gives its own only once.")
    return Score(total / rows, right / rows)


def accuracy(out: Any, y: Any) -> float:
    """The share of rows where the highest score in out (..., classes) is that of the class y (...).

    NaN where y holds no classes.
    """
    if y.dtype is not int64:
        return math.nan
    right = out.detach().argmax(-1) == y
    return float(right.sum().item() / y.size)


def fit(
    model: Model,
    optimiser: Optimizer,
    batches: Batches,
    *,
    epochs: int | None = None,
    steps: int | None = None,
    loss: Loss = cross_entropy,
    max_norm: float | None = None,
    schedule: Schedule | None = None,
    score_on: Mapping[str, Iterable[Any]] | None = None,
    score_every: int | None = None,
    callback: Callable[[Record], object] | None = None,
    stop: Callable[[], bool] | None = None,
    start: int = 0,
    save: Callable[[int], object] | None = None,
    save_every: int | None = None,
) -> History:
    """Train for so many epochs, or so many steps, those before `start` included.

    schedule: moves on with every step. score_on: batches by name, to evaluate the model on before
    the first step, after each epoch (or every score_every steps) and at the end. callback: called
    after each step. stop: asked after each step whether to end here. So does Ctrl-C, wherever it
    strikes.
    start: so many steps were made in a run before (model, optimiser and schedule are as it left
    them: checkpoint.load), and the batches go on after them, counted from epoch 0.
    save: called with the number of steps made, every save_every steps, and at the end unless Ctrl-C
    struck, which may be in the middle of a step.
    The model is in training mode meanwhile, and afterwards in the mode it was in.
    Raises ValueError unless one of epochs and steps is given, and is 1 or more, and for a start
    that lies after the end.
    """
    total = planned(epochs, steps, len(batches))
    check_places(total, start, score_every, save_every)
    history, mode, right = History(), model.training, math.nan

    def watched(out: Any, y: Any) -> Any:
        nonlocal right
        right = accuracy(out, y)
        return loss(out, y)

    def score(step: int) -> None:
        if score_on:
            found = {name: evaluate(model, given, loss) for name, given in score_on.items()}
            history.scores.append((step, found))

    def due(step: int, every: int | None) -> bool:
        regular = every is not None and step % every == 0
        return regular or step == total or history.interrupted

    model.train(True)
    try:
        with closing(repeated(batches, start)) as source:
            score(start)
            for step, (x, y) in zip(range(start + 1, total + 1), source, strict=False):
                lr = optimiser.param_groups[0]["lr"]
                error = train_step(model, optimiser, x, y, watched, max_norm)
                if schedule is not None:
                    schedule.step()
                history.steps.append(Record(step, total, error, right, lr))
                if callback is not None:
                    callback(history.steps[-1])
                history.interrupted = stop is not None and step < total and stop()
                if due(step, score_every or len(batches)):
                    score(step)
                if save is not None and due(step, save_every):
                    save(step)
                if history.interrupted:
                    break
    except KeyboardInterrupt:
        history.interrupted = True
    finally:
        model.train(mode)
    return history


def planned(epochs: int | None, steps: int | None, each: int) -> int:
    """How many steps that is, of `each` in an epoch."""
    given = [n for n in (epochs, steps) if n is not None]
    if len(given) != 1 or given[0] < 1 or each < 1:
        raise ValueError(
            "fit: say how long, by one of epochs and steps, 1 or more, over a batch or more; got "
            f"epochs={epochs}, steps={steps}, {each} batches."
        )
    return given[0] if epochs is None else epochs * each


def check_places(total: int, start: int, *every: int | None) -> None:
    """Raise ValueError for a start outside the run, or an interval of no steps."""
    if not 0 <= start <= total:
        raise ValueError(
            f"fit: start={start} steps were made before, of {total} in all; steps and epochs count "
            "those, too."
        )
    if any(n is not None and n < 1 for n in every):
        raise ValueError(f"fit: score_every and save_every are 1 step or more, got {every}.")


def repeated(batches: Batches, start: int) -> Generator[Any, None, None]:
    """Epoch after epoch, without the first `start` batches of all."""
    if start and hasattr(batches, "seek"):
        batches.seek(start)
    elif start:
        yield from islice(batches, start % len(batches), None)
    while True:
        yield from batches
