"""Weights that PyTorch wrote, in the ways that it has, and ours as it reads them."""

import numpy as np
import pytest
import safetensors.torch
import torch

import minigrad as mg
from minigrad import nn
from minigrad.checkpoint import load_weights, save_weights


def tied(lib, dtype):
    """A table whose rows are also those of the head, and a norm with statistics of its own."""
    model = lib.Sequential(
        lib.Embedding(5, 3, dtype=dtype),
        lib.BatchNorm1d(3, dtype=dtype),
        lib.Linear(3, 5, bias=False, dtype=dtype),
    )
    model[2].weight = model[0].weight
    return model


@pytest.fixture
def pair():
    torch.manual_seed(2)
    return tied(nn, mg.float64), tied(torch.nn, torch.float64)


def same(mine, other):
    state, wanted = mine.state_dict(), other.state_dict()
    assert state.keys() == wanted.keys() and len(state) == 7
    for name, x in state.items():
        np.testing.assert_array_equal(x.numpy(), wanted[name].numpy(), err_msg=name)
    assert mine[2].weight is mine[0].weight and other[2].weight is other[0].weight


def test_a_model_of_theirs_with_a_tensor_under_two_names(pair, tmp_path):
    """save_model writes it under one of them."""
    mine, other = pair
    safetensors.torch.save_model(other, tmp_path / "model")
    assert len(safetensors.torch.load_file(tmp_path / "model")) == 6
    assert load_weights(tmp_path / "model", mine) == ([], [], {})
    same(mine, other)


def test_a_model_of_ours_with_a_tensor_under_two_names(pair, tmp_path):
    mine, other = pair
    save_weights(tmp_path / "model", mine)
    given = safetensors.torch.load_file(tmp_path / "model")
    assert {str(x.dtype) for x in given.values()} == {"torch.float64", "torch.int64"}
    other.load_state_dict(given, strict=True)
    same(mine, other)


@pytest.mark.parametrize(
    ("dtype", "said"),
    [
        (torch.bfloat16, r"holds numbers of a type that NumPy has not: .*bfloat16.*as float32 whe"),
        (torch.float8_e4m3fn, r"holds numbers of a type that NumPy has not: .*float8.*as float32"),
        (torch.float16, r"\n  unfit       weight is float32, got float16\n"),
    ],
)
def test_types_that_ours_has_not(tmp_path, dtype, said):
    layer = nn.Linear(4, 3, generator=mg.Generator(1))
    before = layer.weight.tolist()
    given = {"weight": torch.ones(3, 4).to(dtype), "bias": torch.ones(3)}
    safetensors.torch.save_file(given, tmp_path / "layer")
    with pytest.raises(ValueError, match=said):
        load_weights(tmp_path / "layer", layer)
    assert layer.weight.tolist() == before
