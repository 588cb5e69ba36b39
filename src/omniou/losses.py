"""Every score of boxes as a loss, for whatever library takes the gradient."""

from typing import Any, Literal, TypeAlias

from omniou import _doors
from omniou._kernels import scores
from omniou._lib import checks
from omniou._lib.formats import BoxFormat
from omniou._lib.types import ArrayLike, ArrayT

__all__ = ["ciou", "diou", "giou", "iou"]

Reduction: TypeAlias = Literal["none", "mean", "sum"]


def iou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    log: bool = False,
    floor: float = 1e-6,
) -> ArrayT:
    """IoU loss: 1 - IoU, or -log(IoU).

    Parameters
    ----------
    pred : array, shape (..., 2 * D)
        Predicted boxes, of a floating dtype.
    target : array, shape (..., 2 * D)
        True boxes. Leading axes broadcast.
    format, offset, eps, image_size
        As at the top of `omniou.boxes`.
    weight : array, optional
        Factor of each loss; broadcasts to (...).
    where : array of booleans, optional
        Which boxes count; broadcasts to (...). What is left out gives 0, and gradient 0, whatever it holds,
        NaN included.
    reduction : {"none", "mean", "sum"}
        "mean" divides by the sum of the weights that count, or by the number of boxes that count; a mean of
        nothing is 0.
    log : bool
        The loss of UnitBox, -log(max(IoU, floor)), in place of 1 - IoU.
    floor : float
        In (0, 1). An IoU below it, such as that of disjoint boxes, gives the loss -log(floor) and gradient 0.

    Returns
    -------
    array, shape (...) or ()
        At least 0. Values and gradients are finite also for boxes that are empty, inverted, identical or apart.

    Raises
    ------
    TypeError
        If `pred` has no floating dtype, `where` holds no booleans, or the arrays come from two libraries.
    ValueError
        If shapes do not fit or an option is unknown.

    References
    ----------
    Yu et al., UnitBox, ACM Multimedia 2016 (-log); Rahman and Wang, ISVC 2016 (1 - IoU).

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> pred, target = np.array([[0.0, 0, 2, 2], [0, 0, 1, 1]]), np.array([[0.0, 0, 2, 1], [0, 0, 1, 1]])
    >>> losses.iou(pred, target).tolist()
    [0.5, 0.0]
    >>> float(losses.iou(pred, target, reduction="mean", where=np.array([True, False])))
    0.5
    """
    options = (format, offset, eps, image_size)
    reducing = {"weight": weight, "where": where, "reduction": reduction}
    if not 0.0 < checks.number("floor", floor) < 1.0:
        msg = f"`floor` must lie between 0 and 1, got {floor!r}"
        raise ValueError(msg)
    log_floor = float(floor) if log else None
    return _doors.loss(scores.iou, pred, target, options, **reducing, log_floor=log_floor)


def giou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
) -> ArrayT:
    """Generalised IoU loss: 1 - GIoU.

    Parameters and errors are those of `iou`.

    Returns
    -------
    array, shape (...) or ()
        In [0, 2].

    References
    ----------
    Rezatofighi et al., CVPR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> losses.giou(np.array([[0.0, 0, 1, 1]]), np.array([[1.0, 1, 2, 2]])).tolist()
    [1.5]
    """
    options = (format, offset, eps, image_size)
    reducing = {"weight": weight, "where": where, "reduction": reduction}
    return _doors.loss(scores.giou, pred, target, options, **reducing)


def diou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
) -> ArrayT:
    """Distance IoU loss: 1 - DIoU.

    Parameters and errors are those of `iou`.

    Returns
    -------
    array, shape (...) or ()
        In [0, 2].

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> losses.diou(np.array([[0.0, 0, 2, 2]]), np.array([[2.0, 0, 4, 2]])).tolist()
    [1.2]
    """
    options = (format, offset, eps, image_size)
    reducing = {"weight": weight, "where": where, "reduction": reduction}
    return _doors.loss(scores.diou, pred, target, options, **reducing)


def ciou(
    pred: ArrayT,
    target: ArrayT | ArrayLike,
    /,
    *,
    format: BoxFormat = "xyxy",
    offset: float = 0.0,
    eps: float = 0.0,
    image_size: Any = None,
    weight: Any = None,
    where: Any = None,
    reduction: Reduction = "none",
    detach_alpha: bool = True,
) -> ArrayT:
    """Complete IoU loss: 1 - CIoU.

    Parameters and errors are those of `iou`; beyond them:

    Parameters
    ----------
    detach_alpha : bool
        Hold the weight of the aspect term constant in the gradient, as the paper does.

    Returns
    -------
    array, shape (...) or ()
        In [0, 3].

    References
    ----------
    Zheng et al., Distance-IoU Loss, AAAI 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from omniou import losses
    >>> losses.ciou(np.array([[-1.0, -1, 1, 1]]), np.array([[1.0, 1, 2, 2]])).tolist()
    [1.25]
    """
    options = (format, offset, eps, image_size)
    reducing = {"weight": weight, "where": where, "reduction": reduction}
    return _doors.loss(scores.ciou, pred, target, options, **reducing, detach_alpha=bool(detach_alpha))
