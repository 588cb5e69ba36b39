"""Shapes on the host as a set: rows of an array, or a table of run lengths."""

from typing import Any

from omniou._lib import indexing
from omniou._lib.types import Namespace
from omniou.rle import Masks


def take(shapes: Any, rows: Any, /, *, xp: Namespace) -> Any:
    """Some of the shapes."""
    return shapes.take(rows) if isinstance(shapes, Masks) else xp.take(shapes, rows, axis=0)


def one_group(groups: tuple[Any, ...], size: int, /, *, xp: Namespace) -> tuple[Any, int]:
    """Groups (N,) each -> one number for each combination that occurs (N,), in [0, K), and K."""
    out, count = xp.zeros(size, dtype=xp.int64), 1
    for x in groups:
        different, own = indexing.distinct(x, xp=xp), x
        own = xp.astype(indexing.place(different, own, xp=xp)[0], xp.int64)
        # Numbers of combinations stay below N: those that occur are numbered anew.
        packed = out * different.shape[0] + own
        several = indexing.distinct(packed, xp=xp)
        out, count = xp.astype(indexing.place(several, packed, xp=xp)[0], xp.int64), several.shape[0]
    return out, count
