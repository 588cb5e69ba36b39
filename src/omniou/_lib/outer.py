"""The mark by which `pairwise` asks a score for all pairs of two sets instead of a result element by element."""

from typing import Any, NamedTuple


class Outer(NamedTuple):
    """One of the two sets of a call of `pairwise`."""

    array: Any
    is_first: bool
