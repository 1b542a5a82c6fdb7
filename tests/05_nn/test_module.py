"""5.1: parameters and modules, found wherever a module keeps them."""

import pytest

from minigrad import nn, tensor
from minigrad.course import expect
from minigrad.nn.module import walk

pytestmark = pytest.mark.exercise("5.1")


def parameter(*numbers):
    return nn.Parameter(list(numbers))


def module(**attributes):
    """A module with these attributes, in this order."""
    made = nn.Module()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


def names(pairs):
    return [name for name, _ in pairs]


def check(found, expected, what):
    """The very objects, in this order. By identity: two parameters may hold equal numbers."""
    for (name, got), wanted in zip(found, expected, strict=True):
        expect.that(got is wanted, f"{what}: {name!r} is the object that stands there")


def test_its_own_parameters_by_the_names_of_their_attributes():
    weight, bias = parameter(1.0, 2.0), parameter(3.0)
    found = list(module(weight=weight, bias=bias).named_parameters())
    given = {"attributes": "weight, bias: parameters"}
    expect.equal(names(found), ["weight", "bias"], what="the names", inputs=given)
    check(found, [weight, bias], "named_parameters")


def test_what_else_a_module_has_is_no_parameter():
    whole = module(
        size=3, name="small", scale=tensor([2.0, 3.0]), weight=parameter(1.0), bias=None, rate=0.5
    )
    given = {"attributes": "an int, a str, a tensor, a parameter (weight), None, a float"}
    found = names(whole.named_parameters())
    expect.equal(found, ["weight"], what="the names", inputs=given)
    found = names(walk(whole, "", set(), True))
    expect.equal(found, ["", "weight"], what="the names that walk gives", inputs=given)


def test_modules_inside_modules_have_names_with_dots():
    inner = module(weight=parameter(1.0), bias=parameter(2.0))
    whole = module(first=inner, scale=parameter(3.0), last=module(deep=module(w=parameter(4.0))))
    expected = ["first.weight", "first.bias", "scale", "last.deep.w"]
    given = {"attributes": "first: a module (weight, bias); scale; last: a module (deep: (w))"}
    expect.equal(names(whole.named_parameters()), expected, what="the names", inputs=given)


def test_parameters_and_modules_in_lists_and_tuples():
    whole = module(
        layers=[module(w=parameter(1.0)), module(w=parameter(2.0)), 7],
        pair=(parameter(3.0), parameter(4.0)),
    )
    expected = ["layers.0.w", "layers.1.w", "pair.0", "pair.1"]
    given = {"attributes": "layers: [a module (w), a module (w), 7]; pair: (p, p)"}
    expect.equal(names(whole.named_parameters()), expected, what="the names", inputs=given)


def test_parameters_and_modules_in_dicts_go_by_their_keys():
    whole = module(heads={"left": module(w=parameter(1.0)), "right": parameter(2.0), 5: [9]})
    expected = ["heads.left.w", "heads.right"]
    given = {"attributes": 'heads: {"left": a module (w), "right": p, 5: [9]}'}
    expect.equal(names(whole.named_parameters()), expected, what="the names", inputs=given)


def test_lists_in_lists():
    whole = module(grid=[[parameter(1.0)], [], [3, {"a": (parameter(2.0),)}]])
    found = names(whole.named_parameters())
    given = {"attributes": 'grid: [[p], [], [3, {"a": (p,)}]]'}
    expect.equal(found, ["grid.0.0", "grid.2.1.a.0"], what="the names", inputs=given)


def test_a_shared_parameter_is_found_once():
    table = parameter(1.0, 2.0)
    whole = module(read=module(weight=table), write=module(bias=parameter(3.0), weight=table))
    found = list(whole.named_parameters())
    given = {"attributes": "read: a module (weight); write: a module (bias, the same weight)"}
    expect.equal(names(found), ["read.weight", "write.bias"], what="the names", inputs=given)
    expect.equal(len(list(whole.parameters())), 2, what="the number of parameters", inputs=given)


def test_equal_numbers_do_not_make_two_parameters_one():
    whole = module(a=parameter(1.0), b=parameter(1.0), layers=[parameter(1.0)])
    found = names(whole.named_parameters())
    given = {"attributes": "a, b, layers: [p], three parameters that all hold 1.0"}
    expect.equal(found, ["a", "b", "layers.0"], what="the names", inputs=given)


def test_a_shared_module_is_found_once():
    block = module(w=parameter(1.0))
    whole = module(blocks=[block, block, module(w=parameter(2.0))])
    given = {"attributes": "blocks: [a module (w), the same module, another (w)]"}
    expected = ["blocks.0.w", "blocks.2.w"]
    expect.equal(names(whole.named_parameters()), expected, what="the names", inputs=given)
    expected = ["", "blocks.0", "blocks.2"]
    expect.equal(names(whole.named_modules()), expected, what="the modules", inputs=given)


def test_modules_are_given_too_each_before_what_it_holds():
    inner = module(w=parameter(1.0))
    whole = module(a=parameter(2.0), inner=inner)
    found = list(walk(whole, "", set(), True))
    given = {"attributes": "a: a parameter; inner: a module (w)"}
    expect.equal(
        names(found), ["", "a", "inner", "inner.w"], what="the names that walk gives", inputs=given
    )
    check(found, [whole, whole.a, inner, inner.w], "walk")


def test_the_name_at_the_start_stands_before_all_others():
    found = names(walk(module(w=parameter(1.0), list=[parameter(2.0)]), "model", set(), True))
    expected = ["model", "model.w", "model.list.0"]
    expect.equal(found, expected, what="the names of walk(module, 'model', ...)")


def test_a_circle_ends():
    child, parent = module(w=parameter(1.0)), module(a=parameter(2.0))
    parent.child, child.parent = child, parent
    looped = [parameter(3.0)]
    looped.append(looped)
    parent.looped = looped
    found = names(parent.named_parameters())
    given = {"attributes": "child.parent is the module itself; a list that holds itself"}
    expect.equal(found, ["a", "child.w", "looped.0"], what="the names", inputs=given)


def test_state_dict_names_what_is_shared_twice():
    table = parameter(1.0, 2.0)
    whole = module(read=table, write=[table])
    found = list(whole.state_dict())
    given = {"attributes": "read: a parameter; write: [the same parameter]"}
    expect.equal(found, ["read", "write.0"], what="the names in state_dict", inputs=given)
