"""Calls of every op that has a gradient: odd shapes, broadcasting, axes, views.

CASES: the op's name, and its calls: a function of tensors, and the tensors. All stand at points
where the op is smooth.
"""

import numpy as np

import minigrad as mg
from minigrad.reference import engine

CASES = {}


def drawn(*shape, low=-2.0, high=2.0, gap=0.15, seed=0):
    """Numbers from low to high, none closer than gap to a whole or a half one, where ops may have
    kinks; all different.
    """
    size = int(np.prod(shape))
    steps = np.arange(np.ceil(2 * low), 2 * high) / 2
    grid = np.concatenate([np.linspace(a + gap, a + 0.5 - gap, size) for a in steps])
    return mg.tensor(np.random.default_rng(seed).permutation(grid)[:size].reshape(shape))


def positive(*shape, seed=0):
    return drawn(*shape, low=0.5, seed=seed)


def case(name, *calls):
    assert name not in CASES
    CASES[name] = calls


def layouts(make):
    """One array in odd shapes and as views."""
    yield from (make(2, 3), make(), make(1, 2, 1), make(0, 2))
    yield from (make(3, 2).T, make(4, 3)[::-2, 1:], make(1, 2).expand(2, 2))


def pairs(make):
    """Two arrays that are broadcast."""
    yield from ((make(2, 3), make(2, 3, seed=1)), (make(2, 1), make(3, seed=1)))
    yield from ((make(), make(2, seed=1)), (make(2, 0), make(1, seed=1)))
    yield make(3, 2).T[::-1], make(1, 6, seed=1)[:, ::2]


ALONE = """
    abs ceil cos erf exp expm1 floor gelu neg relu round sigmoid sign silu sin softplus square tanh
"""
for name in ALONE.split():
    case(name, *[(getattr(engine, name), x) for x in layouts(drawn)])
for name in ("log", "log1p", "reciprocal", "rsqrt", "sqrt"):
    case(name, *[(getattr(engine, name), x) for x in layouts(positive)])
for name in ("add", "sub", "mul", "maximum", "minimum"):
    case(name, *[(getattr(engine, name), x, y) for x, y in pairs(drawn)])
case("div", *[(engine.div, x, y) for x, y in pairs(positive)])
case("pow", *[(engine.pow, x, y) for x, y in pairs(positive)], (lambda x: x**3, drawn(2, 3)))
CASES["gelu"] += ((lambda x: engine.gelu(x, "tanh"), drawn(2, 3)),)

MASK = mg.tensor(np.array([[True, False, True], [False, False, True]]))
case(
    "where",
    (lambda x, y: engine.where(MASK, x, y), drawn(3), drawn(2, 1, seed=1)),
    (lambda x: engine.where(MASK, x, 0.5), drawn(3, 2).T),
)
case(
    "masked_fill",
    (lambda x: engine.masked_fill(x, MASK, 0.5), drawn(2, 3)),
    (lambda x: engine.masked_fill(x, MASK, -np.inf).exp(), drawn(3)),
)
case(
    "clip",
    (lambda x: engine.clip(x, -1.0, 0.5), drawn(2, 4)),
    (lambda x: engine.clip(x, None, 0.5), drawn(5, 2).T),
)
case("astype", (lambda x: engine.astype(x, "float64"), drawn(3, 2).T))

AXES = (None, 0, -1, (0, 2), (1, -1), ())
for name in ("sum", "mean", "max", "min", "prod", "var", "std", "logsumexp"):
    op, some = getattr(engine, name), () if name in ("var", "std") else AXES[-1:]
    case(
        name,
        *[(lambda x, o=op, a=a: o(x, axis=a), drawn(2, 1, 3)) for a in (*AXES[:3], *some)],
        *[(lambda x, o=op, a=a: o(x, axis=a, keepdims=True), drawn(3, 2, 2).T) for a in AXES[3:5]],
    )
for op in (engine.sum, engine.prod, engine.logsumexp):
    CASES[op.__name__] += ((lambda x, o=op: o(x, axis=1), drawn(0, 2)),)
for name in ("var", "std"):
    op = getattr(engine, name)
    CASES[name] += ((lambda x, o=op: o(x, axis=1, correction=1), drawn(2, 3)),)
# Zeros among the factors: of one, of two, of all.
ZEROS = mg.tensor(np.array([[2.0, 0.0, -3.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [1.5, 2.0, 3.0]]))
CASES["prod"] += ((lambda x: engine.prod(x, axis=1), ZEROS), (lambda x: engine.prod(x), drawn(1)))
for name in ("softmax", "log_softmax", "cumsum"):
    op = getattr(engine, name)
    shapes = ((2, 3), (3, 1, 2), (4,), (0, 2), (2, 1))
    case(
        name,
        *[(lambda x, o=op: o(x, axis=-1), drawn(*shape)) for shape in shapes],
        *[(lambda x, o=op, a=a: o(x, axis=a), drawn(3, 2).T[::-1]) for a in (0, 1)],
    )
CASES["cumsum"] += ((engine.cumsum, drawn(2, 3)),)

SHAPES = (((2, 3), (3, 2)), ((3,), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 1, 2, 3), (2, 3, 1)))
SHAPES += (((1, 2), (3, 2, 2)), ((2, 0), (0, 3)))
case(
    "matmul",
    *[(engine.matmul, drawn(*x), drawn(*y, seed=1)) for x, y in SHAPES],
    (lambda x: engine.matmul(x, x), drawn(3, 3).T),
    (engine.matmul, drawn(3, 2).T, drawn(2, 6, seed=1).T[::-2]),
)

