"""What `minigrad train` runs, in a child process that sees one tree:

python minigrad/course/launch.py TREE -m minigrad.course.train iris --out DIR --seed 0
"""

import argparse
import json
import os
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console

from minigrad.course import launch
from minigrad.course.expect import open_exercise

# Name -> module. It has USES (the module it trains), train(seed, console) -> Result, and
# save(result, folder) -> the files it wrote.
NAMES = {"iris": "minigrad.course.iris"}


def main(arguments: list[str] | None = None) -> int:
    """0 trained, 1 stopped by an open exercise, 2 usage."""
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
    console.print(f"tree   {launch.current() or 'none: minigrad as it is installed'}")
    console.print(f"trains {run.USES} from {used.__file__}, seed {given.seed}")
    try:
        result = run.train(given.seed, console)
    except NotImplementedError as error:
        exercise = open_exercise(error)
        if exercise is None:
            raise
        console.print(f"exercise {exercise} is still open. A first hint: minigrad hint {exercise}")
        return 1
    console.print(f"took   {result.figures['seconds']:.1f} s")
    files = run.save(result, given.out)
    for file in files:
        console.print(f"saved  {file}")
    if given.json:
        record = {
            "schema": 1,
            "name": given.name,
            "seed": given.seed,
            "tree": str(launch.current() or ""),
            "file": used.__file__,
            **result.figures,
            "pictures": [str(file) for file in files],
        }
        unfinished = given.json.with_name(given.json.name + ".part")
        unfinished.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        os.replace(unfinished, given.json)
    return 0


def seed(text: str) -> int:
    """A seed that NumPy and random both take: 0 to 2**32 - 1."""
    number = int(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError(f"{number} is not between 0 and {2**32 - 1}")
    return number


if __name__ == "__main__":
    sys.exit(main())
