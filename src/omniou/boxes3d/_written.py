# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.boxes3d` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.boxes3d import BEV, GEOMETRY
from omniou._catalogue.shape_options import Boxes3DFormat
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "giou",
    "diou",
    "tiou",
    "wiou",
    "pairwise_iou",
    "volume",
    "corners",
    "enclosing",
    "check",
    "convert",
    "bev_iou",
]

_iou = operations.score("iou", GEOMETRY)


def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both shapes are empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016 (1 -
    IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).

    Examples
    --------
    >>> from omniou import boxes3d
    >>> round(float(boxes3d.iou([5.0, 5.0, 0.5, 10, 10, 1.0, 0.0], [10.0, 10.0, 0.5, 10, 10, 1.0, 0.0])), 6)
    0.142857
    """
    return _iou(a, b, eps=eps, power=power, inner=inner, format=format)


_iof = operations.score("iof", GEOMETRY)


def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where the first shape is empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> round(float(boxes3d.iof([0.5, 1.0, 0.5, 1, 2, 1.0, 0.0], [2.0, 0.5, 0.5, 4, 1, 1.0, 0.0])), 6)
    0.5
    """
    return _iof(a, b, eps=eps, power=power, inner=inner, format=format)


_iomin = operations.score("iomin", GEOMETRY)


def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where either shape is empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> round(float(boxes3d.iomin([1.0, 1.0, 0.5, 2, 2, 1.0, 0.0], [2.0, 0.5, 0.5, 2, 1, 1.0, 0.0])), 6)
    0.5
    """
    return _iomin(a, b, eps=eps, power=power, inner=inner, format=format)


_dice = operations.score("dice", GEOMETRY)


def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both shapes are empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Dice, Ecology 26, 1945.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> round(float(boxes3d.dice([1.0, 1.0, 0.5, 2, 2, 1.0, 0.0], [1.0, 0.5, 0.5, 2, 1, 1.0, 0.0])), 6)
    0.666667
    """
    return _dice(a, b, eps=eps, power=power, inner=inner, format=format)


_giou = operations.score("giou", GEOMETRY)


def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [-1, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores -1.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.
    """
    return _giou(a, b, eps=eps, power=power, inner=inner, format=format)


_diou = operations.score("diou", GEOMETRY)


def diou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [-1, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores -1.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.
    """
    return _diou(a, b, eps=eps, power=power, inner=inner, format=format)


_tiou = operations.score("tiou", GEOMETRY)


def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both shapes are empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    powerboxes' tracking distance is 1 - TIoU.
    """
    return _tiou(a, b, eps=eps, power=power, inner=inner, format=format)


_wiou = operations.score("wiou", GEOMETRY)


def wiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [-1.71828, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores -1.71828. Its gradient holds the hull's diagonal constant.

    References
    ----------
    Tong et al., Wise-IoU: Bounding Box Regression Loss with Dynamic Focusing Mechanism, 2023.
    """
    return _wiou(a, b, eps=eps, power=power, inner=inner, format=format)


_pairwise_iou = operations.pairwise_iou(GEOMETRY)


def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes3d.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 7) and (..., M, 7)
        Two sets; leading axes broadcast. Boxes; (..., 10) for the format "nuscenes".
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (..., N, M)

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.
    """
    return _pairwise_iou(a, b, eps=eps, power=power, inner=inner, format=format)


_volume = operations.measure("volume", GEOMETRY)


def volume(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Volume; 0 for a box with a side below 0.

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes; (..., 10) for the format "nuscenes".
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)


    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> float(boxes3d.volume([0, 0, 0, 4, 2, 1.5, 0.5]))
    12.0
    """
    return _volume(x, format=format)


_corners = operations.measure("corners", GEOMETRY)


