"""minigrad: a deep-learning framework that its readers build themselves, chapter by chapter.

Every public name stands in surface.py and is loaded on first use: `import minigrad` alone loads
nothing.
"""

__version__ = "0.1.0"

TYPE_CHECKING = False  # what mypy and editors take for true, without an import of typing
if TYPE_CHECKING:
    from minigrad.api import *  # noqa: F403


def __getattr__(name: str) -> object:
    if name == "_native":
        # Most of the course runs without the native module.
        from minigrad.native import load

        return load()
    from importlib import import_module

    from minigrad.surface import MODULES, NAMES

    found: object
    if name in MODULES:
        found = import_module(f"minigrad.{name}")
    elif name in NAMES:
        found = getattr(import_module("minigrad.api"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    from minigrad.surface import MODULES, NAMES

    return sorted({*globals(), *NAMES, *MODULES})
