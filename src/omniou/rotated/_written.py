# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.rotated` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.rotated import GEOMETRY
from omniou._catalogue.shape_options import AngleUnit, Covariance, Direction, RotatedFormat
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "giou",
    "diou",
    "ciou",
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
    "corners",
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
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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
    >>> from omniou import rotated
    >>> round(float(rotated.iou([5.0, 5.0, 10, 10, 0.0], [10.0, 10.0, 10, 10, 0.0])), 6)
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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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
    >>> from omniou import rotated
    >>> round(float(rotated.iof([0.5, 1.0, 1, 2, 0.0], [2.0, 0.5, 4, 1, 0.0])), 6)
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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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
    >>> from omniou import rotated
    >>> round(float(rotated.iomin([1.0, 1.0, 2, 2, 0.0], [2.0, 0.5, 2, 1, 0.0])), 6)
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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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
    >>> from omniou import rotated
    >>> round(float(rotated.dice([1.0, 1.0, 2, 2, 0.0], [1.0, 0.5, 2, 1, 0.0])), 6)
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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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


_ciou = operations.score("ciou", GEOMETRY)


def ciou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    detach_alpha: bool = True,
    alpha_above: float | None = None,
) -> ArrayT:
    """Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it, element by element.

    v = 4 / pi^2 * (atan(w_a / h_a) - atan(w_b / h_b))^2 and alpha = v / (1 - IoU + v). In one dimension there is no
    aspect ratio and CIoU is DIoU; in three, v is the mean over the three pairs of axes. Less than -1 only for boxes far
    apart whose aspect ratios differ.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _ciou(
        a, b, eps=eps, power=power, inner=inner, format=format, detach_alpha=detach_alpha, alpha_above=alpha_above
    )


_tiou = operations.score("tiou", GEOMETRY)


def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

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


_probiou = operations.score("probiou", GEOMETRY)


def probiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians, element by element.

    `eps` is the constant that the paper adds inside the root; other libraries add it to the denominators and inside the
    logarithm, too, and keep the Bhattacharyya distance within [eps, 100], as is done here where it is not 0.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _probiou(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance)


_bhattacharyya = operations.score("bhattacharyya", GEOMETRY)


def bhattacharyya(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya distance of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _bhattacharyya(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance)


_hellinger = operations.score("hellinger", GEOMETRY)


def hellinger(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger distance of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _hellinger(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance)


_nwd = operations.score("nwd", GEOMETRY)


def nwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _nwd(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance, constant=constant)


_gwd = operations.score("gwd", GEOMETRY)


def gwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
    normalize: bool = False,
) -> ArrayT:
    """2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _gwd(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance, normalize=normalize)


_kld = operations.score("kld", GEOMETRY)


def kld(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
) -> ArrayT:
    """Kullback-Leibler divergence of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _kld(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance, direction=direction)


_kfiou = operations.score("kfiou", GEOMETRY)


def kfiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    covariance: Covariance = "inscribed",
) -> ArrayT:
    """KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them, element by element.

    It compares only sides and directions, not the centres. Equal shapes score 1 / 3 at any distance.

    Parameters
    ----------
    a, b : array, shape (..., 5)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
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
    """
    return _kfiou(a, b, eps=eps, power=power, inner=inner, format=format, covariance=covariance)


_pairwise_iou = operations.pairwise_iou(GEOMETRY)


def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(rotated.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, 5) and (..., M, 5)
        Two sets; leading axes broadcast. Rectangles; (..., 8) for the format "xyxyxyxy".
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

    Returns
    -------
    array, shape (..., N, M)

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.
    """
    return _pairwise_iou(a, b, eps=eps, power=power, inner=inner, format=format)


_area = operations.measure("area", GEOMETRY)


