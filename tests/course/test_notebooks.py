"""Notebooks from text: equal bytes, nothing of the learner's lost, none out of date."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import pytest

from minigrad.course import notebooks
from minigrad.course.catalog import Course
from minigrad.course.notebooks import NotebookError, cut, execute, keep_mine, refresh, stale

CHECKOUT = Path(__file__).resolve().parents[2]
TEXT = """# Twice

A number $x$ and `2 * x`.

```{code-cell} ipython3
%load_ext minigrad.course
from minigrad.small import double, quadruple
```

Now *draw* it.

```{code-cell} ipython3
:tags: [remove-input]

import matplotlib.pyplot as plt
plt.plot([double(x) for x in range(5)])
plt.show()
```

```{code-cell} ipython3
import sys, time
for part in range(3):
    print(part, flush=True); time.sleep(0.01)
print(object(), double.__code__.co_filename)
quadruple(3)
```

```{code-cell} ipython3
print("the same text")
```

```{code-cell} ipython3
print("the same text")
```

+++

A last word.
"""
NAME = "chapters/01_small/01_small.ipynb"
DONE = "solutions/01_small/01_small.ipynb"
MD = "chapters/01_small/01_small.md"
BODIES = (
    ('raise NotImplementedError("exercise 1.1")', "return 2 * x"),
    ('raise NotImplementedError("exercise 1.2")', "return double(double(x))"),
)


@pytest.fixture
def book(make_checkout: Callable[..., Any]) -> Any:
    """The small course with a text for its first chapter, cut."""
    return make_checkout(files={MD: TEXT}, machinery=True)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


class TestCut:
    def test_equal_bytes_from_equal_texts(self, book: Any) -> None:
        made = cut(book.course)
        assert list(made) == [NAME], "the second chapter has no text"
        assert cut(book.course) == made
        text = made[NAME].decode()
        assert text.endswith("}\n") and not text.endswith("\n\n")
        assert jupytext.__version__ not in text and "version" not in text
        # Windows line ends in the text make no difference.
        (book.root / MD).write_bytes(TEXT.replace("\n", "\r\n").encode())
        assert cut(book.course) == made

    def test_ids_come_from_order_and_text(self, book: Any) -> None:
        first = [c["id"] for c in json.loads(cut(book.course)[NAME])["cells"]]
        assert len(set(first)) == len(first) == 8
        assert first[0].startswith("00-") and first[1].startswith("01-")
        assert first[5][3:] == first[6][3:], "two cells with the same text differ in their number"
        book.rewrite(MD, ("A last word.", "The last word."))
        second = [c["id"] for c in json.loads(cut(book.course)[NAME])["cells"]]
        assert second[:-1] == first[:-1] and second[-1] != first[-1]

    def test_cells_are_those_of_the_text(self, book: Any) -> None:
        made = nbformat.reads(cut(book.course)[NAME].decode(), as_version=4)
        nbformat.validate(made)
        kinds = [c.cell_type for c in made.cells]
        assert kinds == ["markdown", "code", "markdown", *["code"] * 4, "markdown"]
        assert made.cells[0].source == "# Twice\n\nA number $x$ and `2 * x`."
        assert made.cells[1].source.startswith("%load_ext minigrad.course\nfrom")
        assert made.cells[3].metadata == {"tags": ["remove-input"]}
        assert all(
            c.outputs == [] and c.execution_count is None for c in made.cells if "outputs" in c
        )
        # And back: the text that jupytext writes from it makes the same notebook.
        (book.root / MD).write_text(jupytext.writes(made, fmt="md:myst"), encoding="utf-8")
        assert cut(book.course)[NAME] == nbformat.writes(made).encode() + b"\n"

    def test_a_text_that_never_loads_the_course(self, book: Any) -> None:
        book.rewrite(MD, ("%load_ext minigrad.course\n", ""))
        with pytest.raises(
            NotebookError, match=f"{MD}: no code cell says %load_ext minigrad.course"
        ):
            cut(book.course)


class TestKeepMine:
    def test_untouched_and_executed_ones_are_not_kept(self, book: Any) -> None:
        path = book.root / NAME
        assert keep_mine(path) is None
        notebook = read(path)
        for cell in notebook.cells:
            cell.id, cell.metadata["trusted"] = f"lab{id(cell)}", True
            if cell.cell_type == "code":
                cell.execution_count = 7
                cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="4\n")]
        notebook.metadata["language_info"] = {"name": "python", "version": "3.11.7"}
        notebook.metadata["widgets"] = {}
        nbformat.write(notebook, path)
        assert keep_mine(path) is None and path.is_file()
        assert keep_mine(path.with_name("absent.ipynb")) is None

    @pytest.mark.parametrize(
        "change", ["edited", "added", "removed", "turned", "foreign", "broken"]
    )
    def test_changed_cells_are_kept_under_a_free_name(self, book: Any, change: str) -> None:
        path = book.root / NAME
        notebook = read(path)
        if change == "edited":
            notebook.cells[-1].source += " Mine."
        elif change == "added":
            notebook.cells.append(nbformat.v4.new_code_cell("double(21)"))
        elif change == "removed":
            del notebook.cells[2]
        elif change == "turned":
            notebook.cells[2].cell_type = "raw"
        elif change == "foreign":
            del notebook.metadata["minigrad"]
        nbformat.write(notebook, path)
        if change == "broken":
            path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")
        data = path.read_bytes()
        for number in ("", ".2", ".3"):
            kept = keep_mine(path)
            assert kept == path.with_name(f"01_small{number}.mine.ipynb") and not path.exists()
            assert kept.read_bytes() == data
            path.write_bytes(data)

    def test_cut_keeps_it_and_says_so(self, book: Any) -> None:
        notebook = read(book.root / NAME)
        notebook.cells[-1].source += " Mine."
        nbformat.write(notebook, book.root / NAME)
        lines = book.cut().lines
        assert any("01_small.mine.ipynb" in line for line in lines), lines
        assert (book.root / NAME).read_bytes() == cut(book.course)[NAME]
        assert "Mine." in book.read("chapters/01_small/01_small.mine.ipynb")


def test_executed_with_the_reference_only_when_something_changed(
    book: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")  # pictures go into the notebook all the same
    assert stale(book.course) == [f"{DONE} is missing; make it with: make notebooks"]
    report = refresh(book.course)
    assert len(report) == 1 and report[0].startswith(f"{DONE}: executed, ")
    assert stale(book.course) == [] and refresh(book.course) == []
    first = (book.root / DONE).read_bytes()
    (book.root / DONE).unlink()
    refresh(book.course)
    assert (book.root / DONE).read_bytes() == first, "run again, the same bytes"

    text = first.decode()
    assert str(book.root) not in text and "0x..." in text and '"version"' not in text
    inputs = read(book.root / DONE).metadata["minigrad"]["inputs"]
    assert list(inputs) == ["minigrad/course/style.py", "minigrad/small.py"]
    cells = read(book.root / DONE).cells
    assert [c.execution_count for c in cells if c.cell_type == "code"] == [1, 2, 3, 4, 5]
    assert cells[1].outputs[0].text == "chapter 1, build/trees/reference: the reference\n"
    picture = base64.b64decode(cells[3].outputs[0].data["image/png"])
    assert picture.startswith(b"\x89PNG")
    assert [o.output_type for o in cells[4].outputs] == ["stream", "execute_result"]
    assert " build/trees/reference/minigrad/small.py\n" in cells[4].outputs[0].text
    assert cells[4].outputs[1].data["text/plain"] == "12"
    assert keep_mine(book.root / DONE) is None

    older = f"{DONE} is older than {{}}; make it with: make notebooks"
    for name, pair in (
        ("minigrad/small.py", ("2 * x", "x + x")),
        ("minigrad/course/style.py", ("10.5", "10.6")),
        (MD, ("A last word.", "The last word.")),
    ):
        before = book.read(name)
        book.rewrite(name, pair)
        assert stale(book.course) == [older.format(name)]
        (book.root / name).write_text(before, encoding="utf-8")
    book.rewrite("minigrad/large.py", ("* 3", "* 4"))
    assert stale(book.course) == [], "no cell uses it"
    book.rewrite(DONE, ("quadruple(3)", "quadruple(4)"))
    assert stale(book.course) == [older.format(MD)], "edited by hand"


def test_size_is_limited(book: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    refresh(book.course)
    before = (book.root / DONE).read_bytes()
    monkeypatch.setattr(notebooks, "LIMIT", 5000)
    size = len(before) / 1000
    assert stale(book.course) == [f"{DONE} has {size:.0f} KB; at most 5 are allowed"]
    with pytest.raises(NotebookError, match=f"{DONE} would have {size:.0f} KB; at most 5"):
        refresh(book.course)
    assert (book.root / DONE).read_bytes() == before


def test_a_cell_that_fails_with_the_reference(book: Any) -> None:
    book.rewrite(MD, ("quadruple(3)", "quadruple(3) / 0"))
    with pytest.raises(NotebookError) as caught:
        refresh(book.course)
    assert str(caught.value).startswith(f"{MD}: ")
    assert "ZeroDivisionError: division by zero" in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert not (book.root / DONE).exists()


def test_untouched_it_ends_in_a_sentence_and_solved_it_runs(book: Any) -> None:
    chapter = book.course.chapter(1)
    with pytest.raises(NotebookError) as caught:
        execute(book.course, chapter, "mine")
    assert str(caught.value) == (
        f"{MD}: exercise 1.1 is still open (chapters/01_small/small.py:7). "
        "A first hint: minigrad hint 1.1"
    )
    book.rewrite("chapters/01_small/small.py", *BODIES)
    done = execute(book.course, chapter, "mine")
    assert done.cells[1].outputs[0].text == (
        "chapter 1, build/trees/nb-01: yours 1.1, 1.2; the reference elsewhere\n"
    )
    assert done.cells[4].outputs[-1].data["text/plain"] == "12"


@pytest.mark.slow
def test_the_courses_own_notebooks_run_with_the_reference() -> None:
    """What is committed shows a run of today's text and sources; what is older runs now."""
    course = Course(CHECKOUT)
    assert [c.name for c in course.chapters if notebooks.text_path(course, c).is_file()]
    for chapter in course.chapters:
        run = notebooks._read(course.root / notebooks.executed_path(chapter))
        made = execute(course, chapter) if run is None or notebooks._stale(course, chapter) else run
        outputs = [o for c in made.cells for o in c.get("outputs", ())]
        assert not [o for o in outputs if o["output_type"] == "error"], chapter.name
        assert [o for o in outputs if "image/png" in o.get("data", {})], chapter.name
        assert len(notebooks._bytes(made)) <= notebooks.LIMIT
