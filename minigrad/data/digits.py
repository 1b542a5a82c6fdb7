"""Handwritten digits of 8x8 pixels, which come with scikit-learn."""

from typing import Any

import numpy as np

from minigrad.api import asarray, randperm
from minigrad.data.dataset import TensorDataset
from minigrad.random import Generator


def digits(
    seed: int = 0, test: float = 0.2, shape: tuple[int, ...] = (64,)
) -> tuple[TensorDataset, TensorDataset]:
    """1797 digits, to learn from and to be tested on: two datasets of (image, digit).

    Image: float32 of `shape`, which holds 64 numbers from 0 (paper) to 1 (ink), row by row; digit:
    int64. The split is drawn by the seed, and `test` is the share of each digit that is held out.
    Raises ModuleNotFoundError without scikit-learn, ValueError for a share that leaves one side
    without some digit.
    Source: Alpaydin, Kaynak, "Optical recognition of handwritten digits" (UCI, 1998), test part.
    """
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "digits: the images come with scikit-learn, which is missing: pip install scikit-learn"
        ) from None
    found = load_digits()
    images = (found.images / 16.0).astype(np.float32)
    labels = found.target.astype(np.int64)
    order = randperm(len(labels), generator=Generator(seed)).numpy()
    held = np.zeros(len(labels), dtype=bool)
    for digit in range(10):
        same = order[labels[order] == digit]
        count = round(test * len(same))
        if not 0 < count < len(same):
            raise ValueError(f"digits: test={test} leaves one side without a {digit}.")
        held[same[:count]] = True

    def part(chosen: Any) -> TensorDataset:
        pixels = asarray(images[chosen]).reshape(len(chosen), *shape)
        return TensorDataset(pixels, asarray(labels[chosen]))

    return part(order[~held[order]]), part(order[held[order]])
