"""`minigrad train --resume`: what was stopped goes on, and what cannot go on says why and loses
nothing.
"""

import json
import resource
from contextlib import contextmanager
from pathlib import Path

import pytest
from resumed import go, in_step, press, same_end, stopped

from minigrad import checkpoint, nn
from minigrad.course import classifying, digits, files, train
from minigrad.course.checkpoints import BEFORE, FILE
from minigrad.course.pictures import Picture


@pytest.fixture
def drawn(monkeypatch):
    """Pictures of nothing: the real ones take longer than the training here."""
    for name in ("curves", "confusion"):
        monkeypatch.setattr(classifying, name, lambda *given: Picture(0.2, 0.1))


@pytest.mark.usefixtures("drawn")
def test_ctrl_c_saves_where_it_was_and_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert go("whole", "--epochs", 2, "--seed", 3) == 0
    capsys.readouterr()
    with in_step(52, press):
        assert go("broken", "--epochs", 2, "--seed", 3) == train.INTERRUPTED
    said = capsys.readouterr().out.splitlines()
    assert "stopped at step 52 of 90, as you asked; this is what it has:" in said
    assert said[-2] == "saved  broken/checkpoint.safetensors, after step 52"
    assert said[-1] == "next: minigrad train digits --seed 3 --epochs 2 --out broken --resume"
    assert go(*said[-1].split("--out ")[1].split(), "--epochs", 2, "--seed", 3) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "  step" in line]
    assert len(lines) == 4 and "nan" not in "".join(lines)
    same_end("broken", "whole")


@pytest.mark.usefixtures("drawn")
def test_what_was_typed_is_what_is_to_be_typed(tmp_path, capsys):
    with in_step(2, press):
        go(tmp_path, "--steps", 4, "--typed", "minigrad train digits --mine --steps 4")
    assert capsys.readouterr().out.endswith(
        "\nnext: minigrad train digits --mine --steps 4 --resume\n"
    )


@pytest.mark.usefixtures("drawn")
def test_a_second_ctrl_c_leaves_the_last_checkpoint(tmp_path, capsys):
    """It may strike in the middle of a step."""
    with in_step(50, lambda: (press(), press())):
        assert go(tmp_path, "--steps", 60) == train.INTERRUPTED
    said = capsys.readouterr().out
    assert "checkpoint.safetensors, after step 45\n" in said and "next: minigrad train" in said
    assert checkpoint.peek(tmp_path / FILE).step == 45


def test_ctrl_c_while_it_draws(tmp_path, monkeypatch, capsys):
    def pressed(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(classifying, "curves", pressed)
    out = tmp_path / "run [red]"
    assert go(out, "--steps", 3) == train.INTERRUPTED
    said = f"\nstopped\nnext: minigrad train digits --steps 3 --out '{out}' --resume\n"
    assert capsys.readouterr().out.endswith(said)


@pytest.mark.usefixtures("drawn")
def test_a_finished_run_shows_what_it_came_to(tmp_path, capsys):
    assert go(tmp_path, "--steps", 50, "--json") == 0
    before, bytes_ = json.loads(capsys.readouterr().out), (tmp_path / FILE).read_bytes()
    with in_step(1, lambda: pytest.fail("a step was made")):
        assert go(tmp_path, "--steps", 50, "--json", "--resume") == 0
    said = capsys.readouterr()
    assert "this run is finished, all 50 steps of it; it came to:" in said.err
    assert json.loads(said.out) == before and (tmp_path / FILE).read_bytes() == bytes_


@pytest.mark.usefixtures("drawn")
def test_who_forgets_to_resume_does_not_lose_the_run(tmp_path, capsys):
    found = (stopped(tmp_path) / FILE).read_bytes()
    assert go(tmp_path, "--steps", 3) == 0
    assert f"gone on with after step 7 was here; it is kept as {BEFORE}" in capsys.readouterr().out
    assert (tmp_path / BEFORE).read_bytes() == found
    assert go(tmp_path, "--steps", 2) == 0, "a finished run makes way"
    assert (tmp_path / BEFORE).read_bytes() == found


ANEW = "leave --resume out, or name another folder with --out.\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--steps", "60", "--seed", "2"], "is of another run: --seed 0, not 2. "),
        (["--steps", "61"], "is of another run: --steps 60, not 61. "),
        (["--epochs", "2", "--seed", "4"], "run: --seed 0, not 4; --steps 60, not 90. "),
        (["lenet", "--steps", "60"], "is of another run: training digits, not lenet. "),
    ],
)
@pytest.mark.usefixtures("drawn")
def test_another_run_is_not_resumed(tmp_path, capsys, options, said):
    before = (stopped(tmp_path) / FILE).read_bytes()
    capsys.readouterr()
    name = options.pop(0) if options[0] == "lenet" else "digits"
    assert go(tmp_path, *options, "--resume", name=name) == 2
    told = capsys.readouterr().err
    assert told.startswith("minigrad train: ") and said in told and told.endswith(ANEW)
    assert told.count("\n") == 1 and (tmp_path / FILE).read_bytes() == before


