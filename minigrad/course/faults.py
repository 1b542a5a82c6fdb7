"""Small faults, made on purpose: every way in which one node of a Python body may be a little off.

Tests that let one of them live have not looked at what that node does.
"""

import ast
import copy
from collections.abc import Iterator
from typing import Any

BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mod,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
ONE_WAY = (ast.Sub, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod, ast.MatMult)  # x - y is not y - x
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
EXACT = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)  # NaN makes no difference here
PAIRS = (
    ("min", "max"),
    ("minimum", "maximum"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
)
NAMES = dict(PAIRS) | {b: a for a, b in PAIRS}
UNWRAPPED = {"abs", "reversed", "sorted"}  # what they are called on would nearly do


def statements(node: ast.stmt) -> Iterator[ast.stmt]:
    """Other statements in place of this one."""
    if isinstance(node, ast.AugAssign):
        target: Any = copy.copy(node.target)
        yield ast.Assign([target], node.value, lineno=node.lineno)
        if type(node.op) in BINARY:
            yield _with(node, op=BINARY[type(node.op)]())
    elif isinstance(node, ast.Break):
        yield ast.Continue()
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Try) and node.handlers:
        # The error goes on instead of being dealt with.
        handlers = [_with(h, body=[ast.Raise()]) for h in node.handlers]
        if ast.unparse(node) != ast.unparse(new := _with(node, handlers=handlers)):
            yield new


def expressions(node: ast.expr, parent: ast.AST, name: str) -> Iterator[ast.expr]:
    """Other expressions in place of this one, which stands in field `name` of `parent`."""
    if (name == "test" and not isinstance(parent, ast.Assert)) or name == "ifs":
        yield _negated(node)
    if isinstance(parent, ast.Slice):
        yield from _bound(node, parent, name)
    elif _is_place(node, parent, name):
        yield from (_moved(node, by) for by in (1, -1))
    elif isinstance(parent, ast.Subscript) and name == "slice" and isinstance(node, ast.Tuple):
        for index, each in enumerate(node.elts):
            if _is_place(each, parent, name):
                for by in (1, -1):
                    items = [*node.elts[:index], _moved(each, by), *node.elts[index + 1 :]]
                    yield _with(node, elts=items)
    yield from _OF.get(type(node), _none)(node)


def _none(node: Any) -> Iterator[ast.expr]:
    return iter(())


def _with(node: Any, **changes: Any) -> Any:
    new = copy.copy(node)
    for name, value in changes.items():
        setattr(new, name, value)
    return new


def _negated(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], EXACT):
        return ast.Compare(node.left, [COMPARED[type(node.ops[0])]()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


def _is_place(node: ast.expr, parent: ast.AST, name: str) -> bool:
    """An index or an argument of range: something that may be off by one."""
    if isinstance(parent, ast.Call):
        return name == "args" and _called(parent) == "range"
    if not isinstance(parent, ast.Subscript) or name != "slice":
        return False
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    return isinstance(node, (ast.Name, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Call))


def _moved(node: ast.expr, by: int) -> ast.expr:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return _number(node.value + by)
    if ast.unparse(node) == "-1" and by > 0:
        return ast.Constant(0)
    return ast.BinOp(node, ast.Add() if by > 0 else ast.Sub(), ast.Constant(1))


def _bound(node: ast.expr, parent: ast.Slice, name: str) -> Iterator[ast.expr]:
    if name == "step":
        yield ast.UnaryOp(ast.USub(), node)
    else:
        yield from (_moved(node, by) for by in (1, -1))


def _binary(node: ast.BinOp) -> Iterator[ast.expr]:
    if type(node.op) in BINARY:
        yield _with(node, op=BINARY[type(node.op)]())
    if isinstance(node.op, ONE_WAY):
        yield _with(node, left=node.right, right=node.left)
    yield from (node.left, node.right)


def _unary(node: ast.UnaryOp) -> Iterator[ast.expr]:
    yield node.operand


def _compare(node: ast.Compare) -> Iterator[ast.expr]:
    for index, op in enumerate(node.ops):
        yield _with(node, ops=[*node.ops[:index], COMPARED[type(op)](), *node.ops[index + 1 :]])


def _boolean(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _constant(node: ast.Constant) -> Iterator[ast.expr]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        kind = type(value)
        others = (1, -1) if value == 0 else (0, -1, 2) if value == 1 else (0, 1, value + 1, -value)
        yield from (_number(kind(each)) for each in others)
    elif isinstance(value, str):
        yield ast.Constant("" if value else "x")


def _call(node: ast.Call) -> Iterator[ast.expr]:
    called = _called(node)
    if called in NAMES:
        new = {"id": NAMES[called]} if isinstance(node.func, ast.Name) else {"attr": NAMES[called]}
        yield _with(node, func=_with(node.func, **new))
    else:
        yield from (_with(node, args=args) for args in _exchanged(node.args))
    if called in UNWRAPPED and len(node.args) == 1:
        yield node.args[0]
    for index, word in enumerate(node.keywords):
        rest = [*node.keywords[:index], *node.keywords[index + 1 :]]
        if word.arg in ("axis", "keepdims"):
            yield _with(node, keywords=rest)
        if word.arg == "axis":
            for axis in (None, 0, 1, -1):
                other = ast.keyword("axis", _number(axis))
                if ast.unparse(other) != ast.unparse(word):
                    yield _with(node, keywords=[*rest[:index], other, *rest[index:]])


def _number(value: float | None) -> ast.expr:
    """A literal; a minus sign is an operator of its own, or -2 ** 2 would be read as -(2 ** 2)."""
    if value is not None and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _exchanged(items: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """Each two neighbours in the other order."""
    for index in range(len(items) - 1):
        yield [*items[:index], items[index + 1], items[index], *items[index + 2 :]]


def _sequence(node: ast.Tuple | ast.List) -> Iterator[ast.expr]:
    yield from (_with(node, elts=items) for items in _exchanged(node.elts))
    for index, each in enumerate(node.elts):
        if isinstance(each, ast.Starred):
            yield _with(node, elts=[*node.elts[:index], *node.elts[index + 1 :]])


def _slice(node: ast.Slice) -> Iterator[ast.expr]:
    if node.lower is None:
        yield _with(node, lower=ast.Constant(1))
    if node.upper is None:
        yield _with(node, upper=_number(-1))


def _attribute(node: ast.Attribute) -> Iterator[ast.expr]:
    if node.attr == "inf":
        yield ast.UnaryOp(ast.USub(), node)
    if node.attr in ("inf", "nan"):
        yield ast.Constant(0.0)


_OF: dict[type[ast.expr], Any] = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.Tuple: _sequence,
    ast.List: _sequence,
    ast.Slice: _slice,
    ast.Attribute: _attribute,
}
