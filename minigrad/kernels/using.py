"""Which kernels the engine you read runs on: NumPy's, unless a block says otherwise.

    with kernels.use("cpp") as used:
        loss.backward()
    print(used.explain())

An op that the chosen kernels do not have, or not for these numbers, runs on NumPy's, and explain
says so.
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

    def __init__(self, backend: str, owners: tuple[str, ...]) -> None:
        self.backend, self.owners = backend, owners
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


@contextlib.contextmanager
def use(backend: str, *, mine: bool = False) -> Iterator[Use]:
    """Run the ops inside on the kernels of a backend, "numpy" or "cpp", of the highest step;
    mine: on the learner's where there are any.

    Raises ValueError for a backend that there is not, native.NativeMissing where it is not built.
    """
    if backend not in BACKENDS:
        raise ValueError(f"use: kernels are one of {', '.join(BACKENDS)}, got {backend!r}.")
    if backend != "numpy":
        from minigrad.kernels.loading import load_built

        load_built()
    owners = (table.MINE, table.REFERENCE) if mine else (table.REFERENCE,)
    chosen = Use(backend, owners)
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
