"""PyTorch's own operator database: for every operator of theirs, the inputs they test it with.

It is no public interface of PyTorch. This file alone knows where it is and what it looks like, in
the version that constraints.txt names.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

try:
    from torch.testing._internal.common_methods_invocations import op_db
except ImportError as error:
    op_db, MISSING = [], f"PyTorch {torch.__version__} gives no operator database: {error}"
else:
    MISSING = ""


@dataclass(frozen=True)
class Sample:
    """One call: positional arguments (tensors, numbers, lists of them) and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def tensors(self) -> list[torch.Tensor]:
        """All tensors among the arguments, in order."""
        return [t for a in (*self.args, *self.kwargs.values()) for t in _tensors(a)]

    def __str__(self) -> str:
        given = [*map(_short, self.args), *(f"{n}={_short(v)}" for n, v in self.kwargs.items())]
        return f"({', '.join(given)})"


class Operator:
    """One operator, or one variant of it, by the name that the tables use: "max.binary"."""

    def __init__(self, info: Any) -> None:
        variant = info.variant_test_name
        self.name = f"{info.name}.{variant}" if variant else info.name
        self.info, self.call = info, info.op
        self.has_gradient = bool(info.supports_autograd)

    def samples(self, dtype: torch.dtype) -> Iterator[Sample]:
        """Their sample inputs in `dtype`, the same at every call; none if they have none in it."""
        if dtype not in self.info.supported_dtypes("cpu"):
            return
        torch.manual_seed(0)
        gradient = self.has_gradient and dtype.is_floating_point
        # Not info.sample_inputs, which looks through the whole stack for the test that runs.
        for s in self.info.sample_inputs_func(self.info, "cpu", dtype, gradient):
            yield Sample((s.input, *s.args), dict(s.kwargs))


def operators() -> dict[str, Operator]:
    """All operators, by name."""
    return {o.name: o for o in map(Operator, op_db)}


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)


def _short(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_short, value))}]"
    return repr(value)
