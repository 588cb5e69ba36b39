# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou_integrations.jax` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any, Literal

from jax import Array
from jax.typing import ArrayLike

from omniou._catalogue.calls import publish
from omniou._catalogue.shape_options import Covariance, Direction, Inverted, Reduction
from omniou._lib.formats import BoxFormat
from omniou_integrations.jax import _losses
from omniou_integrations.jax._sums import Axis

__all__: list[str] = [
    "iou_loss",
    "iof_loss",
    "iomin_loss",
    "dice_loss",
    "giou_loss",
    "diou_loss",
    "eiou_loss",
    "ciou_loss",
    "siou_loss",
    "mpdiou_loss",
    "shape_iou_loss",
    "tiou_loss",
    "wiou_loss",
    "probiou_loss",
    "bhattacharyya_loss",
    "hellinger_loss",
    "nwd_loss",
    "gwd_loss",
    "kld_loss",
    "kfiou_loss",
]

_iou_loss = _losses.loss("iou")


def iou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """IoU loss: 1 - IoU, for JAX arrays.

    Intersection over union (Jaccard index). Its gradient is 0 for disjoint boxes. The losses of GIoU, DIoU and CIoU
    move such boxes together.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016 (1 -
    IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import iou_loss
    >>> round(float(iou_loss(jnp.asarray([0.0, 0.0, 10.0, 10.0]), jnp.asarray([5.0, 5.0, 15.0, 15.0]))), 4)
    0.8571
    """
    return _iou_loss(
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
        axis=axis,
    )


_iof_loss = _losses.loss("iof")


def iof_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """IoF loss: 1 - IoF, for JAX arrays.

    Intersection over the area of the first shape: COCO's overlap of a detection with a crowd.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import iof_loss
    >>> round(float(iof_loss(jnp.asarray([0.0, 0.0, 1.0, 2.0]), jnp.asarray([0.0, 0.0, 4.0, 1.0]))), 4)
    0.5
    """
    return _iof_loss(
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
        axis=axis,
    )


_iomin_loss = _losses.loss("iomin")


def iomin_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """IoMin loss: 1 - IoMin, for JAX arrays.

    Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import iomin_loss
    >>> round(float(iomin_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([1.0, 0.0, 3.0, 1.0]))), 4)
    0.5
    """
    return _iomin_loss(
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
        axis=axis,
    )


_dice_loss = _losses.loss("dice")


def dice_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """Dice loss: 1 - Dice, for JAX arrays.

    Dice coefficient: twice the intersection over the sum of both areas.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Dice, Ecology 26, 1945.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import dice_loss
    >>> round(float(dice_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([0.0, 0.0, 2.0, 1.0]))), 4)
    0.3333
    """
    return _dice_loss(
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
        axis=axis,
    )


_giou_loss = _losses.loss("giou")


def giou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """GIoU loss: 1 - GIoU, for JAX arrays.

    Generalised intersection over union: IoU minus the empty share of the hull.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import giou_loss
    >>> round(float(giou_loss(jnp.asarray([0.0, 0.0, 1.0, 1.0]), jnp.asarray([1.0, 1.0, 2.0, 2.0]))), 4)
    1.5
    """
    return _giou_loss(
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
        axis=axis,
    )


_diou_loss = _losses.loss("diou")


def diou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """DIoU loss: 1 - DIoU, for JAX arrays.

    Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import diou_loss
    >>> round(float(diou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    1.2
    """
    return _diou_loss(
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
        axis=axis,
    )


_eiou_loss = _losses.loss("eiou")


def eiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """EIoU loss: 1 - EIoU, for JAX arrays.

    Efficient IoU: DIoU minus the squared differences of the sides over the squared sides of the hull.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Zhang et al., Focal and Efficient IOU Loss, Neurocomputing 506, 2022.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import eiou_loss
    >>> round(float(eiou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([0.0, 0.0, 2.0, 1.0]))), 4)
    0.7812
    """
    return _eiou_loss(
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
        axis=axis,
    )


_ciou_loss = _losses.loss("ciou")


