"""What a training of the course keeps in its folder, so that --resume goes on where it ended.

A run is fixed by its plan: what is trained, the seed, how many steps, all other settings. Its log
is what is known of the steps that were made; both travel in the checkpoint, beside parameters,
momenta and the state of chance.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console

OPTIONS = ("seed", "steps", "device")  # what of a plan is typed under its own name
FILE, BEFORE = "checkpoint.safetensors", "checkpoint.before.safetensors"


class CheckpointError(Exception):
    """Why a run cannot go on, or cannot be kept, and what to do: for whoever typed the command."""


@dataclass(frozen=True)
class Scored:
    """How a model does after so many steps: mean losses, and shares of 1 that it has right, by the
    names of what it was tried on. note: what else was looked at then, as JSON has it.
    """

    step: int
    loss: dict[str, float]
    accuracy: dict[str, float]
    note: Any = None


@dataclass
class Log:
    """What is known of the steps that were made, over all the lives of a run.

    losses   of each step's batch, before the step changed the model
    rates    that each step was made with
    scores   before the first step, every so many steps, and at the end
    seconds  what all that took
    stopped  Ctrl-C came before the end
    """

    losses: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    scores: list[Scored] = field(default_factory=list)
    seconds: float = 0.0
    stopped: bool = False


class Checkpoints:
    """The checkpoint of one run, in a folder; without a folder nothing is kept.

    name, seed, steps, settings   the plan; settings hold what JSON can
    log     of the steps that were made
    saved   after how many steps the file in the folder was written, None if there is none
    """

    def __init__(
        self,
        folder: Path | None,
        name: str,
        seed: int,
        steps: int,
        settings: Mapping[str, Any],
        console: Console,
    ) -> None:
        self.path = None if folder is None else folder / FILE
        self.name, self.steps, self.console = name, steps, console
        # As a file gives it back: JSON has no tuples.
        self.plan = json.loads(
            json.dumps({"training": name, "seed": seed, "steps": steps, **settings})
        )
        self.log = Log()
        self.saved: int | None = None
        self._parts: tuple[Any, ...] = ()
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """What the run took so far, over all its lives."""
        return time.perf_counter() - self._began

    def begin(self, model: Any, optimiser: Any, schedule: Any, resume: bool) -> int:
        """Make these the run's, as they were left if it is to be resumed; how many steps were made.

        Raises CheckpointError where there is nothing to resume, or something else, and where the
        folder takes no file. What was in the folder is still there then.
        """
        self._parts = model, optimiser, schedule
        start = self._load() if resume else 0
        self._began = time.perf_counter() - self.log.seconds
        if self.path is not None and start < self.steps:
            self._claim(self.path, start, resume)
        return start

    def save(self, step: int) -> None:
        """Keep the run as it is after `step` steps. A disk that is full is told of, and the run
        goes on: the next save may work, and the file of the last one is as it was.
        """
        try:
            self._write(step)
        except OSError as error:
            self.console.print(
                f"step {step} was not saved: {reason(error)}. The checkpoint of step {self.saved} "
                "is as it was, and the training goes on."
            )

    def _write(self, step: int) -> None:
        if self.path is None:
            return
        self.log.seconds = self.seconds
        extra = {"plan": self.plan, "log": asdict(self.log)}
        import_module("minigrad.checkpoint").save(self.path, *self._parts, step=step, extra=extra)
        self.saved = step

    def _claim(self, path: Path, start: int, resume: bool) -> None:
        """Write the first checkpoint, so that a folder which takes none is told of before any work,
        and a run that is killed can go on from wherever it was.
        """
        before = path.with_name(BEFORE)
        lost = None if resume else unfinished(path)
        try:
            if lost:
                os.replace(path, before)
            self._write(start)
        except OSError as error:
            if lost and before.exists():
                os.replace(before, path)
            raise CheckpointError(
                f"{shown(path)} cannot be written: {reason(error)}. Nothing was trained yet: make "
                "room, or name another folder with --out."
            ) from None
        if lost:
            self.console.print(
                f"note   a run that --resume would have gone on with after step {lost} was here; "
                f"it is kept as {BEFORE}"
            )

    def _load(self) -> int:
        """Bring the parts to where the file has them; how many steps were made."""
        path = self.path
        if path is None:
            raise CheckpointError(f"{self.name}: without a folder there is nothing to resume.")
        checkpoint = import_module("minigrad.checkpoint")
        try:
            saved = checkpoint.peek(path)
            self._compare(path, saved.extra)
            checkpoint.load(path, *self._parts)
        except FileNotFoundError:
            raise CheckpointError(
                f"there is no {shown(path)} to go on from. Start the run without --resume."
            ) from None
        except OSError as error:
            raise CheckpointError(f"{shown(path)} cannot be read: {reason(error)}.") from None
        except ValueError as error:
            said = "; ".join(line.strip() for line in str(error).splitlines())
            raise CheckpointError(
                f"{said} Start anew without --resume, or name another folder with --out."
            ) from None
        log = saved.extra["log"]
        self.log = Log(**{**log, "scores": [Scored(**each) for each in log["scores"]]})
        self.saved = saved.step
        if saved.step == self.steps:
            self.console.print(f"this run is finished, all {self.steps} steps of it; it came to:")
        else:
            self.console.print(f"goes on after step {saved.step} of {self.steps}")
        return int(saved.step)

    def _compare(self, path: Path, extra: Any) -> None:
        """Raise CheckpointError unless the file is of this run."""
        plan = planned(extra)
        if plan is None:
            raise CheckpointError(
                f"{shown(path)} was not written by minigrad train. Name another folder with --out."
            )
        wrong = [
            f"{'--' * (key in OPTIONS)}{key} {plan.get(key)}, not {self.plan.get(key)}"
            for key in dict.fromkeys([*self.plan, *plan])
            if plan.get(key) != self.plan.get(key)
        ]
        if plan["training"] != self.name:
            wrong = wrong[:1]  # all else differs, too
        if wrong:
            raise CheckpointError(
                f"{shown(path)} is of another run: {'; '.join(wrong)}. Ask for that run to resume "
                "it; for this one leave --resume out, or name another folder with --out."
            )


def planned(extra: Any) -> dict[str, Any] | None:
    """The plan that a checkpoint was written with; None if no training of the course wrote it."""
    ours = isinstance(extra, dict) and {"plan", "log"} <= set(extra)
    return extra["plan"] if ours else None


def unfinished(path: Path) -> int:
    """How many steps the run in a file had made, if it could go on; else 0."""
    try:
        found = import_module("minigrad.checkpoint").peek(path)
    except (OSError, ValueError):
        return 0
    plan = planned(found.extra)
    return int(found.step) if plan and found.step < plan["steps"] else 0


def shown(path: Path) -> str:
    """A path from the working directory, if it lies there."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)
