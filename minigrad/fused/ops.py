"""Whole ops as one kernel there and one back, where a backend has such kernels: kernels.use("cpp").

Each function here is called like the op's own, and gives the same: the result and a vjp. A kernel
cannot be differentiated; where the way back is to be recorded (create_graph), it is the op's own.
"""

from typing import Any

from minigrad import kernels
from minigrad.kernels import entire
from minigrad.reference.array import Array, empty
from minigrad.reference.autograd import mode
from minigrad.reference.creation import asarray, ones, zeros
from minigrad.reference.op import Gradients, Tape, Vjp, array_of, is_array, kernel, op, promoted
from minigrad.reference.ops import attention, loss, norm, softmax, unary
from minigrad.reference.ops.along import along, one_axis
from minigrad.reference.ops.cast import floating
from minigrad.reference.ops.reduce import mean, sum, var
from minigrad.reference.ops.unary import rsqrt, square


def run(name: str, inputs: tuple[Any, ...], outs: tuple[Array, ...], *numbers: float) -> None:
    """Run a kernel that writes several arrays."""
    arrays = [array_of(x) for x in inputs]
    call = kernels.chosen(name, arrays[0].device, arrays[0].dtype)
    call(*[a.numpy() for a in arrays], *[o.numpy() for o in outs], *numbers)


def like(x: Array) -> Array:
    """Room for an array of the same shape and dtype."""
    return empty(x.shape, x.dtype, x.device)


def recorded(g: Any) -> bool:
    """Whether what is made of this gradient is to be differentiated."""
    return mode.recording or not Tape.knows(g)


def back(*gradients: Array | None) -> Gradients:
    """Gradients as tensors without a history."""
    return tuple(None if g is None else Tape.record("kernel", g, (), _none) for g in gradients)


def _none(g: Any, out: Any) -> Gradients:
    return ()


@entire("softmax", backend="cpp")
def _softmax(x: Any, axis: int = -1) -> tuple[Array, Vjp]:
    plain: Vjp
    out, plain = softmax.softmax.function(x, axis)
    at = one_axis("softmax", axis, x.ndim)

    def vjp(g: Any, out: Any) -> Gradients:
        if recorded(g):
            return plain(g, out)
        return back(along(at, "softmax_grad", out, g, shape=out.shape))

    return out, vjp


@entire("masked_softmax", backend="cpp")
def _masked_softmax(scores: Any, allowed: Array) -> tuple[Array, Vjp]:
    plain: Vjp
    out, plain = attention.masked_softmax.function(scores, allowed)

    def vjp(g: Any, out: Any) -> Gradients:
        if recorded(g):
            return plain(g, out)
        return back(kernel("softmax_grad", out, g, shape=out.shape), None)

    return out, vjp


@entire("gelu", backend="cpp")
def _gelu(x: Any, approximate: str = "none") -> tuple[Array, Vjp]:
    x = floating(x)
    plain: Vjp
    out, plain = unary.gelu.function(x, approximate)

    def vjp(g: Any, out: Any) -> Gradients:
        if recorded(g) or approximate != "tanh":
            return plain(g, out)
        return back(kernel("gelu_tanh_grad", x, g))

    return out, vjp


@entire("cross_entropy", backend="cpp")
def _cross_entropy(
    logits: Any,
    target: Any,
    *,
    label_smoothing: float = 0.0,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> tuple[Array, Vjp]:
    logits, numbers = floating(logits), (label_smoothing, ignore_index)
    kept, _ = loss.targets(logits, target, ignore_index)
    loss.check_options("cross_entropy", reduction, label_smoothing)
    given = array_of(target) if is_array(target) else asarray(target)
    rows, sums = (empty(given.shape, logits.dtype, logits.device) for _ in range(2))
    run("cross_entropy", (logits, given), (rows, sums), *numbers)
    count = int(sum(kept).item())

    def vjp(g: Any, out: Any) -> Gradients:
        if recorded(g):
            options = {"label_smoothing": label_smoothing, "ignore_index": ignore_index}
            plain: Vjp
            _, plain = loss.cross_entropy.function(logits, target, reduction=reduction, **options)
            return plain(g, out)
        each = array_of(loss.share(g, reduction, count)).expand(given.shape)
        dx = like(array_of(logits))
        run("cross_entropy_grad", (logits, given, sums, each), (dx,), *numbers)
        return back(dx)

    return loss.total(rows, reduction, count), vjp


@entire("layer_norm", backend="cpp")
def _layer_norm(x: Any, weight: Any, bias: Any, eps: float) -> Any:
    weight = ones(x.shape[-1:], x.dtype, x.device) if weight is None else weight
    bias = zeros(x.shape[-1:], x.dtype, x.device) if bias is None else bias
    return layer_normed(*promoted("layer_norm", x, weight, bias), eps)


@op
def layer_normed(x: Any, weight: Any, bias: Any, eps: float) -> tuple[Array, Vjp]:
    """layer_norm, with what is learned inside."""
    out = like(array_of(x))
    middle, scale = (empty(x.shape[:-1], x.dtype, x.device) for _ in range(2))
    run("layer_norm", (x, weight, bias), (out, middle, scale), eps)

    def vjp(g: Any, out: Any) -> Gradients:
        if recorded(g):
            y, d = norm.standardised(x, eps), g * weight
            rate = rsqrt(var(x, -1, keepdims=True) + eps)
            along_y = mean(d * y, -1, keepdims=True)
            return rate * (d - mean(d, -1, keepdims=True) - y * along_y), g * y, g, None
        grads = like(array_of(x)), like(array_of(weight)), like(array_of(weight))
        run("layer_norm_grad", (x, weight, middle, scale, g), grads)
        return back(*grads)

    return out, vjp


@entire("rms_norm", backend="cpp")
def _rms_norm(x: Any, weight: Any, eps: float) -> Any:
    weight = ones(x.shape[-1:], x.dtype, x.device) if weight is None else weight
    return rms_normed(*promoted("rms_norm", x, weight), eps)


@op
def rms_normed(x: Any, weight: Any, eps: float) -> tuple[Array, Vjp]:
    """rms_norm, with what is learned inside."""
    out, scale = like(array_of(x)), empty(x.shape[:-1], x.dtype, x.device)
    run("rms_norm", (x, weight), (out, scale), eps)

    def vjp(g: Any, out: Any) -> Gradients:
        if recorded(g):
            rate = rsqrt(mean(square(x), -1, keepdims=True) + eps)
            y, d = x * rate, g * weight
            return rate * (d - y * mean(d * y, -1, keepdims=True)), g * y, None
        grads = like(array_of(x)), like(array_of(weight))
        run("rms_norm_grad", (x, weight, scale, g), grads)
        return back(*grads)

    return out, vjp
