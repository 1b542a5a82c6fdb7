"""What `import minigrad` costs beside NumPy, and what it must not bring along."""

import subprocess
import sys
from pathlib import Path

import pytest

import minigrad
from minigrad.course import launch

TREE = Path(minigrad.__file__).parents[1]
# The course's own tools, and what else a first import has no use for.
HEAVY = {
    "IPython", "asyncio", "hypothesis", "jupytext", "matplotlib", "nbformat", "pytest", "rich",
    "scipy", "sklearn", "torch", "typer", "watchfiles",
}  # fmt: skip
PROGRAM = """
import sys, time
start = time.perf_counter()
import {name}
print(time.perf_counter() - start, *sys.modules)
"""


def imported(folder, name):
    """The seconds that a fresh Python takes for an import, and what was loaded afterwards."""
    script = folder / "import_one.py"
    script.write_text(PROGRAM.format(name=name))
    command = [sys.executable, launch.__file__, str(TREE), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, *modules = done.stdout.split()
    return float(seconds), {m.split(".")[0] for m in modules}


@pytest.mark.parametrize("name", ["minigrad", "minigrad.api"])
def test_nothing_heavy_is_imported(tmp_path, name):
    assert not imported(tmp_path, name)[1] & HEAVY


def test_the_time_it_takes(tmp_path, record_property):
    # minigrad alone loads nothing; its arrays and ops come with the first public name.
    numpy, ours = (
        min(imported(tmp_path, n)[0] for _ in range(3)) for n in ("numpy", "minigrad.api")
    )
    record_property(
        "figure",
        f"import minigrad, with arrays and ops, {1e3 * ours:.0f} ms; numpy alone "
        f"{1e3 * numpy:.0f} ms ({ours / numpy:.2f} times; goal 2)",
    )
