"""What an op is: a forward, and how a gradient of its result reaches each of its inputs.

    @elementwise
    def mul(x, y):
        out = kernel("mul", x, y)
        return out, lambda g, out: (mul(g, y), mul(g, x))

The function returns the result and a vjp: from the gradient of the result (and the result itself,
handed in so that a vjp never holds its own output, which would be a cycle) to the gradient of each
array it was given, None where there is none. A vjp is written in ops, so that it can be
differentiated again.

Broadcasting is undone here, once, for every op: a rule may return gradients of the result's shape.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigrad import kernels
from minigrad.dtypes import DType, promote, result_type
from minigrad.reference.array import Array, broadcast_shapes, empty, room
from minigrad.reference.creation import asarray
from minigrad.reference.operators import Operators
from minigrad.reference.strides import expanded_strides

Gradients = tuple[Any, ...]
Vjp = Callable[[Any, Any], Gradients]


class Tape:
    """The slots that chapter 4 fills. Until then nothing is recorded and every input is an
    Array.

    knows   whether something is a tensor
    array   the Array of a tensor or of an Array, about to be read
    held    of an argument, what an op may work on and a vjp keep
    record  the result of an op, of these arguments, as a tensor that knows where it comes from
    """

    knows: Callable[[object], bool] = staticmethod(lambda _: False)
    array: Callable[[Any], Array] = staticmethod(lambda x: x)
    held: Callable[[Any], Any] = staticmethod(lambda x: x)
    record: Callable[[str, Any, tuple[Any, ...], Vjp], Any]


class Op:
    """A differentiable function. Called, it gives its result; `with_vjp` gives the pullback too."""

    def __init__(self, function: Callable[..., Any], promotes: bool) -> None:
        functools.update_wrapper(self, function)
        self.function, self.promotes = function, promotes

    def __repr__(self) -> str:
        return f"<op {self.function.__name__}>"

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.promotes:
            args = promoted(self.function.__name__, *args)
        function = kernels.whole(self.function.__name__) or self.function
        if not any(map(Tape.knows, args)):
            return function(*args, **options)[0]
        out, vjp = function(*map(Tape.held, args), **options)
        return Tape.record(self.function.__name__, out, args, vjp)

    def with_vjp(self, *args: Any, **options: Any) -> tuple[Any, Callable[[Any], Gradients]]:
        """The result, and the function from its gradient to those of `args` (None for numbers).

        Works on arrays, before there is a tape: the gradient check of chapter 3 stands on it.
        """
        inputs = promoted(self.function.__name__, *args) if self.promotes else args
        out, vjp = self.function(*inputs, **options)
        places = tuple(map(place_of, args))
        return out, lambda g: fitted(vjp(g, out), places)


def op(function: Callable[..., Any]) -> Op:
    """Make an op of a function that takes its arrays as they are."""
    return Op(function, promotes=False)


def elementwise(function: Callable[..., Any]) -> Op:
    """Make an op of a function whose positional arguments are all arrays of one dtype.

    Python numbers, lists and arrays of other dtypes are brought to the common dtype before it sees
    them (dtypes.result_type); shapes are left to broadcasting.
    """
    return Op(function, promotes=True)


def promoted(name: str, *args: Any) -> tuple[Any, ...]:
    """The arguments as arrays of their common dtype."""
    from minigrad.reference.ops.cast import astype  # an op itself

    dtypes = [a.dtype for a in args if isinstance(a, Operators)]
    if dtypes and dtypes.count(dtypes[0]) == len(args):
        return args
    numbers = (bool, int, float)
    args = tuple(a if isinstance(a, numbers) or is_array(a) else _operand(name, a) for a in args)
    common = result_type(*args)
    device = next((array_of(a).device for a in args if is_array(a)), None)
    out = []
    for a in args:
        if not is_array(a):
            a = asarray(a, dtype=common, device=device)
        out.append(a if a.dtype == common else astype(a, common))
    return tuple(out)


def _operand(name: str, given: object) -> Array:
    """A list or an ndarray as an Array; what holds no numbers is told in the op's name."""
    try:
        return asarray(given)
    except (TypeError, ValueError) as error:
        raise type(error)(str(error).replace("asarray", name, 1)) from None


def is_array(x: object) -> bool:
    """An Array, or a tensor of the tape."""
    return isinstance(x, Operators)


def array_of(x: Any) -> Array:
    """The Array of an Array or a tensor."""
    return Tape.array(x)


class Place(NamedTuple):
    """What a gradient has to be like to belong to an input."""

    shape: tuple[int, ...]
    dtype: DType


def place_of(x: Any) -> Place | None:
    """Where the gradient of an op's argument belongs; None if it can have no gradient."""
    return Place(x.shape, x.dtype) if is_array(x) and x.dtype.kind == "float" else None


def fitted(gradients: Gradients, places: tuple[Place | None, ...]) -> Gradients:
    """Each gradient summed to its input's shape and cast to its dtype; None for what has none."""
    pairs = zip(gradients, places, strict=False)
    found = tuple([None if g is None or p is None else fit(g, p) for g, p in pairs])
    return found + (None,) * (len(places) - len(found))


def fit(g: Any, place: Place) -> Any:
    """The gradient summed to the shape of its place and cast to its dtype."""
    if g.shape == place.shape and g.dtype == place.dtype:
        return g
    from minigrad.reference.ops.broadcast import sum_to
    from minigrad.reference.ops.cast import astype

    g = g if g.shape == place.shape else sum_to(g, place.shape)
    return g if g.dtype == place.dtype else astype(g, place.dtype)


def kernel(
    name: str,
    *args: Any,
    shape: tuple[int, ...] | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
) -> Array:
    """Run a kernel on the arrays among `args`; numbers among them follow as its last arguments.

    The result is `out`, if given; else a new Array of `shape` and `dtype`. Without `shape` the
    kernel is elementwise: the result has the broadcast shape, and every input is expanded to it.
    Without `dtype` it has the inputs' common one. A kernel sees views alone and writes all of
    `out`.
    """
    arrays: list[Array] = []
    numbers: list[Any] = []
    for a in args:
        if isinstance(a, Operators):
            arrays.append(Tape.array(a))
        else:
            numbers.append(a)
    device = arrays[0].device
    if out is None:
        each, shapes = shape is None, [a.shape for a in arrays]
        shape = broadcast_shapes(name, *shapes) if shape is None else shape
        dtype = promote(*[a.dtype for a in arrays]) if dtype is None else dtype
        out = room(shape, dtype) if shape in shapes else empty(shape, dtype, device)
        if each:
            arrays = [a if a.shape == shape else repeated(a, shape) for a in arrays]
    run = kernels.chosen(name, device, arrays[0].dtype)
    with np.errstate(all="ignore"):  # NaN and inf go through, without a word
        run(*(a.numpy() for a in arrays), out.numpy(), *numbers)
    return out


def repeated(x: Array, shape: tuple[int, ...]) -> Array:
    """x.expand(shape), of a shape that is known to fit."""
    return x.view_of(shape, expanded_strides(x.shape, x.strides, shape), x.offset)
