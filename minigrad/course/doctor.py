"""`minigrad doctor`: what this machine has, and what to do about what it lacks.

Every check answers with a line, whatever it meets: tools that hang, crash or lie included.
"""

import importlib.metadata
import json
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from minigrad import native
from minigrad.course import toolchain
from minigrad.course.catalog import Course, find_root
from minigrad.course.toolchain import run_program
from minigrad.course.workspace import Workspace

Status = Literal["ok", "warn", "missing"]
TESTED = "Linux x86-64 is tested; aarch64, macOS and WSL are expected to work, not verified"
PACKAGES = (
    *("numpy", "typer", "rich", "watchfiles", "matplotlib", "scikit-learn"),
    *("jupyterlab", "ipykernel", "jupytext", "nbclient", "pytest", "hypothesis"),
)


@dataclass(frozen=True)
class Line:
    """One finding. `warn`: a later part or a side road needs it; `missing`: the course needs it."""

    name: str
    status: Status
    detail: str
    fix: str = ""


def doctor(start: Path | None = None) -> list[Line]:
    """All findings for the checkout that `start` (default: the working directory) lies in."""
    root = find_root((start or Path.cwd()).resolve())
    checks: list[tuple[str, Callable[[], Line]]] = [
        ("platform", check_platform),
        ("Python", lambda: check_python(root)),
        ("packages", check_packages),
        ("compiler", check_compiler),
        ("native module", lambda: check_native(root)),
        ("CPU features", lambda: check_cpu(root)),
        ("torch", check_torch),
        ("nvcc", check_nvcc),
        ("browser", check_browser),
        ("git", check_git),
        ("disk", lambda: check_disk(root)),
        ("chapters", lambda: check_chapters(root)),
    ]
    return [_answer(name, check) for name, check in checks]


def run(json_: bool = False, start: Path | None = None) -> int:
    """Print the findings; 1 if something that the course needs is missing."""
    lines = doctor(start)
    if json_:
        print(json.dumps({"schema": 1, "lines": [asdict(line) for line in lines]}, indent=2))
    else:
        _render(lines)
    return int(any(line.status == "missing" for line in lines))


def _render(lines: list[Line]) -> None:
    from rich.text import Text

    from minigrad.course import report

    colours = {"ok": "green", "warn": "yellow", "missing": "bold red"}
    table: list[list[str | Text]] = []
    for line in lines:
        table.append([line.name, Text(line.status, style=colours[line.status]), line.detail])
        if line.fix:
            table.append(["", "", f"-> {line.fix}"])
    report.rows(table)
    needed = [line.name for line in lines if line.status == "missing"]
    report.say("", f"needed: {', '.join(needed)}" if needed else "next: minigrad next")


def _answer(name: str, check: Callable[[], Line]) -> Line:
    try:
        return check()
    except Exception as error:  # noqa: BLE001  a doctor that falls ill itself helps nobody
        detail = f"could not be checked: {type(error).__name__}: {error}"
        return Line(name, "warn", detail)


def check_platform() -> Line:
    system, machine = platform.system(), platform.machine()
    name = f"{system} {machine}"
    if system == "Windows":
        return Line("platform", "missing", f"{name}: not supported", "use WSL 2")
    if "microsoft" in platform.release().lower():
        return Line("platform", "warn", f"{name} in WSL: expected to work, not verified")
    if (system, machine) == ("Linux", "x86_64"):
        return Line("platform", "ok", f"{name}: tested")
    return Line("platform", "warn", f"{name}: {TESTED}")


def check_python(root: Path | None) -> Line:
    detail = f"{platform.python_version()} ({sys.executable})"
    if root is not None and not Path(sys.prefix).resolve().is_relative_to(root):
        fix = f"use {root / '.venv' / 'bin' / 'minigrad'}, which make setup makes"
        return Line("Python", "warn", f"{detail}, not the checkout's .venv", fix)
    return Line("Python", "ok", detail)


def check_packages() -> Line:
    versions: dict[str, str] = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    lacking = [name for name in PACKAGES if name not in versions]
    if lacking:
        return Line("packages", "missing", f"not installed: {', '.join(lacking)}", "make setup")
    return Line("packages", "ok", f"numpy {versions['numpy']} and {len(versions) - 1} others")


def check_compiler() -> Line:
    found, detail = toolchain.find_compiler()
    if found:
        return Line("compiler", "ok", f"{detail}, compiles C++20")
    fix = "from chapter 08 on: sudo apt install g++ (macOS: xcode-select --install); make build"
    return Line("compiler", "warn", detail, fix)


