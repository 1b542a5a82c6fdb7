"""Every reason for which a time does not count. Each is a sentence with what was seen in it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray[Any, Any]]

# How far a figure may stand above what was measured as the machine's limit: clocks of processors
# change from one second to the next.
SLACK = 1.15
# CPU time of other threads that is noise: of the share of a call, and in all.
FOREIGN_SHARE, FOREIGN_SECONDS = 0.10, 0.5e-3
# A call that does anything takes more than this times a call of nothing.
NOTHING = 1.5


class Refused(Exception):
    """A time that does not count: who, and why."""

    def __init__(self, who: str, why: str) -> None:
        super().__init__(f"{who}: {why}")
        self.who, self.why = who, why


def wrong_result(
    who: str,
    name: str,
    got: np.ndarray[Any, Any],
    expected: np.ndarray[Any, Any],
    bound: float,
    earlier: Arrays = (),
) -> None:
    """Refuses what is not the result: another shape, NaN, or too far off.

    bound    how far an element may be off, as a share of its own size and the typical size together
    earlier  results of calls before, on other numbers
    """
    if got.shape != expected.shape:
        raise Refused(who, f"{name} has shape {got.shape} instead of {expected.shape}.")
    unwritten = np.isnan(got) if got.dtype.kind == "f" else got == np.iinfo(got.dtype).min
    missing = unwritten & ~np.isnan(expected)
    if missing.any():
        first = _first(missing)
        count, total = int(missing.sum()), got.size
        raise Refused(
            who,
            f"NaN in {name} at {first}, {count} of {total} elements: it computed a NaN, or it did"
            " not write there (the memory held NaN before the call).",
        )
    wrong = _differs(got, expected, bound)
    if wrong.any():
        if any(not _differs(got, kept, bound).any() for kept in earlier):
            raise Refused(
                who,
                f"{name} is the result of an earlier call, on other numbers: it was kept, not"
                " computed.",
            )
        first, exact = _first(wrong), expected
        place = f"{name}{list(first)}" if first else name
        raise Refused(
            who,
            f"wrong result: {place} is {got[first]:.7g}, expected"
            f" {exact[first]:.7g};"
            f" {int(wrong.sum())} of {got.size} elements differ.",
        )


def shared_memory(who: str, results: Arrays, others: Mapping[str, Arrays]) -> None:
    """Refuses results that lie in memory of the reference, of the inputs, of somebody else."""
    for whose, arrays in others.items():
        if any(np.may_share_memory(mine, theirs) for mine in results for theirs in arrays):
            raise Refused(who, f"its result lies in the memory of {whose}: it was not computed.")


def changed_inputs(who: str, names: Sequence[str], now: Arrays, before: Arrays) -> None:
    """Refuses a call after which an input holds other numbers."""
    for name, array, kept in zip(names, now, before, strict=True):
        if not np.array_equal(array, kept):
            changed = int((array != kept).sum())
            raise Refused(
                who, f"it changed its input {name}: {changed} of {array.size} elements differ."
            )


def threads_left(who: str, left: Sequence[int]) -> None:
    """Refuses calls behind which there are more threads than before, each time anew.

    left: how many more, one number for each round. A library may start a thread of its own once.
    """
    seen = [count for count in left if count > 0]
    if len(seen) > 1:
        raise Refused(who, f"it left {seen[-1]} more threads than there were: work goes on.")


def other_threads(who: str, process: float, own: float) -> None:
    """Refuses one thread's time if others computed meanwhile.

    process, own: CPU seconds of all threads and of the calling one
    """
    foreign = process - own
    if foreign > max(FOREIGN_SECONDS, FOREIGN_SHARE * process):
        raise Refused(
            who,
            f"other threads computed for {1e3 * foreign:.2f} ms of the {1e3 * process:.2f} ms:"
            " this is no time of one thread.",
        )


def work_went_on(who: str, seconds: Sequence[float], watched: float) -> None:
    """Refuses calls behind which the process goes on computing while this thread sleeps.

    seconds: of CPU time, one for each sleep. A library may start a thread of its own once; who
    leaves work behind does so again.
    """
    seen = [s for s in seconds if s > FOREIGN_SECONDS]
    if len(seen) > 1:
        raise Refused(
            who,
            f"the process computed {1e3 * seen[-1]:.2f} ms more in the {1e3 * watched:.0f} ms after"
            " the call: work was left on a thread.",
        )


def nothing_timed(who: str, seconds: float, calls: int, empty: float) -> None:
    """Refuses a time that is no longer than the clock's own reading and calls of nothing."""
    if seconds <= NOTHING * empty:
        raise Refused(
            who,
            f"{calls} call{'s' * (calls != 1)} took {1e9 * seconds:.0f} ns, and the clock alone"
            f" takes {1e9 * empty:.0f} ns: the clock was read around nothing.",
        )


def above_roofline(who: str, seconds: float, least: float, limit: str) -> None:
    """Refuses a call faster than the machine can be; `limit` names what was measured."""
    if seconds * SLACK < least:
        raise Refused(
            who,
            f"a call took {_time(seconds)}, and this machine needs {_time(least)} at least"
            f" ({limit}): it did not do the work.",
        )


def other_conditions(who: str, condition: str, theirs: object, ours: object) -> None:
    """Refuses a contestant that runs with other threads or another dtype than it should."""
    if theirs != ours:
        raise Refused(
            who, f"it runs with {condition} {theirs}, the workload with {ours}: not comparable."
        )


def _differs(
    got: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], bound: float
) -> np.ndarray[Any, Any]:
    exact = expected.astype(np.float64)
    typical = float(np.sqrt(np.mean(np.square(exact)))) if exact.size else 0.0
    finite = bool(np.isfinite(typical))
    if not finite:  # NaN or inf belongs there: it must be the same one, in the same places
        there = np.isfinite(exact)
        typical = float(np.sqrt(np.mean(np.square(exact[there])))) if there.any() else 0.0
    with np.errstate(invalid="ignore"):
        far: np.ndarray[Any, Any] = ~(np.abs(got - exact) <= bound * (np.abs(exact) + typical))
    if not finite:
        same = (got == exact) | (np.isnan(got) & np.isnan(exact))
        far = (far | ~there) & ~same
    return far


def _first(mask: np.ndarray[Any, Any]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(mask)), mask.shape))


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
