"""Every operator that ours shares with PyTorch, on all inputs that PyTorch tests its own with."""

from collections import Counter
from fnmatch import fnmatchcase

import left_out
import operator_database
import pytest
import torch
from shared_operators import CALLS
from side_by_side import Unequal, compare

SHARED_AT_LEAST = 60
# Units of rounding, where one operator's error is more than the default of `compare` allows.
SLACK = {}


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


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
def test_all_samples_agree(database, dtype, record_property):
    unexpected, applied, operators, samples = [], set(), 0, 0
    for name, call in CALLS.items():
        operator, compared = database[name], 0
        for sample in operator.samples(dtype):
            left = left_out.reason(name, sample)
            if left is not None:
                applied.add(left)
                continue
            compared += 1
            if problem := disagreement(name, call, operator, sample):
                unexpected.append(f"{name}{sample}: {problem}")
        operators += compared > 0
        samples += compared
    figure = f"{operators} operators, {samples} samples, {len(unexpected)} unexpected"
    record_property("figure", f"operator database, {str(dtype).split('.')[1]}: {figure}")
    assert not unexpected, "\n".join([figure, *unexpected[:60]])
    assert operators >= SHARED_AT_LEAST
    reasons = {(table, why) for table, whys in left_out.SAMPLES.items() for why in whys}
    assert not reasons - applied, "samples left out for a reason that holds for none of them"


def disagreement(name, call, operator, sample):
    """What is wrong with ours on this sample, in words; None if nothing."""
    theirs = operator.info.op
    try:
        compare(call, theirs, sample.args, sample.kwargs, slack=SLACK.get(name, 32.0))
    except Unequal as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  ours may raise anything; it is reported with the rest
        return f"{type(error).__name__}: {error}"
    return None
