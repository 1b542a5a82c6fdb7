"""Notebooks, made from the text of a chapter: without outputs for the learner, executed with the
reference for the reader.

Equal inputs give equal bytes: cell ids come from order and text, and no version, time, address or
path of this machine is kept.
"""

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from traitlets import default

from minigrad.course import files
from minigrad.course.catalog import Chapter, Course

MARK = "minigrad"  # our key in a notebook's metadata
LIMIT = 300_000  # bytes of an executed notebook
SECONDS = 300  # for one cell
LOADS = "%load_ext minigrad.course"
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
ASK = "from minigrad.course.extension import used; print(used())"


class ThisPython(AsyncKernelManager):
    """A kernel of the Python that runs this, whatever kernels the user has installed."""

    @default("kernel_spec_manager")
    def _none_of_the_users(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])


class NotebookError(ValueError):
    """A text of which no notebook can be made, or whose notebook fails; the message says where."""


def cut(course: Course) -> dict[str, bytes]:
    """{path: bytes} of the notebook of each chapter that has a text, without outputs."""
    return {
        learners_path(chapter): _bytes(make(course, chapter))
        for chapter in course.chapters
        if text_path(course, chapter).is_file()
    }


def text_path(course: Course, chapter: Chapter) -> Path:
    return course.root / "chapters" / chapter.name / f"{chapter.name}.md"


def learners_path(chapter: Chapter) -> str:
    return f"chapters/{chapter.name}/{chapter.name}.ipynb"


def executed_path(chapter: Chapter) -> str:
    return f"solutions/{chapter.name}/{chapter.name}.ipynb"


