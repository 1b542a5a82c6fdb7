"""How weights start: random, and of a size at which numbers keep theirs through many layers.

Every function overwrites a tensor in place, unrecorded, and gives the tensor itself. generator:
where the random numbers come from; None means that of manual_seed. Weights are (outputs, inputs),
those of a convolution (outputs, inputs, height, width).
"""

import math
from typing import Any

from minigrad.api import Tensor, no_grad, rand, randn
from minigrad.nn.generators import generator_or_default
from minigrad.random import Generator


@no_grad()
def uniform_(
    tensor: Any, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Any:
    """Evenly spread numbers of [a, b). Raises ValueError unless a <= b."""
    check_tensor("uniform_", tensor)
    if not a <= b:
        raise ValueError(f"uniform_: a must not be above b, got a = {a} and b = {b}.")
    source = generator_or_default("uniform_", generator)
    drawn = rand(tensor.shape, dtype=tensor.dtype, generator=source)
    return tensor.copy_(drawn * (b - a) + a)


@no_grad()
def normal_(
    tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Any:
    """Normally distributed numbers. Raises ValueError for std below 0."""
    check_tensor("normal_", tensor)
    if not std >= 0.0:
        raise ValueError(f"normal_: std must be 0 or more, got {std}.")
    source = generator_or_default("normal_", generator)
    drawn = randn(tensor.shape, dtype=tensor.dtype, generator=source)
    return tensor.copy_(drawn * std + mean)


@no_grad()
def constant_(tensor: Any, val: float) -> Any:
    """val everywhere."""
    check_tensor("constant_", tensor)
    return tensor.copy_(val)


def zeros_(tensor: Any) -> Any:
    return constant_(tensor, 0.0)


def ones_(tensor: Any) -> Any:
    return constant_(tensor, 1.0)


def kaiming_std(shape: tuple[int, ...], a: float, mode: str) -> float:
    """How far (standard deviation) the weights of this shape should spread around 0, so that what
    goes through a layer and then a relu keeps its mean square.

    a: the slope of the relu below 0; 0 is relu itself, 1 no relu at all.
    mode: "fan_in" keeps the numbers on their way forwards, "fan_out" the gradients on theirs back.
    Source: He, Zhang, Ren, Sun, "Delving deep into rectifiers" (2015), equations 10 and 14.
    """
    # <ex 5.2> products in one sum, what the relu leaves of a mean square, the spread (4 lines)
    outputs, inputs, *kernel = shape
    fan = math.prod(kernel) * (inputs if mode == "fan_in" else outputs)
    kept = (1.0 + a * a) / 2.0
    return math.sqrt(1.0 / (fan * kept))
    # </ex 5.2>


def kaiming_uniform_(
    tensor: Any,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Any:
    bound = math.sqrt(3.0) * kaiming_std(tensor.shape, a, mode)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Any:
    return normal_(tensor, 0.0, kaiming_std(tensor.shape, a, mode), generator)


def check_tensor(call: str, tensor: object) -> None:
    """Raise TypeError for what random floats cannot be written into."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{call}: expected a tensor to overwrite, got {type(tensor).__name__}.")
