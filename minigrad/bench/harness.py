"""Rounds. In each, everybody computes the same fresh numbers once, in an order that is drawn anew,
into memory that held NaN; everybody is timed; and everybody's whole result is checked before any
time counts. So what is validated is what was timed.

A call that takes less than the clock would be lost in reading it. Then a round has several sets of
arrays, a call for each, and the clock runs from the first to the last: still no call sees numbers
or memory that it has seen before.
"""

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from minigrad.bench import clock, refusals
from minigrad.bench.limits import Limits
from minigrad.bench.numbers import Pool, fill, memory
from minigrad.bench.refusals import Refused
from minigrad.bench.workload import (
    Array,
    Call,
    Contestant,
    Ndarray,
    Role,
    Workload,
    conditions_of,
)

SETS = 64  # at most, of arrays that are called one after the other
ROOM = 768 << 10  # bytes that all sets of a small workload may fill together
WATCHED = 0.02  # seconds of sleep after which nothing may have been computed
WARM_CALLS = 3  # before the clock starts
SLOW = 0.2  # seconds of a call: fewer rounds, and no further warm-up


@dataclass(frozen=True)
class Effort:
    """How long a workload is measured: rounds at least and at most, seconds in between."""

    fewest: int = 7
    most: int = 61
    seconds: float = 1.5
    warm_up: int = 2


QUICK = Effort(fewest=3, most=9, seconds=0.25, warm_up=1)


@dataclass
class Times:
    """Seconds of a call, one for each round."""

    contestant: Contestant
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def best(self) -> float:
        return min(self.seconds)


@dataclass
class Outcome:
    """What came of a workload: times by name, and who was refused."""

    workload: Workload
    touched: int  # bytes of all sets
    times: dict[str, Times] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)


@dataclass
class _Lane:
    """A contestant with its sets of arrays and its calls."""

    contestant: Contestant
    sets: list[dict[str, Ndarray]]
    calls: list[Call]
    warm: Call  # on arrays of its own, just before the clock starts
    seconds: float = 0.0
    left: list[int] = field(default_factory=list)  # threads more than before each round
    went_on: list[float] = field(default_factory=list)  # CPU seconds in each watched sleep
    results: list[dict[str, Ndarray]] = field(default_factory=list)


