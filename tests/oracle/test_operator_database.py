"""Every operator that ours shares with PyTorch, on all inputs that PyTorch tests its own with."""

from collections import Counter
from fnmatch import fnmatchcase

import left_out
import operator_database
import pytest
import torch
from shared_operators import CALLS, SLACK
from side_by_side import DTYPES, Unequal, compare
from torch.nn.attention import SDPBackend, sdpa_kernel

SHARED_AT_LEAST = 75


@pytest.fixture(scope="module")
def database():
    if operator_database.MISSING:
        pytest.skip(f"not verified: {operator_database.MISSING}")
    return operator_database.operators()


def test_the_tables_name_every_operator_once(database):
    assert not CALLS.keys() - database.keys(), "shared operators that PyTorch does not have"
    patterns = [p for names in left_out.OPERATORS.values() for p in names.split()]
    rest = database.keys() - CALLS.keys()
    times = Counter(n for n in rest for p in patterns if fnmatchcase(n, p))
    stale = [p for p in patterns if not any(fnmatchcase(n, p) for n in rest)]
    assert not stale, "left out, but there is no such operator (any more)"
    assert not rest - times.keys(), "neither shared nor left out"
    assert not [n for n, k in times.items() if k > 1], "left out twice"


def test_all_samples_agree(database, record_property):
    """Values and gradients, and in float64 the gradients of gradients."""
    unexpected, applied, compared, twice = [], set(), Counter(), Counter()
    for name, call in CALLS.items():
        for sample in (s for dtype in DTYPES for s in database[name].samples(dtype)):
            left = left_out.reason(name, sample)
            if left is not None:
                applied.add(left)
                continue
            compared[name] += 1
            try:
                twice[name] += seconds(call, database[name], sample) > 0
            except Unequal as error:
                unexpected.append(f"{name}{sample}: {error}")
            except Exception as error:  # noqa: BLE001  either side may raise anything; it is told
                unexpected.append(f"{name}{sample}: {type(error).__name__}: {error}")
    twice = +twice
    counts = (
        f"{len(compared)} operators, {compared.total()} samples, second derivatives of "
        f"{len(twice)} operators, {twice.total()} samples, {len(unexpected)} unexpected"
    )
    record_property("figure", f"PyTorch's operator database: {counts}")
    assert not unexpected, "\n".join([counts, *unexpected[:60]])
    assert not CALLS.keys() - compared.keys(), "shared operators without a sample"
    assert len(compared) >= SHARED_AT_LEAST
    reasons = {(table, why) for table, whys in left_out.SAMPLES.items() for why in whys}
    assert not reasons - applied, "samples left out for a reason that holds for none of them"
    differentiable = {name for name in CALLS if database[name].has_gradient}
    once = {name for names in left_out.ONCE.values() for name in names.split()}
    assert differentiable - twice.keys() == once, "of these no second derivative was compared"


def seconds(call, operator, sample):
    """Compare one sample; gives how many second derivatives were compared."""
    double = any(t.dtype == torch.float64 for t in sample.tensors())
    slack = SLACK.get(operator.name, 8.0)
    with sdpa_kernel(SDPBackend.MATH):  # their fused attention has no second derivative
        return compare(call, operator.call, sample.args, sample.kwargs, slack=slack, twice=double)
