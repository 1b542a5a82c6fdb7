"""What a module does with all that it consists of. How it is found: tests/05_nn/test_module.py."""

import copy

import numpy as np
import pytest

import minigrad as mg
from minigrad import Generator, nn, optim


def linear(inputs=3, outputs=2, seed=0, **options):
    return nn.Linear(inputs, outputs, generator=Generator(seed=seed), **options)


class Branching(nn.Module):
    """Children as an attribute, in a list, a tuple and a dict, a shared one, and two buffers."""

    def __init__(self):
        self.first = linear(3, 2)
        self.rows = [linear(2, 2, seed=1), (linear(2, 4, seed=2), self.first)]
        self.named = {"a": nn.Sequential(nn.Tanh(), linear(4, 1, seed=3))}
        self.register_buffer("steps", mg.tensor(7))
        self.register_buffer("scratch", mg.tensor([1.5, 2.5]), persistent=False)


def names(pairs):
    return [name for name, _ in pairs]


def test_children_are_those_directly_inside_each_once():
    model = Branching()
    assert names(model.named_children()) == ["first", "rows.0", "rows.1.0", "named.a"]
    assert [type(m).__name__ for m in model.children()] == ["Linear"] * 3 + ["Sequential"]
    assert names(model.named["a"].named_children()) == ["0", "1"]
    assert list(linear().children()) == []


def test_a_child_that_is_met_deeper_first_is_still_a_child():
    class Model(nn.Module):
        def __init__(self):
            inner = nn.Tanh()
            self.chain, self.inner = nn.Sequential(inner), inner

    assert names(Model().named_children()) == ["chain", "inner"]
    assert names(Model().named_modules()) == ["", "chain", "chain.0"]


def test_names_one_of_which_opens_another():
    class Model(nn.Module):
        def __init__(self):
            self.block, self.block2 = nn.Tanh(), nn.ReLU()
            self.many = [nn.Tanh() for _ in range(11)]

    assert names(Model().named_children()) == ["block", "block2", *(f"many.{k}" for k in range(11))]


def test_buffers_and_what_belongs_to_the_state():
    model = nn.Sequential(Branching(), nn.Tanh())
    assert names(model.named_buffers()) == ["0.steps", "0.scratch"]
    assert [b.tolist() for b in model.buffers()] == [7, [1.5, 2.5]]
    assert "0.steps" in model.state_dict() and "0.scratch" not in model.state_dict()
    assert names(model.named_parameters()).count("0.steps") == 0


def test_a_shared_buffer_comes_once():
    model, mean = Branching(), mg.zeros(2)
    for child in (model.first, model.rows[0]):
        child.register_buffer("mean", mean)
    assert names(model.named_buffers()).count("first.mean") == 1
    assert "rows.0.mean" not in names(model.named_buffers())
    assert {"first.mean", "rows.0.mean"} <= model.state_dict().keys()


def test_a_buffer_may_be_none_may_come_later_and_may_go():
    model = nn.Module()
    model.register_buffer("mean", None)
    assert list(model.named_buffers()) == [] and model.mean is None
    model.mean = mg.tensor([2.0, 3.0])
    assert names(model.named_buffers()) == ["mean"]
    model.register_buffer("mean", mg.tensor([4.0]), persistent=False)
    assert model.mean.tolist() == [4.0] and model.state_dict() == {}
    del model.mean
    assert list(model.named_buffers()) == []


def test_a_parameter_in_the_place_of_a_buffer_is_a_parameter():
    model = nn.Module()
    model.register_buffer("scale", mg.ones(2))
    model.scale = nn.Parameter([2.0, 3.0])
    assert names(model.named_buffers()) == [] and names(model.named_parameters()) == ["scale"]
    assert list(model.state_dict()) == ["scale"]


