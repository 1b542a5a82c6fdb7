"""The native module of this checkout; without it these tests say what was not verified."""

from types import ModuleType

import pytest

from minigrad import native


@pytest.fixture
def built() -> ModuleType:
    try:
        return native.load()
    except native.NativeMissing as error:
        pytest.skip(f"not verified: {error}")
