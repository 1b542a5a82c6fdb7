"""Two threads, in two processes that take turns: reported, never gated.

In one process the threads of one side would wait for work, spinning, while the other side is timed.
So each side has a process of its own, told its number of threads before anything is loaded, and
only one of them is ever asked to compute. The clock is the wall's: with more threads, that is what
is bought.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from minigrad.bench import baselines, clock, ours, refusals, workloads
from minigrad.bench.harness import Outcome, Race, Times
from minigrad.bench.limits import Limits
from minigrad.bench.numbers import Pool
from minigrad.bench.refusals import Refused
from minigrad.bench.results import Result, compare
from minigrad.bench.threads import environment
from minigrad.bench.workload import Call, Contestant, Workload, matching


class Side:
    """A process that computes one workload as one contestant, once for each line it is sent."""

    def __init__(self, root: Path, workload: Workload, who: str, threads: int) -> None:
        self.who = who
        launch = root / "minigrad" / "course" / "launch.py"
        command = [sys.executable, str(launch), str(root), "-m", "minigrad.bench.turns"]
        self.process = subprocess.Popen(
            [*command, workload.name, who, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(threads),
        )

    def turn(self) -> float:
        """Seconds of one more call. Raises Refused, also if the process has ended."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        line = ""
        with contextlib.suppress(BrokenPipeError):
            stdin.write("go\n")
            stdin.flush()
            line = stdout.readline()
        if not line:
            raise Refused(self.who, f"its process ended with {self.process.wait()}.")
        answer = json.loads(line)
        if "refused" in answer:
            raise Refused(self.who, answer["refused"])
        return float(answer["seconds"])

    def close(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def alternate(
    root: Path,
    workload: Workload,
    mine: str,
    theirs: str,
    limits: Limits,
    threads: int = 2,
    rounds: int = 15,
) -> Result:
    """Our contestant against theirs, by name, on `threads` threads each.

    Raises Refused.
    """
    rng = np.random.default_rng()
    least = limits.least_seconds(workload.flops, workload.moved, workload.touched, workload.dtype)
    why = limits.why(workload.flops, workload.moved, workload.touched, workload.dtype)
    with _sides(root, workload, mine, theirs, threads) as sides:
        seen: list[list[float]] = [[], []]
        for number in range(rounds + 1):
            for k in rng.permutation(2):
                seconds = sides[k].turn()
                refusals.above_roofline(sides[k].who, seconds, least / threads, why)
                if number:  # the first is a warm-up
                    seen[k].append(seconds)
    ours_, theirs_ = (
        Times(Contestant(side.who, _never, dict), seconds)
        for side, seconds in zip(sides, seen, strict=True)
    )
    return compare(workload.name, ours_, theirs_, threads=threads)


@contextlib.contextmanager
def _sides(
    root: Path, workload: Workload, mine: str, theirs: str, threads: int
) -> Iterator[list[Side]]:
    sides: list[Side] = []
    try:
        for who in (mine, theirs):
            sides.append(Side(root, workload, who, threads))
        yield sides
    finally:
        for side in sides:
            side.close()


def _never(workload: object, arrays: object) -> Call:
    raise AssertionError("it has its own process")


def serve(workload: Workload, who: str, threads: int, lines: IO[str], out: IO[str]) -> None:
    """Compute once for each line, and say how long it took or why it does not count."""
    everybody: list[Contestant] = []
    if who in baselines.NAMES:
        library = who.partition(",")[0]  # what is not asked for is not loaded
        if library == "torch":
            import torch

            torch.set_num_threads(threads)
        everybody = baselines.contestants(replace(workload, baselines=(library,)))
    else:
        ours.load()
        everybody = ours.contestants(workload)[0]
    outcome = Outcome(workload, workload.touched)
    race = Race(workload, Limits(), Pool(), outcome, clock.empty_seconds(1), threads)
    found = [c for c in everybody if c.name == who]
    for one in found:
        race.attempt(one, partial(race.enter, one, 1))
    for _ in lines:
        race.round()
        answer: dict[str, object] = {"refused": "there is nobody of that name here."}
        if outcome.refused:
            answer = {"refused": outcome.refused[0].why}
        elif found:
            answer = {"seconds": race.lanes[who].seconds}
        out.write(json.dumps(answer) + "\n")
        out.flush()


def main(arguments: list[str]) -> None:
    name, who, threads = arguments
    (workload,) = [w for w in matching(workloads.everything(), name) if w.name == name]
    serve(workload, who, int(threads), sys.stdin, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
