"""One call on both sides: ours and PyTorch's values, gradients, and gradients of gradients."""

import warnings

import numpy as np
import torch

from minigrad.reference.backward import grad
from minigrad.reference.creation import asarray, zeros
from minigrad.reference.tensor import Tensor

DTYPES = {
    torch.float32: "float32",
    torch.float64: "float64",
    torch.int64: "int64",
    torch.bool: "bool",
}


AGAIN = 4.0


class Unequal(AssertionError):
    """What differs between the two sides."""


def ours(value, leaves):
    """Tensors as ours over the same numbers and strides; those that want a gradient are leaves,
    noted with their tensor in `leaves`.
    """
    if isinstance(value, torch.Tensor):
        array = asarray(laid_out(value.detach().numpy(), getattr(value, "placement", "as it is")))
        if not value.requires_grad:
            return Tensor(array)
        leaves.append((Tensor(array).requires_grad_(), value))
        return leaves[-1][0]
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


def compare(call, theirs, args, kwargs, *, slack=8.0, each=False, twice=True):
    """Run `call` on our tensors and `theirs` on PyTorch's; raise Unequal where they disagree.

    Compared are the number of results, their shapes, dtypes and values; the gradients of all
    tensors that require one, for random cotangents; and (twice) the gradients of those gradients,
    along the same tensors and along the cotangents. An error is counted in roundings of the largest
    number around (each: of the number itself, if above 1); `slack` of them are allowed, and
    AGAIN times as many in second derivatives. Gives how many of these were compared.
    """
    leaves = []
    mine = listed(call(*ours(args, leaves), **{n: ours(v, leaves) for n, v in kwargs.items()}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a variance of one number
        other = listed(theirs(*args, **kwargs))
    if len(mine) != len(other):
        raise Unequal(f"{len(mine)} results, theirs {len(other)}")
    outs = list(zip(mine, other, strict=True))
    around = [*(t for a in (*args, *kwargs.values()) for t in _flat(a)), *other]
    size = 1.0 if each else _largest(around)
    for k, (a, b) in enumerate(outs):
        _same(a, b, f"result {k}" if len(outs) > 1 else "result", size, slack)
        if a.requires_grad and not b.requires_grad:
            raise Unequal(f"result {k} requires a gradient, theirs does not")

    rng = np.random.default_rng(0)
    firsts, weights = differentiated(outs, leaves, rng, twice)
    around += _theirs([*firsts, *weights])
    _all_same("gradient", firsts, leaves, 1.0 if each else _largest(around), slack)
    if not twice:
        return 0
    leaves += weights
    seconds, weights = differentiated(firsts, leaves, rng, False)
    around += _theirs([*seconds, *weights])
    _all_same("second gradient", seconds, leaves, 1.0 if each else _largest(around), AGAIN * slack)
    return len(seconds)


def differentiated(outs, leaves, rng, again):
    """Pairs of ours and theirs: the gradients of the leaves from random ones of the results, and
    these. Nothing where theirs have no gradient.
    """
    asked = [(a, b) for a, b in outs if b is not None and b.requires_grad]
    if not asked or not leaves:
        return [], []
    weights = [_weights(rng, b) for _, b in asked]
    given = [Tensor(asarray(w.numpy(), copy=True)) for w in weights]
    for w, g in zip(weights, given, strict=True):
        w.requires_grad_(again)
        g.requires_grad_(again)
    wanted = torch.autograd.grad(
        [b for _, b in asked],
        [t for _, t in leaves],
        weights,
        create_graph=again,
        allow_unused=True,
    )
    recorded = [(a, g) for (a, _), g in zip(asked, given, strict=True) if has_history(a)]
    found = [None] * len(leaves)
    if recorded:
        roots, gs = zip(*recorded, strict=True)
        inputs = [x for x, _ in leaves]
        found = grad(roots, inputs, gs, create_graph=again, allow_unused=True)
    return list(zip(found, wanted, strict=True)), list(zip(given, weights, strict=True))


def has_history(x):
    return isinstance(x, Tensor) and x.requires_grad


def listed(value):
    return list(value) if isinstance(value, list | tuple) else [value]


def _theirs(pairs):
    return [t for _, t in pairs if t is not None]


def _all_same(what, pairs, leaves, size, slack):
    """The gradients of the leaves agree; None is a gradient of zeros."""
    for k, ((g, want), (x, t)) in enumerate(zip(pairs, leaves, strict=False)):
        want = torch.zeros_like(t) if want is None else want
        g = Tensor(zeros(x.shape, x.dtype)) if g is None else g
        _same(g, want, f"{what} {k}", size, slack)


def _same(a, b, what, size, slack):
    if not isinstance(a, Tensor):
        raise Unequal(f"{what}: {type(a).__name__} instead of a Tensor")
    if tuple(b.shape) != a.shape:
        raise Unequal(f"{what}: shape {a.shape}, theirs {tuple(b.shape)}")
    if str(a.dtype) != DTYPES.get(b.dtype, str(b.dtype)):
        raise Unequal(f"{what}: dtype {a.dtype}, theirs {b.dtype}")
    got, want = a.numpy(), b.detach().numpy(force=True)  # theirs may be zeros without memory
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
