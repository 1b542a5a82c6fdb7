"""The Tensor API on every device. Every engine has to pass these tests as they stand: they know
public names of minigrad alone, and their expectations come from NumPy in float64 or from plain
Python.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# The one list of the devices with a complete engine.
DEVICES = ["numpy"]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


def pytest_configure(config):
    config.addinivalue_line("markers", "row(*keys): the rows of minigrad.surface that it tests")
