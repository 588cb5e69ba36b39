"""NumPy for the doctor, which reads columns of any library on the host."""

from typing import TYPE_CHECKING, Any, TypeAlias

from omniou._lib import backends

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column: TypeAlias = npt.NDArray[Any]
else:
    np = backends.numpy_namespace()
    Column = Any

__all__ = ["Column", "distinct", "median", "np", "quantile"]


def median(x: Column) -> float:
    """The median, as by `np.median`, which loads NumPy's masked arrays: 30 ms."""
    return quantile(x, 0.5)


def quantile(x: Column, share: float) -> float:
    """A quantile, interpolated as by `np.quantile`, which also loads masked arrays."""
    place = share * (len(x) - 1)
    below = int(place)
    two = np.partition(x, [below, min(below + 1, len(x) - 1)])[below : below + 2]
    return float(two[0] + (place - below) * (two[-1] - two[0]))


def distinct(x: Column) -> Column:
    """The distinct values (N,), rising, as by `np.unique`, which also loads masked arrays."""
    rising = np.sort(x)
    return rising[np.concatenate([rising[:1] == rising[:1], rising[1:] != rising[:-1]])]
