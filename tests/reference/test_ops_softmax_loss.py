"""logsumexp, softmax, log_softmax, cumsum and the losses: values, corners, gradients, errors."""

import math

import numpy as np
import pytest

from minigrad.gradcheck import gradcheck
from minigrad.reference import engine
from minigrad.reference.array import AxisError
from minigrad.reference.creation import asarray

INF, NAN = math.inf, math.nan
RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (2, 3, 5))
LAYOUTS = [
    X,
    X[::-1, :, ::-2],
    X.transpose(2, 0, 1),
    RNG.uniform(size=(3, 1)),
    RNG.uniform(size=(7,)),
    RNG.uniform(size=(2, 0, 3)),
    RNG.uniform(size=(0, 3)),
]
EVERY = pytest.mark.parametrize("x", LAYOUTS, ids=[str(x.shape) for x in LAYOUTS])


def close(out, wanted, tol=4e-15):
    wanted = np.asarray(wanted)
    assert out.shape == wanted.shape
    assert str(out.dtype) == str(wanted.dtype)
    np.testing.assert_allclose(out.numpy(), wanted, rtol=tol, atol=tol)


@EVERY
def test_along_every_axis(x):
    a, parts = asarray(x), np.exp(x)
    for axis in range(-x.ndim, x.ndim):
        share = parts / parts.sum(axis, keepdims=True)
        close(engine.softmax(a, axis), share)
        close(engine.log_softmax(a, axis), np.log(share))
        close(engine.cumsum(a, axis), np.cumsum(x, axis))
        for f in (engine.softmax, engine.log_softmax, engine.cumsum):
            gradcheck(f, a, options={"axis": axis})
    close(engine.cumsum(a), np.cumsum(x))
    gradcheck(engine.cumsum, a)


@EVERY
def test_logsumexp_over_any_axes(x):
    a = asarray(x)
    axes = [None, (), *range(-x.ndim, x.ndim), tuple(range(x.ndim)), tuple(range(x.ndim))[::-1]]
    axes += [(0, 2), (-1, 1)] if x.ndim == 3 else []
    for axis in axes:
        for keepdims in (False, True):
            with np.errstate(divide="ignore"):
                wanted = np.log(np.exp(x).sum(axis, keepdims=keepdims))
            close(engine.logsumexp(a, axis, keepdims), wanted)
            if np.isfinite(wanted).all():
                gradcheck(engine.logsumexp, a, options={"axis": axis, "keepdims": keepdims})


def test_axes_that_are_not_there():
    for f in (engine.softmax, engine.log_softmax, engine.cumsum, engine.logsumexp):
        with pytest.raises(AxisError, match=rf"{f.__name__}: axis 3 is out of range"):
            f(asarray(X), axis=3)
    with pytest.raises(AxisError, match=r"logsumexp: axis 1 is given twice"):
        engine.logsumexp(asarray(X), axis=(1, -2))
    with pytest.raises(AxisError, match=r"softmax: axis -1 is out of range .* 0 axes"):
        engine.softmax(asarray(np.float64(1.0)))
    for f in (engine.softmax, engine.log_softmax, engine.cumsum):
        with pytest.raises(TypeError, match=rf"{f.__name__}: axis is one int, got \(0, 1\)"):
            f(asarray(X), axis=(0, 1))
    close(engine.logsumexp(asarray(np.float64(1.5))), np.float64(1.5))
    close(engine.cumsum(asarray(np.float64(1.5))), np.array([1.5]))


def test_scores_of_any_size_and_infinities():
    x = [[1e4, 1e4], [-1e4, -1e4], [0.0, -INF], [-INF, -INF], [INF, 0.0], [NAN, 0.0]]
    half = math.log(2.0)
    a = asarray(np.array(x))
    log = [[-half, -half], [-half, -half], [0.0, -INF], [NAN, NAN], [NAN, NAN], [NAN, NAN]]
    close(engine.log_softmax(a), np.array(log))
    close(engine.softmax(a), np.exp(log))
    close(engine.logsumexp(a, 1), [1e4 + half, -1e4 + half, 0.0, -INF, INF, NAN], tol=1e-15)
    # The gap between two scores is what counts, and it survives their size, in float32 too.
    near = asarray(np.float32([[1000.0, 1000.5]]))
    wanted = np.float32([[1.0, math.exp(0.5)]]) / np.float32(1.0 + math.exp(0.5))
    close(engine.softmax(near), wanted, tol=1e-6)
    close(engine.log_softmax(near), np.log(wanted), tol=1e-6)


