# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.losses.rotated` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any, Literal

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.rotated import GEOMETRY
from omniou._catalogue.shape_options import Covariance, Direction, Reduction, RotatedFormat
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
]

_iou = operations.loss("iou", GEOMETRY)


def iou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    log: bool = False,
    floor: float = 1e-06,
) -> ArrayT:
    """IoU loss: 1 - IoU.

    Intersection over union (Jaccard index). Its gradient is 0 for disjoint boxes. The losses of GIoU, DIoU and CIoU
    move such boxes together.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    log : bool
        Use UnitBox's loss, -log(max(IoU, floor)), instead of 1 - IoU.
    floor : float
        Lower limit of IoU, in (0, 1). An IoU below it, as for disjoint boxes, gives -log(floor) and
        gradient 0.

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016 (1 -
    IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.losses import rotated
    >>> round(float(rotated.iou(np.array([5.0, 5.0, 10, 10, 0.0], dtype=float), [10.0, 10.0, 10, 10, 0.0])), 6)
    0.857143
    """
    return _iou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        log=log,
        floor=floor,
    )


_iof = operations.loss("iof", GEOMETRY)


def iof(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """IoF loss: 1 - IoF.

    Intersection over the area of the first shape: COCO's overlap of a detection with a crowd.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.losses import rotated
    >>> round(float(rotated.iof(np.array([0.5, 1.0, 1, 2, 0.0], dtype=float), [2.0, 0.5, 4, 1, 0.0])), 6)
    0.5
    """
    return _iof(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
    )


_iomin = operations.loss("iomin", GEOMETRY)


def iomin(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """IoMin loss: 1 - IoMin.

    Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.losses import rotated
    >>> round(float(rotated.iomin(np.array([1.0, 1.0, 2, 2, 0.0], dtype=float), [2.0, 0.5, 2, 1, 0.0])), 6)
    0.5
    """
    return _iomin(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
    )


_dice = operations.loss("dice", GEOMETRY)


def dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """Dice loss: 1 - Dice.

    Dice coefficient: twice the intersection over the sum of both areas.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Dice, Ecology 26, 1945.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.losses import rotated
    >>> round(float(rotated.dice(np.array([1.0, 1.0, 2, 2, 0.0], dtype=float), [1.0, 0.5, 2, 1, 0.0])), 6)
    0.333333
    """
    return _dice(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
    )


_giou = operations.loss("giou", GEOMETRY)


def giou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """GIoU loss: 1 - GIoU.

    Generalised intersection over union: IoU minus the empty share of the hull.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).

    Returns
    -------
    array, shape (...) or ()
        In [0, 2], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores -1.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.
    """
    return _giou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
    )


_diou = operations.loss("diou", GEOMETRY)


def diou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """DIoU loss: 1 - DIoU.

    Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).

    Returns
    -------
    array, shape (...) or ()
        In [0, 2], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores -1.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.
    """
    return _diou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
    )


_ciou = operations.loss("ciou", GEOMETRY)


def ciou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    detach_alpha: bool = True,
    alpha_above: float | None = None,
) -> ArrayT:
    """CIoU loss: 1 - CIoU.

    Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    detach_alpha : bool
        Hold alpha constant in the gradient, like the paper. The value is the same.
    alpha_above : float | None
        IoU above which alpha counts; below, alpha is 0. mmdet and the code of the paper's authors use 0.5.
        By default, as in the paper, alpha counts at every IoU.

    Returns
    -------
    array, shape (...) or ()
        In [0, 3], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores -1. Its gradient holds alpha constant, unless `detach_alpha` is
    false.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.
    """
    return _ciou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        detach_alpha=detach_alpha,
        alpha_above=alpha_above,
    )


_tiou = operations.loss("tiou", GEOMETRY)


def tiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
) -> ArrayT:
    """TIoU loss: 1 - TIoU.

    Tracking IoU: the smaller area over the hull. It compares extents, so its gradient does not vanish for disjoint
    boxes.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    powerboxes' tracking distance is 1 - TIoU.
    """
    return _tiou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
    )


_wiou = operations.loss("wiou", GEOMETRY)


def wiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    version: Literal[1, 2, 3] = 1,
    running_mean: Any = None,
    gamma: float = 0.5,
    alpha: float = 1.9,
    delta: float = 3.0,
) -> ArrayT:
    """WIoU loss: 1 - WIoU.

    Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    version : {"1", "2", "3"}
        Factor of the loss. 1: none. 2: (L / mean)^gamma. 3: b / (delta * alpha^(b - delta)), b = L / mean.
        Here L = 1 - IoU and the mean is `running_mean`. The gradient holds the factor constant.
    running_mean : optional
        Mean of 1 - IoU in the training so far, for versions 2 and 3: a number or an array of shape (). See
        `omniou.losses.running_mean`.
    gamma : float
        Parameter of version 2, at least 0.
    alpha : float
        Parameter of version 3, above 0.
    delta : float
        Parameter of version 3, above 0.

    Returns
    -------
    array, shape (...) or ()
        In [0, 2.71828], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores -1.71828. Its gradient holds the hull's diagonal constant.

    References
    ----------
    Tong et al., Wise-IoU: Bounding Box Regression Loss with Dynamic Focusing Mechanism, 2023.
    """
    return _wiou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        version=version,
        running_mean=running_mean,
        gamma=gamma,
        alpha=alpha,
        delta=delta,
    )


_probiou = operations.loss("probiou", GEOMETRY)


def probiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU loss: 1 - ProbIoU.

    ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians. It is the paper's L1; its L2, -log(1 - L1^2),
    is the loss of `bhattacharyya`, whose gradient does not vanish for boxes far apart.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union, 2021.
    """
    return _probiou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
    )


_bhattacharyya = operations.loss("bhattacharyya", GEOMETRY)


def bhattacharyya(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya loss: the distance.

    Bhattacharyya distance of both shapes as Gaussians.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...) or ()
        In [0, inf], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Lower is better; a shape without a partner scores inf.

    References
    ----------
    Bhattacharyya, Bulletin of the Calcutta Mathematical Society 35, 1943; as L2 of Llerena et al., 2021.
    """
    return _bhattacharyya(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
    )


_hellinger = operations.loss("hellinger", GEOMETRY)


def hellinger(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger loss: the distance.

    Hellinger distance of both shapes as Gaussians.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Lower is better; a shape without a partner scores 1.

    References
    ----------
    Hellinger, Journal für die reine und angewandte Mathematik 136, 1909; Llerena et al., 2021.
    """
    return _hellinger(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
    )


_nwd = operations.loss("nwd", GEOMETRY)


def nwd(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """NWD loss: 1 - NWD.

    Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    constant : float
        Mean size of the objects in the unit of the coordinates, above 0. The default is for AI-TOD.

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Wang et al., A Normalized Gaussian Wasserstein Distance for Tiny Object Detection, 2021.
    """
    return _nwd(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
        constant=constant,
    )


_gwd = operations.loss("gwd", GEOMETRY)


def gwd(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    normalize: bool = False,
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
) -> ArrayT:
    """GWD loss: 1 - 1 / (tau + fun(GWD)).

    2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    normalize : bool
        Divide by twice the fourth root of the product of all four standard deviations, like mmrotate by
        default. The distance then has no unit.
    fun : {"log1p", "sqrt", "none"}
        Function of the distance d: log(1 + d), its square root, or d.
    tau : float
        Parameter of the loss, at least 0: 1 - 1 / (tau + fun(d)) if tau is at least 1, otherwise fun(d).

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Lower is better; a shape without a partner scores inf.

    References
    ----------
    Yang et al., Rethinking Rotated Object Detection with Gaussian Wasserstein Distance Loss, ICML 2021.
    """
    return _gwd(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
        normalize=normalize,
        fun=fun,
        tau=tau,
    )


_kld = operations.loss("kld", GEOMETRY)


def kld(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
) -> ArrayT:
    """KLD loss: 1 - 1 / (tau + fun(KLD)).

    Kullback-Leibler divergence of both shapes as Gaussians. mmrotate's loss of this name is ``direction="reverse"``.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    direction : {"forward", "reverse", "symmetric", "jeffreys", "max", "min"}
        "forward" is KL(a, b), "reverse" KL(b, a), "symmetric" their mean, "jeffreys" their sum, "max" and
        "min" the larger and the smaller one.
    fun : {"log1p", "sqrt", "none"}
        Function of the distance d: log(1 + d), its square root, or d.
    tau : float
        Parameter of the loss, at least 0: 1 - 1 / (tau + fun(d)) if tau is at least 1, otherwise fun(d).

    Returns
    -------
    array, shape (...) or ()
        In [0, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Lower is better; a shape without a partner scores inf.

    References
    ----------
    Yang et al., Learning High-Precision Bounding Box for Rotated Object Detection via Kullback-Leibler Divergence,
    NeurIPS 2021.
    """
    return _kld(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
        direction=direction,
        fun=fun,
        tau=tau,
    )


_kfiou = operations.loss("kfiou", GEOMETRY)


def kfiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: RotatedFormat = "cxcywhr",
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    covariance: Covariance = "inscribed",
    fun: Literal["none", "ln", "exp"] = "none",
) -> ArrayT:
    """KFIoU loss: 1 - KFIoU.

    KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them. Its gradient with
    respect to the centres is 0: add a loss for the centres, like the paper.

    Parameters
    ----------
    pred : array, shape (..., 5)
        Predictions, of a floating dtype. Rectangles; (..., 8) for the format "xyxyxyxy".
    target : array, shape (..., 5)
        Ground truth. Leading axes broadcast.
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
    weight : optional
        Factor for each loss, an array that broadcasts to (...).
    where : optional
        Which shapes count: booleans that broadcast to (...). The others have loss 0 and gradient 0, even if
        they are NaN.
    reduction : {"none", "mean", "sum"}
        "mean" divides the sum by the weights of the shapes that count, or by their number; without shapes
        it is 0. For 16-bit predictions, the sum and the mean are float32.
    normalizer : optional
        Divisor for "mean", such as the number of objects in all processes: a number or an array of shape
        (). mmdet calls it avg_factor. A divisor of 0 gives 0.
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    fun : {"none", "ln", "exp"}
        The loss: 1 - KFIoU, -log(max(KFIoU, 1e-6)), or exp(1 - KFIoU) - 1.

    Returns
    -------
    array, shape (...) or ()
        In [0.666667, 1], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores 0.

    References
    ----------
    Yang et al., The KFIoU Loss for Rotated Object Detection, ICLR 2023.
    """
    return _kfiou(
        pred,
        target,
        eps=eps,
        power=power,
        inner=inner,
        format=format,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        covariance=covariance,
        fun=fun,
    )


publish("omniou.losses.rotated", globals())
