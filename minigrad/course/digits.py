"""The milestone of chapter 05: a network reads handwritten digits.

One digit in five, of each kind, is held out: the network never learns from it. How it does on those
is looked at after each epoch and chooses nothing: the training runs for a fixed number of steps,
and what it ends with is what counts. Sizes and rates were chosen by cross-validation within the
digits to learn from.
"""

import time
from importlib import import_module
from typing import Any

import numpy as np
from rich.console import Console

from minigrad.course.interrupt import stop_asked
from minigrad.course.pictures_digits import Checkpoint, confusion, curves, table
from minigrad.course.result import Result
from minigrad.course.training_meter import TrainingMeter

USES = "minigrad.training"
SIZES, BATCH, EPOCHS = (64, 128, 10), 32, 20
RATE, DECAY, WARM_UP = 0.02, 0.1, 0.05  # WARM_UP is a share of all steps
TRAINING, UNSEEN = "training", "unseen"


def train(
    seed: int = 0,
    console: Console | None = None,
    *,
    device: str = "numpy",
    epochs: int | None = None,
    steps: int | None = None,
) -> Result:
    """Train for so many epochs, or steps; Ctrl-C ends it with what it has."""
    # Imported at each call: in a notebook the modules are renewed when the learner saves.
    api, data, models, optim, training = (
        import_module(f"minigrad.{name}") for name in ("api", "data", "models", "optim", "training")
    )
    # A notebook's output claims to be a terminal, and would show every stage of the bar.
    console = console or Console(force_terminal=False, force_jupyter=False, highlight=False)
    parts = [
        data.TensorDataset(*(t.to(device) for t in part.tensors)) for part in data.digits(seed)
    ]
    seen, unseen = parts
    batches = data.DataLoader(seen, BATCH, shuffle=True, seed=seed)
    model = models.mlp(SIZES, generator=api.Generator(seed)).to(device)
    optimiser = optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    if epochs is None and steps is None:
        epochs = EPOCHS
    total = training.planned(epochs, steps, len(batches))
    console.print(f"digits {len(seen)} to learn from, {len(unseen)} unseen")
    count = sum(p.size for p in model.parameters())
    shape = " - ".join(map(str, SIZES))
    said = f"model  {shape}, {count:,} parameters; AdamW, {total} steps of {BATCH} digits"
    started = time.perf_counter()
    with stop_asked() as asked, TrainingMeter(console, total, len(batches)) as meter:
        console.print(said)
        history = training.fit(
            model,
            optimiser,
            batches,
            steps=total,
            schedule=warm_up_and_cosine(optim, optimiser, total),
            score_on={TRAINING: [seen.tensors], UNSEEN: [unseen.tensors]},
            callback=meter.step,
            stop=asked,
        )
    seconds = time.perf_counter() - started
    done = len(history.steps)
    if history.interrupted:
        console.print(f"stopped at step {done} of {total}, as you asked; this is what it has:")
    images, labels = (t.numpy() for t in unseen.tensors)
    with api.no_grad():
        read = model(unseen.tensors[0]).numpy().argmax(axis=1)
    missed = np.flatnonzero(read != labels)
    right = len(labels) - len(missed)
    accuracy = right / len(labels)
    said = f"{right} of {len(labels)} unseen digits read right"
    console.print(f"{said}: {100 * accuracy:.1f} %")
    checkpoints = [
        Checkpoint(step, scores[TRAINING].accuracy, scores[UNSEEN].accuracy)
        for step, scores in history.scores
    ]
    figures: dict[str, Any] = {
        "device": device,
        "accuracy": accuracy,
        "steps": done,
        "planned_steps": total,
        "epochs": done / len(batches),
        "parameters": count,
        "loss": history.steps[-1].loss if done else None,
        "confusion": table(labels, read).tolist(),
        "misread": [{"index": int(i), "is": int(labels[i]), "read": int(read[i])} for i in missed],
        "seconds": seconds,
    }
    title = f"{100 * accuracy:.1f} % of {len(labels)} unseen digits right after {done} steps"
    pictures = {
        "loss.png": curves([r.loss for r in history.steps], checkpoints, title),
        "confusion.png": confusion(images.reshape(-1, 8, 8), labels, read),
    }
    return Result(figures, pictures, history.interrupted)


def warm_up_and_cosine(optim: Any, optimiser: Any, total: int) -> Any:
    """A rate that rises over the first steps, while Adam's averages fill, and then falls to 0."""
    rise = max(1, round(WARM_UP * total))
    parts = [
        optim.schedule.LinearLR(optimiser, 0.1, total_iters=rise),
        optim.schedule.CosineAnnealingLR(optimiser, max(1, total - rise)),
    ]
    return optim.schedule.SequentialLR(optimiser, parts, [rise])
