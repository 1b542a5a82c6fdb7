"""The milestone of chapter 01: what it trains on, what it says, what it writes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from minigrad.course import iris, regions, train
from minigrad.course.catalog import Course

CHECKOUT = Path(__file__).resolve().parents[2]


def child(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    launch = CHECKOUT / "minigrad" / "course" / "launch.py"
    command = [sys.executable, str(launch), str(tree), "-m", "minigrad.course.train", *arguments]
    here = CHECKOUT / "tests"  # outside the tree, whose path is then told whole
    return subprocess.run(
        command, cwd=here, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("iris")
    done = child(CHECKOUT, "iris", "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    return done, out


def test_every_flower_is_held_out_once_and_kinds_stay_balanced():
    kinds = iris.flowers().kinds
    pairs = iris.splits(kinds.tolist(), seed=3)
    held = sorted(i for _, part in pairs for i in part)
    assert held == list(range(150))
    for train_part, held_part in pairs:
        assert not set(train_part) & set(held_part)
        counts = np.bincount(kinds[held_part])
        assert counts.min() >= 16 and counts.max() <= 17
    assert iris.splits(kinds.tolist(), seed=3) == pairs
    assert iris.splits(kinds.tolist(), seed=4) != pairs


def test_held_out_flowers_leave_no_trace_in_the_training(monkeypatch):
    monkeypatch.setattr(iris, "EPOCHS", 2)
    data = iris.flowers()
    pair = iris.splits(data.kinds.tolist(), seed=0)[0]
    fitted = iris.fit(data, [0, 1, 2, 3], pair, seed=0)
    changed = data.measurements.copy()
    changed[pair[1]] *= 100.0
    other = iris.Flowers(changed, data.kinds, data.features, data.names)
    assert iris.fit(other, [0, 1, 2, 3], pair, seed=0).train_loss == fitted.train_loss
    assert iris.fit(data, [0, 1, 2, 3], pair, seed=1).train_loss != fitted.train_loss


def test_it_reaches_what_it_promises_and_says_on_what(run):
    done, out = run
    result = json.loads(done.stdout)
    assert result["schema"] == 1 and result["name"] == "iris" and result["seed"] == 0
    assert result["stopped"] is False and result["mine"] == []
    assert result["pictures"] == [str(out / "loss.png"), str(out / "regions.png")]
    assert result["accuracy"] == pytest.approx(sum(result["splits"]) / 3)
    assert result["accuracy"] >= 0.93
    assert result["tree"] == str(CHECKOUT)
    assert result["file"] == str(CHECKOUT / "minigrad" / "scalar.py")
    said = done.stderr  # with --json, standard output is for the data alone
    assert f"tree   {CHECKOUT}" in said
    assert f"trains minigrad.scalar from {CHECKOUT / 'minigrad' / 'scalar.py'}" in said
    assert f"held-out accuracy {100 * result['accuracy']:.1f} %" in said


def test_a_pipe_gets_plain_text(run):
    done, _ = run
    assert "\x1b" not in done.stdout + done.stderr and "\r" not in done.stdout
    assert done.stderr.count("split ") == 3


def test_pictures_are_whole_and_as_wide_as_a_page(run):
    _, out = run
    assert sorted(p.name for p in out.iterdir()) == ["loss.png", "regions.png"]
    for name in ("loss.png", "regions.png"):
        with Image.open(out / name) as image:
            assert image.width == 700
            assert len(image.convert("RGB").getcolors(1 << 20)) > 20


def test_an_open_exercise_is_named(tmp_path):
    tree = tmp_path / "tree"
    shutil.copytree(CHECKOUT / "minigrad", tree / "minigrad")
    exercise = Course(CHECKOUT).exercises["1.5"]
    path = tree / exercise.source
    text = path.read_text(encoding="utf-8")
    path.write_text(regions.fill(text, {"1.5": exercise.start}, exercise.source), encoding="utf-8")
    done = child(tree, "iris", "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "exercise 1.5 is still open. A first hint: minigrad hint 1.5" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bert", "--out", "x"], "invalid choice: 'bert'"),
        (["iris", "--out", "x", "--seed", "-1"], "-1 is not between 0 and"),
        (["iris", "--out", "x", "--seed", "one"], "invalid seed value: 'one'"),
        (
            ["iris", "--out", "x", "--epochs", "3"],
            "iris takes no --epochs; these do: digits, lenet, gpt",
        ),
        (
            ["iris", "--out", "x", "--steps", "3"],
            "iris takes no --steps; these do: digits, lenet, gpt",
        ),
        (["iris", "--out", "x", "--device", "numpy"], "iris takes no --device"),
    ],
)
def test_what_cannot_be_run_is_a_usage_error(arguments, said, capsys):
    with pytest.raises(SystemExit) as stop:
        train.main(arguments)
    assert stop.value.code == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said_before_any_training(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert train.main(["iris", "--out", str(tmp_path / "file" / "below")]) == 2
    said = capsys.readouterr()
    assert "cannot write to" in said.err and "split" not in said.out


def test_ctrl_c_ends_it_with_a_sentence(monkeypatch, tmp_path, capsys):
    """Fifty epochs of single numbers cannot be resumed: there is nothing worth keeping."""

    def pressed(seed, console):
        raise KeyboardInterrupt

    monkeypatch.setattr(iris, "train", pressed)
    assert train.main(["iris", "--out", str(tmp_path)]) == 130
    assert "stopped; nothing was saved" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
