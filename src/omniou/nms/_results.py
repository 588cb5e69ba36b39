"""What the functions return."""

from typing import Any, NamedTuple


class Fixed(NamedTuple):
    """A result of fixed size, for compilers.

    Attributes
    ----------
    indices : array, shape (..., size)
        Places of what is kept, by falling score; -1 fills the rest.
    scores : array, shape (..., size)
        Scores of what is kept; 0 fills the rest.
    count : array, shape (...)
        How many are kept. If there are more than `size`, `indices` lacks the lowest scores.
    mask : array, shape (..., N)
        Whether each input is kept, also those that `indices` lacks.
    """

    indices: Any
    scores: Any
    count: Any
    mask: Any


class Rescored(NamedTuple):
    """What is kept, by falling new score.

    Attributes
    ----------
    indices : array, shape (K,)
    scores : array, shape (K,)
        New scores.
    """

    indices: Any
    scores: Any
