"""minigrad: a deep-learning framework that its readers build themselves, chapter by chapter."""

from types import ModuleType

__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    if name == "_native":
        # On first use: most of the course runs without the native module.
        from minigrad.native import load

        return load()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
