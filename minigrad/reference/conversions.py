"""An array as Python and others take it: a number, a list, an index, an ndarray, DLPack."""

import operator
from typing import Any

import numpy as np

from minigrad.dtypes import DType


class Conversions:
    """item, tolist, float(x), np.asarray(x) and the like, for a class with `numpy`."""

    __slots__ = ()

    shape: tuple[int, ...]

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    def numpy(self) -> np.ndarray[Any, Any]:
        raise NotImplementedError

    def item(self) -> Any:
        """Its one element as a Python number."""
        here = self.numpy()
        if here.size != 1:
            raise ValueError(f"item: only an array of one element has one; shape is {self.shape}.")
        return here.item()

    def tolist(self) -> Any:
        """Its elements as nested lists of Python numbers; of a 0-d array one number."""
        return self.numpy().tolist()

    def __bool__(self) -> bool:
        """Whether its one element is not zero. Raises ValueError for several."""
        here = self.numpy()
        if here.size != 1:
            raise ValueError(
                f"bool: an array of shape {self.shape} is neither true nor false; use any or all."
            )
        return bool(here.item())

    def __float__(self) -> float:
        """Its one element."""
        return float(self.item())

    def __int__(self) -> int:
        """Its one element, without the fraction."""
        return int(self.item())

    def __index__(self) -> int:
        """A 0-d array of ints is an index, wherever Python wants one."""
        if self.shape or self.dtype.kind != "int":
            raise TypeError(
                f"index: only a 0-d integer array is an index; this has shape {self.shape}, "
                f"dtype {self.dtype}."
            )
        return operator.index(self.item())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The same memory as an ndarray, a copy where that is asked for or the dtype differs."""
        here = self.numpy()
        if dtype is not None and np.dtype(dtype) != here.dtype:
            if copy is False:
                raise ValueError(f"array: {here.dtype} to {np.dtype(dtype)} needs a copy.")
            return here.astype(dtype)
        return here.copy() if copy else here

    def __dlpack__(self, *, stream: None = None, **options: Any) -> Any:
        """The same memory for another library."""
        return self.numpy().__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.numpy().__dlpack_device__()