def ciou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """CIoU loss: 1 - CIoU, for JAX arrays.

    Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import ciou_loss
    >>> round(float(ciou_loss(jnp.asarray([0.0, 0.0, 4.0, 2.0]), jnp.asarray([1.0, 0.0, 3.0, 3.0]))), 4)
    0.6268
    """
    return _ciou_loss(
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
        axis=axis,
    )


_siou_loss = _losses.loss("siou")


def siou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """SIoU loss: 1 - SIoU, for JAX arrays.

    SCYLLA IoU: IoU minus half the sum of a distance cost and a shape cost.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    theta : float
        Power of the shape cost, at least 2; the paper uses 2 to 6.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Gevorgyan, SIoU Loss: More Powerful Learning for Bounding Box Regression, 2022.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import siou_loss
    >>> round(float(siou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    1.1967
    """
    return _siou_loss(
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
        axis=axis,
    )


_mpdiou_loss = _losses.loss("mpdiou")


def mpdiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """MPDIoU loss: 1 - MPDIoU, for JAX arrays.

    IoU minus the squared distances of both pairs of corners over the squared diagonal of the image.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Ma and Xu, MPDIoU: A Loss for Efficient and Accurate Bounding Box Regression, 2023.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import mpdiou_loss
    >>> round(float(mpdiou_loss(jnp.asarray([0.0, 0.0, 4.0, 2.0]), jnp.asarray([1.0, 0.0, 3.0, 3.0]), image_size=(6, 8))), 4)
    0.63
    """
    return _mpdiou_loss(
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
        axis=axis,
    )


_shape_iou_loss = _losses.loss("shape_iou")


def shape_iou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """ShapeIoU loss: 1 - ShapeIoU, for JAX arrays.

    Shape-IoU: IoU minus a distance cost and a shape cost, weighted by the shape of the second box.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    scale : float
        How strongly the sides of the second box weight the differences, at least 0; 0 for no weights.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Zhang and Zhang, Shape-IoU: More Accurate Metric considering Bounding Box Shape and Scale, 2023.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import shape_iou_loss
    >>> round(float(shape_iou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    1.2
    """
    return _shape_iou_loss(
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
        axis=axis,
    )


_tiou_loss = _losses.loss("tiou")


def tiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """TIoU loss: 1 - TIoU, for JAX arrays.

    Tracking IoU: the smaller area over the hull. It compares extents, so its gradient does not vanish for disjoint
    boxes.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    powerboxes' tracking distance is 1 - TIoU.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import tiou_loss
    >>> round(float(tiou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    0.5
    """
    return _tiou_loss(
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
        axis=axis,
    )


_wiou_loss = _losses.loss("wiou")


def wiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """WIoU loss: 1 - WIoU, for JAX arrays.

    Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Tong et al., Wise-IoU: Bounding Box Regression Loss with Dynamic Focusing Mechanism, 2023.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import wiou_loss
    >>> round(float(wiou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    1.2214
    """
    return _wiou_loss(
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
        axis=axis,
    )


_probiou_loss = _losses.loss("probiou")


def probiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """ProbIoU loss: 1 - ProbIoU, for JAX arrays.

    ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians. It is the paper's L1; its L2, -log(1 - L1^2),
    is the loss of `bhattacharyya`, whose gradient does not vanish for boxes far apart.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union, 2021.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import probiou_loss
    >>> round(float(probiou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    0.8814
    """
    return _probiou_loss(
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
        axis=axis,
    )


_bhattacharyya_loss = _losses.loss("bhattacharyya")


def bhattacharyya_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """Bhattacharyya loss: the distance, for JAX arrays.

    Bhattacharyya distance of both shapes as Gaussians.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Bhattacharyya, Bulletin of the Calcutta Mathematical Society 35, 1943; as L2 of Llerena et al., 2021.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import bhattacharyya_loss
    >>> round(float(bhattacharyya_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    1.5
    """
    return _bhattacharyya_loss(
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
        axis=axis,
    )


_hellinger_loss = _losses.loss("hellinger")


def hellinger_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """Hellinger loss: the distance, for JAX arrays.

    Hellinger distance of both shapes as Gaussians.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Hellinger, Journal für die reine und angewandte Mathematik 136, 1909; Llerena et al., 2021.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import hellinger_loss
    >>> round(float(hellinger_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    0.8814
    """
    return _hellinger_loss(
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
        axis=axis,
    )


