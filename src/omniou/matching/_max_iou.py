"""Assign anchors by their highest overlap: the rule of Faster R-CNN and RetinaNet."""

from typing import Any, Literal

from omniou._catalogue.geometries import boxes
from omniou._catalogue.geometry import Geometry
from omniou._kernels import scores as formulas
from omniou._kernels.assigners import MaxIoU
from omniou._lib import checks
from omniou._lib.types import ArrayLike
from omniou.matching._assigned import Assigned
from omniou.matching._batch import plan_of, read
from omniou.matching._run import run


def max_iou(
    anchors: Any | ArrayLike,
    objects: Any | ArrayLike,
    /,
    *,
    positive: float = 0.5,
    negative: float = 0.4,
    low_quality: Literal["best", "later"] | None = "best",
    least: float = 0.0,
    every_best: bool = True,
    where: Any | None = None,
    groups: Any | None = None,
    images: int | None = None,
    ignore: Any | None = None,
    ignore_where: Any | None = None,
    ignore_groups: Any | None = None,
    ignore_above: float = 0.5,
    score: str = "iou",
    geometry: Geometry = boxes.GEOMETRY,
    format: str | None = None,
    memory: int | None = None,
) -> Assigned:
    """Assign to each anchor the object that it overlaps most, as torchvision, detectron2 and mmdet do.

    An anchor is positive from `positive` on (``>=``), negative below `negative` (``<``), and ignored in between; both
    are compared in the dtype of the scores. An anchor that overlaps no object is always negative.

    Parameters
    ----------
    anchors : array, shape (A, K) or (B, A, K)
        One set for all images, or one for each.
    objects : array, shape (M, K), (B, M, K) or (N, K)
        Ground truth: of one image, padded for B images, or the flat list of all images with `groups`.
    positive, negative : float
        Thresholds in [0, 1], `negative` not above `positive`.
    low_quality : {"best", "later"} or None
        Also make the anchors positive that are the best of an object, if their overlap is above 0. "best": such an
        anchor belongs to the object that it overlaps most (torchvision, detectron2). "later": it belongs to the object
        whose best it is, of several the last, even where it overlaps another one more (mmdet).
    least : float
        Lowest overlap of such an anchor (``>=``), mmdet's `min_pos_iou`.
    every_best : bool
        Whether all anchors that share the highest overlap of an object count, or the first one only (mmdet's
        `gt_max_assign_all`).
    where : array of bool, shape (M,) or (B, M), optional
        False for padded objects.
    groups : array of int, shape (N,), optional
        The image of each object of a flat list. Memory then follows N. Its values are needed: not inside `jit`.
    images : int, optional
        B, with `groups`, where anchors have no axis of images.
    ignore, ignore_where, ignore_groups : array, optional
        Regions to ignore, as `objects`, `where` and `groups`. An anchor is ignored if more than `ignore_above` of its
        area is inside one region. It is then no object's best.
    ignore_above : float
        In [0, 1].
    score : str
        A score of `omniou.scores` that `geometry` has.
    geometry : Geometry
        Geometry of anchors and objects, such as `omniou.rotated.GEOMETRY`.
    format : str, optional
        Format of both; by default the geometry's first one.
    memory : int, optional
        Bytes that temporaries may take, 256 MiB by default. Results do not depend on it.

    Returns
    -------
    Assigned
        `scores` hold the highest overlap of each anchor, 0 for ignored ones. If overlaps are equal, the first object
        wins.

    Raises
    ------
    TypeError
        If arguments come from two libraries, or `groups` are traced.
    ValueError
        If shapes do not fit, a threshold is outside [0, 1], or numbers are not finite. Inside `jit` an object that is
        not finite is never chosen.

    References
    ----------
    Ren et al., Faster R-CNN, NeurIPS 2015.

    Examples
    --------
    >>> from omniou import matching
    >>> anchors = [[0, 0, 10, 10], [0, 0, 10, 4], [20, 20, 30, 30]]
    >>> assigned = matching.max_iou(anchors, [[0, 0, 10, 9]])
    >>> assigned.objects.tolist(), assigned.states.tolist()
    ([0, -1, -1], [1, -1, 0])
    """
    positive, negative = checks.share("positive", positive), checks.share("negative", negative)
    least, ignore_above = checks.share("least", least), checks.share("ignore_above", ignore_above)
    if negative > positive:
        raise ValueError(f"`negative` must not be above `positive`, got {negative!r} and {positive!r}")
    if low_quality is not None:
        low_quality = checks.choice("low_quality", low_quality, ("best", "later"))
    batch = read(
        geometry,
        format,
        images=images,
        anchors=anchors,
        objects=objects,
        where=where,
        groups=groups,
        ignore=ignore,
        ignore_where=ignore_where,
        ignore_groups=ignore_groups,
    )
    solve = MaxIoU(
        plan=plan_of(score, geometry, batch),
        positive=float(positive),
        negative=float(negative),
        low_quality=low_quality,
        least=float(least),
        every_best=checks.flag("every_best", every_best),
        ignores=float(ignore_above),
        iof=formulas.iof,
    )
    return run(solve, batch, memory=memory)
