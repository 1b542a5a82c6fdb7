"""Ratios out of times, gates out of ratios, and all of it as JSON.

A ratio is their time by ours, medians over the rounds: above 1, ours is faster. Its spread is the
middle half of the ratios of single rounds, as a share of their median.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigrad.bench.harness import Outcome, Times
from minigrad.bench.limits import Limits
from minigrad.bench.refusals import Refused
from minigrad.bench.workload import Gate, Missing

SCHEMA = 1
GEOMETRIC = "geometric mean"


@dataclass(frozen=True)
class Result:
    """One of ours against one of theirs. Times in seconds a call."""

    workload: str
    ours: str
    baseline: str
    ours_s: float
    theirs_s: float
    spread: float
    gate: float | None = None
    goal: float | None = None
    threads: int = 1

    @property
    def name(self) -> str:
        return f"{self.workload} {self.ours}"

    @property
    def ratio(self) -> float:
        return self.theirs_s / self.ours_s

    @property
    def met(self) -> bool | None:
        """Whether the gate is met; None without one."""
        return None if self.gate is None else self.ratio >= self.gate

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ratio": round(self.ratio, 4),
            "gate": self.gate,
            "goal": self.goal,
            "threads": self.threads,
            "baseline": self.baseline,
            "ours_s": self.ours_s,
            "theirs_s": self.theirs_s,
            "spread": round(self.spread, 4),
        }


@dataclass
class Report:
    """All that came of a run."""

    machine: dict[str, Any]
    limits: Limits
    outcomes: list[Outcome] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    dispatch: dict[str, float] = field(default_factory=dict)  # {way of calling: seconds}
    pairs: list[Result] = field(default_factory=list)  # measured in processes that took turns

    @property
    def refused(self) -> list[tuple[str, Refused]]:
        return [(o.workload.name, r) for o in self.outcomes for r in o.refused]

    @property
    def results(self) -> list[Result]:
        """Every pair, then the means of families, then what was measured on more threads."""
        single = [r for o in self.outcomes for r in results_of(o)]
        return [*single, *families(self.outcomes), *self.pairs]

    @property
    def failed(self) -> list[Result]:
        return [r for r in self.results if r.met is False]

    @property
    def open(self) -> list[str]:
        """Gates that say nothing, since one of their two sides was not measured."""
        return [
            f"{o.workload.name}: {gate.step or 'the best of ours'} against {gate.against}"
            for o in self.outcomes
            for gate in o.workload.gates
            if not _measured(o, gate)
        ]

    def as_json(self) -> dict[str, Any]:
        """By the design's schema; what was not measured is not left out, it stands beside."""
        return {
            "schema": SCHEMA,
            "machine": self.machine,
            "limits": self.limits.as_json(),
            "results": [r.as_json() for r in self.results],
            "refused": [{"name": f"{name} {r.who}", "reason": r.why} for name, r in self.refused],
            "missing": [{"name": m.workload, "reason": m.why} for m in self.missing],
            "dispatch_s": self.dispatch,
        }


def spread(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The middle half of the rounds' ratios, as a share of their median."""
    ratios = np.asarray(theirs) / np.asarray(ours)
    low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
    return float((high - low) / middle)


def compare(
    workload: str, ours: Times, theirs: Times, gate: Gate | None = None, threads: int = 1
) -> Result:
    """Two contestants of one workload, timed in the same rounds."""
    count = min(len(ours.seconds), len(theirs.seconds))
    return Result(
        workload,
        ours.contestant.name,
        theirs.contestant.name,
        ours.median,
        theirs.median,
        spread(ours.seconds[-count:], theirs.seconds[-count:]),
        None if gate is None else gate.floor if gate.family else gate.gate,
        None if gate is None or gate.family else gate.goal,
        threads,
    )


def results_of(outcome: Outcome) -> list[Result]:
    """Each of ours against each baseline, and against the step before it."""
    ours = [t for t in outcome.times.values() if t.contestant.ours]
    theirs = [t for t in outcome.times.values() if not t.contestant.ours]
    best = min(ours, key=lambda t: t.median, default=None)
    found = []
    for k, mine in enumerate(ours):
        for other in [*ours[:k][-1:], *theirs]:
            gate = _gate(outcome, mine, other, mine is best)
            found.append(compare(outcome.workload.name, mine, other, gate))
    return found


def _gate(outcome: Outcome, ours: Times, theirs: Times, best: bool) -> Gate | None:
    for gate in outcome.workload.gates:
        wanted = ours.contestant.name == gate.step or (not gate.step and best)
        if wanted and gate.against == theirs.contestant.name:
            return gate
    return None


def _measured(outcome: Outcome, gate: Gate) -> bool:
    ours = [n for n, t in outcome.times.items() if t.contestant.ours]
    return gate.against in outcome.times and (gate.step in ours if gate.step else bool(ours))


def families(outcomes: Iterable[Outcome]) -> list[Result]:
    """The geometric mean of each family of which every workload was measured. Its times are means
    too.
    """
    found: dict[tuple[str, str], list[tuple[Gate, Result | None]]] = {}
    for outcome in outcomes:
        ours = [t for t in outcome.times.values() if t.contestant.ours]
        for gate in outcome.workload.gates:
            if not gate.family:
                continue
            theirs = outcome.times.get(gate.against)
            best = min(ours, key=lambda t: t.median, default=None)
            pair = compare(outcome.workload.name, best, theirs) if best and theirs else None
            found.setdefault((gate.family, gate.against), []).append((gate, pair))
    results = []
    for (family, against), pairs in found.items():
        whole = [pair for _, pair in pairs if pair is not None]
        if len(whole) < len(pairs):
            continue
        gate = pairs[0][0]
        results.append(
            Result(
                family,
                GEOMETRIC,
                against,
                _mean([r.ours_s for r in whole]),
                _mean([r.theirs_s for r in whole]),
                max(r.spread for r in whole),
                gate.gate,
                gate.goal,
            )
        )
    return results


def _mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))
