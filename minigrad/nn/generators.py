"""Where a layer's random numbers come from."""

from minigrad.random import Generator, default_generator


def generator_or_default(call: str, given: Generator | None) -> Generator:
    """The generator given, or that of manual_seed for None. Raises TypeError for anything else."""
    if given is None:
        return default_generator
    if not isinstance(given, Generator):
        raise TypeError(
            f"{call}: generator must be a minigrad.Generator, got {given!r}; Generator(seed=0) "
            "makes one."
        )
    return given
