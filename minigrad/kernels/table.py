"""The one table of kernels: every kernel, ours or yours, stands under (op, backend, step, owner).

    @register("add", backend="numpy")
    def add(x, y, out): ...

Step 0 of an op is its reference; later steps of a ladder count upwards. A learner's kernels stand
under owner "mine", beside ours, so that both can be called in one process.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

REFERENCE, MINE = "ref", "mine"
OWNERS = (REFERENCE, MINE)

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, order=True)
class Key:
    """Where a kernel stands in the table."""

    op: str
    backend: str
    step: int
    owner: str

    def __str__(self) -> str:
        return f"{self.op} ({self.backend}, step {self.step}, {self.owner})"


class KernelMissing(LookupError):
    """No kernel stands under what was asked for; the message lists what does."""


_table: dict[Key, Callable[..., Any]] = {}
# {key: the file it came from}, of what is no Python function
_places: dict[Key, str] = {}
# {(op, backend, owner): the function of the highest step}, for every call of every op is looked up
_newest: dict[tuple[str, str, str], Callable[..., Any]] = {}
_owner: ContextVar[str] = ContextVar("owner", default=REFERENCE)


def register(op: str, *, backend: str, step: int = 0) -> Callable[[Function], Function]:
    """Enter a function into the table. Two of ours under one key are an error, one of yours
    replaces.
    """

    def enter(function: Function) -> Function:
        key = Key(op, backend, step, _owner.get())
        known = _table.get(key)
        if known is not None and key.owner == REFERENCE and _place(known) != _place(function):
            raise ValueError(f"kernel {key} is entered twice: {_place(known)}, {_place(function)}.")
        _table[key] = function
        _newest.clear()
        return function

    return enter


def lookup(
    op: str, *, backend: str, step: int | None = None, owner: str = REFERENCE
) -> Callable[..., Any]:
    """The kernel of `op` on `backend`; without `step`, the highest step that `owner` has there.

    Raises KernelMissing; there is no falling back to another backend, step or owner.
    """
    if step is None and (op, backend, owner) in _newest:
        return _newest[op, backend, owner]
    found = [k for k in _table if (k.op, k.backend, k.owner) == (op, backend, owner)]
    if step is not None:
        found = [k for k in found if k.step == step]
    if not found:
        wanted = f"{op} ({backend}, {'any step' if step is None else f'step {step}'}, {owner})"
        there = ", ".join(map(str, entries(op))) or "no kernel of that name"
        raise KernelMissing(f"there is no kernel {wanted}; there is: {there}.")
    function = _table[max(found)]
    if step is None:
        _newest[op, backend, owner] = function
    return function


def entries(op: str | None = None) -> list[Key]:
    """The keys of the table, or of one op, in order."""
    return sorted(key for key in _table if op is None or key.op == op)


def kernel(key: Key) -> Callable[..., Any]:
    """The kernel under this key."""
    return _table[key]


def enter(key: Key, function: Callable[..., Any], place: str) -> Key:
    """Enter what a file at `place` gave; it replaces what stood there."""
    _table[key], _places[key] = function, place
    _newest.clear()
    return key


def forget(owner: str, place: str) -> None:
    """Take out what `owner` had from this file."""
    for key in [k for k in _table if k.owner == owner and place_of(k) == place]:
        del _table[key]
        _places.pop(key, None)
    _newest.clear()


def has_from(owner: str, place: str) -> bool:
    """Whether something of this file stands in the table."""
    return any(k.owner == owner and place_of(k) == place for k in _table)


def place_of(key: Key) -> str:
    """The file that a kernel is from."""
    return _places.get(key) or _place(_table[key])[0]


@contextlib.contextmanager
def entering_as(owner: str) -> Iterator[None]:
    """Kernels entered inside belong to `owner`."""
    token = _owner.set(owner)
    try:
        yield
    finally:
        _owner.reset(token)


def _place(function: Callable[..., Any]) -> tuple[str, str]:
    code = getattr(function, "__code__", None)
    return (code.co_filename if code else "built in", getattr(function, "__qualname__", ""))
