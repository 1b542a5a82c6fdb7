"""IDX files: the format in which MNIST and its relatives are published.

Two zero bytes, a byte for the type (8: bytes), a byte for the number of axes; then the size of each
axis, four bytes each, high byte first; then the numbers, row by row.
Source: LeCun, Cortes, Burges, "The MNIST database of handwritten digits" (1998).
"""

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

BYTES = b"\x00\x00\x08"  # how a file of bytes opens


def read_idx(path: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes of an IDX file, or of one that gzip packed (.gz), under the shape that it names.

    Raises ValueError where that is not what the file is, and for what is cut off.
    """
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path.name}: cannot be unpacked: {error}.") from None
    if data[:3] != BYTES or len(data) < 4:
        raise ValueError(
            f"{path.name}: an IDX file of bytes opens with 00 00 08 and the number of its axes, "
            f"this one with {data[:4].hex(' ') or 'nothing'}."
        )
    start = 4 + 4 * data[3]
    if len(data) < start:
        raise ValueError(f"{path.name}: ends within the sizes of its {data[3]} axes.")
    shape = struct.unpack(f">{data[3]}I", data[4:start])
    if len(data) - start != math.prod(shape):
        raise ValueError(
            f"{path.name}: its shape {shape} is that of {math.prod(shape)} bytes, but "
            f"{len(data) - start} follow."
        )
    return np.frombuffer(data, np.uint8, offset=start).reshape(shape)
