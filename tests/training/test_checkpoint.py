"""What a checkpoint holds, and what does not load it: other runs, and files that are none."""

import json
import re

import numpy as np
import pytest
import safetensors.numpy

import minigrad as mg
from minigrad import checkpoint, nn, optim
from minigrad.checkpoint import Saved, load, load_model, peek, save
from minigrad.optim.schedule import CosineAnnealingLR, StepLR

X = np.linspace(-1.0, 2.0, 15).reshape(5, 3)


class Tied(nn.Module):
    """A weight under two names, a buffer, a number without axes, and chance."""

    def __init__(self, rows=2, dtype=mg.float64, seed=1):
        super().__init__()
        self.first = nn.Linear(3, rows, generator=mg.Generator(seed), dtype=dtype)
        self.also = self.first
        self.drop = nn.Dropout(0.5, generator=mg.Generator(seed))
        self.scale = nn.Parameter(mg.tensor(1.0 + seed, dtype))
        self.register_buffer("seen", mg.tensor([seed, 7]))

    def forward(self, x):
        return self.drop(self.also(x)) * self.scale


def run(make=optim.AdamW, rate=CosineAnnealingLR, steps=3, seed=1, **options):
    """Model, optimiser, schedule after so many steps."""
    model = Tied(seed=seed, **options)
    optimiser = make(
        [{"params": [model.scale], "lr": 0.5}, {"params": list(model.first.parameters())}], lr=0.1
    )
    schedule = rate(optimiser, 5)
    for _ in range(steps):
        x = mg.tensor(X, model.scale.dtype)
        optimiser.zero_grad()
        mg.square(model(x) + mg.randn(5, 2, dtype=x.dtype)).sum().backward()
        optimiser.step()
        schedule.step()
    return model, optimiser, schedule


def state(model, optimiser, schedule):
    """All of a run as plain values, to be compared."""
    kept = optimiser.state_dict()
    memory = {
        (place, key): np.asarray(getattr(value, "numpy", lambda v=value: v)()).tolist()
        for place, found in kept["state"].items()
        for key, value in found.items()
    }
    weights = {name: x.numpy().tolist() for name, x in model.state_dict().items()}
    chance = (model.drop.generator.get_state(), mg.random.default_generator.get_state())
    return weights, memory, kept["param_groups"], schedule.state_dict(), chance


@pytest.mark.parametrize("make", [optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop])
@pytest.mark.parametrize("steps", [0, 3])
def test_there_and_back(tmp_path, make, steps):
    mg.manual_seed(3)
    first, path = run(make, steps=steps), tmp_path / "new" / "run.safetensors"
    kept = state(*first)
    extra = {"text": "ä\n", "list": [1, 2.5, None, True], "rate": 0.1 + 0.2}
    save(path, *first, step=steps, extra=extra)
    assert state(*first) == kept, "saving changes nothing"
    mg.manual_seed(4)
    again = run(make, steps=2, seed=8)
    assert load(path, *again) == Saved(steps, extra) == peek(path)
    assert state(*again) == kept
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_generators_of_ones_own(tmp_path):
    run_, path, own = run(), tmp_path / "run", mg.Generator(40)
    save(path, *run_, {"mine": own, "again": own, "drop": run_[0].drop.generator})
    drawn = [own.uniform((3,)).tolist(), run_[0].drop.generator.uniform((3,)).tolist()]
    load(path, *run_, {"mine": own, "again": own, "drop": run_[0].drop.generator})
    assert drawn == [own.uniform((3,)).tolist(), run_[0].drop.generator.uniform((3,)).tolist()]
    with pytest.raises(ValueError, match=r"generators: given\.mine is in the file alone$"):
        load(path, *run_)
    with pytest.raises(ValueError, match=r"generators: given\.yours is missing in the file\n"):
        load(path, *run_, {"yours": mg.Generator()})


def test_views_are_laid_out(tmp_path):
    """The library reads memory as it lies, whatever the strides."""
    model = nn.Module()
    numbers = np.arange(12.0).reshape(3, 4)
    model.register_buffer("w", mg.tensor(numbers).T)
    model.register_buffer("part", mg.tensor(numbers)[::2, 1:3])
    model.none = nn.Parameter(mg.zeros((0, 3)))
    assert not model.w.numpy().flags.c_contiguous
    save(tmp_path / "run", model)
    there = safetensors.numpy.load_file(tmp_path / "run")
    np.testing.assert_array_equal(there["model.w"], numbers.T)
    np.testing.assert_array_equal(there["model.part"], numbers[::2, 1:3])
    assert there["model.none"].shape == (0, 3)


def test_the_model_alone(tmp_path):
    first, other = run(), run(seed=2)
    save(tmp_path / "run", *first, step=3, extra="vocabulary")
    before = state(*other)
    assert load_model(tmp_path / "run", other[0]) == Saved(3, "vocabulary")
    after = state(*other)
    assert after[0] == state(*first)[0] != before[0] and after[1:] == before[1:]


