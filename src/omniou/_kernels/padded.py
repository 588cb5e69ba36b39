"""COCO's greedy matching in arrays of one shape, for compilers, which cannot loop over what happens to be there.

B images, N detections, M objects, T thresholds; rows that are padding are marked.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from omniou._kernels import boxes as kernels
from omniou._kernels.arithmetic import quotient
from omniou._kernels.boxes import Boxes, BoxTerms
from omniou._lib import backends
from omniou._lib.arrays import columns_of, each, ranked
from omniou._lib.formats import Layout
from omniou._lib.types import Namespace


class PaddedObjects(NamedTuple):
    """(B, M) each."""

    boxes: Boxes
    labels: Any
    real: Any  # not padding
    counts: Any  # neither padding nor ignored
    crowd: Any


class PaddedDetections(NamedTuple):
    """(B, N) each, by falling score."""

    boxes: Boxes
    labels: Any
    scores: Any
    real: Any  # neither padding nor above the limit
    inside: Any  # of the area range: counts even where it matches nothing


def measured(x: Any, real: Any, /, *, layout: Layout, dtype: Any, xp: Namespace) -> Boxes:
    """(B, N, 4) -> Boxes of (B, N), empty where not real, with COCO's areas: of sides as they are stated."""
    columns = columns_of(xp.where(real[..., None], xp.astype(x, dtype), 0.0), dtype=dtype, xp=xp)
    boxes = kernels.canonical(columns, None, layout=layout, xp=xp)
    return boxes._replace(area=kernels.stated_area(columns, layout=layout, xp=xp))


def within(area: Any, limits: tuple[float, float], /) -> Any:
    """(...) areas -> whether they are in the range (...); a NaN is in every one."""
    return ~((area < limits[0]) | (area > limits[1]))


def order(scores: Any, real: Any, /, *, xp: Namespace) -> Any:
    """(B, N) -> places (B, N) by falling score, of equal ones as they come; padding, then NaN, is last."""
    return xp.argsort(xp.where(real, -scores, float("inf")), axis=-1, stable=True)


def first_of_class(labels: Any, real: Any, limit: int | None, /, *, xp: Namespace) -> Any:
    """Labels (B, N) by falling score -> which are among the best `limit` of image and class (B, N)."""
    size = labels.shape[-1]
    if limit is None or size <= limit:
        return real
    place = xp.arange(size, device=backends.device(labels, xp=xp))
    earlier = ranked(place[:, None] > place[None, :], labels.ndim + 1, xp=xp)
    before = earlier & (labels[..., :, None] == labels[..., None, :]) & real[..., None, :]
    return real & (xp.count_nonzero(before, axis=-1) < limit)


def overlaps(detections: PaddedDetections, objects: PaddedObjects, /, *, xp: Namespace) -> Any:
    """(B, N, M), -1 where the two may not match."""
    rows = each(lambda x: x[..., :, None], detections.boxes)
    columns = each(lambda x: x[..., None, :], objects.boxes)
    overlap = _iou(rows, columns, objects.crowd[..., None, :], xp=xp)
    pairs = detections.real[..., :, None] & objects.real[..., None, :]
    return xp.where(pairs & (detections.labels[..., :, None] == objects.labels[..., None, :]), overlap, -1.0)


def _iou(detections: Boxes, objects: Boxes, crowd: Any, /, *, xp: Namespace) -> Any:
    """Boxes of (P,), crowds (P,) -> IoU (P,); for a crowd the share of the detection that it covers.

    Not to be compiled: a compiler may fuse the product of an area into the sum of the union, and then thresholds that
    are met exactly are missed.
    """
    inter = BoxTerms(detections, objects, xp=xp).intersection()
    return quotient(inter, xp.where(crowd, detections.area, detections.area + objects.area - inter), xp=xp)


def least(thresholds: Sequence[float], dtype: Any, /, *, xp: Namespace) -> list[float]:
    """Thresholds as overlaps are compared with them; what rounding leaves of 1 depends on the dtype."""
    perfect = 1.0 - max(1e-10, 4.0 * float(xp.finfo(dtype).eps))
    return [min(threshold, perfect) for threshold in thresholds]


def take_best(free: Any, overlap: Any, least: Any, objects: PaddedObjects, /, *, xp: Namespace) -> tuple[Any, Any, Any]:
    """Free (B, T, M), overlaps (B, M) of one detection -> what is left (B, T, M), matched, does it count (B, T).

    Of objects with equal overlap the first is taken: hand them over from last to first, as the reference prefers.
    """
    counts, crowd = objects.counts[..., None, :], objects.crowd[..., None, :]
    overlap = overlap[..., None, :]
    may = free & (overlap >= ranked(least[:, None], free.ndim, xp=xp))
    # What counts goes before all that is ignored.
    better = may & counts
    may = xp.where(xp.any(better, axis=-1, keepdims=True), better, may)
    place = xp.argmax(xp.where(may, overlap, -1.0), axis=-1, keepdims=True)
    every = ranked(xp.arange(may.shape[-1], device=backends.device(may, xp=xp)), place.ndim, xp=xp)
    taken = may & (every == place)
    return free & (crowd | ~taken), xp.any(taken, axis=-1), xp.any(taken & counts, axis=-1)
