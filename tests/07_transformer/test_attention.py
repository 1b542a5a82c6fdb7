"""7.2: each query mixes the values by how well their keys fit."""

import math

import numpy as np
import pytest

from minigrad import Generator, scaled_dot_product_attention, tensor
from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.gradcheck import gradcheck

pytestmark = pytest.mark.exercise("7.2")

INF = math.inf
LOG = [0.0, *(math.log(n) for n in range(1, 9))]
# Divided by sqrt(4) the scores are (0, log 3, log 4) and (log 2, 0, log 5).
Q = np.array([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]])
K = np.array([[0.0, LOG[2], 0.0, 0.0], [LOG[3], 0.0, 0.0, 0.0], [LOG[4], LOG[5], 0.0, 0.0]])
V = np.array([[8.0, 0.0], [0.0, 16.0], [80.0, 8.0]])
GIVEN = {
    "q": "[[2, 0, 0, 0], [0, 2, 0, 0]]",
    "k": "[[0, log 2, 0, 0], [log 3, 0, 0, 0], [log 4, log 5, 0, 0]]",
    "v": V.tolist(),
}
WHAT = "scaled_dot_product_attention(q, k, v)"
MASKED = "scaled_dot_product_attention(q, k, v, mask)"


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2.0, 2.0, shape)


def attention(q, k, v, mask=None, **options):
    mask = None if mask is None else tensor(mask)
    return scaled_dot_product_attention(tensor(q), tensor(k), tensor(v), mask, **options)


def mixed(q, k, v, mask=None):
    """The same for one (queries, size), (keys, size) and (keys, width), number by number."""
    out = np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        parts = []
        for j in range(len(k)):
            score = math.fsum(a * b for a, b in zip(q[i], k[j], strict=True))
            score /= math.sqrt(q.shape[1])
            if mask is not None and mask.dtype == bool:
                score = score if mask[i, j] else -INF
            elif mask is not None:
                score += mask[i, j]
            parts.append(math.exp(score))
        total = math.fsum(parts)
        for part, value in zip(parts, v, strict=True):
            out[i] += part / total * value if total else 0.0
    return out


def test_one_query_by_hand():
    # The scores are 0 and log 3: the weights 1/4 and 3/4.
    given = {"q": "[[2, 0, 0, 0]]", "k": "[[0, 0, 0, 0], [log 3, 0, 0, 0]]", "v": [[4.0], [8.0]]}
    q, k = Q[:1], np.array([[0.0] * 4, [LOG[3], 0.0, 0.0, 0.0]])
    got = attention(q, k, np.array([[4.0], [8.0]]))
    expect.close(got, np.array([[7.0]]), what=WHAT, inputs=given, tol=64 * EPS, scale=1.0)


def test_two_queries_by_hand():
    # The weights are (1, 3, 4) / 8 and (2, 1, 5) / 8.
    wanted = np.array([[41.0, 10.0], [52.0, 7.0]])
    expect.close(attention(Q, K, V), wanted, what=WHAT, inputs=GIVEN, tol=64 * EPS, scale=1.0)


def test_a_scale_may_be_given():
    # At a scale of 1 the scores are twice as large: the weights (1, 9, 16) / 26, (4, 1, 25) / 30.
    wanted = np.array([[1288.0 / 26, 272.0 / 26], [2032.0 / 30, 216.0 / 30]])
    got = attention(Q, K, V, scale=1.0)
    given = GIVEN | {"scale": 1.0}
    expect.close(got, wanted, what=WHAT, inputs=given, tol=64 * EPS, scale=1.0)


def test_a_mask_of_bools_by_hand():
    # The first query may not look at the second key: (1, 0, 4) / 5. The second sees one key alone.
    mask = np.array([[True, False, True], [False, True, False]])
    wanted = np.array([[65.6, 6.4], [0.0, 16.0]])
    given = GIVEN | {"mask": mask.tolist()}
    expect.close(
        attention(Q, K, V, mask), wanted, what=MASKED, inputs=given, tol=64 * EPS, scale=1.0
    )


def test_a_mask_of_floats_by_hand():
    # Added to the scores, log n makes a weight n times as large: (3, 3, 0) / 6, (10, 1, 5) / 16.
    mask = np.array([[LOG[3], 0.0, -INF], [LOG[5], 0.0, 0.0]])
    wanted = np.array([[4.0, 8.0], [30.0, 3.5]])
    given = GIVEN | {"mask": "[[log 3, 0, -inf], [log 5, 0, 0]]"}
    expect.close(
        attention(Q, K, V, mask), wanted, what=MASKED, inputs=given, tol=64 * EPS, scale=1.0
    )


@pytest.mark.parametrize(
    "mask",
    [np.array([[False] * 3, [True] * 3]), np.array([[-INF] * 3, [0.0] * 3])],
    ids=["bools", "floats"],
)
def test_who_may_look_nowhere_gets_zeros(mask):
    wanted = np.array([[0.0, 0.0], [52.0, 7.0]])
    given = GIVEN | {"mask": mask.tolist()}
    expect.close(
        attention(Q, K, V, mask), wanted, what=MASKED, inputs=given, tol=64 * EPS, scale=1.0
    )


