"""Checks that the functions of this package share."""

from collections.abc import Mapping
from typing import Any

import array_api_compat as compat

from omniou._lib import checks, tracers
from omniou._lib.types import Namespace
from omniou._lib.values import position


def matrix_shape(name: str, shape: tuple[Any, ...], /, axes: str = "N, M") -> tuple[int, int]:
    """Raise unless the shape is of matrices; the last two sizes."""
    if len(shape) < 2:
        raise ValueError(f"`{name}` must have shape (..., {axes}), got {tuple(shape)}")
    return shape[-2], shape[-1]


def same_leading(shape: tuple[Any, ...], **others: Any) -> None:
    """Raise unless each array that is given broadcasts to a shape."""
    for name, x in others.items():
        if x is None:
            continue
        if len(x.shape) > len(shape) or checks.broadcast(**{name: x.shape, "the matrix": shape}) != tuple(shape):
            raise ValueError(f"`{name}` must broadcast to shape {tuple(shape)}, got {tuple(x.shape)}")


def sizes_of(sizes: Any, /) -> tuple[int, ...]:
    """Numbers of objects of images."""
    return checks.integers("sizes", sizes, "a list")


def readable(*arrays: Any) -> bool:
    """Whether the values of all arrays may be looked at now."""
    given = [x for x in arrays if x is not None]
    return not tracers.recording() and all(tracers.has_values(x) and not compat.is_dask_array(x) for x in given)


def raise_nan(name: str, unknown: Any, /, *, more: str = "", xp: Namespace) -> None:
    """Raise for the first cell of a matrix that is NaN, and name the way out."""
    way = f": `where=~isnan({name}){more}` excludes such pairs"
    raise_first_cell(name, {"must be a number, got nan": unknown}, way=way, xp=xp)


def raise_first_cell(name: str, faults: Mapping[str, Any], /, *, way: str = "", xp: Namespace) -> None:
    """Raise for the first cell that has a fault; `faults` are booleans of the matrix by description."""
    for fault, bad in faults.items():
        if 0 in bad.shape or not xp.any(bad):
            continue
        first = int(xp.argmax(xp.astype(xp.reshape(bad, (-1,)), xp.uint8)))
        count = int(xp.count_nonzero(bad))
        more = "" if count == 1 else f", in {count} cells"
        raise ValueError(f"`{name}{position(first, bad.shape)}` {fault}{more}{way}")
