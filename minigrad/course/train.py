"""What `minigrad train` runs, in a process that sees one tree:

python minigrad/course/launch.py TREE -m minigrad.course.train iris --out DIR --seed 0
"""

import argparse
import json
import shlex
import signal
import sys
import traceback
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rich.console import Console

from minigrad.course import checkpoints, compiling, launch
from minigrad.course.catalog import Course
from minigrad.course.checkpoints import shown
from minigrad.course.expect import open_exercise
from minigrad.course.feedback import learners_place
from minigrad.course.result import Result

USAGE = (
    "minigrad train NAME [--mine] [--seed S] [--device D] [--epochs N | --steps N] "
    "[--resume] [--out DIR] [--json]"
)
# As a shell tells that Ctrl-C ended a program.
INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True)
class Training:
    """A training: its module, which has USES, the module it trains, and train(seed, console,
    **settings) -> Result; and which settings that takes. One that can be resumed takes `folder`,
    too: where checkpoints go.
    """

    module: str
    settings: tuple[str, ...] = ()


LONG = ("device", "epochs", "steps", "resume")
# All that can be trained: the command's help and its messages list these.
NAMES = {
    "iris": Training("minigrad.course.iris"),
    "digits": Training("minigrad.course.digits", LONG),
    "lenet": Training("minigrad.course.lenet", LONG),
    "gpt": Training("minigrad.course.gpt", LONG),
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The arguments, checked; what cannot be run ends with one sentence and exit code 2."""
    parser = argparse.ArgumentParser(prog="minigrad train", usage=USAGE)
    parser.add_argument("name", choices=list(NAMES))
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--device", type=device)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--epochs", type=count)
    length.add_argument("--steps", type=count)
    parser.add_argument("--resume", action="store_true", default=None)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    # What the command line has found out: the exercises whose bodies are the learner's.
    parser.add_argument("--mine", default="")
    # What was typed, for the sentence that says how to go on; without: what comes to the same.
    parser.add_argument("--typed")
    given = parser.parse_args(arguments)
    for setting in {s for t in NAMES.values() for s in t.settings}:
        if getattr(given, setting) is not None and setting not in NAMES[given.name].settings:
            takers = ", ".join(n for n, t in NAMES.items() if setting in t.settings)
            parser.error(f"{given.name} takes no --{setting}; these do: {takers}")
    return given


def main(arguments: list[str] | None = None) -> int:
    """0 trained; 1 stopped by an open exercise or by the learner's own code, or not all could be
    written; 2 usage; 130 stopped by Ctrl-C, with what it had by then.
    """
    given = parse(arguments)
    training = NAMES[given.name]
    settings = {key: getattr(given, key) for key in training.settings}
    settings = {key: value for key, value in settings.items() if value is not None}
    try:
        given.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # said before any training, not after it
        print(f"minigrad train: cannot write to {given.out}: {error.strerror}", file=sys.stderr)
        return 2
    resumable = "resume" in training.settings
    if resumable:
        settings["folder"] = given.out
    # With --json, standard output is for the data alone.
    console = Console(highlight=False, soft_wrap=True, markup=False, stderr=given.json)
    tree = launch.current()
    console.print(f"tree   {shown(tree) if tree else 'none: minigrad as it is installed'}")
    try:
        if tree:
            _put_kernels(tree)
        run = import_module(training.module)
        used = Path(import_module(run.USES).__file__ or "")
        console.print(f"trains {run.USES} from {shown(used)}, seed {given.seed}")
        result: Result = run.train(given.seed, console, **settings)
        console.print(f"took   {result.figures['seconds']:.1f} s")
        pictures, unwritten = save(result, given.out)
    except KeyboardInterrupt:
        kept = resumable and (given.out / checkpoints.FILE).exists()
        console.print(f"stopped\n{further(given)}" if kept else "stopped; nothing was saved")
        return INTERRUPTED
    except checkpoints.CheckpointError as error:
        print(f"minigrad train: {error}", file=sys.stderr)
        return 2
    except Exception as error:  # a learner's code may raise any; what is not theirs goes on
        said = _blamed(error, tree)
        if said is None:
            raise
        console.print(said)
        return 1
    for file in pictures:
        console.print(f"saved  {shown(file)}")
    if result.checkpoint is not None and result.kept is not None:
        console.print(f"saved  {shown(result.checkpoint)}, after step {result.kept}")
    if unwritten:
        print(f"minigrad train: {unwritten}", file=sys.stderr)
    if result.stopped and result.kept is not None:
        console.print(further(given))
    if given.json:
        record = {
            "schema": 1,
            "name": given.name,
            "seed": given.seed,
            "tree": str(tree or ""),
            "file": str(used),
            "mine": given.mine.split(),
            "stopped": result.stopped,
            **result.figures,
            "pictures": [str(file) for file in pictures],
            "checkpoint": None if result.checkpoint is None else str(result.checkpoint),
        }
        print(json.dumps(record, indent=1))
    if result.stopped:
        return INTERRUPTED
    return 1 if unwritten else 0


def save(result: Result, out: Path) -> tuple[list[Path], str]:
    """Write what came out; the pictures' files, and what could not be written, "" if all could."""
    try:
        pictures = result.save(out)
    except OSError as error:
        return [], f"the pictures cannot be written to {out}: {error.strerror}"
    if result.checkpoint is not None and result.kept != result.figures["steps"]:
        return pictures, f"the last steps are not in {result.checkpoint}"
    return pictures, ""


def further(given: argparse.Namespace) -> str:
    """How a run that was stopped goes on."""
    typed = given.typed
    if typed is None:
        options = {"seed": given.seed or None, "device": given.device, "epochs": given.epochs}
        options |= {"steps": given.steps, "out": given.out}
        words = [w for k, v in options.items() if v is not None for w in (f"--{k}", str(v))]
        typed = shlex.join(["minigrad", "train", given.name, *words])
    return f"next: {typed} --resume"


def _put_kernels(tree: Path) -> None:
    """The learner's C++, for a training that uses kernels of theirs: compiled when it does."""
    found = compiling.learners(tree)
    if found:
        from minigrad.kernels import loading

        compiling.put_later(Course(loading.checkout()), tree, found)


def _blamed(error: Exception, tree: Path | None) -> str | None:
    """What to say of an error that an exercise or the learner's code is the reason of."""
    exercise = open_exercise(error)
    if exercise:
        return f"exercise {exercise} is still open. A first hint: minigrad hint {exercise}"
    frames = [[f.filename, f.lineno, f.name] for f in traceback.extract_tb(error.__traceback__)]
    place = learners_place(tree, frames) if tree else None
    return place and f"your code raised {type(error).__name__}: {error}\n  where  {place}"


def seed(text: str) -> int:
    """A seed that NumPy and random both take: 0 to 2**32 - 1."""
    number = int(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError(f"{number} is not between 0 and {2**32 - 1}")
    return number


def device(name: str) -> str:
    """The name of a device that is there; the course's sentence for one that is not."""
    from minigrad.reference.shapes import check_device

    try:
        return check_device("train", name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def count(text: str) -> int:
    """A number of epochs or steps: 1 or more."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
