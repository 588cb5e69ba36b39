"""One box array at a time, and what encloses two."""

from typing import Any, Unpack

from omniou._catalogue.calls import opened
from omniou._catalogue.options import BOX_FORMATS, CornerOptions, declared, takes
from omniou._kernels import boxes as kernels
from omniou._lib import backends, formats
from omniou._lib.arrays import agree, arrays_of, widest_floating
from omniou._lib.docs import says
from omniou._lib.formats import BoxFormat
from omniou._lib.types import ArrayLike, ArrayT
from omniou._lib.values import raise_first
from omniou.boxes._geometry import GEOMETRY

_CORNERS = declared(CornerOptions)


@takes(_CORNERS)
def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    **options: Unpack[CornerOptions],
) -> ArrayT:
    """Smallest box around both, element by element. Empty boxes count as the points where they lie.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (..., 2 * D)
        In the same format.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> boxes.enclosing([0, 0, 1, 1], [2, 2, 1, 3], format="xywh").tolist()
    [0.0, 0.0, 3.0, 5.0]
    """
    xp, (p, q), image_sides, layout, dtypes = opened(GEOMETRY, dict(options), a=a, b=b)
    return backends.run(kernels.enclosing, p, q, image_sides, layout=layout, dtypes=dtypes, xp=xp)


@takes(_CORNERS)
def area(
    x: ArrayT | ArrayLike,
    /,
    **options: Unpack[CornerOptions],
) -> ArrayT:
    """Area of each box (length in 1-D, volume in 3-D); 0 for an inverted one.

    Parameters
    ----------
    x : array, shape (..., 2 * D)
        Boxes.
    **options

    Returns
    -------
    array, shape (...)
        At least 0, in the unit of the coordinates to the power D.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> boxes.area([[0, 0, 2, 3], [0, 0, 2, -3]], format="xywh").tolist()
    [6.0, 0.0]
    """
    xp, (array,), image_sides, layout, dtypes = opened(GEOMETRY, dict(options), x=x)
    return backends.run(kernels.area, array, image_sides, layout=layout, dtypes=dtypes, xp=xp)


@says(formats=BOX_FORMATS)
def convert(
    x: ArrayT | ArrayLike,
    source: BoxFormat,
    target: BoxFormat,
    /,
    *,
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """The same boxes in another format. Inverted boxes stay inverted.

    Parameters
    ----------
    x : array, shape (..., 2 * D)
        Boxes.
    source, target : str
        {formats}
    offset : float
        1 where high corners name the last pixel inside: width = x2 - x1 + 1.
    image_size
        (height, width), needed where one of the formats is relative.

    Returns
    -------
    array, shape (..., 2 * D)

    Raises
    ------
    TypeError, ValueError
        If the array holds no real numbers, its shape does not fit, or a format or unit is unknown.

    Examples
    --------
    >>> boxes.convert([10, 15, 30, 35], "xyxy", "cxcywh").tolist()
    [20.0, 25.0, 20.0, 20.0]
    >>> boxes.convert([0.1, 0.2, 0.5, 1.0], "rel_xyxy", "xyxy", image_size=(100, 200)).tolist()
    [20.0, 20.0, 100.0, 100.0]
    """
    GEOMETRY.check_format(source, "source")
    GEOMETRY.check_format(target, "target")
    scaled = source.startswith("rel_") != target.startswith("rel_")
    given = {"offset": offset, "image_size": image_size}
    xp, (array,), image_sides, old, dtypes = opened(GEOMETRY, {"format": source, **given}, scaled=scaled, x=x)
    new = opened(GEOMETRY, {"format": target, **given}, scaled=scaled, x=x).layout
    return backends.run(kernels.convert, array, image_sides, layouts=(old, new), dtypes=dtypes, xp=xp)


@takes(_CORNERS)
def check(
    x: Any,
    /,
    **options: Unpack[CornerOptions],
) -> None:
    """Raise unless every box is finite, not inverted, and within the image if `image_size` is given.

    The scores themselves look at no value, for that would wait for the device: call this where data comes in.

    Parameters
    ----------
    x : array, shape (..., 2 * D)
        Boxes.
    **options

    Raises
    ------
    ValueError
        Naming the first bad row, what is wrong with it, and its numbers.

    Examples
    --------
    >>> boxes.check([[0, 0, 1, 1], [3, 0, 2, 1]])
    Traceback (most recent call last):
        ...
    ValueError: `x[1]` is inverted: high corner below low one in [3.0, 0.0, 2.0, 1.0]
    """
    scaled = options["image_size"] is not None or str(options["format"]).startswith("rel_")
    xp, (array,), image_sides, layout, (compute, _) = opened(GEOMETRY, dict(options), scaled=scaled, x=x)
    raise_first("x", array, kernels.faults(array, image_sides, layout=layout, dtype=compute, xp=xp), xp=xp)


def from_masks(masks: ArrayT, /, *, offset: float = 0.0) -> ArrayT:
    """Tightest xyxy box around the true pixels of each mask.

    Parameters
    ----------
    masks : array, shape (..., height, width)
        Booleans, or integers of which all but 0 are true.
    offset : float
        0: high corners lie at the far edge of the last pixel, so that a mask of one pixel has area 1.
        1: high corners name the last pixel inside.

    Returns
    -------
    array, shape (..., 4)
        In the widest float of the library; [0, 0, 0, 0] (with offset 1: [0, 0, -1, -1]) for an empty mask.

    Raises
    ------
    TypeError
        If the masks are neither booleans nor integers.
    ValueError
        If they have fewer than two axes or no pixels, or `offset` is neither 0 nor 1.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.zeros((5, 8), dtype=bool)
    >>> mask[1:3, 2:7] = True
    >>> boxes.from_masks(mask).tolist()
    [2.0, 1.0, 7.0, 3.0]
    """
    (array,), facts = arrays_of(masks=masks)
    xp = facts[0].namespace
    agree(facts)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        msg = f"`masks` must have shape (..., height, width), got {tuple(array.shape)}"
        raise ValueError(msg)
    layout, _ = formats.layout("xyxy", offset)
    return backends.run(kernels.from_masks, array, layout=layout, dtype=widest_floating(xp), xp=xp)