@pytest.mark.parametrize(
    ("queries", "keys", "size", "width"), [(3, 3, 3, 3), (5, 2, 3, 4), (1, 7, 4, 2), (4, 1, 1, 3)]
)
def test_as_many_queries_and_keys_as_one_likes(queries, keys, size, width):
    q, k, v = drawn(queries, size), drawn(keys, size, seed=1), drawn(keys, width, seed=2)
    given = {"q": q, "k": k, "v": v}
    expect.close(attention(q, k, v), mixed(q, k, v), what=WHAT, inputs=given, tol=1e-13, scale=1.0)
    bools, floats = drawn(queries, keys, seed=3) > 0.0, drawn(queries, keys, seed=4)
    for mask in (bools, floats):
        given = {"q": q, "k": k, "v": v, "mask": mask}
        got, wanted = attention(q, k, v, mask), mixed(q, k, v, mask)
        expect.close(got, wanted, what=MASKED, inputs=given, tol=1e-13, scale=1.0)


def test_every_sequence_of_a_batch_by_itself():
    q, k, v = drawn(2, 3, 4, 5), drawn(2, 3, 6, 5, seed=1), drawn(2, 3, 6, 2, seed=2)
    masks = [None, drawn(4, 6, seed=3) > 0.0, drawn(2, 1, 4, 6, seed=4), drawn(3, 1, 6, seed=5)]
    for mask in masks:
        full = None if mask is None else np.broadcast_to(mask, (2, 3, 4, 6))
        wanted = np.zeros((2, 3, 4, 2))
        for at in np.ndindex(2, 3):
            wanted[at] = mixed(q[at], k[at], v[at], None if full is None else full[at])
        given = {"q": q, "k": k, "v": v, "mask": mask}
        what = WHAT if mask is None else MASKED
        got = attention(q, k, v, mask)
        expect.close(got, wanted, what=what, inputs=given, tol=1e-13, scale=1.0)


def test_axes_in_front_are_broadcast():
    q, k, v = drawn(3, 1, 4, 5), drawn(2, 6, 5, seed=1), drawn(6, 2, seed=2)
    wanted = np.zeros((3, 2, 4, 2))
    for i, j in np.ndindex(3, 2):
        wanted[i, j] = mixed(q[i, 0], k[j], v)
    given = {"q": q, "k": k, "v": v}
    expect.close(attention(q, k, v), wanted, what=WHAT, inputs=given, tol=1e-13, scale=1.0)


def test_a_key_that_nobody_may_see_is_of_no_consequence():
    mask, hidden = np.array([[True, False, True]]), K.copy()
    for odd in (1e3, -1e3, math.nan, INF):
        hidden[1] = odd
        got = attention(Q, hidden, V, mask)
        # (1, 0, 4) / 5 and (2, 0, 5) / 7
        wanted = np.array([[65.6, 6.4], [416.0 / 7, 40.0 / 7]])
        given = {"q": GIVEN["q"], "k": hidden.tolist(), "v": V.tolist(), "mask": mask.tolist()}
        expect.close(got, wanted, what=MASKED, inputs=given, tol=64 * EPS, scale=1.0)


def test_the_gradients_of_all_four():
    def masked(q, k, v, mask):
        return scaled_dot_product_attention(q, k, v, mask)

    q, k, v, mask = drawn(2, 3), drawn(4, 3, seed=1), drawn(4, 2, seed=2), drawn(2, 4, seed=3)
    gradcheck(masked, tensor(q), tensor(k), tensor(v), tensor(mask))


SEEN = {
    "q": "[[2, 0, 0, 0]] 40 times",
    "k": GIVEN["k"],
    "v": "the unit matrix, with a column of ones behind it",
    "dropout": 0.25,
}


def weights(share, seed=5):
    """40 queries that are all alike: what each of three weights became, and their sum."""
    v = np.concatenate([np.eye(3), np.ones((3, 1))], 1)
    q = np.repeat(Q[:1], 40, 0)
    return attention(q, K, v, dropout=share, generator=Generator(seed)).numpy()


def test_dropout_drops_some_weights_and_lets_the_others_grow():
    found = weights(0.25)
    whole = np.array([1.0, 3.0, 4.0]) / 8 / 0.75  # what is kept makes up for what is dropped
    dropped = found[:, :3] == 0.0
    wanted = np.where(dropped, 0.0, whole)
    what = "a weight under dropout, which is 0 or divided by 1 - dropout,"
    expect.close(found[:, :3], wanted, what=what, inputs=SEEN, tol=64 * EPS, scale=1.0)
    what = "the sum of the weights that are left in a row"
    expect.close(found[:, 3], wanted.sum(1), what=what, inputs=SEEN, tol=64 * EPS, scale=1.0)
    # Of 120 weights 30 are dropped, give or take 5 (the spread).
    few = int(dropped.sum())
    expect.that(10 <= few <= 50, f"about 30 of 120 weights are dropped, not {few}", inputs=SEEN)


def test_dropout_takes_its_chance_from_the_generator():
    what = "a weight that is drawn a second time with the same seed"
    expect.close(weights(0.25), weights(0.25), what=what, inputs=SEEN, tol=0.0)
    differ = bool((weights(0.25) != weights(0.25, seed=6)).any())
    expect.that(differ, "another seed drops other weights", inputs=SEEN)


def test_all_may_be_dropped():
    given = SEEN | {"dropout": 1.0}
    expect.close(
        weights(1.0), np.zeros((40, 4)), what="a weight under dropout = 1", inputs=given, scale=1.0
    )


def test_float32_stays_float32():
    q, k, v = (tensor(x, dtype="float32") for x in (Q, K, V))
    got = scaled_dot_product_attention(q, k, v)
    expect.equal(str(got.dtype), "float32", what="the dtype for float32 inputs")
    wanted = np.array([[41.0, 10.0], [52.0, 7.0]])
    expect.close(got, wanted, what=WHAT, inputs=GIVEN | {"dtype": "float32"}, tol=1e-5)
