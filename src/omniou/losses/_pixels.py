"""Losses of masks that look at single pixels: Lovasz and boundary losses, and the check of values."""

from typing import Any, Unpack, get_args

from omniou._catalogue.options import declared, takes
from omniou._catalogue.pixel_loss_calls import loss_operation, plan_of, with_labels
from omniou._catalogue.pixel_options import Activation, KeptOptions, Labels, LossOptions, PresentClassOption
from omniou._kernels import mask_losses as kernels
from omniou._lib import carried, checks
from omniou._lib.arrays import PIXELS, arrays_of
from omniou._lib.types import ArrayLike, ArrayT
from omniou._lib.values import raise_first


class PresentOptions(LossOptions, PresentClassOption, total=False):
    """Options of the Lovasz loss."""


_SOFTMAX = loss_operation(lambda _: kernels.Lovasz(hinge=False), declared(PresentOptions))
_HINGE = loss_operation(lambda _: kernels.Lovasz(hinge=True), declared(KeptOptions), binary=True)
_BOUNDARY = loss_operation(lambda _: kernels.BoundaryLoss(), declared(LossOptions))


@takes(_SOFTMAX.options)
def lovasz_softmax(probabilities: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[PresentOptions]) -> ArrayT:
    """Lovasz-softmax loss: the convex extension of 1 - IoU, at the errors of probabilities.

    Parameters
    ----------
    probabilities : array, shape (B, C, ...)
        Values for each class; logits with ``activation="softmax"``, or "sigmoid" for one class.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class, on above 0.5.
    **options

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In [0, 1] before weights; 1 - IoU for probabilities of 0 and 1.

    Raises
    ------
    TypeError, ValueError
        The same as `jaccard`.

    Notes
    -----
    The reference implementation sums the batch: ``per="batch"``. In float32 it differs from this one in large images,
    since it takes differences of values near 1.

    References
    ----------
    Berman et al., The Lovasz-softmax loss, CVPR 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> probabilities = np.array([[[[0.75, 0.25]], [[0.25, 0.75]]]])
    >>> float(losses.masks.lovasz_softmax(probabilities, [[[0, 1]]]))
    0.25
    """
    return _SOFTMAX(options, probabilities=probabilities, target=target)


@takes(_HINGE.options)
def lovasz_hinge(logits: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[KeptOptions]) -> ArrayT:
    """Lovasz hinge loss of binary masks: the convex extension of 1 - IoU, at the hinge losses of logits.

    Parameters
    ----------
    logits : array, shape (B, ...)
        Any number of axes of pixels; positive where the mask is predicted.
    target : array, shape (B, ...)
        Booleans, or 0 and 1.
    **options

    Returns
    -------
    array, shape () or (B,)
        At least 0. An image without objects costs the largest hinge loss of its pixels.

    Raises
    ------
    TypeError, ValueError
        The same as `jaccard`.

    References
    ----------
    Yu and Blaschko, Learning submodular losses with the Lovasz hinge, ICML 2015; Berman et al., CVPR 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> float(losses.masks.lovasz_hinge(np.array([[[2.0, -1.0], [-3.0, 0.5]]]), [[[1, 1], [0, 0]]]))
    1.25
    """
    return _HINGE(options, logits=logits, target=target)


@takes(_BOUNDARY.options)
def boundary(pred: ArrayT, distance: ArrayT | ArrayLike, /, **options: Unpack[LossOptions]) -> ArrayT:
    """Boundary loss: the mean of probabilities times the signed distance to the outline of the target.

    It is made to be added to a loss of regions, with a weight that grows during training.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions, of a floating dtype.
    distance : array, shape (B, C, ...)
        `omniou.masks.signed_distance` of the mask of each class: positive outside.
    **options

    Returns
    -------
    array, shape (), (B, C) or (C,)
        In the unit of the distances, negative for good predictions.

    Raises
    ------
    TypeError, ValueError
        The same as `jaccard`.

    References
    ----------
    Kervadec et al., Boundary loss for highly unbalanced segmentation, MIDL 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> distance = np.array([[[[2.0, 1.0, 0.0, -1.0]]]])
    >>> float(losses.masks.boundary(np.array([[[[0.0, 0.5, 1.0, 1.0]]]]), distance))  # (0.5 - 1) / 4
    -0.125
    """
    if checks.labels("ignore_index", options["ignore_index"]):
        raise ValueError("`ignore_index` is a label, and distances have none: pass `where`")
    if carried.are_plain((pred, distance)):
        (pred, distance), _ = arrays_of(pred=pred, distance=distance)
    return _BOUNDARY(options, pred=pred, target=distance)


def check(
    pred: Any,
    target: Any,
    /,
    *,
    activation: str = "none",
    ignore_index: Labels = None,
    class_axis: int | None = None,
) -> None:
    """Raise unless labels are classes, and probabilities lie in [0, 1].

    The losses themselves do not check the values of predictions, or any values on a device, which would wait for it:
    call this function once for new data.

    Parameters
    ----------
    pred : array, shape (B, C, ...)
        Predictions.
    target : array, shape (B, ...) or (B, C, ...)
        Labels, or a mask of each class.
    activation : {"none", "sigmoid", "softmax"}
        Activation of predictions: only probabilities, "none", are checked.
    ignore_index : int or list of int, optional
        The label of pixels that do not count, or several.
    class_axis : int, optional
        The axis of classes in `pred`, as in `jaccard`.

    Raises
    ------
    ValueError
        The message names the first value that is wrong, its place, and the activation that logits need.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> losses.masks.check(np.full((1, 3, 1, 2), 0.5), [[[2, 3]]], ignore_index=255)
    Traceback (most recent call last):
        ...
    ValueError: `target[0, 0, 1]` is none of the 3 classes, nor ignored in [3.0]; if it marks pixels that ...
    """
    activation = checks.choice("activation", activation, get_args(Activation))
    if class_axis is not None:
        class_axis = checks.integer("class_axis", class_axis)
    (pred, target), facts = arrays_of({"target": PIXELS}, **with_labels({"pred": pred, "target": target}))
    xp, ignored = facts[0].namespace, checks.labels("ignore_index", ignore_index)
    given = {"activation": activation, "ignore_index": ignored, "class_axis": class_axis}
    plan = plan_of(None, facts, given)
    labels, count = plan.labels, pred.shape[plan.class_axis]
    if activation == "none":
        logits = "softmax" if labels and count > 1 else "sigmoid"
        hint = f': `activation="{logits}"` is for logits'
        raise_first("pred", pred[..., None], {"is no probability": ~((pred >= 0) & (pred <= 1))}, hint=hint, xp=xp)
    if labels:
        classes = max(count, 2)
        wrong = (target < 0) | (target >= classes)
        for label in ignored:
            wrong = wrong & (target != label)
        way = "; if it marks pixels that do not count, pass `ignore_index`"
        faults = {f"is none of the {classes} classes, nor ignored": wrong}
        raise_first("target", target[..., None], faults, hint=way, xp=xp)
    else:
        outside = ~((target >= 0) & (target <= 1))
        raise_first("target", target[..., None], {"lies outside [0, 1]": outside}, xp=xp)
