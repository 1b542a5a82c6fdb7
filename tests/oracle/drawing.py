"""Tensors, shapes, axes and indices for hypothesis to draw."""

import numpy as np
import torch
from hypothesis import strategies as st
from side_by_side import LAYOUTS

sizes = st.integers(0, 4)


class Draw:
    """What one example is made of; `dtype` is the dtype of its floats. `twice`: whether the second
    derivatives can be compared, too; a case that says no says why.
    """

    def __init__(self, draw, dtype):
        self.draw, self.dtype, self.twice = draw, dtype, True
        self.rng = np.random.default_rng(draw(st.integers(0, 10_000)))

    def shape(self, least=0, most=4):
        """0 to 4 axes, of 0 to 4 elements each."""
        return tuple(self.draw(st.lists(sizes, min_size=least, max_size=most)))

    def one_of(self, *choices):
        return self.draw(st.sampled_from(choices))

    def part_of(self, shape):
        """A shape that can be broadcast to this one."""
        kept = self.draw(st.integers(0, len(shape)))
        return tuple(self.one_of(n, n, 1) for n in shape[len(shape) - kept :])

    def tensor(self, shape, low=-3.0, high=3.0, gap=0.0, ties=False, gradient=True):
        """Numbers from low to high, none closer to 0 than gap; ties: whole numbers, some equal."""
        values = self.rng.uniform(low, high, shape)
        values = np.rint(values) if ties else values + np.sign(values) * gap
        return self.placed(torch.as_tensor(np.array(values), dtype=self.dtype), gradient)

    def mask(self, shape):
        return self.placed(torch.as_tensor(np.array(self.rng.random(shape) < 0.5)), False)

    def indices(self, shape, size):
        """Indices into an axis of `size`, with repetitions."""
        drawn = self.rng.integers(0, size, shape) if size else np.zeros((0,) * len(shape), int)
        return self.placed(torch.as_tensor(np.array(drawn)), False)

    def placed(self, tensor, gradient):
        tensor.placement = self.one_of(*LAYOUTS)
        return tensor.requires_grad_(gradient)

    def axis(self, ndim):
        """One axis, from the front or from the back."""
        return self.draw(st.integers(-ndim, ndim - 1))

    def axes(self, ndim):
        """None, or some axes, each once."""
        if not ndim or self.draw(st.booleans()):
            return None
        chosen = self.draw(st.lists(st.integers(0, ndim - 1), min_size=1, unique=True))
        return tuple(a - ndim if self.draw(st.booleans()) else a for a in chosen)
