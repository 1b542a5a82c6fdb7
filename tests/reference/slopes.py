"""What the tests of the tape share: leaves of float64, and derivatives by central differences."""

import numpy as np

import minigrad as mg

EPS = np.finfo(np.float64).eps
STEP = float(np.cbrt(EPS))  # where truncation and rounding of a central difference are both small
TOLERANCE = 1e-8  # of such a difference, relative to the largest number around


def leaf(numbers, requires_grad=True):
    return mg.tensor(np.array(numbers, dtype=np.float64), requires_grad=requires_grad)


def drawn(*shape, seed=0, low=0.5, high=2.0):
    """Random float64 numbers of [low, high)."""
    return np.random.default_rng(seed).uniform(low, high, shape)


def slopes(f, x):
    """The gradient of a function of an ndarray that gives one number."""
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[place] += STEP
        below[place] -= STEP
        found[place] = (f(above) - f(below)) / (above[place] - below[place])
    return found


def equal(found, expected, roundings=8):
    """Up to so many roundings of the largest number; a NaN is a mismatch."""
    expected = np.asarray(expected)
    found = found.numpy() if isinstance(found, mg.Tensor) else np.asarray(found)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    eps = np.finfo(expected.dtype).eps
    np.testing.assert_array_less(np.abs(found - expected), roundings * eps * size)


def near(found, expected):
    """Up to the error of a central difference."""
    found = found.numpy() if isinstance(found, mg.Tensor) else np.asarray(found)
    assert found.shape == expected.shape
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_array_less(np.abs(found - expected), TOLERANCE * size)
