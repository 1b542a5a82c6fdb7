"""First and second derivatives of every op, against differences of NumPy's functions.

The results are weighed with random numbers g, so that they become one number, (g * out).sum(). Its
gradient along every element of every input is compared. Of its second derivatives, those along
random directions of all inputs at once: no element of them can be wrong without being seen.
"""

import numpy as np
import pytest
from all_cases import CASES
from case import ROW, listed, numbers
from differences import curvature, gradient, weights

import minigrad as mg

SMOOTH = [c for c in CASES if c.smooth and ROW[c.key].gradient in "d0" and c.gradient]
WITHOUT = [c for c in CASES if ROW[c.key].gradient == "-"]
DIRECTIONS = 2


def weighed(case, arrays):
    """The case as a function from ndarrays to one number, and the weights of its results."""
    results = [np.asarray(out, np.float64) for out in listed(case.numpy(*arrays))]
    g = [weights(out.shape, seed=k) for k, out in enumerate(results)]

    def f(*moved):
        outs = listed(case.numpy(*moved))
        return sum(float((w * out).sum()) for w, out in zip(g, outs, strict=True))

    return f, g


def leaves(arrays, device):
    """The arrays as tensors: leaves where they hold floats."""
    return [mg.tensor(a, device=device, requires_grad=a.dtype.kind == "f") for a in arrays]


def close(got, want, scale, tol, what):
    assert np.shape(got) == np.shape(want), what
    error = np.max(np.abs(got - want) / np.maximum(np.abs(want), scale), initial=0.0)
    assert error <= tol, f"{what}: {got} instead of {want}"  # NaN is not below tol


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_first_and_second_derivatives(device, case):
    arrays = case.inputs("float64")
    floats = [k for k, a in enumerate(arrays) if a.dtype.kind == "f"]
    f, g = weighed(case, arrays)
    for form, call in case.forms():
        tensors = leaves(arrays, device)
        inputs = [tensors[k] for k in floats]
        outs = listed(call(*tensors))
        assert all(out.requires_grad for out in outs), form
        loss = sum((mg.tensor(w, device=device) * o).sum() for w, o in zip(g, outs, strict=True))
        found = mg.grad(loss, inputs, create_graph=True)
        for k, dx in zip(floats, found, strict=True):
            want = gradient(f, arrays, k)
            assert (dx.dtype, dx.device) == (mg.float64, device)
            close(numbers(dx), want, 1.0, 1e-8, f"{form}: the gradient of input {k}")
            if ROW[case.key].gradient == "0":
                assert not numbers(dx).any(), form
        for seed in range(DIRECTIONS):
            along = {k: weights(arrays[k].shape, seed=10 * seed + k) for k in floats}
            want = curvature(f, arrays, [along.get(k) for k in range(len(arrays))])
            slope = sum(
                (mg.tensor(along[k], device=device) * d).sum()
                for k, d in zip(floats, found, strict=True)
            )
            got = along_again(slope, inputs, [along[k] for k in floats])
            close(got, want, scale(f, arrays), 1e-7, f"{form}: the second derivative")


def scale(f, arrays):
    """What the roundings of a second difference count against."""
    return max(1.0, abs(f(*arrays)))


def along_again(slope, inputs, directions):
    """The derivative of a slope along the directions, 0 where it does not depend on the inputs."""
    if not slope.requires_grad:
        return 0.0
    found = mg.grad(slope, inputs, allow_unused=True, retain_graph=True)
    pairs = [(d, v) for d, v in zip(found, directions, strict=True) if d is not None]
    return sum(float((numbers(d) * v).sum()) for d, v in pairs)


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_gradients_in_float32(device, case):
    arrays = case.inputs("float32")
    floats = [k for k, a in enumerate(arrays) if a.dtype.kind == "f"]
    exact = [a.astype(np.float64) if k in floats else a for k, a in enumerate(arrays)]
    f, g = weighed(case, exact)
    tensors = leaves(arrays, device)
    outs = listed(case.ours(*tensors))
    for w, out in zip(g, outs, strict=True):
        out.backward(mg.tensor(w, dtype=out.dtype, device=device), retain_graph=True)
    for k in floats:
        dx = tensors[k].grad
        assert (dx.dtype, dx.device, dx.shape) == (mg.float32, device, arrays[k].shape)
        want = gradient(f, exact, k)
        size = np.max(np.abs(want), initial=1.0)
        largest = np.max(np.abs(exact[k]), initial=64.0, where=np.isfinite(exact[k]))
        tol = 2.0 * np.finfo(np.float32).eps * largest
        close(numbers(dx), want, size, tol, f"the gradient of input {k}")


@pytest.mark.parametrize("case", WITHOUT, ids=str)
def test_no_gradient_where_the_table_has_none(device, case):
    outs = listed(case.ours(*leaves(case.inputs("float64"), device)))
    assert not any(out.requires_grad for out in outs)


@pytest.mark.parametrize("key", sorted({case.key for case in SMOOTH}))
def test_the_table_says_where_a_gradient_is_always_0(key):
    moves = False
    for case in (c for c in SMOOTH if c.key == key):
        arrays = case.inputs("float64")
        f, _ = weighed(case, arrays)
        floats = [k for k, a in enumerate(arrays) if a.dtype.kind == "f"]
        moves = moves or any(gradient(f, arrays, k).any() for k in floats)
    assert ROW[key].gradient == ("d" if moves else "0")
