"""A picture of a terminal: runs a command in one and draws what it printed.

python -m minigrad.course.terminal picture.svg minigrad test 1.1
"""

import os
import pty
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS = 114
# rich asks a server for its typeface; a picture in a repository should ask nobody for anything.
FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def captured(command: list[str]) -> str:
    """What a command prints on a terminal of COLUMNS columns, colours included."""
    leader, follower = pty.openpty()
    size = {"COLUMNS": str(COLUMNS), "LINES": "60", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=follower, env={**os.environ, **size}
    )
    os.close(follower)
    parts = []
    while True:
        try:
            part = os.read(leader, 1 << 16)
        except OSError:  # Linux says so when the other side has closed
            break
        if not part:
            break
        parts.append(part)
    process.wait()
    os.close(leader)
    return b"".join(parts).decode("utf-8", "replace").replace("\r\n", "\n")


def draw(command: list[str], shown: str) -> str:
    """The SVG of a terminal in which `shown` was typed and `command` answered."""
    console = Console(record=True, width=COLUMNS, file=StringIO())
    console.print(Text(f"$ {shown}", style="bold"))
    console.print(Text.from_ansi(captured(command).rstrip()))
    console.print()  # a last line is cropped below its letters
    svg = console.export_svg(title="minigrad", unique_id="minigrad")
    return FONT_FACE.sub("", svg)


def main(arguments: list[str]) -> None:
    """PICTURE.svg COMMAND..."""
    picture, *command = arguments
    Path(picture).write_text(draw(command, " ".join(command)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
