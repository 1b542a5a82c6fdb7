"""A progress bar for long checks, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from minigrad.course import report
from minigrad.course.workers import Seen


@contextmanager
def meter(name: str, quiet: bool = False) -> Iterator[Seen]:
    """A bar that is gone when the work is done; move it by calling what this gives."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    hidden = quiet or not report.console.is_terminal
    with Progress(*columns, console=report.console, transient=True, disable=hidden) as bar:
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
