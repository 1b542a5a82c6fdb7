"""Runs of `minigrad train digits` for the tests of --resume: broken off, and compared."""

import signal
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import numpy as np

from minigrad import checkpoint
from minigrad.course import train
from minigrad.course.checkpoints import FILE


def contents(folder):
    """All that a run leaves, but for how long it took."""
    path = folder / FILE
    saved = checkpoint.read(path)
    arrays = {**saved.model, **{str(k): v for k, v in flat(saved.optimiser["state"])}}
    told = [saved.saved.step, saved.saved.extra, saved.schedule, saved.generators]
    told[1]["log"].pop("seconds")
    numbers = {name: (str(x.dtype), x.shape, x.tobytes()) for name, x in arrays.items()}
    pictures = {file.name: file.read_bytes() for file in folder.glob("*.png")}
    return told, numbers, pictures


def same_end(broken, whole):
    """Two runs came to the same, bit by bit."""
    for ours, theirs in zip(contents(Path(broken)), contents(Path(whole)), strict=True):
        assert ours == theirs
    assert {p.name for p in Path(whole).iterdir()} >= {FILE, "loss.png", "confusion.png"}


def flat(state):
    for place, memory in state.items():
        yield from (((place, key), np.asarray(value)) for key, value in memory.items())


def go(out, *options, name="digits"):
    return train.main([name, "--out", str(out), *map(str, options)])


@contextmanager
def in_step(number, happens):
    """Let something happen after the step of this number, counted from 1 in this life."""
    training = import_module("minigrad.training")
    step, made = training.train_step, 0

    def watched(*given):
        nonlocal made
        error = step(*given)
        made += 1
        if made == number:
            happens()
        return error

    training.train_step = watched
    try:
        yield
    finally:
        training.train_step = step


def press():
    signal.raise_signal(signal.SIGINT)


def stopped(out, at=7):
    """A folder with a run of 60 steps that Ctrl-C stopped."""
    with in_step(at, press):
        assert go(out, "--steps", 60) == train.INTERRUPTED
    return out
