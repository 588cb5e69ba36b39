"""Precision and recall of every class at once, read off at true positives alone.

T thresholds, K classes, R points of recall, M detections, of which E overlap an object.
"""

from typing import Any, NamedTuple

import array_api_compat as compat

from omniou._lib import indexing
from omniou._lib.types import Namespace


class Listing(NamedTuple):
    """Detections by class and falling score."""

    scores: Any  # (M,)
    rank: Any  # (M,) inside image and class
    first: Any  # (K + 1,) row where each class starts; last M
    rows: Any  # (E,) rising: those that overlap an object
    classes: Any  # (E,)
    touched_first: Any  # (K + 1,) where each class starts among the E; last E


class Running(NamedTuple):
    """A cumulative sum over the (T, E) outcomes, written one threshold after the other."""

    total: Any  # (T * E + 1,)
    before: Any  # (T, K + 1) what came before each class

    @property
    def in_class(self) -> Any:
        return indexing.rest(self.before) - self.before[:, :-1]


class Counts(NamedTuple):
    """Of one area range and one limit of detections per image."""

    hit: Any  # (T, E) booleans: a true positive
    ordinal: Any  # (T, E) true positives of the class up to and with this detection
    place: Any  # (T, E) detections of the class that count, up to and with this one
    hits: Running


class Scale(NamedTuple):
    """What recall means in one area range."""

    objects: Any  # (K,), 1 where there are none
    none: Any  # (K,) booleans: no objects
    need: Any  # (K, R) true positives that reach each point
    points: Any  # (R,)


def scale(objects: Any, points: Any, /, *, xp: Namespace) -> Scale:
    """Objects (K,), points of recall (R,)."""
    none = objects == 0
    some = xp.where(none, xp.ones_like(objects), objects)
    need = xp.astype(xp.ceil(points[None, :] * xp.astype(some, points.dtype)[:, None]), xp.int64)
    # The product is rounded: the division that recall is defined by decides.
    for step in (1, 0):
        enough = _share(need - step, some[:, None], points.dtype, xp=xp) >= points[None, :]
        need = xp.where(enough, need - step, need + 1 - step)
    return Scale(some, none, need, points)


def _share(number: Any, objects: Any, dtype: Any, /, *, xp: Namespace) -> Any:
    """Integers -> their quotients as floats."""
    return xp.astype(number, dtype) / xp.astype(objects, dtype)


def curves(
    listing: Listing, inside: Any, limit: Any, outcomes: tuple[Any, Any], scale: Scale, /, *, xp: Namespace
) -> tuple[Any, ...]:
    """Precision (T, K, R), recall (T, K), scores (T, K, R); NaN for a class without objects.

    Of the detections `inside` the area range (M,), `limit` count per image and class. The outcomes (T, E): matched,
    and matched to an object that is ignored.
    """
    counts = _count(listing, inside, limit, outcomes, xp=xp)
    recall = _share(counts.hits.in_class, scale.objects[None, :], scale.points.dtype, xp=xp)
    precision = _envelope(counts, listing, scale, xp=xp)
    scores = _scores(counts.hits, listing, scale, xp=xp)
    tables = precision, recall, scores
    return tuple(_where_objects(x, scale.none, xp=xp) for x in tables)


def _where_objects(x: Any, none: Any, /, *, xp: Namespace) -> Any:
    """(T, K, ...) with NaN for classes without objects."""
    return xp.where(xp.reshape(none, (1, -1) + (1,) * (x.ndim - 2)), xp.full_like(x, float("nan")), x)


def _count(listing: Listing, inside: Any, limit: Any, outcomes: tuple[Any, Any], /, *, xp: Namespace) -> Counts:
    matched, ignored = outcomes
    listed = listing.rank < limit
    here = xp.take(listed, listing.rows)
    alone = xp.take(inside, listing.rows) & here
    hit = matched & ~ignored & here
    # An unmatched detection counts where its own area is in range, a matched one where its object counts.
    change = xp.astype(hit | (~matched & alone), xp.int64) - xp.astype(alone, xp.int64)
    hits, changes = _running(xp.astype(hit, xp.int64), listing, xp=xp), _running(change, listing, xp=xp)
    seen = xp.cumulative_sum(xp.astype(inside & listed, xp.int64), include_initial=True)
    earlier = xp.take(seen, xp.take(listing.first, listing.classes))
    place = xp.take(seen, listing.rows + 1) - earlier + _since_class(changes, listing, hit.shape, xp=xp)
    return Counts(hit, _since_class(hits, listing, hit.shape, xp=xp), place, hits)


