"""Datasets: a length, and an item for each index."""

from collections.abc import Sequence
from typing import Any

from minigrad.api import Tensor, asarray, stack, take


class Dataset:
    """Items that can be counted and picked by number; a subclass has __len__ and __getitem__."""

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} does not say how many items it has.")

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what its items are.")

    def batch(self, indices: Any) -> Any:
        """The items of these indices (n,) int64 as one batch. Here one by one, then collated; a
        subclass that can take many at once says so.
        """
        return collate([self[i] for i in indices.tolist()])


class TensorDataset(Dataset):
    """Tensors side by side, an item a row of each: TensorDataset(x, y)[3] is (x[3], y[3]).

    Indices may be an int, a slice, or a tensor of indices (n,), which gives n rows of each.
    Raises ValueError where the tensors differ in length, TypeError for what is no tensor.
    """

    def __init__(self, *tensors: Any) -> None:
        if not tensors:
            raise ValueError("TensorDataset: no tensor was given.")
        for t in tensors:
            if not isinstance(t, Tensor):
                raise TypeError(f"TensorDataset: expected tensors, got {type(t).__name__}.")
        if any(t.ndim == 0 for t in tensors):
            raise ValueError("TensorDataset: there is a tensor of no axes, which has no rows.")
        lengths = [len(t) for t in tensors]
        if len(set(lengths)) > 1:
            raise ValueError(f"TensorDataset: the tensors differ in length: {lengths}.")
        self.tensors = tensors

    def __len__(self) -> int:
        return len(self.tensors[0])

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def batch(self, indices: Any) -> tuple[Any, ...]:
        return tuple(take(t, indices) for t in self.tensors)


def collate(items: Sequence[Any]) -> Any:
    """Items as one batch: tensors and arrays are stacked, numbers become a tensor (n,), and tuples,
    lists and dicts stay what they are, of the batches of their parts.

    Raises ValueError where shapes, lengths or keys differ, TypeError where kinds do and for what
    holds no numbers.
    """
    if not items:
        raise ValueError("collate: no items, no batch.")
    first = items[0]
    form = type(first) if isinstance(first, dict | tuple | list) else None
    if form is None:
        rows = [_numbers(item) for item in items]
        _same("shapes", [row.shape for row in rows])
        return stack(rows)
    if any(type(item) is not form for item in items):
        kinds = sorted({type(item).__name__ for item in items})
        raise TypeError(f"collate: items of different kinds: {', '.join(kinds)}.")
    if isinstance(first, dict):
        _same("keys", [sorted(item) for item in items])
        return {key: collate([item[key] for item in items]) for key in first}
    _same("lengths", [len(item) for item in items])
    make = getattr(form, "_make", form)  # a named tuple takes its parts one by one
    return make(map(collate, zip(*items, strict=True)))


def _numbers(item: Any) -> Any:
    try:
        return asarray(item)
    except TypeError as error:
        raise TypeError(str(error).replace("asarray", "collate", 1)) from None


def _same(what: str, found: Sequence[Any]) -> None:
    if any(f != found[0] for f in found):
        different = ", ".join(sorted({str(f) for f in found}))
        raise ValueError(f"collate: items of different {what}: {different}.")
