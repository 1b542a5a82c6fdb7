"""Regions: what is one, what is not, and that filling and parsing undo each other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.course import regions
from minigrad.course.regions import RegionError

TEXT = """def f(x):
    # <ex 3.2> the product, and how g reaches x (2 lines)
    y = x
    return y
    # </ex 3.2>


def g(x):
    # <ex 3.10> one (1 line)
    return x
    # </ex 3.10>
"""
CPP = "void f() {\n  // <ex 8.1> a loop (1 line)\n  g();\n  // </ex 8.1>\n}\n"


def test_a_region_knows_where_it_stands() -> None:
    first, second = regions.parse(TEXT, "a.py")
    assert (first.id, first.chapter, first.size, first.pad) == ("3.2", 3, 2, "    ")
    assert first.task == "the product, and how g reaches x"
    assert first.body == "    y = x\n    return y\n"
    assert (first.first, first.last) == (2, 5)
    assert (second.id, second.size) == ("3.10", 1)


@pytest.mark.parametrize("name", ["a.cpp", "a.cu", "a.go"])
def test_languages_with_slashes(name: str) -> None:
    (region,) = regions.parse(CPP, name)
    assert region.body == "  g();\n"


def test_a_comment_of_another_language_is_a_damaged_marker() -> None:
    with pytest.raises(RegionError, match=r"^a\.py:2: a damaged exercise marker"):
        regions.parse(CPP, "a.py")


@pytest.mark.parametrize(
    ("line", "text", "says"),
    [
        (3, ["# <ex 1.1> a (1 line)", "x", "# <ex 1.2> b (1 line)"], "is not closed before"),
        (1, ["# <ex 1.1> a (1 line)", "x"], "exercise 1.1 is never closed"),
        (1, ["# </ex 1.1>"], "closes nothing"),
        (3, ["# <ex 1.1> a (1 line)", "x", "# </ex 1.2>"], "closes exercise 1.1"),
        (4, ["# <ex 1.1> a (1 line)", "x", "# </ex 1.1>"] * 2, "stands twice"),
        (1, ["# <ex 1.1> no size", "x", "# </ex 1.1>"], "damaged"),
        (1, ["#<ex 1.1> a (1 line)", "x", "# </ex 1.1>"], "damaged"),
        (3, ["# <ex 1.1> a (1 line)", "x", "# </ ex 1.1>"], "damaged"),
        (3, ["# <ex 1.1> a (1 line)", "x", "# </ex 1.1"], "damaged"),
        (1, ["# < EX 1.1> a (1 line)", "x", "# </ex 1.1>"], "damaged"),
    ],
)
def test_a_marker_that_cannot_be_right(line: int, text: list[str], says: str) -> None:
    with pytest.raises(RegionError) as caught:
        regions.parse("\n".join(text) + "\n", "dir/a.py")
    assert str(caught.value).startswith(f"dir/a.py:{line}: ")
    assert says in str(caught.value)


def test_ordinary_comments_are_no_markers() -> None:
    assert regions.parse("# example <ex 1.1>\n# <example>\n# < 3\n#\n", "a.py") == []


IN_PYTHON = {
    "outside": ("# <ex 1.1> a (1 line)\nx = 1\n# </ex 1.1>\n", 1),
    "in a class alone": ("class A:\n    # <ex 1.1> a (1 line)\n    x = 1\n    # </ex 1.1>\n", 2),
    "across two": (
        "def f():\n    a = 1\n    # <ex 1.1> a (1 line)\n    return a\n\n\ndef g():\n    b = 1\n"
        "    # </ex 1.1>\n    return b\n",
        3,
    ),
    "across two inside a third": (
        "def h():\n    def f():\n        a = 1\n        # <ex 1.1> a (1 line)\n        return a\n\n"
        "    def g():\n        b = 1\n        # </ex 1.1>\n        return b\n    return f, g\n",
        4,
    ),
    "around a function": (
        "# <ex 1.1> a (1 line)\ndef f():\n    return 1\n# </ex 1.1>\n",
        1,
    ),
    "empty": ("def f():\n    # <ex 1.1> a (1 line)\n    # </ex 1.1>\n    return 1\n", 2),
    "two chapters": (TEXT + TEXT.replace("3.2", "4.1").replace("3.10", "4.2"), 13),
}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_source_that_cannot_be_cut(name: str) -> None:
    text, line = IN_PYTHON[name]
    with pytest.raises(RegionError, match=rf"^a\.py:{line}: "):
        regions.check_source(text, "a.py")


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "class A:\n    def f(self):\n        # <ex 1.1> a (1 line)\n        return 1\n"
        "        # </ex 1.1>\n",
        "def f():\n    # <ex 1.1> a (4 lines)\n    def g():\n        return 1\n\n    return g\n"
        "    # </ex 1.1>\n",
        "async def f():\n    if True:\n        # <ex 1.1> a (1 line)\n        return 1\n"
        "        # </ex 1.1>\n    return 2\n",
        "def f():\n    # <ex 1.1> a (1 line)\n    return 1\n    # </ex 1.1>\n\n\n@f\ndef g():\n"
        "    return 2\n",
    ],
)
def test_a_source_that_can(text: str) -> None:
    assert regions.check_source(text, "a.py")


def test_a_source_with_a_syntax_error_is_named() -> None:
    with pytest.raises(RegionError, match=r"^a\.py:8: "):
        regions.check_source(TEXT.replace("def g(x):", "def g(x:"), "a.py")


BRACES = {
    "namespace mg {\n// <ex 8.1> a (1 line)\nint x;\n// </ex 8.1>\n}\n": False,
    "struct S {\n  // <ex 8.1> a (1 line)\n  int x;\n  // </ex 8.1>\n};\n": False,
    'extern "C" {\n// <ex 8.1> a (1 line)\nint x;\n// </ex 8.1>\n}\n': False,
    "void f() {\n  // <ex 8.1> a (1 line)\n  a();\n}\nvoid g() {\n  // </ex 8.1>\n}\n": False,
    "void f() { a(); }\n// <ex 8.1> a (1 line)\nint x;\n// </ex 8.1>\n": False,
    '// {\nconst char* s = "{";\n// <ex 8.1> a (1 line)\nint x;\n// </ex 8.1>\n': False,
    "void f() {\n  // <ex 8.1> a (1 line)\n  if (x) {\n    a();\n  // </ex 8.1>\n  }\n}\n": False,
    "namespace mg {\nvoid f() {\n  // <ex 8.1> a (1 line)\n  a();\n  // </ex 8.1>\n}\n}\n": True,
    'extern "C" void f() {\n  // <ex 8.1> a (1 line)\n  a("}");\n  // </ex 8.1>\n}\n': True,
    "struct S {\nint f() {\n// <ex 8.1> a (1 line)\nreturn 1;\n// </ex 8.1>\n}\n};\n": True,
    CPP: True,
}


@pytest.mark.parametrize(("text", "right"), BRACES.items())
def test_a_region_lies_inside_one_function_with_braces(text: str, right: bool) -> None:
    if right:
        assert regions.check_source(text, "a.cpp")
    else:
        with pytest.raises(RegionError, match="must lie inside one function"):
            regions.check_source(text, "a.cpp")


def test_fill_changes_the_named_bodies_alone() -> None:
    filled = regions.fill(TEXT, {"3.10": "    pass\n", "9.9": "never"}, "a.py")
    assert filled == TEXT.replace("    return x\n", "    pass\n")


LINE = st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=("Cs",)))
BODY = st.lists(LINE.filter(lambda x: not regions.RESEMBLES.match(x))).map(
    lambda lines: "".join(each + "\n" for each in lines)
)


@given(first=BODY, second=BODY)
def test_parse_gives_back_what_fill_put_in(first: str, second: str) -> None:
    text = regions.fill(TEXT, {"3.2": first, "3.10": second}, "a.py")
    assert [r.body for r in regions.parse(text, "a.py")] == [first, second]
    assert regions.skeleton(text, "a.py") == regions.skeleton(TEXT, "a.py")
    assert [r.body for r in regions.salvage(text, "a.py")] == [first, second]


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_normalise_is_done_once(text: str) -> None:
    for suffix in (".py", ".cpp"):
        once = regions.normalise(text, suffix)
        assert regions.normalise(once, suffix) == once
        assert "\r" not in once
        assert once == "" or once.endswith("\n")


def test_normalise() -> None:
    raw = "\ufeffif x:\r\n\ty = '\t'\r\n  \tz = 1\r"
    assert regions.normalise(raw, ".py") == "if x:\n    y = '\t'\n    z = 1\n"
    assert regions.normalise("\tx\r\n", ".go") == "\tx\n"


def test_salvage_finds_what_is_whole() -> None:
    text = TEXT.replace("    # </ex 3.2>\n", "") + "# </ex 7\n"
    assert [r.id for r in regions.salvage(text, "a.py")] == ["3.10"]
    text = TEXT.replace("# <ex 3.2>", "// <ex 3.2>")
    assert [r.id for r in regions.salvage(text, "a.py")] == ["3.10"]
    text = TEXT + TEXT.replace("return y", "return 7")
    assert regions.salvage(text, "a.py")[0].body == "    y = x\n    return y\n"


def test_open_bodies_and_indentation() -> None:
    (region,) = regions.parse(CPP, "a.cpp")
    assert regions.open_body(region, ".cpp") == '  MG_TODO("8.1");\n'
    assert regions.open_body(region, ".go") == '  panic("exercise 8.1")\n'
    assert regions.open_body(region, ".py") == '  raise NotImplementedError("exercise 8.1")\n'
    assert regions.indent("if x:\n\n    y\n", "  ") == "  if x:\n\n      y\n"
