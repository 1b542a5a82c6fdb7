"""Every kind of bad input: one error, of the class that NumPy's users expect, in words that help.

Each case: the call, the class, and what its message says.
"""

import numpy as np
import pytest

import minigrad as mg
from minigrad.gradcheck import gradcheck
from minigrad.reference import engine

SUPPORTED = "is not supported; use one of bool, int64, float32, float64."


def x(*shape, dtype="float32"):
    return mg.zeros(shape, dtype)


CASES = {
    # what becomes an array
    "ragged": (lambda: mg.tensor([[1, 2], [3]]), ValueError,
        "asarray: the list is ragged: its rows differ in length."),
    "a list in a list of numbers": (lambda: mg.asarray([[1], 2]), ValueError, "is ragged"),
    "arrays of two lengths": (lambda: mg.asarray([x(2), x(3)]), ValueError, "is ragged"),
    "text": (lambda: mg.asarray("abc"), TypeError,
        "asarray: expected numbers or arrays, got str."),
    "text in a list": (lambda: mg.asarray([[1, 2], ["b", 3]]), TypeError,
        "asarray: expected real numbers, got str in the list."),
    "None": (lambda: mg.asarray(None), TypeError, "got NoneType."),
    "None in a list": (lambda: mg.asarray([1, None]), TypeError, "got NoneType in the list."),
    "a dict": (lambda: mg.asarray({1: 2}), TypeError, "got dict."),
    "complex": (lambda: mg.asarray([1.0, 1j]), TypeError, "got complex in the list."),
    "an array of objects": (lambda: mg.asarray(np.array([object()])), TypeError,
        f"dtype: object {SUPPORTED}"),
    "an array of text": (lambda: mg.asarray(np.array(["a"])), TypeError, SUPPORTED),
    "half precision": (lambda: mg.asarray(np.zeros(2, np.float16)), TypeError,
        f"dtype: float16 {SUPPORTED}"),
    "bytes": (lambda: mg.asarray(np.zeros(2, np.uint8)), TypeError, f"dtype: uint8 {SUPPORTED}"),
    "short ints": (lambda: mg.asarray(np.zeros(2, np.int32)), TypeError,
        f"dtype: int32 {SUPPORTED}"),
    "dates": (lambda: mg.asarray(np.zeros(2, "M8[s]")), TypeError, SUPPORTED),
    "a foreign dtype": (lambda: mg.zeros(2, dtype="int8"), TypeError, f"dtype: int8 {SUPPORTED}"),
    "astype to a foreign dtype": (lambda: x(2).astype("complex64"), TypeError, SUPPORTED),
    "a huge int": (lambda: mg.asarray([2**63]), OverflowError,
        "9223372036854775808 does not fit into int64."),
    "another device": (lambda: mg.zeros(2, device="cuda"), ValueError,
        "device 'cuda' comes with chapter"),
    "no device": (lambda: x(2).to("gpu"), ValueError,
        "to: there is no device 'gpu'; there is 'numpy'."),
    "full of several": (lambda: mg.full((2,), [1, 2]), ValueError, "full: expected one number"),
    "nothing to import": (lambda: mg.from_dlpack(3), TypeError, "int has no __dlpack__"),
    "steps of 0": (lambda: mg.arange(0, 5, 0), ValueError, "arange: step must not be 0."),
    "counting to infinity": (lambda: mg.arange(float("inf")), ValueError, "no finite number"),
    # shapes
    "a size below 0": (lambda: x(2, -1), ValueError, "shape (2, -1) has a size below 0."),
    "a size that is no int": (lambda: x(2, 1.5), TypeError,
        "a shape is an int or a tuple of ints, got (2, 1.5)."),
    "more than an address counts": (lambda: x(2**40, 2**40), ValueError,
        "has more elements than a 64-bit address can count."),
    "more bytes than an address counts": (lambda: x(2**62), ValueError, "64-bit address"),
    "more than there is room for": (lambda: x(2**45), MemoryError, "131,072.0 GiB"),
    "no broadcast": (lambda: x(3) + x(4), ValueError,
        "add: shapes (3,) and (4,) cannot be broadcast: axis -1 is 3 and 4."),
    "no broadcast in front": (lambda: mg.maximum(x(2, 3), x(4, 3)), ValueError,
        "maximum: shapes (2, 3) and (4, 3) cannot be broadcast: axis -2 is 2 and 4."),
    "no broadcast in where": (lambda: mg.where(x(2) > 0, x(3), 1.0), ValueError, "where: shapes"),
    "no broadcast in mse": (lambda: mg.mse(x(2), x(3)), ValueError, "mse: shapes (2,) and (3,)"),
    "no expand": (lambda: x(2, 3).expand(4, 3), ValueError,
        "expand: shape (2, 3) cannot be expanded to (4, 3): axis -2 has size 2"),
    "expand to fewer axes": (lambda: x(2, 3).expand(3), ValueError, "more axes than (3,)."),
    "sum_to a stranger": (lambda: mg.sum_to(x(2, 3), (2,)), ValueError, "sum_to: shape (2,)"),
    "inner sizes": (lambda: x(64, 784) @ x(512, 10), ValueError,
        "matmul: inner sizes differ: (64, 784) @ (512, 10). The left's last axis (784) must equal "
        "the right's second-last (512)."),
    "inner sizes, 1-D": (lambda: x(3) @ x(4), ValueError, "(3) must equal the right's only axis"),
    "a number in a matrix product": (lambda: x(2, 3) @ x(), ValueError,
        "matmul: a 0-d array is no matrix: (2, 3) @ (); multiply with *."),
    "batches": (lambda: x(2, 3, 4) @ x(3, 4, 5), ValueError, "matmul: shapes (2,) and (3,)"),
    "two open sizes": (lambda: x(2, 3).reshape(-1, -1), ValueError,
        "reshape: (-1, -1) has more than one -1"),
    "another number of elements": (lambda: x(2, 3).reshape(4), ValueError,
        "reshape: shape (2, 3) has 6 elements, but (4,) has 4."),
    "an open size that does not fit": (lambda: x(2, 3).reshape(-1, 4), ValueError,
        "reshape: 6 elements of shape (2, 3) cannot fill (-1, 4)"),
    "an open size beside 0": (lambda: x(0, 3).reshape(-1, 0), ValueError, "no size for -1"),
    "-2": (lambda: x(2, 3).reshape(-2, 3), ValueError, "has a size below 0."),
    "squeeze": (lambda: x(2, 3).squeeze(0), ValueError, "squeeze: axis 0 has size 2, not 1."),
    "no matrix": (lambda: x(3).mT, ValueError, "needs two axes or more, got shape (3,)."),
    "cat of two shapes": (lambda: mg.cat([x(2, 3), x(3, 2)]), ValueError,
        "cat: shapes (2, 3) and (3, 2) may differ in axis 0 alone."),
    "stack of two shapes": (lambda: mg.stack([x(2), x(3)]), ValueError, "stack: shapes (2,)"),
    "split in parts of 0": (lambda: mg.split(x(4), 0), ValueError, "size 1 or more, got 0."),
    "split that does not add up": (lambda: mg.split(x(4), [1, 2]), ValueError,
        "split: sizes (1, 2) do not add up to axis 0 of (4,)."),
    "pad below 0": (lambda: mg.pad(x(2), -1), ValueError, "pad: width -1 for 1 axes"),
    "tile below 0": (lambda: mg.tile(x(2), -1), ValueError, "0 or more, got (-1,)."),
    "roll": (lambda: mg.roll(x(2, 3), (1, 2), 0), ValueError, "roll: 2 shifts for 1 axes."),
    # axes
    "axis": (lambda: x(2, 3).sum(axis=2), IndexError,
        "sum: axis 2 is out of range for an array with 2 axes."),
    "axis below": (lambda: mg.softmax(x(2), axis=-2), ValueError, "softmax: axis -2 is out of"),
    "axis of none": (lambda: mg.max(x(), axis=0), IndexError, "with 0 axes."),
    "axis twice": (lambda: x(2, 3).sum(axis=(0, 0)), ValueError, "sum: axis 0 is given twice."),
    "axis twice, once from behind": (lambda: mg.var(x(2, 3), axis=(1, -1)), ValueError,
        "var: axis 1 is given twice."),
    "axis of a fraction": (lambda: x(2).sum(axis=0.5), TypeError, "sum: an axis is an int"),
    "two axes for one": (lambda: mg.argmax(x(2, 3), axis=(0, 1)), TypeError,
        "argmax: axis is one int or None, got (0, 1)."),
    "an axis left out": (lambda: x(2, 3).permute_dims(0), ValueError,
        "permute_dims: 2 axes, but 1 are named: (0,)."),
    "an axis named twice": (lambda: x(2, 3).permute_dims(0, 0), ValueError, "0 is given twice."),
    # indices
    "index": (lambda: x(2, 3)[0, 3], IndexError,
        "index: 3 is out of range for axis 1 with size 3."),
    "index below": (lambda: x(2, 3)[-3], IndexError, "-3 is out of range for axis 0 with size 2."),
    "too many": (lambda: x(2, 3)[0, 0, 0], IndexError,
        "index: 3 axes are indexed, but shape (2, 3) has 2."),
    "index array": (lambda: x(2, 3)[:, [[0, 1], [3, 0]]], IndexError,
        "index: 3 at position (1, 0) is out of range for axis 1 with size 3."),
    "a fraction": (lambda: x(2)[1.0], IndexError, "got float 1.0."),
    "an array of fractions": (lambda: x(2)[[0.5]], IndexError, "got list of float64."),
    "a mask of another shape": (lambda: x(2, 3)[np.ones(3, bool)], IndexError,
        "index: a mask of shape (3,) stands where the array has shape (2,)"),
    "index arrays": (lambda: x(2, 3)[[0, 1], [0, 1, 2]], IndexError, "cannot be broadcast."),
    "dots twice": (lambda: x(2, 3)[..., ...], IndexError, "'...' can stand only once."),
    "a slice that stays": (lambda: x(2)[::0], ValueError, "the slice of axis 0 has step 0."),
    "writing outside": (lambda: x(3).__setitem__(5, 1.0), IndexError, "5 is out of range"),
    "writing what does not fit": (lambda: x(2, 3).__setitem__(0, x(2)), ValueError, "setitem: "),
    "take": (lambda: mg.take(x(65, 4), [[1, 2], [3, 70]]), IndexError,
        "take: index 70 at position (1, 1), but axis 0 has size 65."),
    "take at fractions": (lambda: mg.take(x(3), [1.5]), TypeError,
        "take: indices must be int64, got float32."),
    "gather": (lambda: mg.gather(x(2, 3), [[0, 3]], axis=1), IndexError,
        "gather: index 3 at position (0, 1), but axis 1 has size 3."),
    "gather, fewer axes": (lambda: mg.gather(x(2, 3), [0], axis=1), ValueError, "as many axes"),
    "scatter_add": (lambda: mg.scatter_add(x(2, 3), [[0], [5]], x(2, 1), 1), IndexError,
        "scatter_add: index 5 at position (1, 0), but axis 1 has size 3."),
    "scatter_add of others": (lambda: mg.scatter_add(x(2, 3), [[0], [1]], x(2, 2), 1), ValueError,
        "scatter_add: (2, 2) values for (2, 1) indices"),
    "class": (lambda: mg.cross_entropy(x(2, 3), [0, 3]), IndexError,
        "cross_entropy: index 3 at position (1,), but there are 3 classes."),
    "class below 0": (lambda: mg.cross_entropy(x(2, 3), [0, -1]), IndexError, "index -1 at"),
    "one target too few": (lambda: mg.cross_entropy(x(2, 3), [0]), ValueError,
        "need one target for each row, shape (2,), but the targets have shape (1,)."),
    "classes as fractions": (lambda: mg.cross_entropy(x(1, 3), [0.5]), TypeError, "must be int64"),
    "one_hot": (lambda: mg.one_hot(mg.asarray([0, 3]), 3), IndexError, "but there are 3 classes."),
    # empty, and the wrong kind of number
    "the largest of none": (lambda: mg.max(x(0)), ValueError,
        "max: shape (0,) has no element to choose."),
    "the smallest of none": (lambda: mg.min(x(2, 0), axis=1), ValueError, "min: shape (2, 0)"),
    "the place of none": (lambda: mg.argmax(x(2, 0), axis=1), ValueError, "argmax: shape (2, 0)"),
    "cat of none": (lambda: mg.cat([]), TypeError, "expected an array, got nothing"),
    "no array": (lambda: mg.exp([1.0]), TypeError,
        "expected an array, got list; minigrad.tensor makes one."),
    "text beside an array": (lambda: x(2) + "a", TypeError, "got str."),
    "minus a bool": (lambda: -(x(2) > 0), TypeError, "neg: not defined for bool; cast with astype"),
    "int to a power below 0": (lambda: x(2, dtype="int64") ** -1, ValueError,
        "pow: a whole number to a power below 0 is no whole number; use floats."),
    "a mask of numbers": (lambda: mg.where(x(2), 1.0, x(2)), TypeError,
        "where: the mask must be bool, got float32; compare, as in x > 0."),
    "a fraction among ints": (lambda: mg.masked_fill(x(2, dtype="int64"), x(2) > 0, 0.5),
        TypeError, "masked_fill: 0.5 does not go into an array of int64."),
    "bounds": (lambda: mg.clip(x(2), "a", 1), TypeError, "clip: the bounds are numbers or None"),
    "which gelu": (lambda: mg.gelu(x(2), "fast"), ValueError, '"none" or "tanh", got \'fast\'.'),
    "which reduction": (lambda: mg.mse(x(2), x(2), reduction="avg"), ValueError,
        "mse: reduction is one of mean, sum, none, got 'avg'."),
    "smoothing": (lambda: mg.cross_entropy(x(1, 3), [0], label_smoothing=2), ValueError,
        "label_smoothing lies between 0 and 1, got 2."),
    "a gradient of ints": (
        lambda: gradcheck(engine.take, x(2, dtype="float64"),
            mg.asarray([0]), wrt=["indices"]),
        TypeError, "take: the gradient of indices is asked for, but indices is int64"),
    # towards Python
    "truth of several": (lambda: bool(x(2)), ValueError,
        "bool: an Array of shape (2,) is neither true nor false; use any or all."),
    "a number of several": (lambda: float(x(2)), ValueError, "only an Array of one element"),
    "length of a number": (lambda: len(x()), TypeError, "len: a 0-d array has no length."),
    "walking along a number": (lambda: list(x()), TypeError, "has no axis to go along."),
    "a float as an index": (lambda: [1, 2][x()], TypeError, "only a 0-d integer Array"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_one_clear_error(name):
    call, kind, words = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert words in message
    assert message.endswith((".", ")"))
    assert "\n" not in message
    # Not an error out of the depths that only happens to be of the right class.
    assert "minigrad" in caught.traceback[-1].path.parts
