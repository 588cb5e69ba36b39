"""Precision and recall of every class at once, computed at the true positives only.

T thresholds, K classes, R recall thresholds, M detections, of which E match an object, H true positives.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import array_api_compat as compat

from omniou._kernels.histograms import share, where_objects
from omniou._lib import indexing
from omniou._lib.types import Namespace

# The T thresholds in words: bits (E,), and how many thresholds they are.
Bits: TypeAlias = Sequence[tuple[Any, int]]


# Bits of area ranges that share one lookup table; bits of an int64 below its sign.
_RANGES, _BITS = 8, 62
# Rows counted at once: their temporaries fit the cache, and their counts for COCO's four ranges fit one int64.
_PART = 2**14


class Scale(NamedTuple):
    """Objects and recall thresholds of one area range."""

    objects: Any  # (K,), 1 where there are none
    none: Any  # (K,) booleans: no objects
    need: Any  # (K, R + 1) true positives, at least one, that reach each point, and one in front of the first
    points: Any  # (R,)


class Places(NamedTuple):
    """Set bits, sorted by threshold, then place."""

    threshold: Any  # (P,)
    touched: Any  # (P,) place among the E


class Hits(NamedTuple):
    """True positives of one area range, sorted by threshold, class and falling score."""

    touched: Any  # (H,) place among the E
    ordinal: Any  # (H,) true positives of the curve up to and with this one
    first: Any  # (T * K + 1,) where each curve starts
    sizes: tuple[int, int]  # T, K

    @property
    def in_curve(self) -> Any:
        """Number of true positives of each curve, (T * K,)."""
        return indexing.rest(self.first) - self.first[:-1]


class Moved(NamedTuple):
    """The few of the E detections that count only because they are matched, or do not count for that reason."""

    touched: Any  # (G,) their places among the E
    before: Any  # (E + 1,) how many of them come before each of the E
    more: Any  # (T, G) 1 where one counts for being matched, -1 where it does not


class Reached(NamedTuple):
    """The P recall thresholds that the curves reach, rising.

    Each curve has one more in front of its first, which separates it from the end of the curve before.
    """

    at: Any  # (P,) place among the hits
    place: Any  # (P,) place in (T, K, R + 1)


def scale(objects: Any, points: Any, /, *, xp: Namespace) -> Scale:
    """Return the scale of objects (K,) and recall thresholds (R,)."""
    none = objects == 0
    some = xp.where(none, xp.ones_like(objects), objects)
    need = xp.astype(xp.ceil(points[None, :] * xp.astype(some, points.dtype)[:, None]), xp.int64)
    # The product is rounded, so the count is corrected by the division that defines recall. For 100 objects and a
    # recall of 0.07, 0.07 * 100 is 7.000000000000001, whose ceiling is 8; but 7 / 100 reaches 0.07, so 7 are enough.
    for step in (1, 0):
        enough = share(need - step, some[:, None], points.dtype, xp=xp) >= points[None, :]
        need = xp.where(enough, need - step, need + 1 - step)
    need = xp.concat([xp.ones_like(some)[:, None], xp.maximum(need, xp.ones_like(need))], axis=1)
    return Scale(some, none, need, points)


def where_set(bits: Bits, /, *, xp: Namespace) -> Places:
    """Return the set bits."""
    before, places, numbers = 0, [], []
    for word, count in bits:
        # Most rows have no bit set; only the others are expanded by threshold.
        word = word & ((1 << count) - 1)  # noqa: PLW2901  (of areas there may be more, which `_each` cannot hold)
        some = xp.nonzero(word != 0)[0]
        is_set = _each(xp.take(word, some), count, xp=xp)
        place = xp.nonzero(xp.reshape(is_set, (-1,)))[0]
        every = xp.arange(count + 1, dtype=place.dtype, device=compat.device(place))
        first = xp.searchsorted(place, every * some.shape[0])
        number = xp.repeat(every[:-1], indexing.rest(first) - first[:-1])
        places.append(xp.take(some, place - number * some.shape[0]))
        numbers.append(number + before if before else number)
        before += count
    return Places(*(x[0] if len(x) == 1 else xp.concat(x) for x in (numbers, places)))


def _each(word: Any, count: int, /, *, xp: Namespace) -> Any:
    """The lowest `count` bits of (N,) -> flags (count, N)."""
    narrow = xp.int16 if count < 16 else xp.int64
    bits = xp.asarray([1 << k for k in range(count)], dtype=narrow, device=compat.device(word))
    return (xp.astype(word, narrow)[None, :] & bits[:, None]) != 0


def hits(bits: Bits, classes: Any, sizes: tuple[int, int], /, *, xp: Namespace) -> Hits:
    """Bits, offsets of classes among the E (K + 1,), T and K -> the true positives of all curves."""
    threshold, touched = where_set(bits, xp=xp)
    size = bits[0][0].shape[0]
    # Threshold and place in one rising integer, so that one binary search finds all curves: of 10 places, the curve of
    # threshold 2 and a class from place 4 on starts at the first hit whose number is 24 or more.
    every = xp.arange(sizes[0], dtype=touched.dtype, device=compat.device(touched))
    starts = every[:, None] * size + classes[None, :]
    starts = xp.concat([xp.reshape(starts[:, :-1], (-1,)), starts[-1, -1:]])
    first = xp.searchsorted(threshold * size + touched, starts)
    return Hits(touched, _ordinals(first, xp=xp), first, sizes)


def starts_of(hits: Hits, kept: Any, /, *, xp: Namespace) -> Any:
    """Return the offsets of the curves (T * K + 1,) if only some hits are kept, booleans (H,)."""
    return xp.take(indexing.starts(xp.astype(kept, hits.first.dtype), xp=xp), hits.first)


def some(hits: Hits, kept: Any, first: Any, /, *, xp: Namespace) -> Hits:
    """Return the kept hits, booleans (H,), given the offsets of their curves."""
    return Hits(xp.take(hits.touched, xp.nonzero(kept)[0]), _ordinals(first, xp=xp), first, hits.sizes)


def _ordinals(first: Any, /, *, xp: Namespace) -> Any:
    """Offsets of curves -> the place of each hit in its curve, from 1 (H,)."""
    every = xp.arange(int(first[-1]), dtype=first.dtype, device=compat.device(first))
    return every - xp.repeat(first[:-1] - 1, indexing.rest(first) - first[:-1])


def by_threshold(hits: Hits, step: int, /, *, xp: Namespace) -> Any:
    """Return `step` times the place of the threshold of each hit, (H,)."""
    steps = step * xp.arange(hits.sizes[0], dtype=hits.first.dtype, device=compat.device(hits.first))
    return xp.repeat(steps, xp.sum(xp.reshape(hits.in_curve, hits.sizes), axis=1))


def inside(outside: Any, listed: Any, queries: Sequence[Any], ranges: int, /, *, xp: Namespace) -> list[Any]:
    """Count the listed detections inside each area range before each place.

    Bits (M,) of the area ranges that do not hold each detection, `listed` booleans (M,) or None for all, and rising
    places (P,) up to M -> (A, P).
    """
    # One running sum counts several area ranges: each has `width` bits of an int64, see `_fields`. With a width of 4
    # and two ranges, a detection inside both adds 0x11, one inside the first 0x01, one inside the second 0x10: the sums
    # are 0x11, 0x12 and 0x22. Sums start anew with each part of the rows, so that no field overflows into the next.
    size, device = outside.shape[0], compat.device(outside)
    step = _PART if compat.is_numpy_namespace(xp) else max(1, size)
    width = step.bit_length()
    starts = xp.arange(0, max(1, size), step, dtype=xp.int64, device=device)
    cuts = [[*indexing.to_list(xp.searchsorted(x, starts)), x.shape[0]] for x in queries]
    out = [xp.empty((ranges, x.shape[0]), dtype=xp.int64, device=device) for x in queries]
    together = min(_RANGES, _BITS // width)
    for lowest in range(0, ranges, together):
        areas = slice(lowest, min(lowest + together, ranges))
        fields = _fields(areas, width, device=device, xp=xp)
        shifts = width * xp.arange(areas.stop - lowest, dtype=xp.int64, device=device)[:, None]
        before = xp.zeros_like(shifts)
        for part, start in enumerate(range(0, max(1, size), step)):
            rows = slice(start, min(start + step, size))
            held = xp.take(fields, xp.astype((outside[rows] >> lowest) & (2**_RANGES - 1), xp.int64))
            if listed is not None:
                held = held * xp.astype(listed[rows], held.dtype)
            seen = xp.cumulative_sum(held, include_initial=True)
            for hits, x, cut in zip(out, queries, cuts, strict=True):
                here = slice(cut[part], cut[part + 1])
                hits[areas, here] = before + ((xp.take(seen, x[here] - start)[None, :] >> shifts) & (2**width - 1))
            before = before + ((seen[-1] >> shifts) & (2**width - 1))
    return out


def _fields(areas: slice, width: int, /, *, device: Any, xp: Namespace) -> Any:
    """Unset bits -> 1 in the field of each range, `width` bits wide, so that one sum counts all ranges."""
    every = xp.arange(2**_RANGES, dtype=xp.int64, device=device)
    fields = xp.zeros_like(every)
    for place in range(areas.stop - areas.start):
        fields = fields + ((((every >> place) & 1) ^ 1) << (place * width))
    return fields


def moved(gained: Bits, lost: Bits, /, *, xp: Namespace) -> Moved:
    """Return the detections that count because they are matched, and those that would count if they were not."""
    either = xp.zeros_like(gained[0][0]) != 0
    for (more, _), (less, _) in zip(gained, lost, strict=True):
        either = either | ((more | less) != 0)
    few, steps = xp.nonzero(either)[0], []
    for (more, count), (less, _) in zip(gained, lost, strict=True):
        plus, minus = (xp.astype(_each(xp.take(x, few), count, xp=xp), xp.int8) for x in (more, less))
        steps.append(plus - minus)
    return Moved(few, indexing.starts(xp.astype(either, xp.int64), xp=xp), xp.concat(steps))


def surplus(moved: Moved, hits: Hits, classes: Any, /, *, xp: Namespace) -> Any:
    """Offsets of classes among the E (K + 1,) -> how many more detections count up to each hit of its curve, (H,).

    They count, or do not count, only because they are matched.
    """
    # Running sums over the few that moved, read off at each hit, less what they were where the curve starts. If
    # detections 1 and 4 of the E (from 0) move by 1 and -1, the sums are 0, 1, 0: up to hits at places 1, 3 and 5,
    # which come after one, one and two of the moves, 1, 1 and 0 more detections count.
    total = xp.cumulative_sum(moved.more, axis=1, dtype=xp.int64, include_initial=True)
    row = by_threshold(hits, total.shape[1], xp=xp)
    until = xp.take(xp.reshape(total, (-1,)), row + xp.take(indexing.rest(moved.before), hits.touched))
    start = xp.reshape(xp.take(total, xp.take(moved.before, classes[:-1]), axis=1), (-1,))
    return until - xp.repeat(start, hits.in_curve)


def reached(hits: Hits, scale: Scale, /, *, xp: Namespace) -> Reached:
    """Return the places where each curve reaches each recall threshold."""
    # A curve whose hits are at 10, 11 and 12 reaches what needs 1 and 3 true positives at 10 and 12, and never what
    # needs 4, since 13 is in the next curve.
    first, end = (xp.reshape(x, (*hits.sizes, 1)) for x in (hits.first[:-1], hits.first[1:]))
    at = first + (scale.need - 1)[None, ...]
    place = xp.nonzero(xp.reshape(at < end, (-1,)))[0]
    return Reached(xp.take(xp.reshape(at, (-1,)), place), place)


def precision(hits: Hits, place: Any, recalls: Reached, scale: Scale, /, *, xp: Namespace) -> Any:
    """Detections that count up to each hit (H,) -> the best precision at or after each recall, (T, K, R).

    NaN for classes without objects.
    """
    values = precision_at(hits.ordinal, place, scale.points.dtype, xp=xp)
    # Precision falls between true positives, so the maximum over the true positives from one recall point to the next
    # suffices. Where one true positive reaches several points, the last of these points holds the maximum. Of
    # precisions 1, 0.5, 0.6 and 0.7, where the first and the third reach a point, the maxima are 1 and 0.7; the running
    # maximum from the end makes an envelope of them, which never rises with recall.
    best = indexing.segment_maximum(values, recalls.at, xp=xp)
    best = _spread(best, recalls, hits.sizes, scale, xp=xp)
    return indexing.cumulative_maximum(best, xp=xp, from_end=True)


def _spread(values: Any, recalls: Reached, sizes: tuple[int, int], scale: Scale, /, *, xp: Namespace) -> Any:
    """Values (P,) -> (T, K, R): 0 for recalls that are not reached, NaN for classes without objects."""
    size = (*sizes, 1 + scale.points.shape[0])
    out = xp.zeros(math.prod(size), dtype=values.dtype, device=compat.device(values))
    return known(xp.reshape(indexing.put(out, recalls.place, values, xp=xp), size)[..., 1:], scale, xp=xp)


def known(x: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Return `where_objects`, without a copy if every class has objects."""
    return where_objects(x, scale.none, xp=xp) if xp.any(scale.none) else x


