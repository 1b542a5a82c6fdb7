"""Parameter: a tensor that a module counts among what is to be trained."""

from typing import Any

from minigrad.api import Tensor, tensor


def Parameter(data: Any, requires_grad: bool = True) -> Any:
    """A new leaf with the numbers of `data` (a tensor, an ndarray, lists), as a parameter.

    Its memory is its own. requires_grad=False: a parameter that is saved but not trained.
    Raises TypeError for whole numbers and bools, which cannot move by small steps.
    """
    p: Any = data.detach().copy() if isinstance(data, Tensor) else tensor(data)  # type: ignore[attr-defined]
    if p.dtype.kind != "float":
        raise TypeError(
            "Parameter: training moves it by small steps, so it must be float32 or float64, got "
            f"{p.dtype}; astype(float32) makes floats of whole numbers."
        )
    p.is_parameter = True
    return p.requires_grad_(requires_grad)


def is_parameter(x: object) -> bool:
    """Whether a module counts x among its parameters."""
    return isinstance(x, Tensor) and bool(x.is_parameter)  # type: ignore[attr-defined]
