"""Datasets, and what becomes of several items: a batch."""

from collections import namedtuple

import numpy as np
import pytest

import minigrad as mg
from minigrad.data import Dataset, TensorDataset, collate

X = mg.arange(12).reshape(4, 3)
Y = mg.tensor([7, 5, 3, 1])


def test_a_row_of_each_tensor():
    data = TensorDataset(X, Y)
    assert len(data) == 4 and data.tensors == (X, Y)
    x, y = data[2]
    assert x.tolist() == [6, 7, 8] and y.item() == 3 and y.shape == ()


@pytest.mark.parametrize("index", [mg.tensor([3, 0, 3]), slice(1, 3), [2, 1]], ids=str)
def test_rows_of_each_tensor(index):
    x, y = TensorDataset(X, Y)[index]
    index = index.numpy() if isinstance(index, mg.Tensor) else index
    assert x.tolist() == X.numpy()[index].tolist() and y.tolist() == Y.numpy()[index].tolist()


def test_a_batch_is_the_same_rows_in_memory_of_its_own():
    x = mg.tensor(X.numpy().T.astype(np.float64)).T
    data = TensorDataset(x, Y)
    got, labels = data.batch(mg.tensor([2, 0]))
    assert got.tolist() == [[6, 7, 8], [0, 1, 2]] and labels.tolist() == [3, 7]
    got.zero_()
    assert x.tolist() == X.tolist()


@pytest.mark.parametrize(
    ("tensors", "kind", "words"),
    [
        ((), ValueError, "no tensor was given"),
        ((X, mg.arange(3)), ValueError, r"the tensors differ in length: \[4, 3\]"),
        ((X, [1, 2, 3, 4]), TypeError, "expected tensors, got list"),
        ((X, np.arange(4)), TypeError, "expected tensors, got ndarray"),
        ((X, mg.tensor(1.0)), ValueError, r"of no axes, which has no rows"),
    ],
)
def test_tensors_that_do_not_fit(tensors, kind, words):
    with pytest.raises(kind, match=f"^TensorDataset: .*{words}"):
        TensorDataset(*tensors)


def test_numbers_become_a_tensor():
    assert collate([1, 2]).dtype is mg.int64 and collate([1, 2]).tolist() == [1, 2]
    assert collate([0.5, 2.0]).dtype is mg.float32
    assert collate([True, False]).dtype is mg.bool_
    assert collate([np.float64(0.5), np.float64(3.0)]).dtype is mg.float64


def test_tensors_and_arrays_are_stacked():
    batch = collate([X[0], X[2]])
    assert batch.tolist() == [[0, 1, 2], [6, 7, 8]] and batch.dtype is mg.int64
    batch = collate([np.ones((2, 1), np.float32), np.zeros((2, 1), np.float32)])
    assert isinstance(batch, mg.Tensor) and batch.shape == (2, 2, 1)
    assert batch.tolist() == [[[1.0], [1.0]], [[0.0], [0.0]]]


def test_tuples_lists_and_dicts_keep_their_form():
    batch = collate([({"a": 1, "b": [X[0], 2.0]}, 3), ({"a": 4, "b": [X[1], 5.0]}, 6)])
    assert isinstance(batch, tuple) and batch[1].tolist() == [3, 6]
    assert batch[0]["a"].tolist() == [1, 4] and isinstance(batch[0]["b"], list)
    assert batch[0]["b"][0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert batch[0]["b"][1].tolist() == [2.0, 5.0]


def test_a_named_tuple_keeps_its_names():
    pair = namedtuple("pair", "image label")
    batch = collate([pair(X[0], 1), pair(X[1], 2)])
    assert isinstance(batch, pair) and batch.label.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("items", "kind", "words"),
    [
        ([X[0], Y], ValueError, r"items of different shapes: \(3,\), \(4,\)"),
        ([(1, 2), (1, 2, 3)], ValueError, "items of different lengths: 2, 3"),
        ([{"a": 1}, {"b": 1}], ValueError, r"items of different keys"),
        ([(1, 2), 3], TypeError, "items of different kinds: int, tuple"),
        (["a", "b"], TypeError, "got str"),
        ([None, None], TypeError, "got NoneType"),
        ([], ValueError, "no items"),
    ],
)
def test_items_that_do_not_fit(items, kind, words):
    with pytest.raises(kind, match=f"^collate: .*{words}"):
        collate(items)


def test_a_dataset_that_says_nothing():
    class Empty(Dataset):
        pass

    with pytest.raises(NotImplementedError, match="Empty does not say how many items it has"):
        len(Empty())
    with pytest.raises(NotImplementedError, match="Empty does not say what its items are"):
        Empty()[0]
