"""Distances between pixels, and connected components, on the host by SciPy: the extra `masks`."""

import math
from typing import Any

from omniou._lib import extras

# What SciPy takes as `p`.
NORMS = {"euclidean": 2.0, "chessboard": math.inf, "taxicab": 1.0}


def _scipy(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"scipy.{module}")
    except ImportError:
        raise extras.MissingLibraryError(
            f"distances and components of masks need SciPy: {extras.INSTALL['scipy']}", name="scipy"
        ) from None


def tree(points: Any, /) -> Any:
    """Points (K, D) -> an index of them, for `nearest`."""
    return _scipy("spatial").cKDTree(points)


def nearest(points: Any, index: Any, metric: str, /) -> Any:
    """Points (K, D), the index of others -> the distance (K,) of each to the nearest of these, by one of `NORMS`."""
    return index.query(points, p=NORMS[metric])[0]


def to_false(x: Any, spacing: tuple[float, ...], /) -> Any:
    """Booleans, a spacing for each axis -> the distance of each pixel to the nearest false one, between centres."""
    return _scipy("ndimage").distance_transform_edt(x, sampling=spacing)


def components(x: Any, connectivity: int, /) -> tuple[Any, int]:
    """Booleans -> the number of the component of each pixel, 0 for those that are off, and how many there are."""
    ndimage = _scipy("ndimage")
    numbers, count = ndimage.label(x, structure=ndimage.generate_binary_structure(x.ndim, connectivity))
    return numbers, int(count)
