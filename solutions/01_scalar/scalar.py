# cut from minigrad/scalar.py
"""Reverse-mode differentiation, one number at a time: the whole idea of this framework in one file.

Each operation makes a new Value and writes down three things: the number, the Values it came from
(its parents), and how steeply it rises with each of them (its slopes). `backward` walks that record
from the end to the beginning and multiplies slopes on the way: that is the chain rule.

Numbers follow one rule. Too large for a float is `inf`, and NaN and inf go through, as in PyTorch.
Where no real number is the answer (1 / 0, the log of -1) PyTorch goes on with inf or NaN; here the
operation that asked for it raises, because the line at fault is the one you want to see.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from numbers import Real
from reprlib import repr as shortened
from typing import TypeAlias

Operand: TypeAlias = "Value | float"
Model: TypeAlias = "Callable[[Sequence[float]], Sequence[Value]]"


class Value:
    """A float that remembers what it was made from.

    data     the number
    grad     d(root)/d(this number), once root.backward() has run
    parents  the Values it was made from; a leaf has none
    slopes   d(this)/d(parent), one float per parent, fixed at the moment the Value is made
    op       the operation, for drawing
    """

    __slots__ = ("data", "grad", "op", "parents", "slopes")
    __array_ufunc__ = None  # so that NumPy leaves np.float64(2) * value to the methods below

    def __init__(
        self,
        data: float,
        parents: "tuple[Value, ...]" = (),
        slopes: tuple[float, ...] = (),
        op: str = "",
    ) -> None:
        self.data = data if type(data) is float else real(data)
        self.grad = 0.0
        self.parents = parents
        self.slopes = slopes
        self.op = op

    def __repr__(self) -> str:
        return f"Value({self.data:.6g}, grad={self.grad:.6g})"

    def __add__(self, other: Operand) -> "Value":
        other = as_value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other: Operand) -> "Value":
        other = as_value(other)
        # <ex 1.1> the product, and its slope along each of the two factors (2 lines)
        slopes = (other.data, self.data)
        return Value(self.data * other.data, (self, other), slopes, "*")
        # </ex 1.1>

    def __sub__(self, other: Operand) -> "Value":
        other = as_value(other)
        return Value(self.data - other.data, (self, other), (1.0, -1.0), "-")

    def __truediv__(self, other: Operand) -> "Value":
        other = as_value(other)
        if other.data == 0.0:
            raise ZeroDivisionError(f"division: {self.data:g} / 0 has no value.")
        out = self.data / other.data
        return Value(out, (self, other), (1.0 / other.data, -out / other.data), "/")

    def __pow__(self, other: Operand) -> "Value":
        other = as_value(other)
        x, p = self.data, other.data
        if x == 0.0 and p < 0.0:
            raise ZeroDivisionError(f"power: 0 ** {p:g} divides by zero.")
        if x < 0.0 and p % 1.0 > 0.0:
            raise ValueError(f"power: {x:g} ** {p:g}: a base below 0 needs a whole exponent.")
        # <ex 1.3> the power, its slope along the base and along the exponent (6 lines)
        out = power(x, p)
        along_base = p * power(x, p - 1.0) if p != 0.0 else 0.0
        along_exponent = math.nan if x != 0.0 else 0.0
        if x > 0.0:
            along_exponent = out * math.log(x)
        return Value(out, (self, other), (along_base, along_exponent), "**")
        # </ex 1.3>

    def __neg__(self) -> "Value":
        return Value(-self.data, (self,), (-1.0,), "neg")

    def __radd__(self, other: Operand) -> "Value":
        return as_value(other) + self

    def __rmul__(self, other: Operand) -> "Value":
        return as_value(other) * self

    def __rsub__(self, other: Operand) -> "Value":
        return as_value(other) - self

    def __rtruediv__(self, other: Operand) -> "Value":
        return as_value(other) / self

    def __rpow__(self, other: Operand) -> "Value":
        return as_value(other) ** self

    def exp(self) -> "Value":
        # <ex 1.4> e to the x, inf where a float cannot hold it, and its slope (5 lines)
        try:
            out = math.exp(self.data)
        except OverflowError:
            out = math.inf
        return Value(out, (self,), (out,), "exp")
        # </ex 1.4>

    def log(self) -> "Value":
        if self.data <= 0.0:
            raise ValueError(f"log: got {self.data:g}, but only numbers above 0 have a logarithm.")
        return Value(math.log(self.data), (self,), (1.0 / self.data,), "log")

    def tanh(self) -> "Value":
        out = math.tanh(self.data)
        return Value(out, (self,), (1.0 - out * out,), "tanh")

    def relu(self) -> "Value":
        out, slope = (0.0, 0.0) if self.data <= 0.0 else (self.data, 1.0)  # NaN goes through
        return Value(out, (self,), (slope,), "relu")

    def sigmoid(self) -> "Value":
        """1 / (1 + exp(-x)), for x of any size."""
        # <ex 1.6> without overflow: exp sees no number above zero (3 lines)
        tail = math.exp(-abs(self.data))
        out = 1.0 / (1.0 + tail) if self.data > 0.0 else tail / (1.0 + tail)
        return Value(out, (self,), (out * (1.0 - out),), "sigmoid")
        # </ex 1.6>

    def send_back(self) -> None:
        """Add this node's part to the gradient of each parent."""
        # <ex 1.2> slope times own gradient, added to what has already arrived (2 lines)
        for parent, slope in zip(self.parents, self.slopes, strict=True):
            parent.grad += slope * self.grad
        # </ex 1.2>

    def order(self) -> "list[Value]":
        """Every node this one was made from, once each, parents before children, itself last."""
        # <ex 1.5> without recursion, each node once and after its parents (12 lines)
        done: list[Value] = []
        seen: set[Value] = set()
        stack = [(self, False)]
        while stack:
            node, parents_done = stack.pop()
            if parents_done:
                done.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((parent, False) for parent in node.parents)
        return done
        # </ex 1.5>

    def backward(self) -> None:
        """Put d(self)/d(node) into the grad of every node that self was made from.

        Leaves add up over calls, as in PyTorch, until someone sets them to zero. Nodes in between
        start from zero at every call: what they have passed on once is never passed on again.
        """
        order = self.order()
        for node in order:
            if node.parents:
                node.grad = 0.0
        self.grad += 1.0
        for node in reversed(order):
            node.send_back()


