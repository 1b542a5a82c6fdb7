"""What `minigrad train` runs, in a child process that sees one tree:

python minigrad/course/launch.py TREE -m minigrad.course.train iris --out DIR --seed 0
"""

import argparse
import json
import sys
import traceback
from importlib import import_module
from pathlib import Path

from rich.console import Console

from minigrad.course import files, launch
from minigrad.course.expect import open_exercise
from minigrad.course.feedback import learners_place

# Name -> module. It has USES (the module it trains), train(seed, console) -> Result, and
# save(result, folder) -> the files it wrote.
NAMES = {"iris": "minigrad.course.iris"}


def main(arguments: list[str] | None = None) -> int:
    """0 trained, 1 stopped by an open exercise or by the learner's own code, 2 usage."""
    parser = argparse.ArgumentParser(prog="minigrad train", description="Train a milestone.")
    parser.add_argument("name", choices=sorted(NAMES))
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures")
    parser.add_argument("--seed", type=seed, default=0)
    parser.add_argument("--json", type=Path, help="file for the result")
    given = parser.parse_args(arguments)
    console = Console(highlight=False, soft_wrap=True)
    try:
        given.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"cannot write to {given.out}: {error.strerror}")
    run = import_module(NAMES[given.name])
    used = import_module(run.USES)
    tree = launch.current()
    console.print(f"tree   {shown(tree) if tree else 'none: minigrad as it is installed'}")
    console.print(f"trains {run.USES} from {shown(Path(used.__file__ or ''))}, seed {given.seed}")
    try:
        result = run.train(given.seed, console)
    except NotImplementedError as error:
        exercise = open_exercise(error)
        if exercise is None:
            raise
        console.print(f"exercise {exercise} is still open. A first hint: minigrad hint {exercise}")
        return 1
    except Exception as error:  # a learner's code may raise any; what is not theirs goes on
        frames = [[f.filename, f.lineno, f.name] for f in traceback.extract_tb(error.__traceback__)]
        place = learners_place(tree, frames) if tree else None
        if place is None:
            raise
        console.print(f"your code raised {type(error).__name__}: {error}\n  where  {place}")
        return 1
    console.print(f"took   {result.figures['seconds']:.1f} s")
    pictures = run.save(result, given.out)
    for file in pictures:
        console.print(f"saved  {shown(file)}")
    if given.json:
        record = {
            "schema": 1,
            "name": given.name,
            "seed": given.seed,
            "tree": str(tree or ""),
            "file": used.__file__,
            **result.figures,
            "pictures": [str(file) for file in pictures],
        }
        files.replace(given.json, (json.dumps(record, indent=1) + "\n").encode())
    return 0


def shown(path: Path) -> str:
    """A path from the working directory, if it lies there."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def seed(text: str) -> int:
    """A seed that NumPy and random both take: 0 to 2**32 - 1."""
    number = int(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError(f"{number} is not between 0 and {2**32 - 1}")
    return number


if __name__ == "__main__":
    sys.exit(main())
