# cut from minigrad/reference/ops/binary.py
"""Two arrays, element by element: arithmetic, comparisons, logic. Shapes are broadcast."""

from typing import Any

from minigrad.dtypes import bool_
from minigrad.reference.array import Array
from minigrad.reference.op import Vjp, elementwise, kernel
from minigrad.reference.ops.cast import check_numeric, floating
from minigrad.reference.ops.choose import where


@elementwise
def add(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x + y; of bools, x or y."""
    # <ex 3.1> the sum by its kernel, and what of g reaches x and y (2 lines)
    raise NotImplementedError("exercise 3.1")
    # </ex 3.1>


@elementwise
def sub(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x - y. Raises TypeError for bools."""
    check_numeric("sub", x)
    return kernel("sub", x, y), lambda g, out: (g, -g)


@elementwise
def mul(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x * y; of bools, x and y."""
    # <ex 3.3> the product by its kernel, and what of g reaches x and y (2 lines)
    raise NotImplementedError("exercise 3.3")
    # </ex 3.3>


@elementwise
def div(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x / y in floats: whole numbers become float32 first. Division by 0 gives inf or NaN."""
    x, y = floating(x), floating(y)
    return kernel("div", x, y), lambda g, out: (g / y, -g * out / y)


@elementwise
def pow(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x ** y. Raises TypeError for bools, ValueError for ints to a power below 0.

    x ** 0 is 1 for every x, with gradient 0 along x. Along y the gradient is 0 at x = 0, y >= 0,
    and NaN where x is below 0: between whole powers there is no real number.
    """
    check_numeric("pow", x)
    out = kernel("pow", x, y)

    def vjp(g: Any, out: Any) -> tuple[Any, Any]:
        along_x = where(y == 0.0, 0.0, g * y * x ** (y - 1.0))
        along_y = g * where(logical_and(x == 0.0, y >= 0.0), 0.0, out * x.log())
        return along_x, along_y

    return out, vjp


@elementwise
def maximum(x: Any, y: Any) -> tuple[Array, Vjp]:
    """The larger of two; NaN if one of them is. Where they are equal, each receives half of g."""
    out = kernel("maximum", x, y)
    return out, lambda g, out: (share(g, x < y, x == y), share(g, x > y, x == y))


@elementwise
def minimum(x: Any, y: Any) -> tuple[Array, Vjp]:
    """The smaller of two; NaN if one of them is. Where they are equal, each receives half of g."""
    out = kernel("minimum", x, y)
    return out, lambda g, out: (share(g, x > y, x == y), share(g, x < y, x == y))


def share(g: Any, lost: Any, tied: Any) -> Any:
    """What of g reaches one of two rivals: nothing where it lost, half where they tied."""
    return where(lost, 0.0, where(tied, 0.5 * g, g))


def compared(name: str, x: Any, y: Any) -> tuple[Array, Vjp]:
    """Bools have no gradient, and nor has what was compared."""
    return kernel(name, x, y, dtype=bool_), lambda g, out: (None, None)


@elementwise
def equal(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x == y; NaN equals nothing."""
    return compared("equal", x, y)


@elementwise
def not_equal(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x != y"""
    return compared("not_equal", x, y)


@elementwise
def less(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x < y"""
    return compared("less", x, y)


@elementwise
def less_equal(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x <= y"""
    return compared("less_equal", x, y)


@elementwise
def greater(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x > y"""
    return compared("greater", x, y)


@elementwise
def greater_equal(x: Any, y: Any) -> tuple[Array, Vjp]:
    """x >= y"""
    return compared("greater_equal", x, y)


@elementwise
def logical_and(x: Any, y: Any) -> tuple[Array, Vjp]:
    """Whether both are not zero."""
    return compared("logical_and", x, y)


@elementwise
def logical_or(x: Any, y: Any) -> tuple[Array, Vjp]:
    """Whether one or both are not zero."""
    return compared("logical_or", x, y)


@elementwise
def logical_xor(x: Any, y: Any) -> tuple[Array, Vjp]:
    """Whether exactly one is not zero."""
    return compared("logical_xor", x, y)
