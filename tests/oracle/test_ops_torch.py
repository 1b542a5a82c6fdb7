"""Every op against PyTorch: values, gradients and their gradients, over shapes and layouts that
hypothesis draws.
"""

import drawn_images
import drawn_numbers
import drawn_places
import drawn_transformers
import pytest
import torch
from drawing import Draw
from hypothesis import given, settings
from hypothesis import strategies as st
from side_by_side import compare

from minigrad.reference import engine

PARTS = (drawn_images, drawn_numbers, drawn_places, drawn_transformers)
CASES = {name: case for part in PARTS for name, case in part.CASES.items()}


def test_no_op_is_left_out():
    ops = {name for name, value in vars(engine).items() if callable(value)}
    assert ops == CASES.keys()


@pytest.mark.parametrize("name", CASES)
@settings(deadline=None)  # the first call of either side takes as long as hundreds after it
@given(data=st.data(), dtype=st.sampled_from([torch.float64, torch.float32]))
def test_values_and_gradients(name, data, dtype):
    draw = Draw(data.draw, dtype)
    ours, theirs, *tensors = CASES[name](draw)
    compare(ours, theirs, tensors, {}, twice=draw.twice)
