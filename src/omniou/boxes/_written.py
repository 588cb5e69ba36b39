# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.boxes` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.boxes import GEOMETRY
from omniou._catalogue.shape_options import Covariance, Direction
from omniou._lib.formats import BoxFormat
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "giou",
    "diou",
    "eiou",
    "ciou",
    "siou",
    "mpdiou",
    "shape_iou",
    "tiou",
    "wiou",
    "probiou",
    "bhattacharyya",
    "hellinger",
    "nwd",
    "gwd",
    "kld",
    "kfiou",
    "pairwise_iou",
    "area",
    "enclosing",
    "check",
    "convert",
]

_iou = operations.score("iou", GEOMETRY)


def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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
    >>> from omniou import boxes
    >>> round(float(boxes.iou([0, 0, 10, 10], [5, 5, 15, 15])), 6)
    0.142857
    """
    return _iou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_iof = operations.score("iof", GEOMETRY)


def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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
    >>> from omniou import boxes
    >>> round(float(boxes.iof([0, 0, 1, 2], [0, 0, 4, 1])), 6)
    0.5
    """
    return _iof(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_iomin = operations.score("iomin", GEOMETRY)


def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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
    >>> from omniou import boxes
    >>> round(float(boxes.iomin([0, 0, 2, 2], [1, 0, 3, 1])), 6)
    0.5
    """
    return _iomin(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_dice = operations.score("dice", GEOMETRY)


def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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
    >>> from omniou import boxes
    >>> round(float(boxes.dice([0, 0, 2, 2], [0, 0, 2, 1])), 6)
    0.666667
    """
    return _dice(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_giou = operations.score("giou", GEOMETRY)


def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.giou([0, 0, 1, 1], [1, 1, 2, 2])), 6)
    -0.5
    """
    return _giou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_diou = operations.score("diou", GEOMETRY)


def diou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.diou([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    -0.2
    """
    return _diou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_eiou = operations.score("eiou", GEOMETRY)


def eiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Efficient IoU: DIoU minus the squared differences of the sides over the squared sides of the hull, element by element.

    The lower bound is for two dimensions; each further dimension lowers it by 1.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

    Returns
    -------
    array, shape (...)
        In [-3, 1]; 0 for two points at the same place.

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
    Zhang et al., Focal and Efficient IOU Loss, Neurocomputing 506, 2022.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.eiou([0, 0, 2, 2], [0, 0, 2, 1])), 6)
    0.21875
    """
    return _eiou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_ciou = operations.score("ciou", GEOMETRY)


def ciou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    detach_alpha: bool = True,
    alpha_above: float | None = None,
) -> ArrayT:
    """Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it, element by element.

    v = 4 / pi^2 * (atan(w_a / h_a) - atan(w_b / h_b))^2 and alpha = v / (1 - IoU + v). In one dimension there is no
    aspect ratio and CIoU is DIoU; in three, v is the mean over the three pairs of axes. Less than -1 only for boxes far
    apart whose aspect ratios differ.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    detach_alpha : bool
        Hold alpha constant in the gradient, like the paper. The value is the same.
    alpha_above : float | None
        IoU above which alpha counts; below, alpha is 0. mmdet and the code of the paper's authors use 0.5.
        By default, as in the paper, alpha counts at every IoU.

    Returns
    -------
    array, shape (...)
        In [-2, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores -1. Its gradient holds alpha constant, unless `detach_alpha` is
    false.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.ciou([0, 0, 4, 2], [1, 0, 3, 3])), 6)
    0.373177
    """
    return _ciou(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        detach_alpha=detach_alpha,
        alpha_above=alpha_above,
    )


_siou = operations.score("siou", GEOMETRY)


def siou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    theta: float = 4.0,
) -> ArrayT:
    """SCYLLA IoU: IoU minus half the sum of a distance cost and a shape cost, element by element.

    Along each axis, with the difference d of the centres, the side c of the hull and the angle cost A = 2 abs(d_x d_y)
    / (d_x^2 + d_y^2), the distance cost is 1 - exp((A - 2) (d / c)^2), and the shape cost (1 - exp(-abs(w_a - w_b) /
    max(w_a, w_b)))^theta.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    theta : float
        Power of the shape cost, at least 2; the paper uses 2 to 6.

    Returns
    -------
    array, shape (...)
        In [-1.26424, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores -0.864665.

    References
    ----------
    Gevorgyan, SIoU Loss: More Powerful Learning for Bounding Box Regression, 2022.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.siou([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    -0.196735
    """
    return _siou(
        a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner, theta=theta
    )


_mpdiou = operations.score("mpdiou", GEOMETRY)


def mpdiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """IoU minus the squared distances of both pairs of corners over the squared diagonal of the image, element by element.

    The lower bound is for boxes within the image.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

    Returns
    -------
    array, shape (...)
        In [-2, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Higher is better; a shape without a partner scores -2.

    References
    ----------
    Ma and Xu, MPDIoU: A Loss for Efficient and Accurate Bounding Box Regression, 2023.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.mpdiou([0, 0, 4, 2], [1, 0, 3, 3], image_size=(6, 8))), 6)
    0.37
    """
    return _mpdiou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_shape_iou = operations.score("shape_iou", GEOMETRY)


def shape_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    scale: float = 0.0,
) -> ArrayT:
    """Shape-IoU: IoU minus a distance cost and a shape cost, weighted by the shape of the second box, element by element.

    The difference of the centres along x is weighted by 2 h^scale / (w^scale + h^scale) of the second box, the ground
    truth, that along y by 2 w^scale / (w^scale + h^scale), and so are the differences of the sides. With `scale` 0 all
    weights are 1.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    scale : float
        How strongly the sides of the second box weight the differences, at least 0; 0 for no weights.

    Returns
    -------
    array, shape (...)
        In [-2.27949, 1]; 0 for two points at the same place.

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
    Zhang and Zhang, Shape-IoU: More Accurate Metric considering Bounding Box Shape and Scale, 2023.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.shape_iou([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    -0.2
    """
    return _shape_iou(
        a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner, scale=scale
    )


_tiou = operations.score("tiou", GEOMETRY)


def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.tiou([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    0.5
    """
    return _tiou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_wiou = operations.score("wiou", GEOMETRY)


def wiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

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

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.wiou([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    -0.221403
    """
    return _wiou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_probiou = operations.score("probiou", GEOMETRY)


def probiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians, element by element.

    `eps` is the constant that the paper adds inside the root; other libraries add it to the denominators and inside the
    logarithm, too, and keep the Bhattacharyya distance within [eps, 100], as is done here where it is not 0.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

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
    Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union, 2021.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.probiou([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    0.118598
    """
    return _probiou(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
    )


_bhattacharyya = operations.score("bhattacharyya", GEOMETRY)


def bhattacharyya(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya distance of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, inf]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Lower is better; a shape without a partner scores inf.

    References
    ----------
    Bhattacharyya, Bulletin of the Calcutta Mathematical Society 35, 1943; as L2 of Llerena et al., 2021.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.bhattacharyya([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    1.5
    """
    return _bhattacharyya(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
    )


_hellinger = operations.score("hellinger", GEOMETRY)


def hellinger(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger distance of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Lower is better; a shape without a partner scores 1.

    References
    ----------
    Hellinger, Journal für die reine und angewandte Mathematik 136, 1909; Llerena et al., 2021.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.hellinger([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    0.881402
    """
    return _hellinger(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
    )


_nwd = operations.score("nwd", GEOMETRY)


def nwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    constant : float
        Mean size of the objects in the unit of the coordinates, above 0. The default is for AI-TOD.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 1 for two points at the same place.

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
    Wang et al., A Normalized Gaussian Wasserstein Distance for Tiny Object Detection, 2021.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.nwd([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    0.855345
    """
    return _nwd(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
        constant=constant,
    )


_gwd = operations.score("gwd", GEOMETRY)


def gwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
    normalize: bool = False,
) -> ArrayT:
    """2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    normalize : bool
        Divide by twice the fourth root of the product of all four standard deviations, like mmrotate by
        default. The distance then has no unit.

    Returns
    -------
    array, shape (...)
        In [0, inf]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Lower is better; a shape without a partner scores inf.

    References
    ----------
    Yang et al., Rethinking Rotated Object Detection with Gaussian Wasserstein Distance Loss, ICML 2021.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.gwd([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    2.0
    """
    return _gwd(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
        normalize=normalize,
    )


_kld = operations.score("kld", GEOMETRY)


def kld(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
) -> ArrayT:
    """Kullback-Leibler divergence of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    direction : {"forward", "reverse", "symmetric", "jeffreys", "max", "min"}
        "forward" is KL(a, b), "reverse" KL(b, a), "symmetric" their mean, "jeffreys" their sum, "max" and
        "min" the larger and the smaller one.

    Returns
    -------
    array, shape (...)
        In [0, inf]; 0 for two points at the same place.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, or hold no numbers.
    ValueError
        If the shapes do not fit, an option is unknown, or a relative format lacks `image_size`.

    Notes
    -----
    Lower is better; a shape without a partner scores inf.

    References
    ----------
    Yang et al., Learning High-Precision Bounding Box for Rotated Object Detection via Kullback-Leibler Divergence,
    NeurIPS 2021.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.kld([0, 0, 2, 2], [2, 0, 4, 2])), 6)
    2.0
    """
    return _kld(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
        direction=direction,
    )


_kfiou = operations.score("kfiou", GEOMETRY)


def kfiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    covariance: Covariance = "inscribed",
) -> ArrayT:
    """KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them, element by element.

    It compares only sides and directions, not the centres. Equal shapes score 1 / 3 at any distance.

    Parameters
    ----------
    a, b : array, shape (..., 4)
        Boxes in 2 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, 0.333333]; 0 where either shape is empty.

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
    Yang et al., The KFIoU Loss for Rotated Object Detection, ICLR 2023.

    Examples
    --------
    >>> from omniou import boxes
    >>> round(float(boxes.kfiou([0, 0, 2, 2], [0, 0, 2, 1])), 6)
    0.267136
    """
    return _kfiou(
        a,
        b,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        covariance=covariance,
    )


_pairwise_iou = operations.pairwise_iou(GEOMETRY)


def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(boxes.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 2 * D) and (..., M, 2 * D)
        Two sets; leading axes broadcast. Boxes in D = 1, 2 or 3 dimensions.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.

    Returns
    -------
    array, shape (..., N, M)

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.
    """
    return _pairwise_iou(a, b, format=format, offset=offset, image_size=image_size, eps=eps, power=power, inner=inner)


_area = operations.measure("area", GEOMETRY)


def area(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Area of each box (length in 1-D, volume in 3-D); 0 for an inverted one.

    Parameters
    ----------
    x : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.

    Returns
    -------
    array, shape (...)
        At least 0, in the unit of the coordinates to the power D.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import boxes
    >>> boxes.area([[0, 0, 2, 3], [0, 0, 2, -3]], format="xywh").tolist()
    [6.0, 0.0]
    """
    return _area(x, format=format, offset=offset, image_size=image_size)


_enclosing = operations.measure("enclosing", GEOMETRY)


def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Smallest box around both, element by element. Empty boxes count as the points where they lie.

    Parameters
    ----------
    a, b : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions. Leading axes broadcast.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.

    Returns
    -------
    array, shape (..., 2 * D)
        In the same format.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import boxes
    >>> boxes.enclosing([0, 0, 1, 1], [2, 2, 1, 3], format="xywh").tolist()
    [0.0, 0.0, 3.0, 5.0]
    """
    return _enclosing(a, b, format=format, offset=offset, image_size=image_size)


_check = operations.measure("check", GEOMETRY)


def check(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
) -> None:
    """Raise unless every box is finite, not inverted, and within the image if `image_size` is given.

    Scores do not check values, because that would wait for the device: call this function where you load data.

    Parameters
    ----------
    x : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions.
    format : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.

    Raises
    ------
    ValueError
        The first invalid row, the reason, and its numbers.

    Examples
    --------
    >>> from omniou import boxes
    >>> boxes.check([[0, 0, 1, 1], [3, 0, 2, 1]])
    Traceback (most recent call last):
        ...
    ValueError: `x[1]` is inverted: high corner below low one in [3.0, 0.0, 2.0, 1.0]
    """
    _check(x, format=format, offset=offset, image_size=image_size)


_convert = operations.convert(GEOMETRY)


def convert(
    x: ArrayT | ArrayLike,
    source: str,
    target: str,
    /,
    *,
    offset: float = 0.0,
    image_size: Any = None,
) -> ArrayT:
    """Convert boxes to another format. Inverted boxes stay inverted.

    Parameters
    ----------
    x : array, shape (..., 2 * D)
        Boxes in D = 1, 2 or 3 dimensions.
    source, target : str
        Order of the numbers: "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner,
        sides) or "cxcywh" (centre, sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz",
        "zyxzyx", "xyzwhd", "cxcyczwhd". With the prefix ``rel_``, numbers are fractions of `image_size`.
    offset : float
        A number to add to maximum corners: 1 if they name the last pixel inside the box. Formats with sides
        do not need it.
    image_size : optional
        (height, width) of the image, or an array of sizes along a last axis, which broadcasts with the
        boxes. Relative formats and MPDIoU need it. (width,) for intervals, (depth, height, width) for
        cuboids.

    Returns
    -------
    array, shape (..., 2 * D)


    Raises
    ------
    TypeError, ValueError
        If the array holds no real numbers, its shape does not fit, or a format or another option is unknown.

    Examples
    --------
    >>> from omniou import boxes
    >>> boxes.convert([10, 15, 30, 35], "xyxy", "cxcywh").tolist()
    [20.0, 25.0, 20.0, 20.0]
    >>> boxes.convert([0.1, 0.2, 0.5, 1.0], "rel_xyxy", "xyxy", image_size=(100, 200)).tolist()
    [20.0, 20.0, 100.0, 100.0]
    """
    return _convert(x, source, target, offset=offset, image_size=image_size)


publish("omniou.boxes", globals())
