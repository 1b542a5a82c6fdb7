"""Text: characters as numbers, and windows of them to learn from. What is there to read on every
machine are the sources of Python's own library.
"""

import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.api import arange, asarray, randint, take, unsqueeze
from minigrad.data.dataset import Dataset
from minigrad.dtypes import int64
from minigrad.random import Generator


def python_sources(every: int = 10) -> tuple[str, str]:
    """The modules of Python's standard library, to learn from and to be tested on: two texts.

    Those that are one file each, by name, of pure ASCII: the few others would bring in 69
    characters that hardly occur. They are what this Python came with, so that another version has
    other texts. Raises FileNotFoundError where Python came without its sources.
    """
    folder = Path(sysconfig.get_path("stdlib"))
    # Names alone would let in what a distribution or a build has put there.
    modules = [p for p in folder.glob("*.py") if p.stem in sys.stdlib_module_names]
    readable = [p for p in modules if p.read_bytes().isascii()]
    if not readable:
        raise FileNotFoundError(
            f"python_sources: {folder} has no sources of Python's library; text_files takes files "
            "of yours."
        )
    return text_files(readable, every)


def text_files(paths: Iterable[str | Path], every: int = 10) -> tuple[str, str]:
    """Files of UTF-8, one after the other in the order of their names: all but one in `every`, to
    learn from, and these few, to be tested on. No file is in both.

    Raises ValueError where one side would have nothing.
    """
    files = sorted(map(Path, paths), key=lambda path: (path.name, str(path)))
    if every < 2 or len(files) < every:
        raise ValueError(
            f"text_files: of {len(files)} files, one in {every} leaves nothing on one side; want "
            "every=2 or more, and as many files."
        )
    held = files[every - 1 :: every]
    learned = [path for k, path in enumerate(files, 1) if k % every]
    seen, unseen = (
        "".join(p.read_text(encoding="utf-8") for p in part) for part in (learned, held)
    )
    if not seen or not unseen:
        raise ValueError(
            f"text_files: the files {'held out' if seen else 'to learn from'} are empty."
        )
    return seen, unseen


class Vocabulary:
    """The characters of a text, each with its number: in the order of Unicode, 0 first.

    characters  all of them, as one text: Vocabulary(characters) is the same vocabulary

    Raises ValueError for an empty text.
    """

    def __init__(self, text: str) -> None:
        if not text:
            raise ValueError("Vocabulary: the text is empty; there are no characters to number.")
        self.characters = "".join(sorted(set(text)))
        self._codes = codes(self.characters)

    def __len__(self) -> int:
        return len(self.characters)

    def __repr__(self) -> str:
        return f"Vocabulary({self.characters!r})"

    def encode(self, text: str) -> Any:
        """The numbers of the characters, a tensor (n,) int64.

        Raises ValueError that names the first character which is not among them, and its place.
        """
        given = codes(text)
        numbers = np.minimum(np.searchsorted(self._codes, given), len(self) - 1)
        unknown = np.flatnonzero(self._codes[numbers] != given)
        if unknown.size:
            k = int(unknown[0])
            raise ValueError(
                f"encode: {text[k]!r} at position {k} is none of the {len(self)} characters of "
                "this vocabulary."
            )
        return asarray(numbers.astype(np.int64))

    def decode(self, tokens: Any) -> str:
        """The text of these numbers: a tensor (n,) int64, an ndarray, or a list.

        Raises TypeError for other numbers or shapes, IndexError for a number of no character.
        """
        found = asarray(tokens) if len(tokens) else arange(0)
        if not is_line(found):
            raise TypeError(f"decode: want (n,) int64, got {found.shape} {found.dtype}.")
        numbers = found.detach().numpy()
        wrong = np.flatnonzero((numbers < 0) | (numbers >= len(self)))
        if wrong.size:
            k = int(wrong[0])
            raise IndexError(
                f"decode: token {numbers[k]} at position {k}, but the vocabulary has the "
                f"characters 0 to {len(self) - 1}."
            )
        return "".join(self.characters[n] for n in numbers)


def codes(text: str) -> np.ndarray[Any, np.dtype[np.uint32]]:
    """The Unicode numbers of a text's characters (n,)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


class TextDataset(Dataset):
    """Windows of a text: an item is (x, y), `context` tokens each, where y is x one token later, so
    that every position of x has its next character to learn.

    tokens: (n,) int64. stride: how far the next window begins; 1 gives all that there are,
    stride=context those that do not overlap, to be tested on.
    Raises TypeError for other tokens, ValueError for an empty text, and for a context that is
    longer than it.
    """

    def __init__(self, tokens: Any, context: int, stride: int = 1) -> None:
        if not is_line(tokens):
            raise TypeError(
                "TextDataset: tokens come as a tensor (n,) int64, as Vocabulary.encode gives them."
            )
        for name, value in (("context", context), ("stride", stride)):
            check_count("TextDataset", name, value)
        if not len(tokens):
            raise ValueError("TextDataset: the text is empty.")
        if len(tokens) <= context:
            raise ValueError(
                f"TextDataset: a context of {context} needs {context + 1} tokens or more, since "
                f"each has a next one to learn; the text has {len(tokens)}."
            )
        self.tokens, self.context, self.stride = tokens, context, stride

    def __len__(self) -> int:
        return (len(self.tokens) - self.context - 1) // self.stride + 1

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Window number `index`; negative ones count from the end."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"TextDataset: there is no window {index} of {len(self)}.")
        at = index % len(self) * self.stride
        end = at + self.context
        return self.tokens[at:end], self.tokens[at + 1 : end + 1]

    def batch(self, indices: Any) -> tuple[Any, Any]:
        """The windows of these numbers (n,), all from 0 up: x and y (n, context)."""
        places = unsqueeze(indices * self.stride, 1) + arange(self.context)
        return take(self.tokens, places), take(self.tokens, places + 1)


class TextBatches:
    """Windows drawn anew for each step, by the seed and the number of the step alone: the batch of
    step 7 is the same whether or not those before were made.

    An epoch is so many batches that they hold as many tokens as the text.
    Raises ValueError for a size that cannot be.
    """

    def __init__(self, dataset: TextDataset, batch_size: int, seed: int = 0) -> None:
        check_count("TextBatches", "batch_size", batch_size)
        Generator(seed)  # which says what a seed can be
        self.dataset, self.batch_size, self.seed, self._next = dataset, batch_size, seed, 0

    def __len__(self) -> int:
        """The number of batches of an epoch."""
        return max(1, len(self.dataset.tokens) // (self.batch_size * self.dataset.context))

    def __iter__(self) -> Iterator[Any]:
        first = self._next
        self._next = (first // len(self) + 1) * len(self)
        return map(self.batch, range(first, self._next))

    def seek(self, step: int) -> None:
        """Let the next loop begin with the batch of this step, the first being 0, and end with its
        epoch.
        """
        self._next = step

    def batch(self, step: int) -> Any:
        """The batch of a step, the first being 0: x and y (batch_size, context)."""
        generator = Generator(self.seed).set_state((self.seed, step * self.batch_size))
        drawn = randint(0, len(self.dataset), (self.batch_size,), generator=generator)
        return self.dataset.batch(drawn)


def is_line(tokens: Any) -> bool:
    """Whether this is a tensor (n,) int64: an ndarray's dtype is another int64."""
    return getattr(tokens, "dtype", None) is int64 and tokens.ndim == 1


def check_count(call: str, name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{call}: {name} must be a whole number from 1 up, got {value!r}.")
