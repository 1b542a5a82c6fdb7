"""The pictures of a run: bars of torch / ours, and the roofline of this machine."""

import math
from pathlib import Path

from matplotlib.ticker import FuncFormatter, NullFormatter

from minigrad.bench.results import Report, Result, results_of
from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, GREY

SHADES = {"DRAM": "sky", "L3": "green", "L2": "orange", "L1": "vermilion"}


def best_pairs(report: Report, baseline: str) -> list[Result]:
    """For each workload our fastest against a baseline."""
    found: dict[str, Result] = {}
    for outcome in report.outcomes:
        for one in (r for r in results_of(outcome) if r.baseline == baseline):
            known = found.get(one.workload)
            if known is None or one.ours_s < known.ours_s:
                found[one.workload] = one
    return list(found.values())


@in_style
def bars(report: Report, baseline: str) -> Picture:
    """How many times as long the baseline takes, for each workload."""
    pairs = best_pairs(report, baseline)[::-1]
    ratios = [p.ratio for p in pairs]
    picture = Picture(7.0, 1.3 + 0.22 * len(pairs))
    name = {"torch": "PyTorch", "numpy": "NumPy"}[baseline]
    ahead = sum(r >= 1 for r in ratios)
    title = f"one thread: faster than {name} in {ahead} of {len(pairs)}"
    axes = plot_area(picture, title, f"time of {name} / ours (higher is better)", "")
    colours = [COLOURS["blue" if r >= 1 else "vermilion"] for r in ratios]
    axes.barh(range(len(pairs)), [r - 1 for r in ratios], left=1, height=0.72, color=colours)
    axes.set_xscale("log")
    low, high = min([*ratios, 0.8]), max([*ratios, 1.25])
    axes.set_xlim(low / 1.4, high * 1.5)
    axes.axvline(1, color=GREY, linewidth=1.2)
    for k, pair in enumerate(pairs):
        side = "left" if pair.ratio >= 1 else "right"
        shift = 1.03 if pair.ratio >= 1 else 1 / 1.03
        axes.text(pair.ratio * shift, k, f"{pair.ratio:.2f}", va="center", ha=side, fontsize=9)
        if pair.gate is not None:
            axes.plot([pair.gate] * 2, [k - 0.36, k + 0.36], color="black", linewidth=2)
    axes.set_yticks(range(len(pairs)), [p.workload for p in pairs], fontsize=9)
    axes.set_ylim(-0.7, len(pairs) - 0.3)
    ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if low / 1.4 <= t <= high * 1.5]
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=False, axis="y")
    return picture


@in_style
def roofline(report: Report) -> Picture:
    """Operations a second over operations for each byte, under the roof that was measured."""
    limits = report.limits
    picture = Picture(7.0, 4.6)
    peak = limits.best_peak("float32") / 1e9
    points = []
    for outcome in report.outcomes:
        ours = [t for t in outcome.times.values() if t.contestant.ours]
        work = outcome.workload
        if ours and work.flops:
            best = min(ours, key=lambda t: t.median)
            level = limits.level(outcome.touched)
            theirs = outcome.times.get("torch")
            per_byte = work.flops / work.moved
            points.append(
                (per_byte, work.flops / best.median / 1e9,
                 work.flops / theirs.median / 1e9 if theirs else None, level, work.ops[0])
            )  # fmt: skip
    most = max([rate for _, rate, *_ in points], default=0.0)
    title = f"the best of ours reaches {most:.0f} of {peak:.0f} GFLOP/s"
    axes = plot_area(picture, title, "operations for each byte moved", "GFLOP/s, one thread")
    axes.set_xscale("log")
    axes.set_yscale("log")
    left, right = 0.04, 1500.0
    for level, colour in SHADES.items():
        bandwidth = limits.best_bandwidth(level) / 1e9
        if not math.isfinite(bandwidth):
            continue
        ridge = peak / bandwidth
        axes.plot([left, ridge], [left * bandwidth, peak], color=COLOURS[colour], linewidth=1.6,
                  label=f"{level} {bandwidth:.0f} GB/s")  # fmt: skip
    for (isa, dtype), value in limits.peak.items():
        if dtype == "float32":
            axes.plot([left, right], [value / 1e9] * 2, color=GREY, linewidth=1.1, linestyle=":")
            axes.text(right, value / 1e9 * 1.06, f"{isa} {value / 1e9:.0f}", ha="right", fontsize=9)
    named: set[str] = set()
    for per_byte, rate, other, level, op in sorted(points, key=lambda p: -p[1]):
        colour = COLOURS[SHADES.get(level, "blue")]
        if other is not None:
            axes.plot([per_byte], [other], marker="o", markerfacecolor="white", color=GREY,
                      linestyle="", markersize=5)  # fmt: skip
        axes.plot([per_byte], [rate], marker="o", color=colour, linestyle="", markersize=6,
                  markeredgecolor="black", markeredgewidth=0.6)  # fmt: skip
        if op not in named:  # at its fastest
            named.add(op)
            axes.annotate(op, (per_byte, rate), xytext=(6, 3), textcoords="offset points",
                          fontsize=8)  # fmt: skip
    axes.plot([], [], marker="o", color="black", linestyle="", label="ours, best step")
    if any(other is not None for _, _, other, *_ in points):
        axes.plot([], [], marker="o", markerfacecolor="white", color=GREY, linestyle="",
                  label="PyTorch")  # fmt: skip
    lowest = min([min(o, t or o) for _, o, t, *_ in points], default=1.0)
    axes.set_xlim(left, right)
    axes.set_ylim(min(lowest / 2, 1.0), peak * 1.7)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.legend(loc="lower right", fontsize=9)
    return picture


def save(report: Report, folder: Path, torch_missing: bool) -> list[Path]:
    """Write what can be drawn; gives the files."""
    folder.mkdir(parents=True, exist_ok=True)
    baseline = "numpy" if torch_missing else "torch"
    files = []
    if best_pairs(report, baseline):
        files.append(bars(report, baseline).save(folder / "bars.png"))
    if any(t.contestant.ours for o in report.outcomes for t in o.times.values()):
        files.append(roofline(report).save(folder / "roofline.png"))
    return files
