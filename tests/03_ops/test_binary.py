"""Sum (3.1) and product (3.3) of two arrays, and what of a gradient reaches each of them."""

import numpy as np
import pytest

from minigrad.course import expect
from minigrad.dtypes import bool_, float32, float64, int64
from minigrad.gradcheck import gradcheck
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.ops.binary import add, mul

# By hand; every number is exact in binary, so that nothing here has to be close.
PAIRS = [
    ([2.0], [-3.0], [-1.0], [-6.0]),
    ([1.5, 0.0, -4.0], [0.5, 7.0, 4.0], [2.0, 7.0, 0.0], [0.75, 0.0, -16.0]),
    ([[1.0, 2.0], [3.0, 4.0]], [[8.0, 4.0], [0.5, 2.0]], [[9, 6], [3.5, 6]], [[8, 8], [1.5, 8]]),
]


def numbers(*shape, seed=0):
    """Arrays of floats whose sums and products of two are exact."""
    return np.random.default_rng(seed).integers(-9, 10, shape) / 4.0


def gave(out, want, what, dtype, **given):
    expect.that(isinstance(out, Array), f"{what} is an Array", inputs=given)
    expect.close(out.numpy(), want, what=what, inputs=given)
    expect.equal(out.dtype, dtype, what=f"the dtype of {what}", inputs=given)


@pytest.mark.exercise("3.1")
def test_the_sum_of_two_arrays():
    for x, y, total, _ in PAIRS:
        gave(add(asarray(x), asarray(y)), total, "x + y", float32, x=x, y=y)


@pytest.mark.exercise("3.1")
def test_the_sum_in_every_dtype_and_layout():
    x, y = numbers(4, 6), numbers(4, 6, seed=1)
    gave(add(asarray(x), asarray(y)), x + y, "x + y", float64, x=x, y=y)
    gave(add(asarray(x[::-1]), asarray(y[::-1, ::-1])), x[::-1] + y[::-1, ::-1], "x + y", float64)
    gave(add(asarray(x.T), asarray(y.T)), x.T + y.T, "x + y, both transposed", float64)
    gave(add(asarray([1, 2]), asarray([10, 20])), [11, 22], "x + y of ints", int64)
    both = add(asarray([True, False]), asarray([False, False]))
    gave(both, [True, False], "x + y of bools", bool_)
    gave(add(asarray(2.0), asarray(3.0)), 5.0, "x + y of 0-d arrays", float32)
    gave(add(asarray(x[:0]), asarray(y[:0])), x[:0], "x + y of empty arrays", float64)


@pytest.mark.exercise("3.1")
def test_a_sum_broadcasts_and_takes_numbers():
    x, y = numbers(3, 1), numbers(4)
    gave(add(asarray(x), asarray(y)), x + y, "x + y", float64, x=x, y=y)
    gave(add(asarray(x), 2), x + 2, "x + 2", float64, x=x)
    gave(add(2.5, asarray([1, 2])), [3.5, 4.5], "2.5 + x of ints", float32)
    expect.raises(
        ValueError,
        lambda: add(asarray([1.0, 2.0, 3.0]), asarray([1.0, 2.0])),
        what="adding shapes that do not fit",
        match=r"^add: shapes \(3,\) and \(2,\) cannot be broadcast",
    )


@pytest.mark.exercise("3.1")
def test_both_terms_of_a_sum_receive_the_whole_gradient():
    x, y, g = numbers(2, 3), numbers(2, 3, seed=1), numbers(2, 3, seed=2)
    out, pull = add.with_vjp(asarray(x), asarray(y))
    found = pull(asarray(g))
    expect.equal(len(found), 2, what="the number of gradients of x + y")
    given = {"x": x, "y": y, "g": g}
    gave(out, x + y, "x + y", float64, **given)
    for name, d in zip("xy", found, strict=True):
        gave(d, g, f"the gradient of {name} in x + y", float64, **given)
    gradcheck(add, asarray(x), asarray(y))


@pytest.mark.exercise("3.1")
def test_a_number_has_no_gradient():
    g = numbers(3)
    for args in ((asarray(numbers(3)), 2.0), (2.0, asarray(numbers(3)))):
        found = dict(zip(map(type, args), add.with_vjp(*args)[1](asarray(g)), strict=True))
        gave(found[Array], g, "the gradient of the array in array + number", float64, g=g)
        expect.equal(found[float], None, what="the gradient of the number in array + number")


