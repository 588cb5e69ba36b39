"""Assign anchors by cost with a number for each object: SimOTA."""

from typing import Any, Literal

from omniou._catalogue.geometries import boxes
from omniou._catalogue.geometry import Geometry
from omniou._kernels.assigners import SimOTA
from omniou._lib import checks
from omniou._lib.types import ArrayLike
from omniou.matching._assigned import Assigned
from omniou.matching._batch import check_points, plan_of, read
from omniou.matching._run import run


def simota(  # noqa: PLR0917  (the arrays of one call)
    predictions: Any | ArrayLike,
    scores: Any | ArrayLike,
    points: Any | ArrayLike,
    strides: Any | ArrayLike,
    objects: Any | ArrayLike,
    labels: Any | ArrayLike,
    /,
    *,
    candidates: int = 10,
    region: Literal["centre", "box_or_centre"] = "centre",
    radius: float = 1.5,
    penalty: float = 1e6,
    class_weight: float = 1.0,
    overlap_weight: float = 3.0,
    eps: float = 1e-8,
    where: Any | None = None,
    groups: Any | None = None,
    score: str = "iou",
    geometry: Geometry = boxes.GEOMETRY,
    format: str | None = None,
    memory: int | None = None,
) -> Assigned:
    """Assign anchors by SimOTA: each object takes its cheapest anchors, as many as its best overlaps add up to.

    The cost of an anchor and an object is ``class_weight * BCE - overlap_weight * log(IoU + eps)``, with the binary
    cross-entropy summed over classes, and `penalty` more where the anchor is a good candidate of other objects only. An
    object takes k anchors, k = ``floor(sum + 0.0001)`` of its `candidates` highest overlaps, at least 1. An anchor that
    several objects take belongs to the one whose cost is lowest.

    Parameters
    ----------
    predictions : array, shape (A, K) or (B, A, K)
        Predicted boxes, one for each anchor.
    scores : array, shape (A, C) or (B, A, C)
        Predicted probabilities of C classes, in [0, 1]. YOLOX: the square root of class probability times objectness.
    points : array, shape (A, 2) or (B, A, 2)
        Centres of the anchors.
    strides : array, shape (A,) or (B, A)
        Stride of each anchor's level, in the unit of the points.
    objects : array, shape (M, K), (B, M, K) or (N, K)
        Ground truth: of one image, padded for B images, or the flat list of all images with `groups`.
    labels : array of int, shape (M,), (B, M) or (N,)
        Class of each object, from 0 to C - 1.
    candidates : int
        Overlaps that are added up, and most anchors of an object.
    region : {"centre", "box_or_centre"}
        Candidates of an image are anchors nearer than `radius` strides to the centre of an object, along each axis
        (YOLOX); or these and anchors inside an object, good ones being both (mmdet, with a radius of 2.5).
    radius : float
        In strides.
    penalty : float
        YOLOX: 1e6; mmdet: 1e5 or 1e8, by version. Large ones round the costs of penalised anchors away.
    class_weight, overlap_weight : float
        Weights of both costs.
    eps : float
        YOLOX: 1e-8, mmdet: 1e-7.
    where, groups, geometry, format, memory
        The same as in `task_aligned`.
    score : str
        The overlap. Below 0 it counts as 0.

    Returns
    -------
    Assigned
        `scores` hold the overlap of each positive anchor's prediction with its object, 0 elsewhere.

    Raises
    ------
    TypeError, ValueError
        The same as `task_aligned`.

    Notes
    -----
    Without the 0.0001, ten overlaps of .3 give k = 2 or 3, by how a library adds up float32. If costs are equal, the
    first anchor is taken, and the first object wins. A contested anchor goes only to an object that took it: YOLOX and
    mmdet hand it to whichever object has the lowest cost.

    References
    ----------
    Ge et al., YOLOX: Exceeding YOLO Series in 2021, arXiv:2107.08430.

    Examples
    --------
    >>> from omniou import matching
    >>> predictions, points = [[0, 0, 9, 10], [0, 0, 10, 10], [20, 20, 30, 30]], [[4, 4], [6, 6], [25, 25]]
    >>> scores = [[0.9], [0.5], [0.2]]
    >>> assigned = matching.simota(predictions, scores, points, [8, 8, 8], [[0, 0, 10, 10]], [0])
    >>> assigned.objects.tolist(), assigned.counts.tolist()
    ([0, -1, -1], [1])
    """
    candidates = checks.count("candidates", candidates)
    region = checks.choice("region", region, ("centre", "box_or_centre"))
    check_points(geometry)
    batch = read(
        geometry,
        format,
        predictions=predictions,
        scores=scores,
        points=points,
        strides=strides,
        objects=objects,
        labels=labels,
        where=where,
        groups=groups,
    )
    solve = SimOTA(
        plan=plan_of(score, geometry, batch),
        candidates=candidates,
        radius=checks.number("radius", radius, above=0.0),
        boxes_too=region == "box_or_centre",
        penalty=checks.number("penalty", penalty, least=0.0),
        weights=(
            checks.number("class_weight", class_weight, least=0.0),
            checks.number("overlap_weight", overlap_weight, least=0.0),
        ),
        eps=checks.number("eps", eps, least=0.0),
    )
    return run(solve, batch, memory=memory)