def test_whole_numbers_become_float32_and_sums_stay_whole():
    n = asarray([[1, 2, 3]])
    for f in (engine.softmax, engine.log_softmax):
        close(f(n), f(asarray(np.float32([[1, 2, 3]]))).numpy())
    close(
        engine.logsumexp(n, 1), np.log(np.float32([math.exp(1) + math.exp(2) + math.exp(3)])), 1e-6
    )
    close(engine.cumsum(n, 1), np.array([[1, 3, 6]]))
    close(engine.cumsum(asarray([True, True, False])), np.array([1, 2, 2]))
    close(engine.cumsum(asarray(np.float32([0.5, 0.25]))), np.float32([0.5, 0.75]))


REDUCTIONS = {"none": lambda rows: rows, "sum": np.sum, "mean": np.mean}


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shapes", [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((), (2,))])
def test_mse(shapes, reduction):
    x, y = (RNG.uniform(-2.0, 2.0, shape) for shape in shapes)
    out = engine.mse(asarray(x), asarray(y), reduction=reduction)
    close(out, REDUCTIONS[reduction]((x - y) ** 2))
    gradcheck(engine.mse, asarray(x), asarray(y), options={"reduction": reduction})


def test_mse_of_other_inputs():
    close(engine.mse(asarray([1, 2]), [3, 5]), np.float32(6.5))
    close(engine.mse(asarray(np.float32([1.0])), 3.0), np.float32(4.0))
    nothing = asarray(np.zeros((0, 2)))
    assert math.isnan(engine.mse(nothing, nothing).item())
    close(engine.mse(nothing, nothing, reduction="sum"), np.float64(0.0))
    with pytest.raises(ValueError, match=r"mse: reduction is one of mean, sum, none, got 'avg'"):
        engine.mse(nothing, nothing, reduction="avg")
    with pytest.raises(ValueError, match=r"mse: shapes \(2,\) and \(3,\) cannot be broadcast"):
        engine.mse(asarray([1.0, 2.0]), asarray([1.0, 2.0, 3.0]))


def binary(x, t, weight):
    p = 1.0 / (1.0 + np.exp(-x))
    return -(weight * t * np.log(p) + (1.0 - t) * np.log(1.0 - p))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("weight", [None, 3.0, np.array([0.5, 1.0, 2.0, 4.0])])
def test_binary_cross_entropy(reduction, weight):
    x, t = RNG.uniform(-3.0, 3.0, (3, 4)), RNG.uniform(0.0, 1.0, (3, 1))
    given = asarray(weight) if isinstance(weight, np.ndarray) else weight
    options = {"pos_weight": given, "reduction": reduction}
    out = engine.binary_cross_entropy_with_logits(asarray(x), asarray(t), **options)
    wanted = binary(x, t, 1.0 if weight is None else weight)
    close(out, REDUCTIONS[reduction](wanted), tol=1e-13)
    gradcheck(engine.binary_cross_entropy_with_logits, asarray(x), asarray(t), options=options)


def test_binary_cross_entropy_of_scores_of_any_size():
    x, t = np.array([1e4, -1e4, 1e4, -1e4, 0.0]), np.array([1.0, 0.0, 0.0, 1.0, 0.5])
    f = engine.binary_cross_entropy_with_logits
    out, pull = f.with_vjp(asarray(x), asarray(t), reduction="none")
    close(out, np.array([0.0, 0.0, 1e4, 1e4, math.log(2.0)]))
    slopes = pull(asarray(np.ones(5)))[0]
    close(slopes, np.array([0.0, 0.0, 1.0, -1.0, 0.0]))
    close(f(asarray([0.0, 0.0]), asarray([1, 0])), np.float32(math.log(2.0)), tol=1e-7)
    with pytest.raises(ValueError, match=r"binary_cross_entropy_with_logits: reduction is one of"):
        f(asarray(x), asarray(t), reduction=None)


