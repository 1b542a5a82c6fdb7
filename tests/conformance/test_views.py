"""Which results are views of their input's memory, and which are copies; what the memory is."""

import numpy as np
import pytest
from case import numbers, spread
from case_shape import INDICES

import minigrad as mg

X = spread(2, 3, 4)
VIEWS = {
    "reshape": lambda x: x.reshape(6, 4), "reshape of a part": lambda x: x[1:].reshape(12),
    "permute_dims": lambda x: x.permute_dims(2, 0, 1), "matrix_transpose": lambda x: x.mT,
    "T": lambda x: x.T, "expand": lambda x: x[:1].expand(5, 3, 4),
    "squeeze": lambda x: x[:, :1].squeeze(1), "unsqueeze": lambda x: x.unsqueeze(1),
    "flip": lambda x: x.flip(), "split": lambda x: mg.split(x, 2, 2)[1],
    "detach": lambda x: x.detach(), "asarray": mg.asarray, "to": lambda x: x.to(x.device),
    "iteration": lambda x: list(x)[1], "view of a view": lambda x: x[1].T[::2].unsqueeze(0),
} | {name: lambda x, i=i: x[i] for name, (view, i) in INDICES.items() if view}  # fmt: skip
COPIES = {
    "reshape across strides": lambda x: x.mT.reshape(24), "copy": lambda x: x.copy(),
    "tensor": mg.tensor, "asarray with copy": lambda x: mg.asarray(x, copy=True),
    "astype of its own dtype": lambda x: x.astype(x.dtype), "cat": lambda x: mg.cat([x]),
    "neg": lambda x: -x, "roll": lambda x: x.roll(0, 0), "tile": lambda x: x.tile(1),
    "clip": lambda x: x.clip(), "pad": lambda x: x.pad(0), "sum_to": lambda x: x.sum_to(2, 3, 4),
} | {name: lambda x, i=i: x[i] for name, (view, i) in INDICES.items() if not view}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_sees_what_is_written_to_its_tensor_and_the_other_way_round(device, name):
    x = mg.tensor(X, device=device)
    view = VIEWS[name](x)
    x += 100.0
    assert (numbers(view) > 90.0).all()
    if view.size and name != "expand":
        view.copy_(-7.0)
        assert numbers(view).max() == -7.0
        assert (numbers(x) == -7.0).sum() == view.size


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_does_not(device, name):
    x = mg.tensor(X, device=device)
    copy = COPIES[name](x)
    before = numbers(copy)
    x.zero_()
    assert np.array_equal(numbers(copy), before)
    copy += 3
    assert not numbers(x).any()


def test_an_expanded_tensor_is_one_number_seen_often(device):
    x = mg.tensor([1.0, 2.0, 3.0], device=device).expand(4, 3)
    x[2, 1] = 7.0
    assert x.tolist() == [[1.0, 7.0, 3.0]] * 4
    with pytest.raises(ValueError, match=r"^setitem: .*copy"):
        x[...] = 1.0


@pytest.mark.row("x.strides", "x.is_contiguous", "x.nbytes", "x.size", "x.ndim", "x.shape")
def test_strides_count_elements(device):
    x = mg.zeros((2, 3, 4), device=device)
    assert (x.shape, x.ndim, x.size, x.nbytes) == ((2, 3, 4), 3, 24, 96)
    assert (x.strides, x.is_contiguous) == ((12, 4, 1), True)
    for view, strides, contiguous in [
        (x.T, (1, 4, 12), False),
        (x[:, ::2, ::-1], (12, 8, -1), False),
        (x[1:], (12, 4, 1), True),
        (x[0, 0].expand(5, 4), (0, 1), False),
        (x.permute_dims(2, 0, 1), (1, 12, 4), False),
    ]:
        assert (view.strides, view.is_contiguous) == (strides, contiguous)
    assert (x.expand(7, 2, 3, 4).size, x.astype("int64").nbytes) == (7 * 24, 192)
    number = mg.zeros((), device=device)
    assert (number.shape, number.ndim, number.size, number.strides) == ((), 0, 1, ())
    assert number.is_contiguous
    assert mg.zeros((0, 3), device=device).nbytes == 0


@pytest.mark.row("x.numpy", "np.asarray(x)", "np.from_dlpack(x)", "from_dlpack")
def test_memory_is_shared_with_numpy(device):
    x = mg.tensor(X, device=device)[:, ::-1, 1:]
    for seen in (x.numpy(), np.asarray(x), np.from_dlpack(x)):
        assert (seen.dtype, seen.shape) == (np.float64, (2, 3, 3))
        x[1, 0, 2] = 3.0
        assert seen[1, 0, 2] == 3.0
        if seen.flags.writeable:  # what NumPy 1.26 takes by DLPack is not
            seen[1, 0, 2] = 50.0
            assert x[1, 0, 2].item() == 50.0
    theirs = np.arange(12.0).reshape(3, 4).T
    for ours in (mg.from_dlpack(theirs), mg.asarray(theirs, device=device)):
        if ours.numpy().flags.writeable:
            ours[1, 2] = -1.0
            assert theirs[1, 2] == -1.0
        theirs[1, 2] = 9.0
        assert (ours[1, 2].item(), ours.shape, ours.dtype) == (9.0, (4, 3), mg.float64)
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    shared = mg.from_dlpack(x)
    x[0, 1] = 5.0
    assert shared.tolist() == x.tolist()


def test_numpy_leaves_operators_to_the_tensor(device):
    x = mg.tensor([1.0, 2.0], device=device)
    for result in (np.ones(2) * x, np.float64(2.0) * x, np.ones((2, 2)) @ x, np.ones(2) == x):
        assert isinstance(result, mg.Tensor)
        assert result.device == device


def test_memory_lives_as_long_as_a_view_of_it(device):
    view = mg.tensor(np.arange(1000.0), device=device)[::-7]
    array = mg.tensor([1.0, 2.0, 3.0], dtype="float64", device=device).numpy()
    for _ in range(50):
        mg.full((1000,), -1.0, device=device)
        mg.full((3,), -1.0, dtype="float64", device=device)
    assert view.tolist() == np.arange(1000.0)[::-7].tolist()
    assert array.tolist() == [1.0, 2.0, 3.0]
