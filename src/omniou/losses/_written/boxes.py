# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.losses` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any, Literal

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.boxes import GEOMETRY
from omniou._catalogue.shape_options import Covariance, Direction, Inverted, Reduction
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
]

_iou = operations.loss("iou", GEOMETRY)


def iou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    log: bool = False,
    floor: float = 1e-06,
) -> ArrayT:
    """IoU loss: 1 - IoU.

    Intersection over union (Jaccard index). Its gradient is 0 for disjoint boxes. The losses of GIoU, DIoU and CIoU
    move such boxes together.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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
    >>> from omniou import losses
    >>> round(float(losses.iou(np.array([0, 0, 10, 10], dtype=float), [5, 5, 15, 15])), 6)
    0.857143
    """
    return _iou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        log=log,
        floor=floor,
    )


_iof = operations.loss("iof", GEOMETRY)


def iof(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """IoF loss: 1 - IoF.

    Intersection over the area of the first shape: COCO's overlap of a detection with a crowd.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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
    >>> from omniou import losses
    >>> round(float(losses.iof(np.array([0, 0, 1, 2], dtype=float), [0, 0, 4, 1])), 6)
    0.5
    """
    return _iof(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_iomin = operations.loss("iomin", GEOMETRY)


def iomin(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """IoMin loss: 1 - IoMin.

    Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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
    >>> from omniou import losses
    >>> round(float(losses.iomin(np.array([0, 0, 2, 2], dtype=float), [1, 0, 3, 1])), 6)
    0.5
    """
    return _iomin(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_dice = operations.loss("dice", GEOMETRY)


def dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """Dice loss: 1 - Dice.

    Dice coefficient: twice the intersection over the sum of both areas.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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
    >>> from omniou import losses
    >>> round(float(losses.dice(np.array([0, 0, 2, 2], dtype=float), [0, 0, 2, 1])), 6)
    0.333333
    """
    return _dice(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_giou = operations.loss("giou", GEOMETRY)


def giou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """GIoU loss: 1 - GIoU.

    Generalised intersection over union: IoU minus the empty share of the hull.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.giou(np.array([0, 0, 1, 1], dtype=float), [1, 1, 2, 2])), 6)
    1.5
    """
    return _giou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_diou = operations.loss("diou", GEOMETRY)


def diou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """DIoU loss: 1 - DIoU.

    Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.diou(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    1.2
    """
    return _diou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_eiou = operations.loss("eiou", GEOMETRY)


def eiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """EIoU loss: 1 - EIoU.

    Efficient IoU: DIoU minus the squared differences of the sides over the squared sides of the hull.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

    Returns
    -------
    array, shape (...) or ()
        In [0, 4], and above for inverted predictions with a penalty. Values and gradients are finite,
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
    Zhang et al., Focal and Efficient IOU Loss, Neurocomputing 506, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.eiou(np.array([0, 0, 2, 2], dtype=float), [0, 0, 2, 1])), 6)
    0.78125
    """
    return _eiou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_ciou = operations.loss("ciou", GEOMETRY)


def ciou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    detach_alpha: bool = True,
    alpha_above: float | None = None,
) -> ArrayT:
    """CIoU loss: 1 - CIoU.

    Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.ciou(np.array([0, 0, 4, 2], dtype=float), [1, 0, 3, 3])), 6)
    0.626823
    """
    return _ciou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        detach_alpha=detach_alpha,
        alpha_above=alpha_above,
    )


_siou = operations.loss("siou", GEOMETRY)


def siou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    theta: float = 4.0,
) -> ArrayT:
    """SIoU loss: 1 - SIoU.

    SCYLLA IoU: IoU minus half the sum of a distance cost and a shape cost.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    theta : float
        Power of the shape cost, at least 2; the paper uses 2 to 6.

    Returns
    -------
    array, shape (...) or ()
        In [0, 2.26424], and above for inverted predictions with a penalty. Values and gradients are finite,
        also for empty, inverted, identical and disjoint shapes.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    Notes
    -----
    Higher is better; a shape without a partner scores -0.864665.

    References
    ----------
    Gevorgyan, SIoU Loss: More Powerful Learning for Bounding Box Regression, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.siou(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    1.196735
    """
    return _siou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        theta=theta,
    )


_mpdiou = operations.loss("mpdiou", GEOMETRY)


def mpdiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """MPDIoU loss: 1 - MPDIoU.

    IoU minus the squared distances of both pairs of corners over the squared diagonal of the image.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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
    Higher is better; a shape without a partner scores -2.

    References
    ----------
    Ma and Xu, MPDIoU: A Loss for Efficient and Accurate Bounding Box Regression, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.mpdiou(np.array([0, 0, 4, 2], dtype=float), [1, 0, 3, 3], image_size=(6, 8))), 6)
    0.63
    """
    return _mpdiou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_shape_iou = operations.loss("shape_iou", GEOMETRY)


def shape_iou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    scale: float = 0.0,
) -> ArrayT:
    """ShapeIoU loss: 1 - ShapeIoU.

    Shape-IoU: IoU minus a distance cost and a shape cost, weighted by the shape of the second box.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    scale : float
        How strongly the sides of the second box weight the differences, at least 0; 0 for no weights.

    Returns
    -------
    array, shape (...) or ()
        In [0, 3.27949], and above for inverted predictions with a penalty. Values and gradients are finite,
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
    Zhang and Zhang, Shape-IoU: More Accurate Metric considering Bounding Box Shape and Scale, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.shape_iou(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    1.2
    """
    return _shape_iou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        scale=scale,
    )


