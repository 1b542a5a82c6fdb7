"""Whatever ops build is gone when the last name for it is gone: no op makes a cycle.

A vjp that held its own result as a tensor would: tensor -> node -> vjp -> tensor. Reference
counting frees no cycle, and a long run would fill the memory between two collections. Here the
collector is off. A vjp that held the numbers of its result alone would keep them when its node lets
go of them, and take them for a constant in a second derivative.
"""

import gc
from contextlib import contextmanager
from types import CellType, FunctionType
from unittest import mock

import numpy as np
import pytest

from minigrad.reference import engine as mg
from minigrad.reference.array import Array
from minigrad.reference.autograd import Node
from minigrad.reference.backward import grad
from minigrad.reference.creation import asarray
from minigrad.reference.op import Tape, elementwise, kernel
from minigrad.reference.tensor import Tensor

LENGTH = 10_000
SHAPE = (2, 3)
PLACES = Tensor(asarray(np.array([[0, 2, 2], [1, 0, 1]])))
MASK = Tensor(asarray(np.array([[True, False, True], [False, False, True]])))
SQUARE = Tensor(asarray(np.array([[0.5, 0.1, 0.0], [0.2, 0.5, 0.1], [0.0, 0.3, 0.5]])))
ROW = Tensor(asarray(np.array([1.5, -2.5, 3.5])))
FILTER = Tensor(asarray(SQUARE.numpy()[None, None]))
RUNNING = [Tensor(asarray(np.zeros(3))), Tensor(asarray(np.ones(3)))]

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


def finite(x):
    return mg.where(mg.isfinite(x), x, 0.5)


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
        "avg_pool2d": lambda x: mg.avg_pool2d(x[None], 3, 1, 1)[0],
        "batch_norm": lambda x: mg.batch_norm(x, *RUNNING, ROW, ROW, True),
        "binary_cross_entropy_with_logits": step(
            "binary_cross_entropy_with_logits", 0.5, reduction="none"
        ),
        "cat": lambda x: mg.getitem(mg.cat([x, x]), slice(0, 2)),
        "clip": lambda x: mg.clip(x, -1.0, 1.0),
        "conv2d": lambda x: mg.conv2d(x[None], FILTER, ROW[:1], padding=1)[0],
        "conv_transpose2d": lambda x: mg.conv_transpose2d(x[None], FILTER, ROW[:1], padding=1)[0],
        "cross_entropy": lambda x: spread(mg.cross_entropy(x, [0, 2], label_smoothing=0.1)),
        "cumsum": lambda x: mg.cumsum(x, axis=1),
        "embedding": lambda x: mg.embedding(x, PLACES[:, 0]),
        "expand": lambda x: mg.getitem(mg.expand(x, (2, *SHAPE)), 1),
        "gather": lambda x: mg.gather(x, PLACES, axis=1),
        "getitem": lambda x: mg.getitem(x, ([1, 1], slice(None))),
        "layer_norm": lambda x: mg.layer_norm(x, ROW, ROW),
        "masked_fill": lambda x: mg.masked_fill(x, MASK, 0.5),
        "matmul": lambda x: mg.matmul(x, SQUARE),
        "max_pool2d": lambda x: mg.max_pool2d(x[None], 3, 1, 1)[0],
        "matrix_transpose": lambda x: mg.matrix_transpose(mg.matrix_transpose(x)),
        "mse": step("mse", 0.5, reduction="none"),
        "multinomial": lambda x: spread(floats(mg.multinomial(mg.softmax(finite(x)), 3))),
        "one_hot": lambda x: floats(mg.one_hot(mg.argmax(x, axis=1), 3)),
        "pad": lambda x: mg.getitem(mg.pad(x, 1), (slice(0, 2), slice(1, 4))),
        "permute_dims": lambda x: mg.permute_dims(mg.permute_dims(x, (1, 0)), (1, 0)),
        "reshape": lambda x: mg.reshape(mg.reshape(x, (3, 2)), SHAPE),
        "rms_norm": lambda x: mg.rms_norm(x, ROW),
        "roll": lambda x: mg.roll(x, 1, 1),
        "rotary": lambda x: mg.permute_dims(mg.rotary(mg.permute_dims(x, (1, 0)), 5), (1, 0)),
        "scaled_dot_product_attention": lambda x: mg.scaled_dot_product_attention(
            x, x, x, ROW[:2], causal=True, dropout=0.25
        ),
        "scatter_add": lambda x: mg.scatter_add(x, PLACES, x, axis=1),
        "split": lambda x: mg.cat(mg.split(x, 1)),
        "squeeze": lambda x: mg.squeeze(mg.unsqueeze(x, 1), 1),
        "stack": lambda x: mg.getitem(mg.stack([x, x]), 0),
        "sum_to": lambda x: spread(mg.sum_to(x, (1, 3))),
        "take": lambda x: mg.take(x, PLACES[0], axis=1),
        "tile": lambda x: mg.getitem(mg.tile(x, (2, 1)), slice(0, 2)),
        "topk": lambda x: mg.topk(x, 2, axis=0)[0],
        "unsqueeze": lambda x: mg.reshape(mg.unsqueeze(x, 0), SHAPE),
        "where": lambda x: mg.where(MASK, x, 0.5),
        "written": lambda x: mg.written(mg.written(x, 0, ROW), ([1, 1], [0, 2]), x[0, :2]),
    }
)


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def start():
    numbers = np.array([[0.5, 1.5, -0.5], [2.5, 0.25, 1.0]])
    return Tensor(asarray(numbers)).requires_grad_()


