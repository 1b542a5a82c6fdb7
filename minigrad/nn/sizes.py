"""Whole numbers that say how large a layer is."""


def whole(call: str, name: str, given: object, least: int = 1) -> int:
    """The number. Raises TypeError for what is no whole number, ValueError below `least`."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError(f"{call}: {name} must be a whole number, got {given!r}.")
    number = int(given.__index__())
    if number < least:
        raise ValueError(f"{call}: {name} must be {least} or more, got {number}.")
    return number
