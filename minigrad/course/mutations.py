"""Mutants of a body: each with one node a little off, and a name that lasts.

Pure text in, pure text out; running them is mutants.py's, what may be off is faults.py's.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from minigrad.course.faults import expressions, statements

SHOWN = 76  # of a node in a description

KEPT = (ast.Pass, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
UNSEEN = {"annotation", "returns", "type_comment", "ctx"}  # nothing of these runs


@dataclass(frozen=True)
class Mutant:
    """One changed body. `description` names it for good: line in the body, before, after."""

    description: str
    body: str


def mutants(body: str) -> list[Mutant]:
    """Every mutant of a body (at indentation zero), in the body's order, no text twice.

    Raises SyntaxError if the body is not a run of whole statements.
    """
    tree = ast.parse(body)
    found: dict[str, str] = {ast.unparse(tree): ""}
    for line, before, after in _changes(tree):
        found.setdefault(ast.unparse(tree), f"line {line}: {before} -> {after}")
    return _named([(description, text) for text, description in found.items()][1:])


def distinct(original: str, changed: list[Mutant]) -> list[Mutant]:
    """Without those that Python compiles to the same as the original or as an earlier one."""
    seen = {signature(ast.unparse(ast.parse(original)))}
    kept = []
    for mutant in changed:
        compiled = signature(mutant.body)
        if compiled is not None and compiled not in seen:
            seen.add(compiled)
            kept.append(mutant)
    return kept


def signature(body: str) -> tuple[Any, ...] | None:
    """What a body compiles to, line numbers aside; None if it cannot stand in a function."""
    lines = "".join(f"  {line}\n" for line in body.split("\n"))
    try:
        # Two functions deep, so that a `nonlocal` of the body has nothing to complain about.
        code = compile(f"def region():\n{lines}", "<mutant>", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return _signature(code)


def _signature(code: CodeType) -> tuple[Any, ...]:
    constants = tuple(
        _signature(c) if isinstance(c, CodeType) else (type(c).__name__, repr(c))
        for c in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars)
    return (code.co_code, constants, *names, code.co_exceptiontable)


def _named(found: list[tuple[str, str]]) -> list[Mutant]:
    """A description that comes again on its line is counted, so that each names one mutant."""
    counts: dict[str, int] = {}
    named = []
    for description, text in found:
        counts[description] = count = counts.get(description, 0) + 1
        named.append(Mutant(description + (f" ({count})" if count > 1 else ""), text))
    return named


Change = tuple[int, str, str]


def _changes(node: ast.AST) -> Iterator[Change]:
    """Each change in turn, in place: at every yield the tree is changed, afterwards it is as it
    was.
    """
    for name, value in ast.iter_fields(node):
        if name in UNSEEN:
            continue
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield from _statements(value)
        slots = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in slots:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            if isinstance(child, ast.expr):
                for new in expressions(child, node, name):
                    _put(node, name, index, new)
                    yield _differ(child.lineno, child, new)
                    _put(node, name, index, child)
            if not (isinstance(child, ast.Raise) or _is_docstring(child)):
                yield from _changes(child)


def _put(node: ast.AST, name: str, index: int | None, value: ast.AST) -> None:
    if index is None:
        setattr(node, name, value)
    else:
        getattr(node, name)[index] = value


def _differ(line: int, old: ast.AST, new: ast.AST) -> Change:
    """The first line in which two nodes differ; of a long line, the part around the change."""
    before, after = ast.unparse(old).split("\n"), ast.unparse(new).split("\n")
    number = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    one, other = before[number].strip(), after[number].strip()
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    return line, _part(one, same), _part(other, same)


def _part(text: str, change: int = 0) -> str:
    start = max(0, change - SHOWN // 3) if len(text) > SHOWN else 0
    cut = text[start : start + SHOWN]
    return "..." * (start > 0) + cut + "..." * (start + len(cut) < len(text))


def _dropped(node: ast.stmt, instead: str) -> Change:
    first, *rest = ast.unparse(node).split("\n")
    return node.lineno, _part(first) + " ..." * bool(rest), instead


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _statements(body: list[Any]) -> Iterator[Change]:
    """Each statement left out, or made a little different."""
    for index, old in enumerate(list(body)):
        for new in statements(old):
            body[index] = new
            yield _differ(old.lineno, old, new)
        body[index] = old
        if isinstance(old, (*KEPT, *DEFINITIONS)) or _is_docstring(old):
            continue
        if isinstance(old, ast.Return) and old.value is not None:
            body[index] = ast.Return(ast.Constant(None))
            yield _dropped(old, "return None")
        else:
            body[index] = ast.Pass()
            yield _dropped(old, "nothing")
        body[index] = old
