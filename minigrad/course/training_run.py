"""One training run of the course, whatever it trains: rates, progress, scores, checkpoints, and
Ctrl-C.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

from minigrad.course.checkpoints import Checkpoints, Log, Scored, shown
from minigrad.course.interrupt import stop_asked
from minigrad.course.training_meter import TrainingMeter

WARM_UP = 0.05  # a share of all steps


def run(
    checkpoints: Checkpoints,
    model: Any,
    optimiser: Any,
    batches: Any,
    *,
    resume: bool = False,
    score_on: Mapping[str, Iterable[Any]],
    score_every: int | None = None,
    save_every: int | None = None,
    max_norm: float | None = None,
    note: Callable[[], Any] | None = None,
) -> Log:
    """Train to the end of the plan, or until Ctrl-C; resumed, go on from the checkpoint.

    score_on: batches by name. Scores are made and checkpoints saved after each epoch, or every so
    many steps; `note` is called with each score and gives what is kept beside it.
    Raises CheckpointError.
    """
    # Imported at each call: in a notebook the modules are renewed when the learner saves.
    training, optim = import_module("minigrad.training"), import_module("minigrad.optim")
    console, total, each = checkpoints.console, checkpoints.steps, len(batches)
    schedule = warm_up_and_cosine(optim, optimiser, total)

    def score(step: int) -> None:
        found = {name: training.evaluate(model, part) for name, part in score_on.items()}
        losses = {name: s.loss for name, s in found.items()}
        accuracies = {name: s.accuracy for name, s in found.items()}
        log.scores.append(Scored(step, losses, accuracies, note() if note else None))

    def after(record: Any) -> None:
        log.losses.append(record.loss)
        log.rates.append(record.lr)
        meter.step(record)
        if record.step % (score_every or each) == 0 or record.step == total:
            score(record.step)

    with stop_asked() as asked:
        start = checkpoints.begin(model, optimiser, schedule, resume)
        log = checkpoints.log
        if checkpoints.path is not None and start < total:
            console.print(f"keeps  {shown(checkpoints.path)}, every {save_every or each} steps")
        with TrainingMeter(console, total, each, start) as meter:
            if not log.scores:
                score(0)
            history = training.fit(
                model,
                optimiser,
                batches,
                steps=total,
                schedule=schedule,
                max_norm=max_norm,
                callback=after,
                stop=asked,
                start=start,
                save=checkpoints.save,
                save_every=save_every or each,
            )
    log.stopped, done = history.interrupted, len(log.losses)
    if checkpoints.saved != done:
        log.seconds = checkpoints.seconds
    if log.stopped:
        # A score of this moment, which the run that goes on will not have made.
        if log.scores[-1].step != done:
            score(done)
        console.print(f"stopped at step {done} of {total}, as you asked; this is what it has:")
    return log


def warm_up_and_cosine(optim: Any, optimiser: Any, total: int) -> Any:
    """A rate that rises over the first steps, while Adam's averages fill, and then falls to 0."""
    rise = max(1, round(WARM_UP * total))
    parts = [
        optim.schedule.LinearLR(optimiser, 0.1, total_iters=rise),
        optim.schedule.CosineAnnealingLR(optimiser, max(1, total - rise)),
    ]
    return optim.schedule.SequentialLR(optimiser, parts, [rise])
