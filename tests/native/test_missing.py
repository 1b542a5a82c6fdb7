"""A native module that is missing or broken ends in one sentence, however it is asked for."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

from minigrad import native

CHECKOUT = Path(__file__).resolve().parents[2]
SPELLINGS = [
    "from minigrad import _native",
    "import minigrad; minigrad._native",
    "import minigrad._native",
    "from minigrad._native import cpu_features",
    "from minigrad import native; native.load()",
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout of its own with the files that find and load the module, nothing built."""
    root = tmp_path / "a checkout"
    (root / "minigrad").mkdir(parents=True)
    (root / "csrc" / "python").mkdir(parents=True)
    (root / "build" / "native").mkdir(parents=True)
    for name in ("__init__.py", "_native.py", "native.py", "surface.py"):
        shutil.copy(CHECKOUT / "minigrad" / name, root / "minigrad")
    return root


def run(root: Path, code: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Python inside `root`; -S leaves out the editable install's finder, which would win."""
    return subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=cwd or root, capture_output=True, text=True
    )


def sentence(root: Path, code: str) -> str:
    """The message of NativeMissing, which must be what `code` ends in."""
    done = run(root, code)
    assert done.returncode == 1, f"exit code {done.returncode}: {done.stderr}"
    assert "partially initialized" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("minigrad.native.NativeMissing: "), done.stderr
    return last.removeprefix("minigrad.native.NativeMissing: ")


@pytest.mark.parametrize("code", SPELLINGS)
def test_not_built_says_the_command(copy: Path, code: str) -> None:
    version = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    assert sentence(copy, code) == (
        f"minigrad's native module is not built for {version}: run make build in {copy}."
    )


@pytest.mark.parametrize("code", SPELLINGS)
def test_not_built_gives_the_reason_that_the_build_left(copy: Path, code: str) -> None:
    reason = "no working C++ compiler was found"
    (copy / "build" / "native" / "missing.txt").write_text(reason + "\n", encoding="utf-8")
    expected = f"minigrad's native module is not built: {reason}; then run make build in {copy}."
    assert sentence(copy, code) == expected


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.9, -1])
def test_truncated_file_is_named_and_never_mapped(
    copy: Path, built: ModuleType, part: float
) -> None:
    whole = Path(str(built.__file__)).read_bytes()
    file = copy / "build" / "native" / native.FILE
    file.write_bytes(whole[: int(part * len(whole)) if part >= 0 else int(part)])
    for code in SPELLINGS:
        message = sentence(copy, code)
        assert message.startswith(f"minigrad's native module is broken ({file}: ")
        assert message.endswith("): rebuild it with make build.")


def test_text_in_place_of_the_module_is_named(copy: Path) -> None:
    (copy / "build" / "native" / native.FILE).write_text("not code\n" * 50, encoding="utf-8")
    for code in SPELLINGS:
        assert "native module is broken" in sentence(copy, code)


def test_library_that_is_no_such_module_is_named(copy: Path) -> None:
    folder = Path(str(sysconfig.get_config_var("DESTSHARED")))
    other = next(folder.glob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"))
    shutil.copy(other, copy / "build" / "native" / native.FILE)
    for code in SPELLINGS:
        assert "native module is broken" in sentence(copy, code)


@pytest.mark.parametrize("code", SPELLINGS)
def test_built_module_is_found_from_inside_the_sources(
    copy: Path, built: ModuleType, code: str
) -> None:
    shutil.copy(str(built.__file__), copy / "build" / "native" / native.FILE)
    more = "\nimport minigrad\nprint(minigrad._native.__file__, minigrad._native.build_info())"
    done = run(copy, code + more)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(copy / "build" / "native" / native.FILE))


def test_module_beside_the_package_wins(copy: Path, built: ModuleType) -> None:
    """A tree may have one of its own, built from a learner's C++."""
    (copy / "build" / "native" / native.FILE).write_text("the checkout's", encoding="utf-8")
    shutil.copy(str(built.__file__), copy / "minigrad" / native.FILE)
    for code in SPELLINGS:
        done = run(copy, code + "\nimport minigrad; print(minigrad._native.__file__)")
        assert done.stdout.strip() == str(copy / "minigrad" / native.FILE), done.stderr


def test_a_tree_finds_the_module_of_its_checkout_only(copy: Path) -> None:
    tree = copy / "build" / "trees" / "reference" / "minigrad"
    shutil.copytree(copy / "minigrad", tree)
    assert "not built" in sentence(tree.parent, SPELLINGS[0])
    (copy / "build" / "native" / native.FILE).write_text("not code", encoding="utf-8")
    found = run(tree.parent, "from minigrad import native; print(native.find())").stdout
    assert found.strip() == str(copy / "build" / "native" / native.FILE)

    inner = copy / "scratch" / "clone"
    shutil.copytree(copy / "minigrad", inner / "minigrad")
    (inner / "csrc" / "python").mkdir(parents=True)
    found = run(inner, "from minigrad import native; print(native.find())").stdout
    assert found.strip() == "None", "the module of another checkout was taken"


def test_find_looks_in_the_checkout_that_is_named(copy: Path) -> None:
    assert native.find(copy) is None
    file = copy / "build" / "native" / native.FILE
    file.touch()
    assert native.find(copy) == file
    assert native.find(copy.parent) is None


def test_a_failed_import_can_be_repeated(copy: Path) -> None:
    code = (
        "import sys\n"
        "for _ in range(2):\n"
        "    try:\n"
        "        import minigrad._native\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
        "print(sorted(n for n in sys.modules if n.startswith('minigrad')))"
    )
    first, second, modules = run(copy, code).stdout.splitlines()
    assert first == second and "make build" in first
    assert modules == "['minigrad', 'minigrad.native', 'minigrad.surface']"


def test_reload_after_a_new_tree(built: ModuleType) -> None:
    """A tree is entered by dropping every module; the native one must come up again."""
    code = (
        "import sys\n"
        "for _ in range(3):\n"
        "    import minigrad\n"
        "    print(minigrad._native.cpu_features()['avx'])\n"
        "    for name in [n for n in sys.modules if n.startswith('minigrad')]:\n"
        "        del sys.modules[name]\n"
    )
    done = run(CHECKOUT, code)
    assert done.stdout.split() == [str(built.cpu_features()["avx"])] * 3, done.stderr


def test_unknown_names_are_still_attribute_errors(copy: Path) -> None:
    done = run(copy, "import minigrad; minigrad.nothing")
    assert "AttributeError: module 'minigrad' has no attribute 'nothing'" in done.stderr


def test_importing_minigrad_imports_nothing_heavy() -> None:
    code = "import sys; old = set(sys.modules); import minigrad; print(*set(sys.modules) - old)"
    new = run(CHECKOUT, code).stdout.split()
    assert set(new) <= {"minigrad", "types"}
