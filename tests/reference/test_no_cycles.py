"""Whatever ops build is gone when the last name for it is gone: no op makes a cycle.

A vjp that held its own output would: out -> vjp -> out. Reference counting frees no cycle, and a
long run would fill the memory between two collections. Here the collector is off.
"""

import gc
import weakref
from contextlib import contextmanager
from unittest import mock

import numpy as np
import pytest
from recorded import Recorded, gradients, recording

from minigrad.reference import engine as mg
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.op import Tape, elementwise, kernel

LENGTH = 10_000
SHAPE = (2, 3)
PLACES = asarray(np.array([[0, 2, 2], [1, 0, 1]]))
MASK = asarray(np.array([[True, False, True], [False, False, True]]))
SQUARE = asarray(np.array([[0.5, 0.1, 0.0], [0.2, 0.5, 0.1], [0.0, 0.3, 0.5]]))

ALONE = [
    "abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "gelu", "log", "log1p", "log_softmax",
    "neg", "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sign", "silu", "sin", "softmax",
    "softplus", "sqrt", "square", "tanh", "tril", "triu", "flip",
]  # fmt: skip
PAIRED = ["add", "div", "maximum", "minimum", "mul", "pow", "sub"]
BOOL = ["isfinite", "isinf", "isnan", "logical_not"]
BOOL_PAIRED = [
    "equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or",
    "logical_xor", "not_equal",
]  # fmt: skip
REDUCED = ["max", "mean", "min", "prod", "std", "sum", "var", "logsumexp"]
PLACED = ["argmax", "argmin", "any", "all"]


def floats(x):
    return mg.astype(x, "float64")


def spread(x):
    return mg.expand(x, SHAPE)


def step(name, *more, back=lambda y: y, **options):
    """From an array of SHAPE to another one, by way of the op."""
    op = getattr(mg, name)
    return lambda x: back(op(x, *more, **options))


STEPS = (
    {n: step(n) for n in ALONE}
    | {n: step(n, 1.5) for n in PAIRED}
    | {n: step(n, back=floats) for n in BOOL}
    | {n: step(n, 1.5, back=floats) for n in BOOL_PAIRED}
    | {n: step(n, axis=0, back=spread) for n in REDUCED}
    | {n: step(n, axis=0, back=lambda y: spread(floats(y))) for n in PLACED}
    | {
        "astype": floats,
        "binary_cross_entropy_with_logits": step(
            "binary_cross_entropy_with_logits", 0.5, reduction="none"
        ),
        "cat": lambda x: mg.getitem(mg.cat([x, x]), slice(0, 2)),
        "clip": lambda x: mg.clip(x, -1.0, 1.0),
        "cross_entropy": lambda x: spread(mg.cross_entropy(x, [0, 2], label_smoothing=0.1)),
        "cumsum": lambda x: mg.cumsum(x, axis=1),
        "expand": lambda x: mg.getitem(mg.expand(x, (2, *SHAPE)), 1),
        "gather": lambda x: mg.gather(x, PLACES, axis=1),
        "getitem": lambda x: mg.getitem(x, ([1, 1], slice(None))),
        "masked_fill": lambda x: mg.masked_fill(x, MASK, 0.5),
        "matmul": lambda x: mg.matmul(x, SQUARE),
        "matrix_transpose": lambda x: mg.matrix_transpose(mg.matrix_transpose(x)),
        "mse": step("mse", 0.5, reduction="none"),
        "one_hot": lambda x: floats(mg.one_hot(mg.argmax(x, axis=1), 3)),
        "pad": lambda x: mg.getitem(mg.pad(x, 1), (slice(0, 2), slice(1, 4))),
        "permute_dims": lambda x: mg.permute_dims(mg.permute_dims(x, (1, 0)), (1, 0)),
        "reshape": lambda x: mg.reshape(mg.reshape(x, (3, 2)), SHAPE),
        "roll": lambda x: mg.roll(x, 1, 1),
        "scatter_add": lambda x: mg.scatter_add(x, PLACES, x, axis=1),
        "split": lambda x: mg.cat(mg.split(x, 1)),
        "squeeze": lambda x: mg.squeeze(mg.unsqueeze(x, 1), 1),
        "stack": lambda x: mg.getitem(mg.stack([x, x]), 0),
        "sum_to": lambda x: spread(mg.sum_to(x, (1, 3))),
        "take": lambda x: mg.take(x, PLACES.sliced(0), axis=1),
        "tile": lambda x: mg.getitem(mg.tile(x, (2, 1)), slice(0, 2)),
        "unsqueeze": lambda x: mg.reshape(mg.unsqueeze(x, 0), SHAPE),
        "where": lambda x: mg.where(MASK, x, 0.5),
    }
)


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def start():
    return Recorded.of(asarray(np.array([[0.5, 1.5, -0.5], [2.5, 0.25, 1.0]])))


def arrays_alive():
    return sum(isinstance(each, Array) for each in gc.get_objects())


def built_and_dropped(step, length):
    x = start()
    for _ in range(length):
        x = step(x)
    assert x.shape == SHAPE


def walked_and_dropped(step):
    x = y = start()
    for _ in range(20):
        y = step(y)
    gradients([y], [asarray(np.ones(SHAPE))], [x])


def test_every_op_has_a_step():
    assert {name for name, value in vars(mg).items() if callable(value)} == STEPS.keys()


@pytest.mark.parametrize("name", STEPS)
def test_nothing_is_left(name, no_collector):
    before = arrays_alive()
    with recording():
        built_and_dropped(STEPS[name], LENGTH)
        walked_and_dropped(STEPS[name])
    assert arrays_alive() == before


def test_pullbacks_leave_nothing(no_collector):
    before = arrays_alive()
    x = asarray(np.ones(SHAPE))
    kept = [x]
    for _ in range(LENGTH):
        kept += mg.exp.with_vjp(kept[-2] if len(kept) > 1 else x)
    (g,) = kept[-1](x)
    assert g.shape == SHAPE
    del x, kept, g
    assert arrays_alive() == before


@contextmanager
def watched():
    """Inside, the results that ops hand to the tape are noted, weakly: what still holds one later
    is its own vjp.
    """
    results = []

    def record(out, parents, pull):
        results.append(weakref.ref(out))
        return Recorded.of(out, parents, pull)

    with recording(), mock.patch.object(Tape, "record", staticmethod(record)):
        yield results


@pytest.mark.parametrize("name", STEPS)
def test_no_vjp_holds_its_own_result(name, no_collector):
    with watched() as results:
        y = STEPS[name](start())
        assert y.shape == SHAPE
        assert results
        assert not [r for r in results if r() is not None]


def test_a_vjp_that_holds_its_own_result_is_noticed(no_collector):
    @elementwise
    def leaky(x):
        out = kernel("exp", x)
        return out, lambda g, _: (g * out,)

    with watched() as results:
        y = leaky(start())
        assert y.shape == SHAPE
        assert [r for r in results if r() is not None]


def test_a_cycle_is_noticed(no_collector):
    class Cyclic(Recorded):
        __slots__ = ("itself",)

    def leaky(x):
        node = Cyclic.of(x, (x,))
        node.itself = node
        return node

    before = arrays_alive()
    built_and_dropped(leaky, 10)
    assert arrays_alive() >= before + 10
