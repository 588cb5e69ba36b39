"""The state of an evaluation: one flat table of the images seen so far, from which every number is computed."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import array_api_compat as compat

from omniou._inputs.names import NONE, Names, Renumbering, united
from omniou._inputs.tables import Tables, check_distinct
from omniou._lib import backends, indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection._protocol import Protocol
from omniou.detection.matching import _groups as groups
from omniou.detection.matching import _matching as matching
from omniou.detection.matching._groups import GroupIds


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class State:
    """M detections of I images and K classes, of which E match an object; A area ranges.

    Detections, and the N objects that count in some area range, neither crowds nor ignored, are in the order of their
    images' ids; detections of an image are as they came.

    Attributes
    ----------
    protocol : Protocol
        The rules by which detections were matched.
    classes : array of int64, shape (K,)
        Labels, rising; 0, where all classes are one.
    images : array of int64, shape (I,)
        Ids, rising, of all images, with or without objects and detections.
    objects_of, detections_of : array of int64, shape (I,)
        How many of both each image has.
    target_labels : array of int64, shape (N,)
        Places among `classes` of the objects.
    ranges : array of integers, shape (N,)
        Bits of the area ranges in which each counts.
    scores : array of float, shape (M,)
    labels : array of int64, shape (M,)
        Places among `classes`.
    outside : array of integers, shape (M,)
        Bits of the area ranges in which the detection, where it matches nothing, does not count either.
    rows, rank : array of int64, shape (E,)
        Rows of the detections that match an object, at some threshold and in some area range, and their rank by
        falling score among the detections of the same image and class.
    matched, ignored : tuple of arrays of int64, shape (E,)
        Bits of the thresholds and area ranges at which each is matched, and matched to an object that is ignored.
    surplus : int
        Detections above the protocol's limit, which are excluded.
    kind : str
        What was compared: a kind such as "bbox", and the score if it is not IoU.
    names : Names
        Names of classes and images, if known.
    """

    protocol: Protocol
    classes: Any
    images: Any
    objects_of: Any
    detections_of: Any
    target_labels: Any
    ranges: Any
    scores: Any
    labels: Any
    outside: Any
    rows: Any
    rank: Any
    matched: Sequence[Any]
    ignored: Sequence[Any]
    surplus: int
    kind: str
    names: Names = NONE

    def __post_init__(self) -> None:
        """Replace lists by tuples: copies of a state would share lists."""
        for name in ("matched", "ignored"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def image(self) -> Any:
        """Place of the image of each detection among `images`, (M,)."""
        xp, counts = backends.array_namespace(self.detections_of), self.detections_of
        return xp.repeat(xp.arange(counts.shape[0], dtype=xp.int64, device=compat.device(counts)), counts)

    @property
    def objects(self) -> Any:
        """(K, A) objects that count."""
        xp, size = backends.array_namespace(self.target_labels), self.classes.shape[0]
        columns = []
        for area in range(len(self.protocol.area_ranges)):
            inside = (self.ranges & (1 << area)) != 0
            columns.append(indexing.counts(self.target_labels[inside], size, xp=xp))
        return xp.stack(columns, axis=1)

    @property
    def counts(self) -> dict[str, int]:
        """Images, classes, objects that count in the first area range, and detections with those over the limit."""
        return {
            "images": self.images.shape[0],
            "classes": self.classes.shape[0],
            "objects": sum(indexing.to_list(self.objects[:, 0])),
            "detections": self.scores.shape[0] + self.surplus,
        }


def build(both: Tables, ids: GroupIds, protocol: Protocol, kind: str, /) -> State:
    """Match the detections of whole images with their targets."""
    xp, targets = both.xp, both.targets
    objects, listed, outcome = matching.match(both, ids, protocol)
    every = (1 << len(protocol.area_ranges)) - 1
    outside = _outside(listed.area, protocol, xp=xp)
    if targets.not_exhaustive is not None:
        open_ended = groups.among(targets.not_exhaustive, listed.groups, ids, xp=xp)
        outside = xp.where(open_ended, xp.full_like(outside, every), outside)
    beyond = _outside(objects.area, protocol, xp=xp)
    counts = xp.nonzero((beyond != every) & ~objects.ignore)[0]
    return State(
        protocol=protocol,
        classes=ids.classes,
        images=ids.images,
        objects_of=groups.of_images(xp.take(objects.groups, counts), ids, xp=xp),
        detections_of=groups.of_images(listed.groups, ids, xp=xp),
        target_labels=xp.take(objects.classes, counts),
        ranges=every - xp.take(beyond, counts),
        scores=listed.scores,
        labels=listed.classes,
        outside=outside,
        rows=outcome.rows,
        rank=outcome.rank,
        matched=outcome.matched,
        ignored=outcome.ignored,
        surplus=listed.surplus,
        kind=kind,
    )


def _outside(area: Any, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """Areas (M,) -> bits of the area ranges that do not hold them.

    With COCO's ranges all, small, medium and large, an area of 500 is outside the last two: ``0b1100``.
    """
    ranges = protocol.area_ranges
    dtype = xp.uint8 if len(ranges) <= 8 else xp.int64

    def bits(part: slice) -> Any:
        some = area[part]
        word = xp.zeros(some.shape, dtype=dtype, device=compat.device(some))
        for place, limits in enumerate(ranges):
            beyond = (some < limits.low) | (some > limits.high)
            word = word | xp.astype(beyond, dtype) * (1 << place)
        return word

    return indexing.in_parts(bits, area.shape[0], xp=xp)


def merge(states: Sequence[State], /, *, xp: Namespace) -> State:
    """Merge states of different images and one protocol. The result is the same to the bit in any order."""
    first = states[0]
    if any(s.protocol != first.protocol for s in states):
        raise ValueError("states must have the same protocol: what a detection matches depends on it")
    if any(s.kind != first.kind for s in states):
        raise ValueError(f"states must be of one kind, got {', '.join(sorted({repr(s.kind) for s in states}))}")
    names, renumbered = united([s.names for s in states])
    states = [_renumbered(s, *new, xp=xp) for s, new in zip(states, renumbered, strict=True)]
    # If shards hold ascending ranges of images, their concatenation is already sorted.
    states = sorted(states, key=_first_image)
    classes = indexing.distinct(_joined(states, "classes", xp=xp), xp=xp)
    images = _joined(states, "images", xp=xp)
    check_distinct([s.images for s in states], indexing.distinct(images, xp=xp), xp=xp)
    words = [
        [xp.concat(list(parts)) for parts in zip(*(getattr(s, name) for s in states), strict=True)]
        for name in ("matched", "ignored")
    ]
    as_they_are = ("objects_of", "detections_of", "ranges", "scores", "outside", "rank")
    merged = State(
        protocol=first.protocol,
        classes=classes,
        images=images,
        target_labels=_in_classes(states, "target_labels", classes, xp=xp),
        labels=_in_classes(states, "labels", classes, xp=xp),
        rows=_moved_rows(states, xp=xp),
        matched=words[0],
        ignored=words[1],
        surplus=sum(s.surplus for s in states),
        kind=first.kind,
        names=names,
        **{name: _joined(states, name, xp=xp) for name in as_they_are},
    )
    in_turn = bool(xp.all(indexing.rest(images) > indexing.but_last(images)))
    return merged if in_turn else _by_image(merged, xp=xp)


def of_images(state: State, inside: Any, /, *, xp: Namespace) -> State:
    """Return the state of the images with `inside` (I,), the reverse of `merge`.

    The result has no surplus: a state does not know which images had detections over the limit.
    """
    objects, detections = (xp.repeat(inside, x) for x in (state.objects_of, state.detections_of))
    touched = xp.take(detections, state.rows)
    before = xp.cumulative_sum(xp.astype(detections, xp.int64)) - 1
    columns = {
        name: getattr(state, name)[kept]
        for kept, names in (
            (inside, ("images", "objects_of", "detections_of")),
            (objects, ("target_labels", "ranges")),
            (detections, ("scores", "labels", "outside")),
            (touched, ("rank",)),
        )
        for name in names
    }
    return dataclasses.replace(
        state,
        rows=xp.take(before, state.rows[touched]),
        matched=[x[touched] for x in state.matched],
        ignored=[x[touched] for x in state.ignored],
        surplus=0,
        **columns,
    )


def _renumbered(state: State, classes: Renumbering, images: Renumbering, /, *, xp: Namespace) -> State:
    """Return the state with other ids of images, which rise as the old ones."""

    def new(ids: Any, by: Renumbering) -> Any:
        return ids if by is None else xp.asarray([by[x] for x in indexing.to_list(ids)], dtype=xp.int64, device=device)

    device = compat.device(state.classes)
    return dataclasses.replace(state, classes=new(state.classes, classes), images=new(state.images, images))


def _first_image(state: State) -> float:
    return int(state.images[0]) if state.images.shape[0] else math.inf


def _joined(states: Sequence[State], name: str, /, *, xp: Namespace) -> Any:
    return xp.concat([getattr(s, name) for s in states])


def _by_image(state: State, /, *, xp: Namespace) -> State:
    """Return the state with rows sorted by image."""
    turn = xp.argsort(state.images)
    objects, order = (
        indexing.segments(indexing.starts(x, xp=xp), turn, xp=xp)[1] for x in (state.objects_of, state.detections_of)
    )
    every = xp.arange(order.shape[0], dtype=xp.int64, device=compat.device(order))
    rows = xp.take(indexing.put(xp.zeros_like(every), order, every, xp=xp), state.rows)
    touched = ordering.rising(rows, max(1, order.shape[0]), xp=xp)
    moved = {
        name: xp.take(getattr(state, name), places)
        for places, names in (
            (turn, ("images", "objects_of", "detections_of")),
            (objects, ("target_labels", "ranges")),
            (order, ("scores", "labels", "outside")),
        )
        for name in names
    }
    return dataclasses.replace(
        state,
        rows=xp.take(rows, touched),
        rank=xp.take(state.rank, touched),
        matched=[xp.take(x, touched) for x in state.matched],
        ignored=[xp.take(x, touched) for x in state.ignored],
        **moved,
    )


def _in_classes(states: Sequence[State], name: str, classes: Any, /, *, xp: Namespace) -> Any:
    """Places among the classes of each shard -> places among all classes, shard after shard."""
    parts = []
    for s in states:
        x, (at, _) = getattr(s, name), indexing.place(classes, s.classes, xp=xp)
        same = s.classes.shape[0] in (0, classes.shape[0])
        parts.append(x if same else xp.take(at, x))
    return xp.concat(parts)


def _moved_rows(states: Sequence[State], /, *, xp: Namespace) -> Any:
    before, parts = 0, []
    for s in states:
        parts.append(s.rows + before)
        before += s.scores.shape[0]
    return xp.concat(parts)
