"""Assign anchors by task alignment: TAL of TOOD and of the YOLO family."""

from typing import Any, Literal

from omniou._catalogue.geometries import boxes
from omniou._catalogue.geometry import Geometry
from omniou._kernels.assigners import TaskAligned
from omniou._lib import checks
from omniou._lib.types import ArrayLike
from omniou.matching._assigned import Assigned
from omniou.matching._batch import check_points, plan_of, read
from omniou.matching._run import run


def task_aligned(
    predictions: Any | ArrayLike,
    scores: Any | ArrayLike,
    points: Any | ArrayLike,
    objects: Any | ArrayLike,
    labels: Any | ArrayLike,
    /,
    *,
    topk: int = 10,
    alpha: float = 0.5,
    beta: float = 6.0,
    picks: Literal["inside", "all"] = "inside",
    margin: float = 0.0,
    grow: tuple[float, float] | None = None,
    eps: float = 0.0,
    where: Any | None = None,
    groups: Any | None = None,
    score: str = "ciou",
    geometry: Geometry = boxes.GEOMETRY,
    format: str | None = None,
    memory: int | None = None,
) -> Assigned:
    """Assign anchors by task alignment (TAL): class score and overlap of their predictions together.

    The alignment of an anchor and an object is ``s**alpha * u**beta``, s the predicted score of the object's class and
    u the overlap of the predicted box, at least 0. Each object takes the `topk` anchors of the highest alignment above
    0 whose points are inside it. An anchor that several objects take belongs to the one that its prediction overlaps
    most.

    Parameters
    ----------
    predictions : array, shape (A, K) or (B, A, K)
        Predicted boxes, one for each anchor.
    scores : array, shape (A, C) or (B, A, C)
        Predicted probabilities of C classes, in [0, 1]: after the sigmoid.
    points : array, shape (A, 2) or (B, A, 2)
        Centres of the anchors.
    objects : array, shape (M, K), (B, M, K) or (N, K)
        Ground truth: of one image, padded for B images, or the flat list of all images with `groups`.
    labels : array of int, shape (M,), (B, M) or (N,)
        Class of each object, from 0 to C - 1.
    topk : int
        Anchors that an object takes, at most. ultralytics: 10, mmdet and TOOD: 13.
    alpha, beta : float
        ultralytics: 0.5 and 6; TOOD and mmdet: 1 and 6.
    picks : {"inside", "all"}
        Which anchors are ranked: those inside the object (ultralytics), or all, of which those outside are dropped
        after they have used up places (mmdet).
    margin : float
        How far inside the object a point must be, in the unit of the boxes (``>``). mmdet has 0.01 pixels.
    grow : (float, float), optional
        Sides below the first number count as the second one when omniou looks which points are inside, for objects
        smaller than the grid. ultralytics: the first and the second stride, (8, 16).
    eps : float
        Added to the highest alignment of an object before dividing by it (ultralytics: 1e-9).
    where : array of bool, shape (M,) or (B, M), optional
        False for padded objects.
    groups : array of int, shape (N,), optional
        The image of each object of a flat list. Memory then follows N. Its values are needed: not inside `jit`.
    score : str
        A score of `omniou.scores` that `geometry` has. ultralytics: "ciou", for rotated boxes "probiou"; mmdet: "iou".
    geometry : Geometry
        `boxes.GEOMETRY` or `rotated.GEOMETRY`.
    format : str, optional
        Format of predictions and objects; by default the geometry's first one.
    memory : int, optional
        Bytes that temporaries may take, 256 MiB by default. Results do not depend on it.

    Returns
    -------
    Assigned
        `scores` hold the target of the class score: the alignment, scaled so that the best anchor of an object has the
        highest overlap of the object's anchors. 0 for anchors without an object.

    Raises
    ------
    TypeError
        If arguments come from two libraries, or `groups` are traced.
    ValueError
        If shapes do not fit, numbers are not finite, `scores` are not probabilities, or a label is not a class. Inside
        `jit` a prediction that is not finite is never chosen.

    Notes
    -----
    ultralytics also counts anchors of alignment 0 as positive, in an order of `torch.topk` that is not stated; their
    target is 0. If alignments are equal, the first anchor is taken, if overlaps are equal, the first object wins. A
    contested anchor goes only to an object that took it: ultralytics hands it to whichever object it overlaps most.

    References
    ----------
    Feng et al., TOOD: Task-aligned One-stage Object Detection, ICCV 2021.

    Examples
    --------
    >>> from omniou import matching
    >>> predictions, points = [[0, 0, 9, 10], [0, 0, 10, 10], [20, 20, 30, 30]], [[4, 4], [6, 6], [25, 25]]
    >>> scores = [[0.9, 0.1], [0.5, 0.1], [0.2, 0.2]]
    >>> assigned = matching.task_aligned(predictions, scores, points, [[0, 0, 10, 10]], [0], topk=2, score="iou")
    >>> assigned.objects.tolist(), [round(x, 3) for x in assigned.scores.tolist()]
    ([0, 0, -1], [0.713, 1.0, 0.0])
    """
    topk = checks.count("topk", topk)
    picks = checks.choice("picks", picks, ("inside", "all"))
    check_points(geometry)
    batch = read(
        geometry,
        format,
        predictions=predictions,
        scores=scores,
        points=points,
        objects=objects,
        labels=labels,
        where=where,
        groups=groups,
    )
    solve = TaskAligned(
        plan=plan_of(score, geometry, batch),
        topk=topk,
        alpha=checks.number("alpha", alpha, least=0.0),
        beta=checks.number("beta", beta, least=0.0),
        margin=checks.number("margin", margin, least=0.0),
        grow=None if grow is None else _pair(grow),
        every=picks == "all",
        eps=checks.number("eps", eps, least=0.0),
    )
    return run(solve, batch, memory=memory)


def _pair(grow: Any, /) -> tuple[float, float]:
    listed = checks.several(grow)
    if listed is None or len(listed) != 2:
        raise TypeError(f"`grow` must be two numbers, what is small and what it becomes, got {grow!r}")
    below, to = (checks.number("grow", x, least=0.0) for x in listed)
    return below, to