def real(x: object) -> float:
    """x as a float, if it is a real number of any kind (NumPy's too)."""
    if isinstance(x, bool) or not isinstance(x, Real):
        raise TypeError(f"Value: expected a real number, got {shortened(x)} ({type(x).__name__}).")
    return float(x)


def as_value(x: Operand) -> Value:
    """x itself if it is a Value, else a new leaf that holds the number x."""
    return x if isinstance(x, Value) else Value(x)


def power(x: float, p: float) -> float:
    """x ** p, with inf where Python raises: a result too large, or 0 to a power below 0."""
    if x == 0.0 and p < 0.0:
        return math.inf
    try:
        return math.pow(x, p)
    except OverflowError:
        return -math.inf if x < 0.0 and p % 2.0 == 1.0 else math.inf


class Neuron:
    """tanh(w . x + b), or w . x + b alone. Weights start within 1/sqrt(inputs) of zero."""

    def __init__(self, inputs: int, rng: random.Random, squash: bool = True) -> None:
        reach = 1.0 / math.sqrt(inputs)
        self.weights = [Value(rng.uniform(-reach, reach)) for _ in range(inputs)]
        self.bias = Value(0.0)
        self.squash = squash

    def __call__(self, row: Sequence[Operand]) -> Value:
        total = self.bias
        for weight, x in zip(self.weights, row, strict=True):
            total = total + weight * x
        return total.tanh() if self.squash else total

    def parameters(self) -> list[Value]:
        return [*self.weights, self.bias]


class Layer:
    """Several neurons that look at the same row."""

    def __init__(self, inputs: int, outputs: int, rng: random.Random, squash: bool = True) -> None:
        self.neurons = [Neuron(inputs, rng, squash) for _ in range(outputs)]

    def __call__(self, row: Sequence[Operand]) -> list[Value]:
        return [neuron(row) for neuron in self.neurons]

    def parameters(self) -> list[Value]:
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    """Layers in a row; sizes=(4, 8, 3) takes 4 numbers to 8 neurons with tanh to 3 scores."""

    def __init__(self, sizes: Sequence[int], seed: int = 0) -> None:
        if len(sizes) < 2 or min(sizes) < 1:
            raise ValueError(f"MLP: sizes must be two or more numbers above 0, got {sizes}.")
        rng = random.Random(seed)
        self.sizes = tuple(sizes)
        pairs = list(pairwise(sizes))
        self.layers = [Layer(*pair, rng) for pair in pairs[:-1]]
        self.layers.append(Layer(*pairs[-1], rng, squash=False))

    def __call__(self, row: Sequence[Operand]) -> list[Value]:
        if len(row) != self.sizes[0]:
            raise ValueError(f"MLP: expected a row of {self.sizes[0]} numbers, got {len(row)}.")
        out = [as_value(x) for x in row]
        for layer in self.layers:
            out = layer(out)
        return out

    def parameters(self) -> list[Value]:
        return [p for layer in self.layers for p in layer.parameters()]


def cross_entropy(scores: Sequence[Value], label: int) -> Value:
    """-log(softmax(scores)[label]). Taking off the largest score keeps exp from overflowing."""
    if not 0 <= label < len(scores):
        raise IndexError(f"cross_entropy: label {label}, but there are {len(scores)} scores.")
    top = max(score.data for score in scores)
    total = sum(((score - top).exp() for score in scores), Value(0.0))
    return total.log() - (scores[label] - top)


class SGD:
    """Stochastic gradient descent: each step takes rate * grad off every parameter."""

    def __init__(self, parameters: Iterable[Value], rate: float) -> None:
        if not rate > 0.0:
            raise ValueError(f"SGD: the rate must be above 0, got {rate}.")
        self.parameters = list(parameters)
        self.rate = rate

    def zero_grad(self) -> None:
        for p in self.parameters:
            p.grad = 0.0

    def step(self) -> None:
        for p in self.parameters:
            p.data -= self.rate * p.grad


def train_step(
    model: Model, optimiser: SGD, rows: Sequence[Sequence[float]], labels: Sequence[int]
) -> float:
    """One step downhill on the mean cross-entropy of a batch; gives the loss before the step."""
    # <ex 1.7> the mean loss, its gradients alone, one step (6 lines)
    losses = [cross_entropy(model(row), label) for row, label in zip(rows, labels, strict=True)]
    loss = sum(losses, Value(0.0)) / len(losses)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.data
    # </ex 1.7>
