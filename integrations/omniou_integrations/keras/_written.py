# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The losses of `omniou_integrations.keras` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any, Literal

from omniou import scores
from omniou._catalogue.pixel_options import Activation, Counted, Labels, Per, Weighting
from omniou._catalogue.shape_options import Covariance, Direction, Inverted
from omniou._lib.formats import BoxFormat
from omniou.losses import masks
from omniou_integrations.keras._base import publish
from omniou_integrations.keras._losses import BoxLoss
from omniou_integrations.keras._mask_losses import MaskLoss

__all__: list[str] = [
    "IoULoss",
    "IoFLoss",
    "IoMinLoss",
    "DiceLoss",
    "GIoULoss",
    "DIoULoss",
    "EIoULoss",
    "CIoULoss",
    "SIoULoss",
    "MPDIoULoss",
    "ShapeIoULoss",
    "TIoULoss",
    "WIoULoss",
    "ProbIoULoss",
    "BhattacharyyaLoss",
    "HellingerLoss",
    "NWDLoss",
    "GWDLoss",
    "KLDLoss",
    "KFIoULoss",
    "MaskJaccardLoss",
    "MaskIoFLoss",
    "MaskIoMinLoss",
    "MaskDiceLoss",
    "MaskTverskyLoss",
    "MaskPrecisionLoss",
    "MaskRecallLoss",
    "MaskAccuracyLoss",
    "MaskVolumetricSimilarityLoss",
    "MaskGeneralisedDiceLoss",
    "MaskFocalTverskyLoss",
    "MaskLovaszLoss",
]


class IoULoss(BoxLoss):
    """IoU loss: 1 - IoU, for Keras.

    Intersection over union (Jaccard index). Its gradient is 0 for disjoint boxes. The losses of GIoU, DIoU and CIoU
    move such boxes together.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016 (1 -
    IoU), Yu et al., UnitBox, ACM Multimedia 2016 (-log).

    Examples
    --------
    >>> from omniou_integrations.keras import IoULoss
    >>> round(float(IoULoss()([[5.0, 5.0, 15.0, 15.0]], [[0.0, 0.0, 10.0, 10.0]])), 4)
    0.8571
    """

    score = scores["iou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        log: bool = False,
        floor: float = 1e-06,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            log=log,
            floor=floor,
        )


