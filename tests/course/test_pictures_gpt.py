"""What a GPT's heads look at, found in maps whose habits are known; and the pictures of a run."""

import numpy as np
import pytest
from PIL import Image

from minigrad.course.checkpoints import Log, Scored
from minigrad.course.pictures_gpt import Habit, attention, curves, habits, places, varied

A, B, C, BREAK = range(4)
TOKENS = np.array([[A, B, BREAK, A, B, C, A, BREAK]])


def targets(mask):
    """{row: columns} of the places of one sequence."""
    return {row: np.flatnonzero(line).tolist() for row, line in enumerate(mask) if line.any()}


def test_places_by_hand():
    found = {name: targets(mask[0]) for name, mask in places(TOKENS, BREAK).items()}
    assert found == {
        "itself": {k: [k] for k in range(8)},
        "the character before": {k: [k - 1] for k in range(1, 8)},
        "the one before the last": {k: [k - 2] for k in range(2, 8)},
        "the last line break": {2: [2], 3: [2], 4: [2], 5: [2], 6: [2], 7: [7]},
        "the same character, earlier": {3: [0], 4: [1], 6: [0, 3], 7: [2]},
        "what came after the same one": {3: [1], 4: [2], 6: [1, 4], 7: [3]},
    }


def test_nothing_looked_at_comes_later():
    rng = np.random.default_rng(3)
    for mask in places(rng.integers(0, 4, (5, 13)), BREAK).values():
        assert mask.shape == (5, 13, 13) and not np.triu(mask, 1).any()


def looking(mask, share=1.0):
    """(T, T): a head that puts `share` on the places and spreads the rest over all it may see."""
    alike = np.tril(np.ones(mask.shape)) / np.arange(1, len(mask) + 1)[:, None]
    where = np.where(mask.any(-1, keepdims=True), mask, np.eye(len(mask)))
    return share * where / where.sum(-1, keepdims=True) + (1.0 - share) * alike


def test_each_habit_is_told_from_the_others():
    tokens = np.random.default_rng(5).integers(0, 4, (3, 40))
    at = places(tokens, BREAK)
    names = list(at)
    heads = [np.stack([looking(mask[n]) for n in range(3)]) for mask in at.values()]
    maps = [np.stack(heads[:4], axis=1), np.stack(heads[4:], axis=1)]
    found = habits(maps, tokens, BREAK)
    assert len(found) == 6
    for habit in found:
        number = 4 * (habit.layer - 1) + habit.head - 1
        assert habit.where == names[number] and habit.share == pytest.approx(1.0)
        assert 0.3 < habit.more < 1.0
    assert [h.more for h in found] == sorted((h.more for h in found), reverse=True)


def test_a_share_is_measured_against_chance():
    mask = places(TOKENS, BREAK)["the character before"][0]
    chance = np.mean([1 / (k + 1) for k in range(1, 8)])
    for share in (0.0, 0.6):
        (habit,) = habits([looking(mask, share)[None, None]], TOKENS, BREAK)
        before = share + (1.0 - share) * chance
        if share:
            assert (habit.layer, habit.head, habit.where) == (1, 1, "the character before")
            assert habit.share == pytest.approx(before)
            assert habit.more == pytest.approx(before - chance)
        else:
            assert habit.more == pytest.approx(0.0, abs=1e-12)


def test_a_text_of_one_line():
    (habit,) = habits([np.eye(8)[None, None]], np.full((1, 8), A) + np.arange(8) * 10, BREAK)
    assert (habit.where, habit.share) == ("itself", 1.0)


def test_one_head_of_each_habit_is_shown_first():
    given = [
        Habit(1, 1, "itself", 0.9, 0.8),
        Habit(1, 2, "itself", 0.8, 0.7),
        Habit(2, 1, "the character before", 0.7, 0.6),
        Habit(2, 2, "the last line break", 0.1, 0.05),
    ]
    assert [(h.layer, h.head) for h in varied(given)] == [(1, 1), (2, 1), (1, 2), (2, 2)]


LOG = Log(
    losses=[4.5 * 0.97**k for k in range(60)],
    scores=[
        Scored(0, {"unseen": 4.6}, {"unseen": 0.01}),
        Scored(60, {"unseen": 1.1}, {"unseen": 0.7}),
    ],
)
KNOWN = {"counting pairs": 2.4, "guessing": 4.6}


def test_pictures_are_whole_and_as_wide_as_a_page(tmp_path):
    line = "a = {b}\n"
    maps = [np.stack([looking(m[0]) for m in places(TOKENS, BREAK).values()][:3])] * 2
    clear = habits([m[None] for m in maps], TOKENS, BREAK)
    unclear = [Habit(h.layer, h.head, h.where, 0.1, 0.01) for h in clear]
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
    assert "".join(letters) == "a·=·{b}↵"
    for axes, habit in zip(panels, varied(clear), strict=False):
        shown = axes.images[0].get_array()
        np.testing.assert_array_equal(shown, maps[habit.layer - 1][habit.head - 1])
        said = f"layer {habit.layer}, head {habit.head}: 100% on\n{habit.where}"
        assert axes.get_title(loc="left") == said
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
