"""Arrays to try kernels on: drawn, of odd sizes, and lying in memory in every way."""

import numpy as np

SIZES = (0, 1, 7, 17, 33, 65, 127)
POISON = {"f": np.nan, "i": -(2**62), "b": True}


def drawn(shape, dtype, seed=0, low=-3.0, high=3.0):
    """Distinct numbers."""
    rng = np.random.default_rng((seed, *shape))
    if np.dtype(dtype).kind == "b":
        return rng.random(shape) < 0.5
    if np.dtype(dtype).kind == "i":
        return rng.integers(-50, 50, shape).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


def laid(x, how):
    """x again, as a view of other memory: "plain", "backwards", "every second", "turned", "inner",
    "repeated" along its first axis (which changes its numbers).
    """
    if how == "plain" or x.ndim == 0:
        return x.copy()
    if how == "backwards":
        return np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    if how == "every second":
        wide = np.full((*x.shape[:-1], 2 * x.shape[-1]), POISON[x.dtype.kind], x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if how == "turned":
        return np.asfortranarray(x)
    if how == "inner":  # at an odd place, between guards
        wide = np.full([n + 2 for n in x.shape], POISON[x.dtype.kind], x.dtype)
        part = (slice(1, -1),) * x.ndim
        wide[part] = x
        return wide[part]
    assert how == "repeated"
    return np.broadcast_to(x[:1], x.shape)


WAYS = ("plain", "backwards", "every second", "turned", "inner", "repeated")


class Guarded:
    """An output full of poison, between two guards that nothing may touch."""

    def __init__(self, shape, dtype, how="plain"):
        count = int(np.prod(shape))
        self.whole = np.full(count + 64, POISON[np.dtype(dtype).kind], dtype)
        inside = self.whole[32 : 32 + count]
        if how == "turned":
            self.array = inside.reshape(shape[::-1]).transpose()
        elif how == "backwards":
            self.array = inside[::-1].reshape(shape)
        else:
            self.array = inside.reshape(shape)

    def intact(self):
        ends = np.concatenate([self.whole[:32], self.whole[-32:]])
        poison = np.full(64, POISON[self.whole.dtype.kind], self.whole.dtype)
        return ends.tobytes() == poison.tobytes()
