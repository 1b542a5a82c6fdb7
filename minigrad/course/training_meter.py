"""How a training run tells where it is: a bar on a terminal, lines elsewhere."""

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

LINES = 8  # in a pipe, over the whole run
NARROW = 60  # columns
KEEP = 0.95  # of the mean so far, at each step: one batch's numbers jump


class TrainingMeter:
    """Loss and share of digits read right, as running means over the batches. A context manager."""

    def __init__(self, console: Console, total: int, each: int, start: int = 0) -> None:
        """total steps, `each` in an epoch; `start` of them were made before."""
        self.console, self.total, self.each, self.start = console, total, each, start
        self.loss = self.accuracy = float("nan")
        self.plain = not console.is_terminal or console.is_dumb_terminal
        # On a narrow terminal the numbers and the time stay.
        way = [BarColumn(bar_width=None), TextColumn("{task.percentage:3.0f} %")]
        self.progress = Progress(
            TextColumn("{task.description}"),
            *(way if console.width >= NARROW else []),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
            disable=self.plain,
            transient=True,
            expand=True,
        )
        self.task = self.progress.add_task("", total=total, completed=start)

    def __enter__(self) -> "TrainingMeter":
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def step(self, record: Any) -> None:
        """A step was made: training.Record."""
        first = record.step == self.start + 1
        self.loss = record.loss if first else _mean(self.loss, record.loss)
        self.accuracy = record.accuracy if first else _mean(self.accuracy, record.accuracy)
        said = f"loss {self.loss:.4f}  right {100 * self.accuracy:5.1f} %"
        self.progress.update(self.task, advance=1, description=said)
        # The last step of each eighth of the way.
        before, now = (LINES * n // self.total for n in (record.step - 1, record.step))
        if self.plain and now > before:
            epoch = record.step / self.each
            self.console.print(f"  step {record.step:>5}  epoch {epoch:>5.1f}  {said}")


def _mean(before: float, now: float) -> float:
    return KEEP * before + (1.0 - KEEP) * now
