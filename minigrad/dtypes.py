"""The four types of numbers, and the one table that says what two of them make together.

float32 is the default. The table is ours and never NumPy's own promotion, which changed between its
versions: bool < int64 < float32 < float64, and a Python number is weak: it takes the array's type
unless it is of a higher kind (True < 1 < 1.0).

Where the array API standard has a rule, ours is the same. It has none for two kinds (whole numbers
and floats, bools and either), nor for a Python number of a higher kind than the array: there the
stronger of the two is taken, a float being float32 unless a float64 is among them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class DType:
    """A type of numbers: its name, its kind ("bool", "int", "float") and its bytes.

    There is one object for each, also after a copy or a pickle: equal is identical.
    """

    name: str
    kind: str
    itemsize: int

    @property
    def numpy(self) -> np.dtype[Any]:
        """The same as NumPy calls it."""
        return np.dtype(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __str__(self) -> str:
        return self.name


float32 = DType("float32", "float", 4)
"""Floating-point numbers of 32 bits, about 7 digits; the default."""

float64 = DType("float64", "float", 8)
"""Floating-point numbers of 64 bits, about 16 digits."""

int64 = DType("int64", "int", 8)
"""Whole numbers from -2**63 to 2**63 - 1."""

bool_ = DType("bool", "bool", 1)
"""True and False."""

# Weakest first: two types together make the stronger one.
ORDER = (bool_, int64, float32, float64)
KINDS = ("bool", "int", "float")
NAMES = {d.name: d for d in ORDER}
DEFAULTS: dict[type, DType] = {bool: bool_, int: int64, float: float32}


def as_dtype(given: object) -> DType:
    """A DType from a DType, its name, a NumPy dtype or Python's bool, int or float.

    Raises TypeError for anything else, complex numbers and half precision included.
    """
    if isinstance(given, DType):
        return given
    if isinstance(given, type) and given in DEFAULTS:
        return DEFAULTS[given]
    try:  # None is float64 to NumPy
        named = isinstance(given, str) or given is None
        name = str(given) if named else np.dtype(given).name  # type: ignore[call-overload]
    except TypeError:
        name = repr(given)
    if name in NAMES:
        return NAMES[name]
    hint = " A shape is one argument: (2, 3)." if type(given) is int else ""
    raise TypeError(f"dtype: {name} is not supported; use one of {', '.join(NAMES)}.{hint}")


def promote(*dtypes: DType) -> DType:
    """The type that values of all these types have in common."""
    if dtypes.count(dtypes[0]) == len(dtypes):
        return dtypes[0]
    return max(dtypes, key=ORDER.index)


def result_type(*operands: Any) -> DType:
    """The common type of operands that have a dtype and of Python numbers, which are weak.

    Python numbers alone give their own default: 1 is int64, 1.0 is float32.
    """
    strong = [o.dtype for o in operands if isinstance(getattr(o, "dtype", None), DType)]
    weak = [DEFAULTS[type(o)] for o in operands if type(o) in DEFAULTS]
    if not strong:
        return promote(*weak)
    common = promote(*strong)
    needed = max((KINDS.index(d.kind) for d in weak), default=0)
    if needed <= KINDS.index(common.kind):
        return common
    return promote(common, *weak)
