"""docs/api.md: the table of minigrad/surface.py, each name with its signature and the first
paragraph of its docstring.

Everything is read from the sources' text, nothing is imported, so that the page is a function of
the checkout it is made for.
"""

import ast
import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from minigrad.course.catalog import CatalogError

if TYPE_CHECKING:
    from minigrad.surface import Row

TABLE, PATH = "minigrad/surface.py", "docs/api.md"
API, ENGINE = "minigrad.api", "minigrad.reference.engine"
TENSOR = ("minigrad.reference.tensor", "Tensor")
GRADIENT = {"d": "yes", "0": "0", "-": ""}
OPENING = """# The public API

Made by `make cut` from the table in `minigrad/surface.py` and the docstrings; do not edit. Every
line is tried on every device by `tests/conformance`.

A call without a dot is a function of `minigrad`: `sum(x)` stands for `minigrad.sum(x)`. `x` and `y`
are tensors. "Also" says what does the same; a gradient of 0 is 0 everywhere.
"""

Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Found:
    """What a name stands for: the module that says so, its definition, if it has one, and its
    docstring.
    """

    module: str
    definition: Definition | None
    docstring: str


@dataclass
class Sources:
    """Python modules as text, {path: text}, and what their names stand for."""

    texts: dict[str, str]
    trees: dict[str, ast.Module] = field(default_factory=dict)

    def tree(self, module: str) -> ast.Module:
        if module not in self.trees:
            text = self.texts.get(f"{module.replace('.', '/')}.py", "")
            self.trees[module] = ast.parse(text)
        return self.trees[module]

    def find(self, module: str, name: str) -> Found | None:
        """What a module's name stands for, wherever it was imported from."""
        for node in self.tree(module).body:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if name == (alias.asname or alias.name):
                        return self.find(str(node.module), alias.name)
        return among(self.tree(module).body, name, module)

    def member(self, name: str, module: str, owner: str) -> Found | None:
        """What a method or attribute of a class stands for, or of those it is made from; a mere
        attribute has its line in the docstring of the class.
        """
        found = self.find(module, owner)
        if found is None or not isinstance(found.definition, ast.ClassDef):
            return None
        method = among(found.definition.body, name, found.module)
        if method is not None:
            return method
        listed = re.search(rf"^{name} {{2,}}(.+)$", found.docstring, re.MULTILINE)
        if listed is not None:
            return Found(found.module, None, listed[1].capitalize())
        bases = (self.member(name, found.module, ast.unparse(b)) for b in found.definition.bases)
        return next(filter(None, bases), None)


def among(body: list[ast.stmt], name: str, module: str) -> Found | None:
    """A name that is defined, or given a value with a string behind it, in these statements."""
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, Definition) and node.name == name:
            return Found(module, node, ast.get_docstring(node) or "")
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            text = after.value if isinstance(after, ast.Expr) else None
            said = text.value if isinstance(text, ast.Constant) else ""
            return Found(module, None, str(said))
    return None


def made(texts: dict[str, str]) -> str | None:
    """The page of a course with these sources; None without a table.

    Raises CatalogError for a name of the table that the sources lack.
    """
    if TABLE not in texts:
        return None
    sources = Sources(texts)
    parts = [OPENING]
    for group, rows in groupby(table(sources), key=lambda row: row.group):
        lines = [line(row, sources) for row in rows]
        head = "| call | also | gradient | what it is |\n|---|---|---|---|\n"
        parts.append(f"## {group}\n\n{head}" + "".join(lines))
    return "\n".join(parts)


def table(sources: Sources) -> "tuple[Row, ...]":
    """The rows of the sources' own table, not of the minigrad that is running."""
    from minigrad.surface import parsed  # not every course has a table

    for node in sources.tree("minigrad.surface").body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TABLE":
            return parsed(ast.literal_eval(node.value))
    raise CatalogError(f"{TABLE}: there is no TABLE in it")


def line(row: "Row", sources: Sources) -> str:
    """A row of the page."""
    function = "f" in row.kinds
    found = sources.find(API, row.name) if function else sources.member(row.name, *TENSOR)
    if found is None:
        raise CatalogError(f"{TABLE}: {row.key} is not in the sources")
    also = [f"x.{row.name}()"] if function and "m" in row.kinds else []
    also += [row.operator] if row.operator and row.kinds != "o" else []
    cells = (
        code(call(row, found)),
        ", ".join(map(code, also)),
        GRADIENT[row.gradient],
        prose(found.docstring or op_docstring(row, sources)),
    )
    return f"| {' | '.join(cells)} |\n"


def op_docstring(row: "Row", sources: Sources) -> str:
    """What the op says that a function or method hands over to."""
    op = sources.find(ENGINE, row.name.removeprefix("__").removesuffix("__"))
    return op.docstring if op is not None else ""


def call(row: "Row", found: Found) -> str:
    """How a row is written: softmax(x, axis=-1), x.item(), x.shape, x[index]."""
    node = found.definition
    if row.kinds in ("a", "o") or not isinstance(node, ast.FunctionDef):
        return row.key
    return f"{row.key}({signature(node.args, skip=0 if 'f' in row.kinds else 1)})"


def signature(args: ast.arguments, skip: int) -> str:
    """Arguments as they are written, without their types, and without the first ones."""
    for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if a is not None:
            a.annotation = None
    args.args = args.args[skip:]
    return ast.unparse(args)


def code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def prose(docstring: str) -> str:
    """The first paragraph on one line; what Markdown would take for its own is escaped."""
    flat = " ".join(docstring.split("\n\n")[0].split())
    parts = flat.split("`")
    for k in range(0, len(parts), 2):
        for mark in "\\*_<":
            parts[k] = parts[k].replace(mark, f"\\{mark}")
    return "`".join(parts).replace("|", "\\|")
