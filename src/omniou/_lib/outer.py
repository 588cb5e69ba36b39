"""The marks by which `pairwise` asks a score for all pairs of two sets instead of a result element by element."""

from typing import Any


class Outer:
    """One of the two sets of a call of `pairwise`. Not a tuple: these are made faster, and for each call."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array


class Rows(Outer):
    """The first set, which gives the rows of the result."""

    __slots__ = ()


class Columns(Outer):
    """The second set."""

    __slots__ = ()
