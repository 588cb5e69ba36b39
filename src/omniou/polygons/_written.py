# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.polygons` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.polygons import GEOMETRY
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "iou",
    "iof",
    "iomin",
    "dice",
    "giou",
    "tiou",
    "pairwise_iou",
    "area",
    "check",
]

_iou = operations.score("iou", GEOMETRY)


def iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Intersection over union (Jaccard index), element by element.

    Parameters
    ----------
    a, b : array, shape (..., V, 2)
        Vertices along the outline of convex polygons. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

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
    >>> from omniou import polygons
    >>> round(float(polygons.iou([[0, 0], [10, 0], [10, 10], [0, 10]], [[5, 5], [15, 5], [15, 15], [5, 15]])), 6)
    0.142857
    """
    return _iou(a, b, eps=eps, power=power)


_iof = operations.score("iof", GEOMETRY)


def iof(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Intersection over the area of the first shape: COCO's overlap of a detection with a crowd, element by element.

    Parameters
    ----------
    a, b : array, shape (..., V, 2)
        Vertices along the outline of convex polygons. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

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
    >>> from omniou import polygons
    >>> round(float(polygons.iof([[0, 0], [1, 0], [1, 2], [0, 2]], [[0, 0], [4, 0], [4, 1], [0, 1]])), 6)
    0.5
    """
    return _iof(a, b, eps=eps, power=power)


_iomin = operations.score("iomin", GEOMETRY)


def iomin(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other, element by element.

    Parameters
    ----------
    a, b : array, shape (..., V, 2)
        Vertices along the outline of convex polygons. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

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
    >>> from omniou import polygons
    >>> round(float(polygons.iomin([[0, 0], [2, 0], [2, 2], [0, 2]], [[1, 0], [3, 0], [3, 1], [1, 1]])), 6)
    0.5
    """
    return _iomin(a, b, eps=eps, power=power)


_dice = operations.score("dice", GEOMETRY)


def dice(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Dice coefficient: twice the intersection over the sum of both areas, element by element.

    Parameters
    ----------
    a, b : array, shape (..., V, 2)
        Vertices along the outline of convex polygons. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

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
    >>> from omniou import polygons
    >>> round(float(polygons.dice([[0, 0], [2, 0], [2, 2], [0, 2]], [[0, 0], [2, 0], [2, 1], [0, 1]])), 6)
    0.666667
    """
    return _dice(a, b, eps=eps, power=power)


_giou = operations.score("giou", GEOMETRY)


def giou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Generalised intersection over union: IoU minus the empty share of the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., V, 2)
        Vertices along the outline of convex polygons. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

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
    return _giou(a, b, eps=eps, power=power)


_tiou = operations.score("tiou", GEOMETRY)


def tiou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """Tracking IoU: the smaller area over the hull, element by element.

    Parameters
    ----------
    a, b : array, shape (..., V, 2)
        Vertices along the outline of convex polygons. Leading axes broadcast.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

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
    return _tiou(a, b, eps=eps, power=power)


_pairwise_iou = operations.pairwise_iou(GEOMETRY)


def pairwise_iou(
    a: ArrayT | ArrayLike,
    b: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
) -> ArrayT:
    """IoU of all pairs: short for ``pairwise(polygons.iou, a, b)``.

    Parameters
    ----------
    a, b : array, shape (..., N, V, 2) and (..., M, V, 2)
        Two sets; leading axes broadcast. Vertices along the outline of convex polygons.
    eps : float
        A number to add to every denominator, to reproduce another library. omniou's formulas need none.
    power : float
        Power of the overlap and of each penalty, above 0 (He et al., Alpha-IoU, NeurIPS 2021). The paper
        uses 3.

    Returns
    -------
    array, shape (..., N, M)

    Raises
    ------
    TypeError, ValueError
        The same as `iou`.
    """
    return _pairwise_iou(a, b, eps=eps, power=power)


_area = operations.measure("area", GEOMETRY)


def area(
    x: ArrayT | ArrayLike,
    /,
) -> ArrayT:
    """Area by the shoelace formula.

    Parameters
    ----------
    x : array, shape (..., V, 2)
        Vertices along the outline of convex polygons.


    Returns
    -------
    array, shape (...)


    Raises
    ------
    TypeError, ValueError
        The same as `iou`.

    Examples
    --------
    >>> from omniou import polygons
    >>> float(polygons.area([[0, 0], [4, 0], [0, 3]]))
    6.0
    """
    return _area(x)


_check = operations.measure("check", GEOMETRY)


def check(
    x: ArrayT | ArrayLike,
    /,
) -> None:
    """Raise unless every polygon is finite, convex, and goes around once.

    Scores do not check values, because that would wait for the device: call this function where you load data.

    Parameters
    ----------
    x : array, shape (..., V, 2)
        Vertices along the outline of convex polygons.


    Raises
    ------
    ValueError
        The first invalid row, the reason, and its numbers.

    Examples
    --------
    >>> from omniou import polygons
    >>> polygons.check([[0, 0], [2, 2], [2, 0], [0, 2]])
    Traceback (most recent call last):
        ...
    ValueError: `x` is not convex in [0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0]
    """
    _check(x)


publish("omniou.polygons", globals())
