"""The milestone of chapter 06: what it trains on, what it reaches, and what its pictures show."""

import io
import signal
import time
from importlib import import_module

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

import minigrad as mg
from minigrad import checkpoint
from minigrad.course import lenet
from minigrad.course.checkpoints import FILE
from minigrad.course.classifying import with_moved
from minigrad.course.pictures_lenet import GREY, Hidden, filters, hide, hiding, telling

NAMES = ["loss.png", "confusion.png", "filters.png", "hiding.png"]


def quiet():
    return Console(file=io.StringIO(), width=100)


@pytest.fixture(scope="module")
def reading():
    """A network after one epoch of eight, whose pictures are not drawn yet."""
    settings = {"folder": None, "resume": False, "device": "numpy", "epochs": 1, "steps": None}
    return lenet.learn(lenet.READER, 0, quiet(), **settings)


def test_one_epoch_already_beats_what_chapter_5_ends_with(reading, record_property):
    figures = reading.result.figures
    record_property(
        "figure", f"train lenet, one epoch of seed 0: {100 * figures['accuracy']:.2f} %"
    )
    assert figures["accuracy"] >= 0.96
    assert (figures["steps"], figures["planned_steps"]) == (225, 225)
    filters = (9 * 16 + 2 * 16) + (16 * 9 * 32 + 2 * 32)
    assert figures["parameters"] == filters + (128 * 64 + 64) + (64 * 10 + 10)
    assert not reading.model.training


def test_a_digit_on_its_way_is_what_the_picture_shows(reading, monkeypatch, tmp_path):
    """The first layer's maps as NumPy makes them, and the chances as the network gives them."""
    shown = {}
    monkeypatch.setattr(lenet, "filters", lambda *given: shown.setdefault("filters", given))
    monkeypatch.setattr(lenet, "hiding", lambda found: shown.setdefault("hidden", found))
    lenet.inside(reading)
    digit, weights, first, second = shown["filters"]
    assert np.array_equal(digit, reading.images[reading.labels == 3][0])
    conv, norm = reading.model[0], reading.model[1]
    assert np.array_equal(weights, conv.weight.numpy().reshape(16, 3, 3))
    around = np.pad(digit.astype(np.float64), 1)
    windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3))
    found = np.einsum("yxij,fij->fyx", windows, weights.astype(np.float64))
    mean, var, w, b = (
        t.numpy().astype(np.float64)[:, None, None]
        for t in (norm.running_mean, norm.running_var, norm.weight, norm.bias)
    )
    expected = np.maximum(0.0, (found - mean) / np.sqrt(var + norm.eps) * w + b)
    assert np.allclose(first, expected, rtol=0, atol=1e-5)
    assert second.shape == (32, 4, 4) and second.min() == 0.0 < second.max()

    hidden = shown["hidden"]
    assert len(hidden) == 100 and {h.label for h in hidden} == set(range(10))
    with mg.no_grad():
        for h in (hidden[0], hidden[57]):
            spoiled = h.digit.copy()
            spoiled[1:4, 4:7] = GREY
            p = mg.softmax(reading.model(mg.tensor(spoiled.reshape(1, 1, 8, 8)))).numpy()[0]
            assert h.chance[2, 5] == pytest.approx(p[h.label], abs=1e-5)
    assert all(h.sure > 0.1 for h in hidden), "those that are read right"


def test_pictures_are_whole_and_as_wide_as_a_page(reading, tmp_path):
    drawn = reading.result.pictures | lenet.inside(reading)
    assert list(drawn) == NAMES
    for name in NAMES[2:]:
        with Image.open(drawn[name].save(tmp_path / name)) as image:
            assert image.width == 700 and len(image.convert("RGB").getcolors(1 << 20)) > 20


def panels(picture):
    return [np.asarray(image.get_array()) for axes in picture.figure.axes for image in axes.images]


def test_filters_and_maps_are_drawn_as_they_are():
    rng = np.random.default_rng(3)
    digit, weights = rng.random((8, 8)), rng.normal(size=(11, 3, 3))
    first, second = rng.random((11, 8, 8)), rng.random((19, 4, 4))
    first[:, :4] = 0.0
    first[7] = 0.0
    picture = filters(digit, weights, first, second)
    pairs = [each for pair in zip(weights, first, strict=True) for each in pair]
    shown = panels(picture)
    assert len(shown) == 1 + 22 + 19
    assert all(map(np.array_equal, shown, [digit, *pairs, *second]))
    title = picture.figure.axes[0].get_title(loc="left")
    assert title == "Each filter lights up strokes of its own: 0 to 50 % of the digit"


def test_a_patch_over_each_pixel():
    """Chances that hang on one pixel: they change where the patch hides it, and nowhere else."""
    images = np.ones((2, 5, 7))
    given = []

    def chances(seen):
        given.append(seen)
        lit = np.where(seen[:, 1, 6] == 1.0, 0.9, 0.2)
        return np.stack([1 - lit, 0 * lit, lit], axis=1)

    a, b = hide(chances, images, np.array([2, 0]))
    near = np.zeros((5, 7), bool)
    near[0:3, 5:7] = True
    assert np.array_equal(a.chance, np.where(near, 0.2, 0.9))
    assert (a.sure, a.read, a.worst) == (0.9, 0, (0, 5))
    assert np.allclose(b.chance, 1 - a.chance) and (b.label, b.read, b.worst) == (0, 2, (0, 0))
    assert (images == 1.0).all() and given[0].shape == (1 + 35, 5, 7)
    assert [(x == GREY).sum() for x in given[0][[0, 1, 4, 1 + 2 * 7 + 3]]] == [0, 4, 6, 9]


