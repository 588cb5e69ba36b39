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

gives at most one finding, the reading with the most matches, with this evidence: "IoU >= 0.5 with an object of the
frame: 0.0% of tracks as read, 98.0% 1 frames earlier". Readings may be a generator: none is made, and nothing but the
given reading is counted, while matches are so many that no other reading could be reported. So readings cost time only
where results are poor.

The rule, `is_better`: another reading must have at least twice as many matches as the given one and five more, and
either match half of the total, or at least twice as many as by chance and five more. Declare a reading only if a right
input that is merely poor has no more matches in it: noise, other images and missing rows lower the matches of every
reading alike. `tests.benchmarks.doctor` does the damage of each reading, and poor and odd input that is right.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from omniou._lib.findings import Finding

T = TypeVar("T")

# In brackets: the range in which `python -m tests.benchmarks.doctor --thresholds` misses no damage and accuses no whole
# set, of factors 1/2 to 2; where it is narrower, what happens beyond it. The value in it is a choice.

# Another reading is better if it matches so many times as many detections as the given one (2 to 4; with 1, 4 damages
# are missed and 3 sets accused), and so many more besides (5 to 10; with 4, 2 damages of another kind are missed).
_TIMES, _MORE = 2, 5
# This share of the detections need not be compared with chance (0.25 to 1).
_MOST = 0.5
# The same where rows cannot be right as read and all can in the other reading, which is evidence by itself (0.75 to 3,
# and 2 to 6).
_TIMES_IMPROPER, _MORE_IMPROPER = 1.5, 3


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
    matches, by_chance : callable
        ``matches(value)`` -> how many rows of a value, in any reading, match their partner; ``by_chance(value)`` -> how
        many match one that they have nothing to do with, such as an object of another image.
    measure, of : str
        What a match is, and what is counted, for the evidence: "IoU >= 0.5 with an object of the image", "detections".
    improper : callable, optional
        ``improper(value)`` -> how many rows cannot be right in that reading, such as boxes of negative sides. If there
        are some as read and none in another reading, less suffices: one and a half times as many matches, and 3 more.
    """

    given: T
    total: int
    matches: Callable[[T], int]
    by_chance: Callable[[T], int]
    measure: str
    of: str = "detections"
    improper: Callable[[T], int] = lambda _: 0

    @functools.cached_property
    def matched(self) -> int:
        """How many match as read."""
        return int(self.matches(self.given))

    @property
    def is_open(self) -> bool:
        """Whether any other reading can be better."""
        return is_better(self.total, self.matched, self.total, 0) or bool(self.improper(self.given))

    def best(self, readings: Iterable[Reading]) -> Better | None:
        """The reading with the most matches, the first of several, if it is better than the given one."""
        if not self.is_open:
            return None
        best: tuple[int, Reading, T] | None = None
        for reading in readings:
            value = reading.read(self.given)
            count = int(self.matches(value))
            if best is None or count > best[0]:
                best = count, reading, value
        if best is None or not self._is_better(best[0], best[2]):
            return None
        count, reading, value = best
        evidence = f"{self.measure}: {self._share(self.matched)} of {self.of} as read, {self._share(count)}"
        finding = Finding(
            code=reading.code,
            text=reading.text,
            evidence=f"{evidence} {reading.words}",
            hint=reading.hint,
            path=reading.path,
        )
        return Better(reading, value, finding)

    def findings(self, readings: Iterable[Reading]) -> list[Finding]:
        """The finding of the best reading, or none."""
        best = self.best(readings)
        return [] if best is None else [best.finding]

    def _is_better(self, count: int, value: T) -> bool:
        needed = max(self.matched + _MORE_IMPROPER, _TIMES_IMPROPER * self.matched)
        if count >= needed and self.improper(self.given) and not self.improper(value):
            return True
        return is_better(count, self.matched, self.total, int(self.by_chance(value)))

    def _share(self, count: int) -> str:
        return f"{count / max(1, self.total):.1%}"
