"""Upright 3-D boxes with a yaw: formats in, scores out.

A box stands upright on the plane of x and y, and is turned about z. Angles are radians, positive from x towards y. All
functions read formats and arrays as `omniou.boxes` does:

- ``xyzlwhr`` (default): centre x, y, z; length along the heading, width, height along z; yaw, the angle of the heading.
  Waymo's boxes are these (center_x, center_y, center_z, length, width, height, heading), and OpenPCDet's;
- ``kitti``: height, width, length, x, y, z, rotation_y, the fields of KITTI's label files. The location is that of the
  centre of the bottom, in the camera's axes: x right, y down, z forward;
- ``nuscenes``: centre x, y, z; width, length, height (the order of its ``size``); quaternion w, x, y, z. Of a rotation
  that is no pure yaw, the yaw is used, the direction of the length seen from above; `check` reports it.

KITTI's camera frame becomes an upright one by an exchange of axes: x stays, y is KITTI's z, z is minus KITTI's y. The
yaw is then minus ``rotation_y``, so that nothing is rounded but the height of the centre. KITTI's Velodyne frame is
turned against it by a quarter, which changes no overlap. Boxes of mmdet3d's LiDAR frame have their z at the bottom:
half of the height must be added.

The scores are those of the table `omniou.scores` whose terms these boxes have: ``boxes3d.iou``, ``boxes3d.giou`` and so
on, where an area is a volume. `bev_iou` is the IoU of the footprints, in bird's eye view. The intersection is that of
the footprints by the closed form of `omniou.rotated`, times the overlap in z: exact to rounding also for boxes that
nearly coincide. The hull of ``giou`` is the convex hull of both footprints times the span in z. ``diou`` divides by the
squared diagonal of the upright box around both that is turned as one of them, the smaller of the two.
"""

import dataclasses
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from omniou._catalogue import calls
from omniou._catalogue.functions import score_functions
from omniou._catalogue.geometry import Geometry
from omniou._catalogue.options import BOXES3D_FORMATS, Boxes3DFormat, Boxes3DOptions, declared, takes
from omniou._catalogue.scores import scores
from omniou._kernels import boxes3d as kernels
from omniou._lib import backends
from omniou._lib.docs import says
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT
from omniou._lib.values import raise_first


def _of_box(box: Any) -> list[float]:
    # On the ground, of height 1.
    return [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, 0.5, box[2] - box[0], box[3] - box[1], 1.0, 0.0]


# Sides of 1 wherever a format has them, or the quaternion of no turn.
_HARMLESS = {7: (1.0,) * 6 + (0.0,), 10: (0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)}

GEOMETRY = Geometry(
    name="3-D boxes",
    formats={"xyzlwhr": (7,), "kitti": (7,), "nuscenes": (10,)},
    canonical=kernels.canonical,
    terms=kernels.Boxes3DTerms,
    bounds=kernels.bounds,
    rows=kernels.rows,
    convert=kernels.convert,
    doubts=kernels.doubts,
    harmless=_HARMLESS.__getitem__,
    layout=lambda options: options.get("format", "xyzlwhr"),
    of_box=_of_box,
    prunes=True,
    options=Boxes3DOptions,
    module="omniou.boxes3d",
    numbers="7",
    text='Boxes; (..., 10) for the format "nuscenes".',
)

BEV = dataclasses.replace(
    GEOMETRY,
    name="footprints of 3-D boxes",
    terms=kernels.FootprintTerms,
    bounds=kernels.bounds_in_plane,
)
"""The same boxes in bird's eye view, for ``evaluate(kind=boxes3d.BEV)``."""

_SCORES = score_functions(GEOMETRY)
globals().update(_SCORES)

__all__ = ["BEV", "GEOMETRY", "bev_iou", "check", "convert", "corners", "enclosing", "pairwise_iou", "volume"]
__all__ += list(_SCORES)


class Boxes3DScore(Protocol):
    """A score of 3-D boxes, element by element; the reference says more of each."""

    def __call__(
        self, a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[Boxes3DOptions]
    ) -> ArrayT: ...


if TYPE_CHECKING:

    def __getattr__(name: str) -> Boxes3DScore: ...


@takes(declared(Boxes3DOptions))
def bev_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[Boxes3DOptions]) -> ArrayT:
    """IoU of the footprints (bird's eye view), element by element.

    Places and sides along z play no part. ``pairwise(boxes3d.bev_iou, a, b)`` has all pairs.

    Parameters
    ----------
    a, b : array, shape (..., 7) or (..., 10)
        Boxes. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both footprints are empty.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> float(boxes3d.bev_iou([0, 0, 0, 4, 2, 1, 0], [0, 0, 9, 2, 4, 1, 0]))
    0.3333333333333333
    """
    out: Any = calls.score(scores["iou"], BEV, a, b, dict(options))
    return out


