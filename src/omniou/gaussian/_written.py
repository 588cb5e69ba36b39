# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.gaussian` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any

from omniou._catalogue import gaussian_operations
from omniou._catalogue.calls import publish
from omniou._catalogue.shape_options import Covariance, Direction
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "probiou",
    "bhattacharyya",
    "hellinger",
    "nwd",
    "gwd",
    "kld",
    "kfiou",
]

_probiou = gaussian_operations.score("probiou")


def probiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians, element by element.

    `eps` is the constant that the paper adds inside the root; other libraries add it to the denominators and inside the
    logarithm, too, and keep the Bhattacharyya distance within [eps, 100], as is done here where it is not 0.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where both shapes are empty.

    Raises
    ------
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union, 2021.
    """
    return _probiou(
        a, b, eps=eps, power=power, inner=inner, format=format, image_size=image_size, covariance=covariance
    )


_bhattacharyya = gaussian_operations.score("bhattacharyya")


def bhattacharyya(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya distance of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, inf]; 0 for two points at the same place.

    Raises
    ------
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Bhattacharyya, Bulletin of the Calcutta Mathematical Society 35, 1943; as L2 of Llerena et al., 2021.
    """
    return _bhattacharyya(
        a, b, eps=eps, power=power, inner=inner, format=format, image_size=image_size, covariance=covariance
    )


_hellinger = gaussian_operations.score("hellinger")


def hellinger(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger distance of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 for two points at the same place.

    Raises
    ------
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Hellinger, Journal für die reine und angewandte Mathematik 136, 1909; Llerena et al., 2021.
    """
    return _hellinger(
        a, b, eps=eps, power=power, inner=inner, format=format, image_size=image_size, covariance=covariance
    )


_nwd = gaussian_operations.score("nwd")


def nwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
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
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Wang et al., A Normalized Gaussian Wasserstein Distance for Tiny Object Detection, 2021.
    """
    return _nwd(
        a,
        b,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        image_size=image_size,
        covariance=covariance,
        constant=constant,
    )


_gwd = gaussian_operations.score("gwd")


def gwd(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "inscribed",
    normalize: bool = False,
) -> ArrayT:
    """2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
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
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Yang et al., Rethinking Rotated Object Detection with Gaussian Wasserstein Distance Loss, ICML 2021.
    """
    return _gwd(
        a,
        b,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        image_size=image_size,
        covariance=covariance,
        normalize=normalize,
    )


_kld = gaussian_operations.score("kld")


def kld(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
) -> ArrayT:
    """Kullback-Leibler divergence of both shapes as Gaussians, element by element.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
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
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Yang et al., Learning High-Precision Bounding Box for Rotated Object Detection via Kullback-Leibler Divergence,
    NeurIPS 2021.
    """
    return _kld(
        a,
        b,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        image_size=image_size,
        covariance=covariance,
        direction=direction,
    )


_kfiou = gaussian_operations.score("kfiou")


def kfiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: str | None = None,
    image_size: Any = None,
    covariance: Covariance = "inscribed",
) -> ArrayT:
    """KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them, element by element.

    It compares only sides and directions, not the centres. Equal shapes score 1 / 3 at any distance.

    Parameters
    ----------
    a, b : array, shape (..., 4), (..., 5) or (..., 8)
        Boxes or rotated rectangles. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.
    inner : float
        Ratio to scale both shapes by, about their centres, before computing the overlap; above 0. The
        penalties do not change (Zhang et al., Inner-IoU, 2023). Use less than 1 for high overlaps, more
        than 1 for low ones.
    format : str | None
        By default "xyxy", "cxcywhr" or "xyxyxyxy", as the last axis tells. Of boxes: order of the numbers:
        "xyxy", "yxyx" (minimum corner, maximum corner), "xywh" (minimum corner, sides) or "cxcywh" (centre,
        sides). For intervals: "xx", "xw", "cxw". For cuboids: "xyzxyz", "zyxzyx", "xyzwhd", "cxcyczwhd".
        With the prefix ``rel_``, numbers are fractions of `image_size`. Of rotated rectangles: "cxcywhr":
        centre, sides, angle. "xywhr": top-left corner before the turn, sides, angle. "xyxyxyxy": four
        corners along the outline, in either direction. Angles are radians, positive from x towards y, which
        is clockwise on a screen.
    image_size : optional
        (height, width), needed by the relative formats of boxes.
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...)
        In [0, 0.333333]; 0 where either shape is empty.

    Raises
    ------
    TypeError, ValueError
        The same as in `omniou.boxes` and `omniou.rotated`.

    References
    ----------
    Yang et al., The KFIoU Loss for Rotated Object Detection, ICLR 2023.
    """
    return _kfiou(a, b, eps=eps, power=power, inner=inner, format=format, image_size=image_size, covariance=covariance)


publish("omniou.gaussian", globals())
