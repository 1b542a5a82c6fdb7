"""What a forked child does: import the learner's modules, run the selected tests, send an event for
each.

The child guards itself where that is cheap (a CPU timer that no `except` can swallow, standard
input that is empty, output that cannot be closed for good); the warm parent guards the rest.
"""

import faulthandler
import fcntl
import importlib
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Generator
from typing import Any

import pytest

from minigrad.course import compiling, marks
from minigrad.course.expect import Mismatch, open_exercise

Event = dict[str, Any]
WALL_FACTOR = 3
# Descriptors that a learner's `os.close(1)` or a loop over small numbers does not reach.
HIGH = 200
SHOWN_OUTPUT = 2000
# The project's addopts speak to the terminal plugin, which has nothing to say here.
OPTIONS = (
    *("-pno:cacheprovider", "-pno:terminal", "-pno:faulthandler", "--capture=no"),
    *("-oaddopts=", "--import-mode=importlib", "--strict-markers"),
)


class Channel:
    """Events to the parent, and a place for what tests print."""

    def __init__(self, events: int) -> None:
        self.events = fcntl.fcntl(events, fcntl.F_DUPFD_CLOEXEC, HIGH)
        os.close(events)
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        self.output = fcntl.fcntl(self._output.fileno(), fcntl.F_DUPFD_CLOEXEC, HIGH)
        empty = os.open(os.devnull, os.O_RDONLY)
        self._empty = fcntl.fcntl(empty, fcntl.F_DUPFD_CLOEXEC, HIGH)
        os.close(empty)
        self.mark = 0

    def send(self, event: Event) -> None:
        data = (json.dumps(event) + "\n").encode()
        while data:
            data = data[os.write(self.events, data) :]

    def restore_streams(self) -> None:
        """Whatever the last test did to its standard streams, the next one has fresh ones."""
        os.dup2(self._empty, 0)
        os.dup2(self.output, 1)
        os.dup2(self.output, 2)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8", closefd=False)
            for number, mode in enumerate("rww")
        )
        self.mark = os.lseek(self.output, 0, os.SEEK_END)

    def printed(self) -> str:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
        size = os.lseek(self.output, 0, os.SEEK_END)
        first = max(self.mark, size - SHOWN_OUTPUT)
        return os.pread(self.output, size - first, first).decode("utf-8", "replace")


def run(request: Event, events: int, trace: int) -> None:
    """Import, collect, test; an event for each step goes to `events`, the stack of a dying process
    to `trace`.
    """
    channel = Channel(events)
    trace = fcntl.fcntl(trace, fcntl.F_DUPFD_CLOEXEC, HIGH)
    faulthandler.enable(trace, all_threads=False)
    # Chained: the stack is written, then the signal does what it does by itself, which is to end
    # the process.
    faulthandler.register(signal.SIGPROF, trace, all_threads=False, chain=True)
    channel.restore_streams()
    session = Session(channel, request)
    if not session.import_learners():
        channel.send({"event": "finished"})
        return
    options = ["--rootdir", request["root"], "-c", os.path.join(request["root"], "pyproject.toml")]
    session.begin("collect")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    code = pytest.main([*options, *OPTIONS, *request["files"]], plugins=[session])
    signal.setitimer(signal.ITIMER_PROF, 0)
    if (
        code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
        and not session.failure_sent
    ):
        channel.send(
            {"event": "broken", "text": channel.printed() or f"pytest ended with {code!r}"}
        )
    channel.send({"event": "finished"})


