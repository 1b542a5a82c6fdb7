"""Arrays out of lists, numbers, NumPy's arrays and other libraries' arrays, and out of nothing."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.dtypes import DEFAULTS, DType, as_dtype, float32, int64, result_type
from minigrad.reference.array import Array, blank, empty, room
from minigrad.reference.shapes import check_device


def asarray(
    obj: object, dtype: object = None, device: object = None, copy: bool | None = None
) -> Array:
    """An Array of what is given.

    Numbers and (nested) lists of them: floats become float32, ints int64, bools bool. An ndarray
    and any object with DLPack keep their dtype and their memory: what one writes, the other sees.
    Copied is what has another dtype, is read-only, or lies at odd bytes; copy=True copies always,
    copy=False raises ValueError where it would have to.
    Raises TypeError for what holds no supported numbers, ValueError for ragged lists.
    """
    check_device("asarray", device)
    wanted = None if dtype is None else as_dtype(dtype)
    if type(obj) in DEFAULTS and copy is not False:
        return _of_number(obj, wanted)
    obj = obj if isinstance(obj, Array) else getattr(obj, "array", obj)  # of a tensor
    if isinstance(obj, Array):
        found = obj
    elif isinstance(obj, np.ndarray | np.generic):
        return _from_ndarray(np.asarray(obj), wanted, copy)
    elif isinstance(obj, bool | int | float | list | tuple | range):
        if copy is False:
            raise ValueError("asarray: Python numbers and lists can only be copied.")
        return _from_ndarray(_from_python(obj, wanted), wanted, True)
    elif hasattr(obj, "__dlpack__"):
        found = from_dlpack(obj)
    elif hasattr(obj, "__array__"):
        return _from_ndarray(np.asarray(obj), wanted, copy)
    else:
        raise TypeError(f"asarray: expected numbers or arrays, got {type(obj).__name__}.")
    if wanted is not None and found.dtype != wanted:
        if copy is False:
            raise ValueError(f"asarray: {found.dtype} to {wanted} needs a copy.")
        return found.astype(wanted)
    return found.copy() if copy else found


def from_dlpack(obj: object) -> Array:
    """An Array over the memory of another library's array (anything with __dlpack__)."""
    try:
        array = np.from_dlpack(obj)  # type: ignore[arg-type]
    except AttributeError:
        raise TypeError(f"from_dlpack: {type(obj).__name__} has no __dlpack__.") from None
    as_dtype(array.dtype)
    return _shared(array)


def _of_number(number: Any, wanted: DType | None) -> Array:
    """A 0-d Array of a bool, int or float."""
    out = room((), wanted or DEFAULTS[type(number)])
    _fill(out, number)
    return out


def _fill(x: Array, number: Any) -> None:
    """Put one number everywhere. Raises OverflowError or ValueError where the dtype has no such."""
    try:
        with np.errstate(all="ignore"):
            x.buffer.fill(number)
    except (OverflowError, ValueError) as error:
        raise type(error)(f"asarray: {number} does not fit into {x.dtype}.") from None


def _from_python(obj: Any, wanted: DType | None) -> np.ndarray[Any, Any]:
    """Python numbers and lists, each bool, int or float, as an ndarray."""
    try:
        array = np.array(obj)
    except ValueError:
        raise ValueError("asarray: the list is ragged: its rows differ in length.") from None
    # Of ints beyond 64 bits NumPy makes an object, an unsigned or, without a word, a float array.
    if array.dtype.kind not in "bif" or (array.dtype.kind == "f" and (abs(array) >= 2**63).any()):
        array = _of_large_ints(obj, wanted)
    if wanted == int64 and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError("asarray: NaN and inf do not fit into int64.")
    if array.size == 0 or array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            return array.astype((wanted or float32).numpy)
    if array.dtype.kind == "i":
        return array.astype(np.int64)
    return array


def _of_large_ints(obj: Any, wanted: DType | None) -> np.ndarray[Any, Any]:
    """What NumPy does not take as it is: ints beyond 64 bits, or something that is no number."""
    array = np.array(obj, dtype=object)
    for x in array.flat:
        if not isinstance(x, bool | int | float | np.bool_ | np.integer | np.floating):
            raise TypeError(f"asarray: expected real numbers, got {type(x).__name__} in the list.")
    if wanted is None and all(isinstance(x, int | np.integer) for x in array.flat):
        wanted = int64
    try:
        with np.errstate(all="ignore"):
            return array.astype((wanted or float32).numpy)
    except OverflowError:
        x = next(x for x in array.flat if not -(2**63) <= x < 2**63)
        raise OverflowError(f"asarray: {x} does not fit into {wanted}.") from None


