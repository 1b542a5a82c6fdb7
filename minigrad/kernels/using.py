"""Which kernels the engine you read runs on: NumPy's, unless a block says otherwise.

    with kernels.use("cpp") as used:
        loss.backward()
    print(used.explain())

An op that the chosen kernels do not have, or not for these numbers, runs on NumPy's, and explain
says so. Where a backend has one kernel for a whole op, or for the step of an optimiser, that is
taken instead of several: `whole` finds it, and `entire` enters it.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from minigrad.dtypes import DType
from minigrad.kernels import table
from minigrad.kernels.table import KernelMissing, Key

Kernel = Callable[..., None]
BACKENDS = ("numpy", "cpp")
# The bits of csrc/include/minigrad/view.h.
BITS = {"bool": 1 << 0, "int64": 1 << 3, "float32": 1 << 6, "float64": 1 << 7}


class Use:
    """A choice of kernels, and how often each ran."""

    def __init__(self, backend: str, owners: tuple[str, ...], fused: bool) -> None:
        self.backend, self.owners, self.fused = backend, owners, fused
        self.ran: Counter[Key] = Counter()
        self._found: dict[tuple[str, str], tuple[Key, Kernel]] = {}

    def kernel(self, op: str, device: str, dtype: DType) -> Kernel:
        """The kernel for an op on numbers of this type."""
        known = self._found.get((op, dtype.name))
        if known is None:
            known = self._found[op, dtype.name] = self._search(op, device, dtype)
        self.ran[known[0]] += 1
        return known[1]

    def _search(self, op: str, device: str, dtype: DType) -> tuple[Key, Kernel]:
        for owner in self.owners:
            for key in reversed(table.entries(op)):
                if (key.backend, key.owner) == (self.backend, owner):
                    kernel = table.kernel(key)
                    if getattr(kernel, "types", ~0) & BITS[dtype.name]:
                        return key, kernel
        keys = [k for k in table.entries(op) if (k.backend, k.owner) == (device, table.REFERENCE)]
        if not keys:
            raise KernelMissing(f"there is no kernel {op} ({device}).")
        return keys[-1], table.kernel(keys[-1])

    def explain(self) -> str:
        """A line for each op that ran: how often, and on which kernel."""
        rows = sorted(self.ran.items(), key=lambda item: (-item[1], item[0]))
        return "\n".join(f"{count:>8}  {key}" for key, count in rows)


_use: ContextVar[Use | None] = ContextVar("use", default=None)


# {(backend, op or optimiser): what runs it as a whole}
_whole: dict[tuple[str, str], Callable[..., Any]] = {}


def entire(name: str, backend: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function that runs an op as a whole: called like the op's own function, it gives the
    result and a vjp too. For an optimiser, named by its module and class, it is called with it, a
    group and the parameters to move, and gives those that it left alone.
    """

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        _whole[backend, name] = function
        return function

    return enter


def whole(name: str) -> Callable[..., Any] | None:
    """What runs the whole of `name` here; None if it is made of several kernels, as on NumPy."""
    here = _use.get()
    return None if here is None or not here.fused else _whole.get((here.backend, name))


@contextlib.contextmanager
def use(backend: str, *, mine: bool = False, fused: bool | None = None) -> Iterator[Use]:
    """Run the ops inside on the kernels of a backend, "numpy" or "cpp", of the highest step;
    mine: on the learner's where there are any. fused: whole ops in one kernel where there is one;
    None means unless `mine`, for then the learner's small ones are to run.

    Raises ValueError for a backend that there is not, native.NativeMissing where it is not built.
    """
    if backend not in BACKENDS:
        raise ValueError(f"use: kernels are one of {', '.join(BACKENDS)}, got {backend!r}.")
    if backend != "numpy":
        from minigrad.kernels.loading import load_built

        load_built()
        import minigrad.fused  # noqa: F401  which enters what it has for whole ops and steps
    if mine:
        from minigrad.kernels.tested import load_tested

        load_tested()  # which may have waited for this
    owners = (table.MINE, table.REFERENCE) if mine else (table.REFERENCE,)
    chosen = Use(backend, owners, not mine if fused is None else fused)
    token = _use.set(chosen)
    try:
        yield chosen
    finally:
        _use.reset(token)


def chosen(op: str, device: str, dtype: DType) -> Kernel:
    """What runs `op` here: for the engine."""
    here = _use.get()
    if here is None:
        return table.lookup(op, backend=device)
    return here.kernel(op, device, dtype)
