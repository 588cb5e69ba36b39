"""The engine of every doctor: the other reading of an input that lifts its matches from about 0.

A kind declares readings, each a transform of what was given with its sentence and the way out. A `Trial` holds a
sample of the input and how matches in it are counted. Frames of tracks, which may be counted from another number::

    sample = take(truth, tracks)  # some frames, evenly spaced, and some rows of them: this bounds the work
    trial = Trial(
        given=sample.frames,  # what readings change: anything that `matches` and `by_chance` understand
        total=len(sample.frames),
        matches=lambda frames: (sample.best_iou(frames) >= 0.5).sum(),
        by_chance=lambda frames: (sample.best_iou(sample.other_sequence(frames)) >= 0.5).sum(),
        measure="IoU >= 0.5 with an object of the frame",
        of="tracks",
    )
    readings = [
        Reading(
            code="frames-shifted",
            text=f"frames of the tracks seem to be shifted by {by}",
            hint=f"--first-frame {1 + by} (`first_frame={1 + by}`)",
            read=lambda frames, by=by: frames - by,
            words=f"{by} frames earlier",
            path=str(tracks.path),
        )
        for by in (1, -1)
    ]
    findings = trial.findings(readings)

gives at most one finding, the reading that matches best, with this evidence: "IoU >= 0.5 with an object of the
frame: 0.0% of tracks as read, 98.0% 1 frames earlier". Readings may be a generator: none is made, and nothing but the
given reading is counted, while matches are so many that no other reading could be reported. So readings cost time only
where results are poor. `combined` makes the stages of readings that may occur together.

The rule, `is_better`: another reading must have at least twice as many matches as the given one and five more, and
either match half of the total, or at least twice as many as by chance and five more. Where `matches` says which rows
match, a reading that gains ten for each that it loses will do, too. Declare a reading only if a right
input that is merely poor has no more matches in it: noise, other images and missing rows lower the matches of every
reading alike. `tests.benchmarks.doctor` does the damage of each reading, and poor and odd input that is right.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from omniou._doctor.columns import Column, np
from omniou._lib.findings import Finding

T = TypeVar("T")

# In brackets: the range in which `python -m tests.benchmarks.doctor --thresholds` misses no damage and accuses no whole
# set, of factors 1/2 to 2; where it is narrower, what happens beyond it. The value in it is a choice.

# The overlap of a match, where a kind gives overlaps.
MATCH = 0.5
# Another reading is better if it matches so many times as many detections as the given one (2 to 4; with 1, 4 damages
# are missed and 3 sets accused), and so many more besides (5 to 10; with 4, 2 damages of another kind are missed).
_TIMES, _MORE = 2, 5
# This share of the detections need not be compared with chance (0.25 to 1).
_MOST = 0.5
# The same where rows cannot be right as read and all can in the other reading, which is evidence by itself (0.75 to 3,
# and 2 to 6).
_TIMES_IMPROPER, _MORE_IMPROPER = 1.5, 3
# Where it is known which rows match, a reading may gain less: so many rows and such a share of all, for each that it
# loses. Of a poor input that is right, a reading that turns or moves boxes loses as many as it gains.
_GAINED, _GAINED_SHARE, _GAINED_TIMES = 10, 0.15, 10
# Decimals of sums of overlaps that are compared: of two readings that mean the same boxes, the first one is reported.
_DIGITS = 6


def is_better(alternative: int, given: int, total: int, by_chance: int) -> bool:
    """Whether another reading matches so many more of all detections that the given one is hardly meant.

    Poor detectors match few objects in the right reading and still fewer in any other. A small set may match a few
    more by chance, so a factor does not suffice. Boxes in the middle of all images match in a reading that has nothing
    to do with the objects, so unless most detections match, they must match more than objects of other images.
    """
    beyond_chance = alternative >= _TIMES * by_chance + _MORE
    return alternative >= _TIMES * given + _MORE and (alternative >= _MOST * total or beyond_chance)


class Reading(NamedTuple):
    """One way in which an input may be meant.

    Attributes
    ----------
    code : str
        Of the finding.
    text, hint : str
        What seems to be, and the option or the argument that reads it so.
    read : callable
        ``read(given)`` -> the same, read in this way.
    words : str
        How it is read, after "98.0%" in the evidence: "as xywh".
    path : str
        The file that would be read otherwise; empty where it is both, or no file.
    key : object
        What the kind itself knows the reading by.
    """

    code: str
    text: str
    hint: str
    read: Callable[[Any], Any]
    words: str = "if that is changed"
    path: str = ""
    key: Any = None


class Better(NamedTuple):
    """A reading that is better than the given one, what is read by it, and the finding that says so."""

    reading: Reading
    value: Any
    finding: Finding


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Trial(Generic[T]):
    """A sample of an input, and how its matches are counted.

    Attributes
    ----------
    given : object
        What readings change, as it was read.
    total : int
        The most matches that there can be.
    matches : callable
        ``matches(value)`` -> how many rows of a value, in any reading, match their partner; or the best overlap of each
        row, (N,), of which 0.5 is a match. Overlaps also tell the best of two readings in which as many match, and a
        reading that gains many and loses next to none, such as the sign of angles, which does not matter to squares.
    by_chance : callable
        ``by_chance(value)`` -> how many match one that they have nothing to do with, such as an object of another
        image.
    measure, of : str
        What a match is, and what is counted, for the evidence: "IoU >= 0.5 with an object of the image", "detections".
    least : float
        The share of the total that another reading must match. Default: any.
    by_gain : bool
        Whether readings of the first stage are also tried where more than half matches, if one could still gain enough
        rows: for angles and the like, in which a share of all matches in any reading.
    improper : callable, optional
        ``improper(value)`` -> how many rows cannot be right in that reading, such as boxes of negative sides. If there
        are some as read and none in another reading, less suffices: one and a half times as many matches, and 3 more.
    """

    given: T
    total: int
    matches: Callable[[T], Any]
    by_chance: Callable[[T], int]
    measure: str
    of: str = "detections"
    least: float = 0.0
    by_gain: bool = False
    improper: Callable[[T], int] = lambda _: 0

    @functools.cached_property
    def _own(self) -> "_Counted":
        """The given reading."""
        return self._counted(None, self.given)

    @property
    def matched(self) -> int:
        """How many match as read."""
        return self._own.matched

    @property
    def is_open(self) -> bool:
        """Whether any other reading can be better."""
        return is_better(self.total, self.matched, self.total, 0) or bool(self.improper(self.given))

    @property
    def _least_gain(self) -> float:
        return max(_GAINED, _GAINED_SHARE * self.total)

    def best(self, *stages: Iterable[Reading]) -> Better | None:
        """The reading with the most matches, or the highest overlaps, if it is better than the given one.

        Stages go from simple readings to far-fetched ones: a stage is tried if those before it match less than half of
        the total, and a reading of it must also be better than theirs.
        """
        if not self.is_open:
            stages = stages[:1] if self.by_gain and self.total - self.matched >= self._least_gain else ()
        best: _Counted | None = None
        for readings in stages:
            counted = (self._counted(x, x.read(self.given)) for x in readings)
            most = max(counted, key=lambda x: round(x.quality, _DIGITS), default=None)
            if most is not None and self._is_better(most) and (best is None or self._is_far_better(most, best)):
                best = most
            if best is not None and best.matched >= _MOST * self.total:
                break
        return None if best is None else Better(best.reading, best.value, self._finding(best))

    def findings(self, *stages: Iterable[Reading]) -> list[Finding]:
        """The finding of the best reading, or none."""
        best = self.best(*stages)
        return [] if best is None else [best.finding]

    def _counted(self, reading: Reading | None, value: T) -> "_Counted":
        found = self.matches(value)
        if not np.ndim(found):
            return _Counted(reading, value, int(found), float(found))
        rows = found >= MATCH
        return _Counted(reading, value, int(rows.sum()), float(found[rows].sum()), rows)

    def _finding(self, best: "_Counted") -> Finding:
        shares = [f"{count / max(1, self.total):.1%}" for count in (self.matched, best.matched)]
        reading = best.reading
        return Finding(
            code=reading.code,
            text=reading.text,
            evidence=f"{self.measure}: {shares[0]} of {self.of} as read, {shares[1]} {reading.words}",
            hint=reading.hint,
            path=reading.path,
        )

    def _is_better(self, other: "_Counted") -> bool:
        if other.matched < self.least * self.total:
            return False
        needed = max(self.matched + _MORE_IMPROPER, _TIMES_IMPROPER * self.matched)
        if other.matched >= needed and self.improper(self.given) and not self.improper(other.value):
            return True
        by_chance = int(self.by_chance(other.value))
        return is_better(other.matched, self.matched, self.total, by_chance) or self._gains(other, by_chance)

    def _gains(self, other: "_Counted", by_chance: int) -> bool:
        """Whether far more rows match only in the other reading than only as read."""
        if self._own.rows is None or other.rows is None or other.matched < _TIMES * by_chance + _MORE:
            return False
        gained, lost = (other.rows & ~self._own.rows).sum(), (self._own.rows & ~other.rows).sum()
        return bool(gained >= max(self._least_gain, _GAINED_TIMES * lost))

    def _is_far_better(self, other: "_Counted", simpler: "_Counted") -> bool:
        return is_better(other.matched, simpler.matched, self.total, 0)


class _Counted(NamedTuple):
    reading: Any  # None of what was given
    value: Any
    matched: int
    quality: float  # the sum of overlaps
    rows: Column | None = None


def combined(groups: Sequence[Sequence[Reading]], most: int = 3) -> list[Iterator[Reading]]:
    """Stages of readings of one input: each by itself, then those of two groups together, up to `most` groups.

    Groups are about different things, such as the order of sizes and the sign of the yaw. Readings together are applied
    in the order of the groups.
    """

    def together(number: int) -> Iterator[Reading]:
        for chosen in itertools.combinations(groups, number):
            yield from map(_joined, itertools.product(*chosen))

    return [together(number) for number in range(1, most + 1)]


def _joined(readings: Sequence[Reading]) -> Reading:
    if len(readings) == 1:
        return readings[0]
    return readings[0]._replace(
        text="; ".join(x.text for x in readings),
        hint="; ".join(x.hint for x in readings),
        read=lambda given: functools.reduce(lambda value, reading: reading.read(value), readings, given),
        words=" and ".join(x.words for x in readings),
    )