def _from_ndarray(array: np.ndarray[Any, Any], wanted: DType | None, copy: bool | None) -> Array:
    """An Array over the ndarray's own memory if that is possible and nobody wants a copy."""
    number = array.dtype.kind in "biuf"
    dtype = wanted if wanted is not None and number else as_dtype(array.dtype)
    step = array.dtype.itemsize
    fits = (
        array.dtype == dtype.numpy
        and array.flags.writeable
        and array.flags.aligned
        and all(s % step == 0 for s in array.strides)
    )
    if fits and not copy:
        return _shared(array)
    if copy is False:
        raise ValueError(f"asarray: an ndarray of {array.dtype} cannot be shared as {dtype}.")
    out = empty(array.shape, dtype)
    with np.errstate(all="ignore"):
        np.copyto(out.numpy(), array, casting="unsafe")
    return out


def _shared(array: np.ndarray[Any, Any]) -> Array:
    """An Array over an ndarray's memory, from its lowest to its highest element."""
    step = array.dtype.itemsize
    strides = tuple(s // step for s in array.strides)
    if array.size == 0:
        return Array(array.reshape(-1), array.shape, strides, 0)
    reach = [(n - 1) * s for n, s in zip(array.shape, strides, strict=True)]
    below = sum(r for r in reach if r < 0)
    extent = sum(map(abs, reach)) + 1
    upwards: tuple[Any, ...] = tuple(slice(None, None, -1 if r < 0 else 1) for r in reach)
    lowest = array[(*upwards, ...)]  # the dots keep an array of no axes an array
    flat = np.lib.stride_tricks.as_strided(lowest, (extent,), (step,))
    return Array(flat, array.shape, strides, -below)


def full(
    shape: int | Iterable[int], value: object, dtype: object = None, device: object = None
) -> Array:
    """`value` everywhere; without dtype, that of the value (1 is int64, 1.0 float32)."""
    return _filled("full", shape, value, dtype, device)


def _filled(
    name: str, shape: int | Iterable[int], value: object, dtype: object, device: object
) -> Array:
    if type(value) in DEFAULTS:
        number, natural = value, DEFAULTS[type(value)]
    else:
        given = asarray(value)
        if given.ndim:
            raise ValueError(f"full: expected one number, got shape {given.shape}.")
        number, natural = given.item(), given.dtype
    out = blank(name, shape, natural if dtype is None else dtype, device)
    _fill(out, number)
    return out


def zeros(shape: int | Iterable[int], dtype: object = float32, device: object = None) -> Array:
    return _filled("zeros", shape, 0, dtype, device)


def ones(shape: int | Iterable[int], dtype: object = float32, device: object = None) -> Array:
    return _filled("ones", shape, 1, dtype, device)


def empty_like(x: Array, dtype: object = None) -> Array:
    return empty(x.shape, x.dtype if dtype is None else dtype, x.device)


def full_like(x: Array, value: object, dtype: object = None) -> Array:
    return full(x.shape, value, x.dtype if dtype is None else dtype, x.device)


def zeros_like(x: Array, dtype: object = None) -> Array:
    return full_like(x, 0, dtype)


def ones_like(x: Array, dtype: object = None) -> Array:
    return full_like(x, 1, dtype)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1,
    dtype: object = None,
    device: object = None,
) -> Array:
    """start, start + step, ... below stop; arange(n) counts 0 .. n-1. Ints give int64, floats
    float32.

    For floats the count is ceil((stop - start) / step): an end that rounding may let in or keep
    out is better said with linspace.
    """
    if stop is None:
        start, stop = 0, start
    for bound in (start, stop, step):
        if type(bound) not in DEFAULTS:
            raise TypeError(f"arange: expected numbers, got {type(bound).__name__}.")
        if not math.isfinite(bound):
            raise ValueError(f"arange: {bound} is no finite number.")
    if step == 0:
        raise ValueError("arange: step must not be 0.")
    found = result_type(start, stop, step) if dtype is None else as_dtype(dtype)
    whole = all(isinstance(b, int) for b in (start, stop, step))
    count = -((start - stop) // step) if whole else math.ceil((stop - start) / step)
    out = blank("arange", max(int(count), 0), found, device)
    kind = np.int64 if whole else np.float64
    counts: np.ndarray[Any, Any] = np.arange(out.size, dtype=kind)
    out.buffer[:] = counts * step + start
    return out


def linspace(
    start: float, stop: float, num: int = 50, dtype: object = float32, device: object = None
) -> Array:
    """`num` numbers at even steps from start to stop, both included."""
    out = blank("linspace", num, dtype, device)
    out.buffer[:] = np.linspace(start, stop, out.size)
    return out


def eye(
    rows: int, cols: int | None = None, dtype: object = float32, device: object = None
) -> Array:
    """Ones on the diagonal, zeros elsewhere: (rows, cols), square without cols."""
    out = _filled("eye", (rows, rows if cols is None else cols), 0, dtype, device)
    if out.size:
        np.fill_diagonal(out.numpy(), 1)
    return out
