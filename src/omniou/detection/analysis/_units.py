"""Units of detections: images for boxes, masks and keypoints, videos for intervals.

AP follows from ranks of scores, not from sums over images, so a draw of images is a new ranking of the state.
"""

import dataclasses
import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any, Self

import array_api_compat as compat

from omniou._inputs.kinds import words_of
from omniou._lib import backends, checks, indexing
from omniou._lib.types import Namespace
from omniou._results.units import UnitGap, Units
from omniou.detection.curves import _summary as summary
from omniou.detection.curves._curves import Curves
from omniou.detection.curves._ranking import Ranking
from omniou.detection.curves._state import State, merge
from omniou.detection.curves._summary import Number


class DetectionUnits(Units):
    """The images of a state, by rising id. `groups`: labels of classes by name."""

    def __init__(self, state: State, groups: Any, /) -> None:
        self._state, self._groups = state, groups
        self._xp = backends.array_namespace(state.images)
        self._numbers = {number.name: number for number in summary.numbers(state.protocol, groups)}
        self.word = words_of(state.kind).holders
        self.names = tuple(indexing.to_list(state.images))
        self.labels = tuple(indexing.to_list(state.classes))
        self.rules = state.protocol
        self.known = tuple(self._numbers)

    def sampled(self, names: Sequence[str], /) -> Callable[[Sequence[int]], dict[str, float]]:
        """See `Units.sampled`."""
        xp, images, ranking = self._xp, self._state.images, Ranking(self._state, xp=self._xp)
        whole = Curves(ranking)
        own = {name: summary.of_classes(whole, self._numbers[name]) for name in names}

        def of_draw(draw: Sequence[int], /) -> dict[str, float]:
            places = xp.asarray(draw, dtype=xp.int64, device=compat.device(images))
            times = indexing.counts(places, images.shape[0], xp=xp)
            curves = Curves(ranking.sampled(times))
            return {
                name: summary.value(curves, self._numbers[name], self._groups, absent) for name, absent in own.items()
            }

        return of_draw

    def exchanged(self, other: Self, names: Sequence[str], /) -> Callable[[Sequence[int]], dict[str, UnitGap]]:
        """See `Units.exchanged`."""
        xp, device = self._xp, compat.device(self._state.images)
        both = Ranking(side_by_side(self._state, other._state, xp=xp), xp=xp)
        members = {name: self._members(self._numbers[name]) for name in names}

        def of_flips(flips: Sequence[int], /) -> dict[str, UnitGap]:
            moved = xp.asarray(flips, dtype=xp.int64, device=device)
            first, second = (
                Curves(both.sampled(xp.reshape(xp.stack(times, axis=1), (-1,))))
                for times in ((1 - moved, moved), (moved, 1 - moved))
            )
            return {name: _gap(first, second, self._numbers[name], places) for name, places in members.items()}

        return of_flips

    def per_class(self, name: str, /) -> float:
        """See `Units.per_class`."""
        name = checks.choice("name", name, self.known)
        number, state, xp = self._numbers[name], self._state, self._xp
        size, classes = state.images.shape[0], state.classes.shape[0]
        image = xp.repeat(xp.arange(size, dtype=xp.int64, device=compat.device(state.images)), state.objects_of)
        inside = (state.ranges & (1 << number.area)) != 0
        cells = indexing.distinct((image * max(1, classes) + state.target_labels)[inside], xp=xp)
        counts = indexing.to_list(indexing.counts(cells % max(1, classes), classes, xp=xp))
        known = [counts[k] for k in self._members(number) if counts[k]]
        return float(statistics.harmonic_mean(known)) if known else 0.0

    def _members(self, number: Number, /) -> list[int]:
        return summary.members(self._state.classes, number, self._groups, xp=self._xp)


def _gap(first: Curves, second: Curves, number: Number, members: Sequence[int], /) -> UnitGap:
    gap = summary.of_classes(second, number) - summary.of_classes(first, number)
    per_class = [float(x) for x in gap]
    if number.kind in summary.POOLED:
        return UnitGap(summary.value(second, number, {}) - summary.value(first, number, {}), per_class)
    known = [per_class[k] for k in members if not math.isnan(per_class[k])]
    return UnitGap(statistics.fmean(known) if known else math.nan, per_class)


def side_by_side(first: State, second: State, /, *, xp: Namespace) -> State:
    """Merge the states of two models. Images of the first become 0, 2, ..., those of the second 1, 3, ...

    Detections of equal score are in the order of their images, whichever model they are from.
    """
    # Ids of the data may be any 64 bits, so adding to them could wrap.
    places = 2 * xp.arange(first.images.shape[0], dtype=xp.int64, device=compat.device(first.images))
    return merge([_numbered(first, places), _numbered(second, places + 1)], xp=xp)


def _numbered(state: State, ids: Any, /) -> State:
    names = dataclasses.replace(state.names, images={}, image_groups={})
    return dataclasses.replace(state, images=ids, names=names)
