"""The derived list of chapters and exercises, and everything that can contradict it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from minigrad.course.catalog import PLANNED, CatalogError, Course, exercise_key, find_root

MakeCourse = Callable[..., Course]
BODY = "def f():\n    # <ex {id}> a (1 line)\n    return 1\n    # </ex {id}>\n"
CPP = "void f() {{\n  // <ex {id}> a (1 line)\n  g();\n  // </ex {id}>\n}}\n"
MANIFEST = (
    'title = "t"\nidea = "i"\nhours = 1\nneeds = ["a C++ compiler"]\ndevice = "-"\n'
    'milestone = "m"\n'
)


def test_the_list(make_course: MakeCourse) -> None:
    course = make_course()
    assert [c.name for c in course.chapters] == ["01_small", "02_large"]
    assert list(course.exercises) == ["1.1", "1.2", "2.1"]
    first = course.exercise("1.1")
    assert (first.source, first.target) == ("minigrad/small.py", "01_small/small.py")
    assert first.start == '    raise NotImplementedError("exercise 1.1")\n'
    assert first.region.body == "    return 2 * x\n"
    assert first.hints == ("a nudge", "the idea", "nearly all")
    chapter = course.chapter(2)
    assert (chapter.number, chapter.title, chapter.device, chapter.train) == (2, "small", "-", None)
    assert chapter.files == {"02_large/large.py": "minigrad/large.py"}


def test_a_training_runs_on_the_chapters_that_its_manifest_names(make_course: MakeCourse) -> None:
    chapters = {"01_a": MANIFEST, "02_b": MANIFEST + 'train = "it"\ntrain_on = [1, 2]\n'}
    first, second = make_course(sources={}, chapters=chapters).chapters
    assert (first.train, first.train_on) == (None, (1,)), "its own, if nothing is said"
    assert (second.train, second.train_on) == ("it", (1, 2))


def test_exercises_are_sorted_as_numbers(make_course: MakeCourse) -> None:
    ids = ["1.10", "1.9", "1.1"]
    sources = {f"minigrad/f{n}.py": BODY.format(id=i) for n, i in enumerate(ids)}
    assert list(make_course(sources=sources).exercises) == ["1.1", "1.9", "1.10"]
    assert exercise_key("3.10") > exercise_key("3.9")


def test_a_chapter_without_exercises_is_a_chapter(make_course: MakeCourse) -> None:
    course = make_course(sources={}, chapters={"20_benchmark": MANIFEST})
    assert [(c.name, c.exercises) for c in course.chapters] == [("20_benchmark", ())]


def test_kernels_of_one_ladder_are_flat_and_of_several_are_not(make_course: MakeCourse) -> None:
    one = {f"csrc/cpu/gemm/{n}.cpp": CPP.format(id=f"9.{n}") for n in (1, 2)}
    several = {
        "csrc/cpu/reduce/1_loop.cpp": CPP.format(id="8.1"),
        "csrc/cpu/copy/1_loop.cpp": CPP.format(id="8.2"),
        "minigrad/kernels.py": BODY.format(id="8.3"),
    }
    course = make_course(sources={**one, **several})
    assert list(course.chapter(9).files) == ["09_more/1.cpp", "09_more/2.cpp"]
    assert list(course.chapter(8).files) == [
        "08_more/reduce/1_loop.cpp",
        "08_more/copy/1_loop.cpp",
        "08_more/kernels.py",
    ]


def test_the_machinery_holds_no_exercises(make_course: MakeCourse) -> None:
    course = make_course(files={"minigrad/course/x.py": "# <ex 3.2> shown (1 line)\n"})
    assert len(course.exercises) == 3


CONTRADICTIONS: dict[str, tuple[dict[str, object], str]] = {
    "an id in two files": (
        {
            "sources": {
                "minigrad/a.py": BODY.format(id="1.1"),
                "minigrad/b.py": BODY.format(id="1.1"),
            }
        },
        r"minigrad/b\.py:2: exercise 1\.1 also stands in minigrad/a\.py",
    ),
    "two files, one target": (
        {
            "sources": {
                "minigrad/nn/a.py": BODY.format(id="1.1"),
                "minigrad/ops/a.py": BODY.format(id="1.2"),
            }
        },
        r"minigrad/nn/a\.py and minigrad/ops/a\.py would both be cut to 01_small/a\.py",
    ),
    "no manifest": (
        {"sources": {"minigrad/a.py": BODY.format(id="1.1")}, "chapters": {}},
        r"chapters/01_\*/chapter\.toml is missing, but minigrad/a\.py holds",
    ),
    "two chapters of one number": (
        {"sources": {}, "chapters": {"01_a": MANIFEST, "01_b": MANIFEST}},
        r"chapters/01_b: chapter 1 is also 01_a; move one of them out of chapters/",
    ),
    "an odd name": (
        {"sources": {}, "chapters": {"1_a": MANIFEST}},
        r"chapters/1_a: a chapter is called NN_name; rename it, or move it out of",
    ),
    "a key is missing": (
        {"sources": {}, "chapters": {"01_a": MANIFEST.replace("hours = 1\n", "")}},
        r"chapters/01_a/chapter\.toml: 'hours' is missing",
    ),
    "no TOML": (
        {"sources": {}, "chapters": {"01_a": MANIFEST + "x =\n"}},
        r"chapters/01_a/chapter\.toml: Invalid value",
    ),
    "a training on a chapter that is not there": (
        {"sources": {}, "chapters": {"01_a": MANIFEST + "train_on = [1, 3]\n"}},
        r"chapters/01_a/chapter\.toml: train_on names chapters \[3\], which are not there",
    ),
    "hints of no exercise": (
        {"sources": {}, "chapters": {"01_a": MANIFEST + '[hints]\n"1.7" = ["a", "b", "c"]\n'}},
        r"chapters/01_a/chapter\.toml: hints for \['1\.7'\]",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictions_are_named(make_course: MakeCourse, name: str) -> None:
    parts, says = CONTRADICTIONS[name]
    with pytest.raises(CatalogError, match=says):
        _ = make_course(**parts).chapters


def test_what_is_not_there(make_course: MakeCourse) -> None:
    course = make_course()
    with pytest.raises(LookupError, match=r"chapter 7 \(transformer\) is not there yet.*1, 2"):
        course.chapter(7)
    with pytest.raises(LookupError, match="there is no chapter 99; there are: 1, 2"):
        course.chapter(99)
    with pytest.raises(LookupError, match=r"no exercise 1\.9; chapter 1 has 1\.1, 1\.2"):
        course.exercise("1.9")
    with pytest.raises(LookupError, match="there is no chapter 99"):
        course.exercise("99.1")


def test_sources_are_read_as_the_course_stores_text(make_course: MakeCourse) -> None:
    course = make_course()
    path = course.root / "minigrad/small.py"
    text = path.read_text()
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert Course(course.root).sources["minigrad/small.py"] == text


def test_the_checkout_is_found_from_below(make_course: MakeCourse, tmp_path: Path) -> None:
    course = make_course(machinery=True)
    assert find_root(course.root / "chapters/01_small") == course.root
    assert find_root(course.root) == course.root
    assert find_root(tmp_path) is None


def test_the_plan_has_every_chapter_once() -> None:
    assert [int(name[:2]) for name, _ in PLANNED] == list(range(1, 24))
