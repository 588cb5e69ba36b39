"""Check that all masks of an image have one size: masks of different sizes have no common pixels to compare."""

from collections.abc import Callable, Sequence
from typing import Any

from omniou._lib import indexing
from omniou._lib.types import Namespace


def check(sizes: Sequence[Any], images: Sequence[Any], where: Callable[[int, int], str], /, *, xp: Namespace) -> None:
    """Raise for the first mask whose size differs from the first mask of its image.

    Parameters
    ----------
    sizes, images : sequence of array
        Of each table, in NumPy: heights and widths (N, 2), and the number of the image of each mask (N,).
    where : callable
        Number of the table and row -> what to call the mask.
    """
    every = xp.concat(list(sizes))
    rows, leaders = indexing.unlike_first(every, xp.concat(list(images)), xp=xp)
    if rows.size:
        listed, pair = [], []
        for row in (int(leaders[0]), int(rows[0])):
            table = int(row >= len(sizes[0]))
            pair.append(every[row].tolist())
            listed.append(f"{pair[-1]} in {where(table, row - table * len(sizes[0]))}")
        raise ValueError(
            f"masks of one image must have one height and width, got {' and '.join(listed)}{turned(*pair)}"
        )


def turned(one: list[int], other: list[int], /) -> str:
    """What to say of two sizes, if one is the other with height and width exchanged."""
    return ": height and width are exchanged" if one == other[::-1] else ""
