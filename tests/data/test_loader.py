"""DataLoader: which items, in which order, in which batches."""

import numpy as np
import pytest

import minigrad as mg
from minigrad.data import DataLoader, Dataset, TensorDataset


def numbered(count):
    return TensorDataset(mg.arange(count), mg.arange(count) * 10)


class Squares(Dataset):
    """Items one by one: a tensor and a number."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        assert type(index) is int and 0 <= index < self.count
        return mg.tensor([float(index), float(index**2)]), index


def labels(loader):
    """The second part of each batch of an epoch, as lists."""
    return [y.tolist() for _, y in loader]


@pytest.mark.parametrize("prefetch", [0, 1, 3])
@pytest.mark.parametrize(
    ("count", "size", "drop_last", "want"),
    [
        (7, 3, False, [[0, 10, 20], [30, 40, 50], [60]]),
        (7, 3, True, [[0, 10, 20], [30, 40, 50]]),
        (6, 3, False, [[0, 10, 20], [30, 40, 50]]),
        (6, 3, True, [[0, 10, 20], [30, 40, 50]]),
        (2, 5, False, [[0, 10]]),
        (3, 1, True, [[0], [10], [20]]),
    ],
)
def test_batches_in_order(count, size, drop_last, want, prefetch):
    loader = DataLoader(numbered(count), size, drop_last=drop_last, prefetch=prefetch)
    assert len(loader) == len(want)
    assert labels(loader) == want and labels(loader) == want


@pytest.mark.parametrize("drop_last", [False, True])
def test_shuffled_each_item_once(drop_last):
    loader = DataLoader(numbered(23), 5, shuffle=True, drop_last=drop_last)
    for _ in range(3):
        batches = list(loader)
        assert [len(x) for x, _ in batches] == [5, 5, 5, 5] + [3] * (not drop_last)
        x = np.concatenate([x.numpy() for x, _ in batches])
        y = np.concatenate([y.numpy() for _, y in batches])
        assert len(set(x.tolist())) == len(x) and (y == 10 * x).all()
        assert drop_last or sorted(x.tolist()) == list(range(23))
        assert x.tolist() != sorted(x.tolist())


def test_the_seed_and_the_epoch_fix_the_order():
    loader, other = (DataLoader(numbered(20), 6, shuffle=True, seed=3) for _ in range(2))
    epochs = [labels(loader) for _ in range(3)]
    assert [labels(other) for _ in range(3)] == epochs
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]
    assert labels(DataLoader(numbered(20), 6, shuffle=True, seed=4)) != epochs[0]
    other.epoch = 1
    assert [labels(other), labels(other)] == epochs[1:]


def test_no_other_generator_has_a_say():
    loader = DataLoader(numbered(20), 6, shuffle=True)
    mg.manual_seed(1)
    first = labels(loader)
    mg.manual_seed(2)
    state = mg.random.default_generator.get_state()
    loader.epoch = 0
    assert labels(loader) == first
    assert mg.random.default_generator.get_state() == state


def test_the_order_is_the_same_on_every_machine():
    got = [i for batch in DataLoader(numbered(8), 8, shuffle=True, seed=5).batches(2)
           for i in batch.tolist()]  # fmt: skip
    generator = mg.Generator(5)
    orders = [generator.permutation(8).tolist() for _ in range(3)]
    assert got == orders[2]


@pytest.mark.parametrize("prefetch", [0, 2])
def test_two_loops_at_once(prefetch):
    loader = DataLoader(numbered(9), 2, shuffle=True, prefetch=prefetch)
    first, second = labels(loader), labels(loader)
    loader.epoch = 0
    pairs = [(a[1].tolist(), b[1].tolist()) for a, b in zip(loader, loader, strict=True)]
    assert pairs == list(zip(first, second, strict=True))
    assert loader.epoch == 2


@pytest.mark.parametrize("prefetch", [0, 2])
def test_items_one_by_one(prefetch):
    batches = list(DataLoader(Squares(5), 2, prefetch=prefetch))
    assert [x.tolist() for x, _ in batches] == [[[0, 0], [1, 1]], [[2, 4], [3, 9]], [[4, 16]]]
    assert [y.tolist() for _, y in batches] == [[0, 1], [2, 3], [4]]


def test_a_dataset_that_takes_many_at_once():
    class Many(Squares):
        def batch(self, indices):
            return -indices

    assert [x.tolist() for x in DataLoader(Many(3), 2)] == [[0, -1], [-2]]


def test_anything_with_a_length_and_items():
    loader = DataLoader([(1.5, 2), (2.5, 4), (3.5, 6)], 2)
    assert [(x.tolist(), y.tolist()) for x, y in loader] == [([1.5, 2.5], [2, 4]), ([3.5], [6])]
    assert [x.tolist() for x in DataLoader(mg.tensor([[1, 2], [3, 4]]), 1)] == [[[1, 2]], [[3, 4]]]


BAD = {
    "an empty dataset": ([], {}, "the dataset is empty"),
    "an empty tensor": (TensorDataset(mg.zeros((0, 3))), {}, "the dataset is empty"),
    "no batch left": ([1, 2], {"batch_size": 3, "drop_last": True},
        "drop_last leaves out the only batch, 2 items of the 3 that batch_size wants."),
    "nothing in a batch": ([1], {"batch_size": 0},
        "batch_size must be a whole number from 1 up, got 0."),
    "less than nothing": ([1], {"batch_size": -4}, "batch_size must be"),
    "half a batch": ([1], {"batch_size": 2.5}, "got 2.5."),
    "true": ([1], {"batch_size": True}, "got True."),
    "less than nothing ahead": ([1], {"prefetch": -1},
        "prefetch must be a whole number from 0 up, got -1."),
    "a seed below 0": ([1], {"seed": -1}, "seed must be from 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    dataset, options, words = BAD[name]
    with pytest.raises(ValueError) as raised:
        DataLoader(dataset, **{"batch_size": 2, **options})
    assert words in str(raised.value)
