"""What is kept of the images seen so far: one flat table, from which every number is computed."""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import array_api_compat as compat

from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection import match as matching
from omniou.detection import tables
from omniou.detection.match import Overlap
from omniou.detection.parts import Columns, check_distinct
from omniou.detection.protocol import Protocol
from omniou.detection.tables import Ids


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class State:
    """M detections of I images and K classes, of which E match an object; A area ranges.

    Detections are in the order of their images' ids, inside an image as they came.

    Attributes
    ----------
    protocol : Protocol
        What the detections were matched by.
    classes : array of int64, shape (K,)
        Labels, rising.
    images : array of int64, shape (I,)
        Ids, rising; those without objects or detections included.
    wanted : array of int64, shape (N,)
        Places among `classes` of the objects that count in some area range: neither crowds nor ignored. In the order of
        their images.
    wanted_image : array of int64, shape (N,)
        Their places among `images`.
    ranges : array of integers, shape (N,)
        Bits of the area ranges in which each counts.
    scores : array of float, shape (M,)
    labels, image : array of int64, shape (M,)
        Places among `classes` and `images`.
    outside : array of integers, shape (M,)
        Bits of the area ranges in which the detection, where it matches nothing, does not count either.
    rows, rank : array of int64, shape (E,)
        Rows of the detections that match an object, at some threshold and in some area range, and their place among
        those of image and class by falling score.
    matched, ignored : list of arrays of int64, shape (E,)
        Bits of the thresholds and area ranges at which each is matched, and matched to an object that is ignored.
    surplus : int
        Detections above the protocol's limit, which are left out.
    kind : str
        What was compared: "bbox", "segm" or "boundary".
    """

    protocol: Protocol
    classes: Any
    images: Any
    wanted: Any
    wanted_image: Any
    ranges: Any
    scores: Any
    labels: Any
    image: Any
    outside: Any
    rows: Any
    rank: Any
    matched: list[Any]
    ignored: list[Any]
    surplus: int
    kind: str

    @property
    def objects(self) -> Any:
        """(K, A) objects that count."""
        xp, size = compat.array_namespace(self.wanted), self.classes.shape[0]
        columns = []
        for area in range(len(self.protocol.area_ranges)):
            inside = (self.ranges & (1 << area)) != 0
            columns.append(indexing.counts(self.wanted[inside], size, xp=xp))
        return xp.stack(columns, axis=1)


def build(columns: Columns, ids: Ids, protocol: Protocol, kind: str, overlap: Overlap, /) -> State:
    """Match the detections of whole images with their objects."""
    xp, truth = columns.xp, columns.truth
    pairs = matching.candidates(columns, ids, protocol, overlap)
    outcome = matching.match(pairs, protocol, xp=xp)
    listed, objects = pairs.listed, pairs.objects
    every = (1 << len(protocol.area_ranges)) - 1
    outside = _outside(xp.take(columns.found.boxes.area, listed.rows), protocol, xp=xp)
    if truth.not_exhaustive is not None:
        open_ended = tables.among(truth.not_exhaustive, listed.groups, ids, xp=xp)
        outside = xp.where(open_ended, xp.full_like(outside, every), outside)
    beyond = _outside(objects.area, protocol, xp=xp)
    counts = xp.nonzero((beyond != every) & ~objects.ignore)[0]
    return State(
        protocol,
        *ids,
        xp.take(objects.classes, counts),
        xp.take(objects.groups, counts) // max(1, ids.classes.shape[0]),
        every - xp.take(beyond, counts),
        *(listed.scores, listed.classes, listed.images),
        outside,
        *outcome,
        listed.surplus,
        kind,
    )


