"""Assign anchors by adaptive thresholds: ATSS."""

from collections.abc import Sequence
from typing import Any

from omniou._catalogue.geometries import boxes
from omniou._catalogue.geometry import Geometry
from omniou._kernels.assigners import ATSS
from omniou._lib import checks
from omniou._lib.types import ArrayLike
from omniou.matching._assigned import Assigned
from omniou.matching._batch import check_points, plan_of, read
from omniou.matching._run import run


def atss(
    anchors: Any | ArrayLike,
    objects: Any | ArrayLike,
    /,
    *,
    levels: Sequence[int] | None = None,
    topk: int = 9,
    margin: float = 0.0,
    keep_best: bool = False,
    where: Any | None = None,
    groups: Any | None = None,
    images: int | None = None,
    score: str = "iou",
    geometry: Geometry = boxes.GEOMETRY,
    format: str | None = None,
    memory: int | None = None,
) -> Assigned:
    """Assign anchors by adaptive training sample selection (ATSS).

    The candidates of an object are the `topk` anchors of each level whose centres are nearest to its own. A candidate
    is positive if its overlap is at least the mean plus the standard deviation of all of them, and its centre is inside
    the object. An anchor that several objects take belongs to the one that it overlaps most.

    Parameters
    ----------
    anchors : array, shape (A, K) or (B, A, K)
        One set for all images, or one for each.
    objects : array, shape (M, K), (B, M, K) or (N, K)
        Ground truth: of one image, padded for B images, or the flat list of all images with `groups`.
    levels : sequence of int, optional
        How many anchors each level of the pyramid has, in the order of `anchors`. Default: one level.
    topk : int
        Candidates of each level; a level with fewer anchors gives all of them.
    margin : float
        How far inside the object a centre must be, in the unit of the boxes (``>``). mmdet has 0.01 pixels, with which
        normalised boxes have no positive anchor.
    keep_best : bool
        Whether the candidate of the highest overlap, of those inside, is positive in any case. By the published rule an
        object gets no anchor if its overlaps are .1, .5, .5 and .5: mean plus deviation are .6.
    where, groups, images, score, geometry, format, memory
        The same as in `max_iou`.

    Returns
    -------
    Assigned
        `scores` hold the overlap of each positive anchor with its object, 0 elsewhere.

    Raises
    ------
    TypeError, ValueError
        The same as `max_iou`, and if `levels` do not add up to the number of anchors.

    Notes
    -----
    The standard deviation divides by n - 1, and is 0 for one candidate. If distances are equal, the first anchor is
    nearer, if overlaps are equal, the first object wins.

    References
    ----------
    Zhang et al., Bridging the Gap Between Anchor-based and Anchor-free Detection via ATSS, CVPR 2020.

    Examples
    --------
    >>> from omniou import matching
    >>> anchors = [[0, 0, 8, 8], [8, 0, 16, 8], [0, 0, 16, 16], [16, 0, 32, 16]]
    >>> assigned = matching.atss(anchors, [[1, 0, 9, 8]], levels=(2, 2), topk=2)
    >>> assigned.objects.tolist()
    [0, -1, -1, -1]
    """
    topk = checks.count("topk", topk)
    check_points(geometry)
    batch = read(geometry, format, images=images, anchors=anchors, objects=objects, where=where, groups=groups)
    size = batch.image["anchors"].shape[1]
    every = (size,) if levels is None else _levels(levels, size)
    solve = ATSS(
        plan_of(score, geometry, batch),
        topk,
        tuple(x for x in every if x),
        checks.number("margin", margin, least=0.0),
        checks.flag("keep_best", keep_best),
    )
    return run(solve, batch, memory=memory)


def _levels(levels: Any, size: int, /) -> tuple[int, ...]:
    listed = checks.integers("levels", levels, "a sequence")
    if sum(listed) != size:
        raise ValueError(f"`levels` must add up to the number of anchors, {size}, got {listed}")
    return listed
