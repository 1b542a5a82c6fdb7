"""What norms, attention and choices refuse, in the form of bad_input."""

import minigrad as mg

ATTENTION = "scaled_dot_product_attention"


def attend(x, q=(2, 3, 4), k=(2, 5, 4), v=(2, 5, 6), **options):
    mg.scaled_dot_product_attention(x(*q), x(*k), x(*v), **options)


CASES = {
    # norms
    "a weight of another size": (lambda x: mg.layer_norm(x(2, 3), x(2)), ValueError,
        "layer_norm: x of shape (2, 3) needs a weight of shape (3,), got (2,)."),
    "a bias of two axes": (lambda x: mg.layer_norm(x(2, 3), x(3), x(2, 3)), ValueError,
        "layer_norm: x of shape (2, 3) needs a bias of shape (3,), got (2, 3)."),
    "a number as a weight": (lambda x: mg.rms_norm(x(2, 3), 1.5), ValueError,
        "rms_norm: x of shape (2, 3) needs a weight of shape (3,), got float."),
    "the norm of a number": (lambda x: mg.layer_norm(x()), ValueError,
        "layer_norm: a 0-d array has no axis to go along."),
    "an eps below 0": (lambda x: mg.rms_norm(x(2, 3), eps=-1.0), ValueError,
        "rms_norm: eps must be 0 or more, got -1.0."),
    "an eps that is none": (lambda x: mg.layer_norm(x(2, 3), eps=float("nan")), ValueError,
        "layer_norm: eps must be 0 or more, got nan."),
    # attention
    "queries of another size": (lambda x: attend(x, q=(2, 3, 5)), ValueError,
        f"{ATTENTION}: queries and keys must have one size: q (2, 3, 5), k (2, 5, 4), "
        "v (2, 5, 6)."),
    "a key without a value": (lambda x: attend(x, v=(2, 4, 6)), ValueError,
        f"{ATTENTION}: each key needs one value: q (2, 3, 4), k (2, 5, 4), v (2, 4, 6)."),
    "one token without its axis": (lambda x: attend(x, q=(4,)), ValueError,
        f"{ATTENTION}: each needs two axes or more, (..., tokens, size): q (4,), k (2, 5, 4), "
        "v (2, 5, 6)."),
    "batches that do not fit": (lambda x: attend(x, q=(3, 3, 4)), ValueError, f"{ATTENTION}: "),
    "a mask of another shape": (lambda x: attend(x, mask=x.ones((3, 4), dtype="bool")), ValueError,
        f"{ATTENTION}: a mask of shape (3, 4) does not fit scores of shape (2, 3, 5), "
        "(..., queries, keys)."),
    "a mask with more axes": (lambda x: attend(x, mask=x(7, 2, 3, 5)), ValueError,
        f"{ATTENTION}: a mask of shape (7, 2, 3, 5) does not fit scores of shape (2, 3, 5)"),
    "a mask of ints": (lambda x: attend(x, mask=x(3, 5, dtype="int64")), TypeError,
        f"{ATTENTION}: a mask is bool (True where a query may look) or float (added to the "
        "scores), got int64."),
    "more attention than all dropped": (lambda x: attend(x, dropout=1.5), ValueError,
        f"{ATTENTION}: dropout is a probability, from 0 to 1, got 1.5."),
    "a seed for attention": (lambda x: attend(x, dropout=0.5, generator=3), TypeError,
        f"{ATTENTION}: generator must be a minigrad.Generator, got 3; Generator(seed=0)"),
    # positions and tables
    "an index without a row": (
        lambda x: mg.embedding(x(65, 2), x.asarray([[0, 64, 3], [70, 1, 2]])), IndexError,
        "embedding: index 70 at position (1, 0), but the table has 65 rows."),
    "an index from the end": (lambda x: mg.embedding(x(65, 2), x.asarray([3, -1])), IndexError,
        "embedding: index -1 at position (1,), but the table has 65 rows."),
    "indices of floats": (lambda x: mg.embedding(x(5, 2), x(3)), TypeError,
        "embedding: indices must be int64, got float32."),
    "a table of one row without its axis": (lambda x: mg.embedding(x(5), [1]), ValueError,
        "embedding: a table has shape (rows, size), got shape (5,)."),
    "an odd size to turn": (lambda x: mg.rotary(x(2, 3)), ValueError,
        "rotary: the numbers of a row are turned in pairs, but shape (2, 3) has 3 of them."),
    "one row to turn": (lambda x: mg.rotary(x(4)), ValueError,
        "rotary: x has shape (..., tokens, size), got shape (4,)."),
    "positions of floats": (lambda x: mg.rotary(x(3, 4), x(3)), TypeError,
        "rotary: positions must be int64, got float32."),
    "a position too few": (lambda x: mg.rotary(x(3, 4), [0, 1]), ValueError, "rotary: "),
    "positions of more batches": (
        lambda x: mg.rotary(x(3, 4), x(2, 3, dtype="int64")), ValueError,
        "rotary: positions of shape (2, 3) do not fit x of shape (3, 4)."),
    "a base of 0": (lambda x: mg.rotary(x(3, 4), base=0.0), ValueError,
        "rotary: base must be above 0, got 0.0."),
    # choices
    "more than there are": (lambda x: mg.topk(x(2, 3), 4), ValueError,
        "topk: k=4, but axis 1 of shape (2, 3) has 3."),
    "fewer than none": (lambda x: x(2, 3).topk(-1, 0), ValueError,
        "topk: k=-1, but axis 0 of shape (2, 3) has 2."),
    "half of one": (lambda x: mg.topk(x(3), 1.5), TypeError,
        "topk: k must be a whole number, got 1.5."),
    "a probability below 0": (
        lambda x: mg.multinomial(x.tensor([[0.5, 0.5], [1.5, -0.5]]), 1), ValueError,
        "multinomial: probabilities are finite and not below 0, got -0.5 at position (1, 1)."),
    "a probability that is none": (
        lambda x: mg.multinomial(x.tensor([0.5, float("nan")]), 1), ValueError,
        "multinomial: probabilities are finite and not below 0, got nan at position (1,)."),
    "an infinite probability": (
        lambda x: mg.multinomial(x.tensor([float("inf"), 1.0]), 1), ValueError, "got inf at"),
    "nothing to draw": (lambda x: mg.multinomial(x.tensor([[1.0, 0.0], [0.0, 0.0]]), 1), ValueError,
        "multinomial: row (1,) adds up to 0; there is nothing to draw."),
    "more than there are to draw": (
        lambda x: mg.multinomial(x.tensor([0.5, 0.0, 0.5]), 3, False), ValueError,
        "multinomial: the row has fewer than 3 above 0; there is nothing to draw."),
    "counts to draw from": (lambda x: mg.multinomial(x.asarray([1, 2]), 1), TypeError,
        "multinomial: probabilities are an array of floats, got int64."),
    "a number to draw from": (lambda x: mg.multinomial(x(), 1), ValueError,
        "multinomial: a 0-d array has no axis to draw from."),
    "fewer draws than none": (lambda x: mg.multinomial(x(2), -1), ValueError,
        "multinomial: n must be 0 or more, got -1."),
    "half a draw": (lambda x: mg.multinomial(x(2), 0.5), TypeError,
        "multinomial: n must be a whole number, got 0.5."),
    "a seed to draw from": (lambda x: mg.multinomial(x.ones(2), 1, generator=3), TypeError,
        "multinomial: generator must be a minigrad.Generator, got 3; Generator(seed=0)"),
}  # fmt: skip
