"""The public names: all there, all lazy, each the engine's op."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

import minigrad
from minigrad import api
from minigrad.reference import engine

OPS = sorted(n for n, f in vars(engine).items() if callable(f) and n != "getitem")


def test_every_op_is_a_public_function_with_the_same_options():
    for name in OPS:
        assert getattr(minigrad, name) is getattr(api, name)
        ours = inspect.signature(getattr(api, name)).parameters
        theirs = inspect.signature(getattr(engine, name)).parameters
        if "options" not in ours:
            assert [(p.name, p.default) for p in ours.values()] == [
                (p.name, p.default) for p in theirs.values()
            ], name


def test_every_public_name_is_there_and_listed():
    assert set(OPS) < set(dir(minigrad))
    for name in dir(minigrad):
        if name != "_native":
            assert getattr(minigrad, name) is not None
    with pytest.raises(AttributeError, match=r"^module 'minigrad' has no attribute 'nothing'"):
        _ = minigrad.nothing


def test_functions_hand_over_what_they_are_given():
    x = minigrad.tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    y = minigrad.tensor([2.0, 3.0, 4.0])
    rows = minigrad.tensor([1, 0])
    calls = {
        "gelu": (x, "tanh"),
        "astype": (x, minigrad.int64),
        "where": (x > 0.0, x, y),
        "masked_fill": (x, x > 0.0, 9.0),
        "clip": (x, -1.0, 2.0),
        "pow": (y, 2.0),
        "sub": (10.0, x),
        "sum": (x, 1, True),
        "var": (x, 0, 1, True),
        "argmax": (x, 1, True),
        "logsumexp": (x, 0, True),
        "softmax": (x, 0),
        "cumsum": (x, 1),
        "expand": (y, (2, 3)),
        "sum_to": (x, (1, 3)),
        "reshape": (x, (3, -1)),
        "permute_dims": (x, (1, 0)),
        "squeeze": (x[:1], 0),
        "unsqueeze": (x, 1),
        "flip": (x, 1),
        "roll": (x, 1, 0),
        "tile": (x, (2, 1)),
        "pad": (x, 1, 7.0),
        "cat": ([x, x], 1),
        "stack": ([x, x], 1),
        "take": (x, rows, 1),
        "gather": (x, rows.unsqueeze(1), 1),
        "one_hot": (rows, 3),
        "tril": (x, -1),
        "matmul": (x, y),
        "mse": (x, y),
        "cross_entropy": (x, rows),
    }
    for name, args in calls.items():
        got, want = getattr(minigrad, name)(*args), getattr(engine, name)(*args)
        assert got.shape == want.shape and got.dtype == want.dtype
        assert np.array_equal(got.numpy(), want.numpy()), name
    pieces = [p.tolist() for p in minigrad.split(x, 2, 1)]
    assert pieces == [p.tolist() for p in engine.split(x, 2, 1)]
    single = [n for n in OPS if len(inspect.signature(getattr(api, n)).parameters) == 1]
    for name in single:
        got, want = getattr(minigrad, name)(x), getattr(engine, name)(x)
        assert np.array_equal(got.numpy(), want.numpy(), equal_nan=True), name


def test_what_is_no_array_is_named():
    for call in (lambda: minigrad.exp([1.0]), lambda: minigrad.exp(np.ones(3))):
        with pytest.raises(TypeError, match=r"^exp: expected an array, got \w+; minigrad.tensor"):
            call()
    with pytest.raises(TypeError, match=r"^add: expected an array, got float, int"):
        minigrad.add(1.0, 2)


def test_a_tensor_is_a_copy():
    numbers = np.array([1.0, 2.0])
    x = minigrad.tensor(numbers)
    numbers[0] = 7.0
    assert x.tolist() == [1.0, 2.0] and x.dtype == minigrad.float64
    assert minigrad.tensor([1, 2]).dtype == minigrad.int64
    assert minigrad.tensor(2.5, dtype="float64").dtype == minigrad.float64
    assert minigrad.tensor(x).tolist() == [1.0, 2.0]


def test_random_numbers_come_from_the_default_generator_or_the_one_given():
    minigrad.manual_seed(5)
    first = [minigrad.rand(2, 3).tolist(), minigrad.randn((4,), dtype="float64").tolist()]
    minigrad.manual_seed(5)
    assert [minigrad.rand((2, 3)).tolist(), minigrad.randn(4, dtype="float64").tolist()] == first
    own = minigrad.Generator(5)
    assert minigrad.rand(2, 3, generator=own).tolist() == first[0]
    assert minigrad.rand().shape == ()


def test_the_package_alone_loads_nothing():
    loaded = "print('numpy' in sys.modules)"
    code = f"import sys, minigrad; {loaded}; minigrad.exp; {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