def test_the_most_telling_digits_are_shown_one_of_a_kind():
    def hidden(label, least, read):
        chance = np.full((8, 8), 0.95)
        chance[label % 8, 4] = least
        return Hidden(np.full((8, 8), label / 10), label, 0.99, chance, read)

    found = [hidden(k % 9, 0.9 - 0.04 * k, k % 9 if k < 10 else 9) for k in range(20)]
    chosen = telling(found)
    assert [(h.label, h.read) for h in chosen] == [(k, 9) for k in (1, 0, 8, 7, 6, 5)]
    picture = hiding(found)
    assert picture.figure.get_suptitle().endswith("in the worst place: 10 of 20 digits misread")
    shown = panels(picture)
    assert all(map(np.array_equal, shown[:6], [h.digit for h in chosen]))
    assert all(map(np.array_equal, shown[6:12], [h.chance for h in chosen]))


def test_one_digit_is_enough_for_a_picture(tmp_path):
    """After a step or two, hardly any digit is read right."""
    one = Hidden(np.zeros((8, 8)), 4, 0.2, np.full((8, 8), 0.2), 4)
    for found in ([one], []):
        assert hiding(found).save(tmp_path / "one.png").is_file()


def test_digits_are_moved_by_whole_pixels():
    x = mg.arange(1, 25).reshape(2, 1, 3, 4)
    images, labels = with_moved(mg.api, [(0, 1), (-2, 0)], x, mg.tensor([7, 5]))
    assert labels.tolist() == [7, 5] * 3
    assert np.array_equal(images.numpy()[:2], x.numpy())
    assert images[2, 0].tolist() == [[0, 1, 2, 3], [0, 5, 6, 7], [0, 9, 10, 11]]
    assert images[5, 0].tolist() == [[21, 22, 23, 24], [0, 0, 0, 0], [0, 0, 0, 0]]


@pytest.fixture
def drawn(monkeypatch):
    """Without pictures, which take longer than a few steps."""
    monkeypatch.setattr(lenet, "inside", lambda reading: {})


@pytest.fixture
def trained(monkeypatch):
    """The models that were trained."""
    training = import_module("minigrad.training")
    fit, models = training.fit, []

    def kept(model, *arguments, **settings):
        models.append(model)
        return fit(model, *arguments, **settings)

    monkeypatch.setattr(training, "fit", kept)
    return models


def numbers(model):
    return [x.numpy().tobytes() for x in model.state_dict().values()]


@pytest.mark.usefixtures("drawn")
def test_the_seed_fixes_all(trained):
    first, again, other = (lenet.train(seed, quiet(), steps=3).figures for seed in (2, 2, 3))
    assert numbers(trained[0]) == numbers(trained[1]) != numbers(trained[2])
    assert first["loss"] == again["loss"] != other["loss"]
    assert first["confusion"] == again["confusion"]


@pytest.mark.usefixtures("drawn")
def test_unseen_digits_leave_no_trace_in_the_training(trained, monkeypatch):
    """Neither what they look like nor how they are read changes what is learned."""
    data = import_module("minigrad.data")
    plain = data.digits

    def spoiled(seed, **options):
        seen, unseen = plain(seed, **options)
        images, labels = unseen.tensors
        return seen, data.TensorDataset(images * 100.0 + 7.0, 9 - labels)

    before = lenet.train(0, quiet(), steps=40).figures
    monkeypatch.setattr(data, "digits", spoiled)
    after = lenet.train(0, quiet(), steps=40).figures
    assert before["accuracy"] > 0.7 > 0.4 > after["accuracy"]
    assert numbers(trained[0]) == numbers(trained[1])


@pytest.mark.usefixtures("drawn")
def test_ctrl_c_and_resume_end_where_the_unbroken_run_does(tmp_path, monkeypatch):
    """Batch norm's running means and the unfinished epoch included."""
    whole = lenet.train(1, quiet(), folder=tmp_path / "whole", steps=9)
    training = import_module("minigrad.training")
    step, made = training.train_step, []

    def pressed(*arguments):
        made.append(step(*arguments))
        if len(made) == 4:
            signal.raise_signal(signal.SIGINT)
        return made[-1]

    console = quiet()
    now = time.perf_counter
    with monkeypatch.context() as patch:
        patch.setattr(training, "train_step", pressed)
        patch.setattr(time, "perf_counter", lambda: now() + 100.0 * len(made))
        broken = lenet.train(1, console, folder=tmp_path, steps=9)
    assert broken.stopped and (broken.kept, broken.figures["steps"]) == (4, 4)
    assert "stopped at step 4 of 9, as you asked; this is what it has:" in console.file.getvalue()
    rest = lenet.train(1, quiet(), folder=tmp_path, resume=True, steps=9)
    assert not rest.stopped and rest.kept == 9
    assert rest.figures["seconds"] > broken.figures["seconds"] > 400.0, "all lives are counted"
    assert {**rest.figures, "seconds": 0} == {**whole.figures, "seconds": 0}
    ours, theirs = (checkpoint.read(p / FILE) for p in (tmp_path, tmp_path / "whole"))
    assert any(name.endswith("running_var") for name in ours.model)
    for name, x in theirs.model.items():
        assert ours.model[name].tobytes() == x.tobytes(), name


@pytest.mark.usefixtures("drawn")
def test_it_says_what_it_learns_from():
    console = quiet()
    lenet.train(0, console, steps=1)
    said = console.file.getvalue()
    assert "digits 1438 to learn from, each also moved in 4 ways, 359 unseen" in said
    assert "model  16 and 32 filters of 3 x 3, 64 - 10, 13,754 parameters; AdamW, 1 steps" in said
