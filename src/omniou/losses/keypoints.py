"""Losses of keypoints, for any library with gradients: see `omniou.keypoints`."""

from typing import TYPE_CHECKING, Unpack

from omniou._catalogue.keypoint_calls import loss_operation
from omniou._catalogue.keypoint_options import OksLossOptions
from omniou._catalogue.options import declared, takes
from omniou._lib import near
from omniou._lib.types import ArrayLike, ArrayT
from omniou.keypoints._oks import sigmas_of

_OKS = loss_operation(declared(OksLossOptions))


@takes(_OKS.options)
def oks(pred: ArrayT, target: ArrayT | ArrayLike, /, **options: Unpack[OksLossOptions]) -> ArrayT:
    """OKS loss: 1 - object keypoint similarity.

    Objects of which no point counts are excluded, as by `where`: their loss is 0, and a mean does not count them.

    Parameters
    ----------
    pred : array, shape (..., K, 2) or (..., K, 3)
        Predictions, of a floating dtype.
    target : array, shape (..., K, 2) or (..., K, 3)
        Ground truth, as (x, y), or (x, y, v) with COCO's v. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...) or ()
        In [0, 1]. Values and gradients are finite for every distance and area. Far from an object the gradient is 0,
        so add a loss of distances, such as `l1`, where training starts far away.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, `area` is missing, or the arrays come from two
        libraries.
    ValueError
        If shapes do not fit, or the numbers of points and of sigmas differ; both are named.

    References
    ----------
    Maji et al., YOLO-Pose: Enhancing YOLO for Multi Person Pose Estimation Using Object Keypoint Similarity Loss,
    CVPR Workshops 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou.losses import keypoints
    >>> pred, target = np.array([[[3.0, 4.0]]]), [[[0.0, 0.0]]]
    >>> [round(x, 6) for x in keypoints.oks(pred, target, area=[100.0], sigmas=[0.25]).tolist()]
    [0.393469]
    """
    return _OKS({**options, "sigmas": sigmas_of(options["sigmas"])}, pred=pred, target=target)


__all__ = ["oks"]


if not TYPE_CHECKING:
    __getattr__, __dir__ = near.attributes(__name__, __all__)
