"""Exercise regions: the two comment lines from which stubs, solutions and trees are made.

    # <ex 3.2> the product by its kernel, and how g reaches x and y (2 lines)
    body
    # </ex 3.2>

Pure text in, pure text out: nothing here reads or writes a file.
"""

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import PurePath

COMMENT = {".py": "#", ".cpp": "//", ".cu": "//", ".go": "//"}
OPEN_LINE = {
    ".py": 'raise NotImplementedError("exercise {id}")',
    ".cpp": 'MG_TODO("{id}");',
    ".cu": 'MG_TODO("{id}");',
    ".go": 'panic("exercise {id}")',
}
OPENING = re.compile(r"^([ \t]*)(#|//) <ex (\d+)\.(\d+)> (.+) \((\d+) lines?\)$")
CLOSING = re.compile(r"^[ \t]*(#|//) </ex (\d+\.\d+)>$")
# Anything that was plainly meant to be a marker: a damaged one must be named, not taken for a
# comment.
RESEMBLES = re.compile(r"^[ \t]*(#|//)\s*<\s*/?\s*ex\b", re.IGNORECASE)


class RegionError(ValueError):
    """A marker that cannot be right; the message opens with file:line."""

    def __init__(self, path: str, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}")
        self.path, self.line, self.problem = path, line, problem


@dataclass(frozen=True)
class Region:
    """One exercise in one text. `first` and `last` are the marker lines, counted from 1."""

    id: str
    task: str
    size: int
    pad: str
    body: str
    first: int
    last: int

    @property
    def chapter(self) -> int:
        return int(self.id.split(".")[0])


