"""What the C++ core says of processor and build, against what the system says."""

import ast
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import minigrad

CHECKOUT = Path(__file__).resolve().parents[2]
KERNEL_NAMES = {"neon": "asimd"}  # where Linux's name differs from ours
NEEDS = {
    "avx": "sse4_2",
    "avx2": "avx",
    "fma": "avx",
    "f16c": "avx",
    "avx512f": "avx2",
    "avx512bw": "avx512f",
    "avx512dq": "avx512f",
    "avx512vl": "avx512f",
    "avx512_bf16": "avx512f",
    "avx512_vnni": "avx512f",
    "amx_int8": "amx_tile",
    "amx_bf16": "amx_tile",
    "sve": "neon",
}


def test_features_are_those_that_the_kernel_reports(built: ModuleType) -> None:
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        pytest.skip(f"not verified: {platform.system()} has no {cpuinfo}")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    rows = [line.split(":")[1].split() for line in lines if line.startswith(("flags", "Features"))]
    reported = set(rows[0])
    expected = {n: KERNEL_NAMES.get(n, n) in reported for n in built.cpu_features()}
    assert built.cpu_features() == expected


def test_features_imply_each_other(built: ModuleType) -> None:
    features = built.cpu_features()
    assert set(NEEDS) | set(NEEDS.values()) == set(features)
    for name, needed in NEEDS.items():
        assert features[needed] or not features[name], f"{name} without {needed}"


def test_features_of_the_other_architecture_are_false(built: ModuleType) -> None:
    features, arch = built.cpu_features(), built.build_info()["arch"]
    arm = {"neon", "sve"}
    foreign = {"x86_64": arm, "aarch64": set(features) - arm}[arch]
    assert arch == platform.machine().lower().replace("arm64", "aarch64")
    assert not any(features[name] for name in foreign)


def test_build_info_names_this_version_and_a_portable_build(built: ModuleType) -> None:
    info = built.build_info()
    assert info["version"] == minigrad.__version__
    assert info["standard"] >= "201709"  # g++ 10 has C++20 under this number
    assert info["compiler"].split()[0] in {"gcc", "clang"}
    for flag in ("-march=native", "-mtune=native", "-ffast-math", "-Ofast"):
        assert flag not in info["flags"]


def test_stub_file_names_what_the_module_has(built: ModuleType) -> None:
    stub = ast.parse((CHECKOUT / "minigrad" / "_native.pyi").read_text(encoding="utf-8"))
    promised = {n.name for n in stub.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    assert promised == {name for name in dir(built) if not name.startswith("_")}


def test_core_links_and_runs_without_python(built: ModuleType, tmp_path: Path) -> None:
    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    if compiler is None:
        pytest.skip("not verified: no C++ compiler on PATH")
    core = str(CHECKOUT / "build" / "native" / "libminigrad_core.a")
    # All of it, not only what this program calls: nothing may ask for Python's symbols.
    whole = {"darwin": [f"-Wl,-force_load,{core}"]}.get(
        sys.platform, ["-Wl,--whole-archive", core, "-Wl,--no-whole-archive"]
    )
    program = tmp_path / "core_alone"
    source = Path(__file__).with_name("core_alone.cpp")
    command = [compiler, "-std=c++20", f"-I{CHECKOUT / 'csrc' / 'include'}", str(source), *whole]
    done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    version, *features = [line.split() for line in printed.splitlines()]
    assert version == ["version", minigrad.__version__]
    assert {name: value == "1" for name, value in features} == built.cpu_features()
