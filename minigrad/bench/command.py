"""`minigrad bench kernels`, in a process of its own whose libraries were told how many threads they
have before they were loaded.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from rich.console import Console

from minigrad import native
from minigrad.bench import (
    baselines,
    dispatch,
    harness,
    ladder,
    limits,
    machine,
    ours,
    pictures,
    report,
    turns,
    workload,
    workloads,
)
from minigrad.bench.harness import Outcome
from minigrad.bench.limits import Limits
from minigrad.bench.numbers import Pool
from minigrad.bench.refusals import Refused
from minigrad.bench.results import Report, Result
from minigrad.bench.threads import environment
from minigrad.course.catalog import CatalogError, find_root
from minigrad.course.files import replace
from minigrad.kernels import build

NEXT = "next: minigrad bench kernels --only gemm"


def run(root: Path, arguments: list[str]) -> None:
    """Become the process that measures."""
    parse(arguments)  # wrong usage is said before anything is run
    sys.stdout.flush()
    launch = root / "minigrad" / "course" / "launch.py"
    command = [sys.executable, str(launch), str(root), "-m", "minigrad.bench.command", *arguments]
    os.execve(sys.executable, command, environment(1))


def parse(arguments: list[str]) -> argparse.Namespace:
    """Raises LookupError for a pattern that fits nothing."""
    parser = argparse.ArgumentParser(prog="minigrad bench")
    parser.add_argument("what", choices=["kernels"])
    parser.add_argument("--only", metavar="PATTERN")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--readme", action="store_true")
    options = parser.parse_args(arguments)
    workload.matching(workloads.everything(), options.only)
    return options


def measure(options: argparse.Namespace, root: Path, console: Console) -> Report:
    """All of it, with a line of progress for each workload."""
    chosen = workload.matching(workloads.everything(), options.only)
    library = ours.load()
    effort = harness.QUICK if options.quick else harness.Effort()
    with console.status("the limits of this machine") as status:
        found = limits.measure(*((0.01, 5) if options.quick else (0.03, 7)))
        made = Report(machine.describe(found), found)
        pool = Pool()
        for k, one in enumerate(chosen):
            status.update(f"{k + 1} of {len(chosen)}: {one.name}")
            mine, missing = ours.contestants(one)
            made.missing += missing
            everybody = [*mine, *baselines.contestants(one)]
            made.outcomes.append(harness.measure(one, everybody, found, pool, effort))
        for k, outcome in enumerate(made.outcomes):
            status.update(f"two threads: {k + 1} of {len(chosen)}")
            made.pairs += two_threads(root, outcome, found)
        status.update("the door")
        made.dispatch = dispatch.measure(library)
    return made


def two_threads(root: Path, outcome: Outcome, found: Limits) -> list[Result]:
    """Our threaded steps against torch, in processes that take turns."""
    pairs = []
    for who in [n for n in outcome.times if ours.threaded(n)]:
        if "torch" in outcome.times:
            try:
                pairs.append(turns.alternate(root, outcome.workload, who, "torch", found))
            except Refused as refused:
                outcome.refused.append(refused)
    return pairs


def main(arguments: list[str]) -> int:
    """0 if every gate that was judged is met and nobody was refused, else 1."""
    options = parse(arguments)
    missing = baselines.torch_missing()
    if not missing:
        import torch

        torch.set_num_threads(1)
    # On a terminal, progress; in a pipe, nothing but the report.
    progress = Console(stderr=True, highlight=False)
    root = find_root(Path.cwd()) or native.checkout()
    try:
        if options.readme:
            ladder.check(root)  # before minutes are spent
        made = measure(options, root, progress)
    except (
        native.NativeMissing,
        build.CompilerMissing,
        build.CompileError,
        CatalogError,
    ) as error:
        print(f"minigrad: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; nothing was saved", file=sys.stderr)
        return 130
    folder = options.out or root / "build" / "bench"
    files = pictures.save(made, folder, missing)
    content = json.dumps(made.as_json(), indent=1)
    replace(folder / "bench.json", (content + "\n").encode())
    files.append(folder / "bench.json")
    if options.readme:
        files += ladder.write(made, root)
    if options.json:
        print(content)
    else:
        console = Console(highlight=False, soft_wrap=True)
        report.show(made, console, torch_missing=missing)
        for file in files:
            shown = file.relative_to(root) if file.is_relative_to(root) else file
            console.print(f"saved  {shown}", markup=False)
        console.print(NEXT, markup=False)
    return 1 if made.failed or made.refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
