"""The milestone of chapter 05: what it trains on, what it reaches, what it says and writes."""

import io
import json
import signal
from importlib import import_module

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from minigrad.course import digits, train
from minigrad.course.checkpoints import Log, Scored
from minigrad.course.pictures_digits import confusion, table
from minigrad.course.pictures_training import curves


def quiet():
    return Console(file=io.StringIO(), width=100)


def test_it_reaches_what_the_chapter_promises(record_property):
    run = digits.train(0, quiet()).figures
    figure = f"{100 * run['accuracy']:.2f} % in {run['seconds']:.1f} s"
    record_property("figure", f"train digits, seed 0: {figure}")
    assert run["accuracy"] >= 0.96


def test_figures_agree_with_each_other():
    run = digits.train(4, quiet(), steps=70)
    figures = run.figures
    counts = np.array(figures["confusion"])
    assert counts.shape == (10, 10) and counts.sum() == 359
    assert counts.sum(axis=1).min() >= 34, "a fifth of each digit is held out"
    assert figures["accuracy"] == pytest.approx(np.trace(counts) / 359)
    assert figures["accuracy"] > 0.8
    assert len(figures["misread"]) == 359 - np.trace(counts)
    for each in figures["misread"]:
        assert each["is"] != each["read"] and counts[each["is"], each["read"]] > 0
    assert (figures["steps"], figures["planned_steps"]) == (70, 70)
    assert figures["epochs"] == pytest.approx(70 / 45)
    assert figures["parameters"] == 64 * 128 + 128 + 128 * 10 + 10
    assert not run.stopped


def test_the_seed_fixes_split_weights_and_order(monkeypatch):
    training = import_module("minigrad.training")
    fit, starts = training.fit, []

    def kept(model, optimiser, batches, **settings):
        weights = next(iter(model.parameters())).numpy().copy()
        order = next(batches.batches(0)).numpy()
        starts.append((batches.dataset.tensors[0].numpy(), weights, order))
        return fit(model, optimiser, batches, **settings)

    monkeypatch.setattr(training, "fit", kept)
    first, again, other = (digits.train(seed, quiet(), steps=5).figures for seed in (2, 2, 3))
    assert first["loss"] == again["loss"] and first["confusion"] == again["confusion"]
    assert first["loss"] != other["loss"]
    for one, same, different in zip(*starts, strict=True):
        assert np.array_equal(one, same) and not np.array_equal(one, different)


def test_unseen_digits_leave_no_trace_in_the_training(monkeypatch):
    """Neither what they look like nor how they are read changes what is learned."""
    data, training = import_module("minigrad.data"), import_module("minigrad.training")
    plain, fit, models = data.digits, training.fit, []

    def kept(model, *arguments, **settings):
        models.append(model)
        return fit(model, *arguments, **settings)

    def spoiled(seed, **options):
        seen, unseen = plain(seed, **options)
        images, labels = unseen.tensors
        return seen, data.TensorDataset(images * 100.0 + 7.0, 9 - labels)

    monkeypatch.setattr(training, "fit", kept)
    before = digits.train(0, quiet(), epochs=2).figures
    monkeypatch.setattr(data, "digits", spoiled)
    after = digits.train(0, quiet(), epochs=2).figures
    assert before["accuracy"] > 0.85 and after["accuracy"] < 0.5
    weights = [np.concatenate([p.numpy().ravel() for p in m.parameters()]) for m in models]
    assert np.array_equal(*weights)


def test_it_says_where_it_is_in_plain_lines():
    console = quiet()
    digits.train(0, console, epochs=1)
    said = console.file.getvalue()
    assert "digits 1438 to learn from, 359 unseen" in said
    assert "model  64 - 128 - 10, 9,610 parameters; AdamW, 45 steps of 32 digits" in said
    lines = [line for line in said.split("\n") if line.startswith("  step")]
    assert len(lines) == 8 and lines[-1].startswith("  step    45  epoch   1.0  loss ")
    assert "\x1b" not in said and "\r" not in said


