"""MNIST and Fashion-MNIST, from files in a folder of yours: nothing is downloaded here."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from minigrad.api import asarray
from minigrad.data.dataset import TensorDataset
from minigrad.data.idx import read_idx

IMAGES, LABELS = "{}-images-idx3-ubyte", "{}-labels-idx1-ubyte"


@dataclass(frozen=True)
class Published:
    """A dataset as its makers gave it out.

    files: {name: sha256}; a file may be there packed (name.gz), not packed, or both.
    """

    name: str
    place: str
    files: Mapping[str, str]


def sums(text: str) -> dict[str, str]:
    """{name: sha256} from lines as sha256sum writes them."""
    return {name: digest for digest, name in map(str.split, text.strip().splitlines())}


MNIST = Published(
    "MNIST",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    sums(
        """
        440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609  train-images-idx3-ubyte.gz
        3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c  train-labels-idx1-ubyte.gz
        8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6  t10k-images-idx3-ubyte.gz
        f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6  t10k-labels-idx1-ubyte.gz
        ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
        65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
        0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
        ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte
        """
    ),
)
# Packed alone: of the unpacked files we know no published sum.
FASHION_MNIST = Published(
    "Fashion-MNIST",
    "https://github.com/zalandoresearch/fashion-mnist/tree/master/data/fashion",
    sums(
        """
        3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84  train-images-idx3-ubyte.gz
        a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845  train-labels-idx1-ubyte.gz
        346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073  t10k-images-idx3-ubyte.gz
        67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5  t10k-labels-idx1-ubyte.gz
        """
    ),
)


def mnist(
    folder: str | Path, shape: tuple[int, ...] = (784,)
) -> tuple[TensorDataset, TensorDataset]:
    """60,000 handwritten digits to learn from and 10,000 to be tested on, as (image, digit).

    folder: where the four files lie, as published or unpacked. Image: float32 of `shape`, which
    holds 784 numbers from 0 (paper) to 1 (ink), row by row; digit: int64.
    Raises FileNotFoundError that names what is missing and where it is published; ValueError for a
    file that is not the published one.
    Source: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to document
    recognition" (1998).
    """
    return read(MNIST, folder, shape)


def fashion_mnist(
    folder: str | Path, shape: tuple[int, ...] = (784,)
) -> tuple[TensorDataset, TensorDataset]:
    """As mnist, with clothes in place of digits; the files as published, packed.

    Source: Xiao, Rasul, Vollgraf, "Fashion-MNIST: a novel image dataset for benchmarking machine
    learning algorithms" (2017).
    """
    return read(FASHION_MNIST, folder, shape)


def read(
    published: Published, folder: str | Path, shape: tuple[int, ...]
) -> tuple[TensorDataset, TensorDataset]:
    """Both parts of a dataset, checked: that to learn from, that to be tested on."""
    found = locate(published, Path(folder))
    for path in found.values():
        check(published, path)
    return part(found, "train", shape), part(found, "t10k", shape)


def locate(published: Published, folder: Path) -> dict[str, Path]:
    """Where the four files lie, by their names without .gz."""
    found, missing = {}, []
    for part_name in ("train", "t10k"):
        for pattern in (IMAGES, LABELS):
            name = pattern.format(part_name)
            names = [n for n in (f"{name}.gz", name) if n in published.files]
            there = [folder / n for n in names if (folder / n).is_file()]
            if there:
                found[name] = there[0]
            else:
                missing.append(names[0] + " (or unpacked)" * (len(names) > 1))
    if missing:
        raise FileNotFoundError(
            f"{published.name}: put {', '.join(missing)} into {folder}; published at "
            f"{published.place}"
        )
    return found


def check(published: Published, path: Path) -> None:
    """Raise ValueError if the file is not the one that was published."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    wanted = published.files[path.name]
    if digest != wanted:
        raise ValueError(
            f"{published.name}: {path} is not the published file: its sha256 is {digest}, not "
            f"{wanted}. Get it again from {published.place}"
        )


def part(found: Mapping[str, Path], name: str, shape: tuple[int, ...]) -> TensorDataset:
    """Images and labels of a part."""
    paths = found[IMAGES.format(name)], found[LABELS.format(name)]
    images, labels = map(read_idx, paths)
    if images.ndim < 2 or labels.ndim != 1 or len(images) != len(labels):
        raise ValueError(
            f"{paths[0].name} holds shape {images.shape} and {paths[1].name} {labels.shape}: one "
            "label for each image was expected."
        )
    pixels = asarray(images / np.float32(255.0)).reshape(len(images), *shape)
    return TensorDataset(pixels, asarray(labels.astype(np.int64)))
