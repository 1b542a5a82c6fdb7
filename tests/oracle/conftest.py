"""The files beside the tests can be imported by their names, and the small tape of the others."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "reference")]
