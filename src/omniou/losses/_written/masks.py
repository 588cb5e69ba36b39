# Written by `python -m omniou._catalogue.write` from the declarations; do not edit.
"""The functions of `omniou.losses.masks` that follow from declarations."""

from __future__ import annotations  # so that `help` shows the names of types

from typing import Any

from omniou._catalogue import pixel_operations
from omniou._catalogue.calls import publish
from omniou._catalogue.pixel_operations import FOCAL_TVERSKY
from omniou._catalogue.pixel_options import Activation, Counted, Labels, MaskReduction, Per, Weighting
from omniou._lib.types import ArrayLike, ArrayT

__all__: list[str] = [
    "jaccard",
    "iof",
    "iomin",
    "dice",
    "tversky",
    "precision",
    "recall",
    "accuracy",
    "volumetric_similarity",
    "generalised_dice",
    "focal_tversky",
]

_jaccard = pixel_operations.mask_loss("iou")


def jaccard(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Jaccard loss: 1 - IoU, of probabilities.

    Intersection over union (Jaccard index).

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901; as a loss Rahman and Wang, ISVC 2016; of
    segmentation Everingham et al., IJCV 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.jaccard(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.666667
    """
    return _jaccard(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_iof = pixel_operations.mask_loss("iof")


def iof(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """IoF loss: 1 - IoF, of probabilities.

    Intersection over the area of the first mask, the prediction: its share inside the second.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    COCO uses it for the overlap of a detection with a crowd.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.iof(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.666667
    """
    return _iof(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_iomin = pixel_operations.mask_loss("iomin")


def iomin(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """IoMin loss: 1 - IoMin, of probabilities.

    Intersection over the smaller one (overlap coefficient).

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Szymkiewicz, 1934; Simpson, American Journal of Science 241, 1943.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.iomin(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.0
    """
    return _iomin(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_dice = pixel_operations.mask_loss("dice")


def dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Dice loss: 1 - Dice, of probabilities.

    Dice coefficient (F1 of pixels): twice the intersection over the sum of both.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Dice, Ecology 26, 1945; as a loss Milletari et al., V-Net, 3DV 2016, with squares, and Drozdzal et al., DLMIA 2016,
    without.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.dice(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.5
    """
    return _dice(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_tversky = pixel_operations.mask_loss("tversky")


def tversky(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> ArrayT:
    """Tversky loss: 1 - Tversky, of probabilities.

    I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give Dice, of 1 and
    1 IoU.

    Tversky index: I / (I + alpha FP + beta FN).

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Tversky, Psychological Review 84, 1977; as a loss, with 0.3 and 0.7, Salehi et al., MLMI 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.tversky(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.5
    """
    return _tversky(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
        alpha=alpha,
        beta=beta,
    )


_precision = pixel_operations.mask_loss("precision")


def precision(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Precision loss: 1 - Precision, of probabilities.

    Precision: share of the predicted pixels that are in the target.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.precision(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.666667
    """
    return _precision(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_recall = pixel_operations.mask_loss("recall")


def recall(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Recall loss: 1 - Recall, of probabilities.

    Recall (sensitivity): share of the pixels of the target that are predicted.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Kent et al., American Documentation 6, 1955.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.recall(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.0
    """
    return _recall(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_accuracy = pixel_operations.mask_loss("accuracy")


def accuracy(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """Accuracy loss: 1 - Accuracy, of probabilities.

    Accuracy: share of all pixels on which both masks agree, on or off.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Long et al., Fully convolutional networks for semantic segmentation, CVPR 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.accuracy(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.5
    """
    return _accuracy(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_volumetric_similarity = pixel_operations.mask_loss("volumetric_similarity")


def volumetric_similarity(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
) -> ArrayT:
    """VolumetricSimilarity loss: 1 - VolumetricSimilarity, of probabilities.

    It compares only sizes, not positions: an upper bound of Dice.

    Volumetric similarity: 1 minus the difference of both sizes over their sum.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Taha and Hanbury, Metrics for evaluating 3D medical image segmentation, BMC Medical Imaging 15, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.volumetric_similarity(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.5
    """
    return _volumetric_similarity(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        classes=classes,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
    )


_generalised_dice = pixel_operations.mask_loss("generalised_dice")


def generalised_dice(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
    weighting: Weighting = "square",
) -> ArrayT:
    """GeneralisedDice loss: 1 - GeneralisedDice, of probabilities.

    A class that the ground truth does not have gets the largest weight.

    Generalised Dice: Dice of all classes as one, each weighted by the inverse of its size.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), or (B,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Sudre et al., Generalised Dice overlap as a deep learning loss function, DLMIA 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.generalised_dice(probabilities, [[[1, 0], [0, 0]]])), 6)
    0.5
    """
    return _generalised_dice(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
        activation=activation,
        class_weight=class_weight,
        squared=squared,
        smooth=smooth,
        zero_division=zero_division,
        weighting=weighting,
    )


_focal_tversky = pixel_operations.mask_loss("tversky", FOCAL_TVERSKY)


def focal_tversky(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    where: Any = None,
    ignore_index: Labels = None,
    per: Per = "image",
    reduction: MaskReduction = "mean",
    class_axis: int | None = None,
    activation: Activation = "none",
    class_weight: Any = None,
    classes: Counted = "all",
    squared: bool = False,
    smooth: float = 0.0,
    zero_division: float = 0.0,
    alpha: float = 0.3,
    beta: float = 0.7,
    gamma: float = 1.3333333333333333,
) -> ArrayT:
    """Focal Tversky loss: the Tversky loss of each class to the power 1 / gamma, of probabilities.

    I is the intersection, FP and FN are false positives and false negatives. Weights of 0.5 and 0.5 give Dice, of 1 and
    1 IoU.

    In the paper, alpha weighs false negatives. The gradient is 0 where the loss is 0.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype; classes may have another axis, see `class_axis`.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class: booleans, or numbers in [0, 1].
    where : optional
        Which pixels count: booleans that broadcast to the pixels (B, ...). The others have gradient 0, even
        if they are NaN.
    ignore_index : int or list of int, optional
        The label of pixels to ignore, or a list of such labels. If one of them is also a class, this class
        has no true positives, and predictions of it on other pixels still cost. Other labels that are not
        classes belong to no class.
    per : {"image", "batch"}
        Sum pixels for each image, or for the whole batch.
    reduction : {"none", "image", "mean", "sum"}
        "mean" averages over the classes that count, and then over the images with pixels that count;
        without any it is 0. "image" averages only over classes: (B,), or () per batch. "sum" adds all.
        "none" returns (B, C), or (C,) per batch. For 16-bit predictions, all except "none" are float32.
    class_axis : int | None
        The axis of classes in `pred`, and in a target with a mask of each class: -1 for (B, height, width,
        C). Default: 1. If the shapes suggest another axis, an error asks for it.
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

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights. Library, device and dtype follow `pred`, see `reduction`. Gradients are finite, also
        for empty and perfect masks.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, labels are not integers, `where` is not boolean, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, an option is unknown, a mask of the target lies outside [0, 1], or labels of one class are
        neither 0, 1 nor ignored. On devices other than the CPU and in traced functions, omniou cannot check values:
        such a target makes the loss NaN.

    References
    ----------
    Abraham and Khan, A novel focal Tversky loss function with improved attention U-Net, ISBI 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[1.0, 1.0], [1.0, 0.0]]]])
    >>> round(float(losses.masks.focal_tversky(probabilities, [[[1, 0], [0, 0]]], alpha=0.5, beta=0.5)), 6)
    0.594604
    """
    return _focal_tversky(
        pred,
        target,
        where=where,
        ignore_index=ignore_index,
        per=per,
        reduction=reduction,
        class_axis=class_axis,
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


publish("omniou.losses.masks", globals())
