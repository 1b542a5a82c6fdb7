"""Step 0 of every ladder: elementwise functions and reductions, said in NumPy.

before: nothing · next: the C++ loops of chapter 08. Matrices, softmax and whatever looks up indices
stand in numpy_linear.py.

A kernel is handed ndarray views: its inputs, then `out`, then numbers. It writes all of `out` and
leaves the inputs alone. Elementwise kernels get inputs that are expanded to the shape of `out`;
reductions get `out` expanded to the shape of the input, with stride 0 along the reduced axes.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from minigrad.kernels import register

View = np.ndarray[Any, Any]

# What NumPy has a function for, by the same name or by another.
SAME = """
    sign exp expm1 log log1p sqrt square sin cos tanh floor ceil isnan isinf isfinite add maximum
    minimum equal not_equal less less_equal greater greater_equal logical_not logical_and logical_or
    logical_xor
"""
OTHER = {
    "neg": "negative",
    "abs": "absolute",
    "round": "rint",
    "sub": "subtract",
    "mul": "multiply",
    "div": "true_divide",
}
UFUNCS = {name: getattr(np, OTHER.get(name, name)) for name in (*SAME.split(), *OTHER)}


def calling(ufunc: np.ufunc) -> Callable[..., None]:
    """A kernel that hands its views to a function of NumPy's."""

    def run(*views: View) -> None:
        ufunc(*views[:-1], out=views[-1])

    return run


for _name, _ufunc in UFUNCS.items():
    register(_name, backend="numpy")(calling(_ufunc))


@register("copy", backend="numpy")
def copy(x: View, out: View) -> None:
    """The same numbers, as the type of `out` holds them."""
    np.copyto(out, x, casting="unsafe")


@register("pow", backend="numpy")
def pow(x: View, y: View, out: View) -> None:
    if out.dtype.kind == "i" and np.less(y, 0).any():
        raise ValueError("pow: a whole number to a power below 0 is no whole number; use floats.")
    np.power(x, y, out=out)


@register("reciprocal", backend="numpy")
def reciprocal(x: View, out: View) -> None:
    np.divide(1.0, x, out=out)


@register("rsqrt", backend="numpy")
def rsqrt(x: View, out: View) -> None:
    np.sqrt(x, out=out)
    np.divide(1.0, out, out=out)


@register("sigmoid", backend="numpy")
def sigmoid(x: View, out: View) -> None:
    """1 / (1 + exp(-x)); exp sees no number above 0, so that nothing overflows."""
    tail = np.exp(-np.abs(x))
    np.divide(np.where(x < 0.0, tail, 1.0), 1.0 + tail, out=out)


@register("relu", backend="numpy")
def relu(x: View, out: View) -> None:
    np.maximum(x, 0, out=out)


@register("silu", backend="numpy")
def silu(x: View, out: View) -> None:
    sigmoid(x, out)
    np.multiply(x, out, out=out)


@register("softplus", backend="numpy")
def softplus(x: View, out: View) -> None:
    """log(1 + exp(x)) without overflow."""
    np.logaddexp(x, 0.0, out=out)


PIECE = 2**17  # bytes: what an elementwise kernel has in between then stays in the cache


def in_pieces(run: Callable[..., None]) -> Callable[..., None]:
    """An elementwise kernel with many steps, run on one part after the other of large views."""

    @wraps(run)
    def halved(*views: View) -> None:
        out = views[-1]
        if out.nbytes <= PIECE:
            return run(*views)
        axis = next(a for a, n in enumerate(out.shape) if n > 1)
        half = out.shape[axis] // 2
        for part in (slice(None, half), slice(half, None)):
            halved(*(v[(slice(None),) * axis + (part,)] for v in views))

    return halved


@register("gelu", backend="numpy")
@in_pieces
def gelu(x: View, out: View) -> None:
    erf(x * np.sqrt(0.5).astype(x.dtype), out)
    np.multiply(0.5 * x, 1.0 + out, out=out)


@register("gelu_tanh", backend="numpy")
@in_pieces
def gelu_tanh(x: View, out: View) -> None:
    np.tanh(float(np.sqrt(2.0 / np.pi)) * (x + 0.044715 * x * x * x), out=out)
    np.multiply(0.5 * x, 1.0 + out, out=out)


@register("gelu_tanh_slope", backend="numpy")
@in_pieces
def gelu_tanh_slope(x: View, out: View) -> None:
    """(1 + t) / 2 + x (1 - t^2) u' / 2, with t = tanh(u), u the cubic of gelu_tanh."""
    scale, square = float(np.sqrt(2.0 / np.pi)), x * x
    t = np.tanh(scale * x * (1.0 + 0.044715 * square))
    square *= 1.5 * 0.044715 * scale
    square += 0.5 * scale
    np.multiply(t, t, out=out)
    np.subtract(1.0, out, out=out)
    out *= x
    out *= square
    out += 0.5 * t
    out += 0.5


