"""Text: where it comes from, its characters as numbers, and the windows that are learned from."""

import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.data import (
    DataLoader,
    TextBatches,
    TextDataset,
    Vocabulary,
    python_sources,
    text_files,
)


@pytest.fixture
def folder(tmp_path):
    """Files of one letter each, twice as many of it as its place: a, bbb, ccccc, ..."""
    for k, letter in enumerate("abcdefg"):
        (tmp_path / f"{letter}.txt").write_text(letter * (2 * k + 1), encoding="utf-8")
    return tmp_path


def test_a_file_is_in_one_of_the_two_texts(folder):
    given = sorted(folder.iterdir(), reverse=True)
    seen, unseen = text_files(given, every=3)
    assert seen == "a" + "bbb" + "d" * 7 + "e" * 9 + "g" * 13 and unseen == "ccccc" + "f" * 11
    assert text_files(map(str, given), every=3) == (seen, unseen)
    seen, unseen = text_files(given, every=7)
    assert set(seen) == set("abcdef") and unseen == "g" * 13


def test_files_of_other_folders_by_name(folder):
    (folder / "0").mkdir()
    (folder / "0" / "z.txt").write_text("ä\r\n", encoding="utf-8")
    assert text_files([folder / "0" / "z.txt", folder / "a.txt"], every=2) == ("a", "ä\n")


@pytest.mark.parametrize(
    ("count", "every", "said"),
    [
        (0, 10, r"^text_files: of 0 files, one in 10 leaves nothing on one side"),
        (6, 7, r"^text_files: of 6 files, one in 7 leaves nothing"),
        (7, 1, r"^text_files: of 7 files, one in 1 leaves nothing"),
        (7, 0, r"every=2 or more"),
    ],
)
def test_files_that_cannot_be_split(folder, count, every, said):
    with pytest.raises(ValueError, match=said):
        text_files(sorted(folder.iterdir())[:count], every)


@pytest.mark.parametrize(("name", "which"), [("b.txt", "held out"), ("a.txt", "to learn from")])
def test_empty_files(folder, name, which):
    (folder / name).write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match=f"^text_files: the files {which} are empty"):
        text_files([folder / "a.txt", folder / "b.txt"], every=2)


def test_the_sources_of_python():
    seen, unseen = python_sources()
    again, _ = python_sources()
    assert seen == again and (seen + unseen).isascii()
    assert len(seen) > 1_000_000 and 0.03 < len(unseen) / len(seen) < 0.3
    own = Path(sysconfig.get_path("stdlib"))
    inside = {name: (own / f"{name}.py").read_text(encoding="utf-8") for name in ("ast", "os")}
    assert all((text in seen) != (text in unseen) for text in inside.values())
    assert 90 < len(Vocabulary(seen)) <= 128
    assert set(unseen) <= set(seen), "what is tested on can be spelled"


def test_what_lies_beside_the_sources(tmp_path, monkeypatch):
    for k, name in enumerate(["abc", "ast", "os", "sitecustomize", "_sysconfigdata_x", "heapq"]):
        text = "é" if name == "heapq" else str(k) * 3
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sysconfig, "get_path", {"stdlib": str(tmp_path)}.__getitem__)
    assert "sitecustomize" not in sys.stdlib_module_names
    assert python_sources(every=3) == ("000111", "222")


def test_no_sources(tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"^python_sources: .* has no sources of Python's"):
        python_sources()


TEXT = "hello, wörld 𝄞\n\t\ud800"


def test_characters_there_and_back():
    vocabulary = Vocabulary(TEXT)
    assert vocabulary.characters == "\t\n ,dehlorwö\ud800𝄞" and len(vocabulary) == 14
    tokens = vocabulary.encode("ö, 𝄞 hell")
    assert tokens.dtype is mg.int64 and tokens.tolist() == [11, 3, 2, 13, 2, 6, 5, 7, 7]
    assert vocabulary.decode(tokens) == "ö, 𝄞 hell" == vocabulary.decode(tokens.tolist())
    assert vocabulary.decode(vocabulary.encode(TEXT)) == TEXT
    assert vocabulary.decode(np.array([13, 0])) == "𝄞\t"
    assert vocabulary.decode(vocabulary.encode("")) == "" == vocabulary.decode([])
    assert vocabulary.encode("").shape == (0,) and vocabulary.encode("").dtype is mg.int64
    assert Vocabulary(vocabulary.characters).characters == vocabulary.characters
    assert repr(Vocabulary("ba\nb")) == r"Vocabulary('\nab')"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hellx", r"'x' at position 4 is none of the 14 characters of this vocabulary"),
        ("\0he\0", r"'\\x00' at position 0 "),
        ("he𝄟h𝄟", r"'𝄟' at position 2 "),
        ("hö€", r"'€' at position 2 "),
    ],
)
def test_characters_that_are_not_there(text, said):
    with pytest.raises(ValueError, match="^encode: " + said):
        Vocabulary(TEXT).encode(text)


