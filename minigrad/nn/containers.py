"""Modules in a row: a list of them, and a chain."""

from collections.abc import Iterable, Iterator
from typing import Any, Self

from minigrad.nn.module import Module


class ModuleList(Module):
    """Modules in a list, whose positions are their names; forward calls them as it likes.

    A plain list of modules does as well: its modules are found too, under the same names.
    Raises TypeError for what is no module.
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        self.extend(modules)

    def append(self, module: Module) -> Self:
        place = len(self)
        setattr(self, str(place), checked(f"{type(self).__name__}: entry {place}", module))
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"ModuleList: expected modules in a list, got {type(modules).__name__}."
            )
        for m in modules:
            self.append(m)
        return self

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __iter__(self) -> Iterator[Module]:
        # Attributes with a number for a name, so that "0.weight" is what a parameter is called.
        return iter([m for name, m in vars(self).items() if name.isdigit()])

    def __getitem__(self, index: Any) -> Any:
        """The module at a position, or, for a slice, another list of them."""
        if isinstance(index, slice):
            return type(self).of(list(self)[index])
        return vars(self)[str(self.position(index))]

    def __setitem__(self, index: int, module: Module) -> None:
        place = self.position(index)
        setattr(self, str(place), checked(f"{type(self).__name__}: entry {place}", module))

    def position(self, index: int) -> int:
        """The position, counted from the front. Raises IndexError if no module is there."""
        name, count = type(self).__name__, len(self)
        if not -count <= index < count:
            raise IndexError(f"{name}: there is no entry {index}; it has {count}.")
        return index % count

    @classmethod
    def of(cls, modules: Iterable[Module]) -> Self:
        return cls(modules)

    def forward(self, *inputs: Any, **options: Any) -> Any:
        raise NotImplementedError(
            "ModuleList: a list computes nothing by itself; go through it in forward, "
            "`for layer in self.layers: x = layer(x)`, or make it a Sequential."
        )


class Sequential(ModuleList):
    """A chain: each module is given what the one before it made. Sequential(*modules)."""

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    @classmethod
    def of(cls, modules: Iterable[Module]) -> Self:
        return cls(*modules)

    def forward(self, x: Any) -> Any:
        for m in self:
            x = m(x)
        return x


def checked(call: str, module: object) -> Module:
    """The module. Raises TypeError for anything else, and says what was probably meant."""
    if isinstance(module, Module):
        return module
    if isinstance(module, type) and issubclass(module, Module):
        name = module.__name__
        raise TypeError(f"{call} is the class {name}; {name}() makes a module of it.")
    if isinstance(module, list | tuple):
        raise TypeError(
            f"{call} is a {type(module).__name__}; give its modules one by one, with *."
        )
    name = getattr(module, "__name__", type(module).__name__)
    raise TypeError(f"{call} is no module, got {name}; functions have modules, like nn.ReLU().")
