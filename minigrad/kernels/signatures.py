"""What a kernel of each op is given, read from csrc/include/minigrad/ops.def, where each op is
declared once.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LINE = re.compile(r"^MG_OP\((\w+), \(([^)]*)\)\)", re.MULTILINE)
LETTERS = {
    "View": "v", "Out": "o", "Views": "V", "Outs": "O", "double": "d", "int64_t": "i",
}  # fmt: skip


@dataclass(frozen=True)
class Signature:
    """The arguments of an op's kernels by name: views, then what is written, then numbers.

    letters  one for each: v a view, o what is written, V and O lists of these, d a double, i an
             integer
    """

    op: str
    names: tuple[str, ...]
    letters: str

    def __str__(self) -> str:
        return f"{self.op}({', '.join(self.names)})"


@cache
def signatures(file: Path) -> dict[str, Signature]:
    """{op: its signature}. Raises ValueError for a line that it cannot read."""
    found: dict[str, Signature] = {}
    for op, arguments in LINE.findall(file.read_text(encoding="utf-8")):
        pairs = [part.split() for part in arguments.split(",")]
        if op in found or any(len(p) != 2 or p[0] not in LETTERS for p in pairs):
            raise ValueError(f"{file}: {op} is declared twice, or with types that no kernel takes.")
        letters = "".join(LETTERS[kind] for kind, _ in pairs)
        found[op] = Signature(op, tuple(name for _, name in pairs), letters)
    return found
