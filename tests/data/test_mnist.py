"""IDX files, read and refused; MNIST's folder, with small files of the same kind."""

import gzip
import hashlib
import struct

import numpy as np
import pytest

from minigrad.data import fashion_mnist, mnist
from minigrad.data.idx import read_idx
from minigrad.data.mnist import FASHION_MNIST, MNIST, Published, read

NAMES = [f"{part}-{kind}-ubyte" for part in ("train", "t10k") for kind in
         ("images-idx3", "labels-idx1")]  # fmt: skip


def idx(array):
    """An array of bytes as the text of an IDX file."""
    head = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.astype(np.uint8).tobytes()


def numbers(*shape):
    return np.random.default_rng(sum(shape)).integers(0, 256, shape)


def written(folder, name, data):
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["some-ubyte", "some-ubyte.gz"])
@pytest.mark.parametrize("shape", [(5,), (3, 4, 2), (300, 2, 1, 2), (0, 28, 28)], ids=str)
def test_bytes_under_their_shape(tmp_path, name, shape):
    array = numbers(*shape)
    got = read_idx(written(tmp_path, name, idx(array)))
    assert got.dtype == np.uint8 and got.shape == shape and np.array_equal(got, array)


GOOD = idx(numbers(3, 4))
BAD = {
    "nothing": (b"", "this one with nothing."),
    "two bytes": (b"\0\0", "this one with 00 00."),
    "three bytes": (b"\0\0\x08", "this one with 00 00 08."),
    "another magic number": (b"PK\3\4" + GOOD[4:], "this one with 50 4b 03 04."),
    "numbers of four bytes": (b"\0\0\x0d\2" + GOOD[4:], "this one with 00 00 0d 02."),
    "cut within the sizes": (GOOD[:9], "ends within the sizes of its 2 axes."),
    "cut within the numbers": (GOOD[:-1], "its shape (3, 4) is that of 12 bytes, but 11 follow."),
    "a number too many": (GOOD + b"\0", "(3, 4) is that of 12 bytes, but 13 follow."),
    "an axis too many": (b"\0\0\x08\3" + GOOD[4:], "bytes, but 8 follow."),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_what_is_no_idx_file(tmp_path, name, ending):
    data, words = BAD[name]
    path = written(tmp_path, f"some-ubyte{ending}", data)
    with pytest.raises(ValueError) as raised:
        read_idx(path)
    assert str(raised.value).startswith(f"{path.name}: ") and words in str(raised.value)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda packed: packed[3:], "Not a gzipped file"),
        (lambda packed: packed[:-12], "ended before"),
        (lambda packed: packed[:10] + b"\xff" * 20 + packed[30:], "Error -3 while decompressing"),
        (lambda packed: packed[:-8] + bytes(8), "CRC check failed"),
    ],
)
def test_what_is_no_gzip_file(tmp_path, spoil, words):
    path = tmp_path / "some-ubyte.gz"
    path.write_bytes(spoil(gzip.compress(idx(numbers(20, 20)))))
    with pytest.raises(ValueError, match=rf"^some-ubyte\.gz: cannot be unpacked: .*{words}"):
        read_idx(path)


def dataset(folder, ending="", **changed):
    """Four small files in a folder, and their Published; changed: bytes by part and kind."""
    arrays = {
        "train_images": numbers(7, 3, 2), "train_labels": np.arange(7) % 3,
        "t10k_images": numbers(4, 3, 2), "t10k_labels": np.array([2, 0, 1, 9]),
    }  # fmt: skip
    sums = {}
    for name in NAMES:
        key = "_".join(name.split("-")[:2])
        path = written(folder, name + ending, changed.get(key, idx(arrays[key])))
        sums[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return Published("Small", "https://example.org/small", sums), arrays


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("shape", [(6,), (1, 3, 2)], ids=str)
def test_both_parts_scaled(tmp_path, ending, shape):
    published, arrays = dataset(tmp_path, ending)
    found = read(published, str(tmp_path), shape)
    for part, name, count in zip(found, ("train", "t10k"), (7, 4), strict=True):
        x, y = (t.numpy() for t in part.tensors)
        assert x.dtype == np.float32 and x.shape == (count, *shape) and y.dtype == np.int64
        want = arrays[f"{name}_images"].reshape(x.shape) / 255.0
        np.testing.assert_allclose(x, want, rtol=2**-22)
        assert np.array_equal(y, arrays[f"{name}_labels"])


def test_one_byte_that_changed(tmp_path):
    published, _ = dataset(tmp_path)
    path = tmp_path / NAMES[2]
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError) as raised:
        read(published, tmp_path, (6,))
    wanted, got = published.files[path.name], hashlib.sha256(data).hexdigest()
    assert str(raised.value) == (
        f"Small: {path} is not the published file: its sha256 is {got}, not {wanted}. Get it again "
        "from https://example.org/small"
    )


@pytest.mark.parametrize(
    ("key", "array", "shapes"),
    [
        ("train_labels", np.arange(6), r"\(7, 3, 2\) and .* \(6,\)"),
        ("train_labels", numbers(7, 1), r"\(7, 3, 2\) and .* \(7, 1\)"),
        ("t10k_images", numbers(4), r"\(4,\) and .* \(4,\)"),
    ],
)
def test_counts_that_do_not_match(tmp_path, key, array, shapes):
    published, _ = dataset(tmp_path, **{key: idx(array)})
    with pytest.raises(ValueError, match=f"ubyte holds shape {shapes}: one label for each image"):
        read(published, tmp_path, (6,))


@pytest.mark.parametrize(("load", "name"), [(mnist, "MNIST"), (fashion_mnist, "Fashion-MNIST")])
def test_missing_files_are_named_with_where_to_get_them(tmp_path, load, name):
    with pytest.raises(FileNotFoundError) as raised:
        load(tmp_path / "nowhere")
    words = str(raised.value)
    assert words.startswith(f"{name}: put train-images-idx3-ubyte.gz")
    assert all(f"{n}.gz" in words for n in NAMES) and str(tmp_path / "nowhere") in words
    assert "published at https://" in words
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(b"")
    with pytest.raises(FileNotFoundError) as raised:
        load(tmp_path)
    assert "t10k-labels" not in str(raised.value) and "t10k-images" in str(raised.value)


def test_files_of_that_name_that_are_others(tmp_path):
    dataset(tmp_path, ".gz")
    for load in (mnist, fashion_mnist):
        with pytest.raises(ValueError, match=r"train-images-idx3-ubyte\.gz is not the published"):
            load(tmp_path)


def test_an_unpacked_file_whose_sum_nobody_published(tmp_path):
    dataset(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"put train-images-idx3-ubyte\.gz, train-labels"):
        fashion_mnist(tmp_path)


def test_the_tables_of_sums():
    packed = {f"{n}.gz" for n in NAMES}
    assert set(MNIST.files) == packed | set(NAMES) and set(FASHION_MNIST.files) == packed
    sums = [*MNIST.files.values(), *FASHION_MNIST.files.values()]
    assert len(set(sums)) == 12 and all(len(bytes.fromhex(s)) == 32 for s in sums)