def corners(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """The eight corners of boxes, in the frame of "xyzlwhr".

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes; (..., 10) for the format "nuscenes".
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (..., 8, 3)
        The four of the bottom, in the order of `rotated.corners`, then the four above them: the order of PyTorch3D.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> boxes3d.corners([0, 0, 0, 4, 2, 2, 0]).tolist()[:4]
    [[-2.0, -1.0, -1.0], [2.0, -1.0, -1.0], [2.0, 1.0, -1.0], [-2.0, 1.0, -1.0]]
    """
    return _corners(x, format=format)


_enclosing = operations.measure("enclosing", GEOMETRY)


def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Compute an upright box around two: the smaller one of the two that are parallel to one of them.

    Parameters
    ----------
    a, b : array, shape (..., 7) or (..., 10)
        Boxes; (..., 10) for the format "nuscenes". Leading axes broadcast.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (..., 7)
        As "xyzlwhr".

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> boxes3d.enclosing([1, 1, 1, 2, 2, 2, 0], [4, 1, 2, 2, 1, 2, 0]).tolist()
    [2.5, 1.0, 1.5, 5.0, 2.0, 3.0, 0.0]
    """
    return _enclosing(a, b, format=format)


_check = operations.measure("check", GEOMETRY)


def check(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: Boxes3DFormat = "xyzlwhr",
) -> None:
    """Raise unless every box is finite, has sides of at least 0, and an angle within two turns.

    Scores do not check values, because that would wait for the device: call this function where you load data.

    Degrees passed for radians are found by the last. A quaternion must be a pure yaw, to a tilt of about one degree.

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes; (..., 10) for the format "nuscenes".
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Raises
    ------
    ValueError
        The first invalid row, the reason, and its numbers.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> boxes3d.check([0, 0, 0, 4, 2, 1.5, 90])
    Traceback (most recent call last):
        ...
    ValueError: `x` has an angle beyond two turns, as degrees have in [0.0, 0.0, 0.0, 4.0, 2.0, 1.5, 90.0]
    """
    _check(x, format=format)


_convert = operations.convert(GEOMETRY)


def convert(
    x: ArrayT | ArrayLike,
    source: str,
    target: str,
    /,
) -> ArrayT:
    """Convert 3-D boxes to another format.

    Parameters
    ----------
    x : array, shape (..., 7) or (..., 10)
        Boxes; (..., 10) for the format "nuscenes".
    source, target : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.


    Returns
    -------
    array, shape (..., 7) or (..., 10)
        Quaternions have length 1 and turn only about z. A yaw from a quaternion is in [-pi, pi]; others keep their
        turns.

    Raises
    ------
    TypeError, ValueError
        If the array holds no real numbers, its shape does not fit, or a format or another option is unknown.

    Examples
    --------
    >>> from omniou import boxes3d
    >>> boxes3d.convert([1.5, 1.6, 4, 2, 1.75, 10, 0.5], "kitti", "xyzlwhr").tolist()
    [2.0, 10.0, -1.0, 4.0, 1.6, 1.5, -0.5]
    >>> boxes3d.convert([0, 0, 1, 4, 2, 1.5, 0], "xyzlwhr", "nuscenes").tolist()
    [0.0, 0.0, 1.0, 2.0, 4.0, 1.5, 1.0, 0.0, 0.0, 0.0]
    """
    return _convert(x, source, target)


_bev_iou = operations.score("iou", BEV)


def bev_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 7)
        Boxes, compared only by their footprints (bird's eye view): places and sides along z have no effect. Leading
        axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both shapes are empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016 (1 -
    IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).

    Examples
    --------
    >>> from omniou import boxes3d
    >>> round(float(boxes3d.bev_iou([5.0, 5.0, 0.5, 10, 10, 1.0, 0.0], [10.0, 10.0, 0.5, 10, 10, 1.0, 0.0])), 6)
    0.142857
    """
    return _bev_iou(a, b, eps=eps, power=power, inner=inner, format=format)


publish("omniou.boxes3d", globals())