class IoFLoss(BoxLoss):
    """IoF loss: 1 - IoF, for Keras.

    Intersection over the area of the first shape: COCO's overlap of a detection with a crowd.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014.

    Examples
    --------
    >>> from omniou_integrations.keras import IoFLoss
    >>> round(float(IoFLoss()([[0.0, 0.0, 4.0, 1.0]], [[0.0, 0.0, 1.0, 2.0]])), 4)
    0.5
    """

    score = scores["iof"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class IoMinLoss(BoxLoss):
    """IoMin loss: 1 - IoMin, for Keras.

    Intersection over the smaller area (overlap coefficient): 1 where one shape lies inside the other.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> from omniou_integrations.keras import IoMinLoss
    >>> round(float(IoMinLoss()([[1.0, 0.0, 3.0, 1.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.5
    """

    score = scores["iomin"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class DiceLoss(BoxLoss):
    """Dice loss: 1 - Dice, for Keras.

    Dice coefficient: twice the intersection over the sum of both areas.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Dice, Ecology 26, 1945.

    Examples
    --------
    >>> from omniou_integrations.keras import DiceLoss
    >>> round(float(DiceLoss()([[0.0, 0.0, 2.0, 1.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.3333
    """

    score = scores["dice"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class GIoULoss(BoxLoss):
    """GIoU loss: 1 - GIoU, for Keras.

    Generalised intersection over union: IoU minus the empty share of the hull.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Rezatofighi et al., Generalized Intersection over Union, CVPR 2019.

    Examples
    --------
    >>> from omniou_integrations.keras import GIoULoss
    >>> round(float(GIoULoss()([[1.0, 1.0, 2.0, 2.0]], [[0.0, 0.0, 1.0, 1.0]])), 4)
    1.5
    """

    score = scores["giou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class DIoULoss(BoxLoss):
    """DIoU loss: 1 - DIoU, for Keras.

    Distance IoU: IoU minus the squared distance of the centres over the hull's squared diagonal.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> from omniou_integrations.keras import DIoULoss
    >>> round(float(DIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    1.2
    """

    score = scores["diou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class EIoULoss(BoxLoss):
    """EIoU loss: 1 - EIoU, for Keras.

    Efficient IoU: DIoU minus the squared differences of the sides over the squared sides of the hull.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Zhang et al., Focal and Efficient IOU Loss, Neurocomputing 506, 2022.

    Examples
    --------
    >>> from omniou_integrations.keras import EIoULoss
    >>> round(float(EIoULoss()([[0.0, 0.0, 2.0, 1.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.7812
    """

    score = scores["eiou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class CIoULoss(BoxLoss):
    """CIoU loss: 1 - CIoU, for Keras.

    Complete IoU: DIoU minus alpha * v, where v compares the aspect ratios and alpha weights it.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> from omniou_integrations.keras import CIoULoss
    >>> round(float(CIoULoss()([[1.0, 0.0, 3.0, 3.0]], [[0.0, 0.0, 4.0, 2.0]])), 4)
    0.6268
    """

    score = scores["ciou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        detach_alpha: bool = True,
        alpha_above: float | None = None,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            detach_alpha=detach_alpha,
            alpha_above=alpha_above,
        )


class SIoULoss(BoxLoss):
    """SIoU loss: 1 - SIoU, for Keras.

    SCYLLA IoU: IoU minus half the sum of a distance cost and a shape cost.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Gevorgyan, SIoU Loss: More Powerful Learning for Bounding Box Regression, 2022.

    Examples
    --------
    >>> from omniou_integrations.keras import SIoULoss
    >>> round(float(SIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    1.1967
    """

    score = scores["siou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        theta: float = 4.0,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            theta=theta,
        )


class MPDIoULoss(BoxLoss):
    """MPDIoU loss: 1 - MPDIoU, for Keras.

    IoU minus the squared distances of both pairs of corners over the squared diagonal of the image.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Ma and Xu, MPDIoU: A Loss for Efficient and Accurate Bounding Box Regression, 2023.

    Examples
    --------
    >>> from omniou_integrations.keras import MPDIoULoss
    >>> round(float(MPDIoULoss(image_size=(6, 8))([[1.0, 0.0, 3.0, 3.0]], [[0.0, 0.0, 4.0, 2.0]])), 4)
    0.63
    """

    score = scores["mpdiou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class ShapeIoULoss(BoxLoss):
    """ShapeIoU loss: 1 - ShapeIoU, for Keras.

    Shape-IoU: IoU minus a distance cost and a shape cost, weighted by the shape of the second box.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Zhang and Zhang, Shape-IoU: More Accurate Metric considering Bounding Box Shape and Scale, 2023.

    Examples
    --------
    >>> from omniou_integrations.keras import ShapeIoULoss
    >>> round(float(ShapeIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    1.2
    """

    score = scores["shape_iou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        scale: float = 0.0,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            scale=scale,
        )


class TIoULoss(BoxLoss):
    """TIoU loss: 1 - TIoU, for Keras.

    Tracking IoU: the smaller area over the hull. It compares extents, so its gradient does not vanish for disjoint
    boxes.

    Parameters
    ----------
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
    focal : float
        Exponent of a factor IoU^focal for each loss, at least 0. The gradient holds the factor constant
        (Zhang et al., Focal-EIoU, 2022, with 0.5).
    inverted : {"penalise", "empty", "sort"}
        Treatment of predicted boxes whose maximum corner lies below the minimum corner; a score treats them
        as empty. "penalise" adds a penalty for each axis, the inverted distance divided by the side of the
        hull of all corners: its gradient corrects the box. "empty" adds nothing. "sort" sorts the corners
        first. For other boxes, all three give the same loss and gradient.
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    powerboxes' tracking distance is 1 - TIoU.

    Examples
    --------
    >>> from omniou_integrations.keras import TIoULoss
    >>> round(float(TIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.5
    """

    score = scores["tiou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
        )


class WIoULoss(BoxLoss):
    """WIoU loss: 1 - WIoU, for Keras.

    Wise-IoU: 1 - exp(d^2 / c^2) (1 - IoU), with the distance d of the centres and the hull's diagonal c.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Tong et al., Wise-IoU: Bounding Box Regression Loss with Dynamic Focusing Mechanism, 2023.

    Examples
    --------
    >>> from omniou_integrations.keras import WIoULoss
    >>> round(float(WIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    1.2214
    """

    score = scores["wiou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        version: Literal[1, 2, 3] = 1,
        running_mean: Any = None,
        gamma: float = 0.5,
        alpha: float = 1.9,
        delta: float = 3.0,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            version=version,
            running_mean=running_mean,
            gamma=gamma,
            alpha=alpha,
            delta=delta,
        )


class ProbIoULoss(BoxLoss):
    """ProbIoU loss: 1 - ProbIoU, for Keras.

    ProbIoU: 1 minus the Hellinger distance of both shapes as Gaussians. It is the paper's L1; its L2, -log(1 - L1^2),
    is the loss of `bhattacharyya`, whose gradient does not vanish for boxes far apart.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Llerena et al., Gaussian Bounding Boxes and Probabilistic Intersection-over-Union, 2021.

    Examples
    --------
    >>> from omniou_integrations.keras import ProbIoULoss
    >>> round(float(ProbIoULoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.8814
    """

    score = scores["probiou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "uniform",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
        )


class BhattacharyyaLoss(BoxLoss):
    """Bhattacharyya loss: the distance, for Keras.

    Bhattacharyya distance of both shapes as Gaussians.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Bhattacharyya, Bulletin of the Calcutta Mathematical Society 35, 1943; as L2 of Llerena et al., 2021.

    Examples
    --------
    >>> from omniou_integrations.keras import BhattacharyyaLoss
    >>> round(float(BhattacharyyaLoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    1.5
    """

    score = scores["bhattacharyya"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "uniform",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
        )


class HellingerLoss(BoxLoss):
    """Hellinger loss: the distance, for Keras.

    Hellinger distance of both shapes as Gaussians.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Hellinger, Journal für die reine und angewandte Mathematik 136, 1909; Llerena et al., 2021.

    Examples
    --------
    >>> from omniou_integrations.keras import HellingerLoss
    >>> round(float(HellingerLoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.8814
    """

    score = scores["hellinger"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "uniform",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
        )


class NWDLoss(BoxLoss):
    """NWD loss: 1 - NWD, for Keras.

    Normalised Gaussian Wasserstein distance: exp(-W / constant), with the distance W of `gwd`.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Wang et al., A Normalized Gaussian Wasserstein Distance for Tiny Object Detection, 2021.

    Examples
    --------
    >>> from omniou_integrations.keras import NWDLoss
    >>> round(float(NWDLoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.1447
    """

    score = scores["nwd"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        constant: float = 12.8,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
            constant=constant,
        )


class GWDLoss(BoxLoss):
    """GWD loss: 1 - 1 / (tau + fun(GWD)), for Keras.

    2-Wasserstein distance of both shapes as Gaussians, in the unit of the coordinates.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Yang et al., Rethinking Rotated Object Detection with Gaussian Wasserstein Distance Loss, ICML 2021.

    Examples
    --------
    >>> from omniou_integrations.keras import GWDLoss
    >>> round(float(GWDLoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.5235
    """

    score = scores["gwd"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        normalize: bool = False,
        fun: Literal["log1p", "sqrt", "none"] = "log1p",
        tau: float = 1.0,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
            normalize=normalize,
            fun=fun,
            tau=tau,
        )


class KLDLoss(BoxLoss):
    """KLD loss: 1 - 1 / (tau + fun(KLD)), for Keras.

    Kullback-Leibler divergence of both shapes as Gaussians. mmrotate's loss of this name is ``direction="reverse"``.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Yang et al., Learning High-Precision Bounding Box for Rotated Object Detection via Kullback-Leibler Divergence,
    NeurIPS 2021.

    Examples
    --------
    >>> from omniou_integrations.keras import KLDLoss
    >>> round(float(KLDLoss()([[2.0, 0.0, 4.0, 2.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.5235
    """

    score = scores["kld"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        direction: Direction = "forward",
        fun: Literal["log1p", "sqrt", "none"] = "log1p",
        tau: float = 1.0,
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
            direction=direction,
            fun=fun,
            tau=tau,
        )


class KFIoULoss(BoxLoss):
    """KFIoU loss: 1 - KFIoU, for Keras.

    KFIoU: the overlap of both shapes as Gaussians at one place, as Kalman filters multiply them. Its gradient with
    respect to the centres is 0: add a loss for the centres, like the paper.

    Parameters
    ----------
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
    reduction, name, dtype
        As of `keras.losses.Loss`.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_true`` and ``y_pred`` have shape (..., 4), for boxes in one or three dimensions (..., 2) or (..., 6). Before the
    reduction the losses have shape (...); ``sample_weight`` has these axes or the first of them. Where it is 0, or a
    Keras mask leaves a box out, its loss and gradient are 0 for any numbers in it, NaN included.

    References
    ----------
    Yang et al., The KFIoU Loss for Rotated Object Detection, ICLR 2023.

    Examples
    --------
    >>> from omniou_integrations.keras import KFIoULoss
    >>> round(float(KFIoULoss()([[0.0, 0.0, 2.0, 1.0]], [[0.0, 0.0, 2.0, 2.0]])), 4)
    0.7329
    """

    score = scores["kfiou"]

    def __init__(
        self,
        format: BoxFormat = "xyxy",
        *,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        offset: float = 0.0,
        image_size: Any = None,
        eps: float = 0.0,
        power: float = 1.0,
        inner: float = 1.0,
        focal: float = 0.0,
        inverted: Inverted = "penalise",
        covariance: Covariance = "inscribed",
        fun: Literal["none", "ln", "exp"] = "none",
    ) -> None:
        super().__init__(
            format=format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            offset=offset,
            image_size=image_size,
            eps=eps,
            power=power,
            inner=inner,
            focal=focal,
            inverted=inverted,
            covariance=covariance,
            fun=fun,
        )


class MaskJaccardLoss(MaskLoss):
    """Jaccard loss: 1 - IoU, of probabilities, for Keras.

    `omniou.losses.masks.jaccard` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskJaccardLoss
    >>> round(float(MaskJaccardLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.66667
    """

    function = staticmethod(masks.jaccard)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskIoFLoss(MaskLoss):
    """IoF loss: 1 - IoF, of probabilities, for Keras.

    `omniou.losses.masks.iof` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskIoFLoss
    >>> round(float(MaskIoFLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.66667
    """

    function = staticmethod(masks.iof)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskIoMinLoss(MaskLoss):
    """IoMin loss: 1 - IoMin, of probabilities, for Keras.

    `omniou.losses.masks.iomin` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskIoMinLoss
    >>> round(float(MaskIoMinLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.0
    """

    function = staticmethod(masks.iomin)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskDiceLoss(MaskLoss):
    """Dice loss: 1 - Dice, of probabilities, for Keras.

    `omniou.losses.masks.dice` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskDiceLoss
    >>> round(float(MaskDiceLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.5
    """

    function = staticmethod(masks.dice)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskTverskyLoss(MaskLoss):
    """Tversky loss: 1 - Tversky, of probabilities, for Keras.

    `omniou.losses.masks.tversky` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    alpha : float
        Weight of false positives: pixels of the prediction only.
    beta : float
        Weight of false negatives: pixels of the ground truth only.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskTverskyLoss
    >>> round(float(MaskTverskyLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.5
    """

    function = staticmethod(masks.tversky)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
        alpha: float = 0.5,
        beta: float = 0.5,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
            alpha=alpha,
            beta=beta,
        )


class MaskPrecisionLoss(MaskLoss):
    """Precision loss: 1 - Precision, of probabilities, for Keras.

    `omniou.losses.masks.precision` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskPrecisionLoss
    >>> round(float(MaskPrecisionLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.66667
    """

    function = staticmethod(masks.precision)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskRecallLoss(MaskLoss):
    """Recall loss: 1 - Recall, of probabilities, for Keras.

    `omniou.losses.masks.recall` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskRecallLoss
    >>> round(float(MaskRecallLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.0
    """

    function = staticmethod(masks.recall)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskAccuracyLoss(MaskLoss):
    """Accuracy loss: 1 - Accuracy, of probabilities, for Keras.

    `omniou.losses.masks.accuracy` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskAccuracyLoss
    >>> round(float(MaskAccuracyLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.5
    """

    function = staticmethod(masks.accuracy)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskVolumetricSimilarityLoss(MaskLoss):
    """VolumetricSimilarity loss: 1 - VolumetricSimilarity, of probabilities, for Keras.

    `omniou.losses.masks.volumetric_similarity` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskVolumetricSimilarityLoss
    >>> round(float(MaskVolumetricSimilarityLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.5
    """

    function = staticmethod(masks.volumetric_similarity)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
        )


class MaskGeneralisedDiceLoss(MaskLoss):
    """GeneralisedDice loss: 1 - GeneralisedDice, of probabilities, for Keras.

    `omniou.losses.masks.generalised_dice` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    weighting : {"square", "simple", "uniform"}
        Weight of a class: the inverse of its squared size in the ground truth, the inverse of its size, or
        equal. Absent classes get the largest weight.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskGeneralisedDiceLoss
    >>> round(float(MaskGeneralisedDiceLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.5
    """

    function = staticmethod(masks.generalised_dice)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
        weighting: Weighting = "square",
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
            weighting=weighting,
        )


class MaskFocalTverskyLoss(MaskLoss):
    """Focal Tversky loss: the Tversky loss of each class to the power 1 / gamma, of probabilities, for Keras.

    `omniou.losses.masks.focal_tversky` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    squared : bool
        Whether areas are sums of squares, p^2, as in V-Net's Dice (Milletari et al., 3DV 2016). Equal masks
        then have Dice 1, for all probabilities.
    smooth : float
        A number to add to numerator and denominator, in pixels. At 0, an absent class has loss 1 and
        gradient 0 for any prediction. With ``classes="all"``, ``smooth=1.0`` gives a gradient that lowers
        its probabilities.
    zero_division : float
        Score of 0 / 0, for a class without target and prediction; its gradient is 0.
    alpha : float
        Weight of false positives.
    beta : float
        Weight of false negatives.
    gamma : float
        The exponent of the loss is 1 / gamma. With the paper's 4 / 3, hard classes count more near the end
        of a training.
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskFocalTverskyLoss
    >>> round(float(MaskFocalTverskyLoss()([[[1, 0], [0, 0]]], [[[[1.0], [1.0]], [[1.0], [0.0]]]])), 5)
    0.47921
    """

    function = staticmethod(masks.focal_tversky)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "all",
        squared: bool = False,
        smooth: float = 0.0,
        zero_division: float = 0.0,
        alpha: float = 0.3,
        beta: float = 0.7,
        gamma: float = 1.3333333333333333,
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
            squared=squared,
            smooth=smooth,
            zero_division=zero_division,
            alpha=alpha,
            beta=beta,
            gamma=gamma,
        )


class MaskLovaszLoss(MaskLoss):
    """Lovasz-softmax loss: the convex extension of 1 - IoU, at the errors of probabilities, for Keras.

    `omniou.losses.masks.lovasz_softmax` says where it comes from.

    Parameters
    ----------
    data_format : {"channels_last", "channels_first"}, optional
        Where the axis of classes is, by default as Keras is configured.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    activation : {"none", "sigmoid", "softmax"}
        Activation to apply: "none" for probabilities, "sigmoid" for logits of independent classes,
        "softmax" for logits of exclusive classes.
    class_weight : optional
        Weight of each class (C,); a mean over classes divides by their sum.
    classes : {"all", "present"}
        Which classes count: "all", or only classes "present" in the target (of the image, or the batch).
    reduction, name, dtype
        As of `keras.losses.Loss`, of the losses of images.

    Raises
    ------
    TypeError, ValueError
        If an option is unknown, or, when called, the shapes do not fit.

    Notes
    -----
    ``y_pred`` has shape (B, height, width, C), ``y_true`` the same for a mask of each class, or (B, height, width) or
    (B, height, width, 1) for labels; ``sample_weight`` has shape (B,). Where it is 0, or a Keras mask leaves a pixel
    out, gradients are 0 for any prediction, NaN included. An image without pixels that count costs 0.

    Examples
    --------
    >>> from omniou_integrations.keras import MaskLovaszLoss
    >>> round(float(MaskLovaszLoss()([[[0, 1]]], [[[[0.75, 0.25], [0.5, 0.5]]]])), 5)
    0.4375
    """

    function = staticmethod(masks.lovasz_softmax)

    def __init__(
        self,
        *,
        data_format: str | None = None,
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        ignore_index: Labels = None,
        per: Per = "image",
        activation: Activation = "none",
        class_weight: Any = None,
        classes: Counted = "present",
    ) -> None:
        super().__init__(
            data_format=data_format,
            reduction=reduction,
            name=name,
            dtype=dtype,
            ignore_index=ignore_index,
            per=per,
            activation=activation,
            class_weight=class_weight,
            classes=classes,
        )


publish("omniou_integrations.keras", globals())
