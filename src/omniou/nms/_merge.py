"""Non-maximum merging."""

from collections.abc import Callable
from typing import Any, Literal

from omniou import boxes as of_boxes
from omniou._kernels.suppression import Rule
from omniou._lib import checks, near
from omniou._lib.types import Array, ArrayLike, Namespace
from omniou.nms import _arguments, _fused, _greedy
from omniou.nms._arguments import Call
from omniou.nms._fused import Clusters, Fused
from omniou.nms._outputs import by_score
from omniou.nms._pairs import OverlapTest, TooManyError, falling
from omniou.rle import Masks

_METHODS, _CONFIDENCES = ("greedy", "transitive"), ("max", "area", "mean")


@near.explained
def merge(
    boxes: Array | ArrayLike | Masks,
    scores: Array | ArrayLike,
    /,
    threshold: float,
    *,
    method: Literal["greedy", "transitive"] = "greedy",
    groups: Any = None,
    score: Callable[..., Any] = of_boxes.iou,
    inclusive: bool = False,
    confidence: Literal["max", "area", "mean"] = "max",
    score_threshold: float | None = None,
    limit: int | None = None,
    **options: Any,
) -> Fused:
    """Non-maximum merging (NMM): replace boxes that overlap by one that encloses them, as for detections in tiles.

    Each box with a score above the threshold is part of exactly one result.

    Parameters
    ----------
    boxes : array, shape (N, 4), or rle.Masks, or booleans, shape (N, height, width)
        Upright boxes, or masks with a `score` of masks, which become their unions. The result has no gradient.
    scores : array, shape (N,)
        Confidences.
    threshold : float
        Boxes whose overlap is above this number, in [0, 1], belong together.
    method : {"greedy", "transitive"}
        Greedy: each box that `hard` keeps takes those that it suppresses. Transitive: also the boxes that these
        overlap, and so on.
    groups : array of integers, shape (N,), or tuple of such arrays
        The same as in `hard`.
    score : callable
        The overlap; SAHI also has `boxes.iomin`, which it calls IOS.
    inclusive : bool
        Whether an overlap that equals the threshold is enough, as in supervision and SAHI.
    confidence : {"max", "area", "mean"}
        The highest score, as in SAHI, the mean weighted by the areas, as in supervision, or the plain mean.
    score_threshold, limit
        The same as in `hard`; the limit is of results.
    **options
        Options of the score: `format` and so on.

    Returns
    -------
    Fused

    Raises
    ------
    TypeError, ValueError
        If an argument does not fit, a score is NaN, or infinite where a mean is asked for, or values are traced.

    Examples
    --------
    >>> from omniou import nms
    >>> boxes = [[0, 0, 10, 10], [3, 0, 13, 10], [6, 0, 16, 10]]
    >>> nms.merge(boxes, [0.9, 0.8, 0.7], 0.5).boxes.tolist()
    [[0.0, 0.0, 13.0, 10.0], [6.0, 0.0, 16.0, 10.0]]
    >>> nms.merge(boxes, [0.9, 0.8, 0.7], 0.5, method="transitive").boxes.tolist()
    [[0.0, 0.0, 16.0, 10.0]]
    """
    rule = _arguments.rule(threshold, inclusive)
    method = checks.choice("method", method, _METHODS)
    confidence = checks.choice("confidence", confidence, _CONFIDENCES)
    least = None if score_threshold is None else checks.number("score_threshold", score_threshold)
    most = None if limit is None else checks.count("limit", limit)
    given = _fused.read(boxes, scores, groups, score=score, options=options, masks=True)
    call, home = _arguments.near(given if _fused.are_masks(given.shapes) else _fused.by_corners(given))
    _arguments.check_scores(call.scores, xp=call.xp, finite=confidence != "max")
    return _fused.result(given, _merged(call, rule, method, confidence, least), most, home, xp=call.xp)


def _merged(call: Call, rule: Rule, method: str, confidence: str, least: float | None, /) -> Clusters:
    xp, rows = call.xp, by_score(call, least)
    group, _ = _arguments.one_group(tuple(xp.take(x, rows) for x in call.groups), rows.shape[0], xp=xp)
    compare = OverlapTest(call.score, call.options, rule, xp)
    shapes = _arguments.take(call.shapes, rows, xp=xp)
    owner = _greedy.owners(shapes, group, compare) if method == "greedy" else _connected(shapes, group, compare)
    best, cluster = xp.unique(owner, return_inverse=True)
    every = xp.full(call.scores.shape[0], -1, dtype=xp.int64)
    every[rows] = cluster
    scores = xp.take(call.scores, rows)
    if rows.shape[0] == 0:
        return Clusters(rows, every, shapes, scores)
    order, start = _fused.segments(cluster, best.shape[0], xp=xp)
    united = shapes.merge(cluster) if isinstance(shapes, Masks) else _united(shapes[order, ...], start, xp=xp)
    if confidence == "max":
        scores = scores[best]
    else:
        areas = _areas(shapes, xp=xp) if confidence == "area" else xp.ones_like(scores)
        scores = _mean(scores[order], areas[order], start, xp=xp)
    return Clusters(rows[best], every, united, scores)


def _united(shapes: Any, start: Any, /, *, xp: Namespace) -> Any:
    """Corners (N, 2 * D) or pixels (N, height, width), of which each segment starts there -> what encloses each."""
    if shapes.ndim == 3:
        return xp.logical_or.reduceat(shapes != 0, start, axis=0)
    half = shapes.shape[1] // 2
    low = xp.minimum.reduceat(shapes[:, :half], start, axis=0)
    high = xp.maximum.reduceat(shapes[:, half:], start, axis=0)
    return xp.concat([low, high], axis=1)


def _areas(shapes: Any, /, *, xp: Namespace) -> Any:
    if isinstance(shapes, Masks):
        return shapes.area()
    if shapes.ndim == 3:
        return xp.count_nonzero(shapes, axis=(1, 2))
    return of_boxes.area(xp.astype(shapes, xp.float64), format="xyxy")


def _mean(scores: Any, weights: Any, start: Any, /, *, xp: Namespace) -> Any:
    """Weighted mean of each segment; the plain one where the weights are 0."""
    value, exponent = _fused.scaled(scores, xp=xp)
    weights, _ = _fused.scaled(weights, xp=xp)
    total = xp.add.reduceat(weights, start)
    none = xp.repeat(total == 0, xp.diff(xp.concat([start, xp.asarray([scores.shape[0]])])))
    weights = xp.where(none, xp.ones_like(weights), weights)
    mean = xp.add.reduceat(value * weights, start) / xp.add.reduceat(weights, start)
    return xp.astype(xp.ldexp(mean, exponent), scores.dtype)


def _connected(shapes: Any, group: Any, compare: OverlapTest, /) -> Any:
    """N shapes by falling score -> the best one that each is connected with (N,)."""
    xp = compare.xp
    try:
        first, second, _ = falling(compare, shapes, group)
    except TooManyError:
        raise ValueError(
            "`boxes` overlap in more pairs than memory holds: use `method` 'greedy', or compare by `groups`"
        ) from None
    label = xp.arange(group.shape[0])
    while True:
        least = xp.minimum(label[first], label[second])
        new = label.copy()
        # Both ends of a pair, and what these were connected with so far, take the lower number.
        for ends in (first, second, label[first], label[second]):
            xp.minimum.at(new, ends, least)
        new = new[new]
        if bool(xp.all(new == label)):
            return label
        label = new
