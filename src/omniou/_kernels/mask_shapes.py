"""Masks of shapes: the pixels whose centres lie inside, or on an edge to the left or above."""

from typing import Any

from omniou._kernels import boxes as kernels
from omniou._lib import backends
from omniou._lib.arrays import cast, columns_of, ranked
from omniou._lib.formats import Layout
from omniou._lib.types import Namespace


def of_boxes(
    x: Any, image_sides: Any, /, *, layout: Layout, dtypes: tuple[Any, Any], size: tuple[int, int], xp: Namespace
) -> Any:
    """(..., 4) -> booleans (..., height, width)."""
    dtype = dtypes[0]
    low, high = kernels.corners(columns_of(x, dtype=dtype, xp=xp), image_sides, layout=layout, xp=xp)
    height, width = size
    y, x = (ranked(_centres(n, dtype=dtype, like=x, xp=xp), low.ndim, xp=xp) for n in (height, width))
    in_columns = (x >= low[0, ..., None]) & (x < high[0, ..., None])
    in_rows = (y >= low[1, ..., None]) & (y < high[1, ..., None])
    return in_rows[..., :, None] & in_columns[..., None, :]


def of_polygons(vertices: Any, /, *, dtype: Any, size: tuple[int, int], xp: Namespace) -> Any:
    """(..., V, 2) -> booleans (..., height, width), by the even-odd rule."""
    v = cast(vertices, dtype, xp=xp)
    height, width = size
    y, x = (ranked(_centres(n, dtype=dtype, like=v, xp=xp), v.ndim - 1, xp=xp) for n in (height, width))
    inside: Any = False
    for k in range(v.shape[-2]):
        (x0, y0), (x1, y1) = ((v[..., j, 0, None], v[..., j, 1, None]) for j in (k - 1, k))
        # From the upper end, so that neighbours that share an edge share its rounding.
        down = y0 <= y1
        (x0, y0), (x1, y1) = (
            (xp.where(down, p, q), xp.where(down, r, s)) for p, q, r, s in ((x0, x1, y0, y1), (x1, x0, y1, y0))
        )
        crosses = (y0 <= y) & (y < y1)
        rise = xp.where(y1 > y0, y1 - y0, 1.0)
        at = x0 + (y - y0) * ((x1 - x0) / rise)
        # Pixels (..., height, width) to the left of the edge.
        inside = inside ^ (crosses[..., :, None] & (x[..., None, :] < at[..., :, None]))
    return inside


def _centres(count: int, /, *, dtype: Any, like: Any, xp: Namespace) -> Any:
    return xp.arange(count, dtype=dtype, device=backends.device(like, xp=xp)) + 0.5