@pytest.mark.usefixtures("drawn")
def test_other_settings_are_another_run(tmp_path, capsys, monkeypatch):
    stopped(tmp_path)
    other = classifying.Reader(**{**vars(digits.READER), "rate": 0.5})
    monkeypatch.setattr(digits, "READER", other)
    assert go(tmp_path, "--steps", 60, "--resume") == 2
    assert "is of another run: rate 0.02, not 0.5. " in capsys.readouterr().err


def truncated(path):
    path.write_bytes(path.read_bytes()[:-1000])


def of_another_program(path):
    checkpoint.save(path, nn.Linear(3, 2), extra=["mine"])


def of_another_model(path):
    checkpoint.save(path, nn.Linear(3, 2), extra=checkpoint.peek(path).extra)


def a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (truncated, "checkpoint.safetensors is damaged, or no safetensors file: "),
        (lambda path: path.write_text("notes"), "is damaged, or no safetensors file: "),
        (of_another_program, "checkpoint.safetensors was not written by minigrad train. Name ano"),
        (of_another_model, "is of another run; nothing was loaded.; model: 0.weight is missing"),
        (a_folder, "checkpoint.safetensors cannot be read: Is a directory."),
        (Path.unlink, "checkpoint.safetensors to go on from. Start the run without --resume."),
    ],
)
@pytest.mark.usefixtures("drawn")
def test_what_cannot_be_resumed_is_told_and_left_alone(tmp_path, capsys, spoil, said):
    path = stopped(tmp_path) / FILE
    spoil(path)
    before = path.read_bytes() if path.is_file() else None
    capsys.readouterr()
    assert go(tmp_path, "--steps", 60, "--resume") == 2
    told = capsys.readouterr().err
    assert told.startswith("minigrad train: ") and said in told and told.count("\n") == 1
    assert (path.read_bytes() if path.is_file() else None) == before
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {"loss.png", "confusion.png"} | ({FILE} if path.exists() else set())


@contextmanager
def full_disk():
    """No file may grow, as on a disk without room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("resume", [[], ["--resume"]])
@pytest.mark.usefixtures("drawn")
def test_a_full_disk_is_told_of_before_any_step(tmp_path, capsys, resume):
    before = (stopped(tmp_path) / FILE).read_bytes()
    capsys.readouterr()
    with full_disk(), in_step(1, lambda: pytest.fail("a step was made")):
        assert go(tmp_path, "--steps", 60, *resume) == 2
    told = capsys.readouterr()
    assert "checkpoint.safetensors cannot be written: File too large. Nothing was tr" in told.err
    assert told.err.count("\n") == 1 and "kept as" not in told.out
    assert {p.name for p in tmp_path.iterdir()} == {FILE, "loss.png", "confusion.png"}
    assert (tmp_path / FILE).read_bytes() == before


def test_a_folder_that_takes_no_file(tmp_path, capsys):
    (tmp_path / FILE / "in").mkdir(parents=True)
    assert go(tmp_path, "--steps", 2) == 2
    assert "cannot be written: Is a directory. Nothing was trained yet" in capsys.readouterr().err
    assert (tmp_path / FILE / "in").is_dir()
    assert go(__file__) == 2
    assert f"cannot write to {__file__}: File exists" in capsys.readouterr().err


@pytest.mark.usefixtures("drawn")
def test_a_disk_that_fills_up_on_the_way(tmp_path, capsys):
    """The training goes on, what is shown is all of it, and the last checkpoint can be resumed."""
    disk = full_disk()
    with in_step(50, disk.__enter__):
        try:
            code = go(tmp_path, "--steps", 93, "--json")
        finally:
            disk.__exit__(None, None, None)
    said = capsys.readouterr()
    assert code == 1 and json.loads(said.out)["steps"] == 93
    for step in (90, 93):
        assert (
            f"step {step} was not saved: File too large. The checkpoint of step 45 is as it was, "
            "and the training goes on.\n"
        ) in said.err
    assert f"the pictures cannot be written to {tmp_path}: File too large" in said.err
    assert checkpoint.peek(tmp_path / FILE).step == 45
    assert go(tmp_path, "--steps", 93, "--resume") == 0
    assert go(tmp_path / "whole", "--steps", 93) == 0
    same_end(tmp_path, tmp_path / "whole")


@pytest.mark.usefixtures("drawn")
def test_a_disk_that_has_room_again(tmp_path, capsys):
    disk = full_disk()
    with in_step(40, disk.__enter__), in_step(50, lambda: disk.__exit__(None, None, None)):
        assert go(tmp_path, "--steps", 60) == 0
    assert "step 45 was not saved" in capsys.readouterr().out
    assert checkpoint.peek(tmp_path / FILE).step == 60


@pytest.mark.usefixtures("drawn")
def test_a_notebook_keeps_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "replace", lambda *given: pytest.fail("a file was written"))
    result = digits.train(0, steps=2)
    assert (result.checkpoint, result.kept) == (None, None) and list(tmp_path.iterdir()) == []
