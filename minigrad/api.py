"""The functions of minigrad: each finds the engine of its arrays and hands over to its op there.

What a function does, its op's own docstring says (minigrad/reference/ops). What makes tensors out
of numbers, of lists and of nothing stands in making.py; the tape's own functions in autograd.py.
"""

import sys
from abc import ABC
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from minigrad.dtypes import DType as DType
from minigrad.dtypes import bool_ as bool_
from minigrad.dtypes import float32 as float32
from minigrad.dtypes import float64 as float64
from minigrad.dtypes import int64 as int64
from minigrad.making import arange as arange
from minigrad.making import asarray as asarray
from minigrad.making import bernoulli as bernoulli
from minigrad.making import empty as empty
from minigrad.making import empty_like as empty_like
from minigrad.making import eye as eye
from minigrad.making import from_dlpack as from_dlpack
from minigrad.making import full as full
from minigrad.making import full_like as full_like
from minigrad.making import linspace as linspace
from minigrad.making import ones as ones
from minigrad.making import ones_like as ones_like
from minigrad.making import rand as rand
from minigrad.making import randint as randint
from minigrad.making import randn as randn
from minigrad.making import randperm as randperm
from minigrad.making import tensor as tensor
from minigrad.making import zeros as zeros
from minigrad.making import zeros_like as zeros_like
from minigrad.random import Generator as Generator
from minigrad.random import manual_seed as manual_seed
from minigrad.reference.autograd import enable_grad as enable_grad
from minigrad.reference.autograd import is_grad_enabled as is_grad_enabled
from minigrad.reference.autograd import no_grad as no_grad
from minigrad.reference.backward import grad as grad
from minigrad.reference.function import Function as Function
from minigrad.reference.operators import Axis
from minigrad.reference.tensor import Tensor as ReferenceTensor

Shape = int | Iterable[int]


class Tensor(ABC):  # noqa: B024
    """What every engine's tensor is: isinstance(x, minigrad.Tensor). minigrad.tensor makes one."""


Tensor.register(ReferenceTensor)


def engine(*operands: Any) -> ModuleType:
    """The ops that go with the first array among the operands. Raises TypeError without one."""
    for x in operands:
        found: ModuleType | None = getattr(x, "engine", None)
        if found is not None:
            return found
    given = ", ".join(type(x).__name__ for x in operands) or "nothing"
    name = sys._getframe(1).f_code.co_name  # the function below that asked
    raise TypeError(f"{name}: expected an array, got {given}; minigrad.tensor makes one.")


# fmt: off
# one array, element by element

def neg(x: Any) -> Any: return engine(x).neg(x)
def abs(x: Any) -> Any: return engine(x).abs(x)
def sign(x: Any) -> Any: return engine(x).sign(x)
def exp(x: Any) -> Any: return engine(x).exp(x)
def expm1(x: Any) -> Any: return engine(x).expm1(x)
def log(x: Any) -> Any: return engine(x).log(x)
def log1p(x: Any) -> Any: return engine(x).log1p(x)
def sqrt(x: Any) -> Any: return engine(x).sqrt(x)
def rsqrt(x: Any) -> Any: return engine(x).rsqrt(x)
def reciprocal(x: Any) -> Any: return engine(x).reciprocal(x)
def square(x: Any) -> Any: return engine(x).square(x)
def sin(x: Any) -> Any: return engine(x).sin(x)
def cos(x: Any) -> Any: return engine(x).cos(x)
def tanh(x: Any) -> Any: return engine(x).tanh(x)
def erf(x: Any) -> Any: return engine(x).erf(x)
def sigmoid(x: Any) -> Any: return engine(x).sigmoid(x)
def relu(x: Any) -> Any: return engine(x).relu(x)
def silu(x: Any) -> Any: return engine(x).silu(x)
def softplus(x: Any) -> Any: return engine(x).softplus(x)
def gelu(x: Any, approximate: str = "none") -> Any: return engine(x).gelu(x, approximate)
def floor(x: Any) -> Any: return engine(x).floor(x)
def ceil(x: Any) -> Any: return engine(x).ceil(x)
def round(x: Any) -> Any: return engine(x).round(x)
def isnan(x: Any) -> Any: return engine(x).isnan(x)
def isinf(x: Any) -> Any: return engine(x).isinf(x)
def isfinite(x: Any) -> Any: return engine(x).isfinite(x)
def logical_not(x: Any) -> Any: return engine(x).logical_not(x)
def astype(x: Any, dtype: object) -> Any: return engine(x).astype(x, dtype)

