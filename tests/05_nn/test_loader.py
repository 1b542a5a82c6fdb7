"""5.5: the indices of an epoch, batch by batch."""

import pytest

from minigrad import Generator, arange
from minigrad.course import expect
from minigrad.data import DataLoader, TensorDataset

pytestmark = pytest.mark.exercise("5.5")


def numbered(count):
    """A dataset whose item i is (i, 10 i)."""
    return TensorDataset(arange(count), 10 * arange(count))


def batches(count, size, epoch=0, **options):
    loader = DataLoader(numbered(count), size, **options)
    return [indices.tolist() for indices in loader.batches(epoch)]


def given(count, size, **options):
    return {"items": count, "batch_size": size, **options}


def test_in_order_with_a_short_last_batch():
    expected = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    expect.equal(batches(10, 4), expected, what="the batches", inputs=given(10, 4))


def test_where_they_come_out_even_no_batch_is_empty():
    expected = [[0, 1, 2, 3], [4, 5, 6, 7]]
    expect.equal(batches(8, 4), expected, what="the batches", inputs=given(8, 4))
    expect.equal(batches(3, 1), [[0], [1], [2]], what="the batches", inputs=given(3, 1))


def test_drop_last_leaves_the_short_one_out():
    inputs = given(10, 4, drop_last=True)
    expected = [[0, 1, 2, 3], [4, 5, 6, 7]]
    expect.equal(batches(10, 4, drop_last=True), expected, what="the batches", inputs=inputs)
    inputs = given(8, 4, drop_last=True)
    expect.equal(batches(8, 4, drop_last=True), expected, what="the batches", inputs=inputs)


def test_a_batch_larger_than_the_data_takes_all():
    expect.equal(batches(3, 5), [[0, 1, 2]], what="the batches", inputs=given(3, 5))


@pytest.mark.parametrize("epoch", [0, 1, 7])
def test_shuffled_every_item_comes_once(epoch):
    found = batches(25, 4, epoch=epoch, shuffle=True)
    inputs = given(25, 4, shuffle=True, epoch=epoch)
    lengths = [len(batch) for batch in found]
    expect.equal(lengths, [4, 4, 4, 4, 4, 4, 1], what="the lengths of the batches", inputs=inputs)
    items = sorted(i for batch in found for i in batch)
    expect.equal(items, list(range(25)), what="all items, sorted", inputs=inputs)


def test_shuffled_the_order_is_that_of_the_generator():
    for epoch in (0, 1, 2):
        generator = Generator(3)
        generator.set_state((3, 10 * epoch))
        expected = generator.permutation(10).tolist()
        found = batches(10, 4, epoch=epoch, shuffle=True, seed=3)
        inputs = given(10, 4, shuffle=True, seed=3, epoch=epoch)
        items = [i for batch in found for i in batch]
        expect.equal(items, expected, what="the items in their order", inputs=inputs)


def test_each_epoch_has_an_order_of_its_own():
    orders = [batches(30, 7, epoch=epoch, shuffle=True) for epoch in (0, 1, 2)]
    differ = orders[0] != orders[1] != orders[2] != orders[0]
    inputs = given(30, 7, shuffle=True)
    expect.that(differ, "the orders of three epochs differ", inputs=inputs)
    again = batches(30, 7, epoch=1, shuffle=True)
    expect.equal(again, orders[1], what="epoch 1 once more", inputs=inputs)


def test_shuffled_and_dropped():
    found = batches(10, 4, shuffle=True, drop_last=True)
    inputs = given(10, 4, shuffle=True, drop_last=True)
    lengths = [len(batch) for batch in found]
    expect.equal(lengths, [4, 4], what="the lengths of the batches", inputs=inputs)


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize(("count", "size"), [(10, 4), (8, 4), (7, 7), (9, 2)])
def test_there_are_as_many_as_the_loader_says(count, size, drop_last):
    loader = DataLoader(numbered(count), size, drop_last=drop_last)
    inputs = given(count, size, drop_last=drop_last)
    expect.equal(len(list(loader.batches(0))), len(loader), what="the number", inputs=inputs)


def test_indices_are_tensors_of_whole_numbers():
    for shuffle in (False, True):
        for indices in DataLoader(numbered(5), 3, shuffle=shuffle).batches(0):
            inputs = given(5, 3, shuffle=shuffle)
            expect.equal(str(indices.dtype), "int64", what="the dtype of a batch", inputs=inputs)
            expect.equal(indices.ndim, 1, what="the number of its axes", inputs=inputs)


def test_a_loop_gives_the_rows_and_their_labels():
    loader = DataLoader(numbered(11), 3, shuffle=True, seed=5)
    for epoch in (0, 1):
        seen = []
        for x, y in loader:
            expect.equal(y.tolist(), [10 * i for i in x.tolist()], what="the labels of a batch")
            seen += x.tolist()
        expect.equal(sorted(seen), list(range(11)), what=f"all rows of epoch {epoch}, sorted")
