# cut from minigrad/nn/init.py
"""How weights start: random, and of a size at which numbers keep theirs through many layers.

Each function overwrites a tensor in place, unrecorded, and gives the tensor itself. generator:
where the random numbers come from; None means that of manual_seed. Weights are (outputs, inputs),
those of a convolution (outputs, inputs, height, width).

Each raises TypeError for what is no tensor of floats, ValueError for weights of fewer than two axes
and for numbers that cannot be.
"""

import math
from numbers import Real
from typing import Any

import numpy as np

from minigrad.api import Tensor, asarray, no_grad, rand, randn
from minigrad.dtypes import float64
from minigrad.random import Generator, generator_or_default

Source = Generator | None
MODES = ("fan_in", "fan_out")


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Source = None) -> Any:
    """Evenly spread numbers from a to b. Raises ValueError for a above b."""
    check("uniform_", tensor, a=a, b=b)
    if a > b:
        raise ValueError(f"uniform_: a must not be above b, got a={a} and b={b}.")
    source = generator_or_default("uniform_", generator)
    drawn = rand(tensor.shape, dtype=tensor.dtype, generator=source)
    return overwrite(tensor, drawn * (b - a) + a)


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Source = None) -> Any:
    """Normally distributed numbers. Raises ValueError for std below 0."""
    check("normal_", tensor, mean=mean, std=std)
    if std < 0.0:
        raise ValueError(f"normal_: std must be 0 or more, got {std}.")
    source = generator_or_default("normal_", generator)
    drawn = randn(tensor.shape, dtype=tensor.dtype, generator=source)
    return overwrite(tensor, drawn * std + mean)


def constant_(tensor: Any, val: float) -> Any:
    """val everywhere."""
    check("constant_", tensor, val=val)
    return overwrite(tensor, val)


def zeros_(tensor: Any) -> Any:
    """0 everywhere."""
    check("zeros_", tensor)
    return overwrite(tensor, 0.0)


def ones_(tensor: Any) -> Any:
    """1 everywhere."""
    check("ones_", tensor)
    return overwrite(tensor, 1.0)


def kaiming_std(shape: tuple[int, ...], a: float, mode: str) -> float:
    """How far (standard deviation) weights of this shape should spread around 0, so that numbers
    keep their mean square on their way through a relu and a layer.

    a: the slope of the relu below 0; 0 is relu itself, 1 is none at all.
    mode: "fan_in" keeps the numbers on their way forwards, "fan_out" the gradients on theirs back.
    Source: He, Zhang, Ren, Sun, "Delving deep into rectifiers" (2015), equations 10, 14 and 15.
    """
    # <ex 5.2> products in one sum, what the relu leaves of a mean square, the spread (4 lines)
    raise NotImplementedError("exercise 5.2")
    # </ex 5.2>


def kaiming_uniform_(
    tensor: Any,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Source = None,
) -> Any:
    """Evenly spread, with the standard deviation of He et al. (2015).

    a: the slope below 0 of the leaky_relu that follows (0: relu). nonlinearity: see calculate_gain.
    """
    std = kaiming_checked("kaiming_uniform_", tensor, a, mode, nonlinearity)
    return uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(
    tensor: Any,
    a: float = 0.0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Source = None,
) -> Any:
    """Normally distributed, otherwise like kaiming_uniform_."""
    std = kaiming_checked("kaiming_normal_", tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, std, generator)


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Source = None) -> Any:
    """Evenly spread, with the variance gain**2 * 2 / (fan_in + fan_out): between what keeps numbers
    and what keeps gradients. Source: Glorot, Bengio, "Understanding the difficulty of training deep
    feedforward neural networks" (2010), equation 16.
    """
    std = xavier_std("xavier_uniform_", tensor, gain)
    return uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Source = None) -> Any:
    """Normally distributed, otherwise like xavier_uniform_."""
    return normal_(tensor, 0.0, xavier_std("xavier_normal_", tensor, gain), generator)


