"""The parts that merging and fusion share: upright boxes by corners, clusters of rows, and the result."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from omniou import boxes as of_boxes
from omniou._lib import host, indexing
from omniou._lib.arrays import widest_integer
from omniou._lib.types import Namespace
from omniou.nms import _arguments
from omniou.nms._arguments import Call
from omniou.rle import Masks


class Fused(NamedTuple):
    """Fused boxes, by falling score.

    Attributes
    ----------
    boxes : array, shape (K, 4), or booleans, shape (K, height, width), or rle.Masks
        In the format of the input; of masks the unions.
    scores : array, shape (K,)
    indices : array, shape (K,)
        The input with the highest score of each: use its class and image for the result.
    clusters : array, shape (N,)
        Number of the result that each input is part of; -1 if its score excludes it.
    """

    boxes: Any
    scores: Any
    indices: Any
    clusters: Any


class Clusters(NamedTuple):
    """Rows that belong together, in NumPy, each cluster with what it becomes."""

    best: Any  # (K,) row of the best
    cluster: Any  # (N,) in [0, K), or -1
    boxes: Any  # (K, ...)
    scores: Any  # (K,)


def read(
    boxes: Any,
    scores: Any,
    groups: Any,
    /,
    *,
    score: Callable[..., Any],
    options: Mapping[str, Any],
    masks: bool,
) -> Call:
    """Read upright boxes (N, 2 * D), or masks, as `_arguments.read` does; values must be known."""
    geometry = getattr(getattr(score, "declaration", None), "geometry", None)
    if masks and are_masks(boxes):
        if geometry is not None:
            raise TypeError(f"`score` must compare masks, such as rle.iou or masks.iou, got a score of {geometry.name}")
        call = _arguments.read(boxes, scores, groups, score=score, options=options)
        host.check_values({"scores": call.scores} if isinstance(boxes, Masks) else {"boxes": boxes})
        return call
    if geometry not in (None, of_boxes.GEOMETRY):
        raise TypeError(f"`boxes` must be upright boxes, of which a mean has a meaning, got a score of {geometry.name}")
    call = _arguments.read(boxes, scores, groups, score=score, options=options, only_upright=True)
    if not hasattr(call.shapes, "dtype") or call.shapes.ndim != 2 or call.shapes.shape[1] % 2:
        raise TypeError(
            f"`boxes` must have shape (N, 4), got {tuple(getattr(call.shapes, 'shape', ()))}: images are `groups`"
        )
    host.check_values({"boxes": call.shapes, "scores": call.scores})
    return call


def are_masks(shapes: Any, /) -> bool:
    """Whether shapes are masks: a table of run lengths, or pixels (N, height, width)."""
    return isinstance(shapes, Masks) or getattr(shapes, "ndim", 0) == 3


def by_corners(call: Call, /) -> Call:
    """Boxes in the format of corners, absolute or relative."""
    format = call.options.get("format", "xyxy")
    of_boxes.GEOMETRY.check_format(format)
    target = _corners(format)
    shapes = of_boxes.convert(call.shapes, format, target)
    return dataclasses.replace(call, shapes=shapes, options={**call.options, "format": target})


def _corners(format: str) -> str:
    return "rel_xyxy" if of_boxes.GEOMETRY.is_relative(format) else "xyxy"


def result(
    given: Call, clusters: Clusters, limit: int | None, home: Callable[[Any], Any], /, *, xp: Namespace
) -> Fused:
    """Clusters by falling score, of equal ones that of the earlier best first, in the caller's library."""
    by_place = xp.argsort(clusters.best, stable=True)
    order = xp.take(by_place, xp.argsort(-xp.take(clusters.scores, by_place), stable=True))[:limit]
    numbers = xp.full(clusters.scores.shape[0] + 1, -1, dtype=xp.int64)
    numbers[order] = xp.arange(order.shape[0])
    integer = widest_integer(given.xp)
    return Fused(
        _returned(_arguments.take(clusters.boxes, order, xp=xp), given, home),
        home(xp.take(clusters.scores, order)),
        given.xp.astype(home(xp.take(clusters.best, order)), integer),
        given.xp.astype(home(numbers[clusters.cluster]), integer),
    )


def _returned(shapes: Any, given: Call, home: Callable[[Any], Any], /) -> Any:
    if isinstance(shapes, Masks):
        return shapes
    if are_masks(shapes):
        return home(shapes)
    format = given.options.get("format", "xyxy")
    return of_boxes.convert(home(shapes), _corners(format), format)


def segments(cluster: Any, count: int, /, *, xp: Namespace) -> tuple[Any, Any]:
    """Cluster of each row (N,) in [0, count), none empty -> rows by cluster (N,), and where each starts (count,)."""
    order = xp.argsort(cluster, stable=True)
    return order, indexing.starts(indexing.counts(cluster, count, xp=xp), xp=xp)[:-1]


def scaled(x: Any, /, *, xp: Namespace) -> tuple[Any, int]:
    """Numbers (N,) -> them in float64 divided by 2^k, and k: the largest is in [1/2, 1).

    Means weighted by them are the same to the last bit, and no sum overflows or vanishes.
    """
    x = xp.astype(x, xp.float64)
    exponent = int(xp.frexp(xp.max(xp.abs(x)))[1]) if x.shape[0] else 0
    return xp.ldexp(x, -exponent), exponent
