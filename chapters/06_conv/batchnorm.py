# cut from minigrad/reference/ops/batchnorm.py
"""Batch normalisation: each channel brought to mean 0 and variance 1, by the batch it is in."""

from math import prod
from typing import Any

from minigrad.reference.op import array_of, is_array
from minigrad.reference.ops.cast import floating
from minigrad.reference.ops.reduce import mean, var
from minigrad.reference.ops.shape import reshape
from minigrad.reference.ops.unary import rsqrt

NAMES = ("running_mean", "running_var", "weight", "bias")


def batch_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """(x - mean) / sqrt(variance + eps) * weight + bias, each channel by its own numbers.

    x: (N, C) or (N, C, ...); all others: (C,), or None. In training, mean and variance are those of
    the batch, over all axes but the channels', and the running ones are moved towards them in
    place, by the share `momentum`; the variance then counts as that of a sample (divided by one
    less). Otherwise the running ones are used, as constants.
    Raises ValueError for sizes that do not fit, for one number a channel in training, and for no
    running statistics otherwise.
    Source: Ioffe, Szegedy, "Batch normalization" (2015), algorithm 1.
    """
    stats, learned = (running_mean, running_var), (weight, bias)
    channels, count = checked("batch_norm", x, (*stats, *learned), training)
    x, shape = floating(x), (channels,) + (1,) * (x.ndim - 2)
    # <ex 6.6> mean and variance of the batch or the running ones; scale and shift (11 lines)
    raise NotImplementedError("exercise 6.6")
    # </ex 6.6>


def move(running: Any, batch: Any, momentum: float, factor: float = 1.0) -> None:
    """Move running statistics, where there are any, towards `factor` times those of the batch."""
    if running is not None:
        seen = array_of(batch) * factor
        running[...] = (1.0 - momentum) * array_of(running) + momentum * seen


def checked(name: str, x: Any, given: tuple[Any, ...], training: bool) -> tuple[int, int]:
    """How many channels there are, and how many numbers each has."""
    if x.ndim < 2:
        raise ValueError(f"{name}: expected (N, C) or (N, C, ...), got shape {x.shape}.")
    channels, count = x.shape[1], prod(x.shape[:1] + x.shape[2:])
    for what, each in zip(NAMES, given, strict=True):
        if each is not None and (not is_array(each) or each.shape != (channels,)):
            shape = each.shape if is_array(each) else repr(each)
            raise ValueError(
                f"{name}: {what} is one number for each channel of x {x.shape}, ({channels},), "
                f"got {shape}."
            )
    if training and count < 2:
        raise ValueError(
            f"{name}: x of shape {x.shape} has {count} numbers for each channel; in training there "
            "must be 2 or more, for one alone has no variance."
        )
    if not training and (given[0] is None or given[1] is None):
        raise ValueError(f"{name}: without training, running_mean and running_var are needed.")
    return channels, count