# fmt: off
# erf(x) = x P(x^2) / Q(x^2) near 0; 1 - exp(-x^2) P(x) / Q(x) from there on. Highest power first.
NEAR = 0.5
NEAR_P = (
    1.85777706184603153e-1, 3.16112374387056560e0, 1.13864154151050156e2, 3.77485237685302021e2,
    3.20937758913846947e3,
)
NEAR_Q = (
    1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3,
)
FAR_P = (
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
    2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
    1.23033935479799725e3,
)
FAR_Q = (
    1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
    3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
)
# fmt: on
ONE = 6.0  # from here on erf(x) is 1 to the last bit


@register("erf", backend="numpy")
@in_pieces
def erf(x: View, out: View) -> None:
    """2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x, in float64 throughout.

    At most 4 ulp off in float64, half an ulp in float32. Source: W. J. Cody, "Rational Chebyshev
    approximations for the error function", Mathematics of Computation 23 (1969).
    """
    wide = x.astype(np.float64)
    size = np.minimum(np.abs(wide), ONE)
    square = size * size
    near = wide * np.polyval(NEAR_P, square) / np.polyval(NEAR_Q, square)
    far = 1.0 - np.exp(-square) * np.polyval(FAR_P, size) / np.polyval(FAR_Q, size)
    np.copyto(out, np.where(size < NEAR, near, np.copysign(far, wide)), casting="same_kind")


@register("where", backend="numpy")
def where(condition: View, x: View, y: View, out: View) -> None:
    np.copyto(out, y)
    np.copyto(out, x, where=condition)


@register("clip", backend="numpy")
def clip(x: View, out: View, low: float | None, high: float | None) -> None:
    np.copyto(out, x)
    if low is not None:
        np.maximum(out, low, out=out)
    if high is not None:
        np.minimum(out, high, out=out)


def reduced_axes(out: View) -> tuple[int, ...]:
    """The axes that `out` repeats."""
    return tuple(i for i, step in enumerate(out.strides) if step == 0 and out.shape[i] > 1)


def once(out: View) -> View:
    """`out` without the repeats: size 1 along every reduced axis."""
    axes = reduced_axes(out)
    return out[(*(slice(0, 1) if i in axes else slice(None) for i in range(out.ndim)), ...)]


@register("sum", backend="numpy")
def sum(x: View, out: View) -> None:
    np.add.reduce(x, reduced_axes(out), out.dtype, once(out), keepdims=True)


@register("mean", backend="numpy")
def mean(x: View, out: View) -> None:
    sum(x, out)
    result = once(out)
    np.divide(result, count(x, result), out=result)


@register("var", backend="numpy")
def var(x: View, out: View, correction: float) -> None:
    """The mean of the squared distances from the mean, over n - correction instead of n.

    Two passes: the difference of two large sums would cancel.
    """
    result = once(out)
    mean(x, out)
    away = x - result
    sum(away * away, out)
    np.divide(result, np.maximum(count(x, result) - correction, 0.0), out=result)


@register("std", backend="numpy")
def std(x: View, out: View, correction: float) -> None:
    var(x, out, correction)
    np.sqrt(once(out), out=once(out))


def count(x: View, result: View) -> int:
    """How many elements of x go into one of the result."""
    return x.size // result.size


@register("prod", backend="numpy")
def prod(x: View, out: View) -> None:
    np.multiply.reduce(x, reduced_axes(out), out.dtype, once(out), keepdims=True)


@register("max", backend="numpy")
def max(x: View, out: View) -> None:
    # Not by out=: NumPy 1.26 then reads wrong numbers where strides of x are below 0.
    once(out)[...] = np.maximum.reduce(x, reduced_axes(out), keepdims=True)


@register("min", backend="numpy")
def min(x: View, out: View) -> None:
    once(out)[...] = np.minimum.reduce(x, reduced_axes(out), keepdims=True)


@register("any", backend="numpy")
def any(x: View, out: View) -> None:
    np.logical_or.reduce(x, reduced_axes(out), None, once(out), keepdims=True)


@register("all", backend="numpy")
def all(x: View, out: View) -> None:
    np.logical_and.reduce(x, reduced_axes(out), None, once(out), keepdims=True)


@register("argmax", backend="numpy")
def argmax(x: View, out: View) -> None:
    _first(np.argmax, x, out)


@register("argmin", backend="numpy")
def argmin(x: View, out: View) -> None:
    _first(np.argmin, x, out)


def _first(search: Any, x: View, out: View) -> None:
    """Where along the one reduced axis the first of the extreme elements stands."""
    axes = reduced_axes(out)
    once(out)[...] = search(x, axis=axes[0], keepdims=True) if axes else 0
