"""All ops under one roof: `x.engine.exp(x)` finds the ops that go with x here."""

# ruff: noqa: F401, I001
# fmt: off
from minigrad.reference.ops.attention import (
    embedding, rotary, scaled_dot_product_attention,
)
from minigrad.reference.ops.batchnorm import batch_norm
from minigrad.reference.ops.binary import (
    add, div, equal, greater, greater_equal, less, less_equal, logical_and, logical_or, logical_xor,
    maximum, minimum, mul, not_equal, pow, sub,
)
from minigrad.reference.ops.broadcast import expand, sum_to
from minigrad.reference.ops.cast import astype
from minigrad.reference.ops.choose import clip, masked_fill, where
from minigrad.reference.ops.conv import conv2d, conv_transpose2d
from minigrad.reference.ops.choosing import multinomial, topk
from minigrad.reference.ops.index import (
    gather, getitem, one_hot, scatter_add, take, tril, triu, written,
)
from minigrad.reference.ops.loss import binary_cross_entropy_with_logits, cross_entropy, mse
from minigrad.reference.ops.matmul import matmul
from minigrad.reference.ops.norm import layer_norm, rms_norm
from minigrad.reference.ops.pool import avg_pool2d, max_pool2d
from minigrad.reference.ops.reduce import (
    all, any, argmax, argmin, max, mean, min, prod, std, sum, var,
)
from minigrad.reference.ops.shape import (
    cat, flip, matrix_transpose, pad, permute_dims, reshape, roll, split, squeeze, stack, tile,
    unsqueeze,
)
from minigrad.reference.ops.softmax import cumsum, log_softmax, logsumexp, softmax
from minigrad.reference.ops.unary import (
    abs, ceil, cos, erf, exp, expm1, floor, gelu, isfinite, isinf, isnan, log, log1p, logical_not,
    neg, reciprocal, relu, round, rsqrt, sigmoid, sign, silu, sin, softplus, sqrt, square, tanh,
)
