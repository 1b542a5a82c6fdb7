"""Arrays and PyTorch's tensors over one memory, and which reshapes PyTorch calls a view."""

from itertools import permutations, product

import numpy as np
import pytest
import torch

import minigrad as mg
from minigrad.reference import strides

DTYPES = ("float32", "float64", "int64", "bool")
VIEWS = {
    "whole": lambda t: t,
    "transposed": lambda t: t.permute(2, 0, 1),
    "part": lambda t: t[1:, :, ::2],
    "one element": lambda t: t[:1, 2:, 3:],
    "0-d": lambda t: t[1, 2, 3],
    "empty": lambda t: t[:, 1:1],
    "repeated": lambda t: t[:, :1].expand(2, 5, 4),
}


def tensor(dtype: str) -> torch.Tensor:
    return torch.arange(24).reshape(2, 3, 4).to(getattr(torch, dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_a_tensor_comes_in_without_a_copy(name: str, dtype: str) -> None:
    theirs = VIEWS[name](tensor(dtype))
    for x in (mg.from_dlpack(theirs), mg.asarray(theirs)):
        assert x.shape == tuple(theirs.shape)
        assert str(x.dtype) == dtype
        np.testing.assert_array_equal(x.numpy(), theirs.numpy())
        if x.size:
            assert x.numpy().ctypes.data == theirs.data_ptr()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", VIEWS)
def test_an_array_goes_out_without_a_copy(name: str, dtype: str) -> None:
    x = mg.asarray(VIEWS[name](tensor(dtype)))
    theirs = torch.from_dlpack(x)
    assert tuple(theirs.shape) == x.shape
    np.testing.assert_array_equal(theirs.numpy(), x.numpy())
    if x.size:
        assert theirs.data_ptr() == x.numpy().ctypes.data


def test_each_sees_what_the_other_writes() -> None:
    theirs = torch.zeros(3, 4)
    x = mg.from_dlpack(theirs)
    theirs[1, 2] = 5.0
    assert x[1, 2].item() == 5.0
    back = torch.from_dlpack(x.T)
    back[0, 0] = 7.0
    assert theirs[0, 0].item() == 7.0


def test_types_of_pytorch_that_are_not_ours() -> None:
    for dtype in (torch.float16, torch.int32, torch.complex64):
        with pytest.raises(TypeError, match="is not supported"):
            mg.from_dlpack(torch.zeros(3, dtype=dtype))


def test_a_reshape_is_a_view_where_pytorch_says_so() -> None:
    base = torch.arange(48).reshape(2, 6, 4)
    cuts = [base, base[:, ::2], base[:, :, :2], base[:, :3], base[:, 1:4], base[:1].expand(2, 6, 4)]
    compared = 0
    for cut, order in product(cuts, permutations(range(3))):
        view = cut.permute(order)
        for target in [
            (24,),
            (2, 12),
            (12, 2),
            (4, 6),
            (3, 8),
            (2, 3, 4),
            (48,),
            (8, 6),
            (2, 2, 12),
        ]:
            if int(np.prod(target)) != view.numel():
                continue
            got = strides.reshaped_strides(tuple(view.shape), view.stride(), target)
            try:
                want = view.view(target).stride()
            except RuntimeError:
                want = None
            assert got == want, (tuple(view.shape), view.stride(), target)
            compared += 1
    assert compared > 100
