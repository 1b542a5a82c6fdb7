"""A step, a score, and the loop: what they do in which order, and how the loop ends."""

import math
import threading

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn, optim
from minigrad.data import DataLoader, TensorDataset
from minigrad.optim.schedule import StepLR
from minigrad.training import Score, accuracy, evaluate, fit, train_step

EPS = np.finfo(np.float64).eps
X = np.array([[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0], [0.25, 1.0], [2.0, 2.0]])
Y = np.array([0, 2, 1, 0, 2])


class Line(nn.Module):
    """x @ w.T, float64, which notes the mode of each call."""

    def __init__(self, w=((0.1, -0.2), (0.3, 0.0), (-0.5, 0.4))):
        super().__init__()
        self.w = nn.Parameter(mg.tensor(w, mg.float64))
        self.modes = []

    def forward(self, x):
        self.modes.append(self.training)
        return x @ self.w.T


def softmax_step(w, x, y):
    """The mean cross-entropy of x @ w.T and its gradient, from the definition."""
    e = np.exp(x @ w.T)
    p = e / e.sum(1, keepdims=True)
    wanted = np.eye(len(w))[y]
    return -np.log((p * wanted).sum(1)).mean(), (p - wanted).T @ x / len(x)


def loader(size=2, **options):
    return DataLoader(TensorDataset(mg.tensor(X), mg.tensor(Y)), size, **options)


@pytest.mark.parametrize("max_norm", [None, 0.25, 100.0])
def test_a_step(max_norm):
    model = Line()
    w = model.w.numpy().copy()
    model.w.grad = mg.full((3, 2), 50.0, mg.float64)  # of a batch before, to be forgotten
    optimiser = optim.SGD(model.parameters(), lr=0.5)
    got = train_step(model, optimiser, mg.tensor(X), mg.tensor(Y), max_norm=max_norm)
    loss, g = softmax_step(w, X, Y)
    length = np.sqrt((g**2).sum())
    if max_norm is not None and length > max_norm:
        g = g * max_norm / (length + 1e-6)
    assert type(got) is float and got == pytest.approx(loss, rel=64 * EPS)
    np.testing.assert_allclose(model.w.numpy(), w - 0.5 * g, rtol=64 * EPS, atol=64 * EPS)
    assert length > 0.25, "the clipped case clips"


def test_a_step_with_another_loss():
    model, target = Line(), np.arange(15.0).reshape(5, 3)
    w = model.w.numpy().copy()
    optimiser = optim.SGD(model.parameters(), lr=0.125)
    got = train_step(model, optimiser, mg.tensor(X), mg.tensor(target), loss=mg.mse)
    off = X @ w.T - target
    assert got == pytest.approx((off**2).mean(), rel=64 * EPS)
    np.testing.assert_allclose(model.w.numpy(), w - 0.125 * 2.0 * off.T @ X / 15, rtol=1e-13)


def test_the_share_that_is_right():
    scores = mg.tensor([[0.1, 0.9], [2.0, 1.0], [0.0, -1.0], [0.3, 0.2]])
    assert accuracy(scores, mg.tensor([1, 1, 0, 0])) == 0.75
    assert accuracy(scores.reshape(2, 2, 2), mg.tensor([[0, 1], [1, 0]])) == 0.25
    assert math.isnan(accuracy(scores, mg.tensor([[0.1, 0.9]] * 4)))


@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_a_score_counts_each_row_the_same(size):
    model = Line()
    found = evaluate(model, loader(size))
    out = X @ model.w.numpy().T
    assert found.loss == pytest.approx(softmax_step(model.w.numpy(), X, Y)[0], rel=64 * EPS)
    assert found.accuracy == (out.argmax(1) == Y).mean() and 0.0 < found.accuracy < 1.0


@pytest.mark.parametrize("mode", [True, False])
def test_a_score_leaves_the_model_as_it_was(mode):
    model = Line().train(mode)
    optim.SGD(model.parameters(), lr=1.0).zero_grad()
    seen = []

    def loss(out, y):
        seen.append(out.requires_grad)
        return mg.cross_entropy(out, y)

    evaluate(model, loader(), loss)
    assert model.modes == [False] * 3 and model.training is mode
    assert seen == [False] * 3 and mg.is_grad_enabled() and model.w.grad is None

    def broken(out, y):
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        evaluate(model, loader(), broken)
    assert model.training is mode and mg.is_grad_enabled()


def test_a_score_of_nothing():
    with pytest.raises(ValueError, match=r"^evaluate: there was no batch"):
        evaluate(Line(), [])