@pytest.mark.parametrize(
    ("tokens", "error", "said"),
    [
        ([3, 14, 99], IndexError, "token 14 at position 1, but the vocabulary has .* 0 to 13"),
        ([13, 0, -1], IndexError, "token -1 at position 2"),
        ([[1, 2]], TypeError, r"want \(n,\) int64, got \(1, 2\) int64"),
        ([1.0, 2.0], TypeError, r"want \(n,\) int64, got \(2,\) float"),
    ],
)
def test_tokens_that_are_no_characters(tokens, error, said):
    with pytest.raises(error, match="^decode: " + said):
        Vocabulary(TEXT).decode(tokens)


def test_an_empty_vocabulary():
    with pytest.raises(ValueError, match=r"^Vocabulary: the text is empty"):
        Vocabulary("")


def squares(n):
    """Tokens that tell where they stand."""
    return mg.arange(n) * mg.arange(n)


def test_windows():
    data = TextDataset(squares(7), 3)
    assert len(data) == 4
    assert [[part.tolist() for part in data[k]] for k in range(4)] == [
        [[0, 1, 4], [1, 4, 9]], [[1, 4, 9], [4, 9, 16]],
        [[4, 9, 16], [9, 16, 25]], [[9, 16, 25], [16, 25, 36]],
    ]  # fmt: skip
    assert data[-1][1].tolist() == [16, 25, 36] and data[-4][0].tolist() == [0, 1, 4]
    for index in (4, -5):
        with pytest.raises(IndexError, match=f"^TextDataset: there is no window {index} of 4"):
            data[index]
    x, y = data.batch(mg.tensor([3, 0]))
    assert x.tolist() == [[9, 16, 25], [0, 1, 4]] and y.tolist() == [[16, 25, 36], [1, 4, 9]]
    assert len(TextDataset(squares(4), 3)) == 1


@pytest.mark.parametrize("count", [9, 10, 11, 12, 13])
def test_windows_side_by_side(count):
    """Each token that a whole window can have to learn is in one, once."""
    loader = DataLoader(TextDataset(squares(count), 3, stride=3), 2)
    learned = [n for _, y in loader for row in y.tolist() for n in row]
    data = loader.dataset
    assert learned == [n for k in range(len(data)) for n in data[k][1].tolist()]
    assert learned == [k * k for k in range(1, 3 * ((count - 1) // 3) + 1)]


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: TextDataset(squares(3), 3), ValueError,
         "a context of 3 needs 4 tokens or more, since each has a next one .* the text has 3"),
        (lambda: TextDataset(squares(0), 3), ValueError, "the text is empty"),
        (lambda: TextDataset(squares(9), 0), ValueError, "context must be a whole number from 1"),
        (lambda: TextDataset(squares(9), 2.0), ValueError, "context must be .* got 2.0"),
        (lambda: TextDataset(squares(9), 2, 0), ValueError, "stride must be a whole number from"),
        (lambda: TextDataset("hello", 2), TypeError, r"tokens come as a tensor \(n,\) int64"),
        (lambda: TextDataset(np.arange(9), 2), TypeError, "tokens come as a tensor"),
        (lambda: TextDataset(mg.ones(9), 2), TypeError, "tokens come as a tensor"),
        (lambda: TextDataset(mg.ones((3, 3), mg.int64), 2), TypeError, "tokens come as"),
    ],
)  # fmt: skip
def test_windows_that_cannot_be(make, error, said):
    with pytest.raises(error, match="^TextDataset: " + said):
        make()


def drawn(batch):
    return [part.tolist() for part in batch]


def test_batches_depend_on_seed_and_step_alone():
    data = TextDataset(squares(100), 5)
    batches = TextBatches(data, 3, seed=9)
    assert len(batches) == 100 // 15
    loops = [drawn(batch) for _ in range(2) for batch in batches]
    assert loops == [drawn(TextBatches(data, 3, seed=9).batch(k)) for k in range(12)]
    assert len({str(found) for found in loops}) == 12
    at_once = mg.randint(0, 95, (36,), generator=mg.Generator(9)).tolist()
    assert [row[0] for x, _ in loops for row in x] == [k * k for k in at_once], "none drawn twice"
    assert drawn(TextBatches(data, 3, seed=8).batch(4)) != loops[4]
    batches.seek(8)
    assert [drawn(batch) for batch in batches] == loops[8:]
    for x, y in (TextBatches(data, 3).batch(k) for k in range(4)):
        assert x.shape == y.shape == (3, 5)
        start = np.sqrt(x.numpy()[:, :1])
        np.testing.assert_array_equal(x.numpy(), (start + np.arange(5)) ** 2)
        np.testing.assert_array_equal(y.numpy(), (start + np.arange(1, 6)) ** 2)


def test_all_windows_are_drawn_alike():
    batches = TextBatches(TextDataset(squares(8), 3), 10)
    assert len(batches) == 1
    starts = [n for k in range(500) for n in batches.batch(k)[0][:, 0].tolist()]
    counts = np.array([starts.count(k * k) for k in range(5)])
    assert counts.sum() == 5000 and abs(counts - 1000).max() < 5 * np.sqrt(5000 * 0.2 * 0.8)


@pytest.mark.parametrize("size", [0, -1, 2.0, True])
def test_batches_that_cannot_be(size):
    data = TextDataset(squares(9), 3)
    with pytest.raises(ValueError, match=r"^TextBatches: batch_size must be a whole number from 1"):
        TextBatches(data, size)
    with pytest.raises(ValueError, match="seed"):
        TextBatches(data, 2, seed=-1)
