"""7.1: rows of a table, looked up, and the way back to them."""

import numpy as np
import pytest

from minigrad import embedding, tensor
from minigrad.course import expect
from minigrad.gradcheck import gradcheck, gradgradcheck
from minigrad.reference.array import Array
from minigrad.reference.creation import asarray
from minigrad.reference.ops.attention import looked_up

pytestmark = pytest.mark.exercise("7.1")

TABLE = np.array([[1.0, 2.0], [30.0, 40.0], [500.0, 600.0], [-7.0, -8.0]])


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def chosen(*shape, rows, seed=1):
    return np.random.default_rng(seed).integers(0, rows, shape)


def pulled(table, indices, g):
    """The gradient of the table, where `g` is that of what was looked up."""
    found, nothing = looked_up.with_vjp(asarray(table), asarray(indices))[1](asarray(g))
    expect.that(nothing is None, "the indices, whole numbers, have no gradient: None")
    return found


def test_rows_by_hand():
    got = embedding(asarray(TABLE), asarray([2, 0, 3]))
    wanted = np.array([[500.0, 600.0], [1.0, 2.0], [-7.0, -8.0]])
    given = {"table": TABLE.tolist(), "indices": [2, 0, 3]}
    expect.close(got, wanted, what="embedding(table, indices)", inputs=given)


def test_a_row_that_is_read_twice_comes_twice():
    got = embedding(asarray(TABLE), asarray([[1, 1], [3, 1]]))
    wanted = np.array([[[30.0, 40.0], [30.0, 40.0]], [[-7.0, -8.0], [30.0, 40.0]]])
    given = {"table": TABLE.tolist(), "indices": [[1, 1], [3, 1]]}
    expect.close(got, wanted, what="embedding(table, indices)", inputs=given)


def test_the_gradient_by_hand():
    g = np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]])
    given = {"table": TABLE.tolist(), "indices": [2, 0, 3], "g": g.tolist()}
    wanted = np.array([[10.0, 20.0], [0.0, 0.0], [1.0, 2.0], [100.0, 200.0]])
    expect.close(
        pulled(TABLE, [2, 0, 3], g), wanted, what="the gradient of table", inputs=given, scale=1.0
    )


def test_what_meets_in_one_row_adds_up():
    g = np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0], [1000.0, 2000.0]])
    given = {"table": TABLE.tolist(), "indices": [1, 3, 1, 1], "g": g.tolist()}
    wanted = np.array([[0.0, 0.0], [1101.0, 2202.0], [0.0, 0.0], [10.0, 20.0]])
    found = pulled(TABLE, [1, 3, 1, 1], g)
    expect.close(found, wanted, what="the gradient of table", inputs=given, scale=1.0)


@pytest.mark.parametrize("shape", [(), (6,), (2, 5), (3, 1, 2), (0,), (2, 0)])
def test_indices_of_every_shape(shape):
    table, indices = drawn(4, 3), chosen(*shape, rows=4)
    g = drawn(*shape, 3, seed=2)
    rows, sums = np.zeros((*shape, 3)), np.zeros((4, 3))
    for at in np.ndindex(shape):
        for col in range(3):
            rows[(*at, col)] = table[indices[at], col]
            sums[indices[at], col] += g[(*at, col)]
    given = {"table": table, "indices": indices.tolist()}
    got = embedding(asarray(table), asarray(indices))
    expect.close(got, rows, what="embedding(table, indices)", inputs=given)
    found = pulled(table, indices, g)
    expect.close(found, sums, what="the gradient of table", inputs=given, scale=1.0)


def test_rows_of_a_view():
    table = drawn(3, 8).T[::2]
    got = embedding(asarray(table), asarray([3, 0, 3]))
    given = {"table": "(4, 3), every second row of a transposed array", "indices": [3, 0, 3]}
    expect.close(got, table[[3, 0, 3]], what="embedding(table, indices)", inputs=given)


def test_the_gradient_against_differences():
    gradcheck(looked_up, asarray(drawn(4, 3)), asarray(chosen(2, 5, rows=4)))


def test_the_rule_gives_an_array():
    out = looked_up.function(tensor(TABLE), asarray([2, 0]))[0]
    given = {"table": "a tensor (4, 2)", "indices": [2, 0]}
    sentence = "the rows are an Array, read from array_of(table); the tape makes a tensor of them"
    expect.that(isinstance(out, Array), sentence, inputs=given)


def test_the_gradient_has_a_gradient():
    pull = looked_up.function(asarray(TABLE), asarray([2, 0]))[1]
    found = pull(tensor(np.ones((2, 2)), requires_grad=True), None)[0]
    sentence = "the gradient is made by ops, which the tape sees; what NumPy does, it does not see"
    recorded = getattr(found, "requires_grad", False)
    expect.that(recorded, sentence, inputs={"g": "a tensor (2, 2) that requires a gradient"})
    gradgradcheck(looked_up, asarray(drawn(4, 3)), asarray(chosen(2, 5, rows=4)))


def test_rows_are_copies():
    table = asarray(TABLE.copy())
    out = embedding(table, asarray([1]))
    out.mul_(0.0)
    given = {"table": TABLE.tolist(), "indices": [1]}
    what = "table, after what was looked up has become 0"
    expect.close(table, TABLE, what=what, inputs=given)


def test_a_layer_learns_the_rows_it_read():
    table = tensor(TABLE, requires_grad=True)
    (embedding(table, tensor([3, 0, 3])) * tensor([[1.0], [2.0], [4.0]])).sum().backward()
    wanted = np.array([[2.0, 2.0], [0.0, 0.0], [0.0, 0.0], [5.0, 5.0]])
    given = {"table": TABLE.tolist(), "indices": [3, 0, 3], "g": "rows of 1, 2 and 4"}
    expect.close(table.grad, wanted, what="table.grad after backward()", inputs=given, scale=1.0)


def test_float32_stays_float32():
    table = asarray(drawn(4, 3)).astype("float32")
    out, pull = looked_up.with_vjp(table, asarray([1, 1]))
    kinds = (str(out.dtype), str(pull(out)[0].dtype))
    expect.equal(kinds, ("float32", "float32"), what="the dtypes of the result and the gradient")
