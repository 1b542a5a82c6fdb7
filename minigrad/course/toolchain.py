"""The compilers of this machine, tried before they are trusted."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HELLO = """
#include <concepts>
#include <cstdio>
#include <span>
template <std::integral T>
T sum(std::span<const T> values) {
    T total{};
    for (T value : values) total += value;
    return total;
}
int main() {
    const int values[] = {1, 2, 3};
    std::printf("%d\\n", sum(std::span<const int>(values)));
}
"""


def run_program(command: list[str], timeout: float = 60.0) -> tuple[bool, str]:
    """Run a program: whether it succeeded, and its output or else what went wrong, in a line."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return False, f"gave no answer within {timeout:.0f} s"
    except OSError as error:
        return False, error.strerror or str(error)
    if done.returncode < 0:
        return False, f"died of {signal.Signals(-done.returncode).name}"
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return False, f"exit code {done.returncode}" + (f": {said[-1]}" if said else "")
    return True, done.stdout.strip()


def find_compiler() -> tuple[str | None, str]:
    """A compiler that really compiles C++20, and its version; or None, and what is wrong."""
    trouble = "none found"
    for command in os.environ.get("CXX", "").split(), ["c++"], ["g++"], ["clang++"]:
        found = shutil.which(command[0]) if command else None
        if found is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "hello.cpp", Path(folder) / "hello"
            source.write_text(HELLO, encoding="utf-8")
            good, said = run_program(
                [found, *command[1:], "-std=c++20", str(source), "-o", str(program)]
            )
            if good:
                good, said = run_program([str(program)])
        if good and said == "6":
            version = run_program([found, "--version"])[1].splitlines()
            return found, version[0] if version else found
        trouble = f"{found} does not compile C++20: {said}"
    return None, trouble


def find_nvcc() -> tuple[str | None, str]:
    """An nvcc that answers, and its release; or None, and what is wrong."""
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    places = [shutil.which("nvcc"), str(toolkit / "bin" / "nvcc")]
    # The wheels of PyPI (nvidia-cuda-nvcc) put it below a folder of their own.
    places += [str(p) for entry in sys.path for p in Path(entry or ".").glob("nvidia/*/bin/nvcc")]
    trouble = "not found on PATH, in CUDA_HOME or among the packages"
    for place in dict.fromkeys(p for p in places if p and Path(p).is_file()):
        good, said = run_program([place, "--version"])
        if good and "release" in said:
            return place, said.split("release", 1)[1].split(",")[0].strip()
        trouble = f"{place} does not work: {said or 'it names no release'}"
    return None, trouble
