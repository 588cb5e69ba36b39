"""NumPy, which is loaded with the first mask, and the limits and errors of tables."""

import functools
import itertools
from typing import Any

from omniou._lib import backends, host
from omniou._lib.types import Namespace

# Largest number of pixels of an image.
MOST = 2**34

# Starts and ends of runs whose temporaries stay in cache.
TILE = 2**17


@functools.cache
def numpy() -> Namespace:
    try:
        xp = backends.numpy_namespace()
    except ImportError:
        raise ModuleNotFoundError(
            "run lengths are kept in NumPy arrays, and NumPy is not installed: `pip install numpy`"
        ) from None
    return host.lean(xp)


def place_dtype(pixels: int) -> Any:
    """The narrowest dtype for places in images of that many pixels."""
    xp = numpy()
    return xp.int32 if pixels < 2**31 else xp.int64


class MaskError(ValueError):
    """The error of an invalid mask.

    Attributes
    ----------
    row : int
        Its index among the masks that were given.
    field : str
        The part at fault: "size", "counts", "[2]" for the third polygon, or empty for the whole mask.
    fault : str
        What is wrong.
    """

    __module__ = "omniou.rle"

    def __init__(self, row: int, field: str, fault: str, *, name: str = "segmentations") -> None:
        self.row, self.field, self.fault = row, field, fault
        dot = "." if field and not field.startswith("[") else ""
        super().__init__(f"{name}[{row}]{dot}{field}: {fault}")


def batches(weights: Any, most: int) -> list[tuple[int, int]]:
    """Weights (N,) -> rows from, to: of a weight of about `most`, one row at least."""
    if weights.shape[0] == 0:
        return []
    xp = numpy()
    total = xp.cumulative_sum(weights, include_initial=True)
    cuts = xp.searchsorted(total, xp.arange(most, int(total[-1]), most)).tolist()
    return list(itertools.pairwise(sorted({0, *cuts, weights.shape[0]})))


def as_rows(name: str, rows: Any, count: int) -> Any:
    """Numbers of rows (K,), or booleans (N,), of a table of `count` masks -> int64."""
    xp = numpy()
    numbers = xp.asarray(rows)
    if numbers.dtype == bool and numbers.shape == (count,):
        return xp.nonzero(numbers)[0]
    if numbers.size == 0:
        numbers = xp.zeros(0, dtype=xp.int64)
    if numbers.ndim != 1 or not xp.isdtype(numbers.dtype, "integral"):
        raise ValueError(
            f"`{name}` must be integers of shape (K,), got shape {numbers.shape} and dtype {numbers.dtype}"
        )
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < count):
        raise ValueError(f"`{name}` must be at least 0 and less than {count}, got {numbers.min()} to {numbers.max()}")
    return xp.astype(numbers, xp.int64)