# two and more, element by element

def add(x: Any, y: Any) -> Any: return engine(x, y).add(x, y)
def sub(x: Any, y: Any) -> Any: return engine(x, y).sub(x, y)
def mul(x: Any, y: Any) -> Any: return engine(x, y).mul(x, y)
def div(x: Any, y: Any) -> Any: return engine(x, y).div(x, y)
def pow(x: Any, y: Any) -> Any: return engine(x, y).pow(x, y)
def maximum(x: Any, y: Any) -> Any: return engine(x, y).maximum(x, y)
def minimum(x: Any, y: Any) -> Any: return engine(x, y).minimum(x, y)
def equal(x: Any, y: Any) -> Any: return engine(x, y).equal(x, y)
def not_equal(x: Any, y: Any) -> Any: return engine(x, y).not_equal(x, y)
def less(x: Any, y: Any) -> Any: return engine(x, y).less(x, y)
def less_equal(x: Any, y: Any) -> Any: return engine(x, y).less_equal(x, y)
def greater(x: Any, y: Any) -> Any: return engine(x, y).greater(x, y)
def greater_equal(x: Any, y: Any) -> Any: return engine(x, y).greater_equal(x, y)
def logical_and(x: Any, y: Any) -> Any: return engine(x, y).logical_and(x, y)
def logical_or(x: Any, y: Any) -> Any: return engine(x, y).logical_or(x, y)
def logical_xor(x: Any, y: Any) -> Any: return engine(x, y).logical_xor(x, y)
def where(condition: Any, x: Any, y: Any) -> Any:
    return engine(x, y, condition).where(condition, x, y)
def masked_fill(x: Any, mask: Any, value: float) -> Any:
    return engine(x).masked_fill(x, mask, value)
def clip(x: Any, low: float | None = None, high: float | None = None) -> Any:
    return engine(x).clip(x, low, high)

# reductions, and what goes along an axis

