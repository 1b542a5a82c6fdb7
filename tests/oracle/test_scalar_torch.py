"""Value against PyTorch in float64, over expressions that hypothesis draws.

An expression is a list of steps; each step applies an operation to earlier results, so nodes are
shared as often as the draw likes. Values and the gradients of all leaves are compared. Where the
two differ on purpose (an operation without a real answer raises here and gives inf or NaN there),
the test says so.
"""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad.scalar import MLP, SGD, Value, cross_entropy, train_step

EPS = torch.finfo(torch.float64).eps
UNARY = ["neg", "exp", "log", "tanh", "relu", "sigmoid"]
BINARY = ["+", "-", "*", "/", "**"]

small = st.floats(-4.0, 4.0).filter(lambda x: x == 0.0 or abs(x) > 1e-3)
extreme = st.sampled_from(
    [0.0, 1.0, -1.0, 1000.0, -1000.0, 1e-300, 1e300, -1e300, math.inf, -math.inf, math.nan]
)
plain = st.sampled_from([2, -1, 0.5, 3.0])


def steps(count):
    """(operation, where its operands stand, a number in place of one of them, on which side)"""
    position = st.integers(0, 10_000)
    unary = st.tuples(st.sampled_from(UNARY), position, position, st.none(), st.booleans())
    number = st.one_of(st.none(), plain)
    binary = st.tuples(st.sampled_from(BINARY), position, position, number, st.booleans())
    return st.lists(st.one_of(unary, binary), min_size=1, max_size=count)


def apply(operation, x, y):
    match operation:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "/":
            return x / y
        case "**":
            return x**y
        case "neg":
            return -x
        case _:
            return getattr(x, operation)()


def run(leaves, drawn):
    """All results of the steps, in order, on Values or on tensors."""
    nodes = list(leaves)
    for operation, i, j, number, left in drawn:
        x, y = nodes[i % len(nodes)], nodes[j % len(nodes)]
        if number is not None:
            x, y = (number, y) if left else (x, number)
        nodes.append(apply(operation, x, y))
    return nodes


def tensors(numbers):
    return [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in numbers]


def agree(got, want, scale, tol):
    if math.isnan(want) or math.isinf(want):
        return got == want or (math.isnan(got) and math.isnan(want))
    return abs(got - want) <= tol * max(abs(want), scale)


def largest(nodes):
    """The size that roundings are measured by: the largest number on the way, at least 1."""
    return max([1.0, *(abs(n.item()) for n in nodes if torch.isfinite(n))])


@settings(max_examples=400, deadline=None)
@given(numbers=st.lists(small, min_size=1, max_size=4), drawn=steps(8))
def test_values_and_gradients_of_drawn_expressions(numbers, drawn):
    theirs_leaves = tensors(numbers)
    theirs = run(theirs_leaves, drawn)
    for node in theirs[len(numbers) :]:
        node.retain_grad()
    theirs[-1].backward()
    ours_leaves = [Value(x) for x in numbers]
    try:
        ours = run(ours_leaves, drawn)
    except (ValueError, ZeroDivisionError):
        # Only where PyTorch, too, had to leave the real numbers.
        assert not all(torch.isfinite(node) for node in theirs)
        return
    ours[-1].backward()
    relus = [n for step, n in zip(drawn, theirs[len(numbers) :], strict=True) if step[0] == "relu"]
    if any(n.grad is not None and not torch.isfinite(n.grad) for n in relus):
        return  # PyTorch's closed relu stops inf and NaN on the way back; here 0 * inf is NaN
    # A step multiplies the relative error by its condition; 1e6 is as bad as a draw may be here.
    size = largest(theirs) * largest([n.grad for n in theirs if n.grad is not None])
    if size > 1e6:
        return
    for mine, other in zip(ours, theirs, strict=True):
        assert agree(mine.data, other.item(), size, 64 * EPS), (mine.data, other.item())
    for mine, other in zip(ours_leaves, theirs_leaves, strict=True):
        want = 0.0 if other.grad is None else other.grad.item()
        assert agree(mine.grad, want, size, 256 * EPS), (mine.grad, want)


