"""Scores of the outlines of masks."""

import dataclasses
import math
from typing import Annotated, Any, Unpack

from omniou._catalogue.options import Option, declared, takes
from omniou._kernels import mask_edges as kernels
from omniou._kernels import masks as scores
from omniou._lib import checks
from omniou._lib.docs import says
from omniou._lib.types import ArrayLike, ArrayT
from omniou.masks._call import THRESHOLD, EmptyOption, MaskOptions, PixelOptions, checked_threshold, one, score

_RATIO = (
    "How near, as a share of the image's diagonal, rounded to pixels and at least 1; along rows, columns and diagonals "
    "alike."
)
_WIDTH = "How near in pixels, in place of `dilation_ratio`."


class NearOptions(MaskOptions, total=False):
    """Of scores of what is near an outline."""

    dilation_ratio: Annotated[float, Option(0.02, _RATIO)]
    width: Annotated[int | None, Option(None, _WIDTH)]


@dataclasses.dataclass(frozen=True)
class Near:
    """What counts the pixels near outlines, of a distance that depends on the image."""

    kernel: Any
    ratio: float
    width: int | None

    def of_size(self, size: tuple[int, int], /) -> Any:
        """The same for images of one size."""
        return self.kernel(radius(size, self.ratio, self.width))


def radius(size: tuple[int, int], ratio: float, width: int | None) -> int:
    """The distance in pixels: halves are rounded to even, as in the reference implementation and `omniou.rle`."""
    return max(1, round(min(ratio, 1.0) * math.hypot(*size))) if width is None else width


def _near(kernel: Any, given: dict[str, Any]) -> Near:
    ratio = checks.number("dilation_ratio", given.pop("dilation_ratio"), least=0.0)
    width = given.pop("width")
    return Near(kernel, ratio, None if width is None else checks.count("width", width))


@says(ratio=_RATIO, width=_WIDTH, threshold=THRESHOLD)
def boundary(
    x: ArrayT | ArrayLike,
    /,
    *,
    dilation_ratio: float = 0.02,
    width: int | None = None,
    threshold: float | None = None,
) -> ArrayT:
    """Pixels of each mask that are near its edge, or near the edge of the image.

    Parameters
    ----------
    x : array, shape (..., height, width)
        Masks: booleans, integers of which all but 0 are on, or floats.
    dilation_ratio : float
        {ratio}
    width : int, optional
        {width}
    threshold : float, optional
        {threshold}

    Returns
    -------
    array of booleans, shape (..., height, width)

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Cheng et al., Boundary IoU, CVPR 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import masks
    >>> masks.boundary(np.ones((3, 4)), width=1).astype(int).tolist()
    [[1, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]
    """
    near = _near(None, {"dilation_ratio": dilation_ratio, "width": width})
    return one(
        kernels.boundary,
        x,
        of_size=lambda size: {"radius": radius(size, near.ratio, near.width)},
        threshold=checked_threshold(threshold),
    )


_NEAR = declared(NearOptions)


@takes(_NEAR)
def boundary_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[NearOptions]) -> ArrayT:
    """IoU of the boundaries of two masks: the pixels of each that are near its edge.

    The IoU of large masks hardly depends on their outline; this does. In boundary AP the overlap is the lower of both.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        As of `iou`. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Cheng et al., Boundary IoU, CVPR 2021. `omniou.rle` computes the same on runs.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import masks
    >>> a, b = np.zeros((2, 200, 200))
    >>> a[20:180, 20:180] = b[22:182, 20:180] = 1
    >>> round(float(masks.iou(a, b)), 3), round(float(masks.boundary_iou(a, b)), 3)
    (0.975, 0.714)
    """
    given: dict[str, Any] = dict(options)
    return score(scores.iou, _near(kernels.Boundary, given), a, b, given)


@takes(_NEAR)
def trimap_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[NearOptions]) -> ArrayT:
    """IoU of two masks within a band around the outline of the second, the ground truth.

    The band has the pixels with both a true and a false one of `b` within the width, along rows, columns and diagonals.
    The edge of the image is no outline. Unlike boundary IoU it is not symmetric, and it does not see errors of `a` that
    are far from the outline of `b`.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; NaN where a mask has NaN. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Kohli et al., Robust higher order potentials, IJCV 2009.

    Examples
    --------
    >>> from omniou import masks
    >>> truth = [[1, 1, 1, 0, 0, 0]]
    >>> float(masks.trimap_iou([[1, 1, 1, 1, 0, 1]], truth, width=1))
    0.5
    """
    given: dict[str, Any] = dict(options)
    return score(scores.iou, _near(kernels.Trimap, given), a, b, given)


class ContourOptions(PixelOptions, EmptyOption, total=False):
    """Of the boundary F-measure."""

    tolerance: Annotated[
        float,
        Option(
            0.008,
            "Distance from centre to centre: a whole number of pixels, or below 1 a share of the image's diagonal, "
            "rounded up to pixels. DAVIS has 0.008.",
        ),
    ]


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """What counts outlines within a distance that depends on the image."""

    tolerance: float

    def of_size(self, size: tuple[int, int], /) -> Any:
        """The same for images of one size."""
        share = self.tolerance < 1
        return kernels.OfContours(math.ceil(self.tolerance * math.hypot(*size)) if share else int(self.tolerance))


@takes(declared(ContourOptions))
def boundary_f(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[ContourOptions]) -> ArrayT:
    """Boundary F-measure: how much of the outlines of both masks lies within a tolerance of the other.

    It is DAVIS's F, the harmonic mean of precision (of the outline of `a`) and recall (of that of `b`). DAVIS's J is
    `iou`. Outlines are one pixel wide: a pixel belongs to one if the pixel to its right, below or below to the right
    differs.

    Parameters
    ----------
    a, b : array, shape (..., height, width)
        Masks of one size: booleans, integers of which all but 0 are on, or floats with a `threshold`. Leading axes
        broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1], as of `iou`. ``pairwise`` takes it.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    References
    ----------
    Perazzi et al., A benchmark dataset and evaluation methodology for video object segmentation, CVPR 2016; after
    Martin et al., PAMI 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import masks
    >>> a, b = np.zeros((2, 40, 40))
    >>> a[10:30, 10:30] = b[12:32, 10:30] = 1
    >>> round(float(masks.boundary_f(a, b, tolerance=1)), 3), float(masks.boundary_f(a, b, tolerance=2))
    (0.525, 1.0)
    """
    given: dict[str, Any] = dict(options)
    tolerance = checks.number("tolerance", given.pop("tolerance"), least=0.0)
    if tolerance >= 1 and tolerance != int(tolerance):
        msg = f"`tolerance` must be a whole number of pixels, or a share below 1, got {tolerance!r}"
        raise ValueError(msg)
    return score(kernels.boundary_f, Tolerance(tolerance), a, b, given)