@takes(declared(Boxes3DOptions))
def pairwise_iou(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[Boxes3DOptions]) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes3d.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 7) and (..., M, 7)
        Two sets of boxes; leading axes broadcast.
    **options

    Returns
    -------
    array, shape (..., N, M)

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> boxes3d.pairwise_iou([[0, 0, 0, 2, 2, 2, 0]], [[0, 0, 1, 2, 2, 2, 0], [5, 5, 0, 1, 1, 1, 0.3]]).tolist()
    [[0.3333333333333333, 0.0]]
    """
    out: Any = calls.score(scores["iou"], GEOMETRY, Rows(a), Columns(b), dict(options))
    return out


@says(formats=BOXES3D_FORMATS)
def volume(x: ArrayT | ArrayLike, /, *, format: Boxes3DFormat = "xyzlwhr") -> ArrayT:
    """Volume; 0 for a box with a side below 0.

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        {formats}

    Returns
    -------
    array, shape (...)

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> float(boxes3d.volume([0, 0, 0, 4, 2, 1.5, 0.5]))
    12.0
    """
    xp, (array,), _, layout, dtypes = calls.opened(GEOMETRY, {"format": format}, x=x)
    return backends.run(kernels.volume, array, layout=layout, dtypes=dtypes, xp=xp)


@says(formats=BOXES3D_FORMATS)
def corners(x: ArrayT | ArrayLike, /, *, format: Boxes3DFormat = "xyzlwhr") -> ArrayT:
    """The eight corners of boxes, in the frame of "xyzlwhr".

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        {formats}

    Returns
    -------
    array, shape (..., 8, 3)
        The four of the bottom, in the order of `rotated.corners`, then the four above them: the order of PyTorch3D.

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> boxes3d.corners([0, 0, 0, 4, 2, 2, 0]).tolist()[:4]
    [[-2.0, -1.0, -1.0], [2.0, -1.0, -1.0], [2.0, 1.0, -1.0], [-2.0, 1.0, -1.0]]
    """
    xp, (array,), _, layout, dtypes = calls.opened(GEOMETRY, {"format": format}, x=x)
    return backends.run(kernels.corners, array, layout=layout, dtypes=dtypes, xp=xp)


@says(formats=BOXES3D_FORMATS)
def convert(x: ArrayT | ArrayLike, source: Boxes3DFormat, target: Boxes3DFormat, /) -> ArrayT:
    """The same boxes in another format.

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes.
    source, target : {"xyzlwhr", "kitti", "nuscenes"}
        {formats}

    Returns
    -------
    array, shape (..., 7) or (..., 10)
        Quaternions are of length 1 and turn about z alone. A yaw from a quaternion is in [-pi, pi]; others keep their
        turns.

    Raises
    ------
    TypeError, ValueError
        If the array holds no real numbers, its shape does not fit, or a format or unit is unknown.

    Examples
    --------
    >>> boxes3d.convert([1.5, 1.6, 4, 2, 1.75, 10, 0.5], "kitti", "xyzlwhr").tolist()
    [2.0, 10.0, -1.0, 4.0, 1.6, 1.5, -0.5]
    >>> boxes3d.convert([0, 0, 1, 4, 2, 1.5, 0], "xyzlwhr", "nuscenes").tolist()
    [0.0, 0.0, 1.0, 2.0, 4.0, 1.5, 1.0, 0.0, 0.0, 0.0]
    """
    GEOMETRY.check_format(source, "source")
    GEOMETRY.check_format(target, "target")
    xp, (array,), _, layout, dtypes = calls.opened(GEOMETRY, {"format": source}, x=x)
    return backends.run(kernels.convert, array, None, layouts=(layout, target), dtypes=dtypes, xp=xp)


@says(formats=BOXES3D_FORMATS)
def enclosing(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, *, format: Boxes3DFormat = "xyzlwhr") -> ArrayT:
    """An upright box around two: the smaller one of those that are turned as either.

    Parameters
    ----------
    a, b : array, shape (..., 7) or (..., 10)
        Boxes. Leading axes broadcast.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        {formats}

    Returns
    -------
    array, shape (..., 7)
        As "xyzlwhr".

    Raises
    ------
    TypeError, ValueError
        As of `iou`.

    Examples
    --------
    >>> boxes3d.enclosing([1, 1, 1, 2, 2, 2, 0], [4, 1, 2, 2, 1, 2, 0]).tolist()
    [2.5, 1.0, 1.5, 5.0, 2.0, 3.0, 0.0]
    """
    xp, (p, q), _, layout, dtypes = calls.opened(GEOMETRY, {"format": format}, a=a, b=b)
    return backends.run(kernels.enclosing, p, q, layout=layout, dtypes=dtypes, xp=xp)


@says(formats=BOXES3D_FORMATS)
def check(x: Any, /, *, format: Boxes3DFormat = "xyzlwhr") -> None:
    """Raise unless every box is finite, has sides of at least 0, and an angle within two turns.

    Degrees passed for radians are found by the last. A quaternion must be a pure yaw, to a tilt of about one degree.

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        {formats}

    Raises
    ------
    ValueError
        Naming the first bad row, what is wrong with it, and its numbers.

    Examples
    --------
    >>> boxes3d.check([0, 0, 0, 4, 2, 1.5, 90])
    Traceback (most recent call last):
        ...
    ValueError: `x` has an angle beyond two turns, as degrees have in [0.0, 0.0, 0.0, 4.0, 2.0, 1.5, 90.0]
    """
    xp, (array,), _, layout, (compute, _) = calls.opened(GEOMETRY, {"format": format}, x=x)
    raise_first("x", array, kernels.faults(array, layout=layout, dtype=compute, xp=xp), xp=xp)
