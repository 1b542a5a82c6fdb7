"""Tensors by name in a safetensors file: what checkpoints are made of, and weights without a run.

PyTorch's `safetensors.torch.save_file(model.state_dict(), path)` writes such a file, too.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

try:
    import safetensors
    import safetensors.numpy
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "minigrad.checkpoint: the safetensors package is missing: pip install safetensors",
        name=error.name,
    ) from None

from minigrad.course import files
from minigrad.nn import Module
from minigrad.nn.module import found
from minigrad.nn.state import Loaded, entries

Numbers = dict[str, np.ndarray[Any, Any]]


def save_weights(path: str | Path, model: Module) -> None:
    """Write the model's state_dict, and nothing else: for another framework, or another run.

    Raises OSError where it cannot be written, and then leaves the file that was there.
    """
    write("save_weights", path, model.state_dict(), None)


def load_weights(path: str | Path, model: Module, strict: bool = True) -> Loaded:
    """Overwrite parameters and buffers by the tensors of the same names in a safetensors file.

    strict and the result are those of Module.load_state_dict. A tensor that the model has under
    several names needs to be there under one of them.
    Raises ValueError for a file that is damaged, or does not fit: one that names all that differs.
    Nothing is loaded then.
    """
    metadata, given = read(path)
    try:
        if "minigrad checkpoint" in metadata.get("format", ""):
            raise ValueError("this is a whole run; checkpoint.load_model takes its model.")
        return model.load_state_dict(under_each_name(model, given), strict)
    except ValueError as error:
        why = str(error).removeprefix("load_state_dict: ")
        raise ValueError(f"checkpoint.load_weights: {os.fspath(path)}: {why}") from None


def under_each_name(model: Module, given: Numbers) -> Numbers:
    """The same numbers, also under the other names of tensors that the model has several of.

    Raises ValueError where the numbers of one tensor are two.
    """
    first: dict[int, str] = {}
    state = entries(found(model, once=False))
    for name in (name for name in state if name in given):
        other = first.setdefault(id(state[name]), name)
        if given[name].tobytes() != given[other].tobytes():
            raise ValueError(
                f"{other} and {name} are one tensor of the model, and differ in the file; nothing "
                "was loaded."
            )
    names = {name: first[id(x)] for name, x in state.items() if id(x) in first}
    return given | {name: given[other] for name, other in names.items()}


def write(
    call: str, path: str | Path, tensors: Mapping[str, Any], metadata: dict[str, str] | None
) -> None:
    """Have the tensors and the metadata on the disk, in one step."""
    data = safetensors.numpy.save(
        # The library reads the memory as it lies: a view has to be laid out first.
        {name: np.asarray(x.numpy(), order="C") for name, x in tensors.items()},
        metadata,
    )
    try:
        files.replace(Path(path), data)
    except OSError as error:
        why = f"checkpoint.{call}: {error.strerror}; the checkpoint before, if any, is as it was"
        raise OSError(error.errno, why, str(path)) from error


def read(path: str | Path) -> tuple[dict[str, str], Numbers]:
    """The metadata and the tensors. Raises OSError for a file that cannot be read, ValueError for
    one that is damaged, or none of this kind.
    """
    with open(path, "rb"):
        pass  # a file that is not there, or a folder, is Python's to tell
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            names = file.keys()
            return file.metadata() or {}, {name: file.get_tensor(name) for name in names}
    except safetensors.SafetensorError as error:
        raise ValueError(
            f"checkpoint: {path} is damaged, or no safetensors file: {error}."
        ) from None
    except (TypeError, AttributeError) as error:  # what NumPy says to bfloat16 and narrower ones
        raise ValueError(
            f"checkpoint: {path} holds numbers of a type that NumPy has not: {error}. Save them as "
            "float32 where they come from."
        ) from None
