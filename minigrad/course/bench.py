"""`minigrad bench`: its options, for the command line."""

from pathlib import Path
from typing import Annotated

import typer

from minigrad.course.catalog import find_root


def bench(
    what: Annotated[str, typer.Argument(metavar="kernels", help="what is measured: kernels")],
    only: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="those with this in their name: gemm,add")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="fewer rounds")] = False,
    json: Annotated[bool, typer.Option("--json", help="print data instead of text")] = False,
    out: Annotated[Path | None, typer.Option(help="folder for pictures and bench.json")] = None,
    readme: Annotated[
        bool, typer.Option("--readme", help="contributors: put the gemm ladder into README.md")
    ] = False,
) -> None:
    """Measure our kernels against the limits of this machine, NumPy and PyTorch."""
    from minigrad.bench import command

    if what != "kernels":
        raise LookupError(f"bench {what}: what can be measured is kernels")
    options = [f"--only={only}"] * (only is not None) + ["--quick"] * quick + ["--json"] * json
    options += [f"--out={out}"] * (out is not None) + ["--readme"] * readme
    root = find_root(Path.cwd())
    if root is None:
        raise LookupError(f"{Path.cwd()} is not inside a checkout of the course")
    command.run(root, [what, *options])