def test_the_loop_is_steps_in_the_order_of_the_loader():
    model, other, records = Line(), Line(), []
    ours, theirs = (optim.SGD(m.parameters(), lr=0.25, momentum=0.5) for m in (model, other))
    schedule, same = StepLR(ours, 2, 0.5), StepLR(theirs, 2, 0.5)
    history = fit(
        model, ours, loader(shuffle=True), epochs=2,
        max_norm=0.5, schedule=schedule, callback=records.append,
    )  # fmt: skip
    want, batches = [], loader(shuffle=True)
    for x, y in [*batches, *batches]:
        right = accuracy(other(x), y)
        lr = theirs.param_groups[0]["lr"]
        loss = train_step(other, theirs, x, y, max_norm=0.5)
        same.step()
        want.append((len(want) + 1, 6, loss, right, lr))
    assert [(r.step, r.total, r.loss, r.accuracy, r.lr) for r in records] == want
    assert history.steps == records and not history.interrupted and history.scores == []
    assert model.w.tolist() == other.w.tolist()
    assert {r.lr for r in records} == {0.25, 0.125, 0.0625}


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({"epochs": 1}, 3),
        ({"epochs": 3}, 9),
        ({"steps": 1}, 1),
        ({"steps": 3}, 3),
        ({"steps": 7}, 7),
    ],
)
def test_how_long(options, steps):
    model, batches = Line(), loader()
    history = fit(model, optim.SGD(model.parameters(), lr=0.1), batches, **options)
    assert [r.step for r in history.steps] == list(range(1, steps + 1))
    assert batches.epoch == -(-steps // 3), "no epoch is begun that is not needed"


def test_scores_before_after_each_epoch_and_at_the_end():
    model = Line()
    optimiser = optim.SGD(model.parameters(), lr=0.1)
    before = evaluate(model, loader(5))
    history = fit(
        model,
        optimiser,
        loader(),
        steps=8,
        score_on={"all": loader(5), "two": [next(iter(loader()))]},
    )
    assert [step for step, _ in history.scores] == [0, 3, 6, 8]
    assert history.scores[0][1]["all"] == before
    assert history.scores[-1][1] == {
        "all": evaluate(model, loader(5)), "two": evaluate(model, [next(iter(loader()))])
    }  # fmt: skip
    assert history.scores[1][1]["all"].loss > history.scores[-1][1]["all"].loss


@pytest.mark.parametrize("mode", [True, False])
def test_the_model_trains_in_training_mode_and_is_given_back_as_it_was(mode):
    model = Line().train(mode)
    fit(
        model,
        optim.SGD(model.parameters(), lr=0.1),
        loader(),
        epochs=1,
        score_on={"all": loader(5)},
    )
    assert model.modes == [False, True, True, True, False] and model.training is mode


def test_told_to_stop_it_scores_and_returns():
    model, asked = Line(), []

    def stop():
        asked.append(True)
        return len(asked) == 2

    history = fit(
        model, optim.SGD(model.parameters(), lr=0.1), loader(prefetch=2), epochs=9,
        stop=stop, score_on={"all": loader(5)},
    )  # fmt: skip
    assert history.interrupted and [r.step for r in history.steps] == [1, 2]
    assert [step for step, _ in history.scores] == [0, 2]
    assert [t.name for t in threading.enumerate() if "prefetch" in t.name] == []


def test_it_is_not_interrupted_by_a_question_after_the_end():
    model = Line()
    history = fit(
        model, optim.SGD(model.parameters(), lr=0.1), loader(), steps=1, stop=lambda: True
    )
    assert not history.interrupted


@pytest.mark.parametrize("place", ["loss", "callback", "data"])
def test_ctrl_c_leaves_what_was_done(place):
    model, calls = Line(), []

    def third(*given):
        calls.append(given)
        if len(calls) == 3:
            raise KeyboardInterrupt

    def loss(out, y):
        third()
        return mg.cross_entropy(out, y)

    class Data(TensorDataset):
        def batch(self, indices):
            third()
            return super().batch(indices)

    data = Data if place == "data" else TensorDataset
    batches = DataLoader(data(mg.tensor(X), mg.tensor(Y)), 1, prefetch=1 if place != "data" else 0)
    history = fit(
        model, optim.SGD(model.parameters(), lr=0.1), batches, epochs=2,
        loss=loss if place == "loss" else mg.cross_entropy,
        callback=third if place == "callback" else None,
    )  # fmt: skip
    assert history.interrupted and len(history.steps) == (3 if place == "callback" else 2)
    assert model.training and mg.is_grad_enabled()
    assert [t.name for t in threading.enumerate() if "prefetch" in t.name] == []


def test_other_errors_go_through():
    model = Line().eval()

    def callback(record):
        raise ArithmeticError

    optimiser, batches = optim.SGD(model.parameters(), lr=0.1), loader(prefetch=1)
    with pytest.raises(ArithmeticError) as raised:
        fit(model, optimiser, batches, epochs=2, callback=callback)
    # The thread ends even while the traceback, as in a notebook, keeps all that was there.
    assert raised.tb is not None and not model.training
    assert [t.name for t in threading.enumerate() if "prefetch" in t.name] == []


@pytest.mark.parametrize(
    "options", [{}, {"epochs": 1, "steps": 2}, {"epochs": 0}, {"steps": -1}], ids=str
)
def test_how_long_it_cannot_be(options):
    model = Line()
    with pytest.raises(ValueError, match=r"^fit: say how long, by one of epochs and steps"):
        fit(model, optim.SGD(model.parameters(), lr=0.1), loader(), **options)
    with pytest.raises(ValueError, match="0 batches"):
        fit(model, optim.SGD(model.parameters(), lr=0.1), [], epochs=1)


def test_a_list_of_batches_will_do():
    model = Line()
    batches = [(mg.tensor(X), mg.tensor(Y))]
    history = fit(model, optim.Adam(model.parameters(), lr=0.05), batches, epochs=60,
                  score_on={"all": batches})  # fmt: skip
    (_, first), (_, last) = history.scores[0], history.scores[-1]
    assert isinstance(last["all"], Score) and last["all"].loss < 0.7 * first["all"].loss
