"""Masks of boxes, rotated rectangles and polygons."""

from typing import Annotated, Any, TypedDict, Unpack

from omniou import rotated
from omniou._catalogue.geometries import polygons
from omniou._catalogue.geometries import rotated as rotated_geometry
from omniou._catalogue.geometries.boxes import GEOMETRY
from omniou._catalogue.geometry import Measure
from omniou._catalogue.options import COUNTING, Option, declared, described, takes
from omniou._catalogue.shape_calls import measure_of, numbers_of
from omniou._catalogue.shape_options import CornerOptions, FormatOption, OffsetOption, RotatedFormat, RotatedOptions
from omniou._kernels import masks as kernels
from omniou._lib import backends
from omniou._lib.arrays import agree, arrays_of
from omniou._lib.docs import described as with_texts
from omniou._lib.types import ArrayLike, ArrayT


class _PixelsOption(TypedDict, total=False):
    size: Annotated[Any, Option(None, "Height and width of the masks.", COUNTING)]


class ReadingOptions(FormatOption, OffsetOption, total=False):
    """How boxes are written."""


_FROM_BOXES = measure_of(
    Measure(name="from_boxes", title="", kernel=kernels.of_boxes, numbers=4),
    GEOMETRY,
    declared(CornerOptions, _PixelsOption),
)


@takes(declared(ReadingOptions))
def from_boxes(x: ArrayT | ArrayLike, image_size: tuple[int, int], /, **options: Unpack[ReadingOptions]) -> ArrayT:
    """Masks of axis-aligned boxes: the pixels whose centres lie inside.

    A centre on the left or upper edge is inside, one on the right or lower edge is not: boxes side by side share no
    pixel. Of boxes with whole coordinates, `omniou.boxes.from_masks` gives the boxes back.

    Parameters
    ----------
    x : array, shape (..., 4)
        Boxes. Inverted ones, and those with NaN, have no pixels; what lies outside of the image is cut off.
    image_size : tuple of int
        (height, width).
    **options

    Returns
    -------
    array of booleans, shape (..., height, width)

    Raises
    ------
    TypeError
        If `x` holds no numbers.
    ValueError
        If the shape, `image_size` or `format` is wrong.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.from_boxes([1, 0, 3, 1], (2, 4)).astype(int).tolist()
    [[0, 1, 1, 0], [0, 0, 0, 0]]
    """
    size = checked_size(image_size)
    return _FROM_BOXES({**options, "image_size": list(map(float, size)), "size": size}, x=x)


@with_texts(described(declared(RotatedOptions)))
def from_rotated(x: ArrayT | ArrayLike, image_size: tuple[int, int], /, *, format: RotatedFormat = "cxcywhr") -> ArrayT:
    """Masks of rotated rectangles: the pixels whose centres lie inside.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles; angles in radians, positive from x towards y.
    image_size : tuple of int
        (height, width).
    format

    Returns
    -------
    array of booleans, shape (..., height, width)

    Raises
    ------
    TypeError, ValueError
        The same as in `from_boxes`.

    Examples
    --------
    >>> import math
    >>> from omniou import masks
    >>> masks.from_rotated([1.5, 1.5, 3, 1, math.pi / 2], (3, 3)).astype(int).tolist()
    [[0, 1, 0], [0, 1, 0], [0, 1, 0]]
    """
    (array,), facts = arrays_of(x=numbers_of(rotated_geometry.GEOMETRY, "x", x))
    # Corners of 16 bits would be pixels apart from where they are.
    wide = facts[0].namespace.astype(array, agree(facts)[0])
    return from_polygons(rotated.corners(wide, format=format), image_size)


def from_polygons(x: ArrayT | ArrayLike, image_size: tuple[int, int], /) -> ArrayT:
    """Masks of polygons: the pixels whose centres lie inside, by the even-odd rule.

    COCO draws outlines on a grid of fifths of a pixel, and thus other pixels near the edges.
    `omniou.rle.Masks.from_polygons` draws as pycocotools does, and takes polygons of any number of vertices.

    Parameters
    ----------
    x : array, shape (..., V, 2)
        Vertices x, y along the outline, either way round, convex or not. Vertices may repeat.
    image_size : tuple of int
        (height, width).

    Returns
    -------
    array of booleans, shape (..., height, width)

    Raises
    ------
    TypeError, ValueError
        The same as in `from_boxes`.

    Examples
    --------
    >>> from omniou import masks
    >>> masks.from_polygons([[0, 0], [4, 0], [0, 4]], (4, 4)).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    """
    size = checked_size(image_size)
    (array,), facts = arrays_of(x=numbers_of(polygons.GEOMETRY, "x", x))
    compute, _ = agree(facts)
    shape = tuple(array.shape)
    if len(shape) < 2 or shape[-1] != 2 or shape[-2] < 3:
        raise ValueError(f"`x` must have shape (..., V, 2) with at least 3 vertices, got {shape}")
    return backends.run(kernels.of_polygons, array, dtype=compute, size=size, xp=facts[0].namespace)


def checked_size(image_size: Any) -> tuple[int, int]:
    """Height and width, checked."""
    try:
        height, width = image_size
        sizes = int(height), int(width)
        valid = min(sizes) >= 0 and sizes == (height, width)
    except (TypeError, ValueError):
        valid, sizes = False, (0, 0)
    if not valid:
        raise ValueError(f"`image_size` must be (height, width), two integers of at least 0, got {image_size!r}")
    return sizes
