"""Undoing a broadcast (3.2): what was repeated is added up."""

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.dtypes import float32, float64
from minigrad.gradcheck import gradcheck
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.ops.binary import add
from minigrad.reference.ops.broadcast import expand, sum_to

pytestmark = pytest.mark.exercise("3.2")

# A shape, and one that can be broadcast to it.
CASES = [
    ((4,), (1,)),
    ((3, 4), (4,)),
    ((3, 4), (1, 4)),
    ((3, 4), (3, 1)),
    ((3, 4), (1, 1)),
    ((3, 4), (1,)),
    ((3, 4), ()),
    ((4,), ()),
    ((2, 3, 4), (3, 4)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (1, 3, 1)),
    ((2, 3, 4), (2, 1, 4)),
    ((2, 3, 4, 5), (3, 1, 5)),
    ((1, 3), (3,)),
    ((1, 1, 3), (1, 3)),
    ((3, 1), (1, 1)),
]


def whole(*shape, seed=0):
    """Whole numbers, as floats: sums are exact in any order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float64)


def by_hand(x, shape):
    """Each element of x added to the one of `shape` that it is a repeat of."""
    out = np.zeros(shape)
    for place in np.ndindex(x.shape):
        own = place[x.ndim - len(shape) :]
        out[tuple(0 if n == 1 else i for i, n in zip(own, shape, strict=True))] += x[place]
    return out


def test_repeats_are_added_up():
    x = asarray([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    given = {"x": x.tolist()}
    for shape, want in [
        ((3,), [11.0, 22.0, 33.0]),
        ((2, 1), [[6.0], [60.0]]),
        ((1, 3), [[11.0, 22.0, 33.0]]),
        ((1,), [66.0]),
        ((), 66.0),
    ]:
        out = sum_to(x, shape)
        expect.that(isinstance(out, Array), "sum_to gives an Array", inputs=given)
        expect.close(out.numpy(), want, what=f"sum_to(x, {shape})", inputs=given)


def test_every_way_to_repeat():
    for start, shape in CASES:
        x = whole(*start)
        out = sum_to(asarray(x), shape)
        given = {"x": x, "shape": shape}
        expect.close(out.numpy(), by_hand(x, shape), what="sum_to(x, shape)", inputs=given)
        expect.equal(out.dtype, float64, what="the dtype of sum_to(x, shape)", inputs=given)


def test_what_was_not_repeated_stays():
    for shape in [(3,), (2, 3), (1, 1), (), (0,), (1, 0)]:
        x = whole(*shape)
        out = sum_to(asarray(x), shape)
        expect.close(out.numpy(), x, what="sum_to(x, x.shape)", inputs={"x": x})


def test_the_sum_of_no_repeats_is_zero():
    for start, shape in [((0,), (1,)), ((0, 3), (3,)), ((3, 0), (3, 1)), ((2, 0), ())]:
        out = sum_to(asarray(whole(*start)), shape)
        given = {"shape of x": start, "shape": shape}
        expect.close(out.numpy(), np.zeros(shape), what="sum_to(x, shape)", inputs=given)


def test_any_layout_of_x():
    x = whole(4, 6)
    for name, view in [("x.T", x.T), ("x[::-1, ::2]", x[::-1, ::2]), ("x[1:]", x[1:])]:
        for shape in [(view.shape[1],), (view.shape[0], 1), ()]:
            out = sum_to(asarray(view), shape)
            given = {name: view, "shape": shape}
            expect.close(out.numpy(), by_hand(view, shape), what="sum_to(x, shape)", inputs=given)
    repeated = asarray(whole(3)).expand(4, 3)
    out = sum_to(repeated, (3,))
    expect.close(out.numpy(), 4 * whole(3), what="four repeats of x, added up")
    single = sum_to(asarray([[1.0, 2.0]]), (2,))
    expect.equal(single.dtype, float32, what="the dtype of sum_to of a float32 array")


def test_its_gradient_is_repeated_again():
    _out, pull = sum_to.with_vjp(asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), (2, 1))
    dx, *_ = pull(asarray([[7.0], [9.0]]))
    want = [[7.0, 7.0, 7.0], [9.0, 9.0, 9.0]]
    expect.close(dx.numpy(), want, what="the gradient of x in sum_to(x, (2, 1))")
    for start, shape in CASES:
        gradcheck(sum_to, asarray(whole(*start)), shape)


def test_a_broadcast_sum_has_gradients_of_the_shapes_of_its_terms():
    for a, b in [((2, 3), (3,)), ((3, 1), (1, 4)), ((2, 1, 4), (3, 1)), ((), (2, 2)), ((1,), (5,))]:
        x, y = asarray(whole(*a)), asarray(whole(*b, seed=1))
        out, pull = add.with_vjp(x, y)
        g = whole(*out.shape, seed=2)
        given = {"shape of x": a, "shape of y": b, "g": g}
        for name, shape, d in zip("xy", (a, b), pull(asarray(g)), strict=True):
            what = f"the gradient of {name} in x + y"
            expect.close(d.numpy(), by_hand(g, shape), what=what, inputs=given)


def test_repeating_and_adding_up_are_each_others_gradients():
    for start, shape in CASES:
        x, y = whole(*start), whole(*shape, seed=1)
        there = float((expand(asarray(y), start).numpy() * x).sum())
        back = float((y * sum_to(asarray(x), shape).numpy()).sum())
        what = "sum(y * sum_to(x, shape)), which is sum(expand(y, x.shape) * x)"
        expect.close(back, there, what=what, inputs={"x": x, "shape": shape})


def test_a_shape_that_was_never_broadcast_to_x_is_refused():
    expect.close(sum_to(asarray(whole(2, 3)), (1, 3)).numpy(), whole(2, 3).sum(0)[None], what="sum")
    for shape in [(2,), (4, 3), (1, 2, 3), (0,)]:
        expect.raises(
            ValueError,
            lambda s=shape: sum_to(asarray(whole(2, 3)), s),
            what="sum_to of a (2, 3) array",
            match="^sum_to: shape",
            inputs={"shape": shape},
        )
