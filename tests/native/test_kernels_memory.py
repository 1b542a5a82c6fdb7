"""What kernels may be given, and what they refuse: overlaps, types, distances beyond 32 bits, and
any strides at all.
"""

import mmap

import numpy as np
import pytest
from given import Guarded, compare, drawn, numpys, same
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad import kernels

pytestmark = pytest.mark.usefixtures("kernels_built")
as_strided = np.lib.stride_tricks.as_strided


def ours(op):
    return kernels.lookup(op, backend="cpp")


def test_what_is_written_may_not_be_read():
    memory = drawn((40,), "float32")
    for out in (memory[:20], memory[19:39], memory[10:30], memory[:20][::-1]):
        with pytest.raises(
            ValueError, match="neg: what it writes shares memory with what it reads"
        ):
            ours("neg")(memory[:20], out)
    ours("neg")(memory[:20], memory[20:])
    assert (memory[20:] == -memory[:20]).all()
    other = drawn((20,), "float32", 1)
    for x, y in ((memory[:20], other), (other, memory[:20])):
        with pytest.raises(ValueError, match="add: what it writes shares"):
            ours("add")(x, y, memory[:20])
    ours("add")(other, other, memory[:20])  # two that are read may be one


def test_overlaps_in_lists_are_found():
    p, g, m, v = (drawn((3, 4), "float32", k) for k in range(4))
    rates = (0.1, 0.9, 0.999, 1e-8, 0.0, 0, 1)
    for lists in (
        ([g, g], [p, p], [m, m], [v, v]),
        ([p], [p], [m], [v]),
        ([g], [p], [m], [m]),
        ([g, m], [p, g], [v, m], [p, v]),
    ):
        with pytest.raises(ValueError, match="adam: what it writes shares memory"):
            ours("adam")(*lists, *rates)
    ours("adam")([g[0], g[1], g[0]], [p[0], p[1], p[2]], list(m), list(v), *rates)


def test_what_no_kernel_takes():
    x, out = drawn((4,), "float32"), np.empty(4, "float32")
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ours("neg")(x, out)
    with pytest.raises(TypeError, match="exp: this kernel does not take numbers of this dtype"):
        ours("exp")(np.arange(4), np.arange(4))
    with pytest.raises(TypeError, match="expected a list of ndarrays, got ndarray"):
        ours("sgd")(x, [x], 0.1, 0.0)
    odd = np.frombuffer(bytes(17), dtype=np.uint8)[1:17].view("float32")
    with pytest.raises(ValueError, match="give a copy of it"):
        ours("neg")(odd, np.empty(4, "float32"))
    with pytest.raises(TypeError, match="takes 2 arguments, got 1"):
        ours("neg")(x)


def test_views_that_do_not_go_together():
    """A kernel that is called without an op above it may not read beyond the end."""
    x, y = drawn((4, 6), "float32"), drawn((4, 5), "float32", 1)
    out, index = np.empty((4, 6), "float32"), np.array([0, 4])
    for op, views in (
        ("neg", (x, out[:3])),
        ("add", (x, y, out)),
        ("add", (x, x.astype("float64"), out)),
        ("neg", (x, out.astype("float64"))),
        ("softmax", (x, out[:, :5])),
        ("matmul", (x, y, np.empty((4, 5), "float32"))),
        ("take", (x, index, out[:2])),
        ("take", (x, index[:1], out[:2])),
        ("index_add", (x[:2], index, out)),
        ("gather", (x, np.array([[6]] * 4), np.empty((4, 1), "float32"))),
        ("layer_norm", (x, x[0, :5], x[0], out, out[:, 0].copy(), out[:, 0].copy(), 1e-5)),
        ("sgd", ([x], [out, y], 0.1, 0.0)),
        ("adam", ([x], [y], [out], [y.copy()], 0.1, 0.9, 0.9, 1e-8, 0.0, 0, 1)),
    ):
        with pytest.raises(ValueError, match=f"^{op}: "):
            ours(op)(*views)


@pytest.fixture(scope="module")
def far():
    """Room for floats that is larger than 32 bits can count; what is not touched is not there."""
    nbytes, untouched = 4 * (2**32 + 2**12), 0x4000  # MAP_NORESERVE
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | untouched
    return np.frombuffer(mmap.mmap(-1, nbytes, flags=flags), dtype="float32")


@pytest.mark.parametrize("stride", (2**31 + 5, 2**32 + 3, -(2**31) - 5))
def test_distances_beyond_32_bits(far, stride):
    start = 0 if stride > 0 else -stride
    x = as_strided(far[start:], (2, 7), (4 * stride, 4))
    x[...] = drawn((2, 7), "float32")
    near = drawn((2, 7), "float32", 1)
    compare("exp", [x], x.shape)
    compare("add", [x, near], x.shape)
    compare("softmax", [x], x.shape)
    compare("copy", [x.T], (7, 2))
    compare("matmul", [x, near.T.copy()], (2, 2), ulps=64)
    compare("matmul", [near.T.copy(), x], (7, 7), ulps=64)
    compare("take", [x, np.array([1, 0, 1])], (3, 7))
    for op in ("neg", "copy"):
        x[...] = np.nan
        ours(op)(near, x)
        same(op, np.array(x), numpys(op, [near], x.shape, "float32"), 1)


SIZES = st.lists(st.integers(0, 5), min_size=1, max_size=4)
STRIDES = st.lists(st.integers(-7, 7), min_size=4, max_size=4)


@settings(max_examples=60, deadline=None)
@given(SIZES, STRIDES, STRIDES, st.sampled_from(("float32", "float64", "int64")))
def test_any_strides(sizes, left, right, dtype):
    """Views that overlap themselves, stand still, or walk backwards."""
    views = []
    for seed, strides in enumerate((left, right)):
        steps = strides[: len(sizes)]
        low = sum((n - 1) * s for n, s in zip(sizes, steps, strict=True) if s < 0 and n)
        memory = drawn((400,), dtype, seed)
        each = [s * memory.itemsize for s in steps]
        views.append(as_strided(memory[-min(low, 0) :], sizes, each, writeable=False))
    x, y = views
    shape = tuple(sizes)
    for op, inputs in (("add", [x, y]), ("neg", [x]), ("copy", [x]), ("maximum", [x, y])):
        right_one = numpys(op, inputs, shape, dtype)
        out = Guarded(shape, dtype, "turned")
        ours(op)(*inputs, out.array)
        same(f"{op} {shape} {left} {right}", out.array, right_one, 2)
        assert out.intact()
    if x.ndim > 1 and x.size:
        total = np.empty((1, *shape[1:]), "int64" if dtype == "int64" else dtype)
        over = as_strided(total, shape, (0, *total.strides[1:]))
        ours("sum")(x, over)
        same("sum", total, x.sum(0, keepdims=True, dtype=np.float64).astype(total.dtype), 16, 8.0)
