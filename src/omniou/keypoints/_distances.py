"""Shares of points that are near enough (PCK, PCKh), mean distances (NME), and the lengths that they are divided by."""

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from omniou._catalogue.geometries import boxes
from omniou._catalogue.keypoint_calls import distance_operation
from omniou._catalogue.keypoint_options import NormOptions, PckOptions
from omniou._catalogue.options import declared, takes
from omniou._catalogue.shape_calls import converted, numbers_of
from omniou._kernels import keypoints as kernels
from omniou._lib import checks
from omniou._lib.arrays import agree, arrays_of, cast
from omniou._lib.types import ArrayLike, ArrayT

_PCK = distance_operation(kernels.pck, declared(PckOptions))
_NME = distance_operation(kernels.nme, declared(NormOptions))
# MPII's head boxes are larger than heads.
_OF_HEAD = 0.6
_MEASURES = ("longest", "root_area", "diagonal")


@takes(_PCK.options)
def pck(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[PckOptions]) -> ArrayT:
    """Percentage of correct keypoints (PCK), as a share in [0, 1].

    A point is correct where its distance over the norm is below the threshold; at the threshold it is not.

    Parameters
    ----------
    a : array, shape (..., K, 2) or (..., K, 3)
        Predictions.
    b : array, shape (..., K, 2) or (..., K, 3)
        Ground truth, as (x, y), or (x, y, v) with COCO's v. Leading axes are objects, and broadcast.
    **options

    Returns
    -------
    array, shape () or (K,)
        NaN where no point counts. A point that no object has does not count in the mean.

    Raises
    ------
    TypeError, ValueError
        The same as `oks`; if `norm` is missing.

    References
    ----------
    Yang and Ramanan, Articulated human detection with flexible mixtures of parts, PAMI 2013.

    Examples
    --------
    Two objects of two points; one point is too far away:

    >>> from omniou import keypoints
    >>> truth = [[[0.0, 0], [10, 0]], [[0, 0], [10, 0]]]
    >>> found = [[[0.0, 1], [10, 5]], [[0, 0], [10, 1]]]
    >>> float(keypoints.pck(found, truth, norm=[10.0, 10.0], threshold=0.2))
    0.75
    """
    return _PCK(options, a=a, b=b)


@takes(_NME.options)
def nme(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[NormOptions]) -> ArrayT:
    """Normalised mean error (NME) of each object: the mean distance of its points over the norm.

    That of a data set is the mean over its objects.

    Parameters
    ----------
    a : array, shape (..., K, 2) or (..., K, 3)
        Predictions.
    b : array, shape (..., K, 2) or (..., K, 3)
        Ground truth, as (x, y), or (x, y, v) with COCO's v. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...)
        At least 0, the lower the better; NaN for an object of which no point counts.

    Raises
    ------
    TypeError, ValueError
        The same as `oks`; if `norm` is missing.

    References
    ----------
    Sagonas et al., 300 Faces in-the-Wild Challenge, ICCV Workshops 2013.

    Examples
    --------
    >>> from omniou import keypoints
    >>> truth = [[[0.0, 0], [10, 0]]]
    >>> eyes = keypoints.point_distance(truth, 0, 1)
    >>> [round(x, 6) for x in keypoints.nme([[[0.0, 1], [10, 3]]], truth, norm=eyes).tolist()]
    [0.2]
    """
    return _NME(options, a=a, b=b)


def pckh(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    head: ArrayT | ArrayLike,
    format: str = "xyxy",
    threshold: float = 0.5,
    visible: Any = None,
    average: Literal["points", "pairs", "none"] = "points",
    points: Sequence[int] | None = None,
) -> ArrayT:
    """Compute PCKh: `pck` with 0.6 of the diagonal of the head's box as the norm.

    Parameters
    ----------
    a, b : array, shape (..., K, 2) or (..., K, 3)
        Predictions and ground truth, as (x, y), or (x, y, v) with COCO's v.
    head : array, shape (..., 4)
        Boxes of the heads.
    format : str
        Format of the boxes, as in `omniou.boxes`.
    threshold : float
        A point counts as correct below this many norms: 0.5 for PCKh@0.5.
    visible : array, optional
        Shape (..., K): points of the ground truth count where it is above 0. Default: its third numbers, or all.
    average : {"points", "pairs", "none"}
        "points" is the mean of the rates of the points, "pairs" the rate of all points of all objects together, and
        "none" gives the rate of each point.
    points : sequence of int, optional
        Points to use. Default: all.

    Returns
    -------
    array, shape () or (K,)

    Raises
    ------
    TypeError, ValueError
        The same as `pck`; if `points` are not numbers of points.

    Notes
    -----
    mmpose's numbers of MPII come from predictions that are one pixel larger, since its annotations count from 1, from
    all points but pelvis and thorax, and weigh each point by how often it occurs:
    ``pckh(a + 1, b, head=head, average="pairs", points=[*range(6), *range(8, 16)])``.

    References
    ----------
    Andriluka et al., 2D Human Pose Estimation: New Benchmark and State of the Art Analysis, CVPR 2014.

    Examples
    --------
    The diagonal of a head of 30 x 40 is 50, so a point may be off by less than 15:

    >>> from omniou import keypoints
    >>> float(keypoints.pckh([[14.9, 0.0], [15, 0]], [[0.0, 0], [0, 0]], head=[0, 0, 30, 40]))
    0.5
    """
    norm: Any = _box_size("head", head, measure="diagonal", format=format)
    given: tuple[Any, ...] = a, b, visible
    if points is not None:
        given = tuple([None if x is None else _some(x, points, k) for x, k in zip(given, (-2, -2, -1), strict=True)])
    a, b, visible = given
    return pck(a, b, norm=norm * _OF_HEAD, threshold=threshold, visible=visible, average=average)


