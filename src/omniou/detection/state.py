"""What is kept of the images seen so far: one flat table, from which every number is computed."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection import match as matching
from omniou.detection import tables
from omniou.detection.match import Shapes
from omniou.detection.parts import Found, Truth, check_distinct
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Ids, Objects


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class State:
    """M detections of I images and K classes, of which E overlap an object; A area ranges.

    Detections are in the order of their images' ids, inside an image as they came.

    Attributes
    ----------
    protocol : Protocol
        What the detections were matched by.
    classes : array of int64, shape (K,)
        Labels, rising.
    images : array of int64, shape (I,)
        Ids, rising; those without objects or detections included.
    objects : array of int64, shape (K, A)
        Objects that count: neither crowds nor ignored, in the area range.
    scores : array of float, shape (M,)
    labels, image : array of int64, shape (M,)
        Places among `classes` and `images`.
    outside : array of integers, shape (M,)
        Bits of the area ranges in which the detection, where it matches nothing, does not count either.
    rows, rank : array of int64, shape (E,)
        Rows of the detections that overlap an object, and their place among those of image and class by falling score.
    matched, ignored : list of arrays of int64, shape (E,)
        Bits of the thresholds and area ranges at which each is matched, and matched to an object that is ignored.
    surplus : int
        Detections above the protocol's limit, which are left out.
    """

    protocol: Protocol
    classes: Any
    images: Any
    objects: Any
    scores: Any
    labels: Any
    image: Any
    outside: Any
    rows: Any
    rank: Any
    matched: list[Any]
    ignored: list[Any]
    surplus: int


def build(
    truth: Truth, found: Found, ids: Ids, protocol: Protocol, overlap: matching.Overlap, /, *, xp: Namespace
) -> State:
    """Match the detections of whole images with their objects."""
    objects = tables.objects(truth, ids, xp=xp)
    listed = tables.verified(tables.listed(found, ids, protocol, xp=xp), objects, truth.negative, ids, xp=xp)
    suitors, groups = tables.suitors(listed, objects, xp=xp)
    rows = xp.take(listed.rows, suitors.rows)
    shapes = Shapes(
        _bounds(found.boxes, rows, xp=xp), rows, _bounds(truth.boxes, objects.rows, xp=xp), objects.rows, overlap
    )
    outcome = matching.match(objects, suitors, groups, shapes, protocol, xp=xp)
    outside = _outside(xp.take(found.boxes.area, listed.rows), protocol, xp=xp)
    if truth.not_exhaustive is not None:
        open_ended = tables.among(truth.not_exhaustive, listed.groups, ids, xp=xp)
        outside = xp.where(open_ended, xp.full_like(outside, (1 << len(protocol.area_ranges)) - 1), outside)
    return State(
        protocol,
        *ids,
        _counted(objects, ids, protocol, xp=xp),
        *(listed.scores, listed.classes, listed.images),
        outside,
        *outcome,
        listed.surplus,
    )


def _bounds(boxes: Any, rows: Any, /, *, xp: Namespace) -> Any:
    low, high = (xp.take(x, rows, axis=1) for x in (boxes.low, boxes.high))
    return boxes._replace(low=low, high=high, area=xp.take(boxes.area, rows))


def _outside(area: Any, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """Areas (M,) -> bits of the area ranges that do not hold them."""
    ranges = protocol.area_ranges
    dtype = xp.uint8 if len(ranges) <= 8 else xp.int64
    bits = xp.zeros(area.shape, dtype=dtype, device=compat.device(area))
    for place, limits in enumerate(ranges):
        beyond = (area < limits.low) | (area > limits.high)
        bits = bits | xp.astype(beyond, dtype) * (1 << place)
    return bits


def _counted(objects: Objects, ids: Ids, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """(K, A) objects that count: neither ignored nor outside the area range."""
    columns = []
    for limits in protocol.area_ranges:
        counts = ~objects.ignore & (objects.area >= limits.low) & (objects.area <= limits.high)
        columns.append(indexing.counts(objects.classes[counts], ids.classes.shape[0], xp=xp))
    return xp.stack(columns, axis=1)


def merge(states: Sequence[State], /, *, xp: Namespace) -> State:
    """One state of several, each of other images and by the same protocol: the same bits in any order."""
    first = states[0]
    if any(s.protocol != first.protocol for s in states):
        msg = "states must have the same protocol: what a detection matches depends on it"
        raise ValueError(msg)
    ids = Ids(*(_union([getattr(s, name) for s in states], xp=xp) for name in ("classes", "images")))
    check_distinct([s.images for s in states], ids.images, xp=xp)
    image = _places(states, "images", "image", ids.images, xp=xp)
    labels = _places(states, "classes", "labels", ids.classes, xp=xp)
    order = ordering.rising(image, max(1, ids.images.shape[0]), xp=xp)
    rows = _moved_rows(states, order, xp=xp)
    touched = ordering.rising(rows, max(1, order.shape[0]), xp=xp)
    joined = {name: xp.concat([getattr(s, name) for s in states]) for name in ("scores", "outside", "rank")}
    words = [
        [xp.take(xp.concat(list(parts)), touched) for parts in zip(*(getattr(s, name) for s in states), strict=True)]
        for name in ("matched", "ignored")
    ]
    return State(
        protocol=first.protocol,
        classes=ids.classes,
        images=ids.images,
        objects=_joined_objects(states, ids.classes, xp=xp),
        scores=xp.take(joined["scores"], order),
        labels=xp.take(labels, order),
        image=xp.take(image, order),
        outside=xp.take(joined["outside"], order),
        rows=xp.take(rows, touched),
        rank=xp.take(joined["rank"], touched),
        matched=words[0],
        ignored=words[1],
        surplus=sum(s.surplus for s in states),
    )


def _union(parts: list[Any], /, *, xp: Namespace) -> Any:
    return indexing.distinct(xp.concat(parts), xp=xp)


def _places(states: Sequence[State], of: str, name: str, ids: Any, /, *, xp: Namespace) -> Any:
    """Places among a shard's ids -> places among all ids, the shards one after the other."""
    parts = []
    for s in states:
        at, _ = indexing.place(ids, getattr(s, of), xp=xp)
        parts.append(xp.take(at, getattr(s, name)))
    return xp.concat(parts)


def _moved_rows(states: Sequence[State], order: Any, /, *, xp: Namespace) -> Any:
    every = xp.arange(order.shape[0], dtype=xp.int64, device=compat.device(order))
    new = indexing.put(xp.zeros_like(every), order, every, xp=xp)
    before, parts = 0, []
    for s in states:
        parts.append(s.rows + before)
        before += s.scores.shape[0]
    return xp.take(new, xp.concat(parts))


def _joined_objects(states: Sequence[State], classes: Any, /, *, xp: Namespace) -> Any:
    total = xp.zeros((classes.shape[0], states[0].objects.shape[1]), dtype=xp.int64, device=compat.device(classes))
    for s in states:
        # Of each of all classes the row of the shard, or an empty one behind its last.
        at, known = indexing.place(s.classes, classes, xp=xp)
        rows = xp.concat([xp.astype(s.objects, xp.int64), xp.zeros_like(total[:1, :])])
        total = total + xp.take(rows, xp.where(known, at, xp.full_like(at, s.classes.shape[0])), axis=0)
    return total
