"""Where windows stand on images, and what has to fit together before they can.

Images are (N, C, H, W), or (C, H, W) for one alone. Whatever has two directions (the size of a
window, stride, padding, dilation) is one int for both or a pair, down and across.
"""

from typing import Any

from minigrad.reference.op import is_array
from minigrad.reference.ops.shape import unsqueeze
from minigrad.reference.strides import Ints


def batched(name: str, x: Any) -> Any:
    """Images as a batch: one alone becomes a batch of one. Raises ValueError for another rank."""
    shape = x.shape if is_array(x) else type(x).__name__
    if not is_array(x) or x.ndim not in (3, 4):
        raise ValueError(
            f"{name}: images are (N, C, H, W), or (C, H, W) for one alone, got {shape}."
        )
    return x if x.ndim == 4 else unsqueeze(x, 0)


def unbatched(out: Any, x: Any) -> Any:
    """The result for a batch as that for x, which may have been one image alone."""
    return out if x.ndim == 4 else out[0]


def spans(size: Ints, dilation: Ints) -> tuple[int, int]:
    """How many pixels a window covers, from its first to its last, down and across."""
    down, across = (d * (k - 1) + 1 for k, d in zip(size, dilation, strict=True))
    return down, across


def places(
    name: str, image: Ints, size: Ints, stride: Ints, padding: Ints, dilation: Ints
) -> tuple[int, int]:
    """How many windows there are, down and across. Raises ValueError where not even one fits."""
    wide = tuple(n + 2 * p for n, p in zip(image, padding, strict=True))
    span = spans(size, dilation)
    if min(image) < 1 or any(s > n for s, n in zip(span, wide, strict=True)):
        raise ValueError(
            f"{name}: a window of {tuple(size)} with dilation {tuple(dilation)} covers {span} "
            f"pixels, but the images are {tuple(image)}, {wide} with their padding."
        )
    rows, cols = ((n - s) // step + 1 for n, s, step in zip(wide, span, stride, strict=True))
    return rows, cols
