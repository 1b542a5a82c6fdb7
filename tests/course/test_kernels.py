"""The kernel table: keys, owners side by side, and errors that list what there is."""

import pytest

from minigrad import kernels
from minigrad.kernels import KernelMissing, Key, lookup, register, table

FILE = """
from minigrad.kernels import register

@register("course-double", backend="numpy", step=1)
def double(x):
    return x + x
"""


@pytest.fixture(autouse=True)
def own_table(monkeypatch):
    for name in ("_table", "_places", "_newest"):
        monkeypatch.setattr(table, name, {})


def enter(name, result, **place):
    def function():
        return result

    function.__qualname__ = f"made for {result}"
    return register(name, **place)(function)


def test_the_highest_step_is_found_unless_one_is_named():
    enter("add", "plain", backend="cpp", step=1)
    enter("add", "blocked", backend="cpp", step=3)
    enter("add", "reference", backend="numpy")
    assert lookup("add", backend="cpp")() == "blocked"
    assert lookup("add", backend="cpp", step=1)() == "plain"
    assert lookup("add", backend="numpy")() == "reference"
    assert kernels.entries("add") == [
        Key("add", "cpp", 1, "ref"),
        Key("add", "cpp", 3, "ref"),
        Key("add", "numpy", 0, "ref"),
    ]


def test_a_later_entry_is_found_although_an_earlier_one_was_asked_for():
    enter("add", "plain", backend="cpp", step=1)
    assert lookup("add", backend="cpp")() == "plain"
    enter("add", "blocked", backend="cpp", step=3)
    assert lookup("add", backend="cpp")() == "blocked"


def test_nothing_falls_back():
    enter("add", "reference", backend="numpy")
    with pytest.raises(KernelMissing, match=r"add \(cpp, any step, ref\); there is: add \(numpy"):
        lookup("add", backend="cpp")
    with pytest.raises(KernelMissing, match="step 2"):
        lookup("add", backend="numpy", step=2)
    with pytest.raises(KernelMissing, match="mine"):
        lookup("add", backend="numpy", owner="mine")
    with pytest.raises(KernelMissing, match="no kernel of that name"):
        lookup("subtract", backend="numpy")


def test_two_references_under_one_key_are_an_error():
    enter("add", "one", backend="numpy")
    with pytest.raises(ValueError, match=r"add \(numpy, step 0, ref\) is entered twice"):
        enter("add", "two", backend="numpy")


def test_a_learners_file_stands_beside_ours(tmp_path):
    enter("course-double", "ours", backend="numpy", step=1)
    path = tmp_path / "double.py"
    path.write_text(FILE)
    kernels.load(path)
    assert lookup("course-double", backend="numpy", owner="mine")(21) == 42
    assert lookup("course-double", backend="numpy")() == "ours"


def test_loading_again_replaces_what_the_file_had(tmp_path):
    path = tmp_path / "double.py"
    path.write_text(FILE)
    kernels.load(path)
    path.write_text(FILE.replace("step=1", "step=2"))
    kernels.load(path)
    assert kernels.entries() == [Key("course-double", "numpy", 2, "mine")]


def test_an_error_in_the_file_leaves_the_owner_as_it_was(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("raise RuntimeError('planted')")
    with pytest.raises(RuntimeError, match="planted"):
        kernels.load(path)
    enter("add", "ours", backend="numpy")
    assert kernels.entries() == [Key("add", "numpy", 0, "ref")]


def test_an_unknown_owner_is_named(tmp_path):
    with pytest.raises(ValueError, match="one of ref, mine, not to 'yours'"):
        kernels.load(tmp_path / "any.py", owner="yours")