def _outside(area: Any, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """Areas (M,) -> bits of the area ranges that do not hold them."""
    ranges = protocol.area_ranges
    dtype = xp.uint8 if len(ranges) <= 8 else xp.int64

    def bits(part: slice) -> Any:
        some = area[part]
        found = xp.zeros(some.shape, dtype=dtype, device=compat.device(some))
        for place, limits in enumerate(ranges):
            beyond = (some < limits.low) | (some > limits.high)
            found = found | xp.astype(beyond, dtype) * (1 << place)
        return found

    return indexing.in_parts(bits, area.shape[0], xp=xp)


def merge(states: Sequence[State], /, *, xp: Namespace) -> State:
    """One state of several, each of other images and by the same protocol: the same bits in any order."""
    first = states[0]
    if any(s.protocol != first.protocol for s in states):
        msg = "states must have the same protocol: what a detection matches depends on it"
        raise ValueError(msg)
    if any(s.kind != first.kind for s in states):
        msg = f"states must be of one kind, got {', '.join(sorted({repr(s.kind) for s in states}))}"
        raise ValueError(msg)
    ids = Ids(*(_union([getattr(s, name) for s in states], xp=xp) for name in ("classes", "images")))
    check_distinct([s.images for s in states], ids.images, xp=xp)
    # Shards are often of images that follow one another: then nothing has to be sorted.
    states = sorted(states, key=_first_image)
    known = [s.images for s in states if s.images.shape[0]]
    in_turn = all(int(x[-1]) < int(y[0]) for x, y in itertools.pairwise(known))
    joined = {name: xp.concat([getattr(s, name) for s in states]) for name in ("scores", "outside", "rank", "ranges")}
    words = [
        [xp.concat(list(parts)) for parts in zip(*(getattr(s, name) for s in states), strict=True)]
        for name in ("matched", "ignored")
    ]
    found = State(
        protocol=first.protocol,
        classes=ids.classes,
        images=ids.images,
        wanted=_places(states, "classes", "wanted", ids.classes, xp=xp),
        wanted_image=_places(states, "images", "wanted_image", ids.images, xp=xp),
        labels=_places(states, "classes", "labels", ids.classes, xp=xp),
        image=_places(states, "images", "image", ids.images, xp=xp),
        rows=_moved_rows(states, xp=xp),
        matched=words[0],
        ignored=words[1],
        surplus=sum(s.surplus for s in states),
        kind=first.kind,
        **joined,
    )
    return found if in_turn else _by_image(found, xp=xp)


def _first_image(state: State) -> float:
    return int(state.images[0]) if state.images.shape[0] else math.inf


def _by_image(state: State, /, *, xp: Namespace) -> State:
    """The same in the order of images."""
    size = max(1, state.images.shape[0])
    if not _is_rising(state.wanted_image, xp=xp):
        order = ordering.rising(state.wanted_image, size, xp=xp)
        moved = {name: xp.take(getattr(state, name), order) for name in ("wanted", "wanted_image", "ranges")}
        state = dataclasses.replace(state, **moved)
    if _is_rising(state.image, xp=xp):
        return state
    order = ordering.rising(state.image, size, xp=xp)
    every = xp.arange(order.shape[0], dtype=xp.int64, device=compat.device(order))
    rows = xp.take(indexing.put(xp.zeros_like(every), order, every, xp=xp), state.rows)
    touched = ordering.rising(rows, max(1, order.shape[0]), xp=xp)
    moved = {name: xp.take(getattr(state, name), order) for name in ("scores", "labels", "image", "outside")}
    return dataclasses.replace(
        state,
        rows=xp.take(rows, touched),
        rank=xp.take(state.rank, touched),
        matched=[xp.take(x, touched) for x in state.matched],
        ignored=[xp.take(x, touched) for x in state.ignored],
        **moved,
    )


def _is_rising(x: Any, /, *, xp: Namespace) -> bool:
    return bool(xp.all(indexing.rest(x) >= indexing.but_last(x)))


def _union(parts: list[Any], /, *, xp: Namespace) -> Any:
    return indexing.distinct(xp.concat(parts), xp=xp)


def _places(states: Sequence[State], of: str, name: str, ids: Any, /, *, xp: Namespace) -> Any:
    """Places among a shard's ids -> places among all ids, the shards one after the other."""
    parts = []
    for s in states:
        x, (at, _) = getattr(s, name), indexing.place(ids, getattr(s, of), xp=xp)
        before = int(at[0]) if at.shape[0] else 0
        if at.shape[0] == 0 or int(at[-1]) - before < at.shape[0]:  # one after the other
            parts.append(x + before if before else x)
        else:
            parts.append(xp.take(at, x))
    return xp.concat(parts)


def _moved_rows(states: Sequence[State], /, *, xp: Namespace) -> Any:
    before, parts = 0, []
    for s in states:
        parts.append(s.rows + before)
        before += s.scores.shape[0]
    return xp.concat(parts)
