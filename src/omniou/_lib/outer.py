"""The mark by which `pairwise` asks a score for all pairs of two sets instead of a result element by element."""

from typing import Any, NamedTuple


class Outer(NamedTuple):
    array: Any
