"""A run in words: the conditions, a table, what does not count and why, what is missing.

In a pipe the table is as wide as it needs; a narrow terminal gets fewer columns, never half a
number.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

from minigrad.bench.harness import Outcome, Times
from minigrad.bench.limits import Limits
from minigrad.bench.results import GEOMETRIC, Report, Result, results_of

# Columns in the order in which a terminal gives them up, the last first.
COLUMNS = ("who", "time", "rate", "share of roof", "before", "torch", "numpy", "gate", "spread",
           "torch, bare")  # fmt: skip
RATIOS = ("before", "torch", "numpy", "torch, bare")
WORDS = ("who", "gate")
WIDE = 1000
FEWEST = 2  # columns that even the narrowest terminal gets
ONE_THREAD = "two threads: no step of ours that ran computes on more than one"
NO_TORCH = (
    "torch is not installed, so all ratios are to NumPy and gates against torch stay open:"
    " make oracle installs it."
)


@dataclass(frozen=True)
class Row:
    """A line of the table: cells by the name of their column."""

    workload: str
    cells: dict[str, str]
    met: bool | None = None
    ours: bool = True


def show(report: Report, console: Console, *, torch_missing: bool = False) -> None:
    """Print all of it."""
    for line in head(report):
        console.print(Text(line))
    console.print()
    made = table(report, console.width if console.is_terminal else None)
    # Never squeezed: a terminal that is narrower than the fewest columns wraps the line itself.
    for segments in console.render_lines(made, console.options.update(width=WIDE), pad=False):
        console.print(Segments([*segments, Segment.line()]), crop=False, end="")
    console.print()
    for line in foot(report, torch_missing=torch_missing):
        console.print(Text(line))


def head(report: Report) -> list[str]:
    """The machine, its limits, and what holds for everybody."""
    m, limits = report.machine, report.limits
    versions = ", ".join(f"{n} {m[n]}" for n in ("python", "numpy", "torch") if n in m)
    return [
        f"{m.get('cpu', 'unknown processor')}, kernels for {limits.isa}; {versions}",
        "everybody: 1 thread, float32, IEEE arithmetic, the same fresh numbers; clock: CPU time of"
        " the process",
        f"limits here: {peaks(limits)}",
        f"             {bandwidths(limits)}",
    ]


def peaks(limits: Limits) -> str:
    single = {isa: v for (isa, dtype), v in limits.peak.items() if dtype == "float32"}
    found = ", ".join(f"{isa} {v / 1e9:.0f}" for isa, v in single.items())
    return f"multiply-adds {found} GFLOP/s"


def bandwidths(limits: Limits) -> str:
    """For each level the fastest way through it, and what non-temporal stores reach."""
    levels = dict.fromkeys(level for level, _ in limits.bandwidth)
    found = [f"{level} {limits.best_bandwidth(level) / 1e9:.0f}" for level in levels]
    past = limits.bandwidth.get(("DRAM", "write_nontemporal"))
    more = f" (written past the caches {past / 1e9:.0f})" if past else ""
    return f"{', '.join(found)} GB/s{more}"


def rows(report: Report) -> list[Row]:
    """A row for each contestant, then one for each mean of a family."""
    found = [row for outcome in report.outcomes for row in _rows(outcome, report.limits)]
    for result in report.results:
        if result.ours == GEOMETRIC:
            cells = {"who": GEOMETRIC, result.baseline: times(result.ratio), "gate": gate(result)}
            found.append(Row(result.workload, cells, result.met))
        elif result.threads > 1:
            cells = {
                "who": f"{result.ours}, {result.threads} threads",
                "time": duration(result.ours_s),
                result.baseline: times(result.ratio),
                "spread": percent(result.spread),
            }
            found.append(Row(result.workload, cells))
    return found


def _rows(outcome: Outcome, limits: Limits) -> Iterable[Row]:
    work = outcome.workload
    least = limits.least_seconds(work.flops, work.moved, outcome.touched, work.dtype)
    pairs = results_of(outcome)
    previous = ""
    for name, one in outcome.times.items():
        cells = {
            "who": name,
            "time": duration(one.median),
            "rate": rate(outcome, one),
            "share of roof": percent(least / one.median),
        }
        gated = None
        for pair in (p for p in pairs if p.ours == name and one.contestant.ours):
            column = "before" if pair.baseline == previous else pair.baseline
            cells[column] = times(pair.ratio)
            if pair.gate is not None:
                gated, cells["gate"] = pair.met, gate(pair)
            if pair.baseline in ("torch", "numpy", previous) and "spread" not in cells:
                cells["spread"] = percent(pair.spread)
        yield Row(work.name, cells, gated, one.contestant.ours)
        previous = name if one.contestant.ours else ""


def table(report: Report, room: int | None = None) -> Table:
    """The table, with as many columns as fit into `room` characters; all without it."""
    found = rows(report)
    names = [n for n in COLUMNS if any(n in row.cells for row in found)]
    name_width = max([len(row.workload) for row in found], default=0)
    left = (room or WIDE) - max(name_width, len("workload"))
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    made.add_column("workload", no_wrap=True, min_width=name_width)
    shown: list[str] = []
    for name in names:
        title = f"x {name}" if name in RATIOS else name
        width = max(len(title), *(len(row.cells.get(name, "")) for row in found))
        left -= width + 2
        if left < 0 and len(shown) >= FEWEST:
            break
        shown.append(name)
        made.add_column(
            title, justify="left" if name in WORDS else "right", no_wrap=True, min_width=width
        )
    last = ""
    for row in found:
        style = {True: "green", False: "red", None: "" if row.ours else "dim"}[row.met]
        cells = [Text(row.cells.get(name, ""), style=style) for name in shown]
        made.add_row(Text(row.workload if row.workload != last else ""), *cells)
        last = row.workload
    return made


def foot(report: Report, *, torch_missing: bool = False) -> list[str]:
    """What a reader must know besides, and what to do next."""
    lines = []
    if report.dispatch:
        lines.append("the door, add of one element (kernels above are bound, so it is left out):")
        width = max(map(len, report.dispatch))
        lines += [f"  {way:<{width}}  {1e9 * s:7.0f} ns" for way, s in report.dispatch.items()]
    if not report.pairs:
        lines.append(ONE_THREAD)
    if torch_missing:
        lines.append(NO_TORCH)
    if report.missing:
        count = len(report.missing)
        lines.append(f"not there yet: {count} workload{'s' * (count != 1)}")
        lines += [f"  {m.workload}: {m.why}" for m in report.missing]
    if report.refused:
        lines.append(f"refused: {len(report.refused)}")
        lines += [f"  {name}: {refused}" for name, refused in report.refused]
    gates = [r for r in report.results if r.met is not None]
    met = sum(r.met is True for r in gates)
    lines.append(
        f"gates: {met} of {len(gates)} met" if gates else "gates: nothing that ran has one"
    )
    lines += [
        f"  {r.name}: {r.ratio:.2f} x {r.baseline}, the gate is {r.gate:g}" for r in report.failed
    ]
    if report.open:
        lines.append(f"gates not judged, since a side is missing: {len(report.open)}")
        lines += [f"  {gate}" for gate in report.open]
    return lines


def gate(result: Result) -> str:
    if result.gate is None:
        return ""
    goal = f", goal {result.goal:g}" if result.goal else ""
    return f"{'met' if result.met else 'missed'}: {result.gate:g} x {result.baseline}{goal}"


def rate(outcome: Outcome, one: Times) -> str:
    """GFLOP/s of products, GB/s of what streams through memory."""
    work = outcome.workload
    if work.ops == ("matmul",):
        return f"{work.flops / one.median / 1e9:.1f} GFLOP/s"
    return f"{work.moved / one.median / 1e9:.1f} GB/s"


def duration(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 0.9995:
            digits = max(0, 2 - int(math.log10(seconds * factor * 1.0005)))
            return f"{seconds * factor:.{digits}f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def times(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 99.5 else f"{ratio:.0f}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"
