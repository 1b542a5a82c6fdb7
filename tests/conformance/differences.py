"""Derivatives by differences of NumPy's own functions: what gradients are compared with.

Five points instead of three: the error of the step is of fourth order, so that a step of 1e-3
leaves eleven digits of a first derivative, and nine of a second.
"""

import numpy as np

STEP = 1e-3


def weights(shape, seed=0):
    """Random weights, none near 0, for each element of a result or each direction of an input."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)


def first(f):
    """The derivative at 0 of a function of one number."""
    h = STEP
    return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h)


def second(f):
    """The second derivative at 0 of a function of one number."""
    h = STEP
    return (16.0 * (f(h) + f(-h)) - (f(2 * h) + f(-2 * h)) - 30.0 * f(0.0)) / (12.0 * h * h)


def gradient(f, arrays, k):
    """The gradient of f(*arrays), one number, along every element of array k."""
    found = np.zeros(arrays[k].shape)
    for place in np.ndindex(found.shape):
        found[place] = first(lambda t, at=place: f(*moved(arrays, k, at, t)))
    return found


def moved(arrays, k, place, step):
    """The arrays, one element of array k moved by a step."""
    new = np.array(arrays[k])
    new[place] += step
    return [*arrays[:k], new, *arrays[k + 1 :]]


def curvature(f, arrays, directions):
    """The second derivative of f(*arrays) along the directions, one for each array or None."""
    return second(
        lambda t: f(
            *(a if d is None else a + t * d for a, d in zip(arrays, directions, strict=True))
        )
    )
