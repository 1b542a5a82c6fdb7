"""Calls of the ops that layers are made of, in the form of gradient_cases."""

import numpy as np
from gradient_cases import MASK, PLACES, case, drawn, positive

import minigrad as mg
from minigrad.reference import engine

# of images

case("conv2d", (engine.conv2d, drawn(1, 2, 4, 3), drawn(2, 2, 3, 2, seed=1), drawn(2, seed=2)))
case("conv_transpose2d", (engine.conv_transpose2d, drawn(1, 2, 3, 2), drawn(2, 2, 2, 2, seed=1)))
case("max_pool2d", (lambda x: engine.max_pool2d(x, 2, 1), drawn(1, 2, 3, 4)))
case("avg_pool2d", (lambda x: engine.avg_pool2d(x, 2, 1, 1), drawn(1, 2, 3, 2)))
RUNNING = mg.zeros(2, mg.float64), mg.ones(2, mg.float64)
case(
    "batch_norm",
    (
        lambda x, w, b: engine.batch_norm(x, *RUNNING, w, b, False),
        drawn(3, 2),
        drawn(2, seed=1),
        drawn(2, seed=2),
    ),
    (lambda x: engine.batch_norm(x, None, None, None, None, True), drawn(4, 2)),
)

# of transformers


def attend(**options):
    return lambda *args: engine.scaled_dot_product_attention(*args, **options)


NOWHERE = mg.tensor(np.array([[True, False, True], [False, False, False]]))
q, k, v = drawn(2, 2, 4), drawn(2, 3, 4, seed=1), drawn(2, 3, 1, seed=2)
case(
    "scaled_dot_product_attention",
    (attend(), q, k, v),
    (attend(causal=True), q, k, v),
    (attend(causal=True, scale=0.7), k, q, q[..., ::-2]),  # the first query sees no key
    (attend(), q, k, v, drawn(2, 1, 3, seed=3)),
    (attend(mask=MASK), q[0], k, v),
    (attend(mask=NOWHERE, causal=True), q, k[:1], v),
    (lambda x: engine.scaled_dot_product_attention(x, x, x, causal=True), q),
    (
        lambda *x: attend(dropout=0.4, generator=mg.Generator(3))(*x),
        q,
        k,
        v,
    ),
)
case("embedding", (lambda t: engine.embedding(t, PLACES * PLACES), drawn(3, 2).T))
case(
    "layer_norm",
    (engine.layer_norm, drawn(2, 3), drawn(3, seed=1), drawn(3, seed=2)),
    (engine.layer_norm, drawn(5, 2).T[::-1, ::2]),
    (lambda x: engine.layer_norm(x, x[0], eps=0.5), drawn(1, 2, 3)[0]),
)
case(
    "rms_norm",
    (engine.rms_norm, positive(2, 3), drawn(3, seed=1)),
    (lambda x: engine.rms_norm(x, eps=0.5), drawn(3, 2).T),
)
case(
    "rotary",
    (lambda x: engine.rotary(x, 3), drawn(2, 3, 4)),
    (lambda x: engine.rotary(x, mg.tensor([[5], [0]]), 10.0), drawn(2, 1, 6)[..., ::-1]),
)
case(
    "topk",
    (lambda x: engine.topk(x, 2)[0], drawn(2, 3)),
    (lambda x: engine.topk(x, 2, 0)[0], drawn(2, 4).T),
)