_tiou = operations.loss("tiou", GEOMETRY)


def tiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
) -> ArrayT:
    """TIoU loss: 1 - TIoU.

    Tracking IoU: the smaller area over the hull. It compares extents, so its gradient does not vanish for disjoint
    boxes.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.

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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.tiou(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    0.5
    """
    return _tiou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
    )


_wiou = operations.loss("wiou", GEOMETRY)


def wiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
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
    pred : array, shape (..., 2 * D)
        Predictions, of a floating dtype. Boxes in D = 1, 2 or 3 dimensions.
    target : array, shape (..., 2 * D)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.wiou(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    1.221403
    """
    return _wiou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
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
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """ProbIoU loss: 1 - ProbIoU.

    ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians. It is the paper's L1; its L2, -log(1 - L1^2),
    is the loss of `bhattacharyya`, whose gradient does not vanish for boxes far apart.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.probiou(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    0.881402
    """
    return _probiou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        covariance=covariance,
    )


_bhattacharyya = operations.loss("bhattacharyya", GEOMETRY)


def bhattacharyya(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Bhattacharyya loss: the distance.

    Bhattacharyya distance of both shapes as Gaussians.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.bhattacharyya(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    1.5
    """
    return _bhattacharyya(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        covariance=covariance,
    )


_hellinger = operations.loss("hellinger", GEOMETRY)


def hellinger(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "uniform",
) -> ArrayT:
    """Hellinger loss: the distance.

    Hellinger distance of both shapes as Gaussians.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.hellinger(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    0.881402
    """
    return _hellinger(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        covariance=covariance,
    )


_nwd = operations.loss("nwd", GEOMETRY)


def nwd(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    constant: float = 12.8,
) -> ArrayT:
    """NWD loss: 1 - NWD.

    Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.nwd(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    0.144655
    """
    return _nwd(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        covariance=covariance,
        constant=constant,
    )


_gwd = operations.loss("gwd", GEOMETRY)


def gwd(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    normalize: bool = False,
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
) -> ArrayT:
    """GWD loss: 1 - 1 / (tau + fun(GWD)).

    2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.gwd(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    0.523495
    """
    return _gwd(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
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
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    direction: Direction = "forward",
    fun: Literal["log1p", "sqrt", "none"] = "log1p",
    tau: float = 1.0,
) -> ArrayT:
    """KLD loss: 1 - 1 / (tau + fun(KLD)).

    Kullback-Leibler divergence of both shapes as Gaussians. mmrotate's loss of this name is ``direction="reverse"``.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.kld(np.array([0, 0, 2, 2], dtype=float), [2, 0, 4, 2])), 6)
    0.523495
    """
    return _kld(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
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
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    image_size: Any = None,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    normalizer: Any = None,
    focal: float = 0.0,
    inverted: Inverted = "penalise",
    covariance: Covariance = "inscribed",
    fun: Literal["none", "ln", "exp"] = "none",
) -> ArrayT:
    """KFIoU loss: 1 - KFIoU.

    KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them. Its gradient with
    respect to the centres is 0: add a loss for the centres, like the paper.

    Parameters
    ----------
    pred : array, shape (..., 4)
        Predictions, of a floating dtype. Boxes in 2 dimensions.
    target : array, shape (..., 4)
        Ground truth. Leading axes broadcast.
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
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
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

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> round(float(losses.kfiou(np.array([0, 0, 2, 2], dtype=float), [0, 0, 2, 1])), 6)
    0.732864
    """
    return _kfiou(
        pred,
        target,
        format=format,
        offset=offset,
        image_size=image_size,
        eps=eps,
        power=power,
        inner=inner,
        weight=weight,
        where=where,
        reduction=reduction,
        normalizer=normalizer,
        focal=focal,
        inverted=inverted,
        covariance=covariance,
        fun=fun,
    )


publish("omniou.losses", globals())
