"""Overlaps and matches of each image and class, as pycocotools keeps them.

A area ranges, T IoU thresholds, M detections up to the limit, N objects. A group is an image and class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from omniou._inputs.shapes import Pairs
from omniou._lib import backends, indexing, ordering
from omniou.detection.curves import _precision as precision
from omniou.detection.matching import _groups as groups
from omniou.detection.matching import _matching as matching
from omniou.detection.matching._candidates import candidate_pairs
from omniou.matching import _coco_greedy as coco

if TYPE_CHECKING:
    from omniou.detection._protocol import Protocol
    from omniou.detection.matching._matches import Compared

np: Any = backends.numpy_namespace()


class Outcomes(NamedTuple):
    """Matches in all area ranges. Detections are sorted by group and falling score, objects by group."""

    detections: Any  # (M,) rows of the given table
    targets: Any  # (N,)
    detection_groups: Any  # (M,) image * K + class, as places among the given images and classes
    target_groups: Any  # (N,)
    objects: Any  # (A, T, M) place among the targets, -1 without a match
    takers: Any  # (A, T, N) place of the detection that took the object last, -1 without
    outside: Any  # (A, M) whether the area of the detection is out of the range
    excluded: Any  # (A, N) whether the object does not count


def outcomes(compared: Compared, /) -> Outcomes:
    """Return the matches of each detection and object."""
    tables, ids, protocol = compared
    xp, pairs = tables.xp, candidate_pairs(tables, ids, protocol)
    listed, objects = pairs.listed, pairs.objects
    order = _by_score(listed, ids, xp=xp)
    rank = indexing.put(xp.zeros_like(order), order, xp.arange(order.shape[0]), xp=xp)
    shape = len(protocol.area_ranges), len(protocol.iou_thresholds)
    found, takers = (np.full((*shape, size), -1) for size in (order.size, objects.rows.size))
    for word, taken in matching.matched_pairs(pairs, protocol, xp=xp):
        count = word.thresholds.stop - word.thresholds.start
        bit, place = precision.where_set([(taken.bits, count * (word.areas.stop - word.areas.start))], xp=xp)
        detection = rank[taken.detections[place]]
        # Any number of detections may take a crowd, and the last one stays: NumPy writes values in their order.
        turn = np.argsort(detection, kind="stable")
        bit, place, detection = bit[turn], place[turn], detection[turn]
        cell = word.areas.start + bit // count, word.thresholds.start + bit % count
        found[(*cell, detection)] = taken.targets[place]
        takers[(*cell, taken.targets[place])] = detection
    return Outcomes(
        listed.rows[order],
        objects.rows,
        listed.groups[order],
        objects.groups,
        found,
        takers,
        _outside(listed.area[order], protocol),
        objects.ignore | _outside(objects.area, protocol),
    )


def overlaps(compared: Compared, /) -> dict[int, Any]:
    """Return the overlaps (D, G) of each group that has both detections and objects, by its number."""
    tables, ids, protocol = compared
    xp, targets, detections, *_ = tables
    objects = groups.objects(targets, ids, protocol, xp=xp)
    listed = groups.listed(detections, ids, protocol, xp=xp)
    eligible, present = groups.eligible(listed, objects, ids, protocol, xp=xp)
    detection, target = coco.pairs(eligible.numbers, present.first, xp=xp)
    rows = listed.rows[eligible.rows[detection]]
    pairs = Pairs(rows, objects.rows[target], objects.crowd[target])
    flat = detections.shapes.overlap(targets.shapes, pairs, 0.0)
    sizes = indexing.counts(eligible.numbers, present.sizes.shape[0], xp=xp)
    parts = np.split(flat, np.cumulative_sum(sizes * present.sizes)[:-1]) if sizes.size else []
    numbers = objects.groups[present.first[:-1]].tolist()
    columns = present.sizes.tolist()
    return {
        number: part.reshape(-1, width)
        for number, part, width in zip(numbers, parts, columns, strict=True)
        if part.size
    }


def _by_score(listed: Any, ids: Any, /, *, xp: Any) -> Any:
    bound = max(1, ids.labels.shape[0] * ids.images.shape[0])
    return ordering.falling(listed.groups, bound, listed.scores, xp=xp)


def _outside(area: Any, protocol: Protocol, /) -> Any:
    return np.stack([(area < x.low) | (area > x.high) for x in protocol.area_ranges])
