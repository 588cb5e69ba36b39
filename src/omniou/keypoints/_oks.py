"""Object keypoint similarity."""

from typing import Any, Unpack, cast

from omniou._catalogue.keypoint_calls import oks_operation
from omniou._catalogue.keypoint_options import OksOptions
from omniou._catalogue.options import declared, takes
from omniou._catalogue.score import Declaration
from omniou._lib.types import ArrayLike, ArrayT
from omniou.keypoints._skeletons import Skeleton, numbers_of, skeleton_of

_OKS = oks_operation(declared(OksOptions))


@takes(_OKS.options)
def oks(a: ArrayT | ArrayLike, b: ArrayT | ArrayLike, /, **options: Unpack[OksOptions]) -> ArrayT:
    """Object keypoint similarity (OKS), element by element: the IoU of keypoints.

    The mean over the points that count of exp(-d^2 / (2 area (2 sigma)^2)), where d is the distance of a detected point
    from the object's. `visible`, `area` and `box` belong to the objects, the second set: with
    ``pairwise(keypoints.oks, a, b, area=..., sigmas=...)`` they have the leading axes of `b`.

    Parameters
    ----------
    a : array, shape (..., K, 2) or (..., K, 3)
        Detections, as (x, y); COCO's third numbers have no effect.
    b : array, shape (..., K, 2) or (..., K, 3)
        Ground truth, as (x, y), or (x, y, v) with COCO's v: points whose v is 0 do not count. Leading axes broadcast.
    **options

    Returns
    -------
    array, shape (...)
        In [0, 1]; 0 where no point of an object counts and no box is given. Library, device and dtype follow the input.

    Raises
    ------
    TypeError
        If the arrays come from two libraries or devices, hold no numbers, or `area` is missing.
    ValueError
        If shapes do not fit, or the numbers of points and of sigmas differ; both are named.

    Notes
    -----
    Higher is better; an object without a partner scores 0. An area of 0 leaves 1 where points coincide, and 0
    elsewhere. `pairwise_max` and its kin cut the second set, and take no arrays that belong to it. Sigmas are part of
    what is compiled: pass a name, a `Skeleton` or a tuple under `jax.jit` and `torch.compile`, not an array.

    References
    ----------
    Lin et al., Microsoft COCO, ECCV 2014; the formula is ``computeOks`` of cocodataset/cocoapi.

    Examples
    --------
    One shoulder of 17 points is off by 5 pixels, for an object of 60 x 60 pixels:

    >>> import numpy as np
    >>> from omniou import keypoints
    >>> truth = np.stack([np.arange(17.0), np.zeros(17)], axis=-1)
    >>> found = truth.copy()
    >>> found[5, 0] += 5
    >>> round(float(keypoints.oks(found, truth, area=3600.0, sigmas="coco")), 6)
    0.992362
    """
    return _OKS({**options, "sigmas": sigmas_of(options["sigmas"])}, a=a, b=b)


def sigmas_of(given: Any, /) -> tuple[float, ...]:
    """The sigmas of a skeleton, of a name, or a user's own."""
    if given is None:
        raise TypeError("`sigmas` must be given: a name such as 'coco', a Skeleton or numbers, got None")
    return skeleton_of(given).sigmas if isinstance(given, str | Skeleton) else numbers_of(given)


cast("Any", oks).declaration = Declaration()
