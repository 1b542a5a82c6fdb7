"""`minigrad watch`: run again on every save, in children of a parent that stays warm; keys in
between.
"""

import contextlib
import select
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import watchfiles

from minigrad.course import regions, report, testing
from minigrad.course.catalog import Exercise
from minigrad.course.runner import Warm
from minigrad.course.workspace import Workspace

KEYS = "h hint · l list · r reset · q quit"
# Milliseconds: how long a burst of writes is gathered, and how often keys are looked at.
DEBOUNCE, STEP, KEY_POLL = 40, 10, 50
SUFFIXES = (*regions.COMMENT, ".h")


def watch(
    workspace: Workspace,
    exercises: list[Exercise],
    actions: dict[str, Callable[[], None]],
) -> None:
    """Run `exercises` now and after each save of the chapters or their tests, until q or Ctrl-C.

    `actions` maps a key to what it does; "q" ends the watch.
    """
    folders = _folders(workspace, exercises)
    with Warm() as warm, _single_keys() as keys:
        warm.start()
        ran = None
        changes = watchfiles.watch(
            *folders,
            debounce=DEBOUNCE,
            step=STEP,
            rust_timeout=KEY_POLL,
            yield_on_timeout=True,
            raise_interrupt=False,
            watch_filter=lambda _, path: Path(path).suffix in SUFFIXES,
        )
        # The first round, a time-out, comes when the watcher is up: no save can fall in between.
        for _ in changes:
            content = _content(folders)
            if content != ran:
                ran = content
                _run(workspace, warm, exercises)
            key = keys()
            if key == "q":
                return
            if key in actions:
                actions[key]()


def _folders(workspace: Workspace, exercises: list[Exercise]) -> list[Path]:
    chapters = [c for c in workspace.course.chapters if any(e in exercises for e in c.exercises)]
    folders = [workspace.chapters_dir / c.name for c in chapters]
    folders += [workspace.course.root / "tests" / c.name for c in chapters]
    return [f for f in folders if f.is_dir()]


def _content(folders: list[Path]) -> list[tuple[str, int, int]]:
    """What tells one state of the files from another; an editor may write a save in several
    steps.
    """
    found = []
    for path in sorted(p for f in folders for p in f.rglob("*") if p.suffix in SUFFIXES):
        with contextlib.suppress(FileNotFoundError):  # an editor's draft, gone again
            found.append((str(path), path.stat().st_mtime_ns, path.stat().st_size))
    return found


def _run(workspace: Workspace, warm: Warm, exercises: list[Exercise]) -> None:
    if report.console.is_terminal:
        report.console.clear()
    report.say(f"running, {time.strftime('%H:%M:%S')}")
    sys.stdout.flush()
    outcome = testing.run(workspace, warm, exercises)
    testing.show(workspace, outcome)
    report.say(f"watching; {KEYS}" if sys.stdin.isatty() else "watching; Ctrl-C ends")
    sys.stdout.flush()


@contextlib.contextmanager
def _single_keys() -> Iterator[Callable[[], str | None]]:
    """A function that gives the key pressed since the last call, if any; none without a
    terminal.
    """
    if not sys.stdin.isatty():
        yield lambda: None
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)

    def pressed() -> str | None:
        return sys.stdin.read(1) if select.select([sys.stdin], [], [], 0)[0] else None

    try:
        tty.setcbreak(sys.stdin)
        yield pressed
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
