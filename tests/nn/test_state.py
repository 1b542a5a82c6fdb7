"""The state of a module: what is in it, and what may be loaded."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn


def chain(seed=0, dtype=mg.float32):
    generator = Generator(seed=seed)
    first = nn.Linear(3, 4, generator=generator, dtype=dtype)
    model = nn.Sequential(first, nn.Tanh(), nn.Linear(4, 2, generator=generator, dtype=dtype))
    model[1].register_buffer("steps", mg.tensor([1, 2]))
    return model


def numbers(model):
    return {name: x.numpy().copy() for name, x in model.state_dict().items()}


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def test_names_of_parameters_and_buffers():
    expected = ["0.weight", "0.bias", "2.weight", "2.bias", "1.steps"]
    assert list(chain().state_dict()) == expected


def test_the_state_is_the_modules_own_memory_and_not_recorded():
    model = chain()
    state = model.state_dict()
    assert not any(x.requires_grad or x.is_parameter for x in state.values())
    with mg.no_grad():
        state["0.bias"][1] = 5.0
    assert model[0].bias.tolist()[1] == 5.0


def test_what_is_shared_has_both_names_and_loads_under_both():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    model[1].weight = model[0].weight
    assert list(model.state_dict()) == ["0.weight", "1.weight"]
    assert len(list(model.parameters())) == 1
    value = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
    model.load_state_dict({"0.weight": value, "1.weight": value})
    assert model[0].weight.tolist() == value.tolist() and model[1].weight is model[0].weight


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["tensors", "ndarrays"])
def test_a_state_goes_into_another_model(kind, dtype):
    source, model = chain(seed=1, dtype=dtype), chain(seed=2)
    source[1].steps[...] = mg.tensor([5, 6])
    before = [id(p) for p in model.parameters()]
    state = source.state_dict() if kind == "tensors" else numbers(source)
    result = model.load_state_dict(state)
    assert result == ([], [], {})
    assert [id(p) for p in model.parameters()] == before
    assert all(p.dtype == mg.float32 and p.requires_grad for p in model.parameters())
    expected = {
        n: x.astype(np.float32 if x.dtype.kind == "f" else x.dtype)
        for n, x in numbers(source).items()
    }
    same(numbers(model), expected)


def test_views_of_any_layout_and_nan_can_be_loaded():
    model = chain()
    wide = np.arange(24, dtype=np.float64).reshape(6, 4)
    wide[0, 1] = np.nan
    state = numbers(model) | {"0.weight": wide[::-2, :].T[:, :].T[:3].T}
    model.load_state_dict(state)
    np.testing.assert_array_equal(model[0].weight.numpy(), state["0.weight"].astype(np.float32))


def test_loading_is_not_recorded_and_is_seen_by_the_tape():
    model = chain()
    out = model(mg.ones((1, 3))).sum()
    model.load_state_dict(numbers(chain(seed=1)))
    with pytest.raises(RuntimeError, match="changed in place"):
        out.backward()


WRONG = {
    "0.weight": np.zeros((3, 4), np.float32),
    "0.bias": np.zeros(4, np.int64),
    "1.steps": mg.tensor([1.0, 2.0]),
    "2.weight": [[1.0] * 4] * 2,
    "nothing": mg.zeros(2),
    3: mg.zeros(1),
}
LISTED = """\
load_state_dict: the entries do not fit this Sequential; nothing was loaded.
  missing     2.bias
  unexpected  nothing
  unexpected  3
  unfit       0.weight has shape (4, 3), got (3, 4)
  unfit       0.bias is float32, got int64
  unfit       2.weight expected a minigrad tensor or an ndarray, got list
  unfit       1.steps is int64, got float32
strict=False loads what fits and gives back the rest."""


def test_all_that_is_wrong_is_listed_and_nothing_is_loaded():
    model = chain()
    before = numbers(model)
    with pytest.raises(ValueError) as caught:
        model.load_state_dict(WRONG)
    assert str(caught.value) == LISTED
    same(numbers(model), before)


@pytest.mark.parametrize("name", ["0.weight", "0.bias", "2.weight", "2.bias", "1.steps"])
@pytest.mark.parametrize("fault", ["missing", "shape", "kind"])
def test_one_fault_anywhere_keeps_everything_out(name, fault):
    model, state = chain(), numbers(chain(seed=1))
    state = {n: x + 1 for n, x in state.items()}
    before = numbers(model)
    value = state.pop(name)
    if fault != "missing":
        state[name] = value[..., None] if fault == "shape" else value.astype(bool)
    with pytest.raises(ValueError, match="nothing was loaded"):
        model.load_state_dict(state)
    same(numbers(model), before)


def test_without_strict_what_fits_is_loaded_and_the_rest_is_given_back():
    model = chain()
    before = numbers(model)
    good = np.full((2, 4), 0.5)
    result = model.load_state_dict(WRONG | {"2.weight": good}, strict=False)
    assert result.missing_keys == ["2.bias"]
    assert result.unexpected_keys == ["nothing", 3]
    assert result.unfit == {
        "0.weight": "has shape (4, 3), got (3, 4)",
        "0.bias": "is float32, got int64",
        "1.steps": "is int64, got float32",
    }
    same(numbers(model), before | {"2.weight": good})


@pytest.mark.parametrize("dtype", ["float16", "int32", "complex64", "bool", "uint8", "O"])
def test_kinds_of_numbers_that_are_not_those_of_the_parameter(dtype):
    state = numbers(chain())
    state["0.bias"] = state["0.bias"].astype(dtype)
    named = "object" if dtype == "O" else dtype
    with pytest.raises(ValueError, match=rf"unfit       0\.bias is float32, got {named}\n"):
        chain().load_state_dict(state)


def test_two_entries_of_one_name_are_an_error():
    class Model(nn.Module):
        def __init__(self):
            self.heads = {1: nn.Parameter([1.0]), "1": nn.Parameter([2.0])}

    message = r"state_dict: two tensors are called 'heads\.1': .* Rename one\."
    with pytest.raises(ValueError, match=message):
        Model().state_dict()


def test_no_dict():
    message = r"^load_state_dict: expected a dict of names and tensors, got list\.$"
    with pytest.raises(TypeError, match=message):
        chain().load_state_dict([1, 2])