def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).sum(x, axis, keepdims)
def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).mean(x, axis, keepdims)
def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).max(x, axis, keepdims)
def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).min(x, axis, keepdims)
def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).prod(x, axis, keepdims)
def var(x: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
    return engine(x).var(x, axis, correction, keepdims)
def std(x: Any, axis: Axis = None, correction: float = 0, keepdims: bool = False) -> Any:
    return engine(x).std(x, axis, correction, keepdims)
def any(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).any(x, axis, keepdims)
def all(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).all(x, axis, keepdims)
def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return engine(x).argmax(x, axis, keepdims)
def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    return engine(x).argmin(x, axis, keepdims)
def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    return engine(x).logsumexp(x, axis, keepdims)
def softmax(x: Any, axis: int = -1) -> Any: return engine(x).softmax(x, axis)
def log_softmax(x: Any, axis: int = -1) -> Any: return engine(x).log_softmax(x, axis)
def cumsum(x: Any, axis: int | None = None) -> Any: return engine(x).cumsum(x, axis)
def topk(x: Any, k: int, axis: int = -1) -> Any: return engine(x).topk(x, k, axis)

# shapes

def expand(x: Any, shape: Shape) -> Any: return engine(x).expand(x, shape)
def sum_to(x: Any, shape: Shape) -> Any: return engine(x).sum_to(x, shape)
def reshape(x: Any, shape: Shape) -> Any: return engine(x).reshape(x, shape)
def permute_dims(x: Any, axes: Iterable[int]) -> Any: return engine(x).permute_dims(x, axes)
def matrix_transpose(x: Any) -> Any: return engine(x).matrix_transpose(x)
def squeeze(x: Any, axis: Axis = None) -> Any: return engine(x).squeeze(x, axis)
def unsqueeze(x: Any, axis: int | Iterable[int]) -> Any: return engine(x).unsqueeze(x, axis)
def flip(x: Any, axis: Axis = None) -> Any: return engine(x).flip(x, axis)
def roll(x: Any, shift: int | Sequence[int], axis: Axis = None) -> Any:
    return engine(x).roll(x, shift, axis)
def tile(x: Any, reps: Shape) -> Any: return engine(x).tile(x, reps)
def pad(x: Any, width: Any, value: float = 0.0) -> Any: return engine(x).pad(x, width, value)
def cat(arrays: Sequence[Any], axis: int = 0) -> Any: return engine(*arrays).cat(arrays, axis)
def stack(arrays: Sequence[Any], axis: int = 0) -> Any: return engine(*arrays).stack(arrays, axis)
def split(x: Any, size: int | Sequence[int], axis: int = 0) -> Any:
    return engine(x).split(x, size, axis)

# indices

def take(x: Any, indices: Any, axis: int = 0) -> Any: return engine(x).take(x, indices, axis)
def gather(x: Any, indices: Any, axis: int = -1) -> Any: return engine(x).gather(x, indices, axis)
def scatter_add(x: Any, indices: Any, values: Any, axis: int = -1) -> Any:
    return engine(x).scatter_add(x, indices, values, axis)
def one_hot(indices: Any, classes: int, dtype: Any = float32) -> Any:
    return engine(indices).one_hot(indices, classes, dtype)
def tril(x: Any, k: int = 0) -> Any: return engine(x).tril(x, k)
def triu(x: Any, k: int = 0) -> Any: return engine(x).triu(x, k)

# products and losses

def matmul(x: Any, y: Any) -> Any: return engine(x, y).matmul(x, y)
def mse(x: Any, y: Any, *, reduction: str = "mean") -> Any:
    return engine(x, y).mse(x, y, reduction=reduction)
def cross_entropy(
    logits: Any, target: Any, *, label_smoothing: float = 0.0, ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    options = {"ignore_index": ignore_index, "reduction": reduction}
    return engine(logits).cross_entropy(logits, target, label_smoothing=label_smoothing, **options)
def binary_cross_entropy_with_logits(
    logits: Any, target: Any, *, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    options = {"pos_weight": pos_weight, "reduction": reduction}
    return engine(logits).binary_cross_entropy_with_logits(logits, target, **options)

# layers of transformers, and draws

def layer_norm(x: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    return engine(x).layer_norm(x, weight, bias, eps)
def rms_norm(x: Any, weight: Any = None, eps: float | None = None) -> Any:
    return engine(x).rms_norm(x, weight, eps)
def embedding(table: Any, indices: Any) -> Any: return engine(table).embedding(table, indices)
def rotary(x: Any, positions: Any = 0, base: float = 10000.0) -> Any:
    return engine(x).rotary(x, positions, base)
def scaled_dot_product_attention(
    q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False, dropout: float = 0.0,
    scale: float | None = None, generator: Generator | None = None,
) -> Any:
    attend = engine(q, k, v).scaled_dot_product_attention
    return attend(q, k, v, mask, causal, dropout, scale, generator)
def multinomial(
    p: Any, n: int, replacement: bool = True, generator: Generator | None = None
) -> Any:
    return engine(p).multinomial(p, n, replacement, generator)

# images: convolution, pooling, batch normalisation

def conv2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return engine(x).conv2d(x, weight, bias, stride, padding, dilation, groups)
def conv_transpose2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Any:
    options = (stride, padding, output_padding, groups, dilation)
    return engine(x).conv_transpose2d(x, weight, bias, *options)
def max_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1
) -> Any:
    return engine(x).max_pool2d(x, kernel_size, stride, padding, dilation)
def avg_pool2d(
    x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, *,
    count_include_pad: bool = True,
) -> Any:
    options = {"count_include_pad": count_include_pad}
    return engine(x).avg_pool2d(x, kernel_size, stride, padding, **options)
def batch_norm(
    x: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None,
    bias: Any = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:
    stats, learned = (running_mean, running_var), (weight, bias)
    return engine(x).batch_norm(x, *stats, *learned, training, momentum, eps)
