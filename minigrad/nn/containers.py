"""Modules in a row: a list of them, and a chain."""

from collections.abc import Iterable, Iterator
from typing import Any

from minigrad.nn.module import Module


class ModuleList(Module):
    """Modules in a list, with their positions for names; call them as you like in forward."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        for m in modules:
            self.append(m)

    def append(self, module: Module) -> "ModuleList":
        setattr(self, str(len(self)), module)
        return self

    def __len__(self) -> int:
        return sum(key.isdigit() for key in vars(self))

    def __iter__(self) -> Iterator[Module]:
        return (vars(self)[str(k)] for k in range(len(self)))


class Sequential(ModuleList):
    """A chain of modules: each is given what the one before it made."""

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    def forward(self, x: Any) -> Any:
        for m in self:
            x = m(x)
        return x