def test_no_call_of_super_is_needed_and_none_is_wrong():
    class With(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter([1.0])

    class Without(nn.Module):
        def __init__(self):
            self.w = nn.Parameter([1.0])

    for kind in (With, Without):
        model = kind()
        assert names(model.named_parameters()) == ["w"] and model.training
        assert not model.eval().training and kind().training


def test_train_and_eval_reach_everything_inside():
    model = Branching()
    assert all(m.training for m in model.modules())
    assert model.eval() is model and not any(m.training for m in model.modules())
    model.rows[0].train()
    assert [m.training for m in model.modules()].count(True) == 1
    assert model.train() is model and all(m.training for m in model.modules())


def test_apply_calls_each_module_once_and_the_whole_last():
    model, met = Branching(), []
    assert model.apply(met.append) is model
    assert len(met) == 7 and met[-1] is model
    assert {id(m) for m in met} == {id(m) for m in model.modules()}


def test_apply_may_change_the_modules():
    model = Branching()

    def add(m):
        m.note = 1

    model.apply(add)
    assert all(m.note == 1 for m in model.modules())


def test_gradients_are_forgotten_and_parameters_frozen():
    model = nn.Sequential(linear(), nn.Tanh(), linear(2, 4))
    model(mg.ones((5, 3))).sum().backward()
    assert all(p.grad is not None for p in model.parameters())
    model.zero_grad()
    assert all(p.grad is None for p in model.parameters())
    assert model[0].requires_grad_(False) is model[0]
    model(mg.ones((5, 3))).sum().backward()
    assert [p.grad is None for p in model.parameters()] == [True, True, False, False]
    assert len(list(model.parameters())) == 4


def test_a_parameter_has_memory_of_its_own():
    given = mg.tensor([1.0, 2.0])
    p = nn.Parameter(given)
    given[0] = 5.0
    assert p.tolist() == [1.0, 2.0]
    assert p.requires_grad and p.is_parameter and p.is_leaf and not given.requires_grad
    frozen = nn.Parameter(np.array([1.0, 2.0]), requires_grad=False)
    assert frozen.is_parameter and not frozen.requires_grad and frozen.dtype == mg.float64


def test_a_parameter_of_a_computed_tensor_starts_anew():
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    p = nn.Parameter(x * 3.0)
    assert p.is_leaf and p.tolist() == [3.0, 6.0]
    p.sum().backward()
    assert x.grad is None


def test_in_place_assignment_to_a_parameter():
    model = linear()
    weight, before = model.weight, model.weight.numpy().copy()
    with mg.no_grad():
        model.weight *= 2.0
    assert model.weight is weight
    np.testing.assert_array_equal(model.weight.numpy(), before * 2.0)


def test_a_new_parameter_takes_the_place_of_the_old_and_none_takes_it_away():
    model = linear()
    model.weight = nn.Parameter([[1.0, 2.0, 3.0]])
    model.bias = None
    assert [p.shape for p in model.parameters()] == [(1, 3)]
    assert model(mg.tensor([1.0, 10.0, 100.0])).tolist() == [321.0]


def test_a_copy_is_whole_and_apart():
    model = Branching()
    other = copy.deepcopy(model)
    assert names(other.named_parameters()) == names(model.named_parameters())
    assert list(other.state_dict()) == list(model.state_dict())
    assert other.rows[1][1] is other.first
    with mg.no_grad():
        other.first.weight.add_(1.0)
    other.steps[...] = 9
    moved = other.first.weight.numpy() - model.first.weight.numpy()
    np.testing.assert_allclose(moved, 1.0, rtol=0, atol=1e-6)
    assert model.steps.item() == 7


def test_to_moves_the_very_same_tensors():
    model = nn.Sequential(linear(), Branching())
    before = [*model.parameters(), *model.buffers()]
    numbers = [x.numpy().copy() for x in before]
    model[0](mg.ones((4, 3))).sum().backward()
    assert model.to("numpy", dtype="float64") is model
    after = [*model.parameters(), *model.buffers()]
    assert all(a is b for a, b in zip(after, before, strict=True))
    dtypes = {str(x.dtype) for x in model.parameters()}
    assert dtypes == {"float64"} and [str(b.dtype) for b in model.buffers()] == ["int64", "float64"]
    assert (
        model[0].weight.grad.dtype == mg.float64
        and model[0].weight.grad.tolist() == [[4.0] * 3] * 2
    )
    for x, old in zip(after, numbers, strict=True):
        np.testing.assert_array_equal(x.numpy(), old)  # a float32 is a float64 exactly


def test_an_optimiser_that_was_there_before_still_moves_the_model():
    model = linear()
    optimiser = optim.SGD(model.parameters(), lr=0.5)
    model.to(dtype=mg.float64)
    before = model.weight.numpy().copy()
    model(mg.tensor([[1.0, 2.0, 4.0]], dtype=mg.float64)).sum().backward()
    optimiser.step()
    expected = before - 0.5 * np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(model.weight.numpy(), expected, rtol=1e-15, atol=1e-15)


def test_the_memory_left_behind_is_no_leaf_and_the_new_one_is():
    model = linear()
    old = model.state_dict()["weight"]
    model.to(dtype="float64")
    old[0] = 3.0  # nobody needs it any more
    with pytest.raises(RuntimeError, match="the memory of a leaf"):
        model.weight.add_(1.0)


def test_what_cannot_be_moved_stays_as_it_was():
    model = linear()
    for options in ({"dtype": "int64"}, {"device": "cuda"}, {"dtype": "float16"}):
        with pytest.raises((TypeError, ValueError)):
            model.to(**options)
    assert {str(p.dtype) for p in model.parameters()} == {"float32"}
    x = mg.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"to_: an op made this tensor"):
        (x * 2.0).to_(dtype="float64")
    with pytest.raises(
        TypeError, match=r"to_: a leaf that requires a gradient is floats, not int64"
    ):
        x.to_(dtype="int64")
    assert x.dtype == mg.float32
