"""Which minigrad the tests run: `--impl mine` (the learner's chapters, the default) or `--impl
reference`.
"""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _enter_checkout() -> None:
    """This checkout's machinery, whatever is installed; a run of the course's own has entered its
    tree already.
    """
    spec = importlib.util.spec_from_file_location("launch", ROOT / "minigrad/course/launch.py")
    assert spec is not None and spec.loader is not None
    launch = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(launch)
    if launch.current() is None:
        launch.enter(ROOT)


_enter_checkout()

from minigrad.course import compiling, launch, marks, trees, unverified  # noqa: E402
from minigrad.course.catalog import CatalogError, Course  # noqa: E402
from minigrad.course.expect import open_exercise  # noqa: E402
from minigrad.course.regions import RegionError  # noqa: E402
from minigrad.course.workspace import Workspace  # noqa: E402

HEADER = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--impl",
        choices=("mine", "reference"),
        default="mine",
        help="whose code the chapters' tests run: yours (default) or the reference",
    )


def pytest_configure(config: pytest.Config) -> None:
    marks.configure(config)
    if launch.current() != ROOT:
        return  # a run of the course: it chose the tree
    course = Course(ROOT)
    workspace = Workspace(course)
    numbers = marks.selected_chapters(config.args, ROOT)
    try:
        # Read here, so that a contradiction is a sentence.
        chapters = [c for c in course.chapters if numbers is None or c.number in numbers]
    except (CatalogError, RegionError) as error:
        raise pytest.UsageError(str(error)) from None
    if config.getoption("--impl") == "reference":
        tree = trees.reference(course)
        whose = "the reference"
    else:
        name = "-".join(["test", *(f"{c.number:02d}" for c in chapters)])
        for exercise in (e for c in chapters for e in c.exercises):
            if workspace.problem(exercise):
                raise pytest.UsageError(workspace.problem(exercise))
        tree = trees.learners(workspace, chapters, name)
        names = ", ".join(str(c.number) for c in chapters) or "none"
        whose = f"yours (chapters: {names}), the reference elsewhere"
        written = [e for c in chapters for e in c.exercises if not workspace.is_open(e)]
        for _, made in compiling.each(course, tree.path, written):
            if not isinstance(made, compiling.Unit):
                raise pytest.UsageError(str(made))
    launch.enter(tree.path)
    sources = compiling.sources(e for c in chapters for e in c.exercises)
    compiling.put_later(course, tree.path, sources)
    config.stash[HEADER] = f"minigrad: {whose}; tree {tree.path.relative_to(ROOT)}"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    oracle = collection_path == ROOT / "tests" / "oracle"
    return True if oracle and unverified.torch_missing() else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = unverified.skipped_lines(terminalreporter.stats.get("skipped", []))
    if unverified.torch_missing():
        arguments = terminalreporter.config.args
        lines += filter(None, [unverified.oracle_line(ROOT / "tests" / "oracle", arguments)])
    for line in [*_figures(terminalreporter), *lines]:
        terminalreporter.write_line(line)


def _figures(terminalreporter: pytest.TerminalReporter) -> list[str]:
    """What tests measured: record_property("figure", ...) survives a worker's captured output."""
    passed = terminalreporter.stats.get("passed", [])
    found = [value for r in passed for name, value in r.user_properties if name == "figure"]
    return [f"measured: {figure}" for figure in found]


def pytest_report_header(config: pytest.Config) -> str:
    return config.stash.get(HEADER, "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marks.check_marks(items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    blocker = open_exercise(call.excinfo.value) if call.excinfo else None
    if blocker is not None and report.when == "call" and marks.exercise_of(item):
        report.longrepr = f"exercise {blocker} is still open. A first hint: minigrad hint {blocker}"
    return report
