"""What a run of the tests did not verify, said in its last lines."""

import ast
import importlib.util
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

PREFIX = "not verified: "


def torch_missing() -> bool:
    """Whether the comparison with PyTorch cannot run here."""
    return importlib.util.find_spec("torch") is None


def oracle_line(oracle: Path, arguments: Iterable[str]) -> str | None:
    """The line for the tests in `oracle`, without torch; None if the run did not ask for them."""
    asked = [Path(argument.split("::")[0]).resolve() for argument in arguments]
    if not any(oracle.is_relative_to(path) or path.is_relative_to(oracle) for path in asked):
        return None
    names = [
        node.name
        for path in sorted(oracle.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    return f"{PREFIX}{len(names)} oracle tests (torch missing; make oracle installs it)"


def skipped_lines(reports: Iterable[pytest.TestReport]) -> list[str]:
    """A line for each reason why tests were skipped, with how many and from which folder."""
    reasons: Counter[tuple[str, str]] = Counter()
    for report in reports:
        said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        folder = Path(report.nodeid.split("::")[0]).parent.name
        reasons[folder, said.removeprefix("Skipped: ").removeprefix(PREFIX)] += 1
    return [
        f"{PREFIX}{count} {folder} test{'s' * (count > 1)} ({reason})"
        for (folder, reason), count in reasons.items()
    ]
