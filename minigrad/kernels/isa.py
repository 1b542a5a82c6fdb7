"""Instruction sets that kernels are compiled for, and the best one that runs here. Run as a
program, it tells CMake their names and flags.

Every file of kernels is compiled for each set that its architecture has; which variant runs is
decided when it is loaded. MINIGRAD_ISA=avx2 takes a lower one than the best.
"""

import os
import platform
from dataclasses import dataclass

VARIABLE = "MINIGRAD_ISA"
FLAGS = (
    "-O3",
    # Nothing here looks at errno or at floating-point traps; with both, loops stay scalar. NaN and
    # inf go through as ever: -ffast-math is not among these.
    "-fno-math-errno",
    "-fno-trapping-math",
)


@dataclass(frozen=True)
class Isa:
    """A set: its name, what the compiler is told, and what the processor must offer."""

    name: str
    flags: tuple[str, ...]
    needs: tuple[str, ...] = ()


# The best last. The levels are those of the x86-64 psABI.
ISAS = {
    "x86_64": (
        Isa("baseline", ("-march=x86-64",)),
        Isa("avx2", ("-march=x86-64-v3",), ("avx2", "fma", "f16c")),
        Isa("avx512", ("-march=x86-64-v4", "-mprefer-vector-width=512"),
            ("avx512f", "avx512bw", "avx512dq", "avx512vl")),
    ),
    "aarch64": (Isa("baseline", ()),),
}  # fmt: skip


def isas() -> tuple[Isa, ...]:
    """Those of this architecture, the best last."""
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    return ISAS.get(machine, (Isa("baseline", ()),))


def best(features: dict[str, bool]) -> Isa:
    """The best set that this processor offers, or the one that MINIGRAD_ISA names.

    Raises ValueError for a name that there is not, or that does not run here.
    """
    running = [isa for isa in isas() if all(features.get(n, False) for n in isa.needs)]
    wanted = os.environ.get(VARIABLE)
    if not wanted:
        return running[-1]
    for isa in running:
        if isa.name == wanted:
            return isa
    names = ", ".join(isa.name for isa in running)
    raise ValueError(f"{VARIABLE}={wanted}: this machine runs {names}.")


if __name__ == "__main__":
    print(";".join(" ".join((isa.name, *FLAGS, *isa.flags)) for isa in isas()))
