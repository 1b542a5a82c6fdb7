"""From one dtype to another."""

from typing import Any

from minigrad.dtypes import as_dtype, bool_, float32
from minigrad.reference.array import Array
from minigrad.reference.op import Vjp, kernel, op


@op
def astype(x: Any, dtype: object) -> tuple[Array, Vjp]:
    """A copy of x in another dtype. Towards int the fraction is cut off; bool is "not zero"."""
    out = kernel("copy", x, dtype=as_dtype(dtype))
    return out, lambda g, out: (g,)


def floating(x: Any) -> Any:
    """x itself if it holds floats, else its numbers as float32: for functions such as exp."""
    return x if x.dtype.kind == "float" else astype(x, float32)


def check_numeric(name: str, x: Any) -> None:
    """Raise TypeError for bools, which have no sign, difference or power."""
    if x.dtype == bool_:
        raise TypeError(f"{name}: not defined for bool; cast with astype, or use a logical op.")
