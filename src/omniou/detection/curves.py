"""From the state to precision and recall: each area range and limit is computed when it is asked for."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import array_api_compat as compat

from omniou._kernels import curves as kernels
from omniou._kernels.curves import Hits, Scale
from omniou._lib import indexing, ordering
from omniou._lib.types import Namespace
from omniou.detection import match as matching
from omniou.detection import tables
from omniou.detection.state import State

T = TypeVar("T")


def _once(method: Callable[..., T]) -> Callable[..., T]:
    """Compute a method of `Curves` once for each place that it is asked about."""

    @functools.wraps(method)
    def kept(self: "Curves", *places: int) -> T:
        key = (method.__name__, *places)
        if key not in self.kept:
            self.kept[key] = method(self, *places)
        found: T = self.kept[key]
        return found

    return kept


class Curves:
    """Precision and recall by area range and limit of detections, as places in the protocol's tuples."""

    def __init__(self, state: State, /, *, xp: Namespace) -> None:
        self.state, self.xp = state, xp
        self.kept: dict[tuple[Any, ...], Any] = {}
        classes = state.classes.shape[0]
        # By class, then falling score, then image, then as they came: the reference's order of ties.
        self._order = ordering.falling(state.labels, max(1, classes), state.scores, xp=xp)
        self._first = indexing.starts(indexing.counts(state.labels, classes, xp=xp), xp=xp)
        every = xp.arange(self._order.shape[0], dtype=xp.int64, device=compat.device(self._order))
        places = indexing.put(xp.zeros_like(every), self._order, every, xp=xp)
        place = xp.take(places, state.rows)
        touched = ordering.rising(place, max(1, every.shape[0]), xp=xp)
        self._place, self._rank = xp.take(place, touched), xp.take(state.rank, touched)
        self._matched = [xp.take(x, touched) for x in state.matched]
        self._ignored = [xp.take(x, touched) for x in state.ignored]
        self._classes = xp.take(xp.take(state.labels, state.rows), touched)

    @_once
    def precision(self, area: int, limit: int) -> Any:
        """(T, K, R), NaN for a class without objects."""
        return kernels.precision(self._hits(area, limit), self._counted(area, limit), self._scale(area), xp=self.xp)

    @_once
    def area_under(self, area: int, limit: int) -> Any:
        """(T, K), NaN for a class without objects."""
        return kernels.area_under(self._hits(area, limit), self._counted(area, limit), self._scale(area), xp=self.xp)

    @_once
    def recall(self, area: int, limit: int) -> Any:
        """(T, K), NaN for a class without objects."""
        return kernels.recall(self._hits(area, limit), self._scale(area), xp=self.xp)

    @_once
    def scores(self, area: int, limit: int) -> Any:
        """(T, K, R), NaN for a class without objects."""
        xp, ordered = self.xp, self._ordered_scores()
        nothing = xp.zeros(1, dtype=ordered.dtype, device=compat.device(ordered))
        some = indexing.rest(self._first) > self._first[:-1]
        first = xp.where(some, self._first[:-1], xp.full_like(self._first[:-1], ordered.shape[0]))
        best = xp.take(xp.concat([ordered, nothing]), first)
        touched = xp.take(ordered, self._place)
        return kernels.scores(self._hits(area, limit), touched, best, self._scale(area), xp=xp)

    @_once
    def _scale(self, area: int) -> Scale:
        dtype, device = self.state.scores.dtype, compat.device(self.state.scores)
        points = self.xp.asarray(self.state.protocol.recall_points, dtype=dtype, device=device)
        return kernels.scale(self.state.objects[:, area], points, xp=self.xp)

    @_once
    def _hits(self, area: int, limit: int) -> Hits:
        sizes = len(self.state.protocol.iou_thresholds), self.state.classes.shape[0]
        hits = [(matched & ~ignored, count) for matched, ignored, count in self._bits(area, limit)]
        return kernels.hits(hits, self._classes, sizes, xp=self.xp)

    @_once
    def _counted(self, area: int, limit: int) -> Any:
        """(H,) detections that count, up to and with each hit.

        An unmatched detection counts where its own area is in range, a matched one where its object counts.
        """
        xp, found = self.xp, self._hits(area, limit)
        listed = self._listed(limit)
        inside = (self._outside() & (1 << area)) == 0
        inside = inside if listed is None else inside & listed
        seen = xp.cumulative_sum(xp.astype(inside, xp.int64), include_initial=True)
        here = xp.take(seen, self._place + 1) - xp.take(seen, xp.take(self._first, self._classes))
        within = xp.take(inside, self._place)
        gained, lost = [], []
        for matched, ignored, count in self._bits(area, limit):
            nothing = xp.zeros_like(matched)
            gained.append((xp.where(within, nothing, matched & ~ignored), count))
            lost.append((xp.where(within, matched & ignored, nothing), count))
        more, fewer = (kernels.up_to(bits, found, self._classes, xp=xp) for bits in (gained, lost))
        return xp.take(here, found.touched) + more - fewer

    @_once
    def _bits(self, area: int, limit: int) -> list[tuple[Any, Any, int]]:
        """Bits (E,) of the area range's thresholds: matched, matched to what is ignored; how many they are."""
        found = []
        words = matching.words(self.state.protocol)
        most = self.state.protocol.max_detections[limit]
        for word, *both in zip(words, self._matched, self._ignored, strict=True):
            if not word.areas.start <= area < word.areas.stop:
                continue
            count = word.thresholds.stop - word.thresholds.start
            shift, mask = (area - word.areas.start) * count, (1 << count) - 1
            bits = [(x >> shift) & mask for x in both]
            if not self._is_last(limit):
                bits = [self.xp.where(self._rank < most, x, self.xp.zeros_like(x)) for x in bits]
            found.append((*bits, count))
        return found

    def _listed(self, limit: int) -> Any:
        """(M,) which detections a limit leaves, in the order of classes; None for all."""
        if self._is_last(limit):
            return None
        return self._ranks() < self.state.protocol.max_detections[limit]

    def _is_last(self, limit: int) -> bool:
        # What is beyond the last limit is not in the state.
        return limit == len(self.state.protocol.max_detections) - 1

    @_once
    def _ranks(self) -> Any:
        xp, state = self.xp, self.state
        images = max(1, state.images.shape[0])
        group = state.labels * images + state.image
        order = ordering.falling(group, max(1, state.classes.shape[0]) * images, state.scores, xp=xp)
        rank = tables.ranks(xp.take(group, order), xp=xp)
        return xp.take(indexing.put(xp.zeros_like(rank), order, rank, xp=xp), self._order)

    @_once
    def _outside(self) -> Any:
        return self.xp.take(self.state.outside, self._order)

    @_once
    def _ordered_scores(self) -> Any:
        return self.xp.take(self.state.scores, self._order)
