"""BatchNorm: each channel brought to mean 0 and variance 1, then given a size and a place that are
learned.
"""

from typing import Any

from minigrad import api
from minigrad.dtypes import float32
from minigrad.nn.inputs import shape_of
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.sizes import whole


class BatchNorm2d(Module):
    """x (N, num_features, H, W), each channel by its own mean and variance: minigrad.batch_norm.

    In training they are those of the batch, and the running ones follow, by the share `momentum`;
    in eval mode the running ones are used. affine: whether weight and bias (num_features,) are
    learned; they start at 1 and 0. track_running_stats: without it there are no running ones, and
    the batch's are always used. Buffers: running_mean, running_var and num_batches_tracked.
    Raises TypeError and ValueError for num_features that is no whole number above 0, and for eps or
    momentum outside 0 to 1.
    """

    axes: tuple[int, ...] = (4,)
    expected = "(N, {0}, H, W)"

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: object = None,
        dtype: object = float32,
    ) -> None:
        name = type(self).__name__
        size = self.num_features = whole(name, "num_features", num_features)
        self.eps = share(name, "eps", eps)
        self.momentum = share(name, "momentum", momentum)
        self.affine, self.track_running_stats = bool(affine), bool(track_running_stats)
        self.weight = Parameter(api.ones(size, dtype, device)) if affine else None
        self.bias = Parameter(api.zeros(size, dtype, device)) if affine else None
        tracked = self.track_running_stats
        self.register_buffer("running_mean", api.zeros(size, dtype, device) if tracked else None)
        self.register_buffer("running_var", api.ones(size, dtype, device) if tracked else None)
        count = api.zeros((), api.int64, device) if tracked else None
        self.register_buffer("num_batches_tracked", count)

    def forward(self, x: Any) -> Any:
        name, shape = type(self).__name__, shape_of(type(self).__name__, x)
        if len(shape) not in self.axes or shape[1] != self.num_features:
            raise ValueError(
                f"{name}: expected {self.expected.format(self.num_features)}, got {shape}."
            )
        stats = vars(self)
        running = (stats["running_mean"], stats["running_var"])
        training = self.training or not self.track_running_stats
        learned = (self.weight, self.bias)
        out = api.batch_norm(x, *running, *learned, training, self.momentum, self.eps)
        if self.training and self.track_running_stats:
            stats["num_batches_tracked"].add_(1)
        return out

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(BatchNorm2d):
    """x (N, num_features) or (N, num_features, length), otherwise like BatchNorm2d."""

    axes = (2, 3)
    expected = "(N, {0}) or (N, {0}, length)"


def share(call: str, name: str, given: Any) -> float:
    """The number, which must lie between 0 and 1."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"{call}: {name} must be a number, got {given!r}.")
    if not 0.0 <= given <= 1.0:
        raise ValueError(f"{call}: {name} lies between 0 and 1, got {given}.")
    return float(given)
