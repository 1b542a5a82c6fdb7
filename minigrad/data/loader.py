"""DataLoader: a dataset in batches, in an order that the seed and the epoch fix."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from minigrad.api import arange, randperm
from minigrad.data.dataset import Dataset
from minigrad.data.prefetch import ahead
from minigrad.random import Generator


class DataLoader:
    """for x, y in DataLoader(data, 32, shuffle=True): each loop is an epoch.

    batch_size: items in a batch; the last one of an epoch is shorter where they do not come out
    even, and left out with drop_last. shuffle: a new order in each epoch. seed: the same seed and
    epoch, the same order, on every machine. prefetch: so many batches are made ahead, in a thread.
    epoch: the number of the next loop; seek says where another run goes on.
    Raises ValueError for an empty dataset, for a size or number that cannot be, and where
    drop_last would leave nothing.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int,
        shuffle: bool = False,
        drop_last: bool = False,
        seed: int = 0,
        prefetch: int = 0,
    ) -> None:
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.seed, self.prefetch, self.epoch, self._skip = seed, prefetch, 0, 0
        self._check()

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        skip, self._skip = self._skip, 0
        return ahead(self.fetch, islice(self.batches(epoch), skip, None), self.prefetch)

    def seek(self, step: int) -> None:
        """Let the next loop begin with batch number `step`, counted through the epochs from 0: in
        the middle of an epoch, and without making the batches before.
        """
        self.epoch, self._skip = divmod(step, len(self))

    def batches(self, epoch: int) -> Iterator[Any]:
        """The indices of each batch of an epoch, (n,) int64."""
        count, size = len(self.dataset), self.batch_size
        generator = Generator(self.seed)
        generator.set_state((self.seed, epoch * count))  # an epoch draws `count` numbers
        # <ex 5.5> an order of all indices, cut into batches; the last one may be short (5 lines)
        order = randperm(count, generator=generator) if self.shuffle else arange(count)
        for start in range(0, count, size):
            batch = order[start : start + size]
            if len(batch) == size or not self.drop_last:
                yield batch
        # </ex 5.5>

    def fetch(self, indices: Any) -> Any:
        """The batch of these indices (n,). What the dataset raises is told with them."""
        try:
            if isinstance(self.dataset, Dataset):
                return self.dataset.batch(indices)
            return Dataset.batch(self.dataset, indices)  # anything with [i] will do
        except Exception as error:
            error.add_note(f"DataLoader: in the batch of the items {_few(indices.tolist())}.")
            raise

    def _check(self) -> None:
        for name, value, least in (
            ("batch_size", self.batch_size, 1),
            ("prefetch", self.prefetch, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ValueError(
                    f"DataLoader: {name} must be a whole number from {least} up, got {value!r}."
                )
        count = len(self.dataset)
        if count == 0:
            raise ValueError(
                "DataLoader: the dataset is empty; there is nothing to make batches of."
            )
        if len(self) == 0:
            raise ValueError(
                f"DataLoader: drop_last leaves out the only batch, {count} items of the "
                f"{self.batch_size} that batch_size wants."
            )
        Generator(self.seed)  # which says what a seed can be


def _few(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return shown if len(numbers) <= 8 else f"{shown}, ... ({len(numbers)})"
