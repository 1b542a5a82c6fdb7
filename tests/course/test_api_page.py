"""docs/api.md: made from the table and the docstrings of the sources, and from nothing else."""

from pathlib import Path

import pytest

from minigrad.course import api_page, cut
from minigrad.course.catalog import CatalogError, Course

TABLE = '''TABLE = """
# Making things
made     f  -
kind     f  -
Box      f  -

# Ops: each with its gradient
twice    fm d  +x
__len__  o  -  len(x)
item     m  -
flag     a  -
shape    a  0
"""
'''
SOURCES = {
    "minigrad/surface.py": TABLE,
    "minigrad/api.py": (
        "from minigrad.kinds import KIND as kind\n"
        "from minigrad.making import made as made\n\n\n"
        "class Box:\n"
        '    """What holds\n    a | b and __all__ * of `x_y`.\n\n    More.\n    """\n\n\n'
        "def twice(x: int, times: int = 2, *, flat: bool = False) -> int: return x\n"
    ),
    "minigrad/kinds.py": 'KIND = 3\n"""The kind."""\n',
    "minigrad/making.py": 'def made(*shape: int, dtype: int = 3) -> int:\n    """New."""\n',
    "minigrad/reference/engine.py": "from minigrad.reference.ops import twice\n",
    "minigrad/reference/ops.py": 'def twice(x):\n    """x + x"""\n',
    "minigrad/reference/operators.py": "class Operators:\n    def __len__(self): return 1\n",
    "minigrad/reference/tensor.py": (
        "from minigrad.reference.operators import Operators\n\n\n"
        'class Tensor(Operators):\n    """A tensor.\n\n    flag   whether it is\n    """\n\n'
        '    def item(self, plain: bool = True) -> int:\n        """Its number."""\n\n'
        '    @property\n    def shape(self) -> int:\n        """Its sizes."""\n'
    ),
}
ROWS = [
    "## Making things",
    "| `made(*shape, dtype=3)` |  |  | New. |",
    "| `kind` |  |  | The kind. |",
    "| `Box` |  |  | What holds a \\| b and \\_\\_all\\_\\_ \\* of `x_y`. |",
    "## Ops: each with its gradient",
    "| `twice(x, times=2, *, flat=False)` | `x.twice()`, `+x` | yes | x + x |",
    "| `len(x)` |  |  |  |",
    "| `x.item(plain=True)` |  |  | Its number. |",
    "| `x.flag` |  |  | Whether it is |",
    "| `x.shape` |  | 0 | Its sizes. |",
]


def test_the_page_says_what_table_and_docstrings_say(make_course):
    course = make_course(sources=SOURCES, chapters={})
    page = cut.plan(course)[api_page.PATH].decode()
    found = [s for s in page.splitlines() if s.startswith(("## ", "| `"))]
    assert found == ROWS


def test_every_row_of_ours_says_what_it_is():
    lines = api_page.made(Course(Path(__file__).parents[2]).sources).splitlines()
    silent = [line.split("`")[1] for line in lines if line.endswith("|  |") and "`" in line]
    # Their headline says it.
    assert silent == [
        "hash(x)", "x += y", "x -= y", "x *= y", "x /= y", "x **= y", "x.add_(other)",
        "x.mul_(other)",
    ]  # fmt: skip


def test_a_course_without_a_table_has_no_page(make_course):
    assert api_page.PATH not in cut.plan(make_course())


def test_a_name_that_the_sources_lack_stops_the_cut(make_course):
    wrong = TABLE.replace("item ", "items")
    course = make_course(sources=SOURCES | {"minigrad/surface.py": wrong}, chapters={})
    with pytest.raises(CatalogError, match=r"^minigrad/surface\.py: x\.items is not in"):
        cut.plan(course)
    course = make_course(sources=SOURCES | {"minigrad/surface.py": "ROWS = ()\n"}, chapters={})
    with pytest.raises(CatalogError, match="there is no TABLE in it"):
        cut.plan(course)
