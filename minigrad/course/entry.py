"""The `minigrad` command: finds the checkout that it is called in and runs that checkout's own
code.
"""

import os
import sys
from pathlib import Path

from minigrad.course.catalog import find_root


def main() -> None:
    """Run the command line of the checkout around the working directory, never of an install."""
    root = find_root(Path.cwd())
    if root is None:
        print(
            f"minigrad: {Path.cwd()} is not inside a checkout of the course. "
            "Change into your clone and call minigrad there.",
            file=sys.stderr,
        )
        sys.exit(2)
    if Path(__file__).resolve().parents[2] != root:
        launch = root / "minigrad" / "course" / "launch.py"
        command = [sys.executable, str(launch), str(root), "-m", "minigrad.course.cli"]
        os.execv(sys.executable, [*command, *sys.argv[1:]])
    from minigrad.course import cli

    cli.main()
