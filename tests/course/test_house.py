"""The house around the course: doctor, line budgets, make targets, the tested packages."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from minigrad.course import doctor, sizes, toolchain
from minigrad.course.catalog import Course

CHECKOUT = Path(__file__).resolve().parents[2]
LAUNCH = CHECKOUT / "minigrad" / "course" / "launch.py"


def examine(path: str, cwd: Path = CHECKOUT, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`minigrad doctor` with nothing but `path` to find programs in."""
    here = {k: v for k, v in os.environ.items() if k not in {"CXX", "CUDA_HOME"}}
    command = [sys.executable, str(LAUNCH), str(CHECKOUT), "-m", "minigrad.course.doctor"]
    return subprocess.run(
        [*command, *arguments],
        env={**here, "PATH": path, "CUDA_HOME": "/nowhere", "COLUMNS": "100"},
        cwd=cwd,
        capture_output=True,
        text=True,
    )


def findings(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    """The lines of `doctor --json` by name; every run must be clean."""
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert report["schema"] == 1
    assert done.returncode == any(line["status"] == "missing" for line in report["lines"])
    return {line["name"]: line for line in report["lines"]}


def write_tool(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    tool = folder / name
    tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    tool.chmod(0o755)
    return tool


def test_doctor_with_no_program_on_the_path() -> None:
    lines = findings(examine("", CHECKOUT, "--json"))
    for name in ("compiler", "nvcc", "browser", "git"):
        assert lines[name]["status"] == "warn"
        assert "found" in lines[name]["detail"]
        assert lines[name]["fix"]
    assert lines["Python"]["detail"].startswith("3.")
    assert lines["disk"]["detail"].endswith("free")


def test_doctor_with_programs_that_are_broken(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    for name in ("c++", "g++", "clang++"):
        write_tool(tools, name, "echo internal trouble >&2; exit 1")
    write_tool(tools, "nvcc", "kill -SEGV $$")
    write_tool(tools, "chromium", "printf '\\377\\376'; exit 3")
    (tools / "git").write_bytes(b"\x7fELF no program")
    (tools / "git").chmod(0o755)
    lines = findings(examine(str(tools), CHECKOUT, "--json"))
    assert lines["compiler"]["detail"].endswith(
        "does not compile C++20: exit code 1: internal trouble"
    )
    assert lines["nvcc"]["detail"].startswith(f"{tools}/nvcc does not work: died of SIGSEGV")
    assert "does not start: exit code 3" in lines["browser"]["detail"]
    assert lines["git"]["status"] == "warn"


def test_doctor_with_a_compiler_that_lies(tmp_path: Path) -> None:
    """It claims success and writes nothing, or a program that prints the wrong sum."""
    tools = tmp_path / "tools"
    write_tool(tools, "c++", "exit 0")
    for name in ("mkdir", "chmod", "cat"):
        (tools / name).symlink_to(str(shutil.which(name)))
    lying = 'for last; do :; done; echo "#!/bin/sh\necho 7" > "$last"; chmod +x "$last"'
    write_tool(tools, "g++", lying)
    lines = findings(examine(str(tools), CHECKOUT, "--json"))
    assert lines["compiler"]["status"] == "warn"
    assert "does not compile C++20" in lines["compiler"]["detail"]


def test_doctor_gives_up_on_a_program_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = write_tool(tmp_path / "tools", "nvcc", "exec sleep 30")
    say = toolchain.run_program
    monkeypatch.setattr(toolchain, "run_program", lambda command: say(command, timeout=0.2))
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("CUDA_HOME", "/nowhere")
    line = doctor.check_nvcc()
    assert line.status == "warn"
    assert "gave no answer" in line.detail


def test_doctor_outside_a_checkout_says_where_to_go(tmp_path: Path) -> None:
    done = examine(os.environ["PATH"], tmp_path, "--json")
    lines = findings(done)
    assert done.returncode == 1
    assert lines["chapters"]["status"] == "missing"
    assert lines["chapters"]["fix"] == "cd into your checkout of minigrad"


def test_doctor_survives_a_check_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def ill() -> doctor.Line:
        raise RuntimeError("planted")

    monkeypatch.setattr(doctor, "check_git", ill)
    line = next(line for line in doctor.doctor(CHECKOUT) if line.name == "git")
    assert line.status == "warn"
    assert line.detail == "could not be checked: RuntimeError: planted"


def test_doctor_as_text_is_aligned_and_says_what_is_next() -> None:
    done = examine(os.environ["PATH"])
    assert done.stderr == ""
    rows = done.stdout.splitlines()
    names = [row[2:].split("  ")[0] for row in rows[:-1] if row[2:3].strip()]
    assert names == [
        *("platform", "Python", "packages", "compiler", "native module", "CPU features"),
        *("torch", "nvcc", "browser", "git", "disk", "chapters"),
    ]
    assert rows[-1].startswith(("next: ", "needed: "))
    assert "\x1b" not in done.stdout


def test_doctor_names_a_damaged_chapter(make_course) -> None:  # type: ignore[no-untyped-def]
    course: Course = make_course()
    line = doctor.check_chapters(course.root)
    assert (line.status, "is missing" in line.detail) == ("warn", True)
    (course.root / "minigrad" / "small.py").write_text("# <ex 1.1> never closed (1 line)\n")
    line = doctor.check_chapters(course.root)
    assert line.status == "missing"
    assert line.detail.startswith("minigrad/small.py:1: ")


def write(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "lines", "problem"),
    [
        ("minigrad/a.py", 299, None),
        ("minigrad/a.py", 300, "minigrad/a.py has 300 lines; it must stay under 300."),
        ("tests/01_a/test_a.py", 300, "must stay under 300"),
        ("csrc/runtime/a.cpp", 399, None),
        ("csrc/runtime/a.cpp", 400, "must stay under 400"),
        ("csrc/include/minigrad/a.h", 400, "must stay under 400"),
        ("csrc/cpu/gemm/1_naive.cpp", 19, "a kernel has 20 to 230"),
        ("csrc/cpu/gemm/1_naive.cpp", 20, None),
        ("csrc/cuda/gemm/4_tiles.cu", 230, None),
        ("csrc/cuda/gemm/4_tiles.cu", 231, "a kernel has 20 to 230"),
        ("tests/course/wrong/1.1.py", 900, None),
    ],
)
def test_line_budgets(tmp_path: Path, name: str, lines: int, problem: str | None) -> None:
    write(tmp_path, name, "x\n" * lines)
    found = sizes.problems(sizes.measure(tmp_path))
    if problem is None:
        assert found == []
    else:
        assert len(found) == 1
        assert problem in found[0]


def test_engine_budget_counts_code_alone(tmp_path: Path) -> None:
    docs = '"""A module\n\nwith a docstring."""\n\n'
    for number in range(10):
        write(tmp_path, f"minigrad/reference/part{number}.py", docs + "x = 1\n\n" * 140)
    files = sizes.measure(tmp_path)
    assert sum(f.code for f in files) == 1400
    assert sizes.problems(files) == []
    for number in range(10, 25):
        write(tmp_path, f"minigrad/reference/part{number}.py", "x = 1\n" * 140)
    found = sizes.problems(sizes.measure(tmp_path))
    assert found == ["minigrad/reference/ has 3500 lines of code; it must stay under 3500."]


def test_marker_share(tmp_path: Path) -> None:
    region = "def f():\n    # <ex 1.1> a task (1 line)\n    return 1\n    # </ex 1.1>\n"
    write(tmp_path, "minigrad/a.py", region + "x = 1\n" * 62)
    assert "3.0% of the sources" in sizes.problems(sizes.measure(tmp_path))[0]
    write(tmp_path, "minigrad/a.py", region + "x = 1\n" * 63)
    files = sizes.measure(tmp_path)
    assert sizes.problems(files) == []
    assert "minigrad    1 files      67 lines   largest a.py (67)" in sizes.table(files)


def pyproject() -> dict:  # type: ignore[type-arg]
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def test_tested_set_pins_every_dependency_within_its_range() -> None:
    text = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8")
    pins = dict(line.split("==") for line in text.splitlines() if not line.startswith("#"))
    table = pyproject()
    extras = table["project"]["optional-dependencies"]
    wanted = [*table["build-system"]["requires"], *table["project"]["dependencies"]]
    wanted += [name for group in extras.values() for name in group]
    for requirement in map(Requirement, wanted):
        assert requirement.specifier, f"{requirement.name} has no range"
        assert requirement.specifier.contains(pins[requirement.name]), requirement.name


def test_doctor_looks_for_packages_that_setup_installs() -> None:
    table = pyproject()["project"]
    declared = [*table["dependencies"], *table["optional-dependencies"]["course"]]
    declared += table["optional-dependencies"]["test"]
    assert set(doctor.PACKAGES) <= {Requirement(each).name for each in declared}


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """make as a person starts it; `make test` would hand its own settings on."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_make_alone_prints_help_for_every_target() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    phony = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()) - {"force"}
    done = make(CHECKOUT)
    assert done.returncode == 0
    assert phony == set(re.findall(r"^  make (\S+)", done.stdout, re.MULTILINE))
    assert done.stdout.splitlines()[-1] == "next: make start"


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("exit 1", "no Python 3.11 or newer was found; name one: make setup PYTHON="),
        (
            'case "$2" in *version_info*) echo "$0";; *) exit 1;; esac',
            "cannot make environments; install its venv module",
        ),
    ],
)
def test_setup_without_a_usable_python_is_one_sentence(
    tmp_path: Path, script: str, sentence: str
) -> None:
    shutil.copy(CHECKOUT / "Makefile", tmp_path)
    (tmp_path / "csrc").mkdir()
    for name in ("pyproject.toml", "constraints.txt", "CMakeLists.txt"):
        (tmp_path / name).touch()
    python = write_tool(tmp_path / "bin", "python3", script)
    done = make(tmp_path, "setup", f"PYTHON={python}")
    said = [line for line in (done.stdout + done.stderr).splitlines() if "***" not in line]
    assert done.returncode == 2
    assert len(said) == 1
    assert sentence in said[0]
    assert not (tmp_path / ".venv").exists()