@settings(max_examples=400, deadline=None)
@given(
    operation=st.sampled_from(UNARY + BINARY),
    x=st.one_of(extreme, small),
    y=st.one_of(extreme, small),
)
def test_one_operation_at_any_size(operation, x, y):
    theirs_leaves = tensors([x, y])
    theirs = apply(operation, *theirs_leaves)
    theirs.backward()
    ours_leaves = [Value(x), Value(y)]
    if (operation == "log" and x <= 0) or (operation == "/" and y == 0):
        refused = ValueError if operation == "log" else ZeroDivisionError
        with pytest.raises(refused):
            apply(operation, *ours_leaves)
        return
    if operation == "**" and ((x < 0 and y % 1 > 0) or (x == 0 and y < 0)):
        with pytest.raises((ValueError, ZeroDivisionError)):
            apply(operation, *ours_leaves)
        return
    ours = apply(operation, *ours_leaves)
    ours.backward()
    assert agree(ours.data, theirs.item(), 0.0, 4 * EPS)
    if operation == "**" and x == 0 and math.isnan(y):
        return  # the value is NaN on both sides; along a NaN exponent we say 0, PyTorch NaN
    # 1 - tanh ** 2 and s * (1 - s) are differences: their error counts against 1.
    scale = 1.0 if operation in ("tanh", "sigmoid") else 0.0
    for mine, other in zip(ours_leaves, theirs_leaves, strict=True):
        want = 0.0 if other.grad is None else other.grad.item()
        assert agree(mine.grad, want, scale, 8 * EPS), (mine.grad, want)


@given(numbers=st.lists(small, min_size=1, max_size=3), drawn=steps(5))
def test_two_backward_calls_add_up_in_leaves_only(numbers, drawn):
    drawn = [s for s in drawn if s[0] in ("+", "-", "*", "tanh", "sigmoid")]
    theirs_leaves = tensors(numbers)
    theirs = run(theirs_leaves, drawn)[-1]
    ours_leaves = [Value(x) for x in numbers]
    ours = run(ours_leaves, drawn)[-1]
    for _ in range(3):
        theirs.backward(retain_graph=True)
        ours.backward()
    size = largest([theirs, *(t.grad for t in theirs_leaves if t.grad is not None)])
    for mine, other in zip(ours_leaves, theirs_leaves, strict=True):
        want = 0.0 if other.grad is None else other.grad.item()
        assert agree(mine.grad, want, size, 64 * EPS), (mine.grad, want)


@given(
    scores=st.lists(st.one_of(small, st.sampled_from([1000.0, -1000.0])), min_size=1, max_size=5),
    label=st.integers(0, 4),
)
def test_cross_entropy(scores, label):
    label %= len(scores)
    theirs = tensors(scores)
    loss = torch.nn.functional.cross_entropy(torch.stack(theirs)[None], torch.tensor([label]))
    loss.backward()
    ours = [Value(s) for s in scores]
    mine = cross_entropy(ours, label)
    mine.backward()
    assert agree(mine.data, loss.item(), max(map(abs, scores)), 8 * EPS)
    for value, tensor in zip(ours, theirs, strict=True):
        assert agree(value.grad, tensor.grad.item(), 1.0, 8 * EPS)


def test_thirty_training_steps():
    ours = MLP((3, 5, 4), seed=2)
    linear = [torch.nn.Linear(3, 5), torch.nn.Linear(5, 4)]
    theirs = torch.nn.Sequential(linear[0], torch.nn.Tanh(), linear[1]).double()
    with torch.no_grad():
        for layer, module in zip(ours.layers, linear, strict=True):
            rows = [[w.data for w in neuron.weights] for neuron in layer.neurons]
            module.weight.copy_(torch.tensor(rows, dtype=torch.float64))
            module.bias.copy_(torch.tensor([n.bias.data for n in layer.neurons]))
    draw = torch.Generator().manual_seed(5)
    rows = torch.randn(12, 3, generator=draw, dtype=torch.float64)
    labels = torch.randint(0, 4, (12,), generator=draw)
    optimiser = torch.optim.SGD(theirs.parameters(), 0.3)
    mine = SGD(ours.parameters(), 0.3)
    for _ in range(30):
        loss = torch.nn.functional.cross_entropy(theirs(rows), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        got = train_step(ours, mine, rows.tolist(), labels.tolist())
        assert agree(got, loss.item(), 1.0, 1e4 * EPS)
    got = [w.data for layer in ours.layers for n in layer.neurons for w in n.weights]
    want = torch.cat([m.weight.flatten() for m in linear]).tolist()
    assert all(agree(g, w, 1.0, 1e4 * EPS) for g, w in zip(got, want, strict=True))
