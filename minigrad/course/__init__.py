"""The machinery of the course; in a notebook, `%load_ext minigrad.course`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(shell: "InteractiveShell") -> None:
    """Make this notebook's chapter the learner's and all others the reference."""
    from minigrad.course.extension import load

    load(shell)
