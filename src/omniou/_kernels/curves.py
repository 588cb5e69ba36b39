"""Precision and recall of every class at once, read off at true positives alone.

T thresholds, K classes, R points of recall, M detections, of which E overlap an object, H true positives.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.types import Namespace

# The T thresholds in words: bits (E,), and how many thresholds they are.
Bits: TypeAlias = Sequence[tuple[Any, int]]


# Bits of area ranges that are looked up at once, and those of an int64 that stay clear of its sign.
_RANGES, _BITS = 8, 62
# Rows that are counted together: their temporaries stay in the cache, and counts of COCO's ranges fit one integer.
_PART = 2**14


class Scale(NamedTuple):
    """What recall means in one area range."""

    objects: Any  # (K,), 1 where there are none
    none: Any  # (K,) booleans: no objects
    need: Any  # (K, R) true positives that reach each point
    points: Any  # (R,)


class Places(NamedTuple):
    """Bits that are set, by threshold, then place."""

    threshold: Any  # (P,)
    touched: Any  # (P,) place among the E


class Hits(NamedTuple):
    """The true positives of one area range, by threshold, class and falling score."""

    threshold: Any  # (H,)
    touched: Any  # (H,) place among the E
    ordinal: Any  # (H,) true positives of the curve up to and with this one
    first: Any  # (T * K + 1,) where each curve starts
    in_curve: Any  # (T * K,)
    sizes: tuple[int, int]  # T, K


def scale(objects: Any, points: Any, /, *, xp: Namespace) -> Scale:
    """Objects (K,), points of recall (R,)."""
    none = objects == 0
    some = xp.where(none, xp.ones_like(objects), objects)
    need = xp.astype(xp.ceil(points[None, :] * xp.astype(some, points.dtype)[:, None]), xp.int64)
    # The product is rounded: the division that recall is defined by decides.
    for step in (1, 0):
        enough = share(need - step, some[:, None], points.dtype, xp=xp) >= points[None, :]
        need = xp.where(enough, need - step, need + 1 - step)
    return Scale(some, none, need, points)


def share(number: Any, objects: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    """Integers -> their quotients as floats."""
    return xp.astype(number, dtype) / xp.astype(objects, dtype)


def where_set(bits: Bits, /, *, xp: Namespace) -> Places:
    """The bits that are set."""
    before, places, numbers = 0, [], []
    for word, count in bits:
        # Most have none: what is left is looked at for each threshold.
        word = word & ((1 << count) - 1)  # noqa: PLW2901  (of areas there may be more, which `narrow` cannot hold)
        some = xp.nonzero(word != 0)[0]
        narrow = xp.int16 if count < 16 else xp.int64
        each = xp.asarray([1 << k for k in range(count)], dtype=narrow, device=compat.device(word))
        is_set = (xp.astype(xp.take(word, some), narrow)[None, :] & each[:, None]) != 0
        place = xp.nonzero(xp.reshape(is_set, (-1,)))[0]
        number = place // max(1, some.shape[0])
        places.append(xp.take(some, place - number * some.shape[0]))
        numbers.append(number + before)
        before += count
    return Places(xp.concat(numbers), xp.concat(places))


def among(found: Places, kept: Any, /, *, xp: Namespace) -> Places:
    """Those of the places that are kept, booleans (P,)."""
    rows = xp.nonzero(kept)[0]
    return Places(*(xp.take(x, rows) for x in found))


def hits(bits: Bits, classes: Any, sizes: tuple[int, int], /, *, xp: Namespace) -> Hits:
    """True positives, classes (E,), T and K."""
    threshold, touched = where_set(bits, xp=xp)
    curve = threshold * sizes[1] + xp.take(classes, touched)
    number = indexing.counts(curve, sizes[0] * sizes[1], xp=xp)
    first = indexing.starts(number, xp=xp)
    every = xp.arange(curve.shape[0], dtype=first.dtype, device=compat.device(curve))
    return Hits(threshold, touched, every + 1 - xp.take(first, curve), first, number, sizes)


def some(found: Hits, kept: Any, /, *, xp: Namespace) -> Hits:
    """Those of the hits that are kept, booleans (H,)."""
    rows = xp.nonzero(kept)[0]
    first = xp.take(indexing.starts(xp.astype(kept, found.first.dtype), xp=xp), found.first)
    number = indexing.rest(first) - first[:-1]
    every = xp.arange(rows.shape[0], dtype=first.dtype, device=compat.device(rows))
    ordinal = every + 1 - xp.repeat(first[:-1], number)
    return Hits(xp.take(found.threshold, rows), xp.take(found.touched, rows), ordinal, first, number, found.sizes)


def at_ends(found: Hits, last: Any, /, *, xp: Namespace) -> Hits:
    """Hits that count all hits of their score; `last` (E,): the last of the E that has the score of each."""
    touched, every = last.shape[0], xp.arange(found.ordinal.shape[0], dtype=xp.int64, device=compat.device(last))
    keys = found.threshold * touched
    ends = xp.searchsorted(keys + found.touched, keys + xp.take(last, found.touched), side="right")
    return found._replace(ordinal=found.ordinal + ends - every - 1)


def inside(outside: Any, listed: Any, queries: Sequence[Any], ranges: int, /, *, xp: Namespace) -> list[Any]:
    """Bits (M,) of the area ranges that do not hold each, booleans (M,) or None for all of them.

    Places (P,), rising, up to M -> (A, P): how many before each place a range holds and `listed` has.
    """
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
            for found, x, cut in zip(out, queries, cuts, strict=True):
                here = slice(cut[part], cut[part + 1])
                found[areas, here] = before + ((xp.take(seen, x[here] - start)[None, :] >> shifts) & (2**width - 1))
            before = before + ((seen[-1] >> shifts) & (2**width - 1))
    return out


def _fields(areas: slice, width: int, /, *, device: Any, xp: Namespace) -> Any:
    """Bits that are not set -> 1 in the field of each range, `width` bits wide: ranges side by side take one sum."""
    every = xp.arange(2**_RANGES, dtype=xp.int64, device=device)
    fields = xp.zeros_like(every)
    for place in range(areas.stop - areas.start):
        fields = fields + ((((every >> place) & 1) ^ 1) << (place * width))
    return fields


def surplus(gained: Places, lost: Places, found: Hits, classes: Any, /, *, xp: Namespace) -> Any:
    """(H,) how many of the first more than of the second there are up to and with each hit of its curve.

    For few of them: they are sought among the hits.
    """
    touched = classes.shape[0]
    hits = found.threshold * touched + found.touched
    here, before = xp.zeros_like(xp.concat([found.first[:1], hits])), xp.zeros_like(found.in_curve)
    for (threshold, place), sign in ((gained, 1), (lost, -1)):
        if place.shape[0] == 0:
            continue
        next_hit = xp.searchsorted(hits, threshold * touched + place)
        here = here + sign * indexing.counts(next_hit, hits.shape[0] + 1, xp=xp)
        curve = threshold * found.sizes[1] + xp.take(classes, place)
        before = before + sign * indexing.counts(curve, before.shape[0], xp=xp)
    return xp.cumulative_sum(here)[:-1] - xp.repeat(indexing.starts(before, xp=xp)[:-1], found.in_curve)


def precision(found: Hits, place: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Detections that count up to each hit (H,) -> (T, K, R): the best precision at or after each recall."""
    thresholds, classes = found.sizes
    # A point in front of the first, so that what comes before it is not taken for the end of the curve before.
    least = xp.concat([xp.ones_like(scale.need[:, :1]), scale.need], axis=1)
    least = xp.maximum(least, xp.ones_like(least))
    first, end = (xp.reshape(x, (thresholds, classes, 1)) for x in (found.first[:-1], found.first[1:]))
    # What is not reached starts where the curve ends, so that what is reached last ends there.
    start = xp.minimum(first + (least - 1)[None, ...], end)
    values = xp.concat(
        [_precision_at(found.ordinal, place, scale.points.dtype, xp=xp), xp.zeros_like(scale.points[:1])]
    )
    # Precision falls between true positives: the best from the one that reaches a recall to the one that reaches the
    # next is all that is needed.
    best = xp.reshape(indexing.segment_maximum(values, xp.reshape(start, (-1,)), xp=xp), start.shape)
    best = (best * xp.astype(start < end, best.dtype))[..., 1:]
    best = xp.flip(indexing.cumulative_maximum(xp.flip(best, axis=-1), xp=xp), axis=-1)
    return where_objects(best, scale.none, xp=xp)