HOW = ("mean", "sum", "none")
case(
    "mse",
    *[(lambda x, y, how=h: engine.mse(x, y, reduction=how), drawn(2, 3), drawn(3)) for h in HOW],
    (lambda x, y: engine.mse(x, y, reduction="sum"), drawn(0, 2), drawn(2, seed=1)),
)
TARGETS = mg.tensor([[2, 0], [1, 1]])
case(
    "cross_entropy",
    *[
        (lambda x, how=h: engine.cross_entropy(x, TARGETS, reduction=how), drawn(3, 2, 2).T)
        for h in HOW
    ],
    (lambda x: engine.cross_entropy(x, TARGETS[0], label_smoothing=0.2), drawn(2, 3)),
    (lambda x: engine.cross_entropy(x, TARGETS, ignore_index=1), drawn(2, 2, 3)),
    (lambda x: engine.mul(engine.cross_entropy(x, TARGETS[0]), 1.0), drawn(2, 4)[::-1]),
)
case(
    "binary_cross_entropy_with_logits",
    *[
        (
            lambda x, t, how=h: engine.binary_cross_entropy_with_logits(
                x, t, pos_weight=2.5, reduction=how
            ),
            drawn(2, 3),
            positive(3, seed=1),
        )
        for h in HOW
    ],
    (engine.binary_cross_entropy_with_logits, drawn(3, 2).T, positive(2, 1, seed=1)),
)

case(
    "expand",
    (lambda x: engine.expand(x, (2, 2, 3)), drawn(2, 1)),
    (lambda x: engine.expand(x, (3,)), drawn()),
)
case(
    "sum_to",
    (lambda x: engine.sum_to(x, (2, 1)), drawn(3, 2, 2).T),
    (lambda x: engine.sum_to(x, ()), drawn(2, 3)),
)
case(
    "reshape",
    (lambda x: engine.reshape(x, (3, -1)), drawn(2, 3)),
    (lambda x: engine.reshape(x, 6), drawn(3, 2).T),
)
case("permute_dims", (lambda x: engine.permute_dims(x, (2, 0, 1)), drawn(2, 1, 3)))
case("matrix_transpose", (engine.matrix_transpose, drawn(2, 1, 3)))
case("squeeze", (engine.squeeze, drawn(1, 3, 1)), (lambda x: engine.squeeze(x, -1), drawn(2, 1)))
case("unsqueeze", (lambda x: engine.unsqueeze(x, (0, -1)), drawn(3, 2).T))
case("flip", (engine.flip, drawn(2, 3)), (lambda x: engine.flip(x, -1), drawn(3, 2).T))
case("roll", (lambda x: engine.roll(x, 2), drawn(2, 3)))
CASES["roll"] += ((lambda x: engine.roll(x, (1, -2), (0, 1)), drawn(3, 2).T),)
case(
    "tile",
    (lambda x: engine.tile(x, (2, 1, 3)), drawn(2, 1)),
    (lambda x: engine.tile(x, 0), drawn(2)),
)
case("pad", (lambda x: engine.pad(x, ((1, 0), (0, 2)), 7.0), drawn(3, 2).T))
case(
    "cat",
    (lambda x, y: engine.cat([x, y, x], -1), drawn(2, 1), drawn(2, 3, seed=1)),
    (lambda x, y: engine.cat([x, y]), drawn(0, 2), drawn(3, 2, seed=1)),
)
case("stack", (lambda x, y: engine.stack([x, y, x], 1), drawn(2, 2), drawn(2, 2, seed=1).T))
case("split", (lambda x: engine.split(x, [1, 0, 2], 1), drawn(2, 3)))
CASES["split"] += ((lambda x: engine.split(x, 2), drawn(2, 3).T),)

ROWS = mg.tensor([[2, 0, 2], [1, 1, -1]])
PLACES = mg.tensor([[1, 0], [1, -1]])
INDICES = (1, (..., 0), (slice(None, None, -2), None), ([0, 1, 0], [2, 2, 2]), (0, [1, 1]))
INDICES += ((slice(None), np.array([True, False, True])), MASK, (None, ROWS[0, :2] - 1), [])
case("getitem", *[(lambda x, i=i: engine.getitem(x, i), drawn(3, 2).T) for i in INDICES])
case("take", (lambda x: engine.take(x, ROWS), drawn(3, 2)))
CASES["take"] += ((lambda x: engine.take(x, [1, -1, 1], axis=1), drawn(2, 3).T),)
case("gather", (lambda x: engine.gather(x, ROWS), drawn(3, 2).T))
CASES["gather"] += ((lambda x: engine.gather(x, ROWS, axis=0), drawn(4, 1)),)
case(
    "scatter_add",
    (lambda x, y: engine.scatter_add(x, ROWS, y), drawn(2, 4), drawn(3, 2, seed=1).T),
    (lambda x: engine.scatter_add(x, PLACES, x, axis=0), drawn(2, 2).T),
)
case("tril", (lambda x: engine.tril(x, 1), drawn(3, 3).T), (engine.tril, drawn(2, 2, 3)))
case("triu", (lambda x: engine.triu(x, -1), drawn(2, 3)), (engine.triu, drawn(2, 3, 2)))
case(
    "written",
    (lambda x, y: engine.written(x, 1, y), drawn(3, 2).T, drawn(1, 3, seed=1)),
    (lambda x, y: engine.written(x, ([0, 0, 1], [1, 1, 2]), y), drawn(2, 3), drawn(3, seed=1)),
    (lambda x: engine.written(x, (slice(None), slice(1, 3)), x[:, :2]), drawn(2, 3)),
)
