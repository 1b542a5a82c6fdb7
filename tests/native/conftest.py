"""The native module of this checkout; without it these tests say what was not verified. The files
beside them can be imported by their names.
"""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from minigrad import native

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def built() -> ModuleType:
    try:
        return native.load()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")


@pytest.fixture(scope="session")
def kernels_built() -> None:
    from minigrad.kernels.loading import load_built

    try:
        load_built()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")
