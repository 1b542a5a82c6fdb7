"""Every op, method and operator gives NumPy's numbers, in the right shape and dtype."""

import itertools

import numpy as np
import pytest
from all_cases import CASES
from case import FLOATS, listed, numbers, same, wide

import minigrad as mg

# The same numbers in other layouts of memory, as a view of a larger array.
LAYOUTS = {
    "contiguous": (lambda a: a, lambda t: t),
    "transposed": (lambda a: a.T, lambda t: t.T),
    "every second, backwards": (
        lambda a: np.flip(np.insert(a, np.arange(1, a.shape[-1] + 1), 7, axis=-1)),
        lambda t: t.flip()[..., ::2],
    ),
}


def laid_out(layout, array, device):
    """A tensor with the numbers of `array`, in this layout."""
    if array.ndim == 0:
        return mg.tensor(array, device=device)
    inward, outward = LAYOUTS[layout]
    tensor = outward(mg.tensor(inward(array), device=device))
    assert np.array_equal(tensor.numpy(), array, equal_nan=array.dtype.kind == "f")
    return tensor


@pytest.mark.parametrize("case", CASES, ids=str)
def test_numpys_numbers(device, case):
    for dtype in FLOATS:
        arrays = case.inputs(dtype)
        floats = any(a.dtype.kind == "f" for a in arrays)
        wanted = listed(case.numpy(*map(wide, arrays)))
        kind = result_dtype(case, dtype if floats else "float32")
        slack = case.slack + sum(a.size for a in arrays)
        for layout, (form, call) in itertools.product(LAYOUTS, case.forms()):
            what = f"{form} of {dtype}, {layout}"
            tensors = [laid_out(layout, a, device) for a in arrays]
            got = listed(call(*tensors))
            for out, want in zip(got, wanted, strict=True):
                same(out, want, kind, slack, what)
                assert (out.device, out.requires_grad, out.is_leaf) == (device, False, True), what
            for tensor, array in zip(tensors, arrays, strict=True):
                equal_nan = array.dtype.kind == "f"
                assert np.array_equal(numbers(tensor), array, equal_nan), (
                    f"{what} changed its input"
                )


def result_dtype(case, dtype):
    """The dtype of a result of floats: that of the inputs, or the one that is asked for."""
    if case.key in ("astype", "one_hot"):
        return next((str(np.dtype(a)) for a in case.args[-1:] if not isinstance(a, int)), "float32")
    return dtype
