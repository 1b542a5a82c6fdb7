"""Whole numbers that say how large something is, or how far apart: one, or one for each of two
directions.
"""

from collections.abc import Iterable


def whole(call: str, name: str, given: object, least: int = 1) -> int:
    """The number. Raises TypeError for what is no whole number, ValueError below `least`."""
    if not is_whole(given):
        raise TypeError(f"{call}: {name} must be a whole number, got {given!r}.")
    number = int(given.__index__())  # type: ignore[attr-defined]
    if number < least:
        raise ValueError(f"{call}: {name} must be {least} or more, got {number}.")
    return number


def pair(call: str, name: str, given: object, least: int = 1) -> tuple[int, int]:
    """A whole number for both directions, or one for each, as (down, across).

    Raises TypeError for what is no whole number, ValueError below `least` and for another count.
    """
    both = tuple(given) if isinstance(given, Iterable) else (given, given)
    if not all(map(is_whole, both)):
        raise TypeError(f"{call}: {name} is an int or a pair of ints, got {given!r}.")
    numbers = [int(n.__index__()) for n in both]
    if len(numbers) != 2 or min(numbers) < least:
        raise ValueError(f"{call}: {name} is an int of {least} or more, or a pair, got {given!r}.")
    return numbers[0], numbers[1]


def is_whole(x: object) -> bool:
    """Whether Python takes x for an index; bools, which it does, count as none."""
    return not isinstance(x, bool) and hasattr(x, "__index__")