def test_cross_entropy_of_many_axes():
    logits, target = RNG.uniform(-2.0, 2.0, (2, 3, 5))[::-1, :, ::-1], RNG.integers(0, 5, (2, 3))
    log = np.log(np.exp(logits) / np.exp(logits).sum(-1, keepdims=True))
    rows = -np.take_along_axis(log, target[..., None], -1)[..., 0]
    smoothed = 0.8 * rows - 0.2 * log.mean(-1)
    for reduction, reduced in REDUCTIONS.items():
        for smooth, wanted in ((0.0, rows), (0.2, smoothed)):
            options = {"label_smoothing": smooth, "reduction": reduction}
            out = engine.cross_entropy(asarray(logits), asarray(target), **options)
            close(out, reduced(wanted))
            gradcheck(engine.cross_entropy, asarray(logits), asarray(target), options=options)


def test_cross_entropy_ignores_what_it_is_told_to():
    logits, target = RNG.uniform(-2.0, 2.0, (4, 3)), np.array([1, 0, 2, 0])
    logits[1] = NAN
    kept = [0, 2]
    f = engine.cross_entropy
    for smooth in (0.0, 0.2):
        wanted = f(asarray(logits[kept]), asarray(target[kept]), label_smoothing=smooth)
        options = {"label_smoothing": smooth, "ignore_index": 0}
        out, pull = f.with_vjp(asarray(logits), asarray(target), **options)
        close(out, wanted.numpy())
        slopes = pull(asarray(np.float64(1.0)))[0].numpy()
        assert (slopes[[1, 3]] == 0.0).all()
        assert (slopes[kept] != 0.0).all()


def test_cross_entropy_when_every_row_is_ignored():
    logits, target = asarray(RNG.uniform(size=(2, 3))), asarray([-100, -100])
    out, pull = engine.cross_entropy.with_vjp(logits, target)
    assert math.isnan(out.item())
    close(pull(asarray(np.float64(1.0)))[0], np.zeros((2, 3)))
    close(engine.cross_entropy(logits, target, reduction="sum"), np.float64(0.0))
    close(engine.cross_entropy(logits, target, reduction="none"), np.zeros(2))
    assert math.isnan(
        engine.cross_entropy(asarray(np.zeros((0, 3))), asarray(np.zeros(0, int))).item()
    )


@pytest.mark.parametrize(
    ("target", "options", "kind", "message"),
    [
        (
            [0, 3],
            {},
            IndexError,
            r"cross_entropy: index 3 at position \(1,\), but there are 3 classes",
        ),
        ([-1, 0], {}, IndexError, r"cross_entropy: index -1 at position \(0,\), but there are 3"),
        ([0.0, 1.0], {}, TypeError, r"cross_entropy: indices must be int64, got float32"),
        (
            [0],
            {},
            ValueError,
            r"logits of shape \(2, 3\) need one target for each row, shape \(2,\)",
        ),
        ([[0], [1]], {}, ValueError, r"but the targets have shape \(2, 1\)"),
        (
            [0, 1],
            {"reduction": "avg"},
            ValueError,
            r"reduction is one of mean, sum, none, got 'avg'",
        ),
        ([0, 1], {"label_smoothing": 1.5}, ValueError, r"label_smoothing lies between 0 and 1"),
        ([0, 1], {"label_smoothing": NAN}, ValueError, r"label_smoothing lies between 0 and 1"),
    ],
)
def test_cross_entropy_names_what_is_wrong(target, options, kind, message):
    with pytest.raises(kind, match=message):
        engine.cross_entropy(asarray(np.zeros((2, 3))), asarray(target), **options)
