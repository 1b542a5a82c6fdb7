"""How many threads the libraries of numbers have. They read it once, when they are loaded: so
whoever measures is started with this environment.
"""

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def environment(threads: int) -> dict[str, str]:
    """The environment of a process that computes with so many threads."""
    return {**os.environ, **dict.fromkeys(VARIABLES, str(threads)), "MKL_DYNAMIC": "FALSE"}