def normalise(text: str, suffix: str) -> str:
    """The text as the course stores it: LF, a final newline, and no leading tabs in Python.

    A learner's editor may have saved CRLF or tabs; neither is a mistake worth losing work over.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    if suffix == ".py":
        lines = [_spaces(line) for line in lines]
    return "".join(line + "\n" for line in lines)


def _spaces(line: str) -> str:
    code = line.lstrip(" \t")
    return line[: len(line) - len(code)].expandtabs(4) + code


def parse(text: str, path: str) -> list[Region]:
    """The regions of a text, in order; a RegionError names the first marker that cannot be
    right.
    """
    suffix = PurePath(path).suffix
    comment = COMMENT[suffix]
    found: list[Region] = []
    opened: tuple[int, re.Match[str]] | None = None
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not RESEMBLES.match(line):
            continue
        opening, closing = OPENING.match(line), CLOSING.match(line)
        marker = opening or closing
        if marker is None or comment not in marker.groups():
            raise RegionError(
                path,
                number,
                f"a damaged exercise marker: {line.strip()!r}. It should read "
                f"{comment} <ex 3.2> the task (2 lines) or {comment} </ex 3.2>",
            )
        if opening:
            if opened:
                outer = f"{opened[1][3]}.{opened[1][4]}"
                raise RegionError(
                    path,
                    number,
                    f"exercise {outer} (line {opened[0]}) is not closed before this one opens",
                )
            opened = (number, opening)
        elif closing:
            if not opened:
                raise RegionError(path, number, f"</ex {closing[2]}> closes nothing")
            start, head = opened
            name = f"{head[3]}.{head[4]}"
            if closing[2] != name:
                raise RegionError(path, number, f"</ex {closing[2]}> closes exercise {name}")
            if any(r.id == name for r in found):
                raise RegionError(path, start, f"exercise {name} stands twice in this file")
            body = "".join(each + "\n" for each in lines[start : number - 1])
            found.append(Region(name, head[5], int(head[6]), head[1], body, start, number))
            opened = None
    if opened:
        raise RegionError(
            path, opened[0], f"exercise {opened[1][3]}.{opened[1][4]} is never closed"
        )
    return found


def check_source(text: str, path: str) -> list[Region]:
    """parse(), and what must also hold for our own sources: one chapter a file, one function a
    region.
    """
    found = parse(text, path)
    for region in found:
        if region.chapter != found[0].chapter:
            raise RegionError(
                path,
                region.first,
                f"exercise {region.id} in a file of chapter {found[0].chapter}; "
                "a file holds exercises of one chapter",
            )
        inside = _inside_python if path.endswith(".py") else _inside_braces
        try:
            held = inside(text, region)
        except SyntaxError as error:
            raise RegionError(path, error.lineno or 1, f"{error.msg}") from None
        if not held:
            raise RegionError(
                path, region.first, f"exercise {region.id} must lie inside one function"
            )
    return found


def _inside_python(text: str, region: Region) -> bool:
    """Some function holds the whole body, and no function holds only a part of it."""
    rows = [
        n
        for n, row in enumerate(text.split("\n"), start=1)
        if row.strip() and region.first < n < region.last
    ]
    if not rows:
        return False
    held = False
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        end = node.end_lineno or node.lineno
        if node.lineno < region.first and rows[-1] <= end:
            held = held or node.col_offset < len(region.pad)
        elif start <= rows[-1] and end >= rows[0] and not (rows[0] <= start and end <= rows[-1]):
            return False
    return held


_NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`[^`]*`', re.DOTALL
)
_SCOPE = re.compile(r'(?:namespace[^{};]*|extern\s+"[^"]*"\s*|(?:struct|class|union)\b[^{};()]*)$')


def _inside_braces(text: str, region: Region) -> bool:
    """Braces are counted; those of a namespace, an extern block or a class make no function."""
    lines = text.split("\n")
    before, body = "\n".join(lines[: region.first - 1]), region.body
    depth: list[bool] = []
    code = _NOISE.sub(lambda m: m[0] if m[0] == '"C"' else " " * len(m[0]), before)
    for at, char in enumerate(code):
        if char == "{":
            depth.append(not _SCOPE.search(code[:at].rstrip()))
        elif char == "}" and depth:
            depth.pop()
    return any(depth) and braces_match(body)


def braces_match(body: str) -> bool:
    """Every brace of a body in C++ or Go has its other half inside it."""
    level = 0
    for char in _NOISE.sub(" ", body):
        level += (char == "{") - (char == "}")
        if level < 0:
            return False
    return level == 0


def salvage(text: str, path: str) -> list[Region]:
    """The regions that are whole in a text whose markers are not all right; the first of each
    id.
    """
    comment = COMMENT[PurePath(path).suffix]
    found: dict[str, Region] = {}
    head: tuple[int, re.Match[str]] | None = None
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not RESEMBLES.match(line):
            continue
        opening, closing = OPENING.match(line), CLOSING.match(line)
        if head and closing and closing[2] == f"{head[1][3]}.{head[1][4]}":
            start, marker = head
            body = "".join(each + "\n" for each in lines[start : number - 1])
            region = Region(closing[2], marker[5], int(marker[6]), marker[1], body, start, number)
            found.setdefault(region.id, region)
        head = (number, opening) if opening and opening[2] == comment else None
    return list(found.values())


def fill(text: str, bodies: dict[str, str], path: str) -> str:
    """The text with the body of each region named in `bodies` replaced."""
    lines = text.split("\n")
    for region in reversed(parse(text, path)):
        if region.id in bodies:
            body = bodies[region.id]
            lines[region.first : region.last - 1] = (
                body.removesuffix("\n").split("\n") if body else []
            )
    return "\n".join(lines)


def open_body(region: Region, suffix: str) -> str:
    """The one line that an exercise starts with unless it has a start body of its own."""
    return region.pad + OPEN_LINE[suffix].format(id=region.id) + "\n"


def indent(body: str, pad: str) -> str:
    """A body written at indentation zero, moved to where its region stands."""
    return "".join(
        (pad + line if line.strip() else "") + "\n" for line in body.rstrip("\n").split("\n")
    )


def essence(body: str) -> str:
    """What of a body counts when it is compared: not how far it is indented, nor blank lines."""
    return textwrap.dedent("\n".join(row.rstrip() for row in body.split("\n") if row.strip()))


def skeleton(text: str, path: str) -> str:
    """The text with every body emptied: what is left is what the learner did not have to write."""
    return fill(text, {region.id: "\n" for region in parse(text, path)}, path)
