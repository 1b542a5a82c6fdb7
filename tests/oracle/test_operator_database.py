"""Every operator that ours shares with PyTorch, on all inputs that PyTorch tests its own with."""

from collections import Counter
from fnmatch import fnmatchcase

import left_out
import operator_database
import pytest
from shared_operators import CALLS
from side_by_side import DTYPES, Unequal, compare

SHARED_AT_LEAST = 60


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
    unexpected, applied, compared = [], set(), Counter()
    for name, call in CALLS.items():
        for sample in (s for dtype in DTYPES for s in database[name].samples(dtype)):
            left = left_out.reason(name, sample)
            if left is not None:
                applied.add(left)
                continue
            compared[name] += 1
            if problem := disagreement(call, database[name], sample):
                unexpected.append(f"{name}{sample}: {problem}")
    counts = f"{len(compared)} operators, {compared.total()} samples, {len(unexpected)} unexpected"
    record_property("figure", f"PyTorch's operator database: {counts}")
    assert not unexpected, "\n".join([counts, *unexpected[:60]])
    assert not CALLS.keys() - compared.keys(), "shared operators without a sample"
    assert len(compared) >= SHARED_AT_LEAST
    reasons = {(table, why) for table, whys in left_out.SAMPLES.items() for why in whys}
    assert not reasons - applied, "samples left out for a reason that holds for none of them"


def disagreement(call, operator, sample):
    """What is wrong with ours on this sample, in words; None if nothing."""
    try:
        compare(call, operator.call, sample.args, sample.kwargs)
    except Unequal as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  ours may raise anything; it is reported with the rest
        return f"{type(error).__name__}: {error}"
    return None
