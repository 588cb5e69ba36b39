"""Pixels."""

from typing import Any


def erode(pixels: Any, radius: int, stride: int, /) -> Any:
    """Booleans (K,), `stride` of which make a column -> (K - 2 * radius * (stride + 1),).

    True where all within `radius` rows and columns are true: the first result is for the pixel `radius` columns and
    rows on. Columns and masks that follow each other must be apart by one pixel, or column, that is false.
    """
    return _all_of(_all_of(pixels, 2 * radius + 1, 1), 2 * radius + 1, stride)


def _all_of(x: Any, count: int, step: int, /) -> Any:
    """Whether it and all at 1, 2 ... `count` - 1 steps after it are true, (K,) -> (K - (count - 1) * step,)."""
    seen = 1
    while seen < count:
        # Twice as many as before, or what is left of them.
        more = min(seen, count - seen)
        x = x[: x.shape[0] - more * step] & x[more * step :]
        seen += more
    return x