def _running(x: Any, listing: Listing, /, *, xp: Namespace) -> Running:
    total = xp.cumulative_sum(xp.reshape(x, (-1,)), include_initial=True)
    first = listing.touched_first
    rows = xp.arange(x.shape[0], dtype=first.dtype, device=compat.device(first)) * x.shape[1]
    edges = rows[:, None] + first[None, :]
    return Running(total, xp.reshape(xp.take(total, xp.reshape(edges, (-1,))), edges.shape))


def _since_class(running: Running, listing: Listing, shape: tuple[int, ...], /, *, xp: Namespace) -> Any:
    return xp.reshape(indexing.rest(running.total), shape) - xp.take(running.before, listing.classes, axis=1)


def _envelope(counts: Counts, listing: Listing, scale: Scale, /, *, xp: Namespace) -> Any:
    """(T, K, R): the best precision at or after the first detection that reaches each recall."""
    points = scale.points
    sizes = counts.hit.shape[0], scale.objects.shape[0], points.shape[0] + 1
    recall = _share(counts.ordinal, xp.take(scale.objects, listing.classes)[None, :], points.dtype, xp=xp)
    reached = xp.searchsorted(points, xp.reshape(recall, (-1,)), side="right")
    # The spacing is the reference's guard of 0 / 0; it shows in the last bit of 1 / 1.
    spacing = float(xp.finfo(points.dtype).eps)
    precision = xp.astype(counts.ordinal, points.dtype) / (xp.astype(counts.place, points.dtype) + spacing)
    precision = xp.where(counts.hit, precision, xp.zeros_like(precision))
    threshold = xp.arange(sizes[0], dtype=listing.classes.dtype, device=compat.device(points))
    curve = xp.reshape(threshold[:, None] * sizes[1] + listing.classes[None, :], (-1,))
    # Precision falls between true positives, so the best of those that reach a recall but not the next one is all
    # that is needed; of a column in front of the first point, nothing.
    segments = curve * sizes[2] + xp.astype(reached, curve.dtype)
    best = indexing.segment_maximum(xp.reshape(precision, (-1,)), segments, sizes[0] * sizes[1] * sizes[2], xp=xp)
    best = xp.reshape(best, sizes)[:, :, 1:]
    return xp.flip(indexing.cumulative_maximum(xp.flip(best, axis=-1), xp=xp), axis=-1)


def _scores(hits: Running, listing: Listing, scale: Scale, /, *, xp: Namespace) -> Any:
    """(T, K, R): score of the first detection that reaches each recall, 0 where none does."""
    need = scale.need[None, :, :]
    wanted = hits.before[:, :-1, None] + need
    at = xp.reshape(xp.searchsorted(indexing.rest(hits.total), xp.reshape(wanted, (-1,))), wanted.shape)
    touched = listing.rows.shape[0]
    thresholds = xp.arange(wanted.shape[0], dtype=at.dtype, device=compat.device(at))
    column = at - touched * thresholds[:, None, None]
    reached = (need > 0) & (need <= hits.in_class[:, :, None])
    # A recall of 0 is reached by the first detection, whatever it is.
    first = (need <= 0) & (indexing.rest(listing.first) > listing.first[:-1])[None, :, None]
    nothing = xp.zeros(1, dtype=listing.scores.dtype, device=compat.device(at))
    at_hits = xp.concat([xp.take(listing.scores, listing.rows), nothing])
    at_start = xp.take(xp.concat([listing.scores, nothing]), listing.first[:-1])
    found = xp.take(at_hits, xp.reshape(xp.where(reached, column, xp.full_like(column, touched)), (-1,)))
    return xp.where(first, at_start[None, :, None], xp.reshape(found, wanted.shape))
