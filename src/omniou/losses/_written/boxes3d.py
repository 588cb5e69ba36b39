# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.losses.boxes3d` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any, Literal

from omniou._catalogue import operations
from omniou._catalogue.calls import publish
from omniou._catalogue.geometries.boxes3d import GEOMETRY
from omniou._catalogue.shape_options import Boxes3DFormat, Reduction
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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
    >>> from omniou.losses import boxes3d
    >>> round(float(boxes3d.iou(np.array([5.0, 5.0, 0.5, 10, 10, 1.0, 0.0], dtype=float), [10.0, 10.0, 0.5, 10, 10, 1.0, 0.0])), 6)
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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
    >>> from omniou.losses import boxes3d
    >>> round(float(boxes3d.iof(np.array([0.5, 1.0, 0.5, 1, 2, 1.0, 0.0], dtype=float), [2.0, 0.5, 0.5, 4, 1, 1.0, 0.0])), 6)
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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
    >>> from omniou.losses import boxes3d
    >>> round(float(boxes3d.iomin(np.array([1.0, 1.0, 0.5, 2, 2, 1.0, 0.0], dtype=float), [2.0, 0.5, 0.5, 2, 1, 1.0, 0.0])), 6)
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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
    >>> from omniou.losses import boxes3d
    >>> round(float(boxes3d.dice(np.array([1.0, 1.0, 0.5, 2, 2, 1.0, 0.0], dtype=float), [1.0, 0.5, 0.5, 2, 1, 1.0, 0.0])), 6)
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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


_tiou = operations.loss("tiou", GEOMETRY)


def tiou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    eps: float = 0.0,
    power: float = 1.0,
    inner: float = 1.0,
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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
    format: Boxes3DFormat = "xyzlwhr",
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
    pred : array, shape (..., 7)
        Predictions, of a floating dtype. Boxes; (..., 10) for the format "nuscenes".
    target : array, shape (..., 7)
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
    format : {"xyzlwhr", "kitti", "nuscenes"}
        "xyzlwhr": centre, length, width, height, yaw, as in Waymo's data. "kitti": height, width, length,
        x, y, z of the centre of the bottom in the axes of the camera, rotation_y. "nuscenes": centre,
        width, length, height, quaternion w, x, y, z. Angles are radians, positive from x towards y.
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


publish("omniou.losses.boxes3d", globals())
