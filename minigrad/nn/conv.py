"""Conv2d: the same few weights at every place of an image."""

import math
from typing import Any

from minigrad import api
from minigrad.dtypes import float32
from minigrad.nn.init import kaiming_uniform_, uniform_
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.random import Generator, generator_or_default
from minigrad.sizes import pair, whole


class Conv2d(Module):
    """x (N, in_channels, H, W) -> (N, out_channels, rows, cols), or both without N: minigrad.conv2d
    says how, and what the options mean.

    weight (out_channels, in_channels / groups, height, width) and bias (out_channels,) start evenly
    spread within 1/sqrt(in_channels / groups * height * width) of 0, as in PyTorch. generator:
    where these numbers come from; None means that of manual_seed.
    Raises TypeError and ValueError for sizes that are no whole numbers above 0, and ValueError for
    channels that groups does not divide.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        device: object = None,
        dtype: object = float32,
        *,
        generator: Generator | None = None,
    ) -> None:
        generator_or_default("Conv2d", generator)
        self.in_channels = whole("Conv2d", "in_channels", in_channels)
        self.out_channels = whole("Conv2d", "out_channels", out_channels)
        self.kernel_size = pair("Conv2d", "kernel_size", kernel_size)
        self.stride = pair("Conv2d", "stride", stride)
        self.dilation = pair("Conv2d", "dilation", dilation)
        self.groups = whole("Conv2d", "groups", groups)
        self.padding = padding
        if not isinstance(padding, str):
            self.padding = pair("Conv2d", "padding", padding, 0)
        elif padding not in ("same", "valid") or (padding == "same" and max(self.stride) > 1):
            raise ValueError(
                "Conv2d: padding is a number, a pair, 'valid', or 'same' for stride 1; got "
                f"{padding!r} with stride {self.stride}."
            )
        if self.in_channels % self.groups or self.out_channels % self.groups:
            raise ValueError(
                f"Conv2d: groups={groups} must divide in_channels={in_channels} and "
                f"out_channels={out_channels}."
            )
        shape = (self.out_channels, self.in_channels // self.groups, *self.kernel_size)
        self.weight = Parameter(api.empty(shape, dtype, device))
        self.bias = Parameter(api.empty(self.out_channels, dtype, device)) if bias else None
        # With this slope, kaiming's bound is 1/sqrt(of how many pixels one result is made).
        kaiming_uniform_(self.weight, a=math.sqrt(5.0), generator=generator)
        if bias:
            bound = 1.0 / math.sqrt(math.prod(shape[1:]))
            uniform_(self.bias, -bound, bound, generator)

    def forward(self, x: Any) -> Any:
        shape = shape_of("Conv2d", x)
        if len(shape) not in (3, 4) or shape[-3] != self.in_channels:
            raise ValueError(
                f"Conv2d: expected images of shape (N, {self.in_channels}, H, W) or "
                f"({self.in_channels}, H, W), got {shape}."
            )
        options = (self.stride, self.padding, self.dilation, self.groups)
        return api.conv2d(x, self.weight, self.bias, *options)

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        if self.padding != (0, 0):
            parts.append(f"padding={self.padding!r}")
        if self.dilation != (1, 1):
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        return ", ".join(parts if self.bias is not None else [*parts, "bias=False"])