@pytest.mark.exercise("3.1")
def test_a_sum_leaves_its_terms_alone_and_shares_no_memory():
    x, y = numbers(5), numbers(5, seed=1)
    a, b = asarray(x.copy()), asarray(y.copy())
    out = add(a, b)
    out.numpy()[...] = 7.0
    expect.close(a.numpy(), x, what="x after x + y has been overwritten")
    expect.close(b.numpy(), y, what="y after x + y has been overwritten")


@pytest.mark.exercise("3.3")
def test_the_product_of_two_arrays():
    for x, y, _, product in PAIRS:
        gave(mul(asarray(x), asarray(y)), product, "x * y", float32, x=x, y=y)
    gave(mul(asarray([3, -4]), asarray([5, 6])), [15, -24], "x * y of ints", int64)
    gave(mul(asarray([True, True]), asarray([True, False])), [True, False], "x * y", bool_)
    x, y = numbers(4, 6), numbers(6, 4, seed=1)
    gave(mul(asarray(x), asarray(y.T)), x * y.T, "x * y, y transposed", float64)
    gave(mul(asarray(2.0), asarray(-3.0)), -6.0, "x * y of 0-d arrays", float32)
    gave(mul(asarray(x[:0]), asarray(x[:0])), x[:0], "x * y of empty arrays", float64)
    gave(mul(asarray(x), 0.5), x / 2, "x * 0.5", float64)
    gave(mul(asarray([np.inf, np.nan]), 0.0), [np.nan, np.nan], "[inf, nan] * 0", float32)
    expect.raises(
        ValueError,
        lambda: mul(asarray([1.0, 2.0, 3.0]), asarray([1.0, 2.0])),
        what="multiplying shapes that do not fit",
        match=r"^mul: shapes \(3,\) and \(2,\) cannot be broadcast",
    )


@pytest.mark.exercise("3.3")
def test_each_factor_receives_the_gradient_times_the_other():
    # Three numbers by hand first: at x = (2, 3, 5), y = (7, 0, -1).
    x, y, g = asarray([2.0, 3.0, 5.0]), asarray([7.0, 0.0, -1.0]), asarray([1.0, 10.0, 100.0])
    dx, dy = mul.with_vjp(x, y)[1](g)
    given = {"x": x.tolist(), "y": y.tolist(), "g": g.tolist()}
    gave(dx, [7.0, 0.0, -100.0], "the gradient of x in x * y", float32, **given)
    gave(dy, [2.0, 30.0, 500.0], "the gradient of y in x * y", float32, **given)
    x, y = asarray(numbers(3, 4)), asarray(numbers(3, 4, seed=1))
    gradcheck(mul, x, y)
    gradcheck(mul, asarray(np.array(1.5)), asarray(np.array(-2.0)))
    gradcheck(mul, asarray(numbers(0, 3)), asarray(numbers(0, 3)))


@pytest.mark.exercise("3.3")
def test_factors_that_were_repeated_receive_the_sum_over_the_repeats():
    x, y = asarray([[1.0], [2.0]]), asarray([3.0, 5.0, 7.0])
    dx, dy = mul.with_vjp(x, y)[1](asarray([[1.0, 1.0, 1.0], [0.0, 0.0, 10.0]]))
    given = {"x": x.tolist(), "y": y.tolist()}
    gave(dx, [[15.0], [70.0]], "the gradient of x, repeated along axis 1", float32, **given)
    gave(dy, [1.0, 1.0, 21.0], "the gradient of y, repeated along axis 0", float32, **given)
    for a, b in [
        ((3, 1), (1, 4)),
        ((4,), (2, 3, 4)),
        ((2, 1, 3), (4, 1)),
        ((), (3,)),
        ((1,), (0,)),
    ]:
        gradcheck(mul, asarray(numbers(*a)), asarray(numbers(*b, seed=1)))


@pytest.mark.exercise("3.3")
def test_the_square_as_a_product_has_both_parts():
    x = asarray(numbers(5))
    first, second = mul.with_vjp(x, x)[1](asarray(np.ones(5)))
    whole = first.numpy() + second.numpy()
    expect.close(whole, 2.0 * x.numpy(), what="both gradients of x * x", inputs={"x": x.numpy()})


@pytest.mark.exercise("3.3")
def test_gradients_keep_the_dtype_of_their_input():
    x, y = asarray(numbers(3)), asarray([1.0, 2.0, 4.0])
    dx, dy = mul.with_vjp(x, y)[1](asarray(np.ones(3)))
    gave(dx, y.numpy(), "the gradient of a float64 x times a float32 y", float64)
    gave(dy, x.numpy(), "the gradient of a float32 y times a float64 x", float32)
    whole = asarray([1, 2, 3])
    expect.equal(
        mul.with_vjp(whole, y)[1](y)[0], None, what="the gradient of an int64 x, which has none"
    )