OTHERS = {
    "shape": (
        lambda: run(rows=1),
        r"model: first\.weight is float64 \(1, 3\), in the file float64 \(2, 3\)",
    ),
    "dtype": (
        lambda: run(dtype=mg.float32),
        r"model: scale is float32 \(\), in the file float64 \(\)",
    ),
    "kind of optimiser": (lambda: run(optim.Adam), "optimiser: it is Adam, in the file AdamW"),
    "no optimiser": (lambda: (run()[0],), "optimiser: it is none, in the file AdamW"),
    "no schedule": (lambda: run()[:2], "schedule: it is none, in the file Cosine"),
    "kind of schedule": (lambda: run(rate=StepLR), "schedule: it is StepLR, in the file Cosine"),
    "generators": (lambda: more_chance(), r"generators: model\.noise is missing in the file"),
    "groups": (
        lambda: one_group(),
        "AdamW: the state dict does not fit:\n.*it has 2 groups of parameters, the optimiser 1",
    ),
}


def more_chance():
    found = run(steps=1)
    found[0].noise = mg.Generator(2)
    return found


def one_group():
    model = Tied()
    optimiser = optim.AdamW(model.parameters())
    return model, optimiser, CosineAnnealingLR(optimiser, 5)


@pytest.mark.parametrize("name", OTHERS)
def test_another_run_is_named_and_left_alone(tmp_path, name):
    make, said = OTHERS[name]
    save(tmp_path / "run", *run(seed=2), step=3)
    other = make()
    full = len(other) == 3
    before = state(*other) if full else other[0].state_dict()["scale"].tolist()
    with pytest.raises(ValueError, match=said) as raised:
        load(tmp_path / "run", *other)
    assert str(raised.value).startswith("checkpoint.load: ")
    assert "is of another run; nothing was loaded.\n" in str(raised.value)
    assert (state(*other) if full else other[0].state_dict()["scale"].tolist()) == before


def test_all_that_differs_is_named(tmp_path):
    save(tmp_path / "run", *run(), step=3)
    other = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5, generator=mg.Generator(1)))
    weight = other[0].weight.tolist()
    optimiser = optim.SGD(other.parameters(), lr=0.1)
    with pytest.raises(ValueError) as raised:
        load(tmp_path / "run", other, optimiser)
    lines = [line.strip() for line in str(raised.value).splitlines()[1:]]
    assert lines == [
        "model: 0.weight is missing in the file", "model: 0.bias is missing in the file",
        *(f"model: {name} is in the file alone" for name in sorted(run()[0].state_dict())),
        "optimiser: it is SGD, in the file AdamW",
        "schedule: it is none, in the file CosineAnnealingLR",
        "generators: model.1.generator is missing in the file",
        "generators: model.drop.generator is in the file alone",
    ]  # fmt: skip
    assert other[0].weight.tolist() == weight
    with pytest.raises(ValueError, match=r"^checkpoint\.load_model: .*\n  model: 0\.weight is"):
        load_model(tmp_path / "run", other)


@pytest.mark.parametrize("call", ["save", "load"])
def test_a_schedule_of_another_optimiser(tmp_path, call):
    first, second = run(), run()
    with pytest.raises(ValueError, match=rf"^checkpoint\.{call}: the schedule is that of another"):
        getattr(checkpoint, call)(tmp_path / "run", first[0], first[1], second[2])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("keep", [0, 1, 7, 8, 100, 1200, -1])
def test_a_truncated_file(tmp_path, keep):
    path, other = tmp_path / "run", run(seed=2)
    save(path, *run(), step=3)
    path.write_bytes(path.read_bytes()[:keep])
    before = state(*other)
    for call in (
        lambda: load(path, *other),
        lambda: load_model(path, other[0]),
        lambda: peek(path),
    ):
        with pytest.raises(ValueError, match=r"^checkpoint: .*run is damaged, or no (file|safe)"):
            call()
    assert state(*other) == before


def changed(**told):
    """A writer of a checkpoint's tensors with something else in the metadata."""

    def write(path):
        with safetensors.safe_open(path, framework="numpy") as file:
            metadata = {**file.metadata(), **told}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        safetensors.numpy.save_file(arrays, path, {k: v for k, v in metadata.items() if v})

    return write


FOREIGN = {
    "text": lambda path: path.write_text("print('hello')\n" * 9),
    "bytes": lambda path: path.write_bytes(bytes(range(256)) * 9),
    "weights": lambda path: safetensors.numpy.save_file({"scale": X}, path),
    "with notes": lambda path: safetensors.numpy.save_file({"a": X}, path, {"format": "pt"}),
    "another format": changed(format=json.dumps("minigrad checkpoint 2")),
    "no step": changed(step=""),
    "no optimiser": changed(optimiser=""),
    "other state": changed(optimiser=json.dumps({"state": [], "param_groups": []})),
    "generators": changed(generators=json.dumps({"default": [0, -1]})),
    "broken notes": changed(extra="{"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_that_is_no_checkpoint(tmp_path, name):
    path, other = tmp_path / "run", run(seed=2)
    save(path, *run(), step=3)
    FOREIGN[name](path)
    before = state(*other)
    with pytest.raises(ValueError, match=r"^checkpoint: .*run is damaged, or no (file|safe)") as e:
        load(path, *other)
    assert ("load_weights reads weights alone" in str(e.value)) == (
        name in ("weights", "with notes", "another format")
    )
    assert state(*other) == before


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load(tmp_path / "nowhere", *run())
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        load(tmp_path, *run())


@pytest.mark.parametrize("extra", [{1, 2}, np.float32(1.0), {"a": X}])
def test_what_json_cannot_hold(tmp_path, extra):
    with pytest.raises(TypeError, match=r"^checkpoint\.save: extra is kept as JSON"):
        save(tmp_path / "run", *run(), extra=extra)
    assert list(tmp_path.iterdir()) == []
