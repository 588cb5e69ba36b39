"""What two boxes have in common, as a number."""

from typing import Any

from omniou import _doors
from omniou._kernels import scores
from omniou._lib.formats import BoxFormat
from omniou._lib.outer import Columns, Rows
from omniou._lib.types import ArrayLike, ArrayT


def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format, offset, eps, image_size
        As at the top of `omniou.boxes`.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both boxes are empty.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901.

    Examples
    --------
    >>> from omniou import boxes
    >>> float(boxes.iou([0, 0, 10, 10], [5, 5, 15, 15]))  # 25 / 175
    0.14285714285714285
    >>> boxes.iou([[0, 0, 2, 2], [0, 0, 0, 0]], [0, 0, 1, 1]).tolist()
    [0.25, 0.0]
    """
    return _doors.score(scores.iou, a, b, (format, offset, eps, image_size))


def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Intersection over the area of the first box: COCO's overlap of a detection with a crowd.

    Parameters, errors and shapes are those of `iou`.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where the first box is empty.

    Examples
    --------
    >>> float(boxes.iof([0, 0, 1, 1], [0, 0, 4, 4]))
    1.0
    """
    return _doors.score(scores.iof, a, b, (format, offset, eps, image_size))


def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas.

    Parameters, errors and shapes are those of `iou`.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both boxes are empty.

    References
    ----------
    Dice, Ecology 26, 1945.

    Examples
    --------
    >>> float(boxes.dice([0, 0, 2, 2], [0, 0, 2, 1]))  # 2 * 2 / (4 + 2)
    0.6666666666666666
    """
    return _doors.score(scores.dice, a, b, (format, offset, eps, image_size))


def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Generalised intersection over union: IoU less the empty share of the enclosing box.

    Parameters, errors and shapes are those of `iou`.

    Returns
    -------
    array, shape (...)
        In [-1, 1]; 0 for two points at the same place.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.

    Examples
    --------
    >>> float(boxes.giou([0, 0, 1, 1], [1, 1, 2, 2]))  # 0 - (4 - 2) / 4
    -0.5
    """
    return _doors.score(scores.giou, a, b, (format, offset, eps, image_size))


def diou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Distance IoU: IoU less the squared distance of the centres over the enclosing box's squared diagonal.

    Parameters, errors and shapes are those of `iou`.

    Returns
    -------
    array, shape (...)
        In [-1, 1]; 0 for two points at the same place.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> float(boxes.diou([0, 0, 2, 2], [2, 0, 4, 2]))  # 0 - 2**2 / (4**2 + 2**2)
    -0.2
    """
    return _doors.score(scores.diou, a, b, (format, offset, eps, image_size))


def ciou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    detach_alpha: bool = True,
) -> ArrayT:
    """Complete IoU: DIoU less alpha * v, where v compares the aspect ratios and alpha weighs it.

    v = 4 / pi^2 * (atan(w_a / h_a) - atan(w_b / h_b))^2 and alpha = v / (1 - IoU + v). In one dimension there is
    no aspect ratio and CIoU is DIoU; in three, v is the mean over the three pairs of axes.

    Parameters and shapes are those of `iou`; beyond them:

    Parameters
    ----------
    detach_alpha : bool
        Hold alpha constant in the gradient, as the paper does. The value is the same.

    Returns
    -------
    array, shape (...)
        In [-2, 1], less than -1 only for boxes far apart whose aspect ratios differ.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> round(float(boxes.ciou([0, 0, 4, 2], [1, 0, 3, 3])), 6)
    0.373177
    """
    options = (format, offset, eps, image_size)
    return _doors.score(scores.ciou, a, b, options, detach_alpha=bool(detach_alpha))


def intersection(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Area of the intersection (length in 1-D, volume in 3-D), element by element.

    Parameters, errors and shapes are those of `iou`. The unit is that of the coordinates to the power D.

    Examples
    --------
    >>> float(boxes.intersection([0, 0, 2, 2], [1, 1, 3, 3]))
    1.0
    """
    return _doors.score(scores.intersection, a, b, (format, offset, 0.0, image_size))


def union(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Area of the union (length in 1-D, volume in 3-D), element by element.

    Parameters, errors and shapes are those of `iou`. The unit is that of the coordinates to the power D.

    Examples
    --------
    >>> float(boxes.union([0, 0, 2, 2], [1, 1, 3, 3]))
    7.0
    """
    return _doors.score(scores.union, a, b, (format, offset, 0.0, image_size))


def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 2 * D) and (..., M, 2 * D)
        Two sets of boxes; leading axes broadcast.
    format, offset, eps, image_size
        As at the top of `omniou.boxes`.

    Returns
    -------
    array, shape (..., N, M)

    Examples
    --------
    >>> boxes.pairwise_iou([[0, 0, 2, 2]], [[0, 0, 1, 1], [5, 5, 6, 6]]).tolist()
    [[0.25, 0.0]]
    """
    return _doors.score(scores.iou, Rows(a), Columns(b), (format, offset, eps, image_size))
