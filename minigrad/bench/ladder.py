"""The gemm ladder in the README: table and picture, made, between two marks."""

from pathlib import Path

from matplotlib.ticker import FuncFormatter

from minigrad.bench import report as words
from minigrad.bench.harness import Outcome
from minigrad.bench.results import Report
from minigrad.course.catalog import CatalogError
from minigrad.course.files import replace
from minigrad.course.pictures import Picture, in_style, plot_area
from minigrad.course.style import COLOURS, GREY

BEGIN, END = "<!-- bench: made by make bench -->", "<!-- /bench -->"
PICTURE = Path("docs/gemm_ladder.png")
LAYOUT = "gemm-NN-"
NAMES = {"numpy": "NumPy", "torch": "PyTorch"}


def squares(report: Report) -> dict[int, Outcome]:
    """{side: what came of x @ y}, both as they lie in memory."""
    found = {
        int(o.workload.name.removeprefix(LAYOUT)): o
        for o in report.outcomes
        if o.workload.name.startswith(LAYOUT)
    }
    return dict(sorted(found.items()))


def gflops(outcome: Outcome) -> dict[str, float]:
    return {n: outcome.workload.flops / t.median / 1e9 for n, t in outcome.times.items()}


def names(report: Report) -> list[str]:
    """Steps in order, then NumPy, then PyTorch."""
    found = dict.fromkeys(n for o in squares(report).values() for n in o.times)
    steps = sorted(n for n in found if n not in NAMES)
    return [*steps, *(n for n in NAMES if n in found)]


def table(report: Report) -> str:
    """GFLOP/s for each step and size; then the limits that they stand under."""
    there = squares(report)
    peak = report.limits.best_peak("float32") / 1e9
    head = [f"{side} x {side}" for side in there]
    lines = [
        "| GFLOP/s | " + " | ".join(head) + " | share of the peak |",
        "|---" * (len(head) + 2) + "|",
    ]
    for name in names(report):
        figures = [gflops(o).get(name) for o in there.values()]
        cells = ["not run" if f is None else f"{f:.1f}" for f in figures]
        best = max(f for f in figures if f is not None)
        lines.append(
            f"| {NAMES.get(name, name)} | " + " | ".join(cells) + f" | {100 * best / peak:.0f} % |"
        )
    versions = ", ".join(f"{n} {report.machine[n]}" for n in ("numpy", "torch")
                         if n in report.machine)  # fmt: skip
    lines += [
        "",
        f"float32, one thread, {report.machine['cpu']} ({report.machine['isa']}), {versions};"
        " medians of rounds in which everybody multiplies the same fresh numbers and every result"
        f" is checked. Limits measured in the same run: {words.peaks(report.limits)};"
        f" {words.bandwidths(report.limits)}.",
    ]
    return "\n".join(lines)


def filled(text: str, report: Report) -> str:
    """A README that has the marks, with this ladder between them."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    picture = f"![{title(report)}]({PICTURE.as_posix()})"
    return f"{before}{BEGIN}\n{table(report)}\n\n{picture}\n{END}{after}"


def title(report: Report) -> str:
    """What the last step gains over the first, at the largest size that both have."""
    steps = [n for n in names(report) if n not in NAMES]
    both = [o for o in squares(report).values() if {steps[0], steps[-1]} <= set(o.times)]
    if not both:
        return "the ladder of gemm"
    rates, side = gflops(both[-1]), both[-1].workload.name.removeprefix(LAYOUT)
    gain = rates[steps[-1]] / rates[steps[0]]
    return (
        f"{gain:.{0 if gain >= 10 else 1}f} times from {steps[0]} to {steps[-1]} at {side} x {side}"
    )


@in_style
def picture(report: Report) -> Picture:
    """GFLOP/s over the size, a line for each step, with the peak."""
    drawn = Picture(7.0, 4.2)
    there = squares(report)
    axes = plot_area(drawn, title(report), "rows and columns of the square matrices",
                     "GFLOP/s, one thread")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    peak = report.limits.best_peak("float32") / 1e9
    axes.axhline(peak, color=GREY, linewidth=1.2, linestyle=":")
    axes.text(min(there), peak * 1.07, f"peak {peak:.0f}", fontsize=9)
    colours = iter(("sky", "orange", "green", "blue", "purple", "vermilion"))
    for name in names(report):
        points = [(s, gflops(o)[name]) for s, o in there.items() if name in o.times]
        other = name in NAMES
        colour = GREY if other else COLOURS[next(colours)]
        axes.plot(
            *zip(*points, strict=True),
            marker="o",
            color=colour,
            linewidth=1.4 if other else 2,
            linestyle={"numpy": "--", "torch": "-."}.get(name, "-"),
            label=NAMES.get(name, name),
        )
    axes.set_xticks(list(there), [str(s) for s in there])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.set_ylim(top=peak * 1.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9)
    return drawn


def check(root: Path) -> None:
    """Raises CatalogError if README.md has no marks to stand between."""
    text = (root / "README.md").read_text(encoding="utf-8")
    if END not in text.partition(BEGIN)[2]:
        raise CatalogError(f"README.md: the marks {BEGIN} and {END} are missing")


def write(report: Report, root: Path) -> list[Path]:
    """Put the ladder into README.md; gives the files. Raises CatalogError without its marks, or
    if a square was not measured.
    """
    if not squares(report):
        raise CatalogError(f"--readme needs the workloads {LAYOUT}...: --only leaves them out")
    check(root)
    readme = root / "README.md"
    text = filled(readme.read_text(encoding="utf-8"), report)
    (root / PICTURE).parent.mkdir(exist_ok=True)
    saved = picture(report).save(root / PICTURE)
    replace(readme, text.encode())
    return [readme, saved]