def _precision_at(ordinal: Any, place: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    # The spacing is the reference's guard of 0 / 0; it shows in the last bit of 1 / 1.
    return xp.astype(ordinal, dtype) / (xp.astype(place, dtype) + float(xp.finfo(dtype).eps))


def recall(found: Hits, scale: Scale, /, *, xp: Namespace) -> Any:
    """(T, K): highest recall."""
    reached = xp.reshape(found.in_curve, found.sizes)
    return where_objects(share(reached, scale.objects[None, :], scale.points.dtype, xp=xp), scale.none, xp=xp)


def scores(found: Hits, touched: Any, best: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Scores (E,), the best of each class (K,), 0 if none -> (T, K, R): score at each recall, 0 where unreached."""
    need = xp.broadcast_to(scale.need[None, ...], (found.sizes[0], *scale.need.shape))
    reached = (need > 0) & (need <= xp.reshape(found.in_curve, (*found.sizes, 1)))
    at = xp.reshape(found.first[:-1], (*found.sizes, 1)) + need - 1
    nothing = xp.zeros(1, dtype=touched.dtype, device=compat.device(touched))
    ordered = xp.concat([xp.take(touched, found.touched), nothing])
    at = xp.where(reached, at, xp.full_like(at, ordered.shape[0] - 1))
    table = xp.reshape(xp.take(ordered, xp.reshape(at, (-1,))), at.shape)
    # A recall of 0 is reached by the first detection, whatever it is.
    table = xp.where(need <= 0, best[None, :, None], table)
    return where_objects(table, scale.none, xp=xp)


def area_under(found: Hits, place: Any, scale: Scale, /, *, xp: Namespace) -> Any:
    """Detections that count up to each hit (H,) -> (T, K): the area under the curve of best precisions."""
    size = found.in_curve.shape[0]
    values = share(found.ordinal, place, scale.points.dtype, xp=xp)
    # The best at or after each hit: maxima from the right inside each curve, of ranks that no later curve exceeds.
    order = xp.argsort(values)
    every = xp.arange(values.shape[0], dtype=xp.int64, device=compat.device(values))
    rank = indexing.put(xp.zeros_like(every), order, every, xp=xp)
    curve = xp.repeat(xp.arange(size, dtype=xp.int64, device=compat.device(values)), found.in_curve)
    packed = (size - curve) * max(1, values.shape[0]) + rank
    best = indexing.cumulative_maximum(xp.flip(packed), xp=xp)
    best = xp.take(xp.take(values, order), xp.flip(best) % max(1, values.shape[0]))
    total = indexing.segment_sum(best, found.first, xp=xp)
    out = xp.reshape(total, found.sizes) / xp.astype(scale.objects, total.dtype)[None, :]
    return where_objects(out, scale.none, xp=xp)


def where_objects(x: Any, none: Any, /, *, xp: Namespace) -> Any:
    """(T, K, ...) with NaN for classes without objects."""
    nothing = xp.astype(none, x.dtype)
    nothing = xp.where(none, xp.full_like(nothing, float("nan")), nothing)
    return x + xp.reshape(nothing, (1, -1) + (1,) * (x.ndim - 2))
