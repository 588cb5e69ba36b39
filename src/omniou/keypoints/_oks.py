"""Object keypoint similarity."""

from typing import Any, Unpack, cast

from omniou._catalogue.keypoint_calls import oks_operation
from omniou._catalogue.keypoint_options import VISIBLE, OksOptions
from omniou._catalogue.options import declared, takes
from omniou._catalogue.score import Declaration
from omniou._kernels import keypoints as kernels
from omniou._lib import backends
from omniou._lib.arrays import BESIDE, agree, arrays_of
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


def estimate_sigmas(points: ArrayT | ArrayLike, /, *, area: ArrayT | ArrayLike, visible: Any = None) -> ArrayT:
    """Estimate the sigma of each keypoint from objects that were annotated several times.

    sigma^2 is the mean of d^2 / area over objects, where d is the distance of an annotation from the point itself. The
    point is not known: the mean of R annotations stands for it, and R / (R - 1) corrects for that.

    Parameters
    ----------
    points : array, shape (N, R, K, 2) or (N, R, K, 3)
        R annotations of N objects; third numbers are COCO's v.
    area : array, shape (N,)
        Areas of the objects.
    visible : array, shape (N, R, K), optional
        Annotations of a point count where it is above 0. Default: the third numbers, or all.

    Returns
    -------
    array, shape (K,)
        NaN for a point that no object has two annotations of. The standard deviation along x, and along y, is
        sigma * sqrt(area / 2).

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, or there is only one annotation of each object.

    Notes
    -----
    The relative error of a sigma is about ``1 / (2 sqrt(N (R - 1)))``: 5 % for 100 objects annotated twice. COCO used
    5,000.

    References
    ----------
    Ronchi and Perona, Benchmarking and Error Diagnosis in Multi-Instance Pose Estimation, ICCV 2017.

    Examples
    --------
    Two annotations of a point are 2 pixels apart, 1 from their mean, on an object of 100 square pixels:

    >>> from omniou import keypoints
    >>> sigmas = keypoints.estimate_sigmas([[[[0.0, 0]], [[2, 0]]]], area=[100.0])
    >>> [round(x, 6) for x in sigmas.tolist()]
    [0.141421]
    """
    named = {"points": points, "area": area, "visible": visible}
    given: Any
    if area is None:
        raise TypeError("`area` must be given: the area of each object, got None")
    given, facts = arrays_of({"area": BESIDE, "visible": VISIBLE}, **named)
    annotated, size, seen = given
    compute, result = agree(facts)
    by_name = {f.name: tuple(f.shape) for f in facts}
    shape = by_name["points"]
    if len(shape) != 4 or shape[-1] not in (2, 3) or shape[1] < 2:
        raise ValueError(
            f"`points` must have shape (N, R, K, 2) with at least R = 2 annotations of each object, got {shape}"
        )
    for name, expected in (("area", shape[:1]), ("visible", shape[:3])):
        if name in by_name and by_name[name] != expected:
            raise ValueError(f"`{name}` must have shape {expected}, got {by_name[name]}")
    xp = facts[0].namespace
    if seen is None and shape[-1] == 3:
        seen = annotated[..., 2]
    static = {"compute": compute, "result": result}
    sigmas: ArrayT = backends.run(kernels.spread, annotated, seen, size, xp=xp, **static)
    return sigmas
