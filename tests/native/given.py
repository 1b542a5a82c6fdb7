"""Arrays to try kernels on: drawn, of odd sizes, and lying in memory in every way. And the trial:
what a kernel writes, what is right, and that nothing else was touched.
"""

import numpy as np

import minigrad.reference.ops  # noqa: F401  which enters the kernels of NumPy
from minigrad import kernels
from minigrad.kernels.using import BITS

FLOATS = ("float32", "float64")
TYPES = (*FLOATS, "int64", "bool")
SIZES = (0, 1, 7, 17, 33, 65, 127, 1009, 20000)
POISON = {"f": np.nan, "i": -(2**62), "b": True}


def drawn(shape, dtype, seed=0, low=-3.0, high=3.0):
    """Distinct numbers."""
    rng = np.random.default_rng((seed, *shape))
    if np.dtype(dtype).kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    if np.dtype(dtype).kind == "i":
        return np.asarray(rng.integers(-50, 50, shape), dtype)
    return np.asarray(rng.uniform(low, high, shape), dtype)


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


def ours(op, dtype):
    """(step, kernel) of each step that takes this dtype as its first."""
    keys = [k for k in kernels.entries(op) if (k.backend, k.owner) == ("cpp", "ref")]
    found = [(k.step, kernels.lookup(op, backend="cpp", step=k.step)) for k in keys]
    return [(step, kernel) for step, kernel in found if kernel.types & BITS[dtype]]


def wide(x):
    """Floats as float64; whole numbers and bools as they are."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def numpys(op, inputs, shape, dtype, numbers=()):
    """What NumPy's kernel makes of the inputs, in float64."""
    right = np.empty(shape, np.float64 if np.dtype(dtype).kind == "f" else dtype)
    with np.errstate(all="ignore"):
        kernels.lookup(op, backend="numpy")(*map(wide, inputs), right, *numbers)
    return right


def same(named, found, right, ulps, scale=1.0):
    """`found` is `right`, to so many ulps of it or of `scale`, whichever is larger."""
    if found.dtype.kind != "f":
        assert np.array_equal(found, right), named
        return
    room = ulps * np.finfo(found.dtype).eps * np.maximum(np.abs(right), scale)
    with np.errstate(all="ignore"):
        near = np.abs(found - right) <= room
    good = near | (found == right) | (np.isnan(found) & np.isnan(right))
    bad = np.argwhere(~good)
    assert not len(bad), (
        f"{named}: {len(bad)} wrong, first at {tuple(bad[0])}: {found[tuple(bad[0])]!r} for "
        f"{right[tuple(bad[0])]!r}"
    )


def tried(op, inputs, rights, dtypes, numbers=(), out_way="plain", ulps=8, scale=1.0):
    """Every step of `op` on the inputs gives `rights`, one for each thing it writes, and touches
    nothing else.
    """
    steps = ours(op, str(inputs[0].dtype))
    assert steps, f"no kernel {op} takes {inputs[0].dtype}"
    for step, kernel in steps:
        before = [x.copy() for x in inputs]
        outs = [Guarded(r.shape, t, out_way) for r, t in zip(rights, dtypes, strict=True)]
        kernel(*inputs, *(out.array for out in outs), *numbers)
        named = f"{op} step {step}, {[(x.shape, x.strides) for x in inputs]} {inputs[0].dtype}"
        for out, right in zip(outs, rights, strict=True):
            same(named, out.array, right, ulps, scale)
            assert out.intact(), f"{named}: wrote outside"
        for x, kept in zip(inputs, before, strict=True):
            assert x.tobytes() == kept.tobytes(), f"{named}: changed its input"


def compare(op, inputs, shape, dtype=None, numbers=(), out_way="plain", ulps=8):
    """Every step of `op` gives what NumPy's kernel does in float64."""
    dtype = dtype or str(inputs[0].dtype)
    right = numpys(op, inputs, shape, dtype, numbers)
    tried(op, inputs, [right], [dtype], numbers, out_way, ulps)


def over(out, axes, shape):
    """`out` expanded to `shape`, with stride 0 along the axes that are reduced."""
    strides = [0 if a in axes else s for a, s in enumerate(out.strides)]
    return np.lib.stride_tricks.as_strided(out, shape, strides)
