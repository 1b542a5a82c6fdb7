"""The command line: `minigrad COMMAND`. Exit codes: 0 passed, 1 failed or open, 2 usage, 130
stopped by Ctrl-C.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from minigrad.course import milestones, reading, report, testing
from minigrad.course import train as training
from minigrad.course.bench import bench
from minigrad.course.catalog import CatalogError, Course, find_root
from minigrad.course.progress import Progress
from minigrad.course.regions import RegionError
from minigrad.course.runner import RunnerBroken, Warm
from minigrad.course.workspace import Workspace
from minigrad.course.wrong import WrongFileError

app = typer.Typer(
    help="Build a deep-learning framework, chapter by chapter.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Wanted = Annotated[str, typer.Argument(metavar="N[.k]", help="a chapter (3) or an exercise (3.2)")]
MaybeWanted = Annotated[
    str | None, typer.Argument(metavar="[N[.k]]", help="a chapter (3) or an exercise (3.2)")
]
One = Annotated[str, typer.Argument(metavar="N.k", help="an exercise (3.2)")]
Json = Annotated[bool, typer.Option("--json", help="print data instead of text")]
Chapters = Annotated[
    Path | None,
    typer.Option(
        "--chapters", metavar="DIR", help="a folder of chapters other than this checkout's"
    ),
]


def workspace(chapters: Path | None = None) -> Workspace:
    """The workspace of the checkout around the working directory."""
    root = find_root(Path.cwd())
    if root is None:
        raise LookupError(f"{Path.cwd()} is not inside a checkout of the course")
    if chapters is not None and not chapters.is_dir():
        raise LookupError(f"--chapters {chapters}: there is no such folder")
    return Workspace(Course(root), chapters)


@app.command()
def status(json: Json = False, chapters: Chapters = None) -> None:
    """Where you stand: every exercise and its state."""
    reading.status(workspace(chapters), json)


@app.command(name="next")
def next_exercise(json: Json = False, chapters: Chapters = None) -> None:
    """The next exercise: what it asks and where."""
    reading.next_exercise(workspace(chapters), json)


@app.command()
def test(
    wanted: MaybeWanted = None,
    all_mine: Annotated[
        bool, typer.Option("--all-mine", help="your code in every chapter where it is solved")
    ] = False,
    impl: Annotated[str, typer.Option(help="mine or reference")] = testing.MINE,
    json: Json = False,
    chapters: Chapters = None,
) -> None:
    """Run the tests of a chapter or an exercise on your code."""
    if impl not in (testing.MINE, testing.REFERENCE):
        raise LookupError(f"--impl {impl}: it is mine or reference")
    place = workspace(chapters)
    exercises = testing.select(place, wanted)
    with Warm() as warm:
        outcome = testing.run(place, warm, exercises, impl=impl, all_mine=all_mine)
    (testing.as_json if json else testing.show)(place, outcome)
    raise typer.Exit(0 if outcome.passed else 1)


@app.command()
def watch(wanted: MaybeWanted = None, chapters: Chapters = None) -> None:
    """Test again on each save. Keys: h hint, l list, r reset, q quit."""
    from minigrad.course import watch as watching

    place = workspace(chapters)
    exercises = testing.select(place, wanted)
    watching.watch(place, exercises, reading.watch_actions(place, exercises))


@app.command()
def hint(
    exercise: One,
    level: Annotated[
        int | None, typer.Option(min=1, max=3, help="1 nudge, 2 idea, 3 nearly the answer")
    ] = None,
    json: Json = False,
    chapters: Chapters = None,
) -> None:
    """A hint; asked again, the next of three."""
    place = workspace(chapters)
    reading.hint(place, place.course.exercise(exercise), level, json)


@app.command()
def diff(
    wanted: Wanted,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="before it has passed; marks it revealed")
    ] = False,
    json: Json = False,
    chapters: Chapters = None,
) -> None:
    """Your body against ours, once yours has passed."""
    place = workspace(chapters)
    raise typer.Exit(reading.diff(place, testing.select(place, wanted), anyway, json))


@app.command()
def solve(wanted: Wanted, chapters: Chapters = None) -> None:
    """Put our body into your file; yours is kept aside."""
    from minigrad.course import edit

    place = workspace(chapters)
    record = Progress(place)
    exercises = testing.select(place, wanted)
    report.say(*edit.solve(place, *exercises).lines)
    for exercise in exercises:
        record.reveal(exercise)
    report.say("", f"next: minigrad test {wanted}")


@app.command()
def reset(
    wanted: Wanted,
    show: Annotated[
        bool, typer.Option("--print", help="show what would be restored, change nothing")
    ] = False,
    chapters: Chapters = None,
) -> None:
    """Put the start back into your file; yours is kept aside."""
    from minigrad.course import edit

    place = workspace(chapters)
    exercises = testing.select(place, wanted)
    if show:
        for exercise in exercises:
            report.say(edit.shown_region(exercise).rstrip())
        return
    if "." in wanted:
        report.say(*edit.reset(place, exercises[0]).lines)
    else:
        report.say(*edit.reset_chapter(place, place.course.chapter(int(wanted))).lines)
    report.say("", f"next: minigrad test {wanted}")


@app.command()
def upgrade(
    pull: Annotated[bool, typer.Option(help="get the newest version first")] = True,
) -> None:
    """Bring the course up to date; your code stays."""
    from minigrad.course import upgrade as upgrading

    done = upgrading.run(workspace(), pull=pull)
    report.say(*done.lines)
    raise typer.Exit(done.code)


@app.command()
def train(
    name: Annotated[str, typer.Argument(help=f"what to train: {', '.join(training.NAMES)}")],
    mine: Annotated[bool, typer.Option("--mine", help="on your code")] = False,
    seed: int = 0,
    device: Annotated[str | None, typer.Option(help="where it computes")] = None,
    epochs: Annotated[int | None, typer.Option(help="how many times through the data")] = None,
    steps: Annotated[int | None, typer.Option(help="how many batches, instead")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="go on where the run in the folder ended")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="folder for pictures and checkpoint")] = None,
    json: Json = False,
    chapters: Chapters = None,
) -> None:
    """Train a milestone, on the reference or on your code. Ctrl-C stops it with what it has;
    --resume goes on.
    """
    place = workspace(chapters)
    known = ", ".join(training.NAMES)
    if name not in training.NAMES:
        raise LookupError(f"there is no training called {name!r}; there are: {known}")
    settings = {"seed": seed or None, "device": device, "epochs": epochs, "steps": steps}
    raise typer.Exit(
        milestones.run(place, name, settings, mine=mine, resume=resume, out=out, json=json)
    )


app.command()(bench)


@app.command(name="tour")
def take_tour() -> None:
    """Half a minute: where the course leads."""
    from minigrad.course import tour

    raise typer.Exit(tour.tour(workspace()))


@app.command()
def doctor(json: Json = False) -> None:
    """What this machine has, and what to do about the rest."""
    from minigrad.course import doctor as examination

    raise typer.Exit(examination.run(json))


@app.command()
def cut() -> None:
    """Contributors: write chapters/ and solutions/."""
    from minigrad.course import cut as cutting

    done = cutting.write(workspace())
    report.say(*done.lines, *(f"written: {name}" for name in done.written))
    if not done.written:
        report.say("chapters/ and solutions/ are what their sources give.")
    raise typer.Exit(done.code)


@app.command()
def notebooks() -> None:
    """Contributors: make and run the notebooks."""
    from minigrad.course import notebooks as making

    report.say(*making.refresh(workspace().course))


@app.command()
def check(
    only: Annotated[str | None, typer.Option(help="one check by its name")] = None,
    json: Json = False,
) -> None:
    """Contributors: all that must hold before a change goes in."""
    from minigrad.course import check as checking

    raise typer.Exit(checking.run(workspace().course, only=only, json=json))


@app.command()
def mutants(wanted: MaybeWanted = None, json: Json = False) -> None:
    """Contributors: break the reference; the tests must notice."""
    from minigrad.course import score

    place = workspace()
    raise typer.Exit(score.main(place.course, testing.select(place, wanted), json=json))


def main() -> None:
    """Run a command; what the learner did wrong is one sentence, never a traceback."""
    try:
        app(prog_name="minigrad")
    except (CatalogError, RegionError, WrongFileError, RunnerBroken) as error:
        sys.exit(_complain(error, 1))
    except LookupError as error:
        if type(error) is not LookupError:
            raise
        sys.exit(_complain(error, 2))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:  # a full disk, a folder that may not be written to
        if error.filename is None:
            raise
        print(f"minigrad: {error.filename}: {error.strerror}.", file=sys.stderr)
        sys.exit(1)


def _complain(error: Exception, code: int) -> int:
    print(f"minigrad: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
