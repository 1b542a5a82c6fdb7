"""Take a changed source into a module that is in use, so that objects made earlier run the new
code.

importlib.reload makes new classes and functions, and whoever holds an old one is left behind: an
old instance fails `isinstance` of the new class. Here the old ones stay and receive the new code.
If only bodies of functions differ, no line at module level is run again; else the module runs
once more in its own namespace, and its classes and functions are put into the old ones.
"""

import ast
import builtins
import functools
import gc
import linecache
import sys
from abc import ABCMeta
from collections.abc import Iterable
from types import (
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any

Namespace = dict[str, Any]

# What belongs to the layout of a class and not to its code.
LAYOUT = {"__dict__", "__weakref__", "__slots__", "_abc_impl"}
CACHED = type(functools.lru_cache(lambda: None))
# From Python 3.14 annotations are computed on demand, and computing them here might fail.
ANNOTATIONS = "__annotate__" if sys.version_info >= (3, 14) else "__annotations__"
ATTRIBUTES = ("__code__", "__defaults__", "__kwdefaults__", "__doc__", ANNOTATIONS)


def take(
    module: ModuleType, old: str, new: str, path: str, namespaces: Iterable[Namespace] = ()
) -> list[str]:
    """Bring `module`, made from the text `old`, to the text `new`; `path` is what tracebacks name.

    namespaces: where `from module import name` may have put a constant, or something else that
    cannot be changed in place; such names are bound anew. Returns the classes whose existing
    objects could not follow (their slots, metaclass or bases changed). Whatever the module's own
    lines raise goes through, and the module is then as it was before.
    """
    code = compile(new, path, "exec", dont_inherit=True)
    before, after = (_codes(compile(t, path, "exec", dont_inherit=True)) for t in (old, new))
    linecache.checkcache(path)
    left_behind: list[str] = []
    if _frame(old) != _frame(new) or _closures(before) != _closures(after):
        left_behind = _run_again(module, code, namespaces)
    _exchange(module.__dict__, before, after)
    return left_behind


def _codes(code: CodeType) -> dict[str, list[CodeType]]:
    """Every function body of a module by qualified name, in order where a name stands twice."""
    found: dict[str, list[CodeType]] = {}
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found.setdefault(each.co_qualname, []).append(each)
            for name, inner in _codes(each).items():
                found.setdefault(name, []).extend(inner)
    return found


def _closures(codes: dict[str, list[CodeType]]) -> dict[str, list[tuple[str, ...]]]:
    """What each function closes over: a body that begins to use super() cannot be exchanged."""
    return {
        name: [c.co_freevars for c in each]
        for name, each in codes.items()
        if "<locals>" not in name
    }


def _exchange(
    namespace: Namespace, before: dict[str, list[CodeType]], after: dict[str, list[CodeType]]
) -> None:
    """Give every living function of the module its new body, however it is wrapped or held."""
    twins = {
        old: new
        for name in before.keys() & after.keys()
        for old, new in zip(before[name], after[name], strict=False)
        if old.co_freevars == new.co_freevars
    }
    for each in gc.get_objects():
        kind = type(each)
        if kind is FunctionType and each.__globals__ is namespace:
            each.__code__ = twins.get(each.__code__, each.__code__)
        elif kind is CACHED and getattr(each.__wrapped__, "__globals__", None) is namespace:
            each.cache_clear()  # what the old body answered


class _Hollow(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.body = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        node.body = []
        return node


def _frame(text: str) -> str:
    """What a module says outside the bodies of its functions."""
    return ast.dump(_Hollow().visit(ast.parse(text)))


def _run_again(module: ModuleType, code: CodeType, namespaces: Iterable[Namespace]) -> list[str]:
    space = module.__dict__
    before = dict(space)
    left_behind: list[str] = []
    real = builtins.__build_class__

    def build(body: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        made = real(body, name, *bases, **keywords)
        old = before.get(name)
        if body.__globals__ is not space or body.__qualname__ != name or not _ours(old, module):
            return made
        if not isinstance(old, type) or not _same_layout(old, made):
            left_behind.append(name)
            return made
        return _into_class(old, made)

    for name in [n for n in space if not n.startswith("__")]:
        del space[name]
    # A class statement yields the old class with new contents, so that whatever the module does
    # with it further on (a subclass, a registry, an instance, isinstance) means the one class.
    builtins.__build_class__ = build  # type: ignore[assignment]
    try:
        exec(code, space)
    except BaseException:
        space.clear()
        space.update(before)
        raise
    finally:
        builtins.__build_class__ = real
    for name, old in before.items():
        if name.startswith("__") or name not in space or space[name] is old:
            continue
        if isinstance(old, FunctionType) and _ours(old, module):
            space[name] = _merged(old, space[name])
        if space[name] is not old:
            _rebind(name, old, space[name], namespaces)
    return left_behind


def _ours(old: object, module: ModuleType) -> bool:
    return getattr(old, "__module__", None) == module.__name__


def _same_layout(old: type, new: type) -> bool:
    return (
        type(old) is type(new)
        and type(old) in (type, ABCMeta)
        and old.__bases__ == new.__bases__
        and old.__dict__.get("__slots__") == new.__dict__.get("__slots__")
    )


def _into_class(old: type, new: type) -> type:
    for key in [k for k in old.__dict__ if k not in new.__dict__ and k not in LAYOUT]:
        delattr(old, key)
    for key, value in list(new.__dict__.items()):
        if key in LAYOUT or isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
            continue
        merged = _merged(old.__dict__.get(key), value)
        if old.__dict__.get(key) is not merged:
            setattr(old, key, merged)
    for each in gc.get_referrers(new):
        if isinstance(each, CellType):  # where super() looks
            each.cell_contents = old
    return old


def _merged(old: object, new: object) -> object:
    """`old` with the contents of `new` if both are functions over the same variables, else `new`.

    A decorator's wrapper closes over the function it wraps, so that goes the same way.
    """
    for kind in (staticmethod, classmethod):
        if isinstance(old, kind) and isinstance(new, kind):
            return kind(_merged(old.__func__, new.__func__))  # type: ignore[arg-type]
    if not isinstance(old, FunctionType) or not isinstance(new, FunctionType) or old is new:
        return new
    if old.__globals__ is not new.__globals__ and old.__module__ != new.__module__:
        return new
    if old.__code__.co_freevars != new.__code__.co_freevars:
        return new
    for name in ATTRIBUTES:
        setattr(old, name, getattr(new, name))
    old.__dict__.update(new.__dict__)
    for mine, theirs in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
        if mine is not theirs:
            mine.cell_contents = _merged(mine.cell_contents, theirs.cell_contents)
    return old


def _rebind(name: str, old: object, new: object, namespaces: Iterable[Namespace]) -> None:
    """Names that hold what could not be changed in place get the new thing.

    Under another name a plain value is left alone: the reader's own 8 is not the module's TILE.
    """
    plain = isinstance(old, (int, float, complex, str, bytes, tuple, frozenset, type(None)))
    for namespace in namespaces:
        for key in [k for k, v in namespace.items() if v is old and (k == name or not plain)]:
            namespace[key] = new