def measure(
    workload: Workload,
    contestants: Sequence[Contestant],
    limits: Limits,
    pool: Pool,
    effort: Effort = Effort(),
) -> Outcome:
    """Measure all contestants of a workload on one thread. One that is refused drops out, and the
    others go on.
    """
    count = max(1, min(SETS, ROOM // workload.touched))
    outcome = Outcome(workload, count * workload.touched)
    race = Race(workload, limits, pool, outcome, clock.empty_seconds(count))
    for contestant in contestants:
        race.attempt(contestant, partial(race.enter, contestant, count))
    race.round(watch=True)  # before
    for _ in range(effort.warm_up):
        if race.slowest() < SLOW:
            race.round(watch=True)
    kept: dict[str, Times] = {}
    start, rounds = time.monotonic(), 0
    fewest = effort.fewest if race.slowest() < SLOW else 3
    while race.lanes and (
        rounds < fewest or (rounds < effort.most and time.monotonic() - start < effort.seconds)
    ):
        race.round()
        rounds += 1
        for name, lane in race.lanes.items():
            kept.setdefault(name, Times(lane.contestant)).seconds.append(lane.seconds)
    race.round(watch=True)  # after
    outcome.times = {name: kept[name] for name in race.lanes if name in kept}
    return outcome


class Race:
    """The contestants that are still in, and the rounds they go through."""

    def __init__(
        self,
        workload: Workload,
        limits: Limits,
        pool: Pool,
        outcome: Outcome,
        empty: float,
        threads: int = 1,
    ) -> None:
        self.workload, self.limits, self.pool = workload, limits, pool
        self.outcome, self.empty = outcome, empty
        self.threads = threads
        self.lanes: dict[str, _Lane] = {}
        self.expected: list[Mapping[str, Ndarray]] = []  # of the last round
        self.warm: list[Mapping[str, Ndarray]] = []  # of the calls before the clock starts

    def attempt(self, contestant: Contestant, do: Callable[[], None]) -> None:
        """Do something for a contestant, which drops out if it is refused or raises."""
        try:
            do()
        except Refused as refused:
            self._out(refused)
        except Exception as error:  # noqa: BLE001  whatever one raises, the others go on
            said = str(error).strip().splitlines() or [""]
            self._out(Refused(contestant.name, f"it raised {type(error).__name__}: {said[0]}"))

    def _out(self, refused: Refused) -> None:
        self.lanes.pop(refused.who, None)
        self.outcome.refused.append(refused)

    def enter(self, contestant: Contestant, count: int) -> None:
        self.check_conditions(contestant)
        sets = [memory(self.workload) for _ in range(count)]
        calls = [contestant.bind(self.workload, arrays) for arrays in sets]
        numbers, arrays = self._numbers(), memory(self.workload)
        fill(self.workload, arrays, numbers)
        warm = contestant.bind(self.workload, arrays)
        self.lanes[contestant.name] = _Lane(contestant, sets, calls, warm)
        self.warm.append(self.workload.reference(numbers))

    def check_conditions(self, contestant: Contestant) -> None:
        theirs = contestant.conditions()
        for what, ours in conditions_of(self.workload, self.threads).items():
            refusals.other_conditions(contestant.name, what, theirs.get(what), ours)

    def slowest(self) -> float:
        return max((lane.seconds for lane in self.lanes.values()), default=0.0)

    def round(self, *, watch: bool = False) -> None:
        """Everybody once; then everybody is checked."""
        lanes = list(self.lanes.values())
        if not lanes:
            return
        given = [self._numbers() for _ in lanes[0].sets]
        for i in self.pool.shuffled(len(lanes)):
            lane = lanes[i]
            self.attempt(lane.contestant, partial(self._run, lane, given, watch))
        # Only now is there a result that could be copied.
        earlier = self.expected
        expected = self.expected = [self.workload.reference(numbers) for numbers in given]
        for name in list(self.lanes):
            lane = self.lanes[name]
            self.attempt(lane.contestant, partial(self._check, lane, expected, earlier))
            lane.results = []

    def _numbers(self) -> dict[str, Ndarray]:
        arrays = [a for a in self.workload.arrays if a.role is not Role.WRITTEN]
        return {a.name: self.pool.draw(a, self.workload.dtype) for a in arrays}

    def _run(self, lane: _Lane, given: list[dict[str, Ndarray]], watch: bool) -> None:
        who, calls = lane.contestant.name, lane.calls
        alone = self.threads == 1
        seconds = clock.process_seconds if alone else clock.wall_seconds
        self.check_conditions(lane.contestant)
        # Code that has not run for a while is slow: the checks of a round have pushed it out of the
        # caches. On other arrays, so that those that are timed stay unseen.
        for _ in range(WARM_CALLS if lane.seconds < SLOW / 20 else 0):
            lane.warm()
        for arrays, numbers in zip(lane.sets, given, strict=True):
            fill(self.workload, arrays, numbers)
        before = clock.threads_alive()
        collecting = gc.isenabled()
        gc.disable()
        try:
            own, start = clock.thread_seconds(), seconds()
            returned = [call() for call in calls]
            raw = seconds() - start
            own = clock.thread_seconds() - own
        finally:
            if collecting:
                gc.enable()
        lane.results = [
            self._results(who, arrays, given_back)
            for arrays, given_back in zip(lane.sets, returned, strict=True)
        ]
        lane.left.append(clock.threads_more_than(before))
        refusals.nothing_timed(who, raw, len(calls), self.empty)
        if alone:
            refusals.other_threads(who, raw, own)
            refusals.threads_left(who, lane.left)
        if alone and watch:
            start = clock.process_seconds()
            time.sleep(WATCHED)
            lane.went_on.append(clock.process_seconds() - start)
            refusals.work_went_on(who, lane.went_on, WATCHED)
        lane.seconds = (raw - self.empty) / len(calls)
        inputs = [a.name for a in self.workload.arrays if a.role is Role.READ]
        for arrays, numbers in zip(lane.sets, given, strict=True):
            refusals.changed_inputs(
                who, inputs, [arrays[n] for n in inputs], [numbers[n] for n in inputs]
            )
        work = (self.workload.flops, self.workload.moved)
        how = (*work, self.outcome.touched, self.workload.dtype)
        self.limits.doubt(lane.seconds * refusals.SLACK, *how)
        refusals.above_roofline(
            who, lane.seconds, self.limits.least_seconds(*how), self.limits.why(*how)
        )

    def _results(
        self, who: str, arrays: Mapping[str, Ndarray], returned: Any
    ) -> dict[str, Ndarray]:
        """Copies of what a call wrote and gave, made at once: what comes later came too late."""
        written = self.workload.written
        results = {a.name: arrays[a.name] for a in written}
        given = {} if returned is None else _named(who, written, returned)
        others = {"the reference": [a for e in (*self.warm, *self.expected) for a in e.values()]}
        others["an input"] = [arrays[a.name] for a in self.workload.arrays if a.role is Role.READ]
        for name, lane in self.lanes.items():
            if name != who:
                others[name] = [a for one in lane.sets for a in one.values()]
        refusals.shared_memory(who, list(given.values()), others)
        return {name: np.array(array) for name, array in {**results, **given}.items()}

    def _check(
        self,
        lane: _Lane,
        expected: Sequence[Mapping[str, Ndarray]],
        earlier: Sequence[Mapping[str, Ndarray]],
    ) -> None:
        who, bound = lane.contestant.name, self.workload.bound
        for i, (results, right) in enumerate(zip(lane.results, expected, strict=True)):
            for array in self.workload.written:
                if array.name not in right:
                    continue  # an intermediate: what it is, is the kernels' own business
                result = results[array.name]
                refusals.other_conditions(
                    who, "dtype", str(result.dtype), array.dtype(self.workload.dtype)
                )
                kept = [e[array.name] for e in (*self.warm, *earlier, *expected[:i])]
                refusals.wrong_result(who, array.name, result, right[array.name], bound, kept)


def _named(who: str, written: Sequence[Array], returned: Any) -> dict[str, Ndarray]:
    found = {}
    for name, value in (returned if isinstance(returned, Mapping) else {"": returned}).items():
        # Nothing else: what looks like numbers might be computed when it is looked at.
        torch = type(value).__module__ == "torch" and type(value).__name__ == "Tensor"
        array = value.detach().numpy() if torch else value
        if type(array) is not np.ndarray:
            kind = type(value).__name__
            raise Refused(
                who,
                f"it gave a {kind} instead of numbers: the clock was read around nothing.",
            )
        found[name or written[0].name] = array
    return found
