"""Element by element, one of several: where, clip, masked_fill."""

from typing import Any

from minigrad.dtypes import bool_, result_type
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.op import Vjp, is_array, kernel, op, promoted
from minigrad.reference.ops.cast import astype


@op
def where(condition: Any, x: Any, y: Any) -> tuple[Array, Vjp]:
    """x where the condition holds, y elsewhere; all three are broadcast.

    What was not chosen receives a gradient of 0, whatever it holds.
    Raises TypeError if the condition is not bool.
    """
    condition = checked_mask("where", condition)
    x, y = promoted("where", x, y)
    out = kernel("where", condition, x, y, dtype=x.dtype)
    return out, lambda g, out: (None, where(condition, g, 0.0), where(condition, 0.0, g))


@op
def masked_fill(x: Any, mask: Any, value: float) -> tuple[Array, Vjp]:
    """x with `value` wherever the mask is true; x and mask are broadcast, the dtype is that of x.

    Raises TypeError if the mask is not bool, or if x cannot hold the value.
    """
    mask = checked_mask("masked_fill", mask)
    if result_type(x, value) != x.dtype:
        raise TypeError(f"masked_fill: {value!r} does not go into an array of {x.dtype}.")
    out = kernel("where", mask, asarray(value, dtype=x.dtype), x, dtype=x.dtype)
    return out, lambda g, out: (where(mask, 0.0, g),)


@op
def clip(x: Any, low: float | None = None, high: float | None = None) -> tuple[Array, Vjp]:
    """x, but nothing below `low` and nothing above `high`; NaN stays. None: no bound.

    The gradient is 1 from low to high, both ends included, and 0 outside and at NaN. Where
    low > high, everything is `high`.
    """
    if any(isinstance(b, bool) or not isinstance(b, int | float | None) for b in (low, high)):
        raise TypeError(f"clip: the bounds are numbers or None, got {low!r} and {high!r}.")
    dtype = result_type(x, *(b for b in (low, high) if b is not None))
    x = x if x.dtype == dtype else astype(x, dtype)
    out = kernel("clip", x, low, high)

    def vjp(g: Any, out: Any) -> tuple[Any]:
        if low is not None:
            g = where(x >= low, g, 0.0)
        return (g if high is None else where(x <= high, g, 0.0),)

    return out, vjp


def checked_mask(name: str, mask: Any) -> Any:
    """The mask as an array of bools. Raises TypeError if it holds anything else."""
    mask = mask if is_array(mask) else asarray(mask)
    if mask.dtype != bool_:
        raise TypeError(f"{name}: the mask must be bool, got {mask.dtype}; compare, as in x > 0.")
    return mask
