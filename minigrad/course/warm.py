"""The warm parent: numpy, pytest and hypothesis are loaded here once, and every run is a fork of
this process.

Run by its path, never imported: minigrad must not be loaded here, since each child decides anew
which minigrad it runs. One JSON request a line on standard input; JSON events, a line each, on
standard output; "end" closes a run.

A child that dies (abort, segmentation fault, os._exit, an endless loop that its CPU timer ends)
costs one test: the parent reports that test and starts another child for the rest.
"""

import contextlib
import importlib.util
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

Event = dict[str, Any]
Emit = Callable[[Event], None]

# Forking a process that has started system frameworks is not safe on macOS.
CAN_FORK = sys.platform.startswith("linux")
GRACE = 0.5  # seconds a child that was told to stop has for writing where it stood
STEPS = ("import", "collect")  # what runs before the first test, watched like a test


def load_launch() -> ModuleType:
    """launch.py, which stands beside this file, without importing minigrad."""
    spec = importlib.util.spec_from_file_location("launch", Path(__file__).with_name("launch.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


launch = load_launch()


def preload() -> None:
    """What every child needs and no learner changes."""
    import hypothesis.strategies  # noqa: F401
    import numpy.testing  # noqa: F401
    import pytest  # noqa: F401


def child(request: Event, events: int, trace: int) -> None:
    """Run a request in this process; never returns to the caller's loop."""
    with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
        with open("/proc/self/statm", encoding="ascii") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
        limit = used + int(request["memory"])
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    launch.enter(Path(request["tree"]), request.get("patched"))
    from minigrad.course import session

    session.run(request, events, trace)


def start(request: Event, trace: int) -> tuple[int, int]:
    """(pid, read end of the event pipe) of a new child."""
    read_end, write_end = os.pipe()
    if CAN_FORK:
        pid = os.fork()
        if pid == 0:
            os.setsid()
            os.close(read_end)
            code = 1
            try:
                child(request, write_end, trace)
                code = 0
            except BaseException as error:  # noqa: BLE001  reported through the pipe; the parent names it
                message = {"event": "broken", "text": f"{type(error).__name__}: {error}"}
                with contextlib.suppress(OSError):
                    os.write(write_end, (json.dumps(message) + "\n").encode())
            finally:
                os._exit(code)
    else:
        command = [sys.executable, "-P", __file__, "--child", str(write_end), str(trace)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=(write_end, trace),
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode())
        process.stdin.close()
        pid = process.pid
    os.close(write_end)
    return pid, read_end


class Watch:
    """Follows one child: passes its events on, and ends it when a test takes too long by the wall
    clock.
    """

    def __init__(self, pid: int, pipe: int, emit: Emit) -> None:
        self.pid, self.pipe, self.emit = pid, pipe, emit
        self.running: Event | None = {"id": STEPS[0], "wall": 30.0}
        self.deadline = time.monotonic() + 30.0
        self.finished = False
        self.overdue = False
        self.done: list[str] = []
        self._buffer = b""

    def follow(self) -> int:
        """Wait for the child's end; returns its wait status."""
        while True:
            timeout = 0.02 if self.overdue else max(0.0, min(self.deadline - time.monotonic(), 0.2))
            ready, _, _ = select.select([self.pipe], [], [], timeout)
            if ready and not self._read():
                # A grandchild may hold the pipe open, or the child may have closed it: its end
                # decides.
                return self._reap()
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                while select.select([self.pipe], [], [], 0)[0] and self._read():
                    pass
                self._kill_group()
                return status
            if not self.overdue and time.monotonic() > self.deadline:
                self.overdue = True
                # SIGPROF writes the stack, then ends the process; if it cannot, SIGKILL does.
                os.kill(self.pid, signal.SIGPROF)
                self.deadline = time.monotonic() + GRACE
            elif self.overdue and time.monotonic() > self.deadline:
                self._kill_group()

    def _reap(self) -> int:
        end = time.monotonic() + (
            GRACE if self.finished else max(GRACE, self.deadline - time.monotonic())
        )
        while time.monotonic() < end:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self._kill_group()
                return status
            time.sleep(0.005)
        self._kill_group()
        return os.waitpid(self.pid, 0)[1]

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _read(self) -> bool:
        data = os.read(self.pipe, 1 << 16)
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return bool(data)

    def _take(self, event: Event) -> None:
        kind = event["event"]
        if kind == "start":
            self.running = event
            self.deadline = time.monotonic() + event["wall"]
        elif kind == "result":
            self.running = None
            self.deadline = time.monotonic() + 30.0
            self.done.append(event["id"])
        elif kind == "finished":
            self.finished = True
            return
        self.emit(event)


def run(request: Event, emit: Emit) -> None:
    """All tests of a request, in as many children as it takes."""
    skip: list[str] = list(request.get("skip", []))
    failed = False

    def note(event: Event) -> None:
        nonlocal failed
        failed |= event["event"] == "result" and event["outcome"] == "failed"
        emit(event)

    while True:
        with tempfile.TemporaryFile() as trace:
            pid, pipe = start(request | {"skip": skip}, trace.fileno())
            watch = Watch(pid, pipe, note)
            status = watch.follow()
            os.close(pipe)
            trace.seek(0)
            stack = trace.read().decode("utf-8", "replace")
        skip += watch.done
        if watch.finished:
            break
        test = watch.running or {"id": "between tests"}
        failure = {
            "kind": "died",
            "signal": signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else None,
            "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            "overdue": watch.overdue,
            "limits": {"cpu": test.get("cpu"), "wall": test.get("wall")},
            "stack": stack,
        }
        note(
            {
                "event": "result",
                "id": test["id"],
                "exercise": test.get("exercise"),
                "outcome": "failed",
                "failure": failure,
            }
        )
        skip.append(test["id"])
        if test["id"] in (*STEPS, "between tests") or (request.get("first_failure") and failed):
            break
    emit({"event": "end"})


def serve() -> None:
    """Answer requests until standard input closes."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    devnull = os.open(os.devnull, os.O_RDWR)
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(devnull, 0)
    os.dup2(devnull, 1)
    preload()

    def emit(event: Event) -> None:
        answers.write(json.dumps(event) + "\n")
        answers.flush()

    emit({"event": "ready"})
    for line in requests:
        run(json.loads(line), emit)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(json.loads(sys.stdin.read()), int(sys.argv[2]), int(sys.argv[3]))
    else:
        serve()
