# cut from minigrad/reference/ops/unary.py
"""One array, element by element. Functions such as exp take whole numbers as float32."""

import math
from typing import Any

from minigrad.dtypes import bool_
from minigrad.reference.array import Array
from minigrad.reference.op import Gradients, Vjp, elementwise, kernel, op
from minigrad.reference.ops.cast import check_numeric, floating
from minigrad.reference.ops.choose import where


@elementwise
def neg(x: Any) -> tuple[Array, Vjp]:
    """-x. Raises TypeError for bools."""
    check_numeric("neg", x)
    return kernel("neg", x), lambda g, out: (-g,)


@elementwise
def abs(x: Any) -> tuple[Array, Vjp]:
    """|x|, with gradient 0 at 0."""
    return kernel("abs", x), lambda g, out: (g * sign(x),)


@elementwise
def sign(x: Any) -> tuple[Array, Vjp]:
    """-1, 0 or 1. The gradient is 0 everywhere. Raises TypeError for bools."""
    check_numeric("sign", x)
    return kernel("sign", x), flat


@elementwise
def exp(x: Any) -> tuple[Array, Vjp]:
    """e ** x, inf where that is too large."""
    x = floating(x)
    # <ex 3.4> the kernel's exp, and the gradient of x in terms of g and out (2 lines)
    out = kernel("exp", x)
    return out, lambda g, out: (g * out,)
    # </ex 3.4>


@elementwise
def log(x: Any) -> tuple[Array, Vjp]:
    """The natural logarithm: -inf at 0, NaN below."""
    x = floating(x)
    out = kernel("log", x)
    return out, lambda g, out: (g / x,)


@elementwise
def expm1(x: Any) -> tuple[Array, Vjp]:
    """exp(x) - 1, exact also near 0."""
    x = floating(x)
    return kernel("expm1", x), lambda g, out: (g * exp(x),)


@elementwise
def log1p(x: Any) -> tuple[Array, Vjp]:
    """log(1 + x), exact also near 0."""
    x = floating(x)
    return kernel("log1p", x), lambda g, out: (g / (1.0 + x),)


@elementwise
def sqrt(x: Any) -> tuple[Array, Vjp]:
    """The square root: NaN below 0. At 0 the gradient is inf."""
    x = floating(x)
    return kernel("sqrt", x), lambda g, out: (g / (2.0 * out),)


@elementwise
def rsqrt(x: Any) -> tuple[Array, Vjp]:
    """1 / sqrt(x)"""
    x = floating(x)
    return kernel("rsqrt", x), lambda g, out: (-0.5 * g * out * out * out,)


@elementwise
def reciprocal(x: Any) -> tuple[Array, Vjp]:
    """1 / x"""
    x = floating(x)
    return kernel("reciprocal", x), lambda g, out: (-g * out * out,)


@elementwise
def square(x: Any) -> tuple[Array, Vjp]:
    """x * x. Raises TypeError for bools."""
    check_numeric("square", x)
    return kernel("square", x), lambda g, out: (2.0 * g * x,)


@elementwise
def sin(x: Any) -> tuple[Array, Vjp]:
    """The sine of x radians."""
    x = floating(x)
    return kernel("sin", x), lambda g, out: (g * cos(x),)


@elementwise
def cos(x: Any) -> tuple[Array, Vjp]:
    """The cosine of x radians."""
    x = floating(x)
    return kernel("cos", x), lambda g, out: (-g * sin(x),)


@elementwise
def tanh(x: Any) -> tuple[Array, Vjp]:
    """The hyperbolic tangent, within -1 and 1."""
    x = floating(x)
    return kernel("tanh", x), lambda g, out: (g * (1.0 - out * out),)


