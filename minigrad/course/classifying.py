"""What the milestones of chapters 05 and 06 share: a network learns to read handwritten digits.

One digit in five, of each kind, is held out: the network never learns from it. How it does on those
is looked at after each epoch and chooses nothing: the training runs for a fixed number of steps,
and what it ends with is what counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from minigrad.course import training_run
from minigrad.course.checkpoints import Checkpoints
from minigrad.course.pictures_digits import confusion, table
from minigrad.course.pictures_training import SEEN, UNSEEN, curves
from minigrad.course.result import Result


@dataclass(frozen=True)
class Reader:
    """A network that is to read digits, and how it learns.

    model   makes it, from a generator
    layers  what is said of it
    shape   of an image, as the model takes it
    moves   by how many pixels down and right each digit is moved, to learn from as well
    """

    name: str
    model: Callable[[Any], Any]
    layers: str
    shape: tuple[int, ...]
    batch: int
    epochs: int
    rate: float
    decay: float
    moves: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Reading:
    """A network that was trained, in evaluation mode, the digits it has never seen, (n, 8, 8)
    float32, and what they are, (n,) int64.

    given   makes of images (n, 8, 8) what the model takes
    """

    model: Any
    given: Callable[[NDArray[np.float32]], Any]
    images: NDArray[np.float32]
    labels: NDArray[np.int64]
    result: Result


def learn(
    reader: Reader,
    seed: int,
    console: Console | None,
    folder: Path | None,
    resume: bool,
    device: str,
    epochs: int | None,
    steps: int | None,
) -> Reading:
    """Train for so many epochs, or steps; Ctrl-C ends it with what it has.

    folder: where checkpoints go; resume: go on from the one there. Raises CheckpointError.
    """
    # Imported at each call: in a notebook the modules are renewed when the learner saves.
    api, data, optim, training = (
        import_module(f"minigrad.{name}") for name in ("api", "data", "optim", "training")
    )
    # A notebook's output claims to be a terminal, and would show every stage of the bar.
    console = console or Console(force_terminal=False, force_jupyter=False, highlight=False)
    parts = [
        data.TensorDataset(*(t.to(device) for t in part.tensors))
        for part in data.digits(seed, shape=reader.shape)
    ]
    seen, unseen = parts
    learned = data.TensorDataset(*with_moved(api, reader.moves, *seen.tensors))
    batches = data.DataLoader(learned, reader.batch, shuffle=True, seed=seed)
    model = reader.model(api.Generator(seed)).to(device)
    optimiser = optim.AdamW(model.parameters(), lr=reader.rate, weight_decay=reader.decay)
    if epochs is None and steps is None:
        epochs = reader.epochs
    total = training.planned(epochs, steps, len(batches))
    count = sum(p.size for p in model.parameters())
    more = f", each also moved in {len(reader.moves)} ways" if reader.moves else ""
    console.print(f"digits {len(seen)} to learn from{more}, {len(unseen)} unseen")
    said = f"model  {reader.layers}, {count:,} parameters"
    console.print(f"{said}; AdamW, {total} steps of {reader.batch} digits")
    checkpoints = Checkpoints(
        folder,
        reader.name,
        seed,
        total,
        {
            "device": device,
            "layers": reader.layers,
            "batch": reader.batch,
            "rate": reader.rate,
            "decay": reader.decay,
        },
        console,
    )
    log = training_run.run(
        checkpoints,
        model,
        optimiser,
        batches,
        resume=resume,
        score_on={SEEN: [seen.tensors], UNSEEN: [unseen.tensors]},
    )
    model.eval()
    with api.no_grad():
        scores = model(unseen.tensors[0]).numpy()
    images, labels = (t.numpy() for t in unseen.tensors)
    images, read, done = images.reshape(-1, 8, 8), scores.argmax(axis=1), len(log.losses)
    missed = np.flatnonzero(read != labels)
    right = len(labels) - len(missed)
    accuracy = right / len(labels)
    console.print(f"{right} of {len(labels)} unseen digits read right: {100 * accuracy:.1f} %")
    figures: dict[str, Any] = {
        "device": device,
        "accuracy": accuracy,
        "steps": done,
        "planned_steps": total,
        "epochs": done / len(batches),
        "parameters": count,
        "loss": log.losses[-1] if done else None,
        "confusion": table(labels, read).tolist(),
        "misread": [{"index": int(i), "is": int(labels[i]), "read": int(read[i])} for i in missed],
        "seconds": log.seconds,
    }
    title = f"{100 * accuracy:.1f} % of {len(labels)} unseen digits right after {done} steps"
    pictures = {
        "loss.png": curves(log, title),
        "confusion.png": confusion(images, labels, read),
    }
    result = Result(figures, pictures, log.stopped, checkpoints.path, checkpoints.saved)

    def given(images: NDArray[np.float32]) -> Any:
        return api.tensor(images.reshape(-1, *reader.shape)).to(device)

    return Reading(model, given, images, labels, result)


def with_moved(
    api: Any, moves: Sequence[tuple[int, int]], images: Any, labels: Any
) -> tuple[Any, Any]:
    """Images (n, ..., height, width) and what they are (n,), followed by the same images moved by
    so many pixels down and right, with white where nothing is left.
    """
    edge = max((abs(n) for move in moves for n in move), default=0)
    height, width = images.shape[-2:]
    wide = api.pad(images, [(0, 0)] * (images.ndim - 2) + [(edge, edge)] * 2)
    parts = [images]
    for down, right in moves:
        top, left = edge - down, edge - right
        parts.append(wide[..., top : top + height, left : left + width])
    return api.cat(parts), api.cat([labels] * len(parts))
