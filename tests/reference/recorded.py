"""The smallest tape that fills the ops' slots, so that compositions of ops can be compared too."""

from contextlib import contextmanager
from unittest import mock

from minigrad.reference.array import Array
from minigrad.reference.op import Tape


class Recorded(Array):
    """An Array that remembers what it was made from."""

    __slots__ = ("parents", "pull")

    @classmethod
    def of(cls, array, parents=(), pull=None):
        new = cls.__new__(cls)
        for name in ("buffer", "shape", "strides", "offset"):
            setattr(new, name, getattr(array, name))
        new.parents, new.pull = parents, pull
        return new


def plain(x):
    """The Array alone."""
    return x.view_of(x.shape, x.strides, x.offset) if isinstance(x, Recorded) else x


@contextmanager
def recording():
    """Inside, an op with a Recorded input gives a Recorded result."""
    slots = {
        "knows": staticmethod(lambda x: isinstance(x, Recorded)),
        "array": staticmethod(plain),
        "record": staticmethod(Recorded.of),
    }
    with mock.patch.multiple(Tape, create=True, **slots):
        yield


def gradients(outs, cotangents, leaves):
    """What the cotangents of the results give each leaf: an Array, or None for no path."""
    order, seen, stack = [], set(), [(o, False) for o in outs if isinstance(o, Recorded)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack += [(p, False) for p in node.parents if isinstance(p, Recorded)]
    found = {}

    def arrived(node, g):
        if g is not None and isinstance(node, Recorded):
            found[id(node)] = found[id(node)] + g if id(node) in found else g

    for out, g in zip(outs, cotangents, strict=True):
        arrived(out, g)
    for node in reversed(order):
        if node.pull is not None and id(node) in found:
            for parent, g in zip(node.parents, node.pull(found[id(node)], node), strict=True):
                arrived(parent, g)
    return [found.get(id(leaf)) for leaf in leaves]
