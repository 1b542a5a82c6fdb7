"""A case of the Tensor API: a call, and what NumPy makes of the same numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.surface import ROWS

ROW = {row.key: row for row in ROWS}
FLOATS = ("float64", "float32")


@dataclass(frozen=True)
class Case:
    """What row it is of, the tensors, what follows them, and the same in NumPy.

    want    from the ndarrays and all that follows them to an ndarray, or a list of them
    call    from the tensors to the result, where that is not minigrad.NAME(*tensors, ...)
    smooth  whether every element moves smoothly around these numbers, so that it has a derivative
    slack   how many roundings the result may be off, beside one for each element
    """

    key: str
    arrays: tuple[Any, ...]
    want: Callable[..., Any]
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    call: Callable[..., Any] | None = None
    smooth: bool = True
    slack: int = 16

    def __str__(self) -> str:
        shapes = " ".join(str(a.shape).replace(" ", "") for a in self.arrays)
        rest = [str(a) for a in self.args] + [f"{k}={v}" for k, v in self.options.items()]
        return " ".join([self.key, shapes, *rest]).replace("\n", "")[:70]

    @property
    def gradient(self) -> bool:
        """Whether the result is of floats and comes from floats, so that there is a gradient."""
        floats = any(a.dtype.kind == "f" for a in self.arrays)
        outs = listed(self.numpy(*self.arrays)) if floats else []
        return floats and all(np.asarray(out).dtype.kind == "f" for out in outs)

    def numpy(self, *arrays: Any) -> Any:
        """What NumPy gives for these numbers."""
        with np.errstate(all="ignore"):
            return self.want(*arrays, *self.args, **self.options)

    def ours(self, *tensors: Any) -> Any:
        """What minigrad gives."""
        return next(self.forms())[1](*tensors)

    def forms(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Each way to say it: as a function, as a method, as an operator."""
        row, args, options = ROW[self.key], self.args, self.options
        if self.call is not None:
            yield "call", self.call
            return
        if "f" in row.kinds:
            yield "function", lambda *x: getattr(mg, row.name)(*x, *args, **options)
        if "m" in row.kinds:
            yield "method", lambda x, *rest: getattr(x, row.name)(*rest, *args, **options)
        if row.operator and not args and not options:
            # The table's own text: eval makes sure that it says what it shows.
            yield row.operator, lambda *x: eval(row.operator, dict(zip("xy", x, strict=False)))

    def inputs(self, dtype: str) -> list[Any]:
        """The ndarrays, those of floats in this dtype."""
        with np.errstate(all="ignore"):
            return [a.astype(dtype) if a.dtype.kind == "f" else a for a in self.arrays]


def listed(result: Any) -> list[Any]:
    """One result or several, as a list."""
    return list(result) if isinstance(result, list | tuple) else [result]


def wide(array: Any) -> Any:
    """The array as float64, so that NumPy computes in it."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def numbers(tensor: Any) -> Any:
    """What is in a tensor, as an ndarray of its own."""
    return np.array(tensor.numpy())


def same(got: Any, want: Any, dtype: str, slack: int, what: str) -> None:
    """A tensor with these numbers: of the wanted shape, kind and (for floats) `dtype`.

    Floats may be off by `slack` roundings of the largest of 1 and the element; NaN with NaN alone.
    """
    want = np.asarray(want)
    kind = {"f": dtype, "i": "int64", "b": "bool"}[want.dtype.kind]
    assert isinstance(got, mg.Tensor), f"{what}: {type(got).__name__}"
    assert (str(got.dtype), got.shape) == (kind, want.shape), what
    found = numbers(got)
    if kind in ("int64", "bool"):
        assert (found == want).all(), f"{what}: {found} instead of {want}"
        return
    with np.errstate(all="ignore"):
        want = want.astype(dtype)  # what is too large for it is inf
    tol = slack * np.finfo(dtype).eps
    np.testing.assert_allclose(found, want, rtol=tol, atol=tol, err_msg=what)


def spread(*shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0) -> Any:
    """Numbers in random order: no two alike or near each other, none near 0, a whole number or a
    half, so that every op is smooth around them.
    """
    count = int(np.prod(shape))
    steps = np.linspace(low, high, 8 * count + 9)
    far = steps[(np.abs(2 * steps - np.round(2 * steps)) > 0.05) & (np.abs(steps) > 0.3)]
    picked = far[:: max(1, len(far) // max(count, 1))][:count]
    return np.random.default_rng(seed).permutation(picked).reshape(shape)
