"""The kernel that a chapter's tests are about: out of the file under test, and out of no other.

    add = kernels.under_test("add", step=1)
    add(x, y, out)

Which files are under test is said by whoever runs the tests: the learner's, or with the reference
ours. Nothing stands in for a kernel that they do not have.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from minigrad.kernels import loading, table
from minigrad.kernels.table import MINE, KernelMissing

# (the file by the name that its author knows it under, its library)
Files = Sequence[tuple[str, Path]]

_files: Callable[[], Files] | None = None
_places: list[str] = []


def put_under_test(files: Callable[[], Files]) -> None:
    """From now on the kernels of these files are under test, entered as the learner's. They are
    asked for when the first of them is.
    """
    global _files
    _files = files


def load_tested() -> list[str]:
    """Enter the kernels of the files under test, once; the files.

    Raises build.CompileError or native.NativeMissing where there are none for a file.
    """
    global _files, _places
    if _files is not None:
        found = _files()
        for place, library in found:
            loading.load_library(library, MINE, place)
        _files, _places = None, [place for place, _ in found]
    return _places


class UnderTest:
    """A kernel under test; looked up again at every call, so that it is never an old one."""

    def __init__(self, op: str, backend: str, step: int | None) -> None:
        self.op, self.backend, self.step = op, backend, step

    @property
    def kernel(self) -> Any:
        """The kernel as it is now. Raises KernelMissing."""
        places = load_tested()
        found = [
            key
            for key in table.entries(self.op)
            if (key.backend, key.owner) == (self.backend, MINE)
            and self.step in (None, key.step)
            and table.place_of(key) in places
        ]
        if not found:
            step = "" if self.step is None else f", step {self.step}"
            where = ", ".join(places) or "no file"
            raise KernelMissing(
                f"there is no kernel {self.op} ({self.backend}{step}) in what is under test: "
                f"{where}. A line Register<op::{self.op}> enters one."
            )
        return table.kernel(max(found))

    @property
    def types(self) -> int:
        """The set of bits of the dtypes that it takes."""
        return int(self.kernel.types)

    def bind(self, *arguments: Any) -> Callable[[], None]:
        """The kernel with its arguments, to be called without any."""
        bound: Callable[[], None] = self.kernel.bind(*arguments)
        return bound

    def __call__(self, *arguments: Any) -> None:
        self.kernel(*arguments)

    def __repr__(self) -> str:
        return f"<{self.op} under test>"


def under_test(op: str, *, step: int | None = None, backend: str = "cpp") -> UnderTest:
    """The kernel of `op` in the files under test; without `step`, its highest there."""
    return UnderTest(op, backend, step)
