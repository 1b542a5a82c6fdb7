"""Plausible wrong bodies, each with the misconception behind it: tests/course/wrong/ID.ext.

    # wrong: each factor receives its own value instead of the other's
    slopes = (self.data, other.data)
    return Value(self.data * other.data, (self, other), slopes, "*")
    # wrong: the next one

They are used twice: the chapter's tests must turn red on each, and a learner whose output equals
one's output on the same test is told its line.
"""

import re
from dataclasses import dataclass

from minigrad.course import regions
from minigrad.course.catalog import Course, Exercise

HEAD = re.compile(r"^(?:#|//) wrong: (.+)$")


@dataclass(frozen=True)
class WrongBody:
    """`body` is indented as its region is; `line` is where it stands in its file."""

    misconception: str
    body: str
    line: int


class WrongFileError(ValueError):
    """A file of wrong bodies that cannot be read; the message opens with file:line."""


def path_of(exercise: Exercise) -> str:
    """The file of an exercise's wrong bodies, relative to the checkout."""
    return f"tests/course/wrong/{exercise.id}{exercise.suffix}"


def bodies(course: Course, exercise: Exercise) -> list[WrongBody]:
    """The wrong bodies of an exercise, in order; none if it has no file."""
    path = course.root / path_of(exercise)
    if not path.is_file():
        return []
    found: list[tuple[str, int, list[str]]] = []
    text = regions.normalise(path.read_text(encoding="utf-8"), exercise.suffix)
    for number, line in enumerate(text.split("\n"), start=1):
        head = HEAD.match(line)
        if head:
            found.append((head[1], number, []))
        elif found:
            found[-1][2].append(line)
        elif line.strip():
            raise WrongFileError(
                f"{path_of(exercise)}:{number}: code before the first '# wrong:' line"
            )
    return [
        WrongBody(title, regions.indent("\n".join(lines).strip("\n"), exercise.region.pad), number)
        for title, number, lines in found
    ]


def patched(course: Course, exercise: Exercise, body: str) -> dict[str, str]:
    """The exercise's source with this body in place of ours, as runner.request_for takes it."""
    text = course.sources[exercise.source]
    return {exercise.source: regions.fill(text, {exercise.id: body}, exercise.source)}
