"""All memory of Arrays comes through one slot, is counted there, and is given back with the last
Array that reads it.
"""

import numpy as np
import pytest

from minigrad.reference import memory
from minigrad.reference.creation import arange, asarray, empty, eye, full, linspace, zeros


def test_more_memory_than_there_is() -> None:
    with pytest.raises(MemoryError, match=r"^allocate: no room for \d+ bytes \([\d,.]+ GiB\)\.$"):
        empty((2**40, 2**10), dtype="float64")
    x = zeros(1, dtype="float64").expand(2**40, 2**10)
    with pytest.raises(MemoryError):
        x.copy()


def test_all_memory_comes_through_the_slot() -> None:
    for make, nbytes in [
        (lambda: empty((3, 4)), 48),
        (lambda: zeros((3, 4), dtype="float64"), 96),
        (lambda: asarray([1.0, 2.0, 3.0]), 12),
        (lambda: asarray(5), 8),
        (lambda: asarray(np.zeros(3), dtype="float32"), 12),
        (lambda: arange(5), 40),
        (lambda: eye(3, dtype="bool"), 9),
        (lambda: linspace(0.0, 1.0, 5), 20),
    ]:
        with memory.counting() as count:
            x = make()
        assert (count.calls, count.nbytes, count.live, count.live_nbytes) == (1, nbytes, 1, nbytes)
        view = x.reshape(-1)[:1]
        del x
        assert count.live == 1
        del view
        assert (count.live, count.live_nbytes, count.nbytes) == (0, 0, nbytes)


def test_counting_ends_with_its_block() -> None:
    with memory.counting() as outer:
        with memory.counting() as inner:
            kept = [zeros(2), zeros(3)]
        kept.append(zeros(5))
    kept.append(zeros(7))
    assert (inner.calls, inner.nbytes, inner.live) == (2, 20, 2)
    assert (outer.calls, outer.nbytes, outer.live_nbytes) == (3, 40, 40)
    assert len(kept) == 4


def test_another_slot_can_be_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    arena = np.zeros(1000, np.uint8)
    monkeypatch.setattr(memory.Slot, "function", staticmethod(lambda nbytes: arena[:nbytes]))
    x = full((2, 3), 1.5)
    assert np.shares_memory(x.numpy(), arena)
    assert arena.view(np.float32)[:6].tolist() == [1.5] * 6