def make(course: Course, chapter: Chapter) -> NotebookNode:
    """The notebook of a chapter's text, without outputs."""
    path = text_path(course, chapter)
    name = path.relative_to(course.root).as_posix()
    text = path.read_text(encoding="utf-8")
    # Given here, the format needs no header in the text, which GitHub would show as a table.
    read = jupytext.reads(text, fmt="md:myst")
    cells = []
    for number, cell in enumerate(read.cells):
        key = hashlib.sha256(f"{cell.cell_type}\0{cell.source}".encode()).hexdigest()[:8]
        cells.append(_cell(cell.cell_type, f"{number:02d}-{key}", cell.source))
        if cell.metadata.get("tags"):
            cells[-1].metadata["tags"] = cell.metadata["tags"]
    if not any(c.cell_type == "code" and LOADS in c.source for c in cells):
        raise NotebookError(
            f"{name}: no code cell says {LOADS}, so its notebook runs nobody's code"
        )
    mark = {"cells": cells_digest(cells)}
    metadata = {**METADATA, MARK: mark}
    return _node({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _cell(kind: str, name: str, source: str) -> NotebookNode:
    more: dict[str, Any] = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return _node({"cell_type": kind, "id": name, "source": source, "metadata": {}, **more})


def _node(parts: dict[str, Any]) -> NotebookNode:
    made: NotebookNode = nbformat.from_dict(parts)  # type: ignore[no-untyped-call]
    return made


def cells_digest(cells: list[NotebookNode]) -> str:
    """A hash of what was written into the cells; JupyterLab may change ids and metadata at will."""
    digest = hashlib.sha256()
    for cell in cells:
        digest.update(f"{cell.cell_type}\0{cell.source}\0".encode())
    return digest.hexdigest()[:20]


def _bytes(notebook: NotebookNode) -> bytes:
    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook, version=4)  # type: ignore[no-untyped-call]
    return (text.rstrip("\n") + "\n").encode()


def _read(path: Path) -> NotebookNode | None:
    try:
        text = path.read_text(encoding="utf-8")
        found: NotebookNode = nbformat.reads(text, as_version=4)  # type: ignore[no-untyped-call]
        return found
    except (nbformat.reader.NotJSONError, UnicodeDecodeError, AttributeError):
        return None


def changed_by_learner(path: Path) -> bool:
    """Whether the input cells of a notebook are others than those it was made with."""
    notebook = _read(path)
    if notebook is None:
        return True
    made_with = notebook.metadata.get(MARK, {}).get("cells")
    return bool(made_with != cells_digest(notebook.cells))


def keep_mine(path: Path) -> Path | None:
    """Move a notebook whose input cells the learner changed out of the way, as NN_name.mine.ipynb.

    Returns where it went; None if there is nothing to keep. Outputs alone can be made again.
    """
    if not path.is_file() or not changed_by_learner(path):
        return None
    names = [f"{path.stem}.mine.ipynb"] + [f"{path.stem}.{n}.mine.ipynb" for n in range(2, 1000)]
    kept = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    path.rename(kept)
    return kept


def execute(course: Course, chapter: Chapter, impl: str = "reference") -> NotebookNode:
    """The notebook of a chapter, run from its top in a fresh kernel of this Python.

    impl: "reference", or "mine" for the learner's files. Raises NotebookError at the first cell
    that fails, with what the reader would see there.
    """
    notebook = make(course, chapter)
    notebook.cells.append(_cell("code", "used", ASK))
    client = NotebookClient(
        notebook,
        kernel_manager_class=ThisPython,
        timeout=SECONDS,
        record_timing=False,
        extra_arguments=["--Application.log_level=40"],  # a warning about TCP helps nobody here
        resources={"metadata": {"path": str(text_path(course, chapter).parent)}},
    )
    with tempfile.TemporaryDirectory() as settings:
        try:
            client.execute(env=_environment(course, impl, settings))
        except CellExecutionError as error:
            name = text_path(course, chapter).relative_to(course.root)
            raise NotebookError(f"{name}: {_plain(_shown(notebook) or str(error))}") from error
    used = json.loads(notebook.cells.pop().outputs[0].text)
    notebook.metadata[MARK]["inputs"] = {name: _digest(course.root / name) for name in used}
    # The kernel added what it knows of itself, versions too.
    notebook.metadata["language_info"] = METADATA["language_info"]
    notebook.metadata["kernelspec"] = METADATA["kernelspec"]
    _settle(notebook, course.root)
    return notebook


def _environment(course: Course, impl: str, settings: str) -> dict[str, str]:
    path = os.pathsep.join([str(course.root), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path, "IPYTHONDIR": settings}
    environment["MINIGRAD_NOTEBOOK"] = impl
    # Pictures go into the notebook, whatever runs us.
    for name in ("MPLBACKEND", "JPY_SESSION_NAME"):
        environment.pop(name, None)
    return environment


def _shown(notebook: NotebookNode) -> str:
    """The error that ended the run, as the notebook shows it."""
    errors = [o for c in notebook.cells for o in c.get("outputs", ()) if o.output_type == "error"]
    return "\n".join(errors[-1].traceback) if errors else ""


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _settle(notebook: NotebookNode, root: Path) -> None:
    """Take out what differs from run to run or from machine to machine."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        outputs: list[NotebookNode] = []
        for output in cell.get("outputs", ()):
            for key in ("text", "evalue"):
                if key in output:
                    output[key] = _same_everywhere(output[key], root)
            if "traceback" in output:
                output.traceback = [_same_everywhere(line, root) for line in output.traceback]
            for kind, data in output.get("data", {}).items():
                if kind.startswith("text/"):
                    output.data[kind] = _same_everywhere(data, root)
            last = outputs[-1] if outputs else None
            # The kernel sends what a cell prints in pieces, cut by the clock.
            if last and output.get("name") and last.get("name") == output.get("name"):
                last.text += output.text
            else:
                outputs.append(output)
        if cell.cell_type == "code":
            cell.outputs = outputs


def _same_everywhere(text: str, root: Path) -> str:
    home = str(Path.home())
    for place in (str(root), str(root).replace(home, "~", 1)):
        text = text.replace(place + os.sep, "")
    return re.sub(r"\b0x[0-9a-f]{8,16}\b", "0x...", text)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:20] if path.is_file() else "missing"


def stale(course: Course) -> list[str]:
    """A sentence for each executed notebook that does not belong to what the sources say now."""
    found = (_stale(course, c) for c in course.chapters if text_path(course, c).is_file())
    return [sentence for sentence in found if sentence]


def _stale(course: Course, chapter: Chapter) -> str | None:
    name = executed_path(chapter)
    path = course.root / name
    again = "make it with: make notebooks"
    if not path.is_file():
        return f"{name} is missing; {again}"
    notebook = _read(path)
    mark = notebook.metadata.get(MARK, {}) if notebook else {}
    wanted = cells_digest(make(course, chapter).cells)
    if notebook is None or mark.get("cells") != wanted or cells_digest(notebook.cells) != wanted:
        return (
            f"{name} is older than {text_path(course, chapter).relative_to(course.root)}; {again}"
        )
    for source, digest in mark.get("inputs", {}).items():
        if _digest(course.root / source) != digest:
            return f"{name} is older than {source}; {again}"
    if path.stat().st_size > LIMIT:
        return (
            f"{name} has {path.stat().st_size / 1000:.0f} KB; at most {LIMIT // 1000} are allowed"
        )
    return None


def refresh(course: Course) -> list[str]:
    """Write the notebooks of chapters/, execute those of solutions/ that are stale.

    Returns a sentence for each file written or kept. A NotebookError leaves the old file in place.
    """
    report: list[str] = []
    for name, data in cut(course).items():
        path = course.root / name
        if path.is_file() and path.read_bytes() == data:
            continue
        kept = keep_mine(path)
        if kept:
            report.append(f"{name}: your version is kept as {kept.name}")
        files.replace(path, data)
        report.append(f"{name}: written")
    for chapter in course.chapters:
        if not text_path(course, chapter).is_file() or not _stale(course, chapter):
            continue
        data = _bytes(execute(course, chapter))
        name = executed_path(chapter)
        if len(data) > LIMIT:
            raise NotebookError(
                f"{name} would have {len(data) / 1000:.0f} KB; at most {LIMIT // 1000} are "
                "allowed. Draw fewer or simpler pictures."
            )
        files.replace(course.root / name, data)
        report.append(f"{name}: executed, {len(data) / 1000:.0f} KB")
    return report