def precision_at(ordinal: Any, place: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    # The reference implementation adds the spacing of 1 against 0 / 0; it changes the last bit of 1 / 1.
    return xp.astype(ordinal, dtype) / (xp.astype(place, dtype) + float(xp.finfo(dtype).eps))


def recall(number: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Hits of each curve (T, K) -> the highest recall, (T, K)."""
    return where_objects(share(number, scale.objects[None, :], scale.points.dtype, xp=xp), scale.none, xp=xp)


def scores(hits: Hits, touched: Any, best: Any, recalls: Reached, scale: Scale, /, *, xp: Namespace) -> Any:
    """Scores (E,), the best of each class (K,), 0 if none -> the score at each recall, (T, K, R), 0 where unreached.

    NaN for classes without objects.
    """
    values = xp.take(touched, xp.take(hits.touched, recalls.at))
    return with_best(_spread(values, recalls, hits.sizes, scale, xp=xp), best, scale, xp=xp)


def with_best(values: Any, best: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Scores (T, K, R), which may be overwritten, the best of each class (K,) -> scores with the ones at recall 0."""
    # The first detection reaches a recall of 0, also where it is a false positive.
    free = int(xp.count_nonzero(scale.points <= 0))
    values[..., :free] = where_objects(best[None, :, None], scale.none, xp=xp)
    return values


def area_under(hits: Hits, place: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Detections that count up to each hit (H,) -> the area under the curve of best precisions, (T, K)."""
    total = indexing.segment_sum(_best_from(hits, place, scale, xp=xp), hits.first, xp=xp)
    out = xp.reshape(total, hits.sizes) / xp.astype(scale.objects, total.dtype)[None, :]
    return where_objects(out, scale.none, xp=xp)


def trapezoids(hits: Hits, place: Any, end: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Detections that count up to each hit (H,), precision behind the last hit (T, K) -> area by trapezoids, (T, K).

    The trapezoids lie between neighbouring recall thresholds.
    """
    points, number = scale.points, xp.reshape(hits.in_curve, (*hits.sizes, 1))
    need = scale.need[:, 1:]
    equal = share(need, scale.objects[:, None], points.dtype, xp=xp) == points[None, :]
    reached = (need - xp.astype(~equal, need.dtype))[None, ...]  # most hits whose recall is at most the point
    more = reached < number
    at = xp.where(more, xp.reshape(hits.first[:-1], number.shape) + reached, xp.full_like(number, place.shape[0]))
    values = _of_hits(_best_from(hits, place, scale, xp=xp), at, xp=xp)
    values = xp.where(more, values, falling(end, number[..., 0], scale.objects[None, :], points, xp=xp))
    return where_objects(between(values, points, xp=xp), scale.none, xp=xp)


def falling(end: Any, number: Any, objects: Any, points: Any, /, *, xp: Namespace) -> Any:
    """Precision behind the last hit, hits and objects (...), recall thresholds (R,) -> precision there (..., R)."""
    # Precision at a recall is the best one beyond it, at the next hit: the line from k to k + 1 hits is level, as false
    # positives between them move a curve straight down. Behind the last hit a line falls from `end` to 0 at a recall
    # of 1: for 1 of 2 objects and an `end` of 1 it is 0.5 at a recall of 0.75.
    missed = objects - number
    unseen = (1 - points) * xp.astype(objects, points.dtype)[..., None]
    return end[..., None] * (unseen / xp.astype(xp.maximum(missed, xp.ones_like(missed)), points.dtype)[..., None])


def between(values: Any, points: Any, /, *, xp: Namespace) -> Any:
    """Precision at recall thresholds (..., R) -> the area by trapezoids, (...)."""
    steps = indexing.rest(points) - points[..., :-1]
    return xp.sum(steps * (indexing.rest(values) + values[..., :-1]) / 2, axis=-1)


def _of_hits(values: Any, at: Any, /, *, xp: Namespace) -> Any:
    """Values (H,), places (...) up to H -> (...), 0 for H."""
    none = xp.zeros(1, dtype=values.dtype, device=compat.device(values))
    return xp.reshape(xp.take(xp.concat([values, none]), xp.reshape(at, (-1,))), at.shape)


def _best_from(hits: Hits, place: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Detections that count up to each hit (H,) -> the best precision at or after each hit, (H,)."""
    size = hits.in_curve.shape[0]
    values = share(hits.ordinal, place, scale.points.dtype, xp=xp)
    # A running maximum from the right, of ranks offset by curve so that curves stay apart.
    # Three precisions 0.5, 1 and 0.8, of which the last is in a second curve, have the ranks 0, 2 and 1, which pack to
    # 2 * 3 + 0, 2 * 3 + 2 and 1 * 3 + 1. The maxima from the right are 8, 8 and 4, ranks 2, 2 and 1: precisions 1, 1
    # and 0.8.
    order = xp.argsort(values)
    every = xp.arange(values.shape[0], dtype=xp.int64, device=compat.device(values))
    rank = indexing.put(xp.zeros_like(every), order, every, xp=xp)
    curve = xp.repeat(xp.arange(size, dtype=xp.int64, device=compat.device(values)), hits.in_curve)
    packed = (size - curve) * max(1, values.shape[0]) + rank
    best = indexing.cumulative_maximum(packed, xp=xp, from_end=True)
    return xp.take(xp.take(values, order), best % max(1, values.shape[0]))
