"""The corners, as PyTorch has them: ties, kinks, poles, NaN, infinities; values, gradients and the
gradients of those.
"""

import itertools
import math

import drawn_numbers
import pytest
import torch
from side_by_side import Unequal, compare

from minigrad.reference import engine as mg

INF, NAN = math.inf, math.nan
SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, -3.0, 100.0, -100.0, 1e30, -1e30, INF, -INF, NAN]
UNARY = drawn_numbers.UNARY | drawn_numbers.ABOVE_ZERO | {"reciprocal": torch.reciprocal}
BINARY = drawn_numbers.BINARY | {"div": torch.div, "pow": torch.pow}


def leaf(values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


# The sign of NaN is 0 in PyTorch, NaN in NumPy and here: NaN goes through.
OTHERWISE = [("sign", NAN), ("abs", NAN)]
# Far below 0 the second derivative of their logaddexp is NaN; ours is 0, as it should be.
TWICE_OTHERWISE = [("softplus", -100.0), ("softplus", -1e30), ("softplus", -INF)]
KINDS = pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["64", "32"])


def differences(name, theirs, points, dtype=torch.float64, twice=True):
    found = []
    for point in points:
        tensors = [leaf([x], dtype) for x in point]
        try:
            compare(getattr(mg, name), theirs, tensors, {}, each=True, twice=twice)
        except Unequal as error:
            found.append(f"{name}{point}: {error}")
    return found


@KINDS
@pytest.mark.parametrize("name", UNARY)
def test_one_array(name, dtype):
    points = [x for x in SPECIAL if (name, x) not in OTHERWISE]
    twice = [(x,) for x in points if (name, x) not in TWICE_OTHERWISE]
    assert not differences(name, UNARY[name], twice, dtype)
    assert not differences(name, UNARY[name], [(x,) for x in points], dtype, twice=False)


@pytest.mark.parametrize("name, point", OTHERWISE + TWICE_OTHERWISE)
def test_where_ours_differs_it_still_does(name, point):
    assert differences(name, UNARY[name], [(point,)], torch.float32)


@pytest.mark.parametrize("name", BINARY)
def test_two_arrays(name):
    assert not differences(name, BINARY[name], itertools.product(SPECIAL, SPECIAL))


@pytest.mark.parametrize("how", ["none", "tanh"])
def test_gelu(how):
    # Theirs multiplies an infinite x by a 0, and the like: no reason to do the same.
    finite = [x for x in SPECIAL if math.isfinite(x)]
    compare(
        lambda x: mg.gelu(x, how),
        lambda x: torch.nn.functional.gelu(x, approximate=how),
        [leaf(finite)],
        {},
        each=True,
    )


@pytest.mark.parametrize("low, high", [(-1.0, 1.0), (None, 1.0), (-1.0, None), (1.0, -1.0)])
def test_clip(low, high):
    ours, theirs = (lambda x: mg.clip(x, low, high)), (lambda x: torch.clamp(x, low, high))
    compare(ours, theirs, [leaf(SPECIAL)], {}, each=True)


ROWS = [
    [1.0, 3.0, 3.0, -2.0],
    [2.0, 2.0, 2.0, 2.0],
    [0.0, -0.0, 0.0, -1.0],
    [0.0, 0.0, 5.0, 1.0],
    [INF, 1.0, INF, 0.0],
    [-INF, -INF, -INF, -INF],
    [-INF, 1.0, 2.0, 3.0],
    [NAN, 1.0, 2.0, 2.0],
    [1.0, NAN, NAN, INF],
    [1e30, 1e30, -1e30, 1.0],
    [1000.0, -1000.0, 1000.0, 999.0],
    [7.0, 7.0, 7.0, 6.0],
]
REDUCTIONS = {
    "sum": torch.sum,
    "mean": torch.mean,
    "max": torch.amax,
    "min": torch.amin,
    "prod": torch.prod,
    "argmax": torch.argmax,
    "argmin": torch.argmin,
    "any": torch.any,
    "all": torch.all,
    "logsumexp": torch.logsumexp,
    "softmax": torch.softmax,
    "log_softmax": torch.log_softmax,
    "cumsum": torch.cumsum,
    "var": lambda x, axis: torch.var(x, axis, correction=0),
    "std": lambda x, axis: torch.std(x, axis, correction=0),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_rows(name):
    call, theirs = getattr(mg, name), REDUCTIONS[name]
    for row in ROWS:
        # The gradient of their prod divides by the element, ours multiplies the others: infinities
        # become NaN there, and of 1e30 all digits are lost at the second time.
        if name == "prod" and not all(map(math.isfinite, row)):
            continue
        twice = name != "prod" or max(map(abs, row)) < 1e30
        compare(
            lambda x: call(x, axis=-1),
            lambda x: theirs(x, -1),
            [leaf([row])],
            {},
            each=True,
            twice=twice,
        )


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("count", [1, 2])
def test_the_spread_of_few(name, correction, count):
    ours, theirs = getattr(mg, name), getattr(torch, name)
    compare(
        lambda x: ours(x, axis=-1, correction=correction),
        lambda x: theirs(x, -1, correction=correction),
        [leaf([[5.0, 7.0][:count]])],
        {},
    )


def test_products_with_infinities():
    for x in (INF, NAN, 0.0, 1e300):
        compare(mg.matmul, torch.matmul, [leaf([[x, 1.0], [2.0, 3.0]]), leaf([[0.0], [1.0]])], {})
