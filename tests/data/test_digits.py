"""The digits: all there, none twice, each kind in both parts, the same for the same seed."""

import sys

import numpy as np
import pytest

import minigrad as mg
from minigrad.data import digits

load_digits = pytest.importorskip("sklearn.datasets").load_digits


def parts(**options):
    """x and y of both parts, as ndarrays."""
    return [tuple(t.numpy() for t in part.tensors) for part in digits(**options)]


def rows(x, y):
    return sorted([*np.round(16 * image).astype(int).tolist(), int(label)]
                  for image, label in zip(x, y, strict=True))  # fmt: skip


def test_every_digit_in_one_part_as_it_is():
    (x, y), (xt, yt) = parts(seed=1)
    assert x.dtype == xt.dtype == np.float32 and y.dtype == yt.dtype == np.int64
    assert x.shape == (len(y), 64) and xt.shape == (len(yt), 64)
    assert x.min() == 0.0 and x.max() == 1.0
    source = load_digits()
    want = rows(source.data / 16.0, source.target)
    assert rows(np.concatenate([x, xt]), np.concatenate([y, yt])) == want


@pytest.mark.parametrize(("options", "share"), [({}, 0.2), ({"test": 0.5, "seed": 2}, 0.5)])
def test_a_share_of_each_digit_is_held_out(options, share):
    (_, y), (_, yt) = parts(**options)
    assert len(y) + len(yt) == 1797
    for digit in range(10):
        held, kept = (yt == digit).sum(), (y == digit).sum()
        assert abs(held - share * (held + kept)) <= 0.5


def test_the_seed_fixes_the_split():
    first, again, other = parts(seed=0), parts(), parts(seed=1)
    assert all(np.array_equal(a, b) for p, q in zip(first, again, strict=True)
               for a, b in zip(p, q, strict=True))  # fmt: skip
    assert rows(*first[1]) != rows(*other[1])


def test_both_parts_come_in_the_order_that_was_drawn():
    source, order = load_digits(), mg.Generator(3).permutation(1797).numpy()
    images, labels = source.data[order], source.target[order]
    found, taken = parts(seed=3), [0, 0]
    for image, label in zip(images / 16.0, labels, strict=True):
        for k, (x, y) in enumerate(found):
            if taken[k] < len(x) and np.array_equal(x[taken[k]], image) and y[taken[k]] == label:
                taken[k] += 1
                break
    assert taken == [len(x) for x, _ in found]


def test_any_shape_for_the_images():
    (x, _), (flat, _) = parts(shape=(1, 8, 8))[0], parts()[0]
    assert x.shape[1:] == (1, 8, 8) and np.array_equal(x.reshape(-1, 64), flat)
    with pytest.raises(ValueError, match="reshape"):
        digits(shape=(8, 9))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 0.001])
def test_a_share_that_cannot_be(share):
    with pytest.raises(ValueError, match=f"^digits: test={share} leaves one side without a 0"):
        digits(test=share)


def test_without_scikit_learn(monkeypatch):
    for name in [m for m in sys.modules if m.split(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(ModuleNotFoundError) as raised:
        mg.data.digits()
    assert str(raised.value) == (
        "digits: the images come with scikit-learn, which is missing: pip install scikit-learn"
    )
