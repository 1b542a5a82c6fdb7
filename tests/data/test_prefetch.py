"""The thread that makes batches ahead: how far, what it says, and that it always ends."""

import gc
import subprocess
import sys
import threading
import time
import traceback
import weakref

import pytest

import minigrad
from minigrad.course import launch
from minigrad.data import DataLoader, Dataset

pytestmark = pytest.mark.timeout(60)


def threads():
    return [t for t in threading.enumerate() if t.name.startswith("minigrad-prefetch")]


class Watched(Dataset):
    """Notes which items were asked for, and raises at one of them."""

    def __init__(self, count, bad=None):
        self.count, self.bad, self.asked = count, bad, []

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.asked.append(index)
        if index == self.bad:
            raise ZeroDivisionError("the item is broken")
        return index


def settled(data, count):
    """What was asked for: waits until that is `count` items, and for a moment in which more could
    follow.
    """
    end = time.monotonic() + 20.0
    while len(data.asked) < count and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.05)
    return list(data.asked)


@pytest.mark.parametrize("depth", [1, 3])
def test_no_more_than_so_many_are_made_ahead(depth):
    data = Watched(20)
    loop = iter(DataLoader(data, 1, prefetch=depth))
    assert data.asked == [] and not threads()
    for taken in range(1, 5):
        assert next(loop).tolist() == [taken - 1]
        assert settled(data, taken + depth) == list(range(taken + depth))
    assert len(threads()) == 1 and not threads()[0].daemon
    loop.close()
    assert not threads()


def test_batches_are_made_in_one_other_thread():
    makers = set()

    class Noting(Watched):
        def __getitem__(self, index):
            makers.add(threading.get_ident())
            return index

    assert [b.tolist() for b in DataLoader(Noting(3), 1, prefetch=2)] == [[0], [1], [2]]
    assert len(makers) == 1 and threading.get_ident() not in makers


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_what_the_dataset_raises_arrives_in_its_place(depth):
    data, got = Watched(12, bad=5), []
    with pytest.raises(ZeroDivisionError, match="the item is broken") as raised:
        for batch in DataLoader(data, 2, prefetch=depth):
            got.append(batch.tolist())
    assert got == [[0, 1], [2, 3]]
    places = [frame.name for frame in traceback.extract_tb(raised.tb)]
    assert places[-1] == "__getitem__", "the traceback leads to the dataset's own line"
    assert raised.value.__notes__ == ["DataLoader: in the batch of the items 4, 5."]
    assert not threads()


def test_many_items_are_not_all_listed():
    with pytest.raises(ZeroDivisionError) as raised:
        list(DataLoader(Watched(12, bad=11), 12))
    note = "DataLoader: in the batch of the items 0, 1, 2, 3, 4, 5, 6, 7, ... (12)."
    assert raised.value.__notes__ == [note]


def test_leaving_the_loop_ends_the_thread():
    data = Watched(100)
    for batch in DataLoader(data, 1, prefetch=3):
        if batch.item() == 2:
            break
    assert not threads() and len(data.asked) <= 3 + 3


def test_leaving_the_loop_waits_for_one_batch_alone():
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Watched):
        def __getitem__(self, index):
            self.asked.append(index)
            if index == 1:
                begun.set()
                go_on.wait(20)
            return index

    data = Slow(100)
    loop = iter(DataLoader(data, 1, prefetch=4))
    assert next(loop).tolist() == [0] and begun.wait(20)
    threading.Timer(0.1, go_on.set).start()
    loop.close()
    assert data.asked == [0, 1]


def test_an_error_in_the_loop_ends_the_thread():
    with pytest.raises(KeyError):
        for _ in DataLoader(Watched(100), 1, prefetch=3):
            raise KeyError
    gc.collect()
    assert not threads()


def test_a_loop_that_is_let_go_of_leaves_nothing():
    data = Watched(50)
    loops = [iter(DataLoader(data, 1, prefetch=2)) for _ in range(2)]
    for loop in loops:
        next(loop)
    assert len(threads()) == 2
    gone = weakref.ref(data)
    del loops, loop, data
    gc.collect()
    assert not threads() and gone() is None


def test_a_loop_that_is_never_begun_has_no_thread():
    loop = iter(DataLoader(Watched(5), 1, prefetch=2))
    assert not threads()
    del loop


def test_used_up():
    loop = iter(DataLoader(Watched(4), 3, prefetch=9))
    assert [b.tolist() for b in loop] == [[0, 1, 2], [3]]
    assert not threads() and next(loop, None) is None


PROGRAM = """
from minigrad.data import DataLoader
loop = iter(DataLoader(range(1000), 1, prefetch=2))
print(next(loop).tolist())
{end}
"""


@pytest.mark.parametrize(("end", "code"), [("", 0), ("raise SystemExit(3)", 3)])
def test_a_program_ends_with_a_loop_half_way(tmp_path, end, code):
    script = tmp_path / "half.py"
    script.write_text(PROGRAM.format(end=end))
    tree = str(minigrad.__path__[0]).removesuffix("/minigrad")
    command = [sys.executable, launch.__file__, tree, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (code, "[0]\n", "")