def _some(x: Any, points: Sequence[int], axis: int) -> Any:
    """Some of the points (..., K, *)."""
    (x,), facts = arrays_of(x=x)
    xp, shape = facts[0].namespace, tuple(x.shape)
    points = checks.items("points", points, "a sequence of numbers of points")
    for point in points:
        if len(shape) < -axis or type(point) is not int or not 0 <= point < shape[axis]:
            raise ValueError(f"`points` must be numbers of points, got {point!r} for shape {shape}")
    rest = (slice(None),) * (-1 - axis)
    return xp.stack([x[(..., k, *rest)] for k in points], axis=axis)


def box_size(
    x: ArrayT | ArrayLike, /, *, measure: Literal["longest", "root_area", "diagonal"], format: str = "xyxy"
) -> ArrayT:
    """Compute the length of a box that errors are divided by.

    Parameters
    ----------
    x : array, shape (..., 4)
        Boxes.
    measure : {"longest", "root_area", "diagonal"}
        The longer side, as PCK has it; the root of the area, as NME has it; or the diagonal.
    format : str
        The same as in `omniou.boxes`: whether the last two numbers are sides or a corner is never guessed.

    Returns
    -------
    array, shape (...)

    Raises
    ------
    TypeError, ValueError
        If the choice or the format is unknown, or the shape does not fit.

    Examples
    --------
    >>> from omniou import keypoints
    >>> keypoints.box_size([[0.0, 0, 30, 40]], measure="diagonal").tolist()
    [50.0]
    """
    measure = checks.choice("measure", measure, _MEASURES)
    return _box_size("x", x, measure=measure, format=format)


def _box_size(name: str, x: Any, /, *, measure: str, format: str) -> Any:
    boxes.GEOMETRY.check_format(format)
    (array,), facts = arrays_of(**{name: numbers_of(boxes.GEOMETRY, name, x, {"format": format})})
    compute, result = agree(facts)
    xp: Any = facts[0].namespace
    if tuple(array.shape)[-1:] != (4,):
        raise ValueError(f"`{name}` must have shape (..., 4), got {tuple(array.shape)}")
    sides = converted(boxes.GEOMETRY, cast(array, compute, xp=xp), format, "xywh")[..., 2:]
    sides = xp.maximum(sides, xp.zeros_like(sides))
    width, height = sides[..., 0], sides[..., 1]
    lengths = {
        "longest": lambda: xp.maximum(width, height),
        "root_area": lambda: xp.sqrt(width * height),
        "diagonal": lambda: xp.sqrt(width * width + height * height),
    }
    return cast(lengths[measure](), result, xp=xp)


def point_distance(x: ArrayT | ArrayLike, first: int, second: int, /) -> ArrayT:
    """Compute the distance of two points of each object: of the eyes, or of a shoulder and the hip across.

    Parameters
    ----------
    x : array, shape (..., K, 2) or (..., K, 3)
        Ground truth.
    first, second : int
        Numbers of the points.

    Returns
    -------
    array, shape (...)

    Raises
    ------
    TypeError, ValueError
        If the shape does not fit, or there are no such points.

    Examples
    --------
    >>> from omniou import keypoints
    >>> keypoints.point_distance([[[0.0, 0], [3, 4]]], 0, 1).tolist()
    [5.0]
    """
    (array,), facts = arrays_of(x=x)
    compute, result = agree(facts)
    xp: Any = facts[0].namespace
    shape = tuple(array.shape)
    first, second = checks.integer("first", first), checks.integer("second", second)
    if len(shape) < 2 or shape[-1] not in (2, 3) or not all(0 <= k < shape[-2] for k in (first, second)):
        raise ValueError(
            f"`x` must have shape (..., K, 2) or (..., K, 3) with points {first} and {second}, got {shape}"
        )
    array = cast(array, compute, xp=xp)
    apart = [array[..., first, k] - array[..., second, k] for k in (0, 1)]
    distance: ArrayT = cast(xp.sqrt(apart[0] * apart[0] + apart[1] * apart[1]), result, xp=xp)
    return distance
