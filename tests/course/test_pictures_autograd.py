"""The pictures of chapter 4 say what their data say."""

import numpy as np

import minigrad as mg
from minigrad.course import pictures_autograd

START = (-1.2, 1.0)


def title(picture):
    axes = picture.figure.axes[0]
    return axes.get_title(loc="left") or axes.texts[0].get_text()


def drawn_texts(picture):
    return [text.get_text() for text in picture.figure.axes[0].texts]


def test_a_recording_is_counted_and_named():
    w, b = mg.zeros((3, 2), requires_grad=True), mg.zeros((2,), requires_grad=True)
    loss = (mg.ones((4, 3)) @ w + b).mean()
    picture = pictures_autograd.recorded(loss, {"w": w, "b": b, "loss": loss})
    assert title(picture) == "The result leads back over 3 ops to 2 leaves"
    texts = drawn_texts(picture)
    for each in ("w", "(3, 2)", "b", "(2,)", "matmul", "(4, 2)", "add", "loss = mean", "()"):
        assert each in texts
    one = pictures_autograd.recorded(w.sum(), {"w": w})
    assert title(one) == "The result leads back over 1 op to 1 leaf"


def test_what_a_recorded_walk_left_is_told_from_what_it_walked_over():
    x = mg.tensor(2.0, requires_grad=True)
    y = x * x * x
    (dy,) = mg.grad(y, x, create_graph=True)
    picture = pictures_autograd.recorded(dy, {"x": x, "dy": dy}, earlier=y)
    assert title(picture) == "Walking back over 2 ops, recorded, has left 6 new ones"


def test_newton_is_there_only_if_it_is():
    near, far = [START, (1.0, 1.0 + 1e-9)], [START, (0.5, 0.25)]
    descent = [START, (0.0, 1.0)]
    there = title(pictures_autograd.paths(near, descent))
    assert there == "Newton: 1 step. Downhill: 1 step, and 1.00 to go"
    assert title(pictures_autograd.paths(far, descent)).startswith("Newton: not there.")
    lost = pictures_autograd.paths([START, (np.nan, np.nan)], descent)
    assert title(lost).startswith("Newton: not there.")


def test_the_leak_tells_the_most_that_is_held():
    picture = pictures_autograd.leak({"sum": [2**20, 5 * 2**20], "item": [2**20, 2**20]})
    assert title(picture) == "The sum of 2 losses is one number, and may hold 5 MiB"


def test_downhill_ends_at_the_bottom():
    picture = pictures_autograd.downhill()
    assert title(picture) == "Straight downhill, it takes 45,903 steps to the bottom"
    x, y = picture.figure.axes[0].lines[1].get_data()
    assert len(x) == 45_904
    assert np.hypot(x[-1] - 1.0, y[-1] - 1.0) <= 1e-8 < np.hypot(x[-2] - 1.0, y[-2] - 1.0)
