"""The table of the public API beside the code: every op, method and operator has its row, and a
function hands over exactly what its op takes.
"""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import minigrad
from minigrad import api
from minigrad.reference import engine
from minigrad.reference.tensor import Tensor
from minigrad.surface import NAMES, ROWS

# Ops behind x[index] and x[index] = y, which have no name of their own.
NAMELESS = {"getitem", "written"}
OPS = sorted(n for n, f in vars(engine).items() if callable(f) and n not in NAMELESS)
# What a tensor has beside its public members.
INSIDE = {"array", "become", "engine", "node", "seen"}
# Methods that take f(2, 3) for f((2, 3)).
UNPACKING = {"expand", "permute_dims", "reshape", "sum_to", "tile"}
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "**": "pow", "@": "matmul", "&": "and",
    "|": "or", "^": "xor", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
}  # fmt: skip
ALONE = {"-x": "neg", "~x": "invert", "abs(x)": "abs"}
# Python's own, or parts of what has a row: the second half of DLPack.
UNLISTED = {"__init__", "__dlpack_device__"}


def parameters(function, skip=0):
    found = list(inspect.signature(function).parameters.values())[skip:]
    return [(p.name, p.default) for p in found]


def test_every_op_is_a_public_function_with_the_same_options():
    assert set(OPS) <= NAMES
    for name in OPS:
        assert getattr(minigrad, name) is getattr(api, name)
        assert parameters(getattr(api, name)) == parameters(getattr(engine, name)), name


def test_every_op_of_one_array_is_a_method_with_the_same_options():
    methods = {row.name for row in ROWS if row.kinds == "fm"}
    layers = {row.name for row in ROWS if row.group.startswith("Layers")}
    for name in sorted(set(OPS) - layers):
        first, *rest = [n for n, _ in parameters(getattr(engine, name))]
        assert (name in methods) == (first == "x" and "y" not in rest), name
        if name in methods and name not in UNPACKING:
            method, function = getattr(Tensor, name), getattr(engine, name)
            assert parameters(method, 1) == parameters(function, 1), name


def test_every_member_of_a_tensor_has_a_row():
    listed = {row.name for row in ROWS if set(row.kinds) & set("ma")}
    assert {n for n in dir(Tensor) if not n.startswith("_")} == listed | INSIDE


def test_every_operator_has_a_row():
    members = [item for c in Tensor.__mro__[:-1] for item in vars(c).items()]
    defined = {name for name, f in members if name.startswith("__") and callable(f)}
    listed = {row.name for row in ROWS if row.kinds == "o"}
    written = {row.operator for row in ROWS if row.kinds != "o"} - {""}
    for text in written - set(ALONE):
        name = OPERATORS[text[2:-2]]
        reversible = name not in ("eq", "ne", "lt", "le", "gt", "ge")
        listed |= {f"__{name}__"} | ({f"__r{name}__"} if reversible else set())
    listed |= {f"__{ALONE[text]}__" for text in written & set(ALONE)}
    assert defined - UNLISTED == listed


def test_what_is_no_array_is_named():
    for call in (lambda: minigrad.exp([1.0]), lambda: minigrad.exp(np.ones(3))):
        with pytest.raises(TypeError, match=r"^exp: expected an array, got \w+; minigrad.tensor"):
            call()
    with pytest.raises(TypeError, match=r"^add: expected an array, got float, int"):
        minigrad.add(1.0, 2)


def test_the_package_alone_loads_nothing():
    loaded = "print([n for n in sys.modules if n.split('.')[0] in ('minigrad', 'numpy')])"
    code = f"import sys, minigrad; {loaded}; minigrad.exp; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["['minigrad']", "True"]
