"""The training step (1.7): against the same arithmetic on plain floats, and on a small problem."""

import math

import pytest

from minigrad.course import expect
from minigrad.course.expect import EPS
from minigrad.scalar import MLP, SGD, Value, train_step

ROWS = [[0.5, -1.0], [2.0, 0.25], [-1.5, 0.75], [0.0, 3.0], [1.0, 1.0]]
LABELS = [0, 2, 1, 1, 0]
TOL = 64 * EPS


class Linear:
    """Three scores from two numbers."""

    def __init__(self, weights):
        self.weights = [[Value(w) for w in row] for row in weights]

    def __call__(self, row):
        return [
            sum((w * x for w, x in zip(ws, row, strict=True)), Value(0.0)) for ws in self.weights
        ]

    def parameters(self):
        return [w for row in self.weights for w in row]


START = [[0.1, -0.2], [0.7, 0.4], [-0.3, 0.05]]


def plain_step(weights, rate, rows, labels):
    """Softmax regression by its textbook formula, on floats: (loss before, weights after)."""
    loss, grads = 0.0, [[0.0, 0.0] for _ in weights]
    for row, label in zip(rows, labels, strict=True):
        scores = [math.fsum(w * x for w, x in zip(ws, row, strict=True)) for ws in weights]
        parts = [math.exp(s - max(scores)) for s in scores]
        belief = [p / math.fsum(parts) for p in parts]
        loss -= math.log(belief[label]) / len(rows)
        for k, b in enumerate(belief):
            for j, x in enumerate(row):
                grads[k][j] += (b - (k == label)) * x / len(rows)
    after = [
        [w - rate * g for w, g in zip(ws, gs, strict=True)]
        for ws, gs in zip(weights, grads, strict=True)
    ]
    return loss, after


@pytest.mark.exercise("1.7")
def test_one_step_is_the_formula():
    model = Linear(START)
    for w in model.parameters():
        w.grad = 1.0  # left over from something else
    loss = train_step(model, SGD(model.parameters(), 0.5), ROWS, LABELS)
    want_loss, want = plain_step(START, 0.5, ROWS, LABELS)
    expect.close(loss, want_loss, what="the loss that one step gives back", tol=TOL, scale=1.0)
    starts = [w for row in START for w in row]
    ends = [w for row in want for w in row]
    grads = [(s - e) / 0.5 for s, e in zip(starts, ends, strict=True)]
    got = [w.grad for w in model.parameters()]
    expect.close(got, grads, what="the gradients after one step", tol=TOL, scale=1.0)
    got = [w.data for w in model.parameters()]
    expect.close(got, ends, what="the weights after one step", tol=TOL, scale=1.0)


@pytest.mark.exercise("1.7")
def test_each_step_uses_its_own_gradients_only():
    model = Linear(START)
    optimiser = SGD(model.parameters(), 0.25)
    weights = START
    for number, (rows, labels) in enumerate(
        [(ROWS[:2], LABELS[:2]), (ROWS[2:], LABELS[2:]), (ROWS, LABELS)], start=1
    ):
        loss = train_step(model, optimiser, rows, labels)
        want_loss, weights = plain_step(weights, 0.25, rows, labels)
        what = f"the loss that step {number} gives back"
        expect.close(loss, want_loss, what=what, tol=TOL, scale=1.0)
        got = [w.data for w in model.parameters()]
        flat = [w for row in weights for w in row]
        expect.close(got, flat, what=f"the weights after step {number}", tol=TOL, scale=1.0)


@pytest.mark.exercise("1.7")
def test_rows_and_labels_must_be_as_many():
    model = Linear(START)
    optimiser = SGD(model.parameters(), 0.5)
    loss = train_step(model, optimiser, ROWS, LABELS)
    expect.that(type(loss) is float, "the loss comes back as a plain float", inputs={"loss": loss})
    expect.raises(
        ValueError,
        lambda: train_step(model, optimiser, ROWS, LABELS[:3]),
        what="5 rows with 3 labels",
    )


@pytest.mark.exercise("1.7")
@pytest.mark.limit(cpu=6)
def test_a_network_learns_what_no_straight_line_can():
    rows = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    labels = [0, 1, 1, 0]
    model = MLP((2, 4, 2), seed=1)
    optimiser = SGD(model.parameters(), 0.5)
    losses = [train_step(model, optimiser, rows, labels) for _ in range(500)]
    expect.that(
        losses[-1] < 0.1,
        "the loss on xor is below 0.1 after 500 steps",
        inputs={"loss": losses[-1]},
    )
    for row, label in zip(rows, labels, strict=True):
        scores = [s.data for s in model(row)]
        expect.equal(
            scores.index(max(scores)), label, what="the answer for a row", inputs={"row": row}
        )


@pytest.mark.exercise("1.7")
def test_a_network_is_what_its_sizes_and_its_seed_say():
    model = MLP((3, 5, 4, 2), seed=7)
    train_step(model, SGD(model.parameters(), 0.1), [[1.0, 2.0, 3.0]], [1])
    expect.equal(
        len(model.parameters()),
        3 * 5 + 5 + 5 * 4 + 4 + 4 * 2 + 2,
        what="parameters of (3, 5, 4, 2)",
    )
    start = [p.data for p in MLP((3, 5, 2), seed=7).parameters()]
    expect.equal([p.data for p in MLP((3, 5, 2), seed=7).parameters()], start, what="seed 7 again")
    expect.that(
        [p.data for p in MLP((3, 5, 2), seed=8).parameters()] != start, "seed 8 starts elsewhere"
    )
    # One hidden neuron, by hand: scores are linear in tanh(w . x + b).
    small = MLP((2, 1, 2), seed=3)
    (hidden,), (first, second) = small.layers[0].neurons, small.layers[1].neurons
    w0, w1 = (w.data for w in hidden.weights)
    inner = math.tanh(w0 * 0.5 + w1 * -2.0 + hidden.bias.data)
    want = [n.weights[0].data * inner + n.bias.data for n in (first, second)]
    got = [s.data for s in small([0.5, -2.0])]
    expect.close(got, want, what="the scores of a (2, 1, 2) network", scale=1.0)
    expect.raises(
        ValueError, lambda: small([1.0]), what="a row too short", match="expected a row of 2"
    )
    for sizes in ((4,), (2, 0, 3)):
        expect.raises(ValueError, lambda s=sizes: MLP(s), what="MLP sizes", match="sizes must be")
    for rate in (0.0, -0.1, math.nan):
        expect.raises(ValueError, lambda r=rate: SGD([], r), what="an SGD rate", match="above 0")
