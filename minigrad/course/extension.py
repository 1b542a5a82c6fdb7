"""What `%load_ext minigrad.course` does: this notebook's chapter is the learner's, all others ours.

Before each cell the learner's files are looked at; what changed is taken into the running modules
(reload.py), and a file that cannot be used stops the cell with a sentence: old code never runs in
silence.
"""

import ast
import importlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from IPython.core.error import InputRejected

from minigrad.course import compiling, launch, reload, style, trees
from minigrad.course.catalog import Chapter, Course, find_root
from minigrad.course.compiling import Kernels
from minigrad.course.expect import open_exercise
from minigrad.course.workspace import LearnerFile, Workspace

if TYPE_CHECKING:
    from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

NAME = "minigrad.course"
# Set to "reference" by `make notebooks`: every chapter is ours.
SETTING = "MINIGRAD_NOTEBOOK"


class Stopped(InputRejected):
    """A cell that must not run; the message says why, and no traceback is shown."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@dataclass
class Notebook:
    """The notebook of one chapter in one kernel."""

    shell: "InteractiveShell"
    course: Course
    chapter: Chapter
    reference: bool
    workspace: Workspace = field(init=False)
    tree: Path | None = None
    files: dict[str, LearnerFile] = field(default_factory=dict)
    # Held by the finder too: a module that is imported later must find the text of that moment.
    texts: dict[str, str] = field(default_factory=dict)
    problem: str | None = None
    machinery: set[str] = field(default_factory=set)
    kernels: Kernels = field(init=False)

    def __post_init__(self) -> None:
        self.workspace = Workspace(self.course)
        self.kernels = Kernels(self.course)

    def start(self) -> None:
        """Enter the tree, or bring it up to date, and say which it is and whose exercises run."""
        self.refresh()
        self.check()
        print(self.headline())

    def headline(self) -> str:
        assert self.tree is not None
        place = f"chapter {self.chapter.number}, {self.workspace.shown(self.tree)}"
        if self.reference:
            return f"{place}: the reference"
        still_open = [e.id for e in self.chapter.exercises if self.workspace.is_open(e)]
        mine = [e.id for e in self.chapter.exercises if e.id not in still_open]
        parts = [f"yours {', '.join(mine)}"] if mine else []
        parts += [f"open {', '.join(still_open)}"] if still_open else []
        return f"{place}: {'; '.join([*parts, 'the reference elsewhere'])}"

    def before_cell(self, info: "ExecutionInfo") -> None:
        # Let %load_ext run again, as rerunning the first cell does, instead of being refused.
        if self.shell.extension_manager is not None:
            self.shell.extension_manager.loaded.discard(NAME)
        self.refresh()

    def check(self) -> None:
        """Raises Stopped if the learner's files cannot be used."""
        if self.problem:
            raise Stopped(self.problem)

    def refresh(self) -> None:
        """Bring tree and modules to what the learner's files say now."""
        if self.reference:
            if self.tree is None:
                self._enter(trees.reference(self.course).path)
                sources = compiling.sources(self.chapter.exercises)
                self._compile({name: self.course.sources[name] for name in sources})
            return
        self.workspace.refresh()
        files = {target: self.workspace.file(target) for target in self.chapter.files}
        self.problem = next((f.problem for f in files.values() if f.problem), None)
        if self.problem:
            return
        if self.tree is None:
            self.files = files
            self.texts.update({module: text for module, text, _ in self._modules(files)})
            self._enter(self._splice())
        elif self._changed(files):
            self._reload(files)
        if self.problem is None:
            self._compile(self._native(files))

    def _changed(self, files: dict[str, LearnerFile]) -> bool:
        # Both: a reload that failed has left some modules new and all of self.files as it was.
        return any(file.text != self.files[target].text for target, file in files.items()) or any(
            text != self.texts[module] for module, text, _ in self._modules(files)
        )

    def _splice(self) -> Path:
        name = f"nb-{self.chapter.number:02d}"
        return trees.learners(self.workspace, [self.chapter], name).path

    def _enter(self, tree: Path) -> None:
        named = {module: str(file.path) for module, _, file in self._modules(self.files)}
        launch.enter(tree, self.texts, named)
        self.tree = tree
        self.machinery = {n for n in sys.modules if n.startswith(NAME)} - {style.__name__}

    def _modules(self, files: dict[str, LearnerFile]) -> Iterator[tuple[str, str, LearnerFile]]:
        """(module, text, file) for the files that are Python."""
        for target, file in files.items():
            source = Path(self.chapter.files[target])
            if source.suffix == ".py" and file.text is not None:
                yield ".".join(source.with_suffix("").parts), file.text, file

    def _native(self, files: dict[str, LearnerFile]) -> dict[str, str]:
        """{source: text} of the files that are compiled."""
        pairs = [(self.chapter.files[target], file.text) for target, file in files.items()]
        return {s: text for s, text in pairs if text is not None and compiling.is_native(s)}

    def _compile(self, texts: dict[str, str]) -> None:
        assert self.tree is not None
        self.problem = self.kernels.refresh(self.tree, texts)

    def _reload(self, files: dict[str, LearnerFile]) -> None:
        self._splice()
        self._compile(self._native(files))
        if self.problem:
            return
        spaces = [self.shell.user_ns]
        spaces += [vars(m) for n, m in list(sys.modules.items()) if n.startswith("minigrad.")]
        left_behind: list[str] = []
        for name, text, file in self._modules(files):
            module = sys.modules.get(name)
            if module is not None and text != self.texts[name]:
                old = self.texts[name]
                try:
                    left_behind += reload.take(module, old, text, str(file.path), spaces)
                except Exception as error:  # noqa: BLE001  a learner's file may raise anything
                    self.problem = self._raised(error, file)
                    return
            self.texts[name] = text
        print(self._news(self.files, files))
        for each in left_behind:
            print(f"objects of {each} made before keep the old code: run the notebook from its top")
        self.files = files

    def _raised(self, error: Exception, file: LearnerFile) -> str:
        place, frame = self.workspace.shown(file.path), error.__traceback__
        line: int | None = None
        while frame is not None:
            if frame.tb_frame.f_code.co_filename == str(file.path):
                line = frame.tb_lineno
            frame = frame.tb_next
        where = place if line is None else f"{place}:{line}"
        return f"{where}: {type(error).__name__} while it was read again: {error}"

    def _news(self, before: dict[str, LearnerFile], after: dict[str, LearnerFile]) -> str:
        changed: list[str] = []
        for target, file in after.items():
            old = before[target]
            ids = [i for i, body in file.bodies.items() if old.bodies.get(i) != body]
            if old.text != file.text:
                changed += ids or [self.workspace.shown(file.path)]
        exercises = self.course.exercises
        opened = [c for c in changed if c in exercises and self.workspace.is_open(exercises[c])]
        running = [c for c in changed if c not in opened]
        parts = [f"now running your {', '.join(running)}"] if running else []
        parts += [f"open again: {', '.join(opened)}"] if opened else []
        return "; ".join(parts)

    def show_error(
        self,
        shell: "InteractiveShell",
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType,
        tb_offset: int | None = None,
    ) -> None:
        """Show an error that ended a cell: an open exercise as a sentence, others as ever."""
        name = open_exercise(error)
        if name in self.course.exercises:
            place, line = self.workspace.location(self.course.exercises[name])
            sentence = f"exercise {name} is still open ({place}:{line}). "
            sentence += f"A first hint: minigrad hint {name}"
            error._render_traceback_ = lambda: [sentence]  # type: ignore[attr-defined]
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)


