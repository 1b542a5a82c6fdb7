"""7.3: nobody sees what comes later, and the last query stands at the last key."""

import numpy as np
import pytest

from minigrad import scaled_dot_product_attention, tensor
from minigrad.course import expect
from minigrad.reference.array import Array
from minigrad.reference.ops.attention import causal_mask

pytestmark = pytest.mark.exercise("7.3")


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def rows(queries, keys):
    """The mask as a picture: a row for each query, x where it may look at a key."""
    mask = causal_mask(queries, keys)
    given = {"queries": queries, "keys": keys}
    expect.that(isinstance(mask, Array), "the mask is an Array", inputs=given)
    expect.equal(str(mask.dtype), "bool", what="the dtype of the mask", inputs=given)
    expect.equal(mask.shape, (queries, keys), what="the shape of the mask", inputs=given)
    return ["".join("x" if sees else "." for sees in row) for row in mask.tolist()]


def check(queries, keys, *expected):
    given = {"queries": queries, "keys": keys}
    what = "causal_mask(queries, keys), x where a query may look"
    expect.equal(rows(queries, keys), list(expected), what=what, inputs=given)


def test_as_many_keys_as_queries():
    check(4, 4, "x...", "xx..", "xxx.", "xxxx")


def test_with_more_keys_the_queries_are_the_last_tokens():
    check(2, 5, "xxxx.", "xxxxx")
    check(3, 4, "xx..", "xxx.", "xxxx")


def test_a_single_query_sees_all_keys():
    check(1, 6, "xxxxxx")
    check(1, 1, "x")


def test_with_more_queries_the_first_ones_see_nothing():
    check(5, 2, "..", "..", "..", "x.", "xx")
    check(3, 1, ".", ".", "x")


def test_no_queries_and_no_keys():
    check(0, 3)
    check(2, 0, "", "")


@pytest.mark.parametrize(("queries", "keys"), [(7, 7), (3, 9), (9, 3), (6, 5)])
def test_counted_from_the_last_of_both(queries, keys):
    expected = []
    for i in range(queries):
        after_me = queries - 1 - i
        expected.append("".join("x" if keys - 1 - j >= after_me else "." for j in range(keys)))
    check(queries, keys, *expected)


def test_the_first_token_looks_at_itself_alone():
    q, k, v = (tensor(drawn(4, 3, seed=s)) for s in range(3))
    got = scaled_dot_product_attention(q, k, v, causal=True)
    given = {"q, k, v": "(4, 3) float64", "causal": True}
    what = "what the first token finds: its own value"
    expect.close(got[0], v[0], what=what, inputs=given)


def test_what_comes_later_changes_nothing():
    q, k, v = (drawn(5, 3, seed=s) for s in range(3))
    whole = scaled_dot_product_attention(*map(tensor, (q, k, v)), causal=True)
    for n in range(1, 5):
        cut = [tensor(x[:n]) for x in (q, k, v)]
        got = scaled_dot_product_attention(*cut, causal=True)
        given = {"q, k, v": f"the first {n} of 5 tokens", "causal": True}
        what = "what tokens find among those before them, as in the whole text"
        expect.close(got, whole[:n], what=what, inputs=given, tol=1e-14, scale=1.0)


def test_the_last_queries_find_what_they_find_in_the_whole_text():
    q, k, v = (drawn(5, 3, seed=s) for s in range(3))
    whole = scaled_dot_product_attention(*map(tensor, (q, k, v)), causal=True)
    for n in range(1, 5):
        got = scaled_dot_product_attention(tensor(q[-n:]), tensor(k), tensor(v), causal=True)
        given = {"q": f"the last {n} of 5 queries", "k, v": "all 5", "causal": True}
        what = "what the last tokens find, as in the whole text"
        expect.close(got, whole[-n:], what=what, inputs=given, tol=1e-14, scale=1.0)


def test_a_mask_of_ones_own_holds_as_well():
    # Of its own place and the one before, the second token may not see the one before.
    v = np.array([[1.0], [10.0], [100.0]])
    mask = np.array([[True, True, True], [False, True, True], [True, False, True]])
    zeros = tensor(np.zeros((3, 2)))
    got = scaled_dot_product_attention(zeros, zeros, tensor(v), tensor(mask), causal=True)
    given = {"q, k": "zeros (3, 2)", "v": v.tolist(), "mask": mask.tolist(), "causal": True}
    wanted = np.array([[1.0], [10.0], [50.5]])
    what = "scaled_dot_product_attention(q, k, v, mask, causal=True)"
    expect.close(got, wanted, what=what, inputs=given)
