"""The rules for the chapters' tests, as pytest hooks: every test names its exercise, and every run
names its tree.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import hypothesis
import pytest

CHAPTER_FOLDER = re.compile(r"^(\d\d)_[a-z0-9_]+$")
DEFAULT_CPU = 1.5
MARKERS = (
    "exercise(id): the exercise that this test belongs to",
    f"limit(cpu): seconds of CPU time this test may take (default {DEFAULT_CPU})",
)

# The same examples in every run: a learner who fails, changes a line and runs again meets the same
# input.
hypothesis.settings.register_profile(
    "course",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    report_multiple_bugs=False,
    print_blob=False,
    # Explaining a failure takes as long as finding it, and a test's time is limited.
    phases=[p for p in hypothesis.Phase if p is not hypothesis.Phase.explain],
    suppress_health_check=list(hypothesis.HealthCheck),
)


def chapter_number(path: Path) -> int | None:
    """The chapter whose folder of tests a file lies in, or None."""
    for part in reversed(path.parent.parts):
        match = CHAPTER_FOLDER.match(part)
        if match:
            return int(match[1])
    return None


def exercise_of(item: pytest.Item) -> str | None:
    """The exercise that a test belongs to: its closest marker."""
    marker = item.get_closest_marker("exercise")
    return str(marker.args[0]) if marker and marker.args else None


def cpu_limit(item: pytest.Item) -> float | None:
    """The CPU seconds that a test asks for, or None for the default."""
    marker = item.get_closest_marker("limit")
    return float(marker.kwargs["cpu"]) if marker else None


def check_marks(items: Iterable[pytest.Item]) -> None:
    """Raises UsageError if a test of a chapter does not name one of its chapter's exercises."""
    for item in items:
        number = chapter_number(item.path)
        if number is None:
            continue
        name = exercise_of(item)
        if name is None:
            raise pytest.UsageError(
                f'{item.nodeid} names no exercise: add @pytest.mark.exercise("{number}.k"), '
                "so that a failure can say what to work on"
            )
        if not re.fullmatch(rf"{number}\.\d+", name):
            raise pytest.UsageError(
                f"{item.nodeid} belongs to exercise {name!r}, but stands in chapter {number}"
            )


def configure(config: pytest.Config) -> None:
    """Make the markers known, and hypothesis draw the same examples in every run."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    hypothesis.settings.load_profile("course")


def selected_chapters(arguments: Iterable[str], root: Path) -> set[int] | None:
    """The chapters whose tests a pytest command line names; None for all of them."""
    numbers: set[int] = set()
    for argument in arguments:
        path = (Path.cwd() / argument.split("::")[0]).resolve()
        if (root / "tests").is_relative_to(path):
            return None
        number = chapter_number(path / "any")
        if number is not None:
            numbers.add(number)
    return numbers
