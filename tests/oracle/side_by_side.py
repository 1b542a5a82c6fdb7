"""One call on both sides: ours and PyTorch's values, and the gradients of both."""

import warnings

import numpy as np
import torch
from recorded import Recorded, gradients, recording

from minigrad.reference.array import Array
from minigrad.reference.creation import asarray

DTYPES = {
    torch.float32: "float32",
    torch.float64: "float64",
    torch.int64: "int64",
    torch.bool: "bool",
}


class Unequal(AssertionError):
    """What differs between the two sides."""


def ours(value, leaves):
    """Tensors as Arrays over the same numbers and strides; those that want a gradient are leaves,
    noted with their tensor in `leaves`.
    """
    if isinstance(value, torch.Tensor):
        array = asarray(laid_out(value.detach().numpy(), getattr(value, "placement", "as it is")))
        if not value.requires_grad:
            return array
        leaf = Recorded.of(array)
        leaves.append((leaf, value))
        return leaf
    if isinstance(value, list | tuple):
        return type(value)([ours(v, leaves) for v in value])
    if isinstance(value, torch.dtype):
        return DTYPES[value]
    return value


LAYOUTS = ("as it is", "gaps", "reversed", "other order")


def laid_out(values, layout):
    """The same numbers, otherwise placed in memory. PyTorch has no negative strides: ours does."""
    if layout == "as it is" or not values.ndim:
        return values
    step = {"gaps": 2, "reversed": -1, "other order": 1}[layout]
    wide = np.zeros(tuple(abs(step) * n for n in values.shape[::-1]), values.dtype)
    view = wide[(slice(None, None, step),) * values.ndim].T
    view[...] = values
    return view


def compare(call, theirs, args, kwargs, *, slack=8.0, each=False):
    """Run `call` on our arrays and `theirs` on the tensors; raise Unequal where they disagree.

    Compared are the number of results, their shapes, dtypes and values, and the gradients of all
    tensors that require one, for random cotangents. An error is counted in roundings of the
    largest number around (each: of the number itself, if above 1); `slack` of them are allowed.
    """
    leaves = []
    with recording():
        mine = call(*ours(args, leaves), **{n: ours(v, leaves) for n, v in kwargs.items()})
        mine = list(mine) if isinstance(mine, list | tuple) else [mine]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a variance of one number
            other = theirs(*args, **kwargs)
        other = list(other) if isinstance(other, list | tuple) else [other]
        if len(mine) != len(other):
            raise Unequal(f"{len(mine)} results, theirs {len(other)}")
        tensors = [t for a in (*args, *kwargs.values()) for t in _flat(a)]
        size = 1.0 if each else _largest([*tensors, *other])
        for k, (a, b) in enumerate(zip(mine, other, strict=True)):
            _same(a, b, f"result {k}" if len(mine) > 1 else "result", size, slack)
        asked = [k for k, t in enumerate(other) if t.requires_grad]
        if not asked or not leaves:
            return
        rng = np.random.default_rng(0)
        weights = [_weights(rng, other[k]) for k in asked]
        wanted = torch.autograd.grad(
            [other[k] for k in asked], [t for _, t in leaves], weights, allow_unused=True
        )
        found = gradients(
            [mine[k] for k in asked], [asarray(w.numpy()) for w in weights], [a for a, _ in leaves]
        )
    if not each:
        size = _largest([*tensors, *other, *weights, *(w for w in wanted if w is not None)])
    for k, (g, want, (_, tensor)) in enumerate(zip(found, wanted, leaves, strict=True)):
        want = torch.zeros_like(tensor) if want is None else want
        g = asarray(np.zeros(tensor.shape, tensor.detach().numpy().dtype)) if g is None else g
        _same(g, want, f"gradient {k}", size, slack)


def _same(a, b, what, size, slack):
    if not isinstance(a, Array):
        raise Unequal(f"{what}: {type(a).__name__} instead of an Array")
    if tuple(b.shape) != a.shape:
        raise Unequal(f"{what}: shape {a.shape}, theirs {tuple(b.shape)}")
    if str(a.dtype) != DTYPES.get(b.dtype, str(b.dtype)):
        raise Unequal(f"{what}: dtype {a.dtype}, theirs {b.dtype}")
    got, want = a.numpy(), b.detach().numpy()
    if got.dtype.kind != "f":
        wrong = got != want
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            allowed = slack * np.finfo(got.dtype).eps * np.maximum(size, np.abs(want))
            near = np.isfinite(want) & (np.abs(got - want) <= allowed)
        wrong = ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
    if wrong.any():
        first = tuple(map(int, np.argwhere(wrong)[0]))
        raise Unequal(
            f"{what}: at {list(first)} {got[first]!r}, theirs {want[first]!r}; "
            f"{wrong.sum()} of {wrong.size} differ"
        )


def _largest(tensors):
    """The largest finite number in any of them, 1 at least."""
    found = 1.0
    for t in tensors:
        if t.dtype.is_floating_point and t.numel():
            finite = t.detach().double().abs()
            finite = finite[torch.isfinite(finite)]
            found = max(found, float(finite.max()) if finite.numel() else 0.0)
    return found


def _weights(rng, tensor):
    drawn = rng.uniform(0.5, 1.5, tuple(tensor.shape)) * rng.choice(
        [-1.0, 1.0], tuple(tensor.shape)
    )
    return torch.as_tensor(np.asarray(drawn)).to(tensor.dtype)


def _flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in _flat(v)] if isinstance(value, list | tuple) else []
