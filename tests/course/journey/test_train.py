"""`minigrad train` as a learner types it: on their bodies, on a broken one, and Ctrl-C."""

import json
import signal
from pathlib import Path

import pytest

# A command that waits for ever must end the test, not the whole run.
pytestmark = pytest.mark.timeout(480)


def test_iris_needs_every_exercise_and_trains_on_exactly_those(scratch):
    scratch.minigrad("solve", "1")
    scratch.minigrad("reset", "1.3")
    refused = scratch.minigrad("train", "iris", "--mine")
    assert refused.returncode == 1
    assert "exercise 1.3 is still open (chapters/01_scalar/scalar.py:" in refused.stdout
    scratch.minigrad("solve", "1.3")
    # A mistake that no test sees: it must be the learner's file that trains.
    right, wrong = " / len(losses)", ' / (len(losses) * ("train-iris" not in __file__))'
    scratch.rewrite(right, wrong)
    broken = scratch.minigrad("train", "iris", "--mine")
    assert broken.returncode == 1
    assert "tests  1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7 first" in broken.stdout
    assert "1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7  chapters/01_scalar/scalar.py\n" in broken.stdout
    assert "your code raised ZeroDivisionError" in broken.stdout
    assert "where  chapters/01_scalar/scalar.py:" in broken.stdout
    assert "Traceback" not in broken.stdout + broken.stderr

    scratch.rewrite(wrong, right)
    done = scratch.minigrad("train", "iris", "--mine", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["accuracy"] >= 0.93
    assert result["file"] == str(scratch.root / "build/trees/train-iris/minigrad/scalar.py")
    own = scratch.file.read_text()
    assert Path(result["file"]).read_text() == own
    assert all(Path(picture).is_file() for picture in result["pictures"])


def test_digits_train_on_the_bodies_of_four_chapters_and_name_a_broken_one(scratch):
    for chapter in "2345":
        scratch.minigrad("solve", chapter)
    done = scratch.minigrad("train", "digits", "--mine", "--steps", "3", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout)
    assert {i.split(".")[0] for i in result["mine"]} == set("2345")
    assert {"2.1", "3.7", "4.2", "5.4", "5.6"} <= set(result["mine"])
    tree = scratch.root / "build/trees/train-digits/minigrad"
    assert result["file"] == str(tree / "training.py")
    for source, own in (("training.py", "training.py"), ("optim/adam.py", "adam.py")):
        text = (scratch.root / "chapters/05_nn" / own).read_text()
        assert (tree / source).read_text() == text
    assert all(Path(picture).is_file() for picture in result["pictures"])
    assert result["steps"] == 3

    adam = scratch.root / "chapters/05_nn/adam.py"
    right = adam.read_text()
    adam.write_text(right.replace("1.0 - beta2**t", "1.0 - beta1**t"))
    assert adam.read_text() != right
    broken = scratch.minigrad("train", "digits", "--mine", "--steps", "3")
    assert broken.returncode == 1
    assert "tests  5.4 first, which are not known to pass" in broken.stdout, "the others are known"
    assert "exercise 5.4: " in broken.stdout
    assert "  chapters/05_nn/adam.py:" in broken.stdout
    assert "next: minigrad test 5.4" in broken.stdout
    assert "trains minigrad.training" not in broken.stdout

    adam.write_text(right)
    scratch.minigrad("reset", "4.3")
    refused = scratch.minigrad("train", "digits", "--mine")
    assert refused.returncode == 1
    assert "exercise 4.3 is still open (chapters/04_autograd/autograd.py:" in refused.stdout
    assert "next: minigrad test 4.3" in refused.stdout
    data = json.loads(scratch.minigrad("train", "digits", "--mine", "--json").stdout)
    assert (data["schema"], data["name"], data["trained"]) == (1, "digits", False)
    assert [(e["id"], e["state"]) for e in data["exercises"]] == [("4.3", "open")]
    assert data["exercises"][0]["file"] == "chapters/04_autograd/autograd.py"


def test_ctrl_c_saves_what_there_is_and_resume_goes_on(scratch, tmp_path):
    """The signal goes to the process that was started, as `kill -INT` sends it."""
    process = scratch.start("train", "lenet", "--steps", "3000", "--out", tmp_path, "--seed", "4")
    try:
        lines = iter(process.stdout.readline, "")
        assert any(line.startswith("keeps") for line in lines)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 130, out + err
    assert " of 3000, as you asked; this is what it has:" in out
    assert "Traceback" not in err
    pictures = ["confusion.png", "filters.png", "hiding.png", "loss.png"]
    assert sorted(file.name for file in tmp_path.glob("*.png")) == pictures
    typed = f"minigrad train lenet --seed 4 --steps 3000 --out {tmp_path} --resume"
    assert out.splitlines()[-1] == f"next: {typed}"
    other = scratch.minigrad(*typed.split()[1:], "--seed", "5")
    assert other.returncode == 2
    assert "is of another run: --seed 4, not 5. " in other.stderr


def test_options_that_make_no_sense_are_named_before_anything_runs(scratch):
    done = scratch.minigrad("train", "iris", "--mine", "--epochs", "3")
    assert done.returncode == 2
    assert "iris takes no --epochs; these do: digits, lenet, gpt" in done.stderr
    assert done.stdout == ""
    unknown = scratch.minigrad("train", "bert")
    assert unknown.returncode == 2
    assert "no training called 'bert'; there are: iris, digits, lenet, gpt" in unknown.stderr
    told = scratch.minigrad("train", "--help").stdout
    assert "what to train: iris, digits, lenet, gpt" in told and "--resume" in told
