"""Cut: stubs and solutions from the sources, and what is committed of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from minigrad.course import cut
from minigrad.course.catalog import CatalogError, Course
from minigrad.course.regions import RegionError
from minigrad.course.workspace import Workspace

if TYPE_CHECKING:
    from conftest import Checkout

TARGET = "chapters/01_small/small.py"
DOUBLE = "    return x + x  # mine\n"
OPEN = '    raise NotImplementedError("exercise 1.1")\n'


def test_plan_is_a_pure_function_of_the_sources(checkout: Checkout) -> None:
    first = cut.plan(checkout.course)
    checkout.rewrite(TARGET, (OPEN, DOUBLE))
    assert list(cut.plan(checkout.course).items()) == list(first.items())


def test_stub_and_solution_differ_in_the_bodies_alone(checkout: Checkout) -> None:
    stub = checkout.read(TARGET)
    solution = checkout.read("solutions/01_small/small.py")
    source = checkout.read("minigrad/small.py")
    assert solution == "# cut from minigrad/small.py\n" + source
    assert OPEN in stub
    assert "return 2 * x" not in stub
    assert (
        stub.replace(OPEN, "    return 2 * x\n").replace(
            '    raise NotImplementedError("exercise 1.2")\n',
            "    once = double(x)\n    return double(once)\n",
        )
        == solution
    )
    compile(stub, TARGET, "exec")


@pytest.mark.parametrize(
    ("name", "text", "stub"),
    [
        (
            "csrc/cpu/gemm/1_naive.cpp",
            "void f() {\n  // <ex 9.1> the loop (1 line)\n  g();\n  // </ex 9.1>\n}\n",
            "// cut from csrc/cpu/gemm/1_naive.cpp\n"
            'void f() {\n  // <ex 9.1> the loop (1 line)\n  MG_TODO("9.1");\n  // </ex 9.1>\n}\n',
        ),
        (
            "csrc/cuda/scale/1_loop.cu",
            "__global__ void f() {\n  // <ex 15.1> one (1 line)\n  g();\n  // </ex 15.1>\n}\n",
            "// cut from csrc/cuda/scale/1_loop.cu\n__global__ void f() {\n"
            '  // <ex 15.1> one (1 line)\n  MG_TODO("15.1");\n  // </ex 15.1>\n}\n',
        ),
        (
            "go/serve.go",
            "package main\n\nfunc f() {\n\t// <ex 23.4> one (1 line)\n\tg()\n\t// </ex 23.4>\n}\n",
            "// cut from go/serve.go\npackage main\n\nfunc f() {\n\t// <ex 23.4> one (1 line)\n"
            '\tpanic("exercise 23.4")\n\t// </ex 23.4>\n}\n',
        ),
    ],
)
def test_every_language(
    make_course: Callable[..., Course], name: str, text: str, stub: str
) -> None:
    made = cut.plan(make_course(sources={name: text}))
    (path,) = [p for p in made if p.startswith("chapters/")]
    assert made[path].decode() == stub
    assert Path(path).name == Path(name).name


def test_a_start_body_stands_in_the_stub(make_course: Callable[..., Course]) -> None:
    start = "if x:\n    return 0  # the fault\nreturn 1\n"
    course = make_course(files={"tests/course/start/1.1.py": start})
    stub = cut.plan(course)[TARGET].decode()
    assert "    if x:\n        return 0  # the fault\n    return 1\n    # </ex 1.1>" in stub


def test_a_start_body_that_does_not_parse_is_named(make_course: Callable[..., Course]) -> None:
    course = make_course(files={"tests/course/start/1.1.py": "return (\n"})
    with pytest.raises(CatalogError, match=r"chapters/01_small/small\.py:\d+: the stub would not"):
        cut.plan(course)


def test_a_start_body_of_no_exercise_is_named(make_course: Callable[..., Course]) -> None:
    course = make_course(files={"tests/course/start/1.9.py": "pass\n"})
    with pytest.raises(CatalogError, match=r"tests/course/start/1\.9\.py"):
        cut.plan(course)


def test_sources_that_cannot_be_cut_change_nothing(checkout: Checkout) -> None:
    before = (checkout.root / TARGET).read_bytes()
    checkout.rewrite("minigrad/small.py", ("    # </ex 1.1>\n", ""), ("Numbers", "Changed"))
    with pytest.raises(RegionError, match=r"^minigrad/small\.py:12: exercise 1\.1 \(line 6\)"):
        checkout.cut()
    assert (checkout.root / TARGET).read_bytes() == before


def test_a_folder_of_chapters_elsewhere_keeps_its_state_to_itself(
    checkout: Checkout, tmp_path: Path
) -> None:
    folder = tmp_path / "student"
    checkout.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    before = {p: p.read_bytes() for p in checkout.root.rglob("*") if p.is_file()}
    cut.write(Workspace(checkout.course, folder))
    assert "Two times x." in (folder / "01_small/small.py").read_text()
    assert {p: p.read_bytes() for p in checkout.root.rglob("*") if p.is_file()} == before


@pytest.fixture
def committed(checkout: Checkout) -> Course:
    checkout.commit()
    return checkout


def test_no_drift(committed: Checkout) -> None:
    assert cut.drift(committed.course) == []


def test_what_is_not_committed_is_no_drift(committed: Checkout) -> None:
    committed.rewrite(TARGET, (OPEN, DOUBLE))
    committed.rewrite("minigrad/small.py", ("Twice x.", "Two times x."))
    (committed.root / "chapters/01_small/notes.py").write_text("")
    before = committed.git("status", "--porcelain")
    assert cut.drift(committed.course) == []
    assert committed.git("status", "--porcelain") == before


def test_drift_names_what_differs_is_missing_or_stray(committed: Checkout) -> None:
    root = committed.root
    committed.rewrite(TARGET, (OPEN, DOUBLE))
    (root / "solutions/02_large/large.py").unlink()
    (root / "solutions/01_small/extra.txt").write_text("")
    (root / "chapters/01_small/01_small.md").write_text("")
    committed.git("add", "-A")
    (root / "chapters/01_small/01_small.md").unlink()
    committed.git("rm", "-q", "--cached", "chapters/01_small/01_small.md")
    committed.git("commit", "-qm", "two")
    assert [line.split(":")[0] for line in cut.drift(committed.course)] == [
        TARGET,
        "solutions/02_large/large.py",
        "solutions/01_small/extra.txt",
    ]


def test_drift_without_git_is_one_sentence(checkout: Checkout) -> None:
    (line,) = cut.drift(checkout.course)
    assert "no git checkout" in line


def test_drift_says_that_the_committed_sources_cannot_be_cut(committed: Checkout) -> None:
    committed.rewrite("minigrad/small.py", ("    # </ex 1.1>\n", ""))
    committed.git("commit", "-qam", "two")
    (line,) = cut.drift(committed.course)
    assert line.startswith("minigrad/small.py:12: ")
