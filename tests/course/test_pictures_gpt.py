"""What a GPT's heads look at, found in maps whose habits are known; and the pictures of a run."""

import numpy as np
import pytest
from PIL import Image

from minigrad.course.checkpoints import Log, Scored
from minigrad.course.pictures_gpt import Habit, attention, curves, habits, places

TEXT = np.array([list("if\na_1(a\n")])


def targets(mask):
    """{row: columns} of the places of one text."""
    return {row: np.flatnonzero(line).tolist() for row, line in enumerate(mask) if line.any()}


def test_places_by_hand():
    found = {name: targets(mask[0]) for name, mask in places(TEXT).items()}
    assert found == {
        "itself": {k: [k] for k in range(9)},
        "the character before": {k: [k - 1] for k in range(1, 9)},
        "two characters back": {k: [k - 2] for k in range(2, 9)},
        "its own word so far": {0: [0], 1: [0, 1], 3: [3], 4: [3, 4], 5: [3, 4, 5], 7: [7]},
        "what stands before its word": {3: [2], 4: [2], 5: [2], 7: [6]},
        "the last line break": {**{k: [2] for k in range(2, 8)}, 8: [8]},
        "the same character, earlier": {7: [3], 8: [2]},
        "what came after the same one": {7: [4], 8: [3]},
    }


def drawn(batch, count):
    return np.random.default_rng(5).choice(list("ab_ (\n"), (batch, count))


def test_nothing_looked_at_comes_later():
    for mask in places(drawn(5, 13)).values():
        assert mask.shape == (5, 13, 13) and not np.triu(mask, 1).any()


def looking(mask, share=1.0):
    """(T, T): a head that puts `share` on the places and spreads the rest over all it may see."""
    alike = np.tril(np.ones(mask.shape)) / np.arange(1, len(mask) + 1)[:, None]
    where = np.where(mask.any(-1, keepdims=True), mask, np.eye(len(mask)))
    return share * where / where.sum(-1, keepdims=True) + (1.0 - share) * alike


def test_each_habit_is_told_from_the_others():
    text = drawn(3, 40)
    at = places(text)
    heads = [np.stack([looking(mask[n]) for n in range(3)]) for mask in at.values()]
    maps = [np.stack(heads[:5], axis=1), np.stack(heads[5:], axis=1)]
    found = habits(maps, text)
    assert len(found) == len(at) == 8
    for habit in found:
        number = 5 * (habit.layer - 1) + habit.head - 1
        assert habit.where == list(at)[number] and habit.share == pytest.approx(1.0)
        assert 0.0 < habit.chance < 0.5 and habit.clear
    gains = [h.share - h.chance for h in found]
    assert gains == sorted(gains, reverse=True)


def test_a_share_is_measured_against_chance():
    mask = places(TEXT)["the character before"][0]
    chance = np.mean([1 / (k + 1) for k in range(1, 9)])
    for share in (0.0, 0.6):
        (habit,) = habits([looking(mask, share)[None, None]], TEXT)
        if share:
            assert (habit.layer, habit.head, habit.where) == (1, 1, "the character before")
            assert habit.share == pytest.approx(share + (1.0 - share) * chance)
            assert habit.chance == pytest.approx(chance)
        else:
            assert habit.share == pytest.approx(habit.chance)
        assert habit.clear == (share > 0.0)


def test_a_head_is_told_of_once_and_so_is_a_place():
    """Two heads that look back by one, the second more clearly, and a bit of something else."""
    text = np.array([list("+-*/%&|^")])
    at = places(text)
    back, itself = at["the character before"][0], at["itself"][0]
    heads = [0.6 * looking(back) + 0.4 * looking(itself), looking(back)]
    found = habits([np.stack(heads)[None]], text)
    assert [(h.head, h.where) for h in found] == [(2, "the character before"), (1, "itself")]


def test_a_text_without_a_word_or_a_line():
    (habit,) = habits([np.eye(4)[None, None]], np.array([list("+-*/")]))
    assert (habit.where, habit.share) == ("itself", 1.0)


LOG = Log(
    losses=[4.5 * 0.97**k for k in range(60)],
    scores=[
        Scored(0, {"unseen": 4.6}, {"unseen": 0.01}),
        Scored(60, {"unseen": 1.1}, {"unseen": 0.7}),
    ],
)
KNOWN = {"counting pairs": 2.4, "guessing": 4.6}


def test_pictures_are_whole_and_as_wide_as_a_page(tmp_path):
    line = "a = {b}\n\n"
    maps = [np.stack([looking(m[0]) for m in places(TEXT).values()][:3])] * 2
    clear = habits([m[None] for m in maps], TEXT)
    unclear = [Habit(h.layer, h.head, h.where, 0.11, 0.1) for h in clear]
    pictures = {
        "curves": curves(LOG, KNOWN, "it learns"),
        "at once": curves(Log([], [], LOG.scores[:1]), KNOWN, "stopped at once"),
        "habits": attention(line, maps, clear),
        "none": attention(line, maps, unclear),
        "two heads": attention(line, maps, clear[:2]),
    }
    for name, picture in pictures.items():
        with Image.open(picture.save(tmp_path / f"{name}.png")) as image:
            assert image.width == 700
            assert len(image.convert("RGB").getcolors(1 << 20)) > 20
    titles = {name: picture.figure.get_suptitle() for name, picture in pictures.items()}
    best = clear[0]
    assert titles["habits"] == f"Layer {best.layer}, head {best.head} looks at {best.where}: 100%"
    assert titles["none"] == "No head has found a place to look at yet"
    panels = pictures["habits"].figure.axes
    assert len(panels) == 4 and all(axes.axison for axes in panels)
    letters = [label.get_text() for label in panels[0].get_xticklabels()]
    assert "".join(letters) == "a·=·{b}↵↵"
    for axes, habit in zip(panels, clear, strict=False):
        shown = axes.images[0].get_array()
        np.testing.assert_array_equal(shown, maps[habit.layer - 1][habit.head - 1])
        said = f"layer {habit.layer}, head {habit.head}: {habit.share:.0%} (by chance "
        assert axes.get_title(loc="left") == f"{said}{habit.chance:.0%}) on\n{habit.where}"
    assert [axes.axison for axes in pictures["two heads"].figure.axes] == [True, True, False, False]


def test_curves_show_what_was_measured():
    axes = curves(LOG, KNOWN, "it learns").figure.axes[0]
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert axes.get_title(loc="left") == "it learns"
    np.testing.assert_allclose(lines["one batch"].get_ydata(), LOG.losses)
    assert lines["one batch"].get_xdata()[0] == 1
    smooth = lines["mean of 50"]
    assert smooth.get_xdata()[0] == 50 and smooth.get_xdata()[-1] == 60
    assert smooth.get_ydata()[0] == pytest.approx(np.mean(LOG.losses[:50]))
    assert lines["unseen files"].get_xydata().tolist() == [[0.0, 4.6], [60.0, 1.1]]
    assert [text.get_text() for text in axes.texts] == ["counting pairs: 2.40", "guessing: 4.60"]