class Session:
    """A pytest plugin: selects tests, sets their limits, reports results."""

    def __init__(self, channel: Channel, request: Event) -> None:
        self.channel, self.request = channel, request
        self.failure_sent = False

    def begin(self, name: str, exercise: str | None = None, cpu: float | None = None) -> None:
        """Announce what runs now and start its CPU clock."""
        cpu = self.request["cpu"] if cpu is None else cpu
        event = {
            "event": "start",
            "id": name,
            "exercise": exercise,
            "cpu": cpu,
            "wall": WALL_FACTOR * cpu,
        }
        self.channel.send(event)
        signal.setitimer(signal.ITIMER_PROF, cpu)

    def result(self, name: str, exercise: str | None, outcome: str, **more: Any) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.failure_sent |= outcome == "failed"
        self.channel.send(
            {"event": "result", "id": name, "exercise": exercise, "outcome": outcome, **more}
        )

    def import_learners(self) -> bool:
        """Import the modules under test by themselves, so that an error there is told as what it
        is.
        """
        self.begin("import")
        try:
            for name in self.request["modules"]:
                importlib.import_module(name)
            if self.request["native"]:
                compiling.put_under_test(self.request["native"])
        except BaseException as error:  # noqa: BLE001  a learner's file may raise anything, SystemExit too
            self.result("import", None, "failed", failure=self.describe(error))
            return False
        signal.setitimer(signal.ITIMER_PROF, 0)
        return True

    def pytest_configure(self, config: pytest.Config) -> None:
        marks.configure(config)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        wanted, only, skip = (
            self.request["exercises"],
            self.request.get("only"),
            set(self.request["skip"]),
        )
        chosen = [i for i in items if marks.exercise_of(i) in wanted]
        if only is not None:
            chosen = [i for i in chosen if i.nodeid in only]
        tests = [{"id": i.nodeid, "exercise": marks.exercise_of(i)} for i in chosen]
        items[:] = [i for i in chosen if i.nodeid not in skip]
        self.channel.send({"event": "collected", "tests": tests})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            said = str(report.longrepr)
            # pytest marks the error's own lines with an E; the rest is its way there.
            own = re.findall(r"^E +(\S.*)$", said, re.MULTILINE)
            failure: Event = {"kind": "collection", "text": own[-1] if own else said, "frames": []}
            self.result(report.nodeid or "collect", None, "failed", failure=failure)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self.channel.restore_streams()
        self.begin(item.nodeid, marks.exercise_of(item), marks.cpu_limit(item))
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Generator[None, Any, Any]:
        try:
            return (yield)
        except (KeyboardInterrupt, SystemExit, pytest.exit.Exception) as error:
            # pytest would take these as orders to itself; here they are what the learner's code
            # did.
            raise Stopped(type(error).__name__) from error

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "call" or not report.passed:
            self.report(item, report, call.excinfo.value if call.excinfo else None, call.duration)
        return report

    def report(
        self,
        item: pytest.Item,
        report: pytest.TestReport,
        error: BaseException | None,
        seconds: float,
    ) -> None:
        exercise = marks.exercise_of(item)
        blocker = open_exercise(error)
        if blocker is not None:
            self.result(item.nodeid, exercise, "waits", waits_for=blocker, seconds=seconds)
        elif report.passed:
            self.result(item.nodeid, exercise, "passed", seconds=seconds)
        else:  # a skipped test is not a passed one either
            failure = (
                self.describe(error) if error else {"kind": "assert", "text": str(report.longrepr)}
            )
            self.result(item.nodeid, exercise, "failed", failure=failure, seconds=seconds)
            if self.request.get("first_failure"):
                item.session.shouldfail = "first failure"

    def describe(self, error: BaseException) -> Event:
        """A failure as data: a mismatch by its parts, anything else by type, text and frames."""
        source = error.__cause__ if isinstance(error, Stopped) and error.__cause__ else error
        frames = [
            [f.filename, f.lineno, f.name] for f in traceback.extract_tb(source.__traceback__)
        ]
        record: Event = {
            "type": type(source).__name__,
            "frames": frames,
            "printed": self.channel.printed(),
        }
        if isinstance(source, SyntaxError):
            record["frames"].append([source.filename, source.lineno, "<module>"])
        if isinstance(source, Mismatch):
            parts = {
                name: getattr(source, name)
                for name in ("what", "inputs", "got", "expected", "detail")
            }
            return record | {"kind": "mismatch"} | parts
        kind = "assert" if isinstance(source, AssertionError) else "exception"
        notes = "\n".join(getattr(source, "__notes__", []))
        return record | {"kind": kind, "text": str(source), "notes": notes}


class Stopped(Exception):
    """The learner's code asked the whole program to end."""
