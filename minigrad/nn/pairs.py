"""Sizes and steps in two directions, down and across."""

from collections.abc import Iterable

from minigrad.nn.sizes import whole


def pair(call: str, name: str, given: object, least: int = 1) -> tuple[int, int]:
    """A whole number for both directions, or one for each, as (down, across).

    Raises TypeError for what is no whole number, ValueError below `least` and for more than two.
    """
    both = tuple(given) if isinstance(given, Iterable) else (given, given)
    if len(both) != 2:
        raise ValueError(f"{call}: {name} is one number or a pair, got {given!r}.")
    return whole(call, name, both[0], least), whole(call, name, both[1], least)
