"""What a layer asks of its input before it starts."""

from typing import Any


def shape_of(call: str, x: Any) -> tuple[int, ...]:
    """The shape of a tensor or an ndarray. Raises TypeError for anything else."""
    shape = getattr(x, "shape", None)
    if shape is None:
        raise TypeError(
            f"{call}: expected a tensor, got {type(x).__name__}; minigrad.tensor makes one."
        )
    return tuple(shape)