@pytest.mark.parametrize("width", [40, 100])
def test_a_terminal_sees_numbers_and_time_at_any_width(width):
    screen = io.StringIO()
    console = Console(
        file=screen, force_terminal=True, width=width, no_color=True, legacy_windows=False
    )
    digits.train(0, console, steps=60)
    shown = [line for line in screen.getvalue().replace("\r", "\n").split("\n") if "right" in line]
    bar = next(line for line in shown if "loss" in line and "00:0" in line)
    assert "…" not in bar and "left" in bar
    assert ("━" in "".join(shown)) == (width == 100)


def test_ctrl_c_ends_it_after_the_step_with_what_it_has(monkeypatch):
    training = import_module("minigrad.training")
    step, made = training.train_step, []

    def pressed(*arguments):
        made.append(step(*arguments))
        if len(made) == 7:
            signal.raise_signal(signal.SIGINT)
        return made[-1]

    monkeypatch.setattr(training, "train_step", pressed)
    console = quiet()
    run = digits.train(0, console, steps=50)
    assert run.stopped and len(made) == 7
    assert (run.figures["steps"], run.figures["planned_steps"]) == (7, 50)
    assert "stopped at step 7 of 50, as you asked; this is what it has:" in console.file.getvalue()
    assert set(run.pictures) == {"loss.png", "confusion.png"}


def test_one_step_is_enough(tmp_path):
    run = digits.train(0, quiet(), steps=1)
    assert run.figures["steps"] == 1
    assert [file.name for file in run.save(tmp_path)] == ["loss.png", "confusion.png"]


def test_pictures_are_whole_and_as_wide_as_a_page(tmp_path):
    rng = np.random.default_rng(5)
    images, labels = rng.random((40, 8, 8)), rng.integers(0, 10, 40)
    read = labels.copy()
    read[:17] = (read[:17] + 3) % 10
    counts = table(labels, read)
    assert counts.sum() == 40 and np.trace(counts) == 23
    assert counts[labels[0], read[0]] >= 1
    scores = [
        Scored(0, {}, {"training": 0.1, "unseen": 0.08}),
        Scored(30, {}, {"training": 0.9, "unseen": 0.85}),
    ]
    log = Log([2.3 * 0.9**k for k in range(30)], [], scores)
    drawn = {
        "curves": curves(log, "it learns"),
        "nothing yet": curves(Log(scores=scores[:1]), "stopped at once"),
        "some misread": confusion(images, labels, read),
        "all right": confusion(images, labels, labels),
    }
    for name, picture in drawn.items():
        with Image.open(picture.save(tmp_path / f"{name}.png")) as image:
            assert image.width == 700
            assert len(image.convert("RGB").getcolors(1 << 20)) > 20
    titles = [p.figure.get_suptitle() for p in drawn.values()]
    assert titles[3] == "40 of 40 unseen digits read right"
    assert titles[2].startswith("23 of 40 unseen digits read right; hardest is the ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--device", "cpu"], "device 'cpu' comes with chapter 13."),
        (["--device", "tpu"], "there is no device 'tpu'; there is 'numpy'."),
        (["--epochs", "0"], "0 is not 1 or more"),
        (["--steps", "-4"], "-4 is not 1 or more"),
        (["--steps", "3", "--epochs", "2"], "--epochs: not allowed with argument --steps"),
        (["--steps", "many"], "invalid count value: 'many'"),
    ],
)
def test_what_cannot_be_run_is_a_usage_error(arguments, said, capsys):
    with pytest.raises(SystemExit) as stop:
        train.main(["digits", "--out", "x", *arguments])
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_data_stands_alone_on_standard_output(tmp_path, capsys):
    out = tmp_path / "pictures"
    arguments = ["digits", "--out", str(out), "--steps", "2", "--json", "--mine", "5.1 5.6"]
    assert train.main(arguments) == 0
    said = capsys.readouterr()
    result = json.loads(said.out)
    assert "2 steps of 32 digits" in said.err
    assert {
        key: result[key] for key in ("schema", "name", "seed", "mine", "stopped", "device")
    } == {
        "schema": 1,
        "name": "digits",
        "seed": 0,
        "mine": ["5.1", "5.6"],
        "stopped": False,
        "device": "numpy",
    }
    assert result["pictures"] == [str(out / "loss.png"), str(out / "confusion.png")]