def area(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Area; 0 for a rectangle with a side below 0.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles; (..., 8) for the format "xyxyxyxy".
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

    Returns
    -------
    array, shape (...)


    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import rotated
    >>> float(rotated.area([0, 0, 3, 2, 0.5]))
    6.0
    """
    return _area(x, format=format)


_corners = operations.measure("corners", GEOMETRY)


def corners(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """The four corners of rectangles, in the order of "xyxyxyxy".

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles; (..., 8) for the format "xyxyxyxy".
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

    Returns
    -------
    array, shape (..., 4, 2)
        Before the turn: top-left, top-right, bottom-right and bottom-left corner.

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import rotated
    >>> rotated.corners([0, 0, 4, 2, 0]).tolist()
    [[-2.0, -1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, 1.0]]
    """
    return _corners(x, format=format)


_enclosing = operations.measure("enclosing", GEOMETRY)


def enclosing(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> ArrayT:
    """Compute a rectangle around two: the smaller one of the two that are parallel to one of them.

    Parameters
    ----------
    a, b : array, shape (..., 5) or (..., 8)
        Rectangles; (..., 8) for the format "xyxyxyxy". Leading axes broadcast.
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

    Returns
    -------
    array, shape (..., 5)
        As "cxcywhr".

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import rotated
    >>> rotated.enclosing([1, 1, 2, 2, 0], [4, 1, 2, 1, 0]).tolist()
    [2.5, 1.0, 5.0, 2.0, 0.0]
    """
    return _enclosing(a, b, format=format)


_check = operations.measure("check", GEOMETRY)


def check(
    x: ArrayT | ArrayLike,
    /,
    *,
    format: RotatedFormat = "cxcywhr",
) -> None:
    """Raise unless every rectangle is finite, has sides of at least 0, and an angle within two turns.

    Scores do not check values, because that would wait for the device: call this function where you load data.

    The last check finds degrees passed for radians. Four corners must form a rectangle, to a hundredth of its longer
    side.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles; (..., 8) for the format "xyxyxyxy".
    format : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.

    Raises
    ------
    ValueError
        The first invalid row, the reason, and its numbers.

    Examples
    --------
    >>> from omniou import rotated
    >>> rotated.check([[0, 0, 4, 2, 0.5], [0, 0, 4, 2, 90]])
    Traceback (most recent call last):
        ...
    ValueError: `x[1]` has an angle beyond two turns, as degrees have in [0.0, 0.0, 4.0, 2.0, 90.0]
    """
    _check(x, format=format)


_convert = operations.convert(GEOMETRY)


def convert(
    x: ArrayT | ArrayLike,
    source: str,
    target: str,
    /,
    *,
    unit: AngleUnit = "radians",
    clockwise: bool = True,
    to_unit: AngleUnit = "radians",
    to_clockwise: bool = True,
) -> ArrayT:
    """Convert rotated rectangles to another format. Angles may be of another unit or sense of rotation.

    Parameters
    ----------
    x : array, shape (..., 5) or (..., 8)
        Rectangles; (..., 8) for the format "xyxyxyxy".
    source, target : {"cxcywhr", "xywhr", "xyxyxyxy"}
        "cxcywhr": centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy":
        four corners along the outline, in either direction. Angles are radians, positive from x towards y,
        which is clockwise on a screen.
    unit : {"radians", "degrees"}
        Unit of the angles of `x`. All other functions take radians.
    clockwise : bool
        Whether positive angles of `x` turn x towards y, clockwise on a screen with y down, as in all other
        functions. In torchvision and detectron2, they turn counterclockwise.
    to_unit : {"radians", "degrees"}
        Unit of the angles of the result.
    to_clockwise : bool
        The same for the result.

    Returns
    -------
    array, shape (..., 5) or (..., 8)
        From corners, the first side is the one between the first two, and the angle in (-pi, pi].

    Raises
    ------
    TypeError, ValueError
        If the array holds no real numbers, its shape does not fit, or a format or another option is unknown.

    Examples
    --------
    >>> from omniou import rotated
    >>> rotated.convert([5, 5, 4, 2, 90], "cxcywhr", "xyxyxyxy", unit="degrees").tolist()
    [6.0, 3.0, 6.0, 7.0, 4.0, 7.0, 4.0, 3.0]
    """
    return _convert(x, source, target, unit=unit, clockwise=clockwise, to_unit=to_unit, to_clockwise=to_clockwise)


publish("omniou.rotated", globals())
