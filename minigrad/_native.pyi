"""The C++ core of minigrad (csrc/python/module.cpp). Import it through minigrad.native.load()."""

def cpu_features() -> dict[str, bool]:
    """Which instruction sets this processor and operating system offer, by name."""

def build_info() -> dict[str, str]:
    """How this module was built: version, compiler, flags, build_type, standard, arch."""

class Call:
    """A kernel with its arguments: call it to run it again."""

    def __call__(self) -> None: ...

class Kernel:
    """A kernel of a library: called with ndarrays, then numbers."""

    op: str
    backend: str
    step: int
    types: int

    def bind(self, *arguments: object) -> Call: ...
    def __call__(self, *arguments: object) -> None: ...

def open_library(path: str, signatures: dict[str, str]) -> list[Kernel]:
    """The kernels of a library."""