def alive():
    """How many arrays, tensors and nodes there are."""
    # By type: asking for __class__ may run code of another library.
    return sum(issubclass(type(each), Array | Tensor | Node) for each in gc.get_objects())


def built_and_dropped(step, length):
    x = start()
    for _ in range(length):
        x = step(x)
    assert x.shape == SHAPE


def walked_and_dropped(step):
    """The gradient of a chain, with a recording of its own, once not walked over and once."""
    x = y = start()
    for _ in range(8):
        y = step(y)
    if y.requires_grad:
        g = Tensor(asarray(np.ones(SHAPE))).requires_grad_()
        grad(y, x, g, create_graph=True)
        grad(grad(y, x, g, create_graph=True), [x, g], g, allow_unused=True)


def test_every_op_has_a_step():
    assert {name for name, value in vars(mg).items() if callable(value)} == STEPS.keys()


@pytest.mark.parametrize("name", STEPS)
def test_nothing_is_left(name, no_collector):
    before = alive()
    built_and_dropped(STEPS[name], LENGTH // 10)
    walked_and_dropped(STEPS[name])
    assert alive() == before


def test_nothing_is_left_of_a_long_mixture(no_collector):
    def every_step(x):
        for step in STEPS.values():
            x = mg.sub(step(x), x)  # what comes out of some has no gradient
        return x

    before = alive()
    built_and_dropped(every_step, LENGTH // len(STEPS))
    walked_and_dropped(every_step)
    assert alive() == before


def test_pullbacks_leave_nothing(no_collector):
    before = alive()
    x = asarray(np.ones(SHAPE))
    kept = [x]
    for _ in range(LENGTH):
        kept += mg.exp.with_vjp(kept[-2] if len(kept) > 1 else x)
    (g,) = kept[-1](x)
    assert g.shape == SHAPE
    del x, kept, g
    assert alive() == before


@contextmanager
def watched():
    """Inside, the names of ops are noted whose vjp reaches the memory of their own result.

    Memory that is an argument's, too, does not count: a vjp may hold arguments, and their views.
    """
    recorded, at_fault = Tape.record, []

    def record(name, out, args, vjp):
        own = {id(out.buffer)} - buffers(args)
        if own & buffers(vjp):
            at_fault.append(name)
        return recorded(name, out, args, vjp)

    with mock.patch.object(Tape, "record", staticmethod(record)):
        yield at_fault


def buffers(held):
    """The memory of all arrays that something holds: a vjp in its cells, through tuples, lists,
    dicts and functions of its own.
    """
    found, seen, rest = set(), set(), [held]
    while rest:
        each = rest.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Tensor):
            rest.append(each.array)
        elif isinstance(each, Array):
            found.add(id(each.buffer))
        elif isinstance(each, FunctionType):
            rest += [*(each.__closure__ or ()), *(each.__defaults__ or ())]
        elif isinstance(each, CellType | tuple | list | dict):
            rest += gc.get_referents(each)
    return found


@pytest.mark.parametrize("name", STEPS)
def test_no_vjp_holds_its_own_result(name):
    with watched() as at_fault:
        walked_and_dropped(STEPS[name])
    assert not at_fault


LEAKY = {
    "its result": lambda out: lambda g, _: (g * out,),
    "a view of it": lambda out: lambda g, _, kept=(out.T,): (g * kept[0].T,),
    "a function that holds it": lambda out: (lambda slope: lambda g, _: (g * slope(),))(
        lambda: out
    ),
}


@pytest.mark.parametrize("name", LEAKY)
def test_a_vjp_that_holds_its_own_result_is_noticed(name):
    @elementwise
    def leaky(x):
        out = kernel("exp", x)
        return out, LEAKY[name](out)

    with watched() as at_fault:
        assert leaky(start()).shape == SHAPE
    assert at_fault == ["leaky"]


def cyclic(x):
    """An op whose vjp holds its result, with the node."""
    held = []
    held.append(Tape.record("cyclic", kernel("exp", x), (x,), lambda g, _: (g * held[0],)))
    return held[0]


def test_a_cycle_is_noticed(no_collector):
    before = alive()
    built_and_dropped(cyclic, 10)
    assert alive() >= before + 10


def test_a_cycle_among_the_gradients_is_noticed(no_collector):
    @elementwise
    def leaky(x):
        return kernel("exp", x), lambda g, out: (cyclic(g),)

    before = alive()
    built_and_dropped(leaky, 10)
    assert alive() == before
    walked_and_dropped(leaky)
    assert alive() > before
