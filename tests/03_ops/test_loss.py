"""3.10: cross-entropy from scores and the indices of the right classes."""

import math

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck
from minigrad.reference.creation import asarray
from minigrad.reference.ops.loss import cross_entropy

pytestmark = pytest.mark.exercise("3.10")

LOGITS = np.log(np.array([[1.0, 2.0, 5.0], [1.0, 1.0, 2.0]]))  # p = (1, 2, 5)/8 and (1, 1, 2)/4
TARGET = np.array([1, 2])


def drawn(*shape, seed=0):
    return asarray(np.random.default_rng(seed).uniform(-3.0, 3.0, shape))


def chosen(*shape, classes, seed=1):
    return np.random.default_rng(seed).integers(0, classes, shape)


def by_definition(logits, target, smooth=0.0):
    """The loss of each row: minus the sum of what was wanted times the log of what was said."""
    x = logits.astype(np.longdouble)
    p = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    wanted = np.full(x.shape, np.longdouble(smooth) / x.shape[-1])
    for at in np.ndindex(target.shape):
        wanted[(*at, target[at])] += 1 - np.longdouble(smooth)
    return -(wanted * np.log(p)).sum(-1).astype(np.float64)


def gradient(logits, target, g=1.0, **options):
    out, pull = cross_entropy.with_vjp(asarray(logits), asarray(target), **options)
    found, nothing = pull(asarray(np.broadcast_to(np.float64(g), out.shape).copy()))
    expect.that(nothing is None, "the targets, whole numbers, have no gradient")
    return found


def test_the_loss_by_hand():
    for reduction, wanted in [
        ("none", np.array([math.log(4.0), math.log(2.0)])),
        ("sum", math.log(8.0)),
        ("mean", math.log(8.0) / 2.0),
    ]:
        got = cross_entropy(asarray(LOGITS), asarray(TARGET), reduction=reduction)
        given = {"p": [[0.125, 0.25, 0.625], [0.25, 0.25, 0.5]], "target": TARGET.tolist()}
        expect.close(got, np.array(wanted), what=f"cross_entropy, {reduction}", inputs=given)
    got = cross_entropy(asarray(LOGITS), asarray(TARGET))
    expect.close(got, np.array(math.log(8.0) / 2.0), what="without reduction it is the mean")


def test_the_gradient_by_hand():
    wanted = np.array([[0.125, -0.75, 0.625], [0.25, 0.25, -0.5]])
    given = {"p": [[0.125, 0.25, 0.625], [0.25, 0.25, 0.5]], "target": TARGET.tolist()}
    found = gradient(LOGITS, TARGET, reduction="sum")
    expect.close(found, wanted, what="the gradient of the logits, sum", inputs=given, scale=1.0)
    found = gradient(LOGITS, TARGET, g=4.0)
    what = "the gradient of the logits, mean, four times"
    expect.close(found, 2.0 * wanted, what=what, inputs=given, scale=1.0)


def test_label_smoothing_by_hand():
    # s = 0.3: each of three classes is wanted with 0.1, the target with 0.8.
    given = {"p": [0.125, 0.25, 0.625], "target": 1, "label_smoothing": 0.3}
    logits, target = LOGITS[:1], TARGET[:1]
    wanted = -0.1 * math.log(0.125) - 0.8 * math.log(0.25) - 0.1 * math.log(0.625)
    got = cross_entropy(asarray(logits), asarray(target), label_smoothing=0.3)
    expect.close(got, np.array(wanted), what="the smoothed loss", inputs=given, tol=16 * EPS)
    found = gradient(logits, target, label_smoothing=0.3)
    slopes = np.array([[0.025, -0.55, 0.525]])
    expect.close(found, slopes, what="the gradient of the logits", inputs=given, scale=1.0)
    got = cross_entropy(asarray(logits), asarray(target), label_smoothing=1.0)
    wanted = -(math.log(0.125) + math.log(0.25) + math.log(0.625)) / 3.0
    given["label_smoothing"] = 1.0
    expect.close(got, np.array(wanted), what="the smoothed loss", inputs=given, tol=16 * EPS)


@pytest.mark.parametrize("smooth", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("shape", [(4, 4), (3, 7), (2, 3, 5), (5,), (2, 1), (0, 3)])
def test_any_rows_and_classes(shape, smooth):
    x, target = drawn(*shape), chosen(*shape[:-1], classes=shape[-1])
    rows = by_definition(x.numpy(), target, smooth)
    options = {"label_smoothing": smooth, "reduction": "none"}
    got = cross_entropy(x, asarray(target), **options)
    given = {"logits": x.numpy(), "target": target, "label_smoothing": smooth}
    expect.close(got, rows, what="the loss of each row", inputs=given, tol=16 * EPS, scale=4.0)
    gradcheck(cross_entropy, x, asarray(target), options=options)
    for reduction in ("mean", "sum"):
        if rows.size:
            gradcheck(cross_entropy, x, asarray(target), options=options | {"reduction": reduction})


@pytest.mark.parametrize("smooth", [0.0, 0.25])
def test_rows_that_do_not_count(smooth):
    x, target = drawn(4, 3), np.array([2, -100, 0, -100])
    rows = by_definition(x.numpy(), np.maximum(target, 0), smooth) * (target >= 0)
    given = {"logits": x.numpy(), "target": target.tolist(), "label_smoothing": smooth}
    for reduction, wanted in [("none", rows), ("sum", rows.sum()), ("mean", rows.sum() / 2.0)]:
        options = {"label_smoothing": smooth, "reduction": reduction}
        got = cross_entropy(x, asarray(target), **options)
        what = f"cross_entropy without rows 1 and 3, {reduction}"
        expect.close(got, np.array(wanted), what=what, inputs=given, tol=16 * EPS, scale=4.0)
        gradcheck(cross_entropy, x, asarray(target), options=options)


def test_scores_of_any_size():
    x = np.array([[1000.0, 0.0], [0.0, 1000.0], [-5000.0, -5000.0]])
    got = cross_entropy(asarray(x), asarray(np.array([0, 0, 1])), reduction="none")
    wanted = np.array([0.0, 1000.0, math.log(2.0)])
    expect.close(got, wanted, what="the loss of each row", inputs={"logits": x.tolist()})
    # A class that is ruled out: only a target there costs.
    x = np.array([[0.0, -math.inf, 0.0], [-math.inf, 0.0, 0.0]])
    got = cross_entropy(asarray(x), asarray(np.array([0, 0])), reduction="none")
    wanted = np.array([math.log(2.0), math.inf])
    expect.close(got, wanted, what="the loss of each row", inputs={"logits": x.tolist()})
    slopes = np.array([[-0.5, 0.0, 0.5], [-1.0, 0.5, 0.5]])
    found = gradient(x, np.array([0, 0]), reduction="none")
    expect.close(found, slopes, what="the gradient of the logits", inputs={"logits": x.tolist()})


def test_cross_entropy_keeps_float32():
    x, target = asarray(LOGITS.astype(np.float32)), asarray(TARGET)
    for smooth in (0.0, 0.25):
        out, pull = cross_entropy.with_vjp(x, target, label_smoothing=smooth)
        kinds = (str(out.dtype), str(pull(out)[0].dtype))
        expect.equal(kinds, ("float32", "float32"), what="the dtypes of the loss and the gradient")
