"""The table of the public API is whole: each row has a case here, and each public name a row."""

import ast
import operator
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from all_cases import CASES

import minigrad as mg
from minigrad.surface import MODULES, NAMES, ROWS


def marked():
    """The rows that tests say they test. A file that never uses a row's name is lying."""
    found = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        used = {getattr(node, "attr", getattr(node, "id", None)) for node in nodes}
        for node in nodes:
            for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.row":
                    keys = [ast.literal_eval(key) for key in mark.args]
                    names = {key.removeprefix("x.") for key in keys}
                    assert {n for n in names if n.isidentifier()} <= used, path.name
                    found.update(keys)
    return found


def test_every_row_has_a_case(device, record_property):
    by_case, by_test = {case.key for case in CASES}, marked()
    rows = {row.key for row in ROWS}
    assert sorted(rows - by_case - by_test) == []
    assert sorted(by_test - rows) == []
    record_property(
        "figure",
        f"conformance on {device}: {len(rows)} rows of the public API, {len(by_case)} "
        f"of them by {len(CASES)} cases against NumPy, {len(by_test)} by tests of their own",
    )


def test_every_public_name_has_a_row():
    names = {name for name in dir(mg) if not name.startswith("_")}
    modules = {name for name in names if isinstance(getattr(mg, name), ModuleType)}
    assert sorted(names - modules - {"TYPE_CHECKING"}) == sorted(NAMES)
    assert set(MODULES) <= modules
    with pytest.raises(AttributeError, match=r"^module 'minigrad' has no attribute 'nothing'"):
        _ = mg.nothing


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_every_row_is_there(device, row):
    x = mg.tensor([[1.0, 2.0]], device=device, requires_grad=True)
    if "f" in row.kinds:
        assert getattr(mg, row.name) is not None
    if "m" in row.kinds:
        assert callable(getattr(x, row.name))
    if "a" in row.kinds:
        assert getattr(x, row.name, operator) is not operator
    if row.kinds == "o":
        assert callable(getattr(type(x), row.name))


def test_no_row_stands_twice_and_each_is_written_as_it_should():
    assert [key for key, n in Counter(row.key for row in ROWS).items() if n > 1] == []
    for row in ROWS:
        assert set(row.kinds) <= set("fmao") and row.gradient in "d0-", row
        assert (row.kinds == "o") <= bool(row.operator), row
