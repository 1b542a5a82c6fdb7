"""A run that was broken off goes on to the very numbers of the unbroken one."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from safetensors import safe_open

import minigrad as mg
from minigrad import checkpoint, nn, optim
from minigrad.data import DataLoader, TensorDataset, TextBatches, TextDataset
from minigrad.training import fit

SCRIPT = Path(__file__).with_name("a_run.py")
KILLS = 10


def load_script():
    spec = spec_from_file_location("a_run", SCRIPT)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


a_run = load_script()


def begin(path):
    """The run in a process of its own, over this very minigrad, with one thread for BLAS."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM")}
    tree = Path(mg.__file__).parent.parent
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(path)],
        env={**os.environ, **threads, "PYTHONPATH": str(tree)},
        stdout=subprocess.PIPE,
        text=True,
    )


def contents(path):
    """All bytes that a checkpoint holds, whatever their order in the file."""
    with safe_open(path, framework="numpy") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        told = {key: json.loads(text) for key, text in file.metadata().items()}
    return told, {n: (str(x.dtype), x.shape, x.tobytes()) for n, x in arrays.items()}


@pytest.mark.timeout(120)
def test_killed_ten_times_it_ends_where_the_unbroken_run_does(tmp_path, record_property):
    whole, broken = tmp_path / "whole" / "run", tmp_path / "broken" / "run"
    unbroken = begin(whole)
    chance, last, resumed, drafts = random.Random(7), 0, 0, 0
    for life in range(KILLS + 1):
        with begin(broken) as run:
            first = int(run.stdout.readline())
            assert first % a_run.EVERY == 1 and max(0, last - a_run.EVERY) < first <= last + 1
            resumed += first > 1
            said = [first]
            if life < KILLS:
                more = chance.randint(0, a_run.STEPS // KILLS - 5)
                said += [int(run.stdout.readline()) for _ in range(more)]
                time.sleep(chance.random() * 0.005)
                run.send_signal(signal.SIGKILL)
            said += map(int, run.stdout.read().split())
        assert run.returncode == (-signal.SIGKILL if life < KILLS else 0)
        last = said[-1]
        left = [p.name for p in broken.parent.iterdir() if p != broken]
        assert len(left) <= 1, "what killed runs leave behind does not grow"
        drafts += len(left)
    assert left == [] and last == a_run.STEPS
    steps = unbroken.communicate()[0].split()
    assert unbroken.returncode == 0 and steps == [str(n) for n in range(1, a_run.STEPS + 1)]
    assert contents(broken) == contents(whole)
    record_property("figure", f"{KILLS} kills, {resumed} resumes, {drafts} half-written files left")


def go(steps, start=0, **options):
    model, optimiser, schedule, batches = a_run.parts(mg.float64)
    state = options.pop("state", None)
    if state is not None:
        assert checkpoint.load(state, model, optimiser, schedule).step == start
    history = fit(model, optimiser, batches, steps=steps, schedule=schedule, start=start, **options)
    return (model, optimiser, schedule), history, batches


@pytest.mark.parametrize("at", [1, 9, 10, 13, 20, 24])
def test_from_any_step(tmp_path, at):
    """An epoch has 10 batches."""
    path = tmp_path / "run"
    whole, expected, loop = go(25)
    first, begun, _ = go(at)
    checkpoint.save(path, *first, step=at)
    second, ended, other = go(25, at, state=path)
    assert begun.steps == [r.__class__(**{**vars(r), "total": at}) for r in expected.steps[:at]]
    assert ended.steps == expected.steps[at:] and other.epoch == loop.epoch
    for ours, theirs in zip(second[0].parameters(), whole[0].parameters(), strict=True):
        assert ours.numpy().tobytes() == theirs.numpy().tobytes()


def test_a_run_that_was_over(tmp_path):
    run, _, _ = go(4)
    checkpoint.save(tmp_path / "run", *run, step=4)
    calls = []
    again, history, batches = go(4, 4, state=tmp_path / "run", save=calls.append)
    assert history.steps == [] and not history.interrupted and calls == [] and batches.epoch == 0
    assert again[0].out.weight.tolist() == run[0].out.weight.tolist()


class Counted(TensorDataset):
    """Notes which items were made."""

    def batch(self, indices):
        self.made = [*getattr(self, "made", []), *indices.tolist()]
        return super().batch(indices)


@pytest.mark.parametrize("prefetch", [0, 2])
def test_batches_before_are_not_made(prefetch):
    data = Counted(mg.arange(11), mg.arange(11))
    loader = DataLoader(data, 2, prefetch=prefetch)
    loader.seek(6 + 4)
    assert [x.tolist() for x, _ in loader] == [[8, 9], [10]] and data.made == [8, 9, 10]
    assert next(iter(loader))[0].tolist() == [0, 1] and loader.epoch == 3


def weights(start, batches, steps=7):
    model = nn.Linear(2, 1, generator=mg.Generator(1), dtype=mg.float64)
    seen = []

    def loss(out, y):
        seen.append(y.reshape(-1).tolist())
        return mg.mse(out, y)

    fit(model, optim.SGD(model.parameters(), lr=0.01), batches, steps=steps, start=start, loss=loss)
    return seen


def test_a_list_of_batches_goes_on_too():
    rows = [(mg.full((1, 2), float(k), mg.float64), mg.full((1, 1), float(k))) for k in range(3)]
    assert weights(0, rows) == [[k % 3] for k in range(7)]
    assert weights(5, rows) == [[2.0], [0.0]] and weights(3, rows, 4) == [[0.0]]


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(mg.zeros(4))

    def forward(self, x):
        return self.scores * mg.ones((*x.shape, 1))


def test_windows_of_text_go_on_too():
    def run(start):
        seen, model = [], Tokens()

        def loss(out, y):
            seen.append(y.tolist())
            return mg.cross_entropy(out, y)

        batches = TextBatches(
            TextDataset(mg.randint(0, 4, (23,), generator=mg.Generator(8)), 3), 2, seed=4
        )
        fit(model, optim.SGD(model.parameters(), lr=0.1), batches, steps=9, start=start, loss=loss)
        return seen

    whole = run(0)
    assert len(TextBatches(TextDataset(mg.arange(23), 3), 2)) == 3
    assert run(4) == whole[4:] and run(3) == whole[3:] and whole[:3] != whole[3:6]


def test_saved_every_so_many_steps_and_at_the_end():
    for options, expected in (
        ({"save_every": 3}, [3, 6, 8]),
        ({"save_every": 4}, [4, 8]),
        ({}, [8]),
        ({"save_every": 3, "start": 5}, [6, 8]),
        ({"save_every": 3, "stop": iter([0, 0, 0, 1]).__next__}, [3, 4]),
    ):
        calls = []
        go(8, save=calls.append, **options)
        assert calls == expected, options


def test_it_is_saved_after_all_else_of_the_step():
    order = []
    model, optimiser, schedule, batches = a_run.parts()
    fit(
        model, optimiser, batches, steps=2, schedule=schedule, score_on={"one": batches},
        loss=lambda out, y: order.append("loss") or mg.cross_entropy(out, y), score_every=1,
        callback=lambda record: order.append("callback"),
        save=lambda step: order.append(("save", step, schedule.last_epoch)), save_every=1,
    )  # fmt: skip
    score = ["loss"] * 10
    assert order == [
        *score, "loss", "callback", *score, ("save", 1, 1),
        "loss", "callback", *score, ("save", 2, 2),
    ]  # fmt: skip


def test_ctrl_c_saves_nothing():
    """It may have struck in the middle of a step."""
    calls = []

    def third(record):
        if record.step == 3:
            raise KeyboardInterrupt

    _, history, _ = go(8, save=calls.append, save_every=2, callback=third)
    assert history.interrupted and calls == [2]


def test_scores_every_so_many_steps():
    batches = [(mg.full((2, 5), 0.5, mg.float64), mg.tensor([0, 2]))]
    _, history, _ = go(9, 2, score_on={"two": batches}, score_every=4)
    assert [step for step, _ in history.scores] == [2, 4, 8, 9]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": 9}, r"^fit: start=9 steps were made before, of 8 in all"),
        ({"start": -1}, r"^fit: start=-1 "),
        ({"save_every": 0}, r"^fit: score_every and save_every are 1 step or more"),
        ({"score_every": -2}, r"^fit: score_every and save_every"),
    ],
)
def test_places_that_cannot_be(options, said):
    with pytest.raises(ValueError, match=said):
        go(8, **options)


def test_epochs_count_those_before():
    model, optimiser, _, batches = a_run.parts()
    history = fit(model, optimiser, batches, epochs=2, start=17)
    assert [r.step for r in history.steps] == [18, 19, 20]