_nwd_loss = _losses.loss("nwd")


def nwd_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """NWD loss: 1 - NWD, for JAX arrays.

    Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    constant : float
        Mean size of the objects in the unit of the coordinates, above 0. The default is for AI-TOD.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Wang et al., A Normalized Gaussian Wasserstein Distance for Tiny Object Detection, 2021.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import nwd_loss
    >>> round(float(nwd_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    0.1447
    """
    return _nwd_loss(
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
        axis=axis,
    )


_gwd_loss = _losses.loss("gwd")


def gwd_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """GWD loss: 1 - 1 / (tau + fun(GWD)), for JAX arrays.

    2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    normalize : bool
        Divide by twice the fourth root of the product of all four standard deviations, like mmrotate by
        default. The distance then has no unit.
    fun : {"log1p", "sqrt", "none"}
        Function of the distance d: log(1 + d), its square root, or d.
    tau : float
        Parameter of the loss, at least 0: 1 - 1 / (tau + fun(d)) if tau is at least 1, otherwise fun(d).
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Yang et al., Rethinking Rotated Object Detection with Gaussian Wasserstein Distance Loss, ICML 2021.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import gwd_loss
    >>> round(float(gwd_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    0.5235
    """
    return _gwd_loss(
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
        axis=axis,
    )


_kld_loss = _losses.loss("kld")


def kld_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """KLD loss: 1 - 1 / (tau + fun(KLD)), for JAX arrays.

    Kullback-Leibler divergence of both shapes as Gaussians. mmrotate's loss of this name is ``direction="reverse"``.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    direction : {"forward", "reverse", "symmetric", "jeffreys", "max", "min"}
        "forward" is KL(a, b), "reverse" KL(b, a), "symmetric" their mean, "jeffreys" their sum, "max" and
        "min" the larger and the smaller one.
    fun : {"log1p", "sqrt", "none"}
        Function of the distance d: log(1 + d), its square root, or d.
    tau : float
        Parameter of the loss, at least 0: 1 - 1 / (tau + fun(d)) if tau is at least 1, otherwise fun(d).
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Yang et al., Learning High-Precision Bounding Box for Rotated Object Detection via Kullback-Leibler Divergence,
    NeurIPS 2021.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import kld_loss
    >>> round(float(kld_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([2.0, 0.0, 4.0, 2.0]))), 4)
    0.5235
    """
    return _kld_loss(
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
        axis=axis,
    )


_kfiou_loss = _losses.loss("kfiou")


def kfiou_loss(
    pred: ArrayLike,
    target: ArrayLike,
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
    axis: Axis = None,
) -> Array:
    """KFIoU loss: 1 - KFIoU, for JAX arrays.

    KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them. Its gradient with
    respect to the centres is 0: add a loss for the centres, like the paper.

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype. float16 and bfloat16 are computed in float32.
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
    covariance : {"uniform", "inscribed"}
        Variance for a side w: "uniform" is w^2 / 12, "inscribed" is (w / 2)^2.
    fun : {"none", "ln", "exp"}
        The loss: 1 - KFIoU, -log(max(KFIoU, 1e-6)), or exp(1 - KFIoU) - 1.
    axis : int | tuple[int, ...] | None
        Of the losses (...): which to reduce, by default all. Not the coordinates: these are always the last
        axis of the boxes.

    Returns
    -------
    jax.Array, shape (...) without the reduced axes
        Of the floating dtype of the boxes, float32 where losses of 16-bit boxes are reduced. Inside `shard_map` see
        `mean`.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, or `where` holds no booleans.
    ValueError
        If shapes do not fit, an option is unknown, or `axis` is given and nothing is reduced.

    References
    ----------
    Yang et al., The KFIoU Loss for Rotated Object Detection, ICLR 2023.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from omniou_integrations.jax import kfiou_loss
    >>> round(float(kfiou_loss(jnp.asarray([0.0, 0.0, 2.0, 2.0]), jnp.asarray([0.0, 0.0, 2.0, 1.0]))), 4)
    0.7329
    """
    return _kfiou_loss(
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
        axis=axis,
    )


publish("omniou_integrations.jax", globals())