def orthogonal_(tensor: Any, gain: float = 1.0, generator: Source = None) -> Any:
    """A random matrix (outputs, all the rest) that turns vectors and keeps their lengths, times
    gain: its rows, or columns if these are fewer, are orthogonal and of length 1.

    Source: Saxe, McClelland, Ganguli, "Exact solutions to the nonlinear dynamics of learning in
    deep linear neural networks" (2013). Every such matrix is equally likely (Mezzadri, "How to
    generate random matrices from the classical compact groups", 2007).
    """
    check_weight("orthogonal_", tensor, gain=gain)
    source = generator_or_default("orthogonal_", generator)
    rows = tensor.shape[0]
    tall = (rows, tensor.size // max(rows, 1))
    drawn = randn(max(tall), min(tall), dtype=float64, generator=source).numpy()
    q, r = np.linalg.qr(drawn)
    # The factorisation leaves the signs open. Without this, LAPACK's habits would choose them.
    q = q * np.where(np.diagonal(r) < 0.0, -1.0, 1.0)
    wanted = q.T if tall[0] < tall[1] else q
    return overwrite(tensor, asarray(gain * wanted.reshape(tensor.shape)))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What a spread is multiplied by for the sake of the nonlinearity that follows: "linear",
    "sigmoid", "tanh", "relu", or "leaky_relu" with the slope `param` (None: 0.01) below 0.

    The values are PyTorch's. Raises ValueError for another name.
    """
    slope = 0.01 if param is None else param
    check_numbers("calculate_gain", param=slope)
    gains = {
        "linear": 1.0,
        "sigmoid": 1.0,
        "tanh": 5.0 / 3.0,
        "relu": math.sqrt(2.0),
        "leaky_relu": math.sqrt(2.0 / (1.0 + slope**2)),
    }
    if nonlinearity not in gains:
        raise ValueError(
            f"calculate_gain: nonlinearity is one of {', '.join(gains)}, got {nonlinearity!r}."
        )
    return gains[nonlinearity]


def overwrite(tensor: Any, values: Any) -> Any:
    with no_grad():
        return tensor.copy_(values)


def kaiming_checked(call: str, tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation for the tensor, once all that is given has been looked at."""
    check_weight(call, tensor, a=a)
    gain = calculate_gain(nonlinearity)
    if mode not in MODES:
        raise ValueError(f"{call}: mode is one of {', '.join(MODES)}, got {mode!r}.")
    if tensor.size == 0:
        return 0.0
    if nonlinearity in ("relu", "leaky_relu"):
        return kaiming_std(tensor.shape, 0.0 if nonlinearity == "relu" else a, mode)
    return gain * kaiming_std(tensor.shape, 1.0, mode)


def xavier_std(call: str, tensor: Any, gain: float) -> float:
    check_weight(call, tensor, gain=gain)
    if gain < 0.0:
        raise ValueError(f"{call}: gain must be 0 or more, got {gain}.")
    outputs, inputs, *kernel = tensor.shape
    fans = math.prod(kernel) * (inputs + outputs)
    return gain * math.sqrt(2.0 / fans) if fans else 0.0


def check_weight(call: str, tensor: Any, **numbers: object) -> None:
    check(call, tensor, **numbers)
    if tensor.ndim < 2:
        raise ValueError(
            f"{call}: weights have two axes or more, (outputs, inputs, ...), this tensor has shape "
            f"{tensor.shape}; for a bias there are zeros_, constant_ and uniform_."
        )


def check(call: str, tensor: Any, **numbers: object) -> None:
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{call}: expected a tensor to overwrite, got {type(tensor).__name__}.")
    dtype = tensor.dtype  # type: ignore[attr-defined]
    if dtype.kind != "float":
        raise TypeError(f"{call}: weights are float32 or float64, this tensor is {dtype}.")
    check_numbers(call, **numbers)


def check_numbers(call: str, **numbers: object) -> None:
    for name, x in numbers.items():
        if isinstance(x, bool) or not isinstance(x, Real):
            raise TypeError(f"{call}: {name} must be a number, got {x!r}.")
        if not math.isfinite(x):
            raise ValueError(f"{call}: {name} must be finite, got {x}.")
