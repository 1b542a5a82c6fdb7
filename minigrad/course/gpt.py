"""The milestone of chapter 07: a small GPT writes what looks like Python.

It reads the modules of Python's standard library, character by character. One file in ten is held
out: the model never learns from it. How it does there is looked at now and then and chooses
nothing: the training runs for a fixed number of steps, and what it ends with is what counts.
"""

import time
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

from minigrad.course.digits import warm_up_and_cosine
from minigrad.course.interrupt import stop_asked
from minigrad.course.result import Result
from minigrad.course.training_meter import TrainingMeter

USES = "minigrad.nn.transformer"
CONTEXT, LAYERS, HEADS, WIDTH = 64, 3, 4, 96
BATCH, STEPS = 32, 4000
NOTEBOOK_STEPS = 300  # what a notebook has the patience for
RATE, DECAY, MAX_NORM = 3e-3, 0.1, 1.0
TRAINING, UNSEEN = "training", "unseen"


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
    """Train for so many epochs, or steps; Ctrl-C ends it with what it has."""
    api, data, models, optim, training = (
        import_module(f"minigrad.{name}") for name in ("api", "data", "models", "optim", "training")
    )
    console = console or Console(force_terminal=False, force_jupyter=False, highlight=False)
    seen, unseen = data.python_sources()
    letters = data.Vocabulary(seen)
    learned = data.TextDataset(letters.encode(seen).to(device), CONTEXT)
    batches = data.TextBatches(learned, BATCH, seed)
    config = models.GPTConfig(len(letters), CONTEXT, LAYERS, HEADS, WIDTH)
    model = models.GPT(config, generator=api.Generator(seed)).to(device)
    optimiser = optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    if epochs is None and steps is None:
        steps = STEPS
    total = training.planned(epochs, steps, len(batches))
    started = time.perf_counter()
    with stop_asked() as asked, TrainingMeter(console, total, len(batches)) as meter:
        history = training.fit(
            model,
            optimiser,
            batches,
            steps=total,
            max_norm=MAX_NORM,
            schedule=warm_up_and_cosine(optim, optimiser, total),
            callback=meter.step,
            stop=asked,
        )
    figures: dict[str, Any] = {
        "device": device,
        "loss": history.steps[-1].loss,
        "steps": len(history.steps),
        "planned_steps": total,
        "seconds": time.perf_counter() - started,
    }
    return Result(figures, {}, history.interrupted)
