"""Checkpoints: all that a training run is after a step, in one file, to go on from there.

    save(path, model, optimiser, schedule, step=120)
    saved = load(path, model, optimiser, schedule)      # all of them built as before
    fit(model, optimiser, batches, schedule=schedule, steps=1000, start=saved.step)

goes on to the very numbers that the unbroken run would have had. The file is a safetensors file:
the model's tensors are called "model." and their name, the optimiser's "optimiser.", the place of
the parameter, and their name; all the rest is JSON in the file's metadata.

    save_weights(path, model)                           # the model's tensors alone, by their names
    load_weights(path, model)

write and read what PyTorch does with a state_dict and safetensors.torch.save_file and load_file.

The old file is replaced when the new one is whole and on the disk: whoever pulls the plug, or fills
the disk, leaves one that can be loaded.
"""

import copy
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minigrad.api import Tensor
from minigrad.nn import Module
from minigrad.optim import Optimizer
from minigrad.optim.schedule import Schedule
from minigrad.random import Generator, State, default_generator
from minigrad.weights import Numbers, write
from minigrad.weights import load_weights as load_weights
from minigrad.weights import read as tensors_in
from minigrad.weights import save_weights as save_weights

FORMAT = "minigrad checkpoint 1"
Generators = Mapping[str, Generator]


@dataclass(frozen=True)
class Saved:
    """What a checkpoint says beside the state: how many steps were made, and what else was to be
    kept, as JSON has it.
    """

    step: int
    extra: Any


@dataclass(frozen=True)
class Contents:
    """A file, taken apart: state dicts, each with the "kind" that it is of, None where there was
    none; generators by name, (seed, offset).
    """

    saved: Saved
    model: Numbers
    optimiser: dict[str, Any] | None
    schedule: dict[str, Any] | None
    generators: dict[str, State]


def save(
    path: str | Path,
    model: Module,
    optimiser: Optimizer | None = None,
    schedule: Schedule | None = None,
    generators: Generators | None = None,
    step: int = 0,
    extra: Any = None,
) -> None:
    """Write all that a run is after `step` steps.

    generators: those that neither the model has (dropout) nor manual_seed seeds: these are saved
    without being named. extra: anything that JSON can hold.
    Raises OSError where it cannot be written, and then leaves the file that was there; TypeError
    for what JSON cannot hold; ValueError for a schedule of another optimiser.
    """
    check_pair("save", optimiser, schedule)
    tensors = {f"model.{name}": x for name, x in model.state_dict().items()}
    described: dict[str, Any] = {"format": FORMAT, "step": step, "extra": extra}
    if optimiser is not None:
        state, described["optimiser"] = apart(optimiser)
        tensors |= state
    if schedule is not None:
        described["schedule"] = {"kind": kind(schedule), **schedule.state_dict()}
    found = named(model, generators)
    described["generators"] = {name: g.get_state() for name, g in found.items()}
    metadata = {key: as_json(key, value) for key, value in described.items()}
    write("save", path, tensors, metadata)


def load(
    path: str | Path,
    model: Module,
    optimiser: Optimizer | None = None,
    schedule: Schedule | None = None,
    generators: Generators | None = None,
) -> Saved:
    """Bring all of a run, built as the one that was saved, to where that was.

    Raises ValueError for a file that is damaged, or no checkpoint, or of another run: one that
    lists all that differs. Nothing is loaded then.
    """
    check_pair("load", optimiser, schedule)
    contents, found = read(path), named(model, generators)
    wrong = [
        *(f"model: {line}" for line in misfits(model, contents.model)),
        *unlike(contents, optimiser, schedule),
        *(f"generators: {line}" for line in strangers(found, contents.generators)),
    ]
    refuse("load", path, wrong)
    model.load_state_dict(contents.model)
    if optimiser is not None and contents.optimiser is not None:
        optimiser.load_state_dict(contents.optimiser)
    if schedule is not None and contents.schedule is not None:
        schedule.load_state_dict(contents.schedule)
    for name, generator in found.items():
        generator.set_state(contents.generators[name])
    return contents.saved


def load_model(path: str | Path, model: Module) -> Saved:
    """Bring a model to where the saved one was, and nothing else: to use it. Raises as load."""
    contents = read(path)
    refuse("load_model", path, [f"model: {line}" for line in misfits(model, contents.model)])
    model.load_state_dict(contents.model)
    return contents.saved


def peek(path: str | Path) -> Saved:
    """What a checkpoint says beside the state. Raises ValueError for a file that is none."""
    return read(path).saved


# what goes into a file


def apart(optimiser: Optimizer) -> tuple[dict[str, Any], dict[str, Any]]:
    """An optimiser's tensors by their names in the file, and the rest of its state."""
    given = optimiser.state_dict()
    tensors: dict[str, Any] = {}
    numbers: dict[int, dict[str, Any]] = {}
    for place, memory in given["state"].items():
        numbers[place] = {}
        for key, value in memory.items():
            if isinstance(value, Tensor):
                tensors[f"optimiser.{place}.{key}"] = value
            else:
                numbers[place][key] = value
    return tensors, {"kind": kind(optimiser), **given, "state": numbers}