@elementwise
def erf(x: Any) -> tuple[Array, Vjp]:
    """2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""
    x = floating(x)
    return kernel("erf", x), lambda g, out: (g * (2.0 / math.sqrt(math.pi)) * exp(-x * x),)


@elementwise
def sigmoid(x: Any) -> tuple[Array, Vjp]:
    """1 / (1 + exp(-x)), for x of any size."""
    x = floating(x)
    return kernel("sigmoid", x), lambda g, out: (g * out * (1.0 - out),)


@elementwise
def relu(x: Any) -> tuple[Array, Vjp]:
    """x above 0, else 0; NaN stays. The gradient at 0 is 0."""
    check_numeric("relu", x)
    return kernel("relu", x), lambda g, out: (where(x <= 0.0, 0.0, g),)


@elementwise
def silu(x: Any) -> tuple[Array, Vjp]:
    """x * sigmoid(x)"""
    x = floating(x)

    def vjp(g: Any, out: Any) -> Gradients:
        s = sigmoid(x)
        return (g * s * (1.0 + x * (1.0 - s)),)

    return kernel("silu", x), vjp


@elementwise
def softplus(x: Any) -> tuple[Array, Vjp]:
    """log(1 + exp(x)), for x of any size."""
    x = floating(x)
    return kernel("softplus", x), lambda g, out: (g * sigmoid(x),)


@op
def gelu(x: Any, approximate: str = "none") -> tuple[Array, Vjp]:
    """x * P(x), with P(x) the probability that a standard normal number is below x.

    approximate: "none" computes P by erf, "tanh" by a formula that is up to 0.0005 off.
    Source: Hendrycks, Gimpel, "Gaussian error linear units" (2016).
    """
    x = floating(x)
    if approximate == "none":

        def vjp(g: Any, out: Any) -> Gradients:
            below = 0.5 * (1.0 + erf(x * math.sqrt(0.5)))
            density = exp(-0.5 * x * x) * (0.5 / math.pi) ** 0.5
            return (g * (below + x * density),)

        return kernel("gelu", x), vjp
    if approximate == "tanh":
        return kernel("gelu_tanh", x), lambda g, out: (g * slope_of_gelu(x),)
    raise ValueError(f'gelu: approximate is "none" or "tanh", got {approximate!r}.')


@elementwise
def slope_of_gelu(x: Any) -> tuple[Array, Vjp]:
    """The derivative of gelu by tanh, in one kernel: a dozen ops would be half of an MLP's time."""

    def vjp(g: Any, out: Any) -> Gradients:
        scale, cubed = math.sqrt(2.0 / math.pi), 0.044715
        t = tanh(scale * (x + cubed * x * x * x))
        inner = scale * (1.0 + 3 * cubed * x * x)
        bend = inner + 3 * cubed * scale * x * x - x * t * inner * inner
        return (g * (1.0 - t * t) * bend,)

    return kernel("gelu_tanh_slope", x), vjp


@elementwise
def floor(x: Any) -> tuple[Array, Vjp]:
    """The largest whole number that is not above x."""
    return rounded("floor", x)


@elementwise
def ceil(x: Any) -> tuple[Array, Vjp]:
    """The smallest whole number that is not below x."""
    return rounded("ceil", x)


@elementwise
def round(x: Any) -> tuple[Array, Vjp]:
    """The nearest whole number; of two equally near, the even one."""
    return rounded("round", x)


@elementwise
def isnan(x: Any) -> tuple[Array, Vjp]:
    """Whether x is no number."""
    return kernel("isnan", x, dtype=bool_), flat


@elementwise
def isinf(x: Any) -> tuple[Array, Vjp]:
    """Whether x is inf or -inf."""
    return kernel("isinf", x, dtype=bool_), flat


@elementwise
def isfinite(x: Any) -> tuple[Array, Vjp]:
    """Whether x is neither infinite nor NaN."""
    return kernel("isfinite", x, dtype=bool_), flat


@elementwise
def logical_not(x: Any) -> tuple[Array, Vjp]:
    """Whether x is zero."""
    return kernel("logical_not", x, dtype=bool_), flat


def rounded(name: str, x: Any) -> tuple[Array, Vjp]:
    """A step function: whole numbers stay as they are, and the gradient is 0."""
    return kernel(name if x.dtype.kind == "float" else "copy", x), flat


def flat(g: Any, out: Any) -> Gradients:
    """The vjp of a function that is constant between its steps."""
    return (where(False, g, 0.0),)