def _ask_native(root: Path | None) -> tuple[bool, str]:
    """What the native module says of itself; in a child, since a broken one may kill it."""
    if root is None:
        command = [sys.executable, "-m", "minigrad.native", "--json"]
    else:
        launch = str(root / "minigrad" / "course" / "launch.py")
        command = [sys.executable, launch, str(root), "-m", "minigrad.native", "--json"]
    return run_program(command)


def check_native(root: Path | None) -> Line:
    good, said = _ask_native(root)
    if good:
        info = json.loads(said)["build_info"]
        detail = f"{info['version']}, {info['compiler']}, {info['build_type']} {info['flags']}"
        return Line("native module", "ok", detail)
    detail = said.split("NativeMissing: ")[-1].removeprefix("exit code 1: ")
    return Line("native module", "warn", detail, "part I works without it")


def check_cpu(root: Path | None) -> Line:
    good, said = _ask_native(root)
    if good:
        names = [name for name, has in json.loads(said)["cpu_features"].items() if has]
        return Line("CPU features", "ok", " ".join(names) or "none that minigrad uses")
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        interesting = "sse4_2 avx avx2 fma f16c avx512f avx512bw avx512_bf16 amx_tile asimd sve"
        words = set(cpuinfo.read_text(encoding="utf-8", errors="replace").split())
        names = [name for name in interesting.split() if name in words]
        return Line("CPU features", "ok", f"{' '.join(names)} (from {cpuinfo})")
    return Line("CPU features", "warn", "unknown without the native module", native.COMMAND)


def check_torch() -> Line:
    good, said = run_program([sys.executable, "-c", "import torch; print(torch.__version__)"])
    if good:
        return Line("torch", "ok", said.splitlines()[-1] if said else "present")
    absent = "No module named 'torch'" in said
    detail = "not installed; only the comparison with PyTorch needs it" if absent else said
    return Line("torch", "warn", detail, "make oracle")


def check_nvcc() -> Line:
    found, detail = toolchain.find_nvcc()
    if found:
        return Line("nvcc", "ok", f"{detail} ({found})")
    fix = "from chapter 15 on: .venv/bin/pip install nvidia-cuda-nvcc nvidia-cuda-cccl"
    return Line("nvcc", "warn", detail, fix)


def check_browser() -> Line:
    for name in ("chromium", "chromium-browser", "google-chrome", "firefox"):
        if found := shutil.which(name):
            good, said = run_program([found, "--version"], timeout=20)
            if good:
                return Line("browser", "ok", f"{said.splitlines()[0] if said else name} ({found})")
            return Line("browser", "warn", f"{found} does not start: {said}")
    if sys.platform == "darwin":
        return Line("browser", "ok", "the system's")
    fix = "to read the notebooks here: sudo apt install chromium"
    return Line("browser", "warn", "none found", fix)


def check_git() -> Line:
    found = shutil.which("git")
    if found is None:
        return Line("git", "warn", "not found", "for minigrad upgrade: sudo apt install git")
    good, said = run_program([found, "--version"])
    return Line("git", "ok" if good else "warn", said)


def check_disk(root: Path | None) -> Line:
    free = shutil.disk_usage(root or Path.cwd()).free / 2**30
    if free < 2:
        return Line("disk", "warn", f"{free:.1f} GiB free", "the packages and builds take 2 GiB")
    return Line("disk", "ok", f"{free:.0f} GiB free")


def check_chapters(root: Path | None) -> Line:
    if root is None:
        fix = "cd into your checkout of minigrad"
        return Line("chapters", "missing", f"{Path.cwd()} lies in no checkout", fix)
    course = Course(root)
    workspace = Workspace(course)
    try:
        exercises = course.exercises.values()
    except ValueError as error:
        return Line("chapters", "missing", str(error), "git status shows what was changed")
    trouble = {problem for e in exercises if (problem := workspace.problem(e))}
    if trouble:
        return Line("chapters", "warn", " ".join(sorted(trouble)))
    still_open = sum(workspace.is_open(e) for e in exercises)
    detail = f"{len(course.chapters)} there, {len(exercises)} exercises, {still_open} still open"
    return Line("chapters", "ok", detail)


if __name__ == "__main__":
    sys.exit(run("--json" in sys.argv[1:]))
