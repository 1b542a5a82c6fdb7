"""The pictures of chapter 7 say what their data say."""

from itertools import pairwise

import numpy as np
import pytest

from minigrad import data
from minigrad.course import pictures_transformer as pictures


def title(picture):
    figure = picture.figure
    return figure.get_suptitle() or figure.axes[0].get_title(loc="left")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def surprise(known, asked, before, size):
    """The same as counted, in the words of its docstring."""
    total = 0.0
    for at in range(before, len(asked)):
        run = asked[at - before : at]
        ways = range(len(known) - before)
        after = [known[k + before] for k in ways if known[k : k + before] == run]
        chance = after.count(asked[at]) + pictures.DOUBT
        total -= np.log(chance / (len(after) + pictures.DOUBT * size))
    return total / (len(asked) - before)


@pytest.mark.parametrize("before", [0, 1, 2, 3])
def test_counting_counts_what_followed(before):
    draw = np.random.default_rng(before)
    known, asked = draw.integers(0, 3, 50).tolist(), draw.integers(0, 4, 30).tolist()
    found = pictures.counted(np.array(known), np.array(asked), before, 4)
    assert found == pytest.approx(surprise(known, asked, before, 4), rel=1e-12)


def test_the_best_count_is_named_and_marked(monkeypatch):
    known, asked = "abcabd" * 20, "abdabc" * 3
    monkeypatch.setattr(data, "python_sources", lambda: (known, asked))
    axes = pictures.counting().figure.axes[0]
    heights = np.array([bar.get_height() for bar in axes.patches])
    best = int(heights.argmin())
    said = f"with {best} characters, and still hesitates between {heights[best]:.0f}"
    assert axes.get_title(loc="left") == f"Counting is best {said}"
    colours = [bar.get_facecolor() for bar in axes.patches]
    assert [k for k, each in enumerate(colours) if colours.count(each) == 1] == [best]
    assert texts(axes)[0] == f"{heights[0]:.1f}\n{np.log(heights[0]):.2f} nats"


def test_answers_stand_where_the_weights_put_them():
    weights = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.5, 0.2, 0.3]])
    values = np.array([[10.0, 0.0], [0.0, 8.0], [1.0, 2.0]])
    left, right = pictures.mixed("xyz", weights, values).figure.axes
    assert texts(left)[3:6] == ["0.25", "0.75", "0.00"]
    corners, answers = (np.column_stack(line.get_data()) for line in right.lines)
    np.testing.assert_array_equal(corners, values)
    np.testing.assert_allclose(answers, [[10.0, 0.0], [2.5, 6.0], [5.3, 2.2]])


def test_peeking_shows_means_of_losses_and_each_place():
    losses = {"yes": list(np.arange(40.0)), "no": [1.0] * 40}
    places = {"yes": [3.0, 1.0, 2.0], "no": [0.5, 0.25, 4.0]}
    left, right = pictures.peeking(losses, places).figure.axes
    steps, means = left.lines[0].get_data()
    assert steps[0] == pictures.MEAN_OVER
    assert steps[-1] == 40
    assert means[0] == pytest.approx(np.mean(losses["yes"][: pictures.MEAN_OVER]))
    assert means[-1] == pytest.approx(np.mean(losses["yes"][-pictures.MEAN_OVER :]))
    np.testing.assert_array_equal(right.lines[1].get_data(), [[1, 2, 3], places["no"]])
    assert [line.get_color() for line in left.lines] == [line.get_color() for line in right.lines]


def test_a_gradient_is_followed_backwards(monkeypatch):
    monkeypatch.setattr(pictures, "BLOCKS", 4)
    found = pictures.gradients(lambda block, x: 0.5 * x)
    assert found == pytest.approx([1.0, 0.5, 0.25, 0.125, 0.0625])
    halves, same = (lambda block, x: 0.5 * x), (lambda block, x: x)
    picture = pictures.through_blocks({"nothing": same, "halves": halves})
    assert title(picture) == "With halves, 0.062 of a gradient comes through 4 blocks"
    lines = picture.figure.axes[0].lines
    assert [line.get_label() for line in lines[:2]] == ["nothing: 1", "halves: 0.062"]
    assert all(a > b for a, b in pairwise(lines[1].get_ydata()))


def test_each_block_is_a_new_one(monkeypatch):
    monkeypatch.setattr(pictures, "BLOCKS", 3)
    weights = []

    def way(block, x):
        weights.append(block.linear1.weight.numpy()[0, 0])
        return x

    pictures.gradients(way)
    assert len(set(weights)) == 3


def test_small_numbers_are_powers_of_ten():
    assert pictures.rounded(0.0625) == "0.062"
    assert pictures.rounded(3e-28) == "$10^{-28}$"


def test_chances_are_labelled_by_how_they_were_held_back():
    ways = [{}, {"temperature": 0.5}, {"top_k": 2, "top_p": 0.9}]
    chances = [[0.5, 0.3, 0.2], [0.7, 0.2, 0.1], [0.625, 0.375, 0.0]]
    panels = pictures.held_back("abc", ways, chances).figure.axes
    said = [axes.get_title() for axes in panels]
    assert said == ["as it is", "temperature 0.5", "top_k 2, top_p 0.9"]
    assert [bar.get_height() for bar in panels[1].patches] == chances[1]
    assert texts(panels[2]) == [".62", ".38", "0"]
