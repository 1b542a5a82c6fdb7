"""The pictures of chapter 6 say what their data say."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from minigrad.course import pictures_conv

IMAGE = np.array([[0, 0, 5, 5], [0, 0, 5, 5], [0, 4, 5, 5], [0, 0, 0, 5]])
MARKS = "∗=→"


def title(picture):
    above = picture.figure.get_suptitle()
    axes = picture.figure.axes[0]
    return above or axes.get_title(loc="left") or axes.texts[0].get_text()


def numbers(picture):
    """What stands in the cells of all grids, in order: the names of grids begin them anew."""
    grids, name = {}, ""
    for text in picture.figure.axes[0].texts[1:]:
        said = text.get_text().replace("−", "-")
        if said in MARKS:
            continue
        if said.lstrip("-").isdigit():
            grids[name].append(int(said))
        else:
            name = said
            grids[name] = []
    return grids


def cells(picture, tint):
    """The numbers in the cells of a tint, by the places of both."""
    axes = picture.figure.axes[0]
    found = []
    for cell in axes.patches:
        if isinstance(cell, Rectangle) and cell.get_fill() and to_hex(cell.get_facecolor()) == tint:
            middle = (cell.get_x() + cell.get_width() / 2, cell.get_y() + cell.get_height() / 2)
            at = [t for t in axes.texts if np.allclose(t.get_position(), middle)]
            found += [t.get_text() for t in at]
    return found


def framed(picture):
    """The numbers inside each frame, from left to right and down."""
    axes = picture.figure.axes[0]
    frames = [p for p in axes.patches if not p.get_fill()]
    found = []
    for box in (frame.get_bbox() for frame in frames):
        inside = [t.get_text() for t in axes.texts if box.contains(*t.get_position())]
        found.append(inside)
    return found


def test_both_rows_show_their_images_and_say_what_is_read_of_them():
    images = np.random.default_rng(0).uniform(size=(2, 3, 8, 8))
    rows = {"as written": images[0], "shuffled": images[1]}
    picture = pictures_conv.shuffled(rows, {"as written": 0.9534, "shuffled": 0.5})
    said = "As written, it reads 95.3 % of the unseen digits; shuffled, 50.0 %"
    assert title(picture) == said
    drawn = [axes.images[0].get_array() for axes in picture.figure.axes]
    np.testing.assert_array_equal(np.array(drawn), images.reshape(6, 8, 8))
    names = [axes.get_ylabel() for axes in picture.figure.axes]
    assert names == ["as written", "", "", "shuffled", "", ""]


def test_a_share_stands_where_the_digits_were_moved_to():
    table = np.arange(9).reshape(3, 3) / 10
    picture = pictures_conv.shifts({"mlp": table, "lenet": table.T})
    # The middle, and the mean of the left and the right one: 30 and 50, then 10 and 70.
    assert title(picture) == "One pixel to the side: mlp from 40 to 40 %, lenet from 40 to 40 %"
    first, second = picture.figure.axes
    ticks = [tick.get_text() for tick in first.get_yticklabels()]
    assert ticks == ["1 up", "0", "1 down"]
    for axes, shares in ((first, table), (second, table.T)):
        for text in axes.texts:
            col, row = text.get_position()
            assert text.get_text() == f"{100 * shares[row, col]:.0f} %"
    uneven = [[0.1, 0.2, 0.3], [0.2, 0.9, 0.5], [0.7, 0.8, 0.6]]
    assert title(pictures_conv.shifts({"mlp": uneven})).endswith("mlp from 90 to 35 %")


def test_the_largest_sum_is_said_and_tinted():
    out = np.array([[0, 10, 0], [4, 6, 0], [4, 1, -5]])
    weights = np.array([[-1, 1], [-1, 1]])
    picture = pictures_conv.by_hand(IMAGE, weights, out, [(0, 1), (2, 0)])
    assert title(picture) == "The same 4 weights at 9 places; the largest sum is 10"
    grids = numbers(picture)
    assert grids["image"] == IMAGE.ravel().tolist()
    assert grids["filter"] == weights.ravel().tolist()
    assert grids["result"] == out.ravel().tolist()
    assert cells(picture, pictures_conv.ORANGE.lower()) == ["10"]
    assert framed(picture) == [["0", "5", "0", "5"], ["10"], ["0", "4", "0", "0"], ["4"]]
    texts = [text.get_text() for text in picture.figure.axes[0].texts]
    assert texts.count("−1") == 2 and texts.count("−5") == 1


def test_each_window_is_a_column_and_what_two_of_them_share_is_tinted():
    pixels = np.arange(12).reshape(3, 4)
    seen = np.lib.stride_tricks.sliding_window_view(pixels, (2, 2))  # (rows, cols, h, w)
    found = seen.transpose(2, 3, 0, 1)
    picture = pictures_conv.columns(pixels, found, [(0, 0), (1, 1)])
    assert title(picture) == "6 windows, 6 columns: 12 pixels are written down 24 times"
    table = numbers(picture)["columns: one for each window"]
    assert table == found.reshape(4, 6).ravel().tolist()
    # The windows 0 1 4 5 and 5 6 9 10 share pixel 5: in the image, and in two of the columns.
    assert cells(picture, pictures_conv.GREEN.lower()) == ["5", "5", "5"]
    first, second = ["0", "1", "4", "5"], ["5", "6", "9", "10"]
    assert framed(picture) == [first, first, second, second]


def test_pooling_tints_the_winners_and_counts_who_got_nothing():
    image = np.array([[3, 1, 0], [5, 4, 2]])
    back = np.array([[0, 0, 0], [7, 0, 8]])
    picture = pictures_conv.pooled(image, [[5, 2]], [[7, 8]], back)
    assert title(picture) == "2 gradients reach 2 pixels; 4 pixels get none"
    assert cells(picture, pictures_conv.BLUE.lower()) == ["5", "2", "5", "2"]
    assert cells(picture, pictures_conv.ORANGE.lower()) == ["7", "8", "7", "8"]
    assert numbers(picture)["the image's gradient"] == back.ravel().tolist()


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((2.3, 0.5), "7 layers: what learns is the network with it"),
        ((2.3, 2.2), "7 layers: nothing is learned"),
        ((0.4, 0.5), "7 layers: what learns is the network without and with it"),
    ],
)
def test_a_network_that_guesses_has_not_learned(ends, said):
    names = ("without", "with it")
    losses = {n: np.linspace(2.3, end, 40) for n, end in zip(names, ends, strict=True)}
    picture = pictures_conv.deep(losses, 7)
    assert title(picture) == said
    for line, each in zip(picture.figure.axes[0].lines, losses.values(), strict=False):
        steps, means = line.get_data()
        assert steps[0] == pictures_conv.MEAN_OVER and steps[-1] == len(each)
        np.testing.assert_allclose(means[0], each[: pictures_conv.MEAN_OVER].mean())
