"""Compute precision and recall from a state, each area range and limit when it is asked for."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import array_api_compat as compat

from omniou._kernels.histograms import share
from omniou._lib import indexing
from omniou._lib.types import Namespace
from omniou.detection._protocol import Protocol
from omniou.detection.curves import _precision as kernels
from omniou.detection.curves._precision import Hits, Moved, Reached, Scale
from omniou.detection.curves._ranking import Ranking
from omniou.detection.matching import _matching as matching

T = TypeVar("T")


class Ends(NamedTuple):
    """The last detection of equal class and score, for each of the E detections that match an object."""

    place: Any  # (E,) place among all detections
    touched: Any  # (E,) place of the last detection of equal score that matches an object


class Outcomes(NamedTuple):
    """Outcomes of M detections, sorted by class and falling score."""

    labels: Any  # (M,) place of the class
    scores: Any  # (M,)
    hit: Any  # (M,) booleans
    counts: Any  # (M,) booleans: a hit or a false alarm


def once(method: Callable[..., T]) -> Callable[..., T]:
    """Cache a method of `Curves` by its arguments."""

    @functools.wraps(method)
    def kept(self: "Curves", *places: int) -> T:
        key = (method.__name__, *places)
        if key not in self.kept:
            self.kept[key] = method(self, *places)
        kept: T = self.kept[key]
        return kept

    return kept


class Curves:
    """Precision and recall. Area ranges and limits of detections are given by their places in the protocol's tuples.

    Tables have a column for each of the P classes that have objects in any area range: of 100,000 classes that a file
    lists and never uses, they would take gigabytes. `spread` makes a column for each of the K classes.
    """

    def __init__(self, ranking: Ranking, /) -> None:
        self.ranking, self.protocol, self.xp = ranking, ranking.state.protocol, ranking.xp
        self.kept: dict[tuple[Any, ...], Any] = {}

    @once
    def precision(self, area: int, limit: int) -> Any:
        """(T, P, R), NaN for a class without objects."""
        hits, counted = self._hits(area, limit), self._counted(area, limit)
        return kernels.precision(hits, counted, self._reached(area, limit), self._scale(area), xp=self.xp)

    @once
    def area_under(self, area: int, limit: int) -> Any:
        """(T, P), NaN for a class without objects."""
        return kernels.area_under(self._hits(area, limit), self._counted(area, limit), self._scale(area), xp=self.xp)

    @once
    def trapezoids(self, area: int, limit: int) -> Any:
        """(T, P), NaN for a class without objects."""
        xp, hits, scale = self.xp, self._hits(area, limit), self._scale(area)
        end = _end(hits, self._detected(area, limit), scale, self.protocol, xp=xp)
        return kernels.trapezoids(hits, self._counted(area, limit), end, scale, xp=xp)

    @once
    def recall(self, area: int, limit: int) -> Any:
        """(T, P), NaN for a class without objects."""
        first = self._first(area, limit)
        number = self.xp.reshape(indexing.rest(first) - first[:-1], self._sizes)
        return kernels.recall(number, self._scale(area), xp=self.xp)

    @once
    def scores(self, area: int, limit: int) -> Any:
        """(T, P, R), NaN for a class without objects."""
        hits, recalls, scale = self._hits(area, limit), self._reached(area, limit), self._scale(area)
        return kernels.scores(hits, *self._scores, recalls, scale, xp=self.xp)

    def outcomes(self, threshold: int, /) -> Outcomes:
        """Return the outcome of each detection in the first area range at one threshold, given by its place."""
        xp, ranking = self.xp, self.ranking
        inside = (ranking.outside & 1) == 0
        words = self._bits(0)
        single = [(a, b, bit) for a, b, count in words for bit in range(count)]
        matched, ignored, bit = single[threshold]
        is_matched, is_ignored = (((x >> bit) & 1) != 0 for x in (matched, ignored))
        hit = indexing.put(xp.zeros_like(inside), ranking.place, is_matched & ~is_ignored, xp=xp)
        within = xp.take(inside, ranking.place)
        counts = indexing.put(inside, ranking.place, xp.where(is_matched, ~is_ignored, within), xp=xp)
        return Outcomes(ranking.labels, ranking.scores, hit, counts)

    def spread(self, table: Any, axis: int, /) -> Any:
        """P numbers along an axis -> K, NaN for the classes without objects."""
        if self._places is None:
            return table
        xp, size = self.xp, self._places.shape[0]
        column = xp.full_like(self.ranking.objects[:, 0], size)
        every = xp.arange(size, dtype=column.dtype, device=compat.device(column))
        column = indexing.put(column, self._places, every, xp=xp)
        shape = (*table.shape[:axis], 1, *table.shape[axis + 1 :])
        nothing = xp.full(shape, float("nan"), dtype=table.dtype, device=compat.device(table))
        return xp.take(xp.concat([table, nothing], axis=axis), column, axis=axis)

    @functools.cached_property
    def _places(self) -> Any:
        """Places of the classes that have objects (P,); None if all have."""
        have = self.xp.any(self.ranking.objects > 0, axis=1)
        return None if self.xp.all(have) else self.xp.nonzero(have)[0]

    def _chosen(self, column: Any) -> Any:
        """(K, ...) -> (P, ...)."""
        return column if self._places is None else self.xp.take(column, self._places, axis=0)

    @functools.cached_property
    def _first_touched(self) -> Any:
        """Offsets of the P classes among the E, and their number (P + 1,). Between two classes there are no hits."""
        first = self.ranking.first_touched
        return self.xp.concat([self._chosen(first[:-1]), first[-1:]])

    @functools.cached_property
    def _scores(self) -> tuple[Any, Any]:
        """Scores of the E, and the best score of each class (P,), 0 without any."""
        xp, ordered, first = self.xp, self.ranking.scores, self.ranking.first
        nothing = xp.zeros(1, dtype=ordered.dtype, device=compat.device(ordered))
        best = xp.where(indexing.rest(first) > first[:-1], first[:-1], xp.full_like(first[:-1], ordered.shape[0]))
        return xp.take(ordered, self.ranking.place), xp.take(xp.concat([ordered, nothing]), self._chosen(best))

    @property
    def _sizes(self) -> tuple[int, int]:
        """T and P."""
        return len(self.protocol.iou_thresholds), self._first_touched.shape[0] - 1

    @once
    def _scale(self, area: int) -> Scale:
        return _scale(self._chosen(self.ranking.objects)[:, area], self.protocol, self.ranking.state.scores, xp=self.xp)

    @once
    def _reached(self, area: int, limit: int) -> Reached:
        return kernels.reached(self._hits(area, limit), self._scale(area), xp=self.xp)

    @once
    def _hits(self, area: int, limit: int) -> Hits:
        hits = self._all_hits(area)
        if self._is_last(limit):
            return hits
        return kernels.some(hits, self._kept(area, limit), self._first(area, limit), xp=self.xp)

    @once
    def _all_hits(self, area: int) -> Hits:
        """Return the hits of the last limit, in the order of the ranking."""
        hits = [(matched & ~ignored, count) for matched, ignored, count in self._bits(area)]
        return kernels.hits(hits, self._first_touched, self._sizes, xp=self.xp)

    @once
    def _kept(self, area: int, limit: int) -> Any:
        """Return flags of the hits that a limit leaves. No match depends on detections after it."""
        return self.xp.take(self._within(limit), self._all_hits(area).touched)

    @once
    def _first(self, area: int, limit: int) -> Any:
        """Return the offsets of the curves among the hits, (T * P + 1,)."""
        hits = self._all_hits(area)
        return hits.first if self._is_last(limit) else kernels.starts_of(hits, self._kept(area, limit), xp=self.xp)

    def _counted(self, area: int, limit: int) -> Any:
        """Return the number of detections that count up to and with each hit, (H,).

        An unmatched detection counts where its own area is in range, a matched one where its object counts.
        """
        xp, hits, moved = self.xp, self._hits(area, limit), self._moved_within(area, limit)
        by_area = xp.take(self._inside(limit)[area, :], hits.touched)
        if moved.touched.shape[0] == 0:
            return by_area
        until = hits if self._ends is None else hits._replace(touched=xp.take(self._ends.touched, hits.touched))
        return by_area + kernels.surplus(moved, until, self._first_touched, xp=xp)

    def _detected(self, area: int, limit: int) -> Any:
        """Return the number of detections that count, (T, P)."""
        xp, ranking, moved = self.xp, self.ranking, self._moved_within(area, limit)
        areas = len(self.protocol.area_ranges)
        (before,) = kernels.inside(ranking.outside, self._listed(limit), [ranking.first], areas, xp=xp)
        more = xp.cumulative_sum(moved.more, axis=1, dtype=xp.int64, include_initial=True)
        more = xp.take(more, xp.take(moved.before, ranking.first_touched), axis=1)
        until = before[area, :][None, :] + more
        seen = indexing.rest(until) - until[:, :-1]
        return seen if self._places is None else xp.take(seen, self._places, axis=1)

    def _moved_within(self, area: int, limit: int) -> Moved:
        """Return `_moved` without the detections over a limit."""
        moved = self._moved(area)
        if self._is_last(limit):
            return moved
        kept = self.xp.astype(self.xp.take(self._within(limit), moved.touched), self.xp.int8)
        return moved._replace(more=moved.more * kept)

    @once
    def _moved(self, area: int) -> Moved:
        """Return the detections that count, or do not count, because they are matched, at the last limit."""
        xp, bits = self.xp, self._bits(area)
        outside = xp.astype(self.ranking.touched_outside, xp.int64)
        # All bits where the detection by itself is out of range: -1 has all bits set, and 0 none. In "small", a large
        # detection gains where it matches a small object, and a small detection loses where it matches an ignored one.
        every = -((outside >> area) & 1)
        gained = [(matched & ~ignored & every, count) for matched, ignored, count in bits]
        lost = [(matched & ignored & ~every, count) for matched, ignored, count in bits]
        return kernels.moved(gained, lost, xp=xp)

    @once
    def _within(self, limit: int) -> Any:
        """Return flags of the E that a limit leaves."""
        return self.ranking.touched_ranks < self.protocol.max_detections[limit]

    @once
    def _inside(self, limit: int) -> Any:
        """Return the number of detections inside each range from the first of the class up to and with each, (A, E)."""
        xp, ranking = self.xp, self.ranking
        place = ranking.place if self._ends is None else self._ends.place
        queries, areas = (ranking.first, place + 1), len(self.protocol.area_ranges)
        before, until = kernels.inside(ranking.outside, self._listed(limit), queries, areas, xp=xp)
        first = ranking.first_touched
        return until - xp.repeat(before[:, :-1], indexing.rest(first) - first[:-1], axis=1)

    @functools.cached_property
    def _ends(self) -> Ends | None:
        """Return the ends of runs of tied scores, if the order of ties is to have no effect; else None."""
        if self.protocol.tie_policy != "invariant":
            return None
        return _ends(self.ranking.labels, self.ranking.scores, self.ranking.place, xp=self.xp)

    @once
    def _bits(self, area: int) -> list[tuple[Any, Any, int]]:
        """Return, for each word of an area range, bits of matched and of ignored (E,), and the number of thresholds."""
        # Bit `area * T + threshold` of a word, see `coco_bits`: of two thresholds, range 1 of 0b1101 is 0b11.
        bits = []
        for word, both in zip(matching.words(self.protocol), self.ranking.bits, strict=True):
            if not word.areas.start <= area < word.areas.stop:
                continue
            count = word.thresholds.stop - word.thresholds.start
            shift, mask = (area - word.areas.start) * count, (1 << count) - 1
            bits.append((*((x >> shift) & mask for x in both), count))
        return bits

    def _listed(self, limit: int) -> Any:
        """Return flags (M,) of the detections that a limit leaves, in the order of the ranking; None for all."""
        most = self.protocol.max_detections[limit]
        return None if most is None or self._is_last(limit) else self.ranking.ranks < most

    def _is_last(self, limit: int) -> bool:
        # The state has no detections beyond the last limit.
        return limit == len(self.protocol.max_detections) - 1


def average_precision(outcomes: Outcomes, objects: Any, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """Outcomes at one threshold, objects (K,) -> the values whose mean is AP: (1, K, R), or (1, K) for an area."""
    labels, scores, hit, counts = outcomes
    place, size = xp.nonzero(hit)[0], objects.shape[0]
    first = indexing.starts(indexing.counts(labels, size, xp=xp), xp=xp)
    hits = kernels.hits([(xp.ones_like(place), 1)], xp.searchsorted(place, first), (1, size), xp=xp)
    last = place if protocol.tie_policy != "invariant" else _ends(labels, scores, place, xp=xp).place
    seen = xp.cumulative_sum(xp.astype(counts, xp.int64), include_initial=True)
    counted = xp.take(seen, last + 1) - xp.take(seen, xp.take(first, xp.take(labels, place)))
    scale = _scale(objects, protocol, scores, xp=xp)
    if protocol.interpolation == "area":
        return kernels.area_under(hits, counted, scale, xp=xp)
    if protocol.interpolation != "points":
        ends = xp.take(seen, first)
        end = _end(hits, (indexing.rest(ends) - ends[:-1])[None, :], scale, protocol, xp=xp)
        return kernels.trapezoids(hits, counted, end, scale, xp=xp)
    return kernels.precision(hits, counted, kernels.reached(hits, scale, xp=xp), scale, xp=xp)


def _end(hits: Hits, detected: Any, scale: Scale, protocol: Protocol, /, *, xp: Namespace) -> Any:
    """Detections that count (T, K) -> the precision from which a curve falls behind its last hit, (T, K)."""
    number = xp.reshape(hits.in_curve, hits.sizes)
    last = share(number, xp.maximum(detected, xp.ones_like(detected)), scale.points.dtype, xp=xp)
    return xp.zeros_like(last) if protocol.interpolation == "trapezoids" else last


def _scale(objects: Any, protocol: Protocol, like: Any, /, *, xp: Namespace) -> Scale:
    points = xp.asarray(protocol.recall_points, dtype=like.dtype, device=compat.device(like))
    return kernels.scale(objects, points, xp=xp)


def _ends(labels: Any, scores: Any, place: Any, /, *, xp: Namespace) -> Ends:
    """Detections (M,) by class and falling score, places of E of them.

    Precision at a hit is read off behind the last detection of its score. Hits of one score have one denominator there,
    and the last of them has the largest numerator: since curves take the best precision at or after a hit, the
    numerators of the others need no change. Of two hits at ranks 1 and 2 of a score, 1 / 2 and 2 / 2, both get 1.
    """
    same = [indexing.rest(x) == indexing.but_last(x) for x in (labels, scores)]
    last = xp.nonzero(xp.concat([~(same[0] & same[1]), indexing.head(labels) >= 0]))[0]
    of_score = xp.take(last, xp.searchsorted(last, place))
    return Ends(of_score, xp.searchsorted(place, of_score, side="right") - 1)
