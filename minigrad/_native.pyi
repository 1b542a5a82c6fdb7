"""The C++ core of minigrad (csrc/python/module.cpp). Import it through minigrad.native.load()."""

def cpu_features() -> dict[str, bool]:
    """Which instruction sets this processor and operating system offer, by name."""

def build_info() -> dict[str, str]:
    """How this module was built: version, compiler, flags, build_type, standard, arch."""
