"""The operators and methods of an array: each names its op and hands over to the array's engine.

Array has them now; the tensor of chapter 4 has the same ones, and its engine records.
"""

from collections.abc import Iterator
from types import ModuleType
from typing import Any


class Operators:
    """x + y, x[...], x.sum() and the like, for a class with `engine`, `shape` and `ndim`."""

    __slots__ = ()

    shape: tuple[int, ...]

    @property
    def engine(self) -> ModuleType:
        raise NotImplementedError

    __hash__ = object.__hash__  # by identity: == compares elements

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len: a 0-d array has no length.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iter: a 0-d array has no axis to go along.")
        return (self[i] for i in range(self.shape[0]))

    def __getitem__(self, index: object) -> Any:
        return self.engine.getitem(self, index)

    @property
    def T(self) -> Any:  # noqa: N802
        """The axes in reverse order, as in NumPy."""
        return self.engine.permute_dims(self, tuple(reversed(range(len(self.shape)))))

    @property
    def mT(self) -> Any:  # noqa: N802
        """The last two axes exchanged."""
        return self.engine.matrix_transpose(self)
