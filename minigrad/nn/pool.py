"""Pooling layers: one number instead of each window of an image. They learn nothing."""

from typing import Any

from minigrad import api
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module
from minigrad.sizes import pair


class MaxPool2d(Module):
    """The largest number of each window: minigrad.max_pool2d says how. stride None: kernel_size.

    Raises TypeError and ValueError for sizes that are no whole numbers above 0 (padding: or 0).
    """

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1
    ) -> None:
        self.kernel_size = pair("MaxPool2d", "kernel_size", kernel_size)
        self.stride = self.kernel_size if stride is None else pair("MaxPool2d", "stride", stride)
        self.padding = pair("MaxPool2d", "padding", padding, 0)
        self.dilation = pair("MaxPool2d", "dilation", dilation)

    def forward(self, x: Any) -> Any:
        shape_of("MaxPool2d", x)
        return api.max_pool2d(x, self.kernel_size, self.stride, self.padding, self.dilation)

    def extra_repr(self) -> str:
        dilation = f", dilation={self.dilation}" if self.dilation != (1, 1) else ""
        return window(self) + dilation


class AvgPool2d(Module):
    """The mean of each window: minigrad.avg_pool2d says how. stride None: kernel_size.

    Raises TypeError and ValueError for sizes that are no whole numbers above 0 (padding: or 0).
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        *,
        count_include_pad: bool = True,
    ) -> None:
        self.kernel_size = pair("AvgPool2d", "kernel_size", kernel_size)
        self.stride = self.kernel_size if stride is None else pair("AvgPool2d", "stride", stride)
        self.padding = pair("AvgPool2d", "padding", padding, 0)
        self.count_include_pad = bool(count_include_pad)

    def forward(self, x: Any) -> Any:
        shape_of("AvgPool2d", x)
        options = {"count_include_pad": self.count_include_pad}
        return api.avg_pool2d(x, self.kernel_size, self.stride, self.padding, **options)

    def extra_repr(self) -> str:
        return window(self) + ("" if self.count_include_pad else ", count_include_pad=False")


def window(layer: MaxPool2d | AvgPool2d) -> str:
    padding = f", padding={layer.padding}" if layer.padding != (0, 0) else ""
    return f"kernel_size={layer.kernel_size}, stride={layer.stride}{padding}"
