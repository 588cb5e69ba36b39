"""Outlines of masks, and how well two of them agree."""

import math
from typing import Annotated, Any, Unpack

from omniou._catalogue.mask_calls import mask_operation, one_mask, radius
from omniou._catalogue.options import COUNTING, Option, declared, takes
from omniou._catalogue.pixel_options import HardOptions, NearOptions, ThresholdOption, ZeroDivisionOption
from omniou._kernels import mask_edges as kernels
from omniou._lib.types import ArrayLike, ArrayT


class BoundaryOptions(NearOptions, ThresholdOption, total=False):
    """Options of boundaries."""


def _of_size(options: dict[str, Any], size: tuple[int, int]) -> dict[str, Any]:
    return {"radius": radius(options, size), "threshold": options["threshold"]}


_BOUNDARY = one_mask(kernels.boundary, declared(BoundaryOptions), of_size=_of_size)


@takes(_BOUNDARY.options)
def boundary(x: ArrayT | ArrayLike, /, **options: Unpack[BoundaryOptions]) -> ArrayT:
    """Pixels of each mask that are near its edge, or near the edge of the image.

    Parameters
    ----------
    x : array, shape (..., height, width)
        Masks: booleans, integers that are 0 or one other number, or floats with a `threshold`.
    **options

    Returns
    -------
    array of booleans, shape (..., height, width)

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    References
    ----------
    Cheng et al., Boundary IoU, CVPR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import masks
    >>> masks.boundary(np.ones((3, 4), dtype=bool), width=1).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    """
    return _BOUNDARY(options, x=x)


class ContourOptions(HardOptions, ZeroDivisionOption, total=False):
    """Options of the boundary F-measure."""

    tolerance: Annotated[
        float,
        Option(
            0.008,
            "Distance from centre to centre: a whole number of pixels, or below 1 a share of the image's diagonal, "
            "rounded up to pixels. DAVIS has 0.008.",
            COUNTING,
            least=0.0,
        ),
    ]


def contour_radius(tolerance: float, size: tuple[int, int]) -> int:
    """A tolerance in whole pixels, or as a share of the diagonal of an image, -> pixels."""
    if tolerance >= 1 and tolerance != int(tolerance):
        raise ValueError(f"`tolerance` must be a whole number of pixels, or a share below 1, got {tolerance!r}")
    return math.ceil(tolerance * math.hypot(*size)) if tolerance < 1 else int(tolerance)


def _contours(options: dict[str, Any], size: tuple[int, int]) -> kernels.OfContours:
    """Return the counting of outlines within a distance that depends on the image."""
    return kernels.OfContours(contour_radius(options["tolerance"], size))


_F = mask_operation(lambda given: kernels.BoundaryF(given["zero_division"]), _contours, declared(ContourOptions))


@takes(_F.options)
def boundary_f(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[ContourOptions]) -> ArrayT:
    """Boundary F-measure: how much of the outlines of both masks lies within a tolerance of the other.

    It is DAVIS's F, the harmonic mean of precision (of the outline of `a`) and recall (of the outline of `b`). DAVIS's
    J is `iou`. Outlines are one pixel wide: a pixel belongs to one if the pixel to its right, below or below to the
    right differs.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers that are 0 or one other number, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1], with `iou`'s library, device and dtype. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    References
    ----------
    Perazzi et al., A benchmark dataset and evaluation methodology for video object segmentation, CVPR 2016; after
    Martin et al., PAMI 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import masks
    >>> a, b = np.zeros((2, 40, 40), dtype=bool)
    >>> a[10:30, 10:30] = b[12:32, 10:30] = 1
    >>> round(float(masks.boundary_f(a, b, tolerance=1)), 3), float(masks.boundary_f(a, b, tolerance=2))
    (0.525, 1.0)
    """
    return _F(options, a=a, b=b)