def named(model: Module, generators: Generators | None) -> dict[str, Generator]:
    """All generators of a run, each once: manual_seed's, those that modules have, those given."""
    found = {"default": default_generator}
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            if isinstance(value, Generator):
                found[f"model.{name}.{key}" if name else f"model.{key}"] = value
    found |= {f"given.{name}": g for name, g in (generators or {}).items()}
    once: dict[int, str] = {}
    for name, generator in found.items():
        once.setdefault(id(generator), name)
    return {name: found[name] for name in once.values()}


def as_json(key: str, value: Any) -> str:
    try:
        return json.dumps(value)
    except TypeError as error:
        raise TypeError(
            f"checkpoint.save: {key} is kept as JSON, which it is not: {error}."
        ) from None


def kind(x: object) -> str:
    return type(x).__name__


# what comes out of one


def read(path: str | Path) -> Contents:
    """A file, taken apart; or a ValueError that says what it is instead."""
    notes, tensors = tensors_in(path)
    try:
        if notes.get("format") != json.dumps(FORMAT):
            raise ValueError(f"its format is not {FORMAT!r}; load_weights reads weights alone")
        metadata = {key: json.loads(text) for key, text in notes.items()}
        return together(metadata, tensors)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"checkpoint: {path} is damaged, or no file that checkpoint.save wrote: {error}."
        ) from None


def together(metadata: Mapping[str, Any], tensors: Numbers) -> Contents:
    """The opposite of what save does. Raises KeyError and the like for what it did not write."""
    optimiser: Any = metadata.get("optimiser")
    if optimiser is not None:
        # JSON knows neither numbers as keys nor tuples.
        optimiser["state"] = {int(place): kept for place, kept in optimiser["state"].items()}
        optimiser["param_groups"] = [
            {k: tuple(v) if isinstance(v, list) and k != "params" else v for k, v in group.items()}
            for group in optimiser["param_groups"]
        ]
    model = {}
    for name, numbers in tensors.items():
        part, rest = name.split(".", 1)
        if part == "model":
            model[rest] = numbers
        else:
            place, key = rest.split(".", 1)
            optimiser["state"][int(place)][key] = numbers
    states = metadata["generators"].items()
    generators = {name: Generator().set_state(state).get_state() for name, state in states}
    saved = Saved(int(metadata["step"]), metadata["extra"])
    return Contents(saved, model, optimiser, metadata.get("schedule"), generators)


# what does not fit


def check_pair(call: str, optimiser: Optimizer | None, schedule: Schedule | None) -> None:
    if schedule is not None and schedule.optimizer is not optimiser:
        raise ValueError(
            f"checkpoint.{call}: the schedule is that of another optimiser than the one given."
        )


def refuse(call: str, path: str | Path, wrong: list[str]) -> None:
    if wrong:
        lines = "".join(f"\n  {line}" for line in wrong)
        raise ValueError(
            f"checkpoint.{call}: {os.fspath(path)} is of another run; nothing was loaded.{lines}"
        )


def misfits(model: Module, given: Numbers) -> Iterator[str]:
    """Where a model and its numbers in a file differ; also in their dtypes, since a run in other
    numbers is another run.
    """
    own = model.state_dict()
    for name, x in own.items():
        if name not in given:
            yield f"{name} is missing in the file"
            continue
        there = given[name]
        if (x.shape, str(x.dtype)) != (there.shape, str(there.dtype)):
            yield f"{name} is {x.dtype} {x.shape}, in the file {there.dtype} {there.shape}"
    yield from (f"{name} is in the file alone" for name in given if name not in own)


def unlike(
    contents: Contents, optimiser: Optimizer | None, schedule: Schedule | None
) -> Iterator[str]:
    """Where optimiser and schedule are not those of the file. Tried on copies."""
    trial, after = copy.copy(optimiser), copy.copy(schedule)
    try:
        for part, own, given in (
            ("optimiser", trial, contents.optimiser),
            ("schedule", after, contents.schedule),
        ):
            ours = "none" if own is None else kind(own)
            theirs = "none" if given is None else given["kind"]
            if ours != theirs:
                yield f"{part}: it is {ours}, in the file {theirs}"
            elif own is not None and given is not None:
                if isinstance(own, Schedule) and trial is not None:
                    own.optimizer = trial
                own.load_state_dict(given)
    except ValueError as error:
        yield str(error)


def strangers(found: Generators, given: Mapping[str, State]) -> Iterator[str]:
    """Generators that are not on both sides."""
    yield from (f"{name} is missing in the file" for name in found if name not in given)
    yield from (f"{name} is in the file alone" for name in given if name not in found)