class Gate(ast.NodeTransformer):
    """Stands where IPython lets syntax trees be changed, the one place that can refuse a cell."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook

    def visit(self, node: ast.AST) -> ast.AST:
        self.notebook.check()
        return node


_notebooks: dict[int, Notebook] = {}


def load(shell: "InteractiveShell") -> None:
    """Make the notebook that runs in `shell` one of its chapter; again: say where it stands."""
    notebook = _notebooks.get(id(shell))
    if notebook is None:
        root, name, reference = _place(shell)
        if Path(__file__).resolve().parents[2] != root:
            _hand_over(root, shell)
            return
        course = Course(root)
        notebook = _notebooks[id(shell)] = Notebook(
            shell, course, course.chapter(int(name[:2])), reference
        )
        shell.events.register("pre_run_cell", notebook.before_cell)
        shell.ast_transformers.append(Gate(notebook))
        shell.set_custom_exc((NotImplementedError,), notebook.show_error)  # type: ignore[no-untyped-call]
        _pictures(shell)
    notebook.start()


def _place(shell: "InteractiveShell") -> tuple[Path, str, bool]:
    """The checkout and the chapter of the notebook, and whether it is to run the reference."""
    # The working directory is the notebook's folder, unless an editor or a cell changed it.
    names = (os.environ.get("JPY_SESSION_NAME"), shell.user_ns.get("__vsc_ipynb_file__"))
    folders = [Path.cwd(), *(Path(name).parent for name in names if name)]
    for folder in (f.resolve() for f in folders):
        root = find_root(folder)
        parts = folder.relative_to(root).parts if root else ()
        if root and len(parts) > 1 and parts[0] in ("chapters", "solutions"):
            ours = parts[0] == "solutions" or os.environ.get(SETTING) == "reference"
            if (root / "chapters" / parts[1] / "chapter.toml").is_file():
                return root, parts[1], ours
    root = find_root(Path.cwd())
    places = sorted(p.parent.name for p in root.glob("chapters/*/chapter.toml")) if root else []
    to_do = f"%cd {root}/chapters/{places[0]}" if places else "%cd CHECKOUT/chapters/01_scalar"
    raise Stopped(
        f"{Path.cwd()} is not the folder of a chapter, so it is not clear whose code to run. "
        f"Open a chapter's notebook (make lab), or run {to_do} before %load_ext {NAME}"
    )


def _hand_over(root: Path, shell: "InteractiveShell") -> None:
    """Another checkout than the one this Python has installed: its own machinery takes over."""
    for name in [n for n in sys.modules if n == "minigrad" or n.startswith("minigrad.")]:
        del sys.modules[name]
    launch.enter(root)
    importlib.import_module(f"{NAME}.extension").load(shell)


def _pictures(shell: "InteractiveShell") -> None:
    from matplotlib_inline.config import InlineBackend

    style.use()
    backend = InlineBackend.instance(parent=shell)
    options: dict[str, Any] = {**backend.print_figure_kwargs, "metadata": style.METADATA}
    backend.print_figure_kwargs = options


def used() -> str:
    """The modules this notebook has used, those that every notebook uses left out, as a JSON list
    of paths from the checkout: what its outputs depend on.
    """
    found: set[str] = set()
    for notebook in _notebooks.values():
        found.update(notebook.kernels.sources)
        for name, module in list(sys.modules.items()):
            file: Any = getattr(module, "__file__", None)
            ours = name.startswith("minigrad.") and name not in notebook.machinery
            if ours and file and file.endswith(".py"):
                path = Path(file)
                base = notebook.tree if notebook.tree and path.is_relative_to(notebook.tree) else ""
                found.add(path.relative_to(base or notebook.course.root).as_posix())
    return json.dumps(sorted(found))
